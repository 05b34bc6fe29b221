"""`leeward plan --frontier`: accuracy against ε on the screen, as CSV and as a page."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leeward.core.errors import BadFile
from leeward.core.exact import number_text
from leeward.interface.commands.screen import show
from leeward.publishing.bundle.disk import appearing, write_file, writing
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.plan.frontier import Frontier, Weights, make_frontier, read_alphas
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.target import Profiles

INDEX, NUMBERS = "index.html", "frontier.csv"


@dataclass(frozen=True)
class FrontierRequest:
    """A frontier as it was asked for."""

    plan: Plan
    profiles: Profiles | None
    alphas: str | None
    weights: Path | None
    out: Path | None
    csv: Path | None


def answer(request: FrontierRequest, *, as_json: bool) -> None:
    """Make it, write it, and show it."""
    plan, out, csv = request.plan, request.out, request.csv
    alphas = () if request.alphas is None else read_alphas(request.alphas, plan)
    weights = None if request.weights is None else Weights.read(request.weights, plan)
    if out is not None:
        require_free(out)
    if csv is not None and os.path.lexists(csv):
        raise BadFile(
            "--csv",
            rule="must not exist",
            value=repr(str(csv)),
            next_step="Choose a name that is free.",
        )
    frontier = make_frontier(plan, alphas=alphas, profiles=request.profiles, weights=weights)
    if out is not None:
        with appearing(out) as folder:
            write_file(folder / INDEX, frontier.page().encode())
            write_file(folder / NUMBERS, frontier.csv().encode())
    if csv is not None:
        with writing(csv):
            write_file(csv, frontier.csv().encode())
    marks = [frontier.mark_words(mark) for mark in frontier.marks]
    content = {"points": list(frontier.records()), "marks": marks}
    show(_lines(frontier, marks, out), lambda: content, as_json=as_json)


def _lines(frontier: Frontier, marks: Sequence[str], out: Path | None) -> Iterator[str]:
    """The frontier of each table, what is worth its price, and where the page is."""
    yield f"Accuracy over {frontier.cells}."
    alpha = frontier.plan.asked.alpha
    for table in frontier.plan.tables:
        yield f"\n{table.name}" + ("" if alpha is None else f", alpha {number_text(alpha)}")
        yield "".join(f"{head:>12}" for head in frontier.heads)
        for row in frontier.table(table.name):
            yield "".join(f"{cell:>12}" for cell in (row.head, *row.cells))
    if marks:
        yield "\nWorth its price:"
    yield from (f"  {mark}" for mark in marks)
    if out is not None:
        yield f"\nThe page is {out / INDEX}."
