"""Page: figures and their reading in plain words, as one HTML file that needs no network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.page import method
from leeward.evaluate.page.markup import figure, heading, paragraph, points, terms, text
from leeward.evaluate.page.style import STYLE
from leeward.evaluate.page.table import break_even_table, reference_table
from leeward.evaluate.words.case import Case, cases
from leeward.evaluate.words.coverage import coverage
from leeward.evaluate.words.error import accounting, errors, others, tight
from leeward.evaluate.words.findings import agreed, answers
from leeward.evaluate.words.limit import gaps, limits
from leeward.evaluate.words.order import order, strata
from leeward.evaluate.words.sentence import opened
from leeward.evaluate.words.table import caution, infusion, size
from leeward.pictures import Picture

TITLE = "What provable privacy costs"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
QUESTION = "At which ε does provable privacy cost nothing?"
LEAD = (
    "Cost is error here: the smallest ε at which the mean absolute error of a cell is no more than "
    "that of today's noise infusion, interpolated between the ε that were measured."
)

Drawn = Mapping[str, Picture]


@dataclass(frozen=True)
class Section:
    """A part of the page, named in its contents."""

    anchor: str
    title: str
    body: str


def page(evaluation: Evaluation, drawn: Drawn) -> str:
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
        f'<p class="lead">{text(" ".join(method.setup(evaluation.study)))}</p>\n</header>\n'
        '<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n'
        f"<ul>\n{entries}</ul>\n</nav>\n<main>\n{body}</main>\n"
        "</body>\n</html>\n"
    )


def _sections(evaluation: Evaluation, drawn: Drawn) -> Iterator[Section]:
    yield Section("answer", QUESTION, _answer(evaluation, drawn))
    for number, case in enumerate(cases(evaluation), 1):
        yield Section(f"table-{number}", opened(case.table.words), _case(case, evaluation, drawn))
    margins = figure(drawn.get("coverage")) + points(coverage(evaluation.points))
    if margins:
        yield Section("margins", "Do the margins hold?", margins)
    checked = paragraph(agreed(evaluation.points))
    if checked:
        yield Section("agreement", "Do closed forms and trials agree?", checked)
    yield Section("method", "What was compared and how", _method())
    yield Section("decision", "How to read this for your own decision", points(method.DECISION))


def _answer(evaluation: Evaluation, drawn: Drawn) -> str:
    told = answers(evaluation)
    return (
        paragraph((LEAD,))
        + (points(told) or paragraph(("Nothing could be compared with noise infusion.",)))
        + figure(drawn.get("summary"))
        + break_even_table(evaluation)
        + paragraph(caution(evaluation.study))
    )


def _case(case: Case, evaluation: Evaluation, drawn: Drawn) -> str:
    """A workload: each figure beside the sentences that it shows."""

    def part(title: str, sentences: tuple[str, ...], *stems: str) -> str:
        shown = "".join(figure(drawn.get(f"{case.table.name}-{stem}")) for stem in stems)
        told = points(sentences) if len(sentences) > 1 else paragraph(sentences)
        return heading(title) + told + shown if told or shown else ""

    limited, missing = points(limits(case)), points(gaps(case))
    return (
        paragraph((size(case), *infusion(case, evaluation.study)))
        + part("Error", errors(case), "error")
        + reference_table(case)
        + part("The papers' mechanisms, calibrated tightly", tight(case), "tight")
        + part("What parallel accounting would have claimed", accounting(case))
        + part("Other promises", others(case))
        + part("Order of the cells", order(case), "rank", "rank-infusion")
        + part("Sizes of places", strata(case), "strata")
        + (heading("Where ours do not help") + limited if limited else "")
        + (heading("Gaps") + missing if missing else "")
    )


def _method() -> str:
    files = "".join(
        f'<li><a href="{name}">{name}</a>: {text(words)}</li>\n' for name, words in method.FILES
    )
    return (
        heading("Mechanisms")
        + terms(method.MECHANISMS)
        + heading("Promises")
        + terms(method.PROMISES)
        + heading("Accounting over worker cells")
        + terms(method.ACCOUNTING)
        + heading("Measures")
        + terms(method.MEASURES)
        + heading("Files beside this page")
        + f"<ul>\n{files}</ul>\n"
    )
