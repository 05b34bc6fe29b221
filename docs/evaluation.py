"""Keeps the figures and points of a full evaluation for the documents: `make evaluation`.

A test compares the tables of the page with the points that are kept beside it.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from docs.slot import fill, table
from leeward.evaluate.break_even import FAMILIES, break_even
from leeward.evaluate.findings import agreement
from leeward.evaluate.line import label
from leeward.evaluate.point import ALL, COLUMNS, Point

DOCS = Path(__file__).parent
PAGE = DOCS / "explanation" / "evaluation.md"
KEPT = DOCS / "explanation" / "evaluation-points.csv"
PICTURES = DOCS / "pictures"
FIGURES = (
    "summary",
    "place_sector_ownership-error",
    "place_sector_ownership-tight",
    "place_sector_ownership-strata",
    "place_sector_ownership-rank",
    "single_queries-error",
    "whole_marginal-error",
    "whole_marginal-rank",
    "coverage",
)
SINGLE = (
    *(("0.01", "1"), ("0.05", "1"), ("0.1", "0.5"), ("0.1", "1")),
    *(("0.1", "2"), ("0.1", "4"), ("0.2", "1")),
)
WHOLE = (("0.01", "1"), ("0.01", "2"), ("0.05", "4"), ("0.1", "4"), ("0.1", "8"), ("0.2", "4"))
GRIDS = {
    "place_sector_ownership": SINGLE,
    "single_queries": SINGLE,
    "whole_marginal": WHOLE,
}


def keep(folder: Path) -> None:
    """Take the points of all cells, and the figures of the page, from the folder of a run."""
    with (folder / "points.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["stratum"] == ALL]
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for stem in FIGURES:
        svg = (folder / "figures" / f"{stem}.svg").read_text(encoding="utf-8")
        (PICTURES / f"h17-{stem}.svg").write_text(svg, encoding="utf-8")


def points() -> tuple[Point, ...]:
    """The points that are kept."""
    kinds = get_type_hints(Point)
    with KEPT.open(encoding="utf-8", newline="") as file:
        return tuple(
            Point(**{one.name: _read(row[one.name], kinds[one.name]) for one in fields(Point)})
            for row in csv.DictReader(file)
        )


def _read(text: str, kind: object) -> Any:  # noqa: ANN401 (as the field says)
    if kind is str:
        return text
    if not text:
        return None
    return int(text) if kind is int or kind == int | None else float(text)


def break_even_table(given: Sequence[Point]) -> str:
    """The ε of equal error."""
    found = {(one.workload, one.alpha, one.family): one for one in break_even(given)}
    rows = [
        (f"`{load}`", f"{alpha:g}", *(found[load, alpha, family].words for family in FAMILIES))
        for load in GRIDS
        for alpha in sorted({one.alpha for one in found.values()})
    ]
    head = ("workload", "α", "ours", "published, δ = 0", "published, δ = 0.05")
    return table(head, rows)


def grid_table(
    workload: str, given: Sequence[Point], measure: Callable[[Point], float | None]
) -> str:
    """A measure at a few points of the grid, a line for each mechanism."""
    mine = [one for one in given if one.workload == workload and one.alpha is not None]
    lines = dict.fromkeys(
        (one.mechanism, one.calibration, one.policy, one.accounting) for one in mine
    )
    known = {
        (one.mechanism, one.calibration, one.policy, one.accounting, one.alpha, one.epsilon): one
        for one in mine
    }
    grid = GRIDS[workload]
    rows = [
        (
            f"{label(line[0])}{', published' if line[1] == 'published' else ''}",
            f"{line[2]}{', counted in parallel' if line[3] == 'parallel' else ''}",
            *(_shown(known.get((*line, float(a), float(e))), measure) for a, e in grid),
        )
        for line in lines
    ]
    return table(("mechanism", "promise", *(f"{a}, {e}" for a, e in grid)), rows)


def _shown(point: Point | None, measure: Callable[[Point], float | None]) -> str:
    value = None if point is None else measure(point)
    return "–" if value is None else f"{value:.3g}"


def infusion_ranks_line(workload: str, given: Sequence[Point]) -> str:
    """How the truth, and another world of infusion, correlate with infusion."""
    (own,) = (p for p in given if (p.workload, p.mechanism) == (workload, "infusion"))
    return (
        f"The truth itself correlates with infusion by {own.spearman:.3f}, and another world of "
        f"infusion, with factors drawn anew, by {own.spearman_infusion:.3f}."
    )


def coverage_table(given: Sequence[Point]) -> str:
    """The least and the largest coverage over the grid, of all cells and where noise is wide."""
    rows = []
    for load in GRIDS:
        mine = [one for one in given if one.workload == load and one.coverage is not None]
        for name in dict.fromkeys(one.mechanism for one in mine if one.alpha is not None):
            here = [one for one in mine if one.mechanism == name]
            every = [one.coverage for one in here if one.coverage is not None]
            wide = [
                one.coverage_wide
                for one in here
                if one.coverage_wide is not None and (one.coverage_wide_error or 1) < 0.005
            ]
            rows.append((f"`{load}`", label(name), _range(every), _range(wide)))
    return table(("workload", "mechanism", "all cells", "noise of 20 jobs or more"), rows)


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.3f} to {max(shares):.3f}" if shares else "–"


def where_published_table(given: Sequence[Point]) -> str:
    """Ratios over all cells beside those over the cells that infusion publishes."""
    pareto, alone = ("vector_pareto",), ("slope", "staircase")
    shown = {"place_sector_ownership": alone, "single_queries": alone}
    rows = [
        (
            f"`{one.workload}`",
            label(one.mechanism),
            f"{one.epsilon:g}",
            f"{one.ratio_to_infusion:.3g}",
            f"{one.ratio_where_published:.3g}",
        )
        for load in GRIDS
        for one in given
        if one.workload == load
        and one.mechanism in shown.get(load, pareto)
        and (one.alpha, one.epsilon) in {(0.1, 1.0), (0.1, 4.0)}
        and one.ratio_to_infusion is not None
    ]
    return table(("workload", "mechanism", "ε", "all cells", "where published"), rows)


def agreement_line(given: Sequence[Point]) -> str:
    """Closed forms against trials."""
    found = agreement(given)
    return (
        f"{found.within} of {found.compared} settings with a closed form and a variance have "
        f"trials within four standard errors of it; the furthest is {found.furthest:.1f} away, "
        f"and trials are on average {found.ratio:.4f} times the closed form."
    )


def blocks() -> dict[str, str]:
    """Every table of the page, by the name of its place."""
    given = points()
    return {
        "break-even": break_even_table(given),
        **{
            f"ratios {load}": grid_table(load, given, lambda one: one.ratio_to_infusion)
            for load in GRIDS
        },
        "ranks": grid_table("place_sector_ownership", given, lambda one: one.spearman_infusion),
        "ranks of infusion": infusion_ranks_line("place_sector_ownership", given),
        "coverage": coverage_table(given),
        "agreement": agreement_line(given),
        "where published": where_published_table(given),
    }


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        keep(Path(folder))
    fill(PAGE, blocks())
