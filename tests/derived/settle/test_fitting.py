"""Numbers of the lectures, and the fast projections against slow truths."""

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.derived.settle.least_squares import least_squares, projected, whole


def test_lecture_total_and_two_parts() -> None:
    """Lecture 004: ε .5, .2, .25 with variances 2/ε²; the parts take most of the 9 jobs."""
    found = least_squares([2005, 1001, 995], [8, 50, 32], [[1, -1, -1]])
    assert found == pytest.approx([2004.2, 1006, 998.2])
    group = np.zeros(2, np.int64)
    assert whole(found[1:], group, np.array([2004])).tolist() == [1006, 998]


SEX = [132.428, 124.549, 244.365, 173.633, 318.029, -21.358]
SCHOOL = [116.021, 186.826, 287.215, 171.134, 278.498, -46.497]
SEX_TIDY = [124.829, 121.696, 254.636, 166.034, 315.177, 0]
SCHOOL_TIDY = [110.029, 180.834, 276.477, 160.396, 254.636, 0]


def test_private_pgm_table_of_the_lecture() -> None:
    """Lecture 004, lines 1112 to 1168: one labour-force margin, a total estimated first."""
    force = np.eye(3).tolist()
    margins = [[*one, *one, *(-x for x in one for _ in range(2))] for one in force]
    total = [[1.0] * 6 + [0.0] * 6]
    found = least_squares(
        SEX + SCHOOL, [1] * 12, [*margins, *total], [0, 0, 0, 982.372], negative=False
    )
    assert found == pytest.approx([*SEX_TIDY, *SCHOOL_TIDY], abs=1e-3)


def test_projection_is_the_nearest_point() -> None:
    """Against Dykstra, with variances of its own for each value and groups of several sizes."""
    draw = np.random.default_rng(3)
    for totals in ([40.0, 0.0, 7.5], [0.0, 3.0, 200.0]):
        group = np.array([2, 0, 0, 1, 2, 2, 0, 1, 2])
        values, variances = draw.normal(5, 20, 9), draw.uniform(0.5, 4, 9)
        sums = [(group == one).astype(float).tolist() for one in range(3)]
        slow = least_squares(values.tolist(), variances.tolist(), sums, totals, negative=False)
        fast = projected(values, variances, group, np.array(totals))
        assert fast == pytest.approx(slow, abs=1e-6)


def test_exact_cells_stay_empty() -> None:
    group = np.array([0, 0, 1])
    found = projected(np.zeros(3), np.array([0.0, 1, 0]), group, np.array([5.0, 0]))
    assert found.tolist() == [0, 5, 0]


def test_remainders_go_to_the_largest_and_of_equal_ones_to_the_first() -> None:
    group = np.array([1, 0, 1, 0, 0])
    found = whole(np.array([0.5, 1.7, 0.5, 2.2, 0.1]), group, np.array([4, 1]))
    assert found.tolist() == [1, 2, 0, 2, 0]


@pytest.mark.parametrize(
    ("variances", "sums", "equal"),
    [([1, 0], [[1, 1]], None), ([1, 1], [[1]], None), ([1, 1], [[0, 0]], [3])],
)
def test_conditions_that_cannot_hold_are_refused(
    variances: list[float], sums: list[list[float]], equal: list[float] | None
) -> None:
    with pytest.raises(InvalidParameter, match="must"):
        least_squares([1, 2], variances, sums, equal)
