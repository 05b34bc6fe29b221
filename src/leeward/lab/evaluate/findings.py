"""Findings: what was compared, its number and a verdict, for the command, page and program."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from leeward.core.mechanisms import REGISTRY
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import capital, counted, percent, significant
from leeward.lab.evaluate.break_even import BreakEven, break_even
from leeward.lab.evaluate.contender import ADDED, PRODUCT, SPLIT
from leeward.lab.evaluate.evaluation import Evaluation, Study
from leeward.lab.evaluate.figures import NOMINAL
from leeward.lab.evaluate.line import ACCOUNTS, line_of
from leeward.lab.evaluate.point import ALL, ScoredPoint
from leeward.lab.evaluate.results import (
    WorkloadResult,
    called,
    ranked,
    setting_words,
    workload_results,
)

WIDE = 4.0
"""Standard errors beyond which a closed form or a nominal coverage and the trials disagree."""


@dataclass(frozen=True)
class Agreement:
    """The number of settings compared and within WIDE, the furthest apart, and the mean ratio."""

    compared: int
    within: int
    furthest: float
    ratio: float


def agreement(points: Iterable[ScoredPoint]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios = [], []
    for point in points:
        known = point.stratum == ALL and point.l1_source == "closed form"
        if known and point.l1 and point.l1_trials is not None and point.l1_trials_error:
            apart.append(abs(point.l1_trials - point.l1) / point.l1_trials_error)
            ratios.append(point.l1_trials / point.l1)
    within = sum(distance <= WIDE for distance in apart)
    mean = sum(ratios) / len(ratios) if ratios else 1.0
    return Agreement(len(apart), within, max(apart, default=0.0), mean)


@dataclass(frozen=True)
class Coverage:
    """Coverage of a mechanism's margins over its settings.

    `short` counts settings below the nominal coverage by more than WIDE standard errors.
    """

    name: str
    ours: bool
    biased: bool
    mean: float
    least: float
    largest: float
    settings: int
    short: int


def coverage(points: Iterable[ScoredPoint]) -> list[Coverage]:
    """The coverage of every mechanism that has margins."""
    by_name = dict[str, list[tuple[ScoredPoint, float]]]()
    for point in points:
        if point.stratum == ALL and point.coverage is not None:
            by_name.setdefault(called(point), []).append((point, point.coverage))
    rows = []
    for name, covered in by_name.items():
        first, shares = covered[0][0], [share for _, share in covered]
        known = REGISTRY.get(first.mechanism)
        biased = known is not None and known.words.bias is not None
        short = sum(
            point.coverage_error is not None and NOMINAL - share > WIDE * point.coverage_error
            for point, share in covered
        )
        mean, least, largest = sum(shares) / len(shares), min(shares), max(shares)
        rows.append(
            Coverage(name, line_of(first).ours, biased, mean, least, largest, len(shares), short)
        )
    return rows


@dataclass(frozen=True)
class FindingRow:
    """A finding: the table and the setting, what is compared, whose number it is, and a verdict.

    `number` is None where none was measured or it has no bound.
    """

    table: str
    setting: str
    compared: str
    whose: str
    number: float | None
    verdict: str = ""

    @property
    def row(self) -> PageRow:
        """The finding for a page."""
        cells = (self.setting, self.compared, self.whose, self.verdict, significant(self.number))
        return PageRow(self.table, cells)


COLUMNS = ("Table", "Setting", "Compared", "Whose", "Verdict", "Number")


def finding_lines(rows: Iterable[FindingRow]) -> Iterator[str]:
    """The findings as lines of text, those of a table below its name."""
    cells = [(row.table, (*row.row.cells[:3], row.row.cells[4], row.verdict)) for row in rows]
    wide = [max(map(len, column)) for column in zip(*(texts for _, texts in cells), strict=True)]
    table = ""
    for name, texts in cells:
        if name != table:
            yield (table := name)
        yield "  ".join(("", *map(str.ljust, texts, wide))).rstrip()


def findings(evaluation: Evaluation) -> tuple[FindingRow, ...]:
    """Break-even of each table, errors of margins and products, agreement, coverage of ours."""
    points, evens = evaluation.points, break_even(evaluation.points)
    rows = list[FindingRow]()
    for result in workload_results(evaluation):
        place = result.table.name, result.alpha
        here = [even for even in evens if (even.workload, even.alpha) == place]
        if any(even.epsilon is not None for even in here):
            rows += [
                FindingRow(
                    capital(result.table.words),
                    f"α = {even.alpha:g}",
                    "ε of no more error than noise infusion",
                    ": ".join(text for text in (even.family, _promised(even)) if text),
                    even.epsilon,
                    REACHED_WORDS[even.bound] if even.epsilon else "not measured",
                )
                for even in here
            ]
        rows += (*margins_compared(result), *products_compared(result))
    return (*rows, *_rows_of_all_tables(points))


REACHED_WORDS = {"": "reached", "≤": "reached at the least ε measured", ">": "not reached so far"}
"""The verdict of a break-even by its bound."""


def reached(even: BreakEven) -> str:
    """The break-even of a family, with the mechanism that reaches it."""
    by = _promised(even)
    return f"{even.words} ({by})" if by else even.words


def _promised(even: BreakEven) -> str:
    """The mechanism that reaches a break-even, and what it promises."""
    if even.mechanism is None:
        return ""
    name = even.mechanism.removesuffix(", as published").removesuffix(" (ours)")
    more = f", δ = {even.delta:.3g}" if even.delta else ""
    return f"{name}, {even.policy}{more}"


def margins_compared(result: WorkloadResult) -> Iterator[FindingRow]:
    """The best of ours for its share of ε, and added from the finest table."""
    best = [
        next(iter(ranked(result.here, lambda line, how=how: line.accounting == how)), None)  # type: ignore[misc]
        for how in (SPLIT, ADDED)
    ]
    if best[1] is not None:
        for point in filter(None, best):
            yield from _error_rows(result, point, f"{point.mechanism} {ACCOUNTS[point.accounting]}")


def products_compared(result: WorkloadResult) -> Iterator[FindingRow]:
    """At each ε the error of noise infusion and of every mechanism of a product."""
    today = result.infusion
    if today is None or not any(point.accounting == PRODUCT for point in result.points):
        return
    here = [point for point in result.protected if point.alpha == result.alpha]
    yield FindingRow(capital(result.table.words), "", MEAN_ERROR, "noise infusion", today.l1)
    for epsilon in sorted({point.epsilon for point in here if point.epsilon is not None}):
        for point in ranked((p for p in here if p.epsilon == epsilon), lambda _: True):
            yield from _error_rows(result, point, called(point).replace(" (ours)", ""))


MEAN_ERROR = "mean error (jobs)"


def _error_rows(result: WorkloadResult, point: ScoredPoint, whose: str) -> Iterator[FindingRow]:
    setting = setting_words(point.alpha, point.epsilon)
    table, ratio = capital(result.table.words), point.ratio_to_infusion
    yield FindingRow(table, setting, MEAN_ERROR, whose, point.l1)
    if ratio is not None:
        verdict = "less" if ratio < 1 else "more" if ratio > 1 else "the same"
        yield FindingRow(table, setting, "error ÷ error of noise infusion", whose, ratio, verdict)


EVERY_TABLE = "All tables"


def _rows_of_all_tables(points: Sequence[ScoredPoint]) -> Iterator[FindingRow]:
    """Whether closed forms and trials agree, where a setting has both, and the coverage of margins.

    Coverage is of our margins, and of others' where ours have none.
    """
    both = agreement(points)
    if both.compared:
        numbers = {
            f"settings within {WIDE:g} standard errors": both.within,
            "standard errors apart, at most": both.furthest,
            "trials ÷ closed form, on average": both.ratio,
        }
        setting, whose = counted(both.compared, "setting"), "trials and closed forms"
        verdict = "agree" if both.within == both.compared else f"agree in {both.within:,}"
        for compared, number in numbers.items():
            yield FindingRow(EVERY_TABLE, setting, compared, whose, number, verdict)
    every = coverage(points)
    for covered in [row for row in every if row.ours] or every:
        setting = counted(covered.settings, "setting")
        verdict = f"short in {covered.short}" if covered.short else "not short beyond chance"
        verdict += ": leaves out its bias" if covered.short and covered.biased else ""
        for which, share in (("on average", covered.mean), ("at worst", covered.least)):
            compared = f"share within the margins of {percent(NOMINAL)}, {which}"
            yield FindingRow(EVERY_TABLE, setting, compared, covered.name, share, verdict)


def caution(study: Study) -> Iterator[str]:
    """Why the ratios do not carry over unchanged to other data."""
    noise = study.infusion
    if study.made_up:
        yield (
            "The economy is made up. How much error a mechanism has depends on how large the "
            "largest establishments of cells are, so other data have other numbers."
        )
    yield (
        "The bounds of infusion that offices use are confidential. Those here "
        f"({significant(noise.lower)} and {significant(noise.upper)}) are parameters, and every "
        "ratio to infusion depends on them: ratios carry over in shape, not in size."
    )
