"""Radius check: what draws of a radial law should show, in float64, only from its pieces."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.tabulated import Floats

NODES = 1 << 15
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.98)


def in_dimension(law: RadialLaw, dimension: int) -> RadialLaw:
    """The same pieces in another dimension, where the tail of the radius is as heavy."""
    *first, last = law.pieces
    if last.centre is not None:
        last = replace(last, rate=last.rate + law.dimension - dimension)
    return RadialLaw(dimension, (*first, last))


@dataclass(frozen=True)
class Radii:
    """The distribution function of a radius at many points."""

    points: Floats
    below: Floats

    def reaches(self) -> list[float]:
        """Radii below which some shares lie."""
        return [float(np.interp(share, self.below, self.points)) for share in SHARES]

    def within(self, reach: float) -> float:
        """P(ρ ≤ reach)."""
        return float(np.interp(reach, self.points, self.below))

    def halves_within(self, reach: float) -> float:
        """The same for two of the four exponentials whose sum is in proportion to the radius."""
        share = np.minimum(reach / self.points, 1.0)
        return float((np.diff(self.below) * (share**2 * (3 - 2 * share))[1:]).sum())


@lru_cache(maxsize=64)
def radii(law: RadialLaw) -> Radii:
    """∫ ρ^(p−1)·e^−F, by the trapezoidal rule in ln ρ."""
    t = np.linspace(np.log(1e-6), np.log(1e9), NODES)
    points = np.exp(t)
    exponent = np.zeros_like(points)  # F, piece by piece
    for piece in law.pieces:
        low = float(piece.low or 0)
        at = np.clip(points, low, np.inf if piece.high is None else float(piece.high))
        if piece.centre is None:
            exponent -= float(piece.rate) * (at - low)
        else:
            centre = float(piece.centre)
            exponent -= float(piece.rate) * np.log((at - centre) / (low - centre))
    weight = np.exp(law.dimension * t - exponent)
    below = np.concatenate([[0.0], np.cumsum((weight[1:] + weight[:-1]) / 2)])
    return Radii(points, below / below[-1])
