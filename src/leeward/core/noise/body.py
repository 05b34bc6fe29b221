"""Body: the unit ball of a norm for pairs (count, payroll), cut into cones of equal area.

Payroll is in units of the cap, so that a job is (1, y) with 0 ≤ y ≤ 1. A pair of density e^−‖z‖ is
E₁v₁ + E₂v₂ in a cone that is chosen uniformly, v₁ and v₂ its vertices, E₁ and E₂ exponential:
neighbouring vertices span the lattice, so all cones have the same area.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.tabulated import Floats

NEARLY = 1e-6
"""Two coefficients so close, relative to the larger one, count as equal."""

Vertex = tuple[int, int]


@dataclass(frozen=True)
class Body:
    """A symmetric polygon by its vertices, in order around the origin."""

    name: str
    vertices: tuple[Vertex, ...]

    @cached_property
    def cones(self) -> NDArray[np.int64]:
        """Coefficients (cones, 2, 2): those of E₁ and E₂ for the count, then for the payroll."""
        after = (*self.vertices[1:], self.vertices[0])
        pairs = zip(self.vertices, after, strict=True)
        return np.array([[[v[0], w[0]], [v[1], w[1]]] for v, w in pairs], dtype=np.int64)

    def norm(self, count: Floats, payroll: Floats) -> Floats:
        """The largest of the forms that are 1 on the sides of the polygon."""
        forms: list[Floats] = []
        for (a, b), (c, d) in self.cones.tolist():
            turn = a * d - b * c  # ±1: neighbouring vertices span the lattice
            forms.append(turn * (d - c) * count + turn * (a - b) * payroll)
        largest: Floats = np.maximum.reduce(forms)
        return largest

    def _combined(self, count: float, payroll: float) -> Iterator[tuple[float, float]]:
        """For each cone the coefficients of E₁ and E₂ in count·Z₁ + payroll·Z₂."""
        for (a, b), (c, d) in self.cones.tolist():
            yield count * a + payroll * c, count * b + payroll * d

    def absolute(self, count: float, payroll: float) -> float:
        """E|count·Z₁ + payroll·Z₂| of the density e^−‖z‖."""
        found = []
        for one, other in self._combined(count, payroll):
            size = abs(one) + abs(other)
            opposite = one * other < 0
            found.append((one * one + other * other) / size if opposite else size)
        return float(np.mean(found))

    def square(self, count: float, payroll: float) -> float:
        """E(count·Z₁ + payroll·Z₂)² of the same density."""
        pairs = self._combined(count, payroll)
        return float(np.mean([2 * (a * a + a * b + b * b) for a, b in pairs]))

    def beyond(self, count: float, payroll: float, reach: Floats, shape: int) -> Floats:
        """P(|count·Z₁ + payroll·Z₂| > reach) where Z is divided by one H ~ Gamma(shape).

        With shape 0 there is no H.
        """
        total = np.zeros_like(reach)
        for pair in self._combined(count, payroll):
            small, large = sorted(pair, key=abs)
            total += _beyond(small, large, reach, shape)
        return np.asarray(total / len(self.cones))


def _beyond(small: float, large: float, reach: Floats, shape: int) -> Floats:
    """P(|small·E₁ + large·E₂| > reach·H), |small| ≤ |large|, in closed form."""
    if large == 0:
        return np.zeros_like(reach)
    far, near = abs(large), abs(small)
    if near == 0:
        return _tail(reach / far, shape)
    if small * large < 0:
        return (far * _tail(reach / far, shape) + near * _tail(reach / near, shape)) / (far + near)
    if far - near < NEARLY * far:
        return _double_tail(reach / far, shape)
    return (far * _tail(reach / far, shape) - near * _tail(reach / near, shape)) / (far - near)


def _tail(x: Floats, shape: int) -> Floats:
    """E e^(−xH), H ~ Gamma(shape); e^−x without H."""
    return np.asarray((1 + x) ** -float(shape) if shape else np.exp(-x))


def _double_tail(x: Floats, shape: int) -> Floats:
    """E(1 + xH)e^(−xH): the tail of a sum of two exponentials."""
    if not shape:
        return np.asarray((1 + x) * np.exp(-x))
    return np.asarray((1 + x) ** -float(shape) * (1 + shape * x / (1 + x)))


HEXAGON = Body("hexagon", ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)))
"""K: |count| ≤ 1, |payroll| ≤ 1 and |count − payroll| ≤ 1."""

CENTRED = Body("centred", ((1, 0), (1, 1), (-1, 0), (-1, -1)))
"""|payroll| + |count − payroll| ≤ 1: the square of the count and of 2·payroll − count."""
