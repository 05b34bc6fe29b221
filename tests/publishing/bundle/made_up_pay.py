"""Made-up bundles with tables of pay: means that may be missing, payrolls, and counts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leeward.core.codebook import Attribute, Flag, Marginal, Mean, NumericRange, Payroll, Published
from leeward.core.codebook.cells import EMPTY
from leeward.publishing.bundle import BundleWriter, CertifiedTable, MarginStatement, TableWriter
from leeward.publishing.bundle.table_statements import statistic_statement
from tests.publishing.bundle.made_up import SEX, cells, certificate, certified, columns, dimension

NUMBERS = NumericRange(
    0, 1_500_000, "cents", "month", (("all", 1_500_000),), "the pay scale of 2025"
)
EARNINGS = Attribute("earnings", "jobs", "earnings", ("all",), ("all",), False, {}, numbers=NUMBERS)

PLACE = dimension("place", ["01", "02", "03", "04", "05"])
MEANS = Marginal("means", (PLACE,), (), complete=True, statistic=Mean(EARNINGS))
BY_SEX = Marginal("by_sex", (PLACE,), (SEX,), statistic=Mean(EARNINGS))
PAYROLL = Marginal("payroll", (PLACE,), (), statistic=Payroll(EARNINGS))
COUNTS = Marginal("counts", (PLACE,), ())

ENDS = ("low", "high", "count")
OK, NONE, ABSENT = Flag.OK, Flag.NO_NUMBER, Flag.NO_ESTABLISHMENT

Cells = Sequence[Sequence[int]]

MEAN_ROWS = (
    (410_000, 380_000, 450_000, 52),
    (EMPTY, EMPTY, EMPTY, -3),
    (0, EMPTY, EMPTY, EMPTY),
    (390_000, 120_000, EMPTY, 4),
    (520_000, EMPTY, EMPTY, 2),
)
"""A mean with both ends; none; no establishment; one end alone; a value without a margin."""


def pay(rows: Cells, flags: Sequence[int] | Cells, cells: int = 1) -> Published:
    """Value, low, high and count of every row, in so many worker cells."""
    value, *beside = (np.array(one, np.int64).reshape(-1, cells) for one in zip(*rows, strict=True))
    keys = np.arange(len(value))
    return Published(keys, value, np.array(flags, np.int64), dict(zip(ENDS, beside, strict=True)))


MEAN_CELLS = pay(MEAN_ROWS, [[OK], [NONE], [ABSENT], [OK], [OK]])
SEX_CELLS = pay(
    [(1, 0, 2, 9), (EMPTY, EMPTY, EMPTY, 0), *[(7, 7, 7, 7), (8, EMPTY, 9, EMPTY)] * 4],
    [[OK, NONE], *[[OK, OK]] * 4],
    cells=2,
)
PAYROLL_CELLS = pay([(number, -9, 9_000_000, 5) for number in (5, 4, -3, 2, 1)], [OK] * 5)


def paid(writer: TableWriter, marginal: Marginal) -> CertifiedTable:
    """What the certificate says of a table of pay."""
    stated = MarginStatement(
        method="public", coverage="9/10", ends=True, epsilon=None, note="Both ends are Fieller's."
    )
    told = statistic_statement(marginal.statistic, count=True)
    return certified(
        writer, changes={"mechanism": "pay_centred", "margins": stated, "statistic": told}
    )


def write_pay(target: Path, *, counts: bool = True, **changes: object) -> Path:
    """A sealed bundle of tables of pay, and one of counts if wanted."""
    with BundleWriter(target) as bundle:
        done = []
        for marginal, published in (
            (MEANS, MEAN_CELLS),
            (BY_SEX, SEX_CELLS),
            (PAYROLL, PAYROLL_CELLS),
        ):
            with bundle.table(marginal, margins=ENDS) as writer:
                writer.write(published)
            done.append(paid(writer, marginal))
        if counts:
            with bundle.table(COUNTS, margins=columns(COUNTS)) as writer:
                writer.write(cells(COUNTS, range(5), margins=True))
            done.append(certified(writer))
        bundle.seal(certificate(target.name, done, **changes))
    return target
