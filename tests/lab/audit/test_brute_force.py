"""Every small database, every output of a window: densities as written on paper, integrated.

The paper is mathematics/slope.md 2 to 4 and mathematics/blocks.md 1. Nothing of the package is
used for the truth but the numbers k and t, or the peak, that a mechanism chose.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.privacy import policy
from leeward.lab.audit.exams import block, scalar, workplace_view
from leeward.lab.audit.neighbours import QUICK, pairs

Floats = NDArray[np.float64]
STRONG = policy("strong")


def neighbours(alpha: float, sizes: range) -> Iterator[tuple[int, int, int]]:
    """Size before, size after, and the largest of the other establishments."""
    for size, other in product(sizes, (0, *sizes[::3])):
        most = max(int((1 + alpha) * size + 1e-9), size + 1)
        for after in range(size + 1, most + 1):
            yield size, after, other


def slope_height(z: Floats, r: float, b: float, m: float) -> Floats:
    """The density that saturates both bounds, one at its peak m."""
    right, left, far = max(m, (r + 1) * b - 1), min(m, (r - 1) * b - 1), -1 - (r + 1) * b
    low = ((1 + left) / (1 + m)) ** (r - 1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        values = [
            low * exp((far - left) / b) * (np.abs(1 + z) / abs(1 + far)) ** -(r + 1),
            low * np.exp((z - left) / b),
            ((1 + z) / (1 + m)) ** (r - 1),
            np.exp(-(z - m) / b),
            exp(-(right - m) / b) * ((1 + z) / (1 + right)) ** -(r + 1),
        ]
    return np.select([z < far, z < left, z < m, z < right], values[:4], values[4])


@cache
def slope_masses(scale: float, reach: int, numbers: tuple[float, float, float]) -> Floats:
    """Midpoint sums over fine steps in each output; their common factor is left out."""
    steps = 100
    fine = (np.arange((2 * reach + 1) * steps) + 0.5) / steps - reach - 0.5
    heights = slope_height(fine / scale, *numbers) / scale
    summed: Floats = heights.reshape(2 * reach + 1, steps).mean(axis=1)
    return summed


@pytest.mark.parametrize(("alpha", "epsilon"), [("0.1", "1"), ("0.3", "0.5"), ("1", "4")])
def test_slope_keeps_its_promise_on_every_small_database(alpha: str, epsilon: str) -> None:
    built = mechanism("slope", alpha=alpha, epsilon=epsilon)
    assert isinstance(built, Slope)
    a, e = float(Fraction(alpha)), float(Fraction(epsilon))
    (m,) = (
        float(p.high)
        for p, q in zip(built.law.pieces, built.law.pieces[1:], strict=False)
        if p.high is not None and p.rate > 0 > q.rate
    )
    reach, numbers = 300, (e / log(1 + a), a / e, m)
    worst = 0.0
    for size, after, other in neighbours(a, range(18)):
        first, second = (slope_masses(max(x, other, 1 / a), reach, numbers) for x in (size, after))
        moved = after - size
        ratios = np.log(first[moved:] / second[:-moved])
        worst = max(worst, float(np.abs(ratios).max()))
    assert worst <= e * (1 + 1e-4)
    seen = float(
        scalar(
            workplace_view(built), pairs(STRONG, Fraction(alpha), QUICK), built.parameters.epsilon
        ).epsilon
    )
    assert worst <= seen * (1 + 1e-4)


def left_of(w: Floats, top: float, r: float, b: float) -> Floats:
    """The left tail's mass left of w = 1 + y/A, in units of A and of its height at w = top."""
    joint = (r - 1) * b
    inner, far = min(top, joint), min(top, -joint)
    low = (inner / top) ** (r - 1) if inner < top else 1.0
    lowest = low * exp((far - inner) / b)
    with np.errstate(invalid="ignore"):
        power = lowest * abs(far) / (r - 2) * (np.minimum(w, far) / far) ** (2 - r)
        inside = lowest * b * np.expm1((np.clip(w, far, inner) - far) / b)
        rising = (
            (np.clip(w, inner, top) ** r - inner**r) / (r * top ** (r - 1)) if inner < top else 0
        )
    summed: Floats = power + inside + (rising if inner < top else 0)
    return summed


@dataclass(frozen=True)
class Steps:
    """The staircase of mathematics/slope.md 4, in jobs; its last levels end at (J+½)S, c = ½."""

    alpha: float
    epsilon: float
    left: float
    right: float
    steep: bool

    def masses(self, size: float, reach: int) -> Floats:
        """Of every output up to `reach`; their common factor is the same for all sizes."""
        a, growth = self.alpha, log(1 + self.alpha)
        r, b, drop = self.epsilon / growth, a / self.epsilon, self.epsilon - growth
        ups = max(1, min(40, round(30 / self.epsilon)))
        downs = max(1, min(ups, int(2 / a + 0.5)))
        first = max(drop, self.epsilon - log(a * size)) if self.steep else drop
        powers = (1 + a) ** np.arange(ups)
        rises = (powers - 1) * size + np.maximum(0.5, self.right * a * size * powers)
        falls = max(0.5, self.left * a * size) + np.arange(downs) * a * size
        start, end = -(downs + 0.5) * a * size, ((1 + a) ** ups * (1 + a / 2) - 1) * size
        edges = np.array([start, *-falls[::-1], *rises, end])
        levels = [-first - drop * j for j in range(downs)][::-1]
        heights = np.exp([*levels, *(-self.epsilon * np.arange(ups + 1))])
        at = np.arange(-reach, reach + 2) - 0.5
        low, high = np.maximum(at[:-1, None], edges[:-1]), np.minimum(at[1:, None], edges[1:])
        flat: Floats = np.maximum(high - low, 0) @ heights
        w, top, tip = 1 + at / size, 1 + start / size, 1 + end / size
        tail = size * heights[0] * left_of(np.append(np.minimum(w, top), top), top, r, b)
        thin = size * heights[-1] * tip / (r - 1)
        gone = thin * (np.maximum(w, tip) / tip) ** (1 - r)
        whole = heights @ np.diff(edges) + tail[-1] + thin
        masses: Floats = (flat + np.diff(tail[:-1]) - np.diff(gone)) / whole
        return masses


@pytest.mark.parametrize(
    ("alpha", "epsilon", "sizes"),
    [("0.1", "2", 32), ("0.1", "4", 60), ("0.2", "1", 16), ("0.3", "2.5", 18), ("1", "4", 12)],
)
def test_staircase_keeps_its_promise_on_every_small_database(
    alpha: str, epsilon: str, sizes: int
) -> None:
    built = mechanism("staircase", alpha=alpha, epsilon=epsilon)
    assert isinstance(built, Staircase)
    a, e, stairs = float(Fraction(alpha)), float(Fraction(epsilon)), built.stairs
    steps = Steps(a, e, float(stairs.left), float(stairs.right), stairs.steep)
    masses = cache(partial(steps.masses, reach=400))
    worst = 0.0
    for size, after, other in neighbours(a, range(sizes)):
        first, second = (masses(max(x, other, 1 / a)) for x in (size, after))
        moved = after - size
        ratios = np.log(first[moved:] / second[:-moved])
        worst = max(worst, float(np.abs(ratios).max()))
    assert worst == pytest.approx(e, rel=1e-6)
    at = int(stairs.least) + 3
    exact = [float(built.mass(j, Fraction(at))) for j in range(-40, 41)]
    assert exact == pytest.approx(masses(at)[360:441].tolist(), rel=1e-8)


def box(distances: Floats, sigma: float, k: float) -> Floats:
    """P of a box of integers for two cells: a finite difference of the joint tail."""
    low, high = np.maximum(distances - 0.5, 0), distances + 0.5
    total = np.zeros(distances.shape[1:])
    for ends in product((0, 1), repeat=2):
        edge = sum((high if end else low)[i] for i, end in enumerate(ends))
        total += (-1) ** sum(ends) * (1 + edge / sigma) ** -k
    halves: Floats = total / 2.0 ** (distances > 0).sum(axis=0)
    return halves


@pytest.mark.parametrize(("alpha", "epsilon"), [("0.1", "1"), ("0.3", "2"), ("1", "4")])
def test_vector_pareto_keeps_its_promise_on_every_small_database(alpha: str, epsilon: str) -> None:
    built = mechanism("vector_pareto", alpha=alpha, epsilon=epsilon, cells=2)
    assert isinstance(built, VectorPareto)
    a, e = float(Fraction(alpha)), float(Fraction(epsilon))
    k, t = float(built.shape), float(built.step)
    grid = np.stack(np.meshgrid(np.arange(-40, 61), np.arange(-40, 61))).astype(float)
    worst = 0.0
    for size, after, other in neighbours(a, range(10)):
        sigma, wider = (max(a * max(x, other), 1) / t for x in (size, after))
        p = box(np.abs(grid), sigma, k)
        # Joiners of either kind, or outside the table: only where they go matters.
        for first in range(after - size + 1):
            for second in range(after - size - first + 1):
                shift = np.array([first, second])[:, None, None]
                q = box(np.abs(grid - shift), wider, k)
                worst = max(worst, float(np.abs(np.log(p / q)).max()))
    assert worst <= e
    assert worst <= float(block(built, STRONG, QUICK).epsilon) + 1e-9
