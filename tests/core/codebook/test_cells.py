"""Whatever entries are turned into, pay goes with its jobs."""

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.codebook.cells import columns

HELD = Entries(
    counts=np.array([2, 1, 4]),
    cell=np.array([1, 0, 1]),
    row=np.array([0, 2, 2]),
    sizes=np.array([3, 1, 6]),
    workplace=np.array([0, 1, 1]),
    shape=(2, 2),
    in_frame=np.array([1, 2]),
    payroll=np.array([20, 7, 2**60 + 1]),
    payrolls=np.array([50, 2**61 + 1, 2**60 + 8]),
)
"""The second establishment has no job in the table, and pays most."""


def payrolls(held: Entries) -> tuple[list[int], list[int]]:
    found = columns(held)
    return found["payroll"].tolist(), found["payrolls"].tolist()


def test_cells_add_up_pay_exactly() -> None:
    """Known bad: float64 loses the last unit, and the largest establishment does not pay most."""
    cells = columns(HELD.as_cells())
    assert cells["payroll"].tolist() == [[0, 20], [7, 2**60 + 1]]
    assert cells["largest_payroll"].tolist() == [50, 2**61 + 1]
    assert cells["largest"].tolist() == [3, 6]


def test_parts_of_entries_keep_pay() -> None:
    assert payrolls(HELD.part(np.array([1]))) == ([7, 2**60 + 1], [2**61 + 1, 2**60 + 8])
    assert payrolls(HELD.of_cells(np.array([0]))) == ([7], [50, 2**61 + 1, 2**60 + 8])
    alone = columns(HELD.by_worker_cell().as_cells())
    assert alone["payroll"].tolist() == [[0], [7], [20], [2**60 + 1]]
    assert alone["largest_payroll"].tolist() == [50, 2**61 + 1] * 2
    moved = columns(HELD.moved(np.array([1, 0])).as_cells())
    assert moved["payroll"].tolist() == [[7, 2**60 + 1], [0, 20]]
    assert moved["largest_payroll"].tolist() == [2**61 + 1, 50]


def test_entries_without_pay_have_none() -> None:
    counted = Entries(HELD.counts, HELD.cell, HELD.row, HELD.sizes, HELD.workplace, HELD.shape)
    for one in (counted.part(np.array([0])), counted.of_cells(np.array([0]))):
        assert {"payroll", "largest_payroll"}.isdisjoint(columns(one.as_cells()))
