"""Sparse entries: what fits together, and refusals that never show a value."""

import numpy as np
import pytest

from leeward.core.codebook import Entries
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.checked_columns import checked_entries

MOST = 10**6
SECRET = 4711
"""Stands among the values: no message may show it."""

Columns = dict[str, list[int]]

GOOD: Columns = {
    "counts": [SECRET, 2, 3, 0],
    "cell": [0, 1, 0, 2],
    "row": [0, 0, 1, 2],
    "sizes": [SECRET + 2, 3, 0],
    "workplace": [1, 1, 0],
}


def entries(columns: Columns, shape: tuple[int, int] = (2, 3)) -> Entries:
    whole = [np.array(columns[name], dtype=np.int64) for name in GOOD]
    counts, cell, row, sizes, workplace = whole
    return Entries(counts, cell, row, sizes, workplace, shape)


def checked(**changed: list[int]) -> Entries:
    return checked_entries(entries(GOOD | changed), MOST)


def test_good_entries_are_held_as_they_are() -> None:
    held = checked()
    assert {name: getattr(held, name).tolist() for name in GOOD} == GOOD
    assert held.largest().tolist() == [0, SECRET + 2]
    assert held.largest().dtype == np.int64


def test_no_entries_at_all_are_entries() -> None:
    held = checked(**{name: [] for name in GOOD})
    assert held.largest().tolist() == [0, 0]


def test_entries_are_not_shown() -> None:
    assert str(SECRET) not in repr(checked())


TOGETHER = (
    "counts, sizes: must list each cell of an establishment once and no more jobs than it has; "
    "together these are at most 500000; got other numbers (not shown). Count every job of the "
    "establishment, or release in several parts."
)


def outside(name: str, end: int) -> str:
    return (
        f"{name}: must lie between 0 and {end}; got a value outside (not shown). "
        f"Give an integer array with entries from 0 to {end}."
    )


def unequal(names: str, shapes: str) -> str:
    step = "Give one largest establishment for each count."
    return f"{names}: must have the same shape; got {shapes}. {step}"


BAD: list[tuple[Columns, str]] = [
    ({"cell": [0, 0, 0, 2]}, TOGETHER),
    ({"sizes": [SECRET + 1, 3, 0]}, TOGETHER),
    ({"counts": [SECRET, 2, 3, 1]}, TOGETHER),
    ({"sizes": [SECRET + 2, 3, 500_000]}, TOGETHER),
    ({"counts": [SECRET, -2, 3, 0]}, outside("counts", MOST)),
    ({"counts": [SECRET, 2, MOST + SECRET, 0]}, outside("counts", MOST)),
    ({"cell": [0, 3, 0, 2]}, outside("cell", 2)),
    ({"cell": [0, -1, 0, 2]}, outside("cell", 2)),
    ({"row": [0, 0, 1, 3]}, outside("row", 2)),
    ({"row": [0, 0, 1, -1]}, outside("row", 2)),
    ({"sizes": [SECRET + 2, MOST + 1, 0]}, outside("sizes", MOST)),
    ({"sizes": [SECRET + 2, 3, -1]}, outside("sizes", MOST)),
    ({"workplace": [1, 2, 0]}, outside("workplace", 1)),
    ({"workplace": [1, -1, 0]}, outside("workplace", 1)),
    ({"cell": [0, 1, 0]}, unequal("counts, cell", "(4,) and (3,)")),
    ({"row": [0, 0, 1]}, unequal("counts, row", "(4,) and (3,)")),
    ({"workplace": [1, 1]}, unequal("sizes, workplace", "(3,) and (2,)")),
]


@pytest.mark.parametrize(("changed", "says"), BAD)
def test_what_does_not_fit_together_is_refused(changed: Columns, says: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        checked(**changed)
    assert str(caught.value) == says
    assert str(SECRET) not in str(caught.value)


def test_entries_without_establishments_are_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"^row: must lie between 0 and -1"):
        checked(sizes=[], workplace=[])


def test_sums_that_would_wrap_round_are_refused() -> None:
    """Known bad: two sizes whose sum in 64 bits is negative, hence below any bound."""
    most = 2**62
    alone: Columns = {name: [] for name in GOOD} | {"sizes": [most] * 2, "workplace": [0, 0]}
    held = entries(alone, shape=(1, 1))
    assert held.sizes.sum() < 0
    with pytest.raises(InvalidParameter, match="together these are at most"):
        checked_entries(held, most)
