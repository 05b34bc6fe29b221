"""Reading a table: how large it is, and what noise infusion makes of it."""

from leeward.evaluate.evaluation import Study
from leeward.evaluate.words.case import Case
from leeward.evaluate.words.sentence import number, several, share


def size(case: Case) -> str:
    """Cells, and how workplaces and workers multiply to them."""
    table, cells = case.table, several(case.table.cells, "cell")
    if table.worker_cells == 1:
        return f"The table has {cells}, one for each workplace cell."
    asked = (
        "one ε pays for all worker cells of a workplace cell"
        if case.whole
        else "each worker cell is a query of its own, with its own ε"
    )
    return (
        f"The table has {cells}: {several(table.workplace_cells, 'workplace cell')}"
        f" × {several(table.worker_cells, 'worker cell')}; {asked}."
    )


def infusion(case: Case, study: Study) -> tuple[str, ...]:
    """What today's protection does to it; nothing where it was not measured."""
    found = case.infusion
    if found is None or found.l1 is None:
        return ()
    noise, table = study.infusion, case.table
    draws = several(found.trials, "draw")
    return (
        f"Noise infusion with factors off by {share(noise.lower)} to {share(noise.upper)} has a "
        f"mean absolute error of {number(found.l1)} jobs a cell ({draws} of "
        f"the factors). It suppresses {share(table.suppressed)} of the cells and flags "
        f"{share(table.distorted)} as distorted by more than {share(noise.distortion)}. "
        "It has no guarantee.",
        "Its error counts suppressed cells as if they were published; the ratios where published "
        "leave them out on both sides.",
    )


def caution(study: Study) -> tuple[str, ...]:
    """Why the ratios do not carry over as they stand."""
    noise = study.infusion
    bounds = (
        f"The bounds of infusion that offices use are confidential. Those here "
        f"({number(noise.lower)} and {number(noise.upper)}) are parameters, and every ratio to "
        "infusion depends on them: ratios carry over in shape, not in size."
    )
    if not study.made_up:
        return (bounds,)
    return (
        "The economy is made up. How much error a mechanism has depends on how large the largest "
        "establishments of cells are, so other data have other numbers.",
        bounds,
    )
