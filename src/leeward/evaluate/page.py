"""Page: figures, tables and sentences as one HTML file that needs no network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from math import inf

from leeward.evaluate import glossary
from leeward.evaluate.break_even import FAMILIES, BreakEven, break_even
from leeward.evaluate.description import (
    accounting,
    caution,
    errors,
    infusion,
    order,
    others,
    size,
    strata,
    tight,
)
from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.findings import agreed, answers, coverage
from leeward.evaluate.limits import gaps, limits
from leeward.evaluate.line import PARALLEL, drawable, line_of
from leeward.evaluate.markup import (
    STYLE,
    Row,
    figure,
    heading,
    paragraph,
    points,
    table,
    terms,
    text,
)
from leeward.evaluate.phrases import NOTHING, correlation, number, opened, share
from leeward.evaluate.point import Point
from leeward.evaluate.results import WorkloadResult, called, promise, workload_results
from leeward.pictures import Picture

TITLE = "What provable privacy costs"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
QUESTION = "At which ε does provable privacy cost nothing?"
LEAD = (
    "Cost is error here: the smallest ε at which the mean absolute error of a cell is no more than "
    "that of today's noise infusion, interpolated between the ε that were measured."
)

HEADS = {
    "ours": "ε of ours",
    "published": "ε of the best published, δ = 0",
    "published with δ": "ε of the best published, δ > 0",
}

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

Pictures = Mapping[str, Picture]


@dataclass(frozen=True)
class Section:
    """A part of the page, named in its contents."""

    anchor: str
    title: str
    body: str


def page(evaluation: Evaluation, drawn: Pictures) -> str:
    """The whole page."""
    mark = evaluation.study.mark
    banner = "" if mark is None else f'<p class="mark">{escape(mark)}</p>\n'
    parts = list(_sections(evaluation, drawn))
    entries = "".join(f'<li><a href="#{one.anchor}">{text(one.title)}</a></li>\n' for one in parts)
    body = "".join(
        f'<section id="{one.anchor}">\n{banner}<h2>{text(one.title)}</h2>\n{one.body}</section>\n'
        for one in parts
    )
    title = TITLE if mark is None else f"{mark} {TITLE}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header>\n{banner}<h1>{TITLE}</h1>\n"
        f'<p class="lead">{text(" ".join(glossary.setup(evaluation.study)))}</p>\n</header>\n'
        '<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n'
        f"<ul>\n{entries}</ul>\n</nav>\n<main>\n{body}</main>\n"
        "</body>\n</html>\n"
    )


def _sections(evaluation: Evaluation, drawn: Pictures) -> Iterator[Section]:
    yield Section("answer", QUESTION, _answer(evaluation, drawn))
    for place, result in enumerate(workload_results(evaluation), 1):
        yield Section(
            f"table-{place}", opened(result.table.words), _workload(result, evaluation, drawn)
        )
    margins = figure(drawn.get("coverage")) + points(coverage(evaluation.points))
    if margins:
        yield Section("margins", "Do the margins hold?", margins)
    checked = paragraph(agreed(evaluation.points))
    if checked:
        yield Section("agreement", "Do closed forms and trials agree?", checked)
    yield Section("method", "What was compared and how", _method())
    yield Section("decision", "How to read this for your own decision", points(glossary.DECISION))


def _answer(evaluation: Evaluation, drawn: Pictures) -> str:
    told = answers(evaluation)
    return (
        paragraph((LEAD,))
        + (points(told) or paragraph(("Nothing could be compared with noise infusion.",)))
        + figure(drawn.get("summary"))
        + break_even_table(evaluation)
        + paragraph(caution(evaluation.study))
    )


def _workload(result: WorkloadResult, evaluation: Evaluation, drawn: Pictures) -> str:
    """A workload: each figure beside the sentences that it shows."""

    def part(title: str, sentences: tuple[str, ...], *stems: str) -> str:
        shown = "".join(figure(drawn.get(f"{result.table.name}-{stem}")) for stem in stems)
        told = points(sentences) if len(sentences) > 1 else paragraph(sentences)
        return heading(title) + told + shown if told or shown else ""

    limited, missing = points(limits(result)), points(gaps(result))
    return (
        paragraph((size(result), *infusion(result, evaluation.study)))
        + part("Error", errors(result), "error")
        + reference_table(result)
        + part("The papers' mechanisms, calibrated tightly", tight(result), "tight")
        + part("What parallel accounting would have claimed", accounting(result))
        + part("Other promises", others(result))
        + part("Order of the cells", order(result), "rank", "rank-infusion")
        + part("Sizes of places", strata(result), "strata")
        + (heading("Where ours do not help") + limited if limited else "")
        + (heading("Gaps") + missing if missing else "")
    )


def _method() -> str:
    files = "".join(
        f'<li><a href="{name}">{name}</a>: {text(words)}</li>\n' for name, words in glossary.FILES
    )
    return (
        heading("Mechanisms")
        + terms(glossary.MECHANISMS)
        + heading("Promises")
        + terms(glossary.PROMISES)
        + heading("Accounting over worker cells")
        + terms(glossary.ACCOUNTING)
        + heading("Measures")
        + terms(glossary.MEASURES)
        + heading("Files beside this page")
        + f"<ul>\n{files}</ul>\n"
    )


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


def reference_table(result: WorkloadResult) -> str:
    """Every mechanism at the setting of the reading, noise infusion first."""
    shown = sorted(drawable(result.here), key=_order)
    known = [] if result.infusion is None else [result.infusion]
    rows = [_row(one) for one in (*known, *shown)]
    return table(f"All mechanisms at {result.where}", COLUMNS, rows, 1) if shown else ""


def _order(one: Point) -> tuple[int, bool, float]:
    """Ours, the papers', other promises; what is not at its true price last; the least first."""
    line = line_of(one)
    kind = 0 if line.ours else 2 if line.baseline else 1
    return kind, line.accounting == PARALLEL, inf if one.l1 is None else one.l1


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
