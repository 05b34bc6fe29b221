"""Quarters: the table of mathematics/products.md 5, and what it says at its edges."""

from fractions import Fraction

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import split
from leeward.lab.evaluate.quarters import (
    CLIPPED,
    GAUSSIAN_EACH,
    GAUSSIAN_ONCE,
    RETROSPECTIVE,
    Horizon,
    quarters_table,
)

PRINTED = {
    (4, 4): ("1.04", ".68", ".78", "3.6"),
    (4, 20): ("7.2", "6.8", "3.3", "12.9"),
    (4, 40): ("106", "201", "6.4", "28"),
    (16, 4): (".25", ".13", ".18", ".83"),
    (16, 20): ("1.32", ".73", ".74", "2.1"),
    (16, 40): ("2.87", "1.85", "1.45", "3.2"),
}
"""α = 0.1: slope at ε/T, joint Pareto, joint clip, Gaussian noise with θ each quarter.

With a split above 1/2, which is not offered, the last of (4, 40) would be 27.
"""


@pytest.mark.parametrize(("setting", "printed"), PRINTED.items())
def test_the_errors_are_those_of_the_closed_forms(
    setting: tuple[int, int], printed: tuple[str, ...]
) -> None:
    found = Horizon(Fraction(1, 10), Fraction(setting[0]), setting[1]).errors
    for name, text in zip(("slope", RETROSPECTIVE, CLIPPED, GAUSSIAN_EACH), printed, strict=True):
        digits = len(text.partition(".")[2])
        assert round(found[name] or 0.0, digits) == float(text), name
    assert (found[GAUSSIAN_ONCE] or 0.0) < (found[GAUSSIAN_EACH] or 0.0)


def test_only_forty_quarters_with_bounds_of_their_own_would_have_a_split_above_a_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`clipped` has none: 27.4 becomes 28.4, and no other error of the table changes."""
    settings = [Horizon(Fraction(1, 10), Fraction(e), t) for e, t in PRINTED]
    names = (CLIPPED, GAUSSIAN_EACH, GAUSSIAN_ONCE)
    capped = [[one.errors[name] for name in names] for one in settings]
    monkeypatch.setattr(split, "CANDIDATES", tuple(Fraction(k, 64) for k in range(1, 64)))
    split.best_bound.cache_clear()
    free = [[one.errors[name] for name in names] for one in settings]
    split.best_bound.cache_clear()
    each = [*PRINTED].index((4, 40)), names.index(GAUSSIAN_EACH)
    assert capped[each[0]][each[1]] == pytest.approx(28.43, abs=0.005)
    assert free[each[0]][each[1]] == pytest.approx(27.44, abs=0.005)
    free[each[0]][each[1]] = capped[each[0]][each[1]]
    assert free == capped


def test_gaussian_noise_with_one_bound_grows_with_the_root_of_the_quarters() -> None:
    """With θ at its median and a split of about .15: 2.9, 6.4, 9.0 and .83, 1.9, 2.6."""
    found = {
        (e, t): Horizon(Fraction(1, 10), Fraction(e), t).errors[GAUSSIAN_ONCE]
        for e, t in ((4, 4), (4, 40), (16, 4), (16, 40))
    }
    assert found == {
        (4, 4): pytest.approx(3.07, abs=0.005),
        (4, 40): pytest.approx(9.72, abs=0.005),
        (16, 4): pytest.approx(0.796, abs=0.0005),
        (16, 40): pytest.approx(2.52, abs=0.005),
    }


def test_one_quarter_is_one_release() -> None:
    found = Horizon(Fraction(1, 10), Fraction(1), 1).errors
    assert found[RETROSPECTIVE] == pytest.approx(found["vector_pareto"])
    assert found[GAUSSIAN_ONCE] == found[GAUSSIAN_EACH]


def test_what_keeps_no_promise_has_no_error() -> None:
    head, row, *_ = quarters_table(["0.1"], ["0.3"])
    assert head.split()[:5] == ["α,", "ε,", "T", "slope", "staircase"]
    assert row.split()[:7] == ["0.1,", "0.3,", "4", "–", "–", "–", "–"]
    with pytest.raises(InvalidParameter, match="quarters: must be at least 1"):
        Horizon(Fraction(1, 10), Fraction(1), 0)


def test_its_conditions_are_said() -> None:
    said = " ".join(quarters_table([], []))
    for words in ("fixed before the start", "afresh", "frozen frame", "published once"):
        assert words in said
