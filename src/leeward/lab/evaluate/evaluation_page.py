"""Page: figures, tables and fixed sentences as one HTML file that needs no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from leeward.core.privacy.sentences import FURTHER, IN_GENERAL
from leeward.core.show.environment import template
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import NOTHING, capital, correlation, percent, significant
from leeward.lab.evaluate.break_even import FAMILIES, BreakEven, break_even
from leeward.lab.evaluate.classical import HEADINGS, sections
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.evaluation import Evaluation
from leeward.lab.evaluate.figures import NOMINAL
from leeward.lab.evaluate.findings import COLUMNS as FINDING_COLUMNS
from leeward.lab.evaluate.findings import caution, coverage, findings, reached
from leeward.lab.evaluate.key_findings import KeyFinding, has_printed, key_findings
from leeward.lab.evaluate.line import INFUSION, PARALLEL, PUBLISHED, drawable, line_of
from leeward.lab.evaluate.panel_sheet import PanelPicture
from leeward.lab.evaluate.point import ScoredPoint
from leeward.lab.evaluate.results import (
    Best,
    MechanismGap,
    WorkloadResult,
    bests,
    called,
    gaps,
    promise,
    workload_results,
)

COLUMNS = (
    *("Mechanism", "Promise", "ε by the sum rule", "Mean error (jobs)"),
    *("RMS error (jobs)", "Ratio to infusion"),
    *("Ratio where published", "Rank correlation", "Negative", "Margins cover", "Source"),
)

Pictures = Mapping[str, PanelPicture]


@dataclass(frozen=True)
class WorkloadSection:
    """A section of the page about one workload."""

    anchor: str
    result: WorkloadResult
    rows: Sequence[PageRow]
    bests: Sequence[Best]
    gaps: Sequence[MechanismGap]
    figures: Sequence[PanelPicture]

    @property
    def title(self) -> str:
        """The heading of the section."""
        return capital(self.result.table.words)


def page(evaluation: Evaluation, drawn: Pictures) -> str:
    """The whole page."""
    workloads = []
    for number, result in enumerate(workload_results(evaluation), 1):
        stem = f"{result.table.name}-"
        own = [picture for name, picture in drawn.items() if name.startswith(stem)]
        parts = reference_rows(result), bests(result), gaps(result), own
        workloads.append(WorkloadSection(f"table-{number}", result, *parts))
    return template("evaluate/evaluation.html.j2").render(
        study=evaluation.study,
        mark=evaluation.study.mark,
        break_even=break_even_rows(evaluation),
        caution=list(caution(evaluation.study)),
        workloads=workloads,
        columns=COLUMNS,
        drawn=drawn,
        findings_2015=findings_rows(evaluation),
        findings=[finding.row for finding in findings(evaluation)],
        finding_columns=FINDING_COLUMNS,
        coverage=coverage(evaluation.points),
        nominal=NOMINAL,
        promises={name: IN_GENERAL[name].text for name in IN_GENERAL},
        further=FURTHER.text,
        called=called,
        classical=sections(evaluation.classical, evaluation.words),
        classical_columns=HEADINGS,
    )


def break_even_rows(evaluation: Evaluation) -> list[PageRow]:
    """A row for each workload and α, a cell for each family of mechanisms."""
    evens: dict[tuple[str, float], dict[str, BreakEven]] = {}
    for even in break_even(evaluation.points):
        evens.setdefault((even.workload, even.alpha), {})[even.family] = even
    return [
        PageRow(
            capital(evaluation.words.get(workload, workload)),
            (f"{alpha:g}", *(reached(mine[family]) for family in FAMILIES)),
        )
        for name in evaluation.words
        for (workload, alpha), mine in evens.items()
        if workload == name
    ]


def findings_rows(evaluation: Evaluation) -> list[PageRow]:
    """The five findings of 2015 with the forms of both years; none without those of 2015."""
    if not has_printed(evaluation.points):
        return []
    both = (key_findings(evaluation.points, form) for form in (H15, PUBLISHED))
    return [
        PageRow(first.statement, (first.rule, verdict(first), verdict(second)))
        for first, second in zip(*both, strict=True)
    ]


def verdict(finding: KeyFinding) -> str:
    """A verdict in words, with how often the rule holds."""
    if finding.verdict is None:
        return NOTHING
    words = "holds" if finding.verdict else "does not hold"
    return f"{words}, {finding.holds} of {finding.of}"


def reference_rows(result: WorkloadResult) -> list[PageRow]:
    """Every mechanism at the setting of the table, noise infusion first."""
    shown = sorted(drawable(result.here), key=_order)
    known = [] if result.infusion is None or not shown else [result.infusion]
    rows = []
    for point in (*known, *shown):
        today = point.mechanism == INFUSION
        cells = (
            promise(replace(point, delta=max(point.delta, point.delta_summed))),
            NOTHING if today else significant(point.epsilon_summed or point.epsilon),
            significant(point.l1),
            significant(point.l2),
            significant(point.ratio_to_infusion),
            significant(point.ratio_where_published),
            correlation(point.spearman),
            percent(point.negative),
            percent(point.coverage),
            point.l1_source,
        )
        name = "Noise infusion" if today else capital(called(point))
        rows.append(PageRow(name, cells, line_of(point).ours))
    return rows


def _order(point: ScoredPoint) -> tuple[int, bool, float]:
    """Ours, the papers', other promises; parallel accounting last; the least error first."""
    line = line_of(point)
    kind = 0 if line.ours else 2 if line.baseline else 1
    return kind, line.accounting == PARALLEL, inf if point.l1 is None else point.l1
