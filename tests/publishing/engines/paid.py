"""A small economy with every kind of odd pay, and its payrolls added up job by job."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa

from leeward.core.codebook import (
    LEFT_OUT,
    Codebook,
    Dimension,
    EveryJob,
    JobsRule,
    Marginal,
    NumericRange,
    Payroll,
)
from leeward.core.codebook.cells import columns
from leeward.publishing.engines import Engine
from tests.publishing.engines.small import Row, whole
from tests.publishing.engines.truth import number

BOOK = """
tables: {workplaces: {id: workplace_id, employer: employer_id}}
attributes:
  place: {table: workplaces, public: true, codes: [A, B, C]}
  sector: {table: workplaces, public: true, codes: [X, Y]}
  sex: {table: workers, codes: [F, M]}
  contract: {table: jobs, codes: [T, P]}
  pay: {table: jobs, type: integer, unit: cent, cap: 100, cap_from: made up, classes: {all: 100}}
  least: {table: jobs, column: pay, type: integer, unit: cent, low: 5, cap: 2000000000,
          cap_from: made up, classes: {all: 2000000000}}
  stipend: {table: workers, type: integer, unit: cent, cap: 7, cap_from: made up, classes: {all: 7}}
"""

WORKPLACES: list[Row] = [
    {"workplace_id": k, "place": place, "sector": sector, "employer_id": owner}
    for k, place, sector, owner in (
        (1, "A", "X", 7), (2, "A", "X", 7), (3, "A", "X", 8), (4, "A", "Y", None),
        (5, "B", "Y", 7), (6, "C", "X", 8),
    )
]  # fmt: skip
"""Place C has no jobs; employer 7 has two establishments in one cell."""

WORKERS: list[Row] = [
    {"worker_id": k, "sex": "FM"[k % 2], "stipend": stipend}
    for k, stipend in enumerate(
        [3.5, None, -2.0, 9.0, nan, 7.0, 0.25, 6.999, 1e300, 1.0, None, 2.0]
    )
]

JOBS: list[Row] = [
    {"worker_id": worker, "workplace_id": at, "contract": contract, "pay": pay}
    for worker, at, contract, pay in (
        # Many jobs, little pay; then one job at the cap: the largest does not pay most.
        (0, 1, "T", None), (1, 1, "T", 3.0), (2, 1, "P", -4.0), (3, 1, "P", 0.0),
        (4, 2, "T", 1e300), (5, 3, "T", 12.9), (6, 3, "P", nan), (7, 3, "T", 99.999),
        (8, 4, "P", 100.5), (9, 4, "T", 40.0), (10, 5, "T", 5.0), (11, 5, None, 77.0),
        (0, 3, "P", 4.5), (1, 5, "T", 20.0), (4, 5, "P", 101.0), (9, 2, "P", 3e9),
    )
]  # fmt: skip

KINDS = {"stipend": pa.float64(), "pay": pa.float64(), "employer_id": pa.int64()}


def paid_tables() -> dict[str, pa.Table]:
    """The economy in Arrow."""
    held = {"workplaces": WORKPLACES, "workers": WORKERS, "jobs": JOBS}
    return {
        name: pa.table(
            {one: pa.array([row[one] for row in rows], KINDS.get(one)) for one in rows[0]}
        )
        for name, rows in held.items()
    }


def paid_marginals(book: Codebook) -> list[Marginal]:
    """Tables of three columns of pay, with and without worker part and filters, and of counts."""
    pay, least, stipend = (Payroll(book.attributes[one]) for one in ("pay", "least", "stipend"))
    women = Dimension(book.attributes["sex"], (0,))
    return [
        Marginal("every", whole(book, "place"), (), statistic=pay),
        Marginal("stipends", whole(book, "sector"), (), statistic=stipend),
        Marginal("filter", (), (), whole(book, "contract"), statistic=stipend),
        Marginal("counts", whole(book, "place"), whole(book, "sex")),
        Marginal("sexes", whole(book, "place", "sector"), whole(book, "sex"), statistic=pay),
        Marginal("women", whole(book, "place"), whole(book, "contract"), (women,), statistic=least),
    ]


def slow_pay(value: float | None, numbers: NumericRange) -> int:
    """Without a number 0; rounded down; then moved into the range."""
    none = value is None or isnan(value)
    return min(max(0 if value is None or none else floor(value), numbers.low), numbers.cap)


@dataclass
class Part:
    """An establishment, or all that an employer has in a workplace cell."""

    size: int
    payroll: int
    counts: Counter[int]
    pay: Counter[int]


Read = dict[int, tuple[Any, ...]]
"""What a workplace cell has, as plain lists."""


def slow_payrolls(marginal: Marginal, rule: JobsRule, merged: bool) -> Read:
    """Job by job: counts, largest, own largest, payroll, largest payroll, and the parts."""
    cells: dict[int, dict[object, Part]] = defaultdict(dict)
    for place in WORKPLACES:
        key, owner = place["workplace_id"], place["employer_id"]
        cell = number(marginal.workplace, {"workplaces": place})
        named = owner if merged and owner is not None else ("alone", key)
        part = cells[cell].setdefault(named, Part(0, 0, Counter(), Counter()))
        for job in _kept(rule):
            if job["workplace_id"] == key:
                _add(part, job, marginal)
    return {key: _listed(list(cells[key].values()), marginal) for key in sorted(cells)}


def _kept(rule: JobsRule) -> list[Row]:
    if isinstance(rule, EveryJob):
        return JOBS

    def rank(job: Row) -> tuple[bool, float]:
        none = job["pay"] is None or isnan(job["pay"])
        return none, 0 if none else -job["pay"]

    first: dict[int, Row] = {}
    for job in sorted(JOBS, key=rank):
        first.setdefault(job["worker_id"], job)
    return list(first.values())


def _add(part: Part, job: Row, marginal: Marginal) -> None:
    rows = {"jobs": job, "workers": WORKERS[job["worker_id"]]}
    pay = 0
    if marginal.statistic.capped:
        of = marginal.statistic.column
        pay = slow_pay(rows[of.table][of.column], marginal.statistic.numbers)
    part.size, part.payroll = part.size + 1, part.payroll + pay
    cell = number(marginal.worker, rows)
    if LEFT_OUT not in (cell, number(marginal.filters, rows)):
        part.counts[cell] += 1
        part.pay[cell] += pay


def _listed(parts: list[Part], marginal: Marginal) -> tuple[Any, ...]:
    width = range(marginal.worker_cells)
    paid = marginal.statistic.capped
    return (
        [sum(one.counts[k] for one in parts) for k in width],
        max(one.size for one in parts),
        [max(one.counts[k] for one in parts) for k in width],
        [sum(one.pay[k] for one in parts) for k in width] if paid else None,
        max(one.payroll for one in parts) if paid else None,
        sorted(
            (one.size, one.payroll, k, one.counts[k], one.pay[k])
            for one in parts
            for k in width
            if one.counts[k]
        ),
    )


def read_payrolls(engine: Engine, marginal: Marginal, batch: int) -> Read:
    """The same from an engine."""
    found: Read = {}
    for full, sparse in zip(
        engine.cells(marginal, batch=batch, cell_largest=True),
        engine.establishments(marginal, batch=batch),
        strict=True,
    ):
        held, entries = full.cells.opened(), sparse.cells.opened()
        for name, column in columns(held).items():
            assert column.dtype == np.int64
            assert np.array_equal(column, columns(entries.as_cells())[name]), name
        nothing = np.zeros_like(entries.counts)
        pay = nothing if entries.payroll is None else entries.payroll
        payrolls = np.zeros_like(entries.sizes) if entries.payrolls is None else entries.payrolls
        for k, key in enumerate(full.keys.tolist()):
            here = entries.workplace[entries.row] == k
            at, cell = entries.row[here], entries.cell[here]
            rows = (entries.sizes[at], payrolls[at], cell, entries.counts[here], pay[here])
            found[key] = (
                held.counts[k].tolist(),
                int(held.largest[k]),
                held.own_largest()[k].tolist(),
                None if held.payroll is None else held.payroll[k].tolist(),
                None if held.largest_payroll is None else int(held.largest_payroll[k]),
                sorted(zip(*(one.tolist() for one in rows), strict=True)),
            )
    return found


def read_cells(engine: Engine, marginal: Marginal, batch: int) -> Iterator[tuple[Any, ...]]:
    """Counts, largest, payroll and largest payroll, of tables without establishments."""
    for one in engine.cells(marginal, batch=batch):
        held = columns(one.cells.opened())
        named = ("counts", "largest", "payroll", "largest_payroll")
        kept = [held[name].tolist() for name in named if name in held]
        yield from zip(*kept, strict=True)
