"""Exams of histories: counts of two periods, in which one person may have rows in both.

Tables are measured as a plan under the person policy gets them: by the number of rows of a person
that the plan's rule lets into the table. All draws are independent, so their losses add up.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

from leeward.core.codebook import Attribute, BoundedJobs, Dimension, Marginal, most_rows
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.privacy import Guarantee, Person, sequential
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.loss import PrivacyLoss, worst
from leeward.lab.audit.neighbours import DatabasePair, Depth
from leeward.lab.audit.row import Claim, PolicyLine, Row
from leeward.lab.audit.table_exam import Part, Recorded, part_loss, step

NAME, EPSILON = "edge_laplace", Fraction(1)
CODES = ("1", "2")
PERIOD = Attribute("period", "jobs", "period", CODES, CODES, False, {"1": 0, "2": 1})
ONE_EACH = BoundedJobs(1, PERIOD.name)
OTHERS = (0, 1, 100)

Kept = tuple[int, ...]
"""The periods that a table counts."""


@dataclass(frozen=True)
class PeriodTable:
    """A count of jobs in some periods: its measurement, and what it costs a person."""

    kept: Kept
    made: Measurement
    charge: Guarantee

    @classmethod
    def planned(cls, kept: Kept, share: Fraction, rule: BoundedJobs) -> "PeriodTable":
        """The table of a plan under the person policy."""
        return cls.of(kept, share, most_rows(rule, counted(kept), PERIOD) or 1)

    @classmethod
    def of(cls, kept: Kept, share: Fraction, rows: int) -> "PeriodTable":
        """The same where up to `rows` rows of a person are taken to be in it."""
        marginal, each = counted(kept), Guarantee(Person(), None, share).for_each_row(rows)
        measured = measurement(NAME, marginal, each, AUTO)
        return cls(
            kept, measured, measured.guarantee(each.policy, table=marginal.kind).for_person(rows)
        )

    def parts(self, database: Database) -> tuple[Part, ...]:
        """The distributions of all its draws."""
        forces = (force.jobs for force in database.establishments)
        counted_jobs = Database.of(*(tuple(jobs[at] for at in self.kept) for jobs in forces))
        return Recorded.of(self.made, counted_jobs).parts


def counted(kept: Kept) -> Marginal:
    """Jobs by period; of one period, a filter."""
    by = (Dimension(PERIOD, kept),)
    several = len(kept) > 1
    return Marginal("table", (), by if several else (), () if several else by)


def histories(rule: BoundedJobs) -> Iterator[DatabasePair]:
    """Neighbours: one person with as many rows as count, in one period and in both."""
    for rows in product(range(rule.most + 1), repeat=len(CODES)):
        if sum(rows) > 0 and (rule.per is not None or sum(rows) <= rule.most):
            for others in product(OTHERS, repeat=len(CODES)):
                after = tuple(few + more for few, more in zip(others, rows, strict=True))
                yield from DatabasePair.of(others, after).admitted(Person(), None)


def examine_histories(tables: Iterable[PeriodTable], rule: BoundedJobs) -> PrivacyLoss:
    """The worst pair; of all tables together."""
    released = tuple(tables)
    charged = sum((table.charge.epsilon for table in released), Fraction(0))
    together: dict[object, PrivacyLoss] = {}
    for pair in histories(rule):
        before, after = (
            [part for table in released for part in table.parts(database)]
            for database in pair.databases
        )
        steps = tuple(map(step, before, after))  # pairs that agree in these lose alike
        if steps not in together:
            losses = (part_loss(*both, charged) for both in zip(before, after, strict=True))
            together[steps] = reduce(PrivacyLoss.plus, losses)
    return worst(together.values())


@dataclass(frozen=True)
class HistoryLine(PolicyLine):
    """Tables of a plan under the person policy, and the rule that limits the rows of a person."""

    detail: str
    tables: tuple[Kept, ...]
    rule: BoundedJobs
    mechanism: str = NAME
    policy: str = Person.name

    def rows(self, _: object, __: Depth) -> Iterator[Row]:
        """One row: what the plan charges for all tables, beside what they lose."""
        share = EPSILON / len(self.tables)
        tables = [PeriodTable.planned(kept, share, self.rule) for kept in self.tables]
        charge = sequential(*(table.charge for table in tables))
        claim = Claim(NAME, "tight", Person.name, None, charge.epsilon, detail=self.detail)
        yield Row(claim, examine_histories(tables, self.rule))


HISTORY_LINES: tuple[HistoryLine, ...] = (
    HistoryLine("one row in each of two periods, one table", ((0, 1),), ONE_EACH),
    HistoryLine("one row in each of two periods, two tables", ((0,), (1,)), ONE_EACH),
    HistoryLine("two rows in whatever periods", ((0, 1),), BoundedJobs(2)),
)


def two_periods(_: Depth) -> PrivacyLoss:
    """A count of each period at ε of the worker policy: a person who is in both loses 2ε."""
    return examine_histories((PeriodTable.of(kept, EPSILON, 1) for kept in ((0,), (1,))), ONE_EACH)


def codes_forgotten(_: Depth) -> PrivacyLoss:
    """A table of two periods calibrated as if a person had one row in it."""
    return examine_histories([PeriodTable.of((0, 1), EPSILON, 1)], ONE_EACH)


def no_limit(_: Depth) -> PrivacyLoss:
    """A plan that allows one row in each period, and data in which two of them count."""
    return examine_histories(
        [PeriodTable.planned((0, 1), EPSILON, ONE_EACH)], BoundedJobs(2, PERIOD.name)
    )


HISTORY_FAULTS = {
    "two periods of a person booked as one": two_periods,
    "two kept codes taken for one row": codes_forgotten,
    "a limit that is not enforced": no_limit,
}
"""Broken twins of the lines, each of which loses 2ε."""
