"""Review: the internal sheet beside a report, for what does not follow from its bundle alone.

It says what changed since an earlier release, whether the release keeps the limits that the office
set itself, and what an audit of this installation found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from leeward.core.codebook.yaml_document import Written, parse, read_document
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.core.exact import positive, rational
from leeward.core.show.charts import Bars, ChartBar, bars
from leeward.core.show.environment import template
from leeward.core.show.numbers import count, counted, cut, loss, losses, protected, rest, share
from leeward.derived.derive.comparison import apart_words, compare, difference_words
from leeward.interface.report.audited import Audited
from leeward.interface.report.glance import further, glance, reaching_zero
from leeward.interface.report.summary import TableSummary, summarise
from leeward.publishing.bundle import Bundle, Certificate
from leeward.publishing.bundle.figure import JOINT, TOTAL
from leeward.publishing.bundle.readme import heading

MOST_DRAWN = 10
"""Number of most certain differences of a table that are drawn."""


SHORT = 16
"""Number of digits of a digest that are shown."""


class LimitsFile(Written):
    """The file with the office's own limits."""

    largest_epsilon: str | None = None
    smallest_alpha: str | None = None
    cap_lasts_years: str | None = None
    releases_per_year: str | None = None
    most_cells_reaching_zero: str | None = None


@dataclass(frozen=True)
class Limits:
    """What an office allows itself; None is no limit."""

    largest_epsilon: Fraction | None
    smallest_alpha: Fraction | None
    cap_lasts_years: Fraction | None
    releases_per_year: Fraction | None
    most_cells_reaching_zero: Fraction | None

    def __post_init__(self) -> None:
        if (self.cap_lasts_years is None) != (self.releases_per_year is None):
            raise InvalidParameter(
                "limits.releases_per_year",
                rule="must be given beside cap_lasts_years, and only there",
                value="one of them",
                next_step="Write both: years are the releases that are left, over those of a year.",
            )
        if self.most_cells_reaching_zero is not None and self.most_cells_reaching_zero > 1:
            raise InvalidParameter(
                "limits.most_cells_reaching_zero",
                rule="must be a share, at most 1",
                value=shown(self.most_cells_reaching_zero),
                next_step="Write 1/2 for half of the cells.",
            )


def read_limits(path: Path) -> Limits:
    """The limits of a YAML file; unknown keys are refused, so that no limit is ignored."""
    written, problems = parse(LimitsFile, read_document(path, "limits"), "limits")
    raise_all(problems)
    if written is None:
        raise AssertionError("what could not be read was not refused")
    numbers = {
        key: None if text is None else positive(rational(text, f"limits.{key}"), f"limits.{key}")
        for key, text in written
    }
    if not any(numbers.values()):
        raise InvalidParameter(
            "limits",
            rule=f"must set a limit: {', '.join(LimitsFile.model_fields)}",
            value="none",
            next_step="Write largest_epsilon: 4, for instance.",
        )
    return Limits(**numbers)


@dataclass(frozen=True)
class Judgement:
    """A limit, what was found, and whether it is kept."""

    limit: str
    finding: str
    kept: bool


def judge(
    limits: Limits, certificate: Certificate, summaries: Sequence[TableSummary]
) -> tuple[Judgement, ...]:
    """Every limit; one that cannot be compared is not kept."""
    paid, price = certificate.guarantee, losses(certificate.guarantee)
    judged = list[Judgement]()
    if limits.largest_epsilon is not None:
        pure = (paid.delta, paid.rho) == ("0", "0")
        kept = pure and Fraction(paid.epsilon) <= limits.largest_epsilon
        limit = f"ε of a release at most {loss(str(limits.largest_epsilon))}"
        finding = price if pure else f"{price}, which is not an ε alone"
        judged.append(Judgement(limit, finding, kept))
    if limits.smallest_alpha is not None:
        kept = paid.alpha is not None and Fraction(paid.alpha) >= limits.smallest_alpha
        lacking = ": sizes of employers are not protected" if paid.alpha is None else ""
        limit = f"α at least {loss(str(limits.smallest_alpha))}"
        judged.append(Judgement(limit, f"{protected(paid)}{lacking}", kept))
    judged += _of_years(limits, certificate)
    most = limits.most_cells_reaching_zero
    if most is not None:
        wide, of = reaching_zero(summaries)
        limit = f"At most {share(most.numerator, most.denominator)} of cells reach zero"
        cells = f"{count(wide)} of {count(of)} ({share(wide, of)})" if of else "no margins"
        judged.append(Judgement(limit, cells, of > 0 and wide <= most * of))
    return tuple(judged)


def _of_years(limits: Limits, certificate: Certificate) -> Iterator[Judgement]:
    years, pace = limits.cap_lasts_years, limits.releases_per_year
    if years is None or pace is None:
        return
    more = further(certificate.budget)
    limit = f"Cap lasts {loss(str(years))} more years at {loss(str(pace))} such releases a year"
    if more is None:
        yield Judgement(limit, "cannot be told: ρ was paid from a cap in ε", kept=False)
        return
    left = f"{counted(more, 'release')} left, {float(more / pace):.3g} years"
    yield Judgement(limit, left, more >= years * pace)


@dataclass(frozen=True)
class Change:
    """What differs in one table between two releases."""

    name: str
    words: str
    chart: Bars | None
    notes: tuple[str, ...] = ()


def changes(old: Bundle, new: Bundle) -> tuple[Change, ...]:
    """Table by table: cells that differ, and tables that are new or gone."""
    before, now = ({table.name: table for table in each.certificate.tables} for each in (old, new))
    compared = [_change(old, new, name) for name in now if name in before]
    compared += [Change(now[name].heading, "New.", None) for name in now if name not in before]
    return (*compared, *(Change(before[name].heading, "Gone.", None)
                      for name in before if name not in now))  # fmt: skip


def _change(old: Bundle, new: Bundle, name: str) -> Change:
    table = new.certificate.table(name)
    called = name if table is None else table.heading
    try:
        comparison = compare(old, new, name)
    except LeewardError as refusal:
        return Change(called, f"Not compared: {refusal}", None)
    parts = [f"{counted(comparison.both, 'cell')} in both.", *apart_words(comparison)]
    parts += difference_words(comparison)
    only = {"only before": comparison.only_first, "only now": comparison.only_second}
    parts += [f"{counted(many, 'cell')} {where}." for where, many in only.items() if many]
    items = [
        ChartBar(
            JOINT.join(cut(code.label or code.code) for code in pair.codes) or TOTAL,
            pair.difference,
            pair.ends,
        )
        for pair in comparison.certain[:MOST_DRAWN]
    ]
    title = f"The most certain differences of {called}, now minus before"
    chart = bars(items, title=title, unit="Difference", signed=True) if items else None
    return Change(called, " ".join(parts), chart, comparison.notes)


@dataclass(frozen=True)
class Review:
    """Everything that a sheet is made of; None is what was not asked for."""

    bundle: Bundle
    against: Bundle | None = None
    limits: Limits | None = None
    audit: Audited | None = None

    @property
    def mark(self) -> str:
        """That it is internal, where something in it is not from published bundles."""
        internal = {
            "the office's own limits": self.limits is not None,
            "an audit of this installation": self.audit is not None,
        }
        inside = " and ".join(name for name, there in internal.items() if there)
        return f"INTERNAL: beside published bundles it holds {inside}." if inside else ""

    def page(self) -> str:
        """The sheet as one HTML file."""
        new = self.bundle.certificate
        old = None if self.against is None else self.against.certificate
        summaries = [summarise(self.bundle, table) for table in new.tables]
        limits = self.limits
        return template("report/review.html.j2").render(
            mark=self.mark,
            certificate=new,
            heading=heading(new),
            glance=glance(new, summaries),
            judged=None if limits is None else judge(limits, new, summaries),
            old=old,
            releases=[] if old is None else _releases(old, new),
            changes=() if self.against is None else changes(self.against, self.bundle),
            audit=self.audit,
        )


def _releases(*pair: Certificate) -> list[tuple[str, ...]]:
    """What two releases say of themselves, line by line."""
    programs = []
    for certificate in pair:
        software = certificate.software
        digest = None if software is None else f"{software.leeward}, {software.wheel[:SHORT]}…"
        programs.append(digest or certificate.leeward)
    facts: dict[str, list[str]] = {
        "Period": [each.period for each in pair],
        "Account": [each.account for each in pair],
        "Policy": [protected(each.guarantee) for each in pair],
        "Cost": [losses(each.guarantee) for each in pair],
        "Left after it": [rest(each.budget.left) for each in pair],
        "Tables": [count(len(each.tables)) for each in pair],
        "Jobs": [each.jobs.rule for each in pair],
        "Program": programs,
        "Codebook": [f"{each.codebook_digest[:SHORT]}…" for each in pair],
    }
    return [(name, *said) for name, said in facts.items()]
