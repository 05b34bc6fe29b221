"""The private scale: margins that really cover."""

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.scale import Scale
from tests.core.mechanisms.built import additive, scale
from tests.core.noise.goodness import DRAWS


def coverage(margin: Scale, epsilon: str, factor: float) -> float:
    """How often |J| ≤ q·S̃ + ½ for a large establishment."""
    size = np.full(DRAWS, 54321)
    noise = additive("slope", epsilon=epsilon).release(np.zeros_like(size), size)
    smooth = margin.smooth(margin.release(None, size))
    return float(np.mean(np.abs(noise) <= factor * smooth + 0.5))


@pytest.mark.parametrize(("epsilon", "factor"), [("1", 4.91), ("0.9", 5.49)])
def test_margins_cover_nine_in_ten_with_the_noise_of_the_scale(epsilon: str, factor: float) -> None:
    # mathematics/margins.md 1: counts are drawn at ε − ε_m = 0.9, where the number is 5.49.
    margin = scale(alpha="0.1", epsilon="0.1")
    found = margin.margin(additive("slope", epsilon=epsilon))
    assert found == pytest.approx(factor, abs=0.01)
    assert 0.9 - 6 * (0.09 / DRAWS) ** 0.5 < coverage(margin, epsilon, found) < 0.905


def test_a_margin_that_trusts_the_noisy_scale_does_not_cover() -> None:
    margin, built = scale(alpha="0.1", epsilon="0.1"), additive("slope")
    naive = built.quantile("0.95", 54321)
    assert isinstance(naive, int)
    assert naive / 5432.1 == pytest.approx(2.4, abs=0.06)
    assert coverage(margin, "1", naive / 5432.1) < 0.85


def test_a_scale_for_almost_nothing_has_no_margin() -> None:
    thin, built = scale(alpha="0.1", epsilon="0.0001"), additive("slope")
    with pytest.raises(InvalidParameter, match="must be large enough for a margin"):
        thin.margin(built)
    wide = scale(alpha="0.1", epsilon="0.01")
    assert wide.covers(wide.margin(built), built)
    assert not wide.covers(0.999 * wide.margin(built), built)


def test_a_smaller_coverage_needs_a_smaller_margin() -> None:
    margin, built = scale(alpha="0.1", epsilon="0.1"), additive("smooth_gamma")
    factors = [margin.margin(built, share) for share in ("0.5", "0.9", "0.99")]
    assert factors == sorted(factors)
