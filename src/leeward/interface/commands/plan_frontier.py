"""`leeward plan --frontier`: accuracy against ε on the screen, as CSV and as a page."""

import os
from dataclasses import dataclass
from pathlib import Path

from leeward.core.errors import BadFile
from leeward.core.exact import number_text
from leeward.interface.commands.screen import say, say_json
from leeward.publishing.bundle.disk import appearing, write_file, writing
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.plan.frontier import Frontier, Weights, make_frontier, read_alphas
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.target import Profiles

INDEX, NUMBERS = "index.html", "frontier.csv"


@dataclass(frozen=True)
class Asked:
    """A frontier as it was asked for."""

    plan: Plan
    profiles: Profiles | None
    alphas: str | None
    weights: Path | None
    out: Path | None
    csv: Path | None


def answer(asked: Asked, *, as_json: bool) -> None:
    """Make it, write it, and show it."""
    plan = asked.plan
    alphas = () if asked.alphas is None else read_alphas(asked.alphas, plan)
    weights = None if asked.weights is None else Weights.read(asked.weights, plan)
    if asked.out is not None:
        require_free(asked.out)
    if asked.csv is not None and os.path.lexists(asked.csv):
        raise BadFile(
            "--csv",
            rule="must not exist",
            value=repr(str(asked.csv)),
            next_step="Choose a name that is free.",
        )
    found = make_frontier(plan, alphas=alphas, profiles=asked.profiles, weights=weights)
    _write(found, asked.out, asked.csv)
    _say(found, asked.out, as_json=as_json)


def _write(found: Frontier, out: Path | None, csv: Path | None) -> None:
    if out is not None:
        with appearing(out) as folder:
            write_file(folder / INDEX, found.page().encode())
            write_file(folder / NUMBERS, found.csv().encode())
    if csv is not None:
        with writing(csv):
            write_file(csv, found.csv().encode())


def _say(found: Frontier, out: Path | None, *, as_json: bool) -> None:
    if as_json:
        marks = [found.mark_words(one) for one in found.marks]
        say_json({"points": list(found.records()), "marks": marks})
        return
    say(f"Accuracy over {found.cells}.")
    alpha = found.plan.asked.alpha
    for table in found.plan.tables:
        say(f"\n{table.name}" + ("" if alpha is None else f", alpha {number_text(alpha)}"))
        say("".join(f"{head:>12}" for head in found.heads))
        for row in found.table(table.name):
            say("".join(f"{one:>12}" for one in (row.head, *row.cells)))
    if found.marks:
        say("\nWorth its price:")
    for mark in found.marks:
        say(f"  {found.mark_words(mark)}")
    if out is not None:
        say(f"\nThe page is {out / INDEX}.")
