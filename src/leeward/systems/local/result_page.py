"""Result page: a survey's estimates as one HTML file that needs no network."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leeward.core.show.charts import Bars, ChartBar, bars
from leeward.core.show.environment import template
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import count, counted, cut, time

if TYPE_CHECKING:
    from leeward.systems.local.result_folder import SurveyCertificate

MOST_BARS = 25
"""Answers of a chart; of more, those with the largest estimates."""

MOST_LETTERS = 40
"""Letters of a label on the screen."""

MOST_STRATA = 60
"""Strata with a chart of their own; of more, their numbers are in the files alone."""


@dataclass(frozen=True)
class Panel:
    """One table of the result as it is shown."""

    title: str
    reports: int
    asked: int
    chart: Bars | None
    rows: tuple[PageRow, ...]
    left_out: int


def page(certificate: "SurveyCertificate", result: Mapping[str, Any]) -> str:
    """The whole page."""
    questions = certificate.survey["questions"]
    panels = [
        [_panel(table) for table in result["tables"] if table["question"] == question["name"]]
        for question in questions
    ]
    laws = []
    for question in questions:
        law = (f"{key} {value}" for key, value in question["law"].items() if key != "kind")
        texts = (question["method"].replace("_", " "), ", ".join(law))
        laws.append(PageRow(question["name"], texts))
    return template("local/result.html.j2").render(
        mark="",
        certificate=certificate,
        made=time(certificate.created),
        questions=[
            (question, of_question[0], of_question[1 : 1 + MOST_STRATA])
            for question, of_question in zip(questions, panels, strict=True)
        ],
        more_strata=max(0, len(panels[0]) - 1 - MOST_STRATA),
        strata=[
            PageRow(_name(reports.stratum), (count(reports.reports),))
            for reports in certificate.strata
        ],
        laws=laws,
    )


def _panel(table: Mapping[str, Any]) -> Panel:
    title = "Everyone" if table["everyone"] else _name(table["stratum"])
    answers = table["answers"]
    largest = sorted(range(len(answers)), key=lambda at: -answers[at]["count"])[:MOST_BARS]
    chart_bars, rows = [], []
    for answer in (answers[at] for at in sorted(largest)):
        label = cut(answer["label"])
        value, margin = round(answer["count"]), round(answer["count_margin"])
        chart_bars.append(ChartBar(label, value, (value - margin, value + margin)))
        share, of_share, near = (answer[name] for name in ("share", "share_margin", "projected"))
        texts = (points(share) + "\u00a0%", f"± {points(of_share)}", points(near) + "\u00a0%")
        rows.append(PageRow(label, texts))
    chart = bars(chart_bars, title=title, head="Answer", unit="Reports") if rows else None
    left_out = len(answers) - len(rows)
    return Panel(title, table["reports"], table["asked"], chart, tuple(rows), left_out)


def _name(stratum: Mapping[str, str] | None) -> str:
    if stratum is None:
        return "Stratum not told"
    return ", ".join(f"{name} {code}" for name, code in stratum.items())


def points(share: float) -> str:
    """A share in per cent with one decimal."""
    return f"{100 * share:.1f}".replace("-", "−")


def lines(certificate: "SurveyCertificate", result: Mapping[str, Any]) -> Iterator[str]:
    """The answer of the command: the table of everyone, the promise, what is not protected."""
    yield f"{counted(certificate.reports, 'report')} of the survey {certificate.survey['name']}."
    for table in (table for table in result["tables"] if table["everyone"]):
        yield ""
        panel, question = _panel(table), table["question"]
        longest = max(len(head) for head in (*(row.head for row in panel.rows), question))
        width = min(MOST_LETTERS, longest)
        yield _line(question, ("count", "margin", "share", "margin", "projected"), width)
        for row, (bar, _) in zip(panel.rows, panel.chart.rows if panel.chart else (), strict=True):
            yield _line(row.head, (count(bar.value), bar.reach, *row.cells), width)
        if panel.left_out:
            yield f"{counted(panel.left_out, 'answer')} with smaller estimates are in result.csv."
    if len(certificate.strata) > 1:
        yield ""
        numbers = (
            f"{_name(reports.stratum)}: {count(reports.reports)}" for reports in certificate.strata
        )
        yield f"Reports by stratum, which are public: {'; '.join(numbers)}."
    yield ""
    yield from certificate.guarantee.sentences
    yield from certificate.notes


def _line(head: str, cells: Sequence[str], width: int) -> str:
    return f"{head[:width]:<{width}} " + "".join(f"{cell:>10}" for cell in cells)
