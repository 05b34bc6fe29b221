"""Every scalar sampler against its exact mass function, on a million draws."""

from itertools import pairwise

import numpy as np
import pytest

from leeward.core.mechanisms.additive import Additive
from leeward.core.noise.scales import Integers, law_at
from tests.core.mechanisms.built import SCALAR, Cell, additive
from tests.core.noise.goodness import DRAWS, FALSE_ALARM, WRONG_SCALES, counted, law_masses, p_value

CELL = Cell()


def cuts(built: Additive) -> list[int]:
    """At most forty cuts with about equal mass between them."""
    shares = np.linspace(0.005, 0.995, 40)
    return sorted({int(built.quantile(p, CELL.largest, CELL.count)) for p in shares})


@pytest.mark.parametrize("case", SCALAR)
def test_draws_have_the_exact_masses_and_not_those_of_another_scale(case: str) -> None:
    built = additive(case)
    at, scale = cuts(built), CELL.scale(built)
    observed = counted(CELL.noise(built, DRAWS), at)
    law = law_at(built.laws, scale)
    assert p_value(observed, law_masses(law, scale, at)) > FALSE_ALARM
    for factor in WRONG_SCALES:
        assert p_value(observed, law_masses(law, scale * factor, at)) < FALSE_ALARM


def neighbours(noise: Integers) -> Integers:
    """How often each of two successive draws is positive or not."""
    positive = noise > np.median(noise)
    return np.bincount(2 * positive[0::2] + positive[1::2], minlength=4)


@pytest.mark.parametrize("case", SCALAR)
def test_successive_draws_are_independent(case: str) -> None:
    noise = CELL.noise(additive(case), DRAWS)
    share = np.mean(noise > np.median(noise))
    each = np.array([1 - share, share])
    assert p_value(neighbours(noise), np.outer(each, each)) > FALSE_ALARM
    assert p_value(neighbours(np.sort(noise)), np.outer(each, each)) < FALSE_ALARM


def test_cuts_are_distinct_and_many_enough_to_see_a_shape() -> None:
    for case in SCALAR:
        at = cuts(additive(case))
        assert len(at) >= 5
        assert all(a < b for a, b in pairwise(at))
