"""Known statistics: those that plans may name, and counts.

Payrolls, means, classes and percentiles are of the numbers of a column. Flows and gains are of an
attribute that says when a job was paid.
"""

from collections.abc import Mapping
from typing import ClassVar

from leeward.core.codebook.attribute import Attribute, NumericRange
from leeward.core.codebook.flow_classes import (
    CHANGING,
    FLOW_CODES,
    GAINS,
    LABELS,
    MEASURE,
    MEASURES,
)
from leeward.core.codebook.statistic import NOT_ADDED, Count, Forbidden, Statistic
from leeward.core.show.numbers import count, listed

MOST_JOBS = 10**9
"""No data have more jobs than this."""

MOST_PAY = 2**61 // MOST_JOBS
"""The highest cap of pay: the payroll of 10^9 jobs is at most 2^61, the noise's limit."""

PERCENTILE = "percentile"
"""The identifier of the rows of percentiles."""


class Pay(Statistic):
    """The pay of the jobs of a cell, counted from 0 up to the column's public cap, job by job."""

    forbids = NOT_ADDED
    kinds = ("pay", "worker_pay")
    counts = disjoint = False
    capped = True


class Payroll(Pay):
    """The pay of all jobs of a cell together."""

    name = "payroll"
    sql = "Sum"

    @property
    def sentence(self) -> str:
        """Up to which cap, and where that comes from."""
        return (
            f"A value is the {self.column.name} of all jobs of a cell together, in "
            f"{self.numbers.per_period}: {_counted_up_to(self.numbers)}."
            f"{_source(self.numbers)} {_read_as(self.numbers)}"
        )


class Mean(Pay):
    """The mean pay of the jobs of a cell."""

    name = "mean"
    sql = "Avg"

    @property
    def sentence(self) -> str:
        """Up to which cap, of which jobs, and where the cap comes from."""
        return (
            f"A value is the mean {self.column.name} of the jobs of a cell, in "
            f"{self.numbers.per_period}: {_counted_up_to(self.numbers)}, over the number of jobs. "
            f"Jobs above the cap and jobs without pay are jobs."
            f"{_source(self.numbers)} {_read_as(self.numbers)}"
        )


class Classes(Statistic):
    """How many jobs of a cell have a number in each class; the codes of `of` are the classes.

    Class i holds the numbers from `edges[i]` to below `edges[i + 1]`, the last one also those above
    it. Jobs whose number is below the first edge are in none.
    """

    name = "classes"
    takes = ("of", "bins")

    @property
    def sentence(self) -> str:
        return (
            f"A value is the number of jobs of a cell in one of the {_between_edges(self)}. "
            f"{_read_as(self.numbers)}"
        )


class Percentiles(Statistic):
    """Numbers below which a given percentage of jobs are, from the counts of the same classes.

    `at` are whole percentages.
    """

    name = "percentiles"
    takes = ("of", "bins", "at")
    forbids: ClassVar[Mapping[str, Forbidden]] = {
        "complete": Forbidden(
            "must be left out of a table of {statistic}: there is none without a job",
            "Leave complete out.",
        )
    } | NOT_ADDED
    several_classes = True
    counts = disjoint = False

    @property
    def identifier(self) -> Attribute:
        codes = tuple(str(percentage) for percentage in self.at)
        return Attribute(
            name=PERCENTILE,
            table=self.column.table,
            column=self.column.column,
            codes=codes,
            labels=tuple(f"{code} % of jobs below" for code in codes),
            public=False,
            recode={},
        )

    @property
    def sentence(self) -> str:
        """Which percentages, and between which edges they are found."""
        below = listed([f"{percentage} %" for percentage in self.at])
        return (
            f"A value is the {self.column.name} below which {below} of the jobs of a cell are, in "
            f"{self.numbers.per_period}, found between the edges of {_between_edges(self)}. "
            f"{_read_as(self.numbers)}"
        )


class Flows(Statistic):
    """Seven measures of each cell, from the counts of the four classes of `of`."""

    name = "flows"
    requires = tabulated = FLOW_CODES
    disjoint = False
    adds_classes = True

    @property
    def identifier(self) -> Attribute:
        return _identifier(self.column, tuple(MEASURES))

    @property
    def order(self) -> list[int]:
        """Where each class is in the codes of the attribute."""
        return [self.column.codes.index(code) for code in FLOW_CODES]

    @property
    def sentence(self) -> str:
        """The classes, the measures made of them, and how these agree."""
        return (
            "Jobs with pay in the quarter are in four classes, by pay in the quarter before and in "
            "the quarter after: 11, 10, 01 and 00. A value is a sum of released classes: EmpTotal "
            "of all, Emp 11 + 10, EmpEnd 11 + 01, EmpS 11, HirA 01 + 00, Sep 10 + 00; FrmJbC is 01 "
            "less 10, and may be below 0. So Emp + HirA = EmpTotal = EmpEnd + Sep and FrmJbC = "
            "EmpEnd - Emp, to the last job."
        )


class Gains(Statistic):
    """Jobs gained by establishments that grew, and lost by those that shrank.

    What an establishment gained is its jobs of class 01 less those of 10, what it lost the
    contrary, neither below 0.
    """

    name = "gains"
    forbids: ClassVar[Mapping[str, Forbidden]] = {
        "worker_totals": Forbidden(
            "must not name attributes of workers or jobs in a table of {statistic}: net changes of "
            "an establishment among kinds of workers do not add up to its net change",
            "Leave them out, and give the coarser numbers a table of their own.",
        ),
        "unit": Forbidden(
            "must be establishment where a table has the statistic {statistic}, which are those of "
            "establishments",
            "Leave unit out, or publish flows, which are sums of jobs.",
        ),
    }
    requires, tabulated = FLOW_CODES, CHANGING
    kinds = ("gains", "gains")
    disjoint = False
    note = (
        "A net change of one establishment that is small against its size is meant to be hidden, "
        "so gains and losses of few establishments are mostly noise. Choose their cells beforehand "
        "from public figures, or judge a row by its released margin; never by what the data say."
    )

    @property
    def identifier(self) -> Attribute:
        return _identifier(self.column, GAINS)

    @property
    def gained(self) -> int:
        """The place of the jobs that began among the two classes, in the order of the codes."""
        began, ended = (self.column.codes.index(code) for code in CHANGING)
        return int(began > ended)

    @property
    def sentence(self) -> str:
        """What a net change is, and why gains less losses are no net change."""
        return (
            "The net change of an establishment is its jobs with pay in the quarter after and none "
            "in the quarter before, less those of the contrary. FrmJbGn is the sum of all net "
            "changes above 0, FrmJbLs that of all below 0, without sign; in a row of some workers, "
            "of the net changes among them. They have noise of their own, so FrmJbGn - FrmJbLs is "
            f"not the FrmJbC of a table of flows. {self.note}"
        )


def _counted_up_to(numbers: NumericRange) -> str:
    return f"payroll counted up to {count(numbers.cap)} {numbers.unit} a job"


def _source(numbers: NumericRange) -> str:
    return f" The cap is public: {numbers.cap_from}." if numbers.cap_from else ""


def _between_edges(statistic: Statistic) -> str:
    """The classes, and which jobs are in none of them or in the last one."""
    first, *_, last = statistic.edges
    return (
        f"classes of {statistic.column.name} from {count(first)} to {count(last)} "
        f"{statistic.numbers.per_period}; jobs below the first edge are left out, and jobs from "
        "the last edge on are in the last class"
    )


def _read_as(numbers: NumericRange) -> str:
    """What became of pay that is not a whole number between the bounds."""
    low = count(numbers.low)
    below = (
        "Missing pay counts as 0, and so does pay below 0"
        if numbers.low == 0
        else f"Missing pay counts as 0, and what is below {low} counts as {low}"
    )
    return f"{below}; pay that is not whole is rounded down."


def _identifier(of: Attribute, codes: tuple[str, ...]) -> Attribute:
    labels = tuple(LABELS[code] for code in codes)
    return Attribute(MEASURE, of.table, of.column, codes, labels, public=False, recode={})


STATISTICS: Mapping[str, type[Statistic]] = {
    statistic.name: statistic
    for statistic in (Count, Payroll, Mean, Classes, Percentiles, Flows, Gains)
}


def taking(key: str) -> list[str]:
    """The names of the statistics that take a key of a table."""
    return [name for name, statistic in STATISTICS.items() if key in statistic.takes]
