"""Body: the unit ball of a norm for pairs (count, payroll), cut into cones of equal area.

Payroll is in units of the cap, so that a job is (1, y) with 0 ≤ y ≤ 1. A pair of density e^−‖z‖ is
E₁v₁ + E₂v₂ in a cone that is chosen uniformly, v₁ and v₂ its vertices, E₁ and E₂ exponential:
neighbouring vertices span the lattice, so all cones have the same area.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

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

    def beyond(
        self, count: float, payroll: float, reach: Floats, tail: "PartTail | None" = None
    ) -> Floats:
        """P(|count·Z₁ + payroll·Z₂| > reach) where Σ‖z_i‖ has the radial law of the tail.

        Without one the density is ∝ e^−‖z‖.
        """
        total = np.zeros_like(reach)
        for pair in self._combined(count, payroll):
            small, large = sorted(pair, key=abs)
            total += _beyond(small, large, reach, EXPONENTIAL if tail is None else tail)
        return np.asarray(total / len(self.cones))


class PartTail(Protocol):
    """P(ρ·D > x) of one of the numbers that add up to a radius, and minus x times its slope."""

    def tail(self, x: Floats) -> Floats:
        """P(ρ·D > x)."""

    def steep(self, x: Floats) -> Floats:
        """x·density: with the tail that of a sum of two such numbers."""


class ExponentialTail:
    """That of exponentials, whose radius is Gamma."""

    def tail(self, x: Floats) -> Floats:
        return np.asarray(np.exp(-x))

    def steep(self, x: Floats) -> Floats:
        return np.asarray(x * np.exp(-x))


EXPONENTIAL = ExponentialTail()


def _beyond(small: float, large: float, reach: Floats, cell: PartTail) -> Floats:
    """P(|small·D₁ + large·D₂|·ρ > reach), |small| ≤ |large|, in closed form.

    The form is that of exponentials: what is true for every Gamma radius is true of any.
    """
    if large == 0:
        return np.zeros_like(reach)
    far, near = abs(large), abs(small)
    if near == 0:
        return cell.tail(reach / far)
    if small * large < 0:
        return (far * cell.tail(reach / far) + near * cell.tail(reach / near)) / (far + near)
    if far - near < NEARLY * far:
        return cell.tail(reach / far) + cell.steep(reach / far)
    return (far * cell.tail(reach / far) - near * cell.tail(reach / near)) / (far - near)


HEXAGON = Body("hexagon", ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)))
"""K: |count| ≤ 1, |payroll| ≤ 1 and |count − payroll| ≤ 1."""

CENTRED = Body("centred", ((1, 0), (1, 1), (-1, 0), (-1, -1)))
"""|payroll| + |count − payroll| ≤ 1: the square of the count and of 2·payroll − count."""
