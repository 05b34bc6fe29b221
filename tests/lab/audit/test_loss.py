"""Losses against direct summation over a wide window, and the search for peaks."""

import pickle
from fractions import Fraction
from itertools import product
from math import exp, expm1, fsum, log

import pytest
from flint import arb

from leeward.core.exact import precision
from leeward.core.noise.law import laplace
from leeward.core.noise.quartic import QuarticLaw
from leeward.lab.audit.clipped_exam import renyi
from leeward.lab.audit.loss import PrivacyLoss, _log, _peaks, hockey_stick, laplace_loss, pure_loss
from leeward.lab.audit.outputs import Rounded


def laplace_mass(output: int, centre: int, scale: float) -> float:
    """P(⌊Laplace(centre, scale) + ½⌋ = output), without cancellation in the tails."""
    low, high = (output - 0.5 - centre) / scale, (output + 0.5 - centre) / scale
    if low < 0 < high:
        return -(expm1(low) + expm1(-high)) / 2
    return exp(-min(abs(low), abs(high))) * -expm1(-1 / scale) / 2


def summed(centres: tuple[int, int], scales: tuple[float, float], epsilon: float) -> float:
    reach = int(300 * max(scales)) + abs(centres[0] - centres[1])
    return fsum(
        max(
            0.0,
            laplace_mass(o, centres[0], scales[0])
            - exp(epsilon) * laplace_mass(o, centres[1], scales[1]),
        )
        for o in range(centres[0] - reach, centres[0] + reach + 1)
    )


@pytest.mark.parametrize(
    "scales", [("10", "11"), ("1/2", "3/5"), ("2", "4"), ("37/3", "25/2"), ("11", "10")]
)
def test_hockey_stick_is_the_sum_over_all_outputs(scales: tuple[str, str]) -> None:
    wide, narrow = (Fraction(scale) for scale in scales)
    for shift, epsilon in product((0, 1, 3, -7, 40), ("1/10", "1", "3")):
        left, right = Rounded(5, laplace(), wide), Rounded(5 + shift, laplace(), narrow)
        with precision(256):
            delta = float(hockey_stick(left, right, Fraction(epsilon)))
        slow = summed((5, 5 + shift), (float(wide), float(narrow)), float(Fraction(epsilon)))
        assert delta == pytest.approx(slow, rel=1e-9, abs=1e-14), (shift, epsilon)


def test_the_sum_takes_the_worse_direction() -> None:
    before, after = Rounded(0, laplace(), Fraction(10)), Rounded(4, laplace(), Fraction(11))
    loss = laplace_loss(before, after, Fraction(1))
    ways = [summed((0, 4), (10, 11), 1), summed((4, 0), (11, 10), 1)]
    assert ways[0] != pytest.approx(ways[1], rel=0.01)
    assert float(loss.delta) == pytest.approx(max(ways), rel=1e-9)
    assert loss.epsilon == arb("inf")


def test_equal_scales_are_pure() -> None:
    before, after = Rounded(0, laplace(), Fraction(10)), Rounded(4, laplace(), Fraction(10))
    loss = laplace_loss(before, after, Fraction(1, 2))
    assert float(loss.epsilon) == pytest.approx(0.4, rel=1e-12)
    assert loss.delta == 0
    assert laplace_loss(before, after, Fraction(1, 3)).delta.is_nan()


@pytest.mark.parametrize(("shift", "variance"), [(1, "1/3"), (3, "2"), (-20, "50"), (0, "1")])
def test_renyi_is_the_sum_over_all_outputs(shift: int, variance: str) -> None:
    v, window = float(Fraction(variance)), range(-2000, 2001)

    def weight(output: int, centre: int) -> float:
        return -((output - centre) ** 2) / (2 * v)

    total = log(fsum(exp(weight(o, 0)) for o in window))
    for order in ("3/2", "2", "7/3", "8"):
        a = float(Fraction(order))
        joint = fsum(exp(a * weight(o, 0) + (1 - a) * weight(o, shift)) for o in window)
        slow = (log(joint) - total) / (a - 1)
        computed = float(renyi(shift, Fraction(variance), Fraction(order)))
        assert computed == pytest.approx(slow, rel=1e-9, abs=1e-12), order


def quartic_ratio(output: int, before: Rounded, after: Rounded) -> float:
    """The density's log-ratio at an integer, which rounding hardly changes at these scales."""
    low, high = (
        -log(side.scale) - log(1 + ((output - side.true) / float(side.scale)) ** 4)
        for side in (before, after)
    )
    return low - high


def test_a_peak_between_landmarks_is_found() -> None:
    before = Rounded(0, QuarticLaw(), Fraction(10**6))
    after = Rounded(100_000, QuarticLaw(), Fraction(1_050_000))
    landmarks = sorted({*before.landmarks(), *after.landmarks()})

    def best(outputs: object) -> float:
        return max(float(_log(before.mass(o), after.mass(o))) for o in outputs)  # type: ignore[attr-defined]

    truth = max(quartic_ratio(o, before, after) for o in range(-3_000_000, 3_000_000, 50))
    coarse, fine = best(landmarks), best(_peaks(landmarks, before, after))
    assert coarse < truth - 1e-5
    assert fine == pytest.approx(truth, abs=1e-8)
    whole = pure_loss(before, after, Fraction(1))
    assert float(whole.forward) == pytest.approx(fine, rel=1e-12)


def test_a_loss_that_another_process_sends_is_the_same_ball_or_a_wider_one() -> None:
    with precision(128):
        third = arb(1) / 3
        kept = {"draws": 5, "fault": "clips otherwise"}
        loss = PrivacyLoss(third.log(), arb("inf"), arb("nan"), bound=arb(2).sqrt(), **kept)  # type: ignore[arg-type]
        sent = pickle.loads(pickle.dumps(loss))  # noqa: S301 (our own bytes)
        assert sent.forward.contains(loss.forward)
        assert sent.forward.mid() == loss.forward.mid()
        assert sent.bound.contains(loss.bound)
        assert (str(sent.backward), sent.rho) == (str(loss.backward), None)
        assert not sent.delta.is_finite()
        assert {name: getattr(sent, name) for name in kept} == kept
