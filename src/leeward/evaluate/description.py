"""Description: the size, errors, ranks and strata of one workload in sentences."""

from collections.abc import Iterable, Iterator, Sequence

from leeward.evaluate.evaluation import Study
from leeward.evaluate.line import PARALLEL, label, line_of
from leeward.evaluate.phrases import correlation, listed, number, opened, several, share
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.results import (
    WorkloadResult,
    called,
    comparable,
    edge,
    node,
    ours,
    parallel,
    promise,
    published,
    ranked,
    tightened,
)


def errors(result: WorkloadResult) -> tuple[str, ...]:
    """Ours and the printed forms at the setting of the reading, and how they compare."""
    own, printed = ranked(result.here, ours), ranked(result.here, published)
    told = [*_own(own, result), *_printed(printed)]
    return (*told, *compared(own, printed)) if told else ()


def _own(own: Sequence[Point], result: WorkloadResult) -> Iterator[str]:
    if not own:
        if result.epsilon is not None:
            yield f"At {result.where} none of ours has a finite mean error."
        return
    best, *others = own
    yield (
        f"At {result.where} the best of ours, {_bare(best)}, has a mean absolute error of "
        f"{number(best.l1)} jobs a cell{_against(best)}; its promise is {_full(best)}."
    )
    if others:
        yield f"The others of ours: {_listing(others)}."


def _printed(printed: Sequence[Point]) -> Iterator[str]:
    if printed:
        yield f"The papers' mechanisms as printed, at the same α and ε: {_listing(printed)}."


def compared(own: Sequence[Point], others: Sequence[Point]) -> Iterator[str]:
    """The best of ours beside the best of the others without and with δ, at the same promise."""
    for failing, words in ((False, "without δ"), (True, "with δ")):
        other = next((one for one in others if bool(one.delta) == failing), None)
        mine = next((one for one in own if other and comparable(one, other)), None)
        if mine and other and mine.l1 and other.l1:
            yield (
                f"{opened(called(other))}, the best of these {words}, has "
                f"{number(other.l1 / mine.l1)} times the error of {called(mine)}, "
                f"whose promise is {_beside(mine, other)}."
            )


def _beside(own: Point, other: Point) -> str:
    if own.policy == other.policy:
        same = f"the same ({own.policy})"
        return same if own.delta == other.delta else f"{same} without δ"
    return f"stronger ({promise(own)}, against {promise(other)})"


def tight(result: WorkloadResult) -> tuple[str, ...]:
    """The papers' mechanisms with the least noise that their proofs allow."""
    found = ranked(result.here, tightened)
    if not found:
        return ()
    return (
        f"At {result.where}, with the least noise that their proofs allow, the papers' mechanisms "
        f"come to {_listing(found)}.",
        *_gained(ranked(result.here, published), found),
        *compared(ranked(result.here, ours), found),
    )


def _gained(printed: Sequence[Point], found: Sequence[Point]) -> Iterator[str]:
    """What calibration alone does for each mechanism that has both forms."""
    by_name = {one.mechanism: one for one in found}
    pairs = [(one, by_name[one.mechanism]) for one in printed if one.mechanism in by_name]
    gains = [before.l1 / after.l1 for before, after in pairs if before.l1 and after.l1]
    if gains:
        low, high = number(min(gains)), number(max(gains))
        yield (
            f"The printed forms have {low if low == high else f'{low} to {high}'} times "
            "the error of their tight ones, at the same promise."
        )


def accounting(result: WorkloadResult) -> tuple[str, ...]:
    """What parallel accounting would claim, and what the sum over worker cells promises."""
    found = [one for one in ranked(result.here, parallel) if one.epsilon_summed != one.epsilon]
    if not found:
        return ()
    best = found[0]
    told = (
        f"Were the {result.table.worker_cells} worker cells of a workplace counted in parallel, as "
        f"has been proposed, ε = {number(best.epsilon)} would be claimed for "
        f"{_listing(found)}. But one establishment can grow in several of these cells at once, "
        "so that losses add up: "
        f"by the sum rule that release promises ε = {number(best.epsilon_summed)}{_delta(found)}, "
        "or less where a printed form keeps its promise with room to spare."
    )
    own = next(iter(ranked(result.here, ours)), None)
    if own is None:
        return (told,)
    return (
        told,
        f"At ε = {number(own.epsilon)} for the whole block, {called(own)} has {number(own.l1)} jobs"
        f"{_against(own)}.",
    )


def _delta(found: Iterable[Point]) -> str:
    """The δ that adds up too, of those that have one."""
    least = max((one.delta_summed for one in found), default=0.0)
    return f" (and δ = {number(least)} with Smooth Laplace)" if least else ""


def others(result: WorkloadResult) -> tuple[str, ...]:
    """Edge and node privacy beside it: one promises less, the other costs more."""
    return (*_edge(result), *_node(result))


def _edge(result: WorkloadResult) -> Iterator[str]:
    for one in ranked(result.here, edge)[:1]:
        yield (
            f"Edge DP at ε = {number(one.epsilon)} has an error of {number(one.l1)} jobs"
            f"{_against(one)}, but protects single jobs alone: for a change of an establishment by "
            "k jobs its promise is k·ε, which says nothing about the size of a large one."
        )


def _node(result: WorkloadResult) -> Iterator[str]:
    for one in ranked(result.here, node)[:1]:
        yield (
            f"Node DP at ε = {number(one.epsilon)} hides whole establishments and has an error of "
            f"{number(one.l1)} jobs{_against(one)}, with the best of the θ that were tried"
            f"{'' if one.theta is None else f' ({one.theta:,})'}; that choice looks at the truth, "
            "which a release may not, and favours node DP."
        )


def _listing(points: Iterable[Point]) -> str:
    return listed(f"{_name(one)} {number(one.l1)} jobs ({_short(one)})" for one in points)


def _name(point: Point) -> str:
    """Without what the sentence around it says already."""
    if point.accounting == PARALLEL:
        return label(point.mechanism)
    return _bare(point).removesuffix(", as published").removesuffix(", tight")


def _bare(point: Point) -> str:
    return called(point).removesuffix(" (ours)")


def _short(point: Point) -> str:
    ratio = point.ratio_to_infusion
    return promise(point) if ratio is None else f"ratio {number(ratio)}; {promise(point)}"


def _against(point: Point) -> str:
    ratio = point.ratio_to_infusion
    return "" if ratio is None else f", {number(ratio)} times that of noise infusion"


def _full(point: Point) -> str:
    return f"{point.policy}, with δ = {point.delta:g}"


def order(result: WorkloadResult) -> tuple[str, ...]:
    """Rank correlations with the truth at the setting of the reading."""
    own = [one for one in ranked(result.here, ours) if one.spearman is not None]
    printed = [one for one in ranked(result.here, published) if one.spearman is not None]
    if not own and not printed:
        return ()
    today = result.infusion
    known = [] if today is None or today.spearman is None else [today]
    told = listed(
        f"{correlation(one.spearman)} for {_shown_name(one)}" for one in (*known, *own, *printed)
    )
    return (
        f"At {result.where} Spearman's rank correlation of the released cells with the truth is "
        f"{told}.",
        *_negative(own),
    )


def _negative(own: Iterable[Point]) -> Iterator[str]:
    for one in own:
        if one.negative is not None:
            yield (
                f"{share(one.negative)} of the values of {called(one)} are below zero: "
                "noise is added, and nothing was tidied."
            )
            return


def _shown_name(point: Point) -> str:
    return "noise infusion" if point.policy == "none" else called(point)


def strata(result: WorkloadResult) -> tuple[str, ...]:
    """Where the best of ours costs most beside noise infusion."""
    best = next(iter(ranked(result.here, ours)), None)
    if best is None:
        return ()
    line = line_of(best)
    parts = [
        one
        for one in result.points
        if one.stratum != ALL
        and line_of(one) == line
        and (one.alpha, one.epsilon) == (best.alpha, best.epsilon)
        and one.ratio_to_infusion is not None
    ]
    if len(parts) < 2:
        return ()
    parts.sort(key=lambda one: -(one.ratio_to_infusion or 0.0))
    most, least = parts[0], parts[-1]
    by = result.table.strata_by
    return (
        f"At {result.where}, beside noise infusion, {called(best)} costs most {_where(most, by)} "
        f"and least {_where(least, by)}.",
    )


def _where(one: Point, by: str) -> str:
    return (
        f"where the {by} has {one.stratum} jobs ({number(one.ratio_to_infusion)} times infusion's "
        f"error, {number(one.l1)} jobs a cell, {several(one.cells, 'cell')})"
    )


def size(result: WorkloadResult) -> str:
    """Cells, and how workplaces and workers multiply to them."""
    table, cells = result.table, several(result.table.cells, "cell")
    if table.worker_cells == 1:
        return f"The table has {cells}, one for each workplace cell."
    asked = (
        "one ε pays for all worker cells of a workplace cell"
        if result.whole
        else "each worker cell is a query of its own, with its own ε"
    )
    return (
        f"The table has {cells}: {several(table.workplace_cells, 'workplace cell')}"
        f" × {several(table.worker_cells, 'worker cell')}; {asked}."
    )


def infusion(result: WorkloadResult, study: Study) -> tuple[str, ...]:
    """What today's protection does to it; nothing where it was not measured."""
    found = result.infusion
    if found is None or found.l1 is None:
        return ()
    noise, table = study.infusion, result.table
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
