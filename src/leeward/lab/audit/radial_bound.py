"""Radial bound: the largest log-ratio of two densities ∝ e^−F(N), the norm N any, exactly.

At an output whose distance from one centre is a, that from the other is between |a−u| and a+u, u
the distance of the centres; on the line through both each end is reached. So with F that never
falls the supremum one way is that of F((a+u)/s') − F(a/s) + p·ln(s'/s) over a ≥ 0, and the other
way the same with both sides exchanged. Between points at which a term meets a joint of the law its
derivative is a difference of two terms A/(B+C·a), so it has one zero at most, a rational.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise.piece import Piece
from leeward.core.noise.radial_law import RadialLaw
from leeward.lab.audit.loss import BITS, INFINITE


def exponential_radius(dimension: int) -> RadialLaw:
    """Density ∝ e^−N."""
    return RadialLaw(dimension, (Piece(Fraction(0), None, Fraction(-1)),))


def of_dimension(law: RadialLaw | None, dimension: int) -> RadialLaw:
    """The law that was asked for: only in its own dimension it is that of the norm's powers."""
    if law is None:
        return exponential_radius(dimension)
    if law.dimension != dimension:
        raise ValueError(f"a radius in {law.dimension} dimensions for noise in {dimension}")
    return law


def radial_bound(
    distance: int | Fraction, scales: tuple[Fraction, Fraction], law: RadialLaw
) -> arb:
    """The supremum both ways for noise of this law at two scales."""
    if not all(_falls(piece) for piece in law.pieces):
        raise ValueError("a density that rises with the norm has no bound of this kind")
    before, after = scales
    with precision(BITS):
        there = _one_way(law, Fraction(distance) / before, after / before)[0]
        return there.max(_one_way(law, Fraction(distance) / after, before / after)[0])


def peaks(
    centres: tuple[Sequence[int], Sequence[int]],
    distance: int | Fraction,
    scales: tuple[Fraction, Fraction],
    law: RadialLaw,
) -> Iterator[tuple[int, ...]]:
    """The whole numbers next to the finite points where the ratio is largest each way.

    It is on the line through both centres, beyond the one that is more likely there.
    """
    for near, far in ((0, 1), (1, 0)):
        with precision(BITS):
            unit = Fraction(distance) / scales[near]
            at = _one_way(law, unit, scales[far] / scales[near])[1]
        both = zip(centres[near], centres[far], strict=True)
        yield tuple(round(n + (at * (n - m) / unit if unit else 0)) for n, m in both)


def _falls(piece: Piece) -> bool:
    if piece.centre is None:
        return piece.rate <= 0
    return (piece.low is not None and piece.low >= piece.centre) == (piece.rate < 0)


@lru_cache(maxsize=1 << 14)
def _one_way(law: RadialLaw, apart: Fraction, ratio: Fraction) -> tuple[arb, Fraction]:
    """The supremum of F((a+u)/c) − F(a) + p·ln c, in units of the scale before.

    And the finite a where it is largest: a joint, or a zero of the derivative between joints.
    """
    if law.tail is not None:  # powers of one order differ only by the scales
        most = ball(law.tail) * ball(1 / ratio).log()
    else:  # exponential tails differ by any amount, but at equal scales as at the last joint
        most = INFINITE if ratio < 1 else -INFINITE
    met = (joint * ratio - apart for joint in law.joints)
    ends = sorted({Fraction(0), *law.joints, *(a for a in met if a > 0)})
    candidates = [*ends]
    for low, high in zip(ends, (*ends[1:], None), strict=True):
        # Where F'((a+u)/c)/c = F'(a), F' = A/(B + C·z) on each piece.
        a, b, c = _slope(law, low)
        other_a, other_b, other_c = _slope(law, (low + apart) / ratio)
        if steep := other_a * c - a * other_c:
            zero = (a * (ratio * other_b + other_c * apart) - other_a * b) / steep
            if low < zero and (high is None or zero < high):
                candidates.append(zero)
    at, largest = Fraction(0), -INFINITE
    for place in candidates:
        rise = law.falling(place).log() - law.falling((place + apart) / ratio).log()
        value = rise + law.dimension * ball(ratio).log()
        if value > largest:
            at, largest = place, value
        most = most.max(value)
    return most, at


def _slope(law: RadialLaw, at: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """A, B and C of the piece in which what follows this point is."""
    piece = next(piece for piece in law.pieces if piece.high is None or at < piece.high)
    if piece.centre is None:
        return -piece.rate, Fraction(1), Fraction(0)
    return -piece.rate, -piece.centre, Fraction(1)
