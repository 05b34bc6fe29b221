"""Wage records whose jobs are found by hand."""

from typing import Any

import pyarrow as pa

ROWS: list[tuple[str | None, str | None, str, int | None]] = [
    ("Ada", "A", "2026Q1", 900),  # at A before, in and after 2026Q2
    ("Ada", "A", "2026Q2", 1000),
    ("Ada", "A", "2026Q3", 1000),
    ("Ada", "B", "2026Q2", 1500),  # a second job, in 2026Q2 alone
    ("Bo", "A", "2026Q1", 500),  # in 2026Q2 paid by two records, 500 together
    ("Bo", "A", "2026Q2", 300),
    ("Bo", "A", "2026Q2", 200),
    ("Bo", "B", "2026Q1", 701),  # less than at A in 2026Q2, more in both quarters together
    ("Bo", "B", "2026Q2", 300),
    ("Cy", "B", "2026Q2", 400),  # hired in 2026Q2
    ("Cy", "B", "2026Q3", 400),
    ("Dee", "A", "2026Q1", 600),  # the pay of 2026Q2 is taken back: no job
    ("Dee", "A", "2026Q2", 600),
    ("Dee", "A", "2026Q2", -600),
    ("Dee", "A", "2026Q3", 600),
    ("Eve", "B", "2025Q4", 800),  # two quarters before: not read
    ("Eve", "B", "2026Q2", 250),
    ("Fay", "A", "2026Q1", 100),  # no pay in 2026Q2
    ("Fay", "A", "2026Q2", None),
    ("Gus", "B", "2026Q2", 100),  # two jobs of equal pay
    ("Gus", "A", "2026Q2", 100),
    (None, "A", "2026Q2", 100),  # nobody, and nowhere
    ("Hal", None, "2026Q2", 100),
]
NAMES = ("worker_id", "workplace_id", "quarter", "earnings")

JOBS = {
    "Ada A": (1000, "11"),
    "Ada B": (1500, "00"),
    "Bo A": (500, "10"),
    "Bo B": (300, "10"),
    "Cy B": (400, "01"),
    "Eve B": (250, "00"),
    "Gus A": (100, "00"),
    "Gus B": (100, "00"),
}
"""The jobs of 2026Q2 by hand."""

CHOSEN: dict[tuple[str, str | None], list[str]] = {
    ("any", None): list(JOBS),
    ("beginning", None): ["Ada A", "Bo A", "Bo B"],
    ("end", None): ["Ada A", "Cy B"],
    ("full", None): ["Ada A"],
    ("any", "primary"): ["Ada B", "Bo A", "Cy B", "Eve B", "Gus A"],
    ("beginning", "primary"): ["Ada A", "Bo A"],
    ("any", "dominant"): ["Ada A", "Bo B"],
    ("end", "dominant"): ["Ada A"],
}
"""Those of each kind, and one of each person."""


def records() -> pa.Table:
    types = [*[pa.string()] * 3, pa.int64()]
    columns = zip(*ROWS, strict=True)
    return pa.table([pa.array(*one) for one in zip(columns, types, strict=True)], names=NAMES)


def by_hand(kind: str, one: str | None) -> list[dict[str, Any]]:
    """The rows of the file, in order."""
    return [
        dict(
            zip(
                ("worker_id", "workplace_id", "earnings", "flow"),
                (*job.split(), *JOBS[job]),
                strict=True,
            )
        )
        for job in CHOSEN[kind, one]
    ]
