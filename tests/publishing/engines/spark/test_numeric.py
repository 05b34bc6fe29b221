"""Numeric columns have the same classes and the same payrolls on Spark."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from leeward.core.codebook import EveryJob, Marginal, Payroll
from leeward.publishing.engines import connect
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.paid import paid_tables, read_cells
from tests.publishing.engines.small import codebook, whole
from tests.publishing.engines.spark.asking import SPARK
from tests.publishing.engines.test_numbers import (
    ARROW,
    ODD,
    binned,
    in_files,
    odd_payroll,
    payrolls_are_true,
)
from tests.publishing.engines.truth import counts

PAY = (
    "{type: integer, unit: cent, cap: 1000, cap_from: a rule, classes: {L: 10, M: 100, H: 1000}, "
    "table: jobs}"
)
HALF = "{table: jobs, codes: [low, high], map: {L: low, M: high, H: high}, from: pay_0}"
ROWS = max(map(len, ODD.values()))


def odd_columns() -> dict[str, pa.Table]:
    """One establishment; each job has an odd value of every type, or a null."""
    ids = list(range(ROWS))
    jobs = {"worker_id": pa.array(ids), "workplace_id": pa.array([1] * ROWS)}
    for n, (kind, pairs) in enumerate(ODD.items()):
        values = [value for value, _ in pairs]
        jobs[f"pay_{n}"] = pa.array(values + [None] * (ROWS - len(values)), ARROW[kind])
    return {
        "workplaces": pa.table({"workplace_id": [1], "place": ["A"]}),
        "workers": pa.table({"worker_id": ids}),
        "jobs": pa.table(jobs),
    }


@pytest.mark.usefixtures("spark")
def test_every_value_of_every_type_has_its_class(tmp_path: Path) -> None:
    """As `expect_odd` of the other engines, all types at once: Spark is slow to ask."""
    lines = [f"  pay_{n}: {PAY}" for n in range(len(ODD))]
    head = "attributes:\n  place: {table: workplaces, public: true, codes: [A, B]}"
    book = codebook(tmp_path, "\n".join([head, *lines, f"  half: {HALF}"]))
    tables = [Marginal(f"t{n}", whole(book, "place"), whole(book, f"pay_{n}")) for n in range(4)]
    coarse = Marginal("u", (), whole(book, "half"))
    pays = [Payroll(book.attributes[f"pay_{n}"]) for n in range(4)]
    paid = [Marginal(f"p{n}", (), (), statistic=one) for n, one in enumerate(pays)]
    of_plan = binned(book.attributes["pay_0"], 11, 101, 500)
    with connect(in_files(odd_columns(), tmp_path), tmp_path, SPARK) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        found = engine.check(book, EveryJob())
        asked, steps = [*tables, coarse, of_plan, *paid], needed_steps(found)
        engine.prepare(book, EveryJob(), asked, tables[:1], steps=steps)
        cells = [counts(engine, one) for one in (*tables, coarse, of_plan)]
        (batch,) = engine.cells(tables[0], batch=5)
        payrolls = [list(read_cells(engine, one, batch=1)) for one in paid]
    added = [odd_payroll(kind) for kind in ODD]
    assert payrolls == [[([ROWS], ROWS, [one], one)] for one in added]
    assert batch.cells.opened().largest.tolist() == [ROWS]
    assert not any(one.refuses for one in found)
    classes = [Counter(code for _, code in pairs) for pairs in ODD.values()]
    assert cells[:4] == [{0: (one["L"], one["M"], one["H"])} for one in classes]
    assert cells[4] == {0: (classes[0]["L"], classes[0]["M"] + classes[0]["H"])}
    assert cells[5] == {0: (classes[0]["M"], classes[0]["H"])}
    for n, (kind, pairs) in enumerate(ODD.items()):
        rules = [(one.rule, one.rows) for one in found if one.column == f"pay_{n}"]
        assert {rule for rule, _ in rules} == {"missing_number", "number_range"}, kind
        missing = sum(rows for rule, rows in rules if rule == "missing_number")
        assert missing == classes[n][None] + ROWS - len(pairs)


@pytest.mark.usefixtures("spark")
def test_payrolls_are_those_of_jobs_one_by_one(tmp_path: Path) -> None:
    payrolls_are_true(in_files(paid_tables(), tmp_path), tmp_path, EveryJob(), SPARK, leave=4)
