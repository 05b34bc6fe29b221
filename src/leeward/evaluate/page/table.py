"""Tables of the page: where equal error is reached, and the settings that are read in words."""

from dataclasses import replace
from math import inf

from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.figures.break_even import FAMILIES, BreakEven, break_even
from leeward.evaluate.figures.line import PARALLEL, drawable, line_of
from leeward.evaluate.page.markup import Row, table
from leeward.evaluate.point import Point
from leeward.evaluate.words.case import Case, called, promise
from leeward.evaluate.words.sentence import NOTHING, correlation, number, opened, share

HEADS = {
    "ours": "ε of ours",
    "published": "ε of the best published, δ = 0",
    "published with δ": "ε of the best published, δ > 0",
}


def break_even_table(evaluation: Evaluation) -> str:
    """A row for each workload and α, a column for each family; nothing without points."""
    found: dict[tuple[str, float], dict[str, BreakEven]] = {}
    for one in break_even(evaluation.points):
        found.setdefault((one.workload, one.alpha), {})[one.family] = one
    rows = [
        Row(
            opened(evaluation.words.get(workload, workload)),
            (f"{alpha:g}", *(_said(mine[family]) for family in FAMILIES)),
        )
        for name in evaluation.words
        for (workload, alpha), mine in found.items()
        if workload == name
    ]
    columns = ("Table", "α", *(HEADS[family] for family in FAMILIES))
    return table("The smallest ε with no more error than noise infusion", columns, rows, 4)


def _said(one: BreakEven) -> str:
    if one.mechanism is None:
        return one.words
    name = one.mechanism.removesuffix(", as published").removesuffix(" (ours)")
    more = f", δ = {one.delta:g}" if one.delta else ""
    return f"{one.words} ({name}, {one.policy}{more})"


def reference_table(case: Case) -> str:
    """Every mechanism at the setting of the reading, noise infusion first."""
    shown = sorted(drawable(case.here), key=_order)
    known = [] if case.infusion is None else [case.infusion]
    rows = [_row(one) for one in (*known, *shown)]
    return table(f"All mechanisms at {case.where}", COLUMNS, rows, 1) if shown else ""


def _order(one: Point) -> tuple[int, bool, float]:
    """Ours, the papers', other promises; what is not at its true price last; the least first."""
    line = line_of(one)
    kind = 0 if line.ours else 2 if line.baseline else 1
    return kind, line.accounting == PARALLEL, inf if one.l1 is None else one.l1


COLUMNS = (
    "Mechanism",
    "Promise",
    "ε by the sum rule",
    "Mean error (jobs)",
    "Ratio to infusion",
    "Ratio where published",
    "Rank correlation",
    "Negative",
    "Margins cover",
    "Source",
)


def _row(one: Point) -> Row:
    today = one.policy == "none"
    return Row(
        "Noise infusion" if today else opened(called(one)),
        (
            "none" if today else promise(replace(one, delta=max(one.delta, one.delta_summed))),
            NOTHING if today else number(one.epsilon_summed or one.epsilon),
            number(one.l1),
            number(one.ratio_to_infusion),
            number(one.ratio_where_published),
            correlation(one.spearman),
            share(one.negative),
            share(one.coverage),
            one.l1_source,
        ),
        ours=line_of(one).ours,
    )
