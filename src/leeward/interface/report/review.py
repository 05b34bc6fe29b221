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
from leeward.core.show.charts import Bar, Bars, bars
from leeward.core.show.environment import template
from leeward.core.show.numbers import count, counted, cut, loss, losses, protected, rest, share
from leeward.derived.derive.comparison import Comparison, apart_words, compare, difference_words
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


class WrittenLimits(Written):
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
    written, problems = parse(WrittenLimits, read_document(path, "limits"), "limits")
    raise_all(problems)
    if written is None:
        raise AssertionError("what could not be read was not refused")
    numbers = {key: _number(text, key) for key, text in written}
    if not any(numbers.values()):
        raise InvalidParameter(
            "limits",
            rule=f"must set a limit: {', '.join(WrittenLimits.model_fields)}",
            value="none",
            next_step="Write largest_epsilon: 4, for instance.",
        )
    return Limits(**numbers)


def _number(text: str | None, key: str) -> Fraction | None:
    name = f"limits.{key}"
    return None if text is None else positive(rational(text, name), name)


@dataclass(frozen=True)
class Judgement:
    """A limit, what was found, and whether it is kept."""

    limit: str
    found: str
    kept: bool


def judge(
    limits: Limits, certificate: Certificate, summaries: Sequence[TableSummary]
) -> tuple[Judgement, ...]:
    """Every limit; one that cannot be compared is not kept."""
    return (
        *_of_epsilon(limits, certificate),
        *_of_alpha(limits, certificate),
        *_of_years(limits, certificate),
        *_of_cells(limits, summaries),
    )


def _of_epsilon(limits: Limits, certificate: Certificate) -> Iterator[Judgement]:
    if limits.largest_epsilon is not None:
        paid, most = certificate.guarantee, limits.largest_epsilon
        pure = (paid.delta, paid.rho) == ("0", "0")
        found = losses(paid) if pure else f"{losses(paid)}, which is not an ε alone"
        kept = pure and Fraction(paid.epsilon) <= most
        yield Judgement(f"ε of a release at most {loss(str(most))}", found, kept)


def _of_alpha(limits: Limits, certificate: Certificate) -> Iterator[Judgement]:
    if limits.smallest_alpha is not None:
        alpha, least = certificate.guarantee.alpha, limits.smallest_alpha
        kept = alpha is not None and Fraction(alpha) >= least
        found = protected(certificate.guarantee)
        if alpha is None:
            found += ": sizes of employers are not protected"
        yield Judgement(f"α at least {loss(str(least))}", found, kept)


def _of_years(limits: Limits, certificate: Certificate) -> Iterator[Judgement]:
    years, pace = limits.cap_lasts_years, limits.releases_per_year
    if years is None or pace is None:
        return
    more = further(certificate.budget)
    told = f"Cap lasts {loss(str(years))} more years at {loss(str(pace))} such releases a year"
    if more is None:
        yield Judgement(told, "cannot be told: ρ was paid from a cap in ε", kept=False)
        return
    found = f"{counted(more, 'release')} left, {float(more / pace):.3g} years"
    yield Judgement(told, found, more >= years * pace)


def _of_cells(limits: Limits, summaries: Sequence[TableSummary]) -> Iterator[Judgement]:
    most = limits.most_cells_reaching_zero
    if most is not None:
        wide, of = reaching_zero(summaries)
        told = f"At most {share(most.numerator, most.denominator)} of cells reach zero"
        found = f"{count(wide)} of {count(of)} ({share(wide, of)})" if of else "no margins"
        yield Judgement(told, found, of > 0 and wide <= most * of)


@dataclass(frozen=True)
class Change:
    """What differs in one table between two releases."""

    name: str
    words: str
    chart: Bars | None
    notes: tuple[str, ...] = ()


def changes(old: Bundle, new: Bundle) -> tuple[Change, ...]:
    """Table by table: cells that differ, and tables that are new or gone."""
    before, now = ({one.name: one for one in each.certificate.tables} for each in (old, new))
    found = [_change(old, new, name) for name in now if name in before]
    found += [Change(now[name].heading, "New.", None) for name in now if name not in before]
    return (*found, *(Change(before[name].heading, "Gone.", None)
                      for name in before if name not in now))  # fmt: skip


def _change(old: Bundle, new: Bundle, name: str) -> Change:
    table = new.certificate.table(name)
    called = name if table is None else table.heading
    try:
        one = compare(old, new, name)
    except LeewardError as refusal:
        return Change(called, f"Not compared: {refusal}", None)
    return Change(called, _differing(one), _certain(one, called), one.notes)


def _differing(one: Comparison) -> str:
    parts = [f"{counted(one.both, 'cell')} in both.", *apart_words(one), *difference_words(one)]
    only = {"only before": one.only_first, "only now": one.only_second}
    parts += [f"{counted(many, 'cell')} {where}." for where, many in only.items() if many]
    return " ".join(parts)


def _certain(one: Comparison, called: str) -> Bars | None:
    items = [
        Bar(
            JOINT.join(cut(code.label or code.code) for code in pair.codes) or TOTAL,
            pair.difference,
            pair.ends,
        )
        for pair in one.certain[:MOST_DRAWN]
    ]
    title = f"The most certain differences of {called}, now minus before"
    return bars(items, title=title, unit="Difference", signed=True) if items else None


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
        held = {
            "the office's own limits": self.limits is not None,
            "an audit of this installation": self.audit is not None,
        }
        inside = " and ".join(name for name, there in held.items() if there)
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
            releases=[] if old is None else list(_releases(old, new)),
            changes=() if self.against is None else changes(self.against, self.bundle),
            audit=self.audit,
        )


def _program(certificate: Certificate) -> str:
    made = certificate.software
    return certificate.leeward if made is None else f"{made.leeward}, {made.wheel[:SHORT]}…"


def _releases(old: Certificate, new: Certificate) -> Iterator[tuple[str, str, str]]:
    """What the two releases say of themselves, line by line."""
    pair = (old, new)
    told: dict[str, list[str]] = {
        "Period": [one.period for one in pair],
        "Account": [one.account for one in pair],
        "Policy": [protected(one.guarantee) for one in pair],
        "Cost": [losses(one.guarantee) for one in pair],
        "Left after it": [rest(one.budget.left) for one in pair],
        "Tables": [count(len(one.tables)) for one in pair],
        "Jobs": [one.jobs.rule for one in pair],
        "Program": [_program(one) for one in pair],
        "Codebook": [f"{one.codebook_digest[:SHORT]}…" for one in pair],
    }
    for name, (before, now) in told.items():
        yield name, before, now
