"""Keeps the figures and points of a full evaluation for the documents: `make evaluation`.

A test compares the tables of the page with the points that are kept beside it.
"""

import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from docs.slot import fill, table
from leeward.lab.evaluate.break_even import FAMILIES, break_even
from leeward.lab.evaluate.contender import H15 as FORM_2015
from leeward.lab.evaluate.evaluation_page import verdict
from leeward.lab.evaluate.findings import agreement
from leeward.lab.evaluate.key_findings import SMOOTH, compared, key_findings
from leeward.lab.evaluate.line import PUBLISHED, label
from leeward.lab.evaluate.point import ALL, COLUMNS, ScoredPoint

DOCS = Path(__file__).parent
PAGE = DOCS / "explanation" / "evaluation.md"
H17, H15 = "h17", FORM_2015
KEPT = {
    H17: DOCS / "explanation" / "evaluation-points.csv",
    H15: DOCS / "explanation" / "evaluation-points-2015.csv",
}
PICTURES = DOCS / "pictures"
FIGURES = {
    H17: (
        "summary",
        "place_sector_ownership-error",
        "place_sector_ownership-tight",
        "place_sector_ownership-strata",
        "place_sector_ownership-rank",
        "single_queries-error",
        "whole_marginal-error",
        "whole_marginal-rank",
        "coverage",
    ),
    H15: ("experiment-2015-0.01", "experiment-2015-0.1"),
}
TRACTS = {
    "three_way": ("tract × sector × ownership", 94_363),
    "with_age": ("× age", 283_089),
    "with_age_sex": ("× age × sex", 566_178),
    "with_age_sex_race": ("× age × sex × race", 3_397_068),
}
"""The marginals of [H15] section 6, and how many cells they have there."""
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
    preset = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))["preset"]
    with (folder / "points.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["stratum"] == ALL]
    with KEPT[preset].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for stem in FIGURES[preset]:
        svg = (folder / "figures" / f"{stem}.svg").read_text(encoding="utf-8")
        (PICTURES / f"{preset}-{stem}.svg").write_text(svg, encoding="utf-8")


def points(preset: str = H17) -> tuple[ScoredPoint, ...]:
    """The points that are kept."""
    kinds = get_type_hints(ScoredPoint)
    with KEPT[preset].open(encoding="utf-8", newline="") as file:
        return tuple(
            ScoredPoint(
                **{one.name: _read(row[one.name], kinds[one.name]) for one in fields(ScoredPoint)}
            )
            for row in csv.DictReader(file)
        )


def _read(text: str, kind: object) -> Any:  # noqa: ANN401 (as the field says)
    if kind is str:
        return text
    if kind is bool:
        return text == "True"
    if not text:
        return None
    return int(text) if kind is int or kind == int | None else float(text)


def break_even_table(given: Sequence[ScoredPoint]) -> str:
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
    workload: str, given: Sequence[ScoredPoint], measure: Callable[[ScoredPoint], float | None]
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


def _shown(point: ScoredPoint | None, measure: Callable[[ScoredPoint], float | None]) -> str:
    value = None if point is None else measure(point)
    return "–" if value is None else f"{value:.3g}"


def infusion_ranks_line(workload: str, given: Sequence[ScoredPoint]) -> str:
    """How the truth, and another world of infusion, correlate with infusion."""
    (own,) = (p for p in given if (p.workload, p.mechanism) == (workload, "infusion"))
    return (
        f"The truth itself correlates with infusion by {own.spearman:.3f}, and another world of "
        f"infusion, with factors drawn anew, by {own.spearman_infusion:.3f}."
    )


def _ratio(point: ScoredPoint | None) -> str:
    if point is None or point.ratio_to_infusion is None:
        return "–"
    found = f"{point.ratio_to_infusion:.3g}"
    return f"**{found}**" if point.auto else found


def coverage_table(given: Sequence[ScoredPoint]) -> str:
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


def where_published_table(given: Sequence[ScoredPoint]) -> str:
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


def cells_table(given: Sequence[ScoredPoint]) -> str:
    """How many cells the marginals of 2015 have in the paper and here, and infusion's error."""
    today = {one.workload: one for one in given if one.mechanism == "infusion"}
    rows = [
        (words, f"{paper:,}", f"{today[name].cells:,}", f"{today[name].l1:.3g}")
        for name, (words, paper) in TRACTS.items()
    ]
    return table(("marginal", "cells in 2015", "cells here", "error of infusion (jobs)"), rows)


def errors_table(given: Sequence[ScoredPoint]) -> str:
    """Mean absolute errors at ε = 1 of the algorithms as they were counted in 2015."""
    forms = (("log_laplace", PUBLISHED), *((n, f) for n in SMOOTH for f in (FORM_2015, PUBLISHED)))
    known = {
        (one.workload, one.alpha, one.mechanism, one.calibration): one
        for form in (FORM_2015, PUBLISHED)
        for one in compared(given, form)
        if one.epsilon == 1
    }
    rows = [
        (words, f"{alpha:g}", *(_jobs(known.get((name, alpha, *form))) for form in forms))
        for alpha in (0.01, 0.1)
        for name, (words, _) in TRACTS.items()
    ]
    years = {FORM_2015: "2015", PUBLISHED: "2016"}
    named = [f"{label(name)}, {years[form]}" for name, form in forms[1:]]
    return table(("marginal", "α", label(forms[0][0]), *named), rows)


def _jobs(point: ScoredPoint | None) -> str:
    return "–" if point is None or point.l1 is None else f"{point.l1:.3g}"


def findings_table(given: Sequence[ScoredPoint]) -> str:
    """The five findings with the forms of both years."""
    both = (key_findings(given, form) for form in (FORM_2015, PUBLISHED))
    rows = [
        (f"{one.number}. {one.statement}", one.rule, verdict(one), verdict(other))
        for one, other in zip(*both, strict=True)
    ]
    return table(("finding", "rule", "forms of 2015", "forms of 2016"), rows)


def agreement_line(given: Sequence[ScoredPoint]) -> str:
    """Closed forms against trials."""
    found = agreement(given)
    return (
        f"{found.within} of {found.compared} settings with a closed form and a variance have "
        f"trials within four standard errors of it; the furthest is {found.furthest:.1f} away, "
        f"and trials are on average {found.ratio:.4f} times the closed form."
    )


def blocks() -> dict[str, str]:
    """Every table of the page, by the name of its place."""
    given, tracts = points(), points(H15)
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
        "cells of 2015": cells_table(tracts),
        "errors of 2015": errors_table(tracts),
        "findings of 2015": findings_table(tracts),
    }


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        keep(Path(folder))
    fill(PAGE, blocks())
