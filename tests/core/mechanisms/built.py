"""The mechanisms under test: each scalar law once, at α = 0.1 and ε = 1."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.scales import Integers

Option = str | int | None

build: Callable[..., object] = mechanism
"""The factory for options that come from a table."""

SCALAR: dict[str, dict[str, Option]] = {
    "slope": {},
    "staircase": {},
    "soft_staircase": {"epsilon_job": "1/2"},
    "log_laplace": {},
    "log_laplace published": {"calibration": "published"},
    "smooth_gamma": {},
    "smooth_gamma published": {"calibration": "published"},
    "smooth_laplace": {"delta": "0.01"},
    "smooth_laplace published": {"delta": "0.01", "calibration": "published"},
    "vector_pareto": {},
    "radial_slope": {},
    "edge_laplace": {},
    "node_laplace": {"theta": 200},
    "scale": {},
}


def additive(case: str, **changed: Option) -> Additive:
    wanted = {"alpha": "0.1", "epsilon": 1, **SCALAR[case], **changed}
    built = build(case.split(maxsplit=1)[0], **wanted)
    assert isinstance(built, Additive)
    return built


def vector_pareto(**wanted: Option) -> VectorPareto:
    built = build("vector_pareto", **wanted)
    assert isinstance(built, VectorPareto)
    return built


def clipped(**wanted: Option) -> Clipped:
    built = build("clipped", **wanted)
    assert isinstance(built, Clipped)
    return built


def scale(**wanted: Option) -> Scale:
    built = build("scale", **wanted)
    assert isinstance(built, Scale)
    return built


@dataclass(frozen=True)
class Cell:
    """One cell whose count and largest establishment are known."""

    count: int = 90
    largest: int = 100

    def scale(self, built: Additive) -> Fraction:
        return built.scale(self.count, self.largest)

    def noise(self, built: Additive, draws: int) -> Integers:
        """What the mechanism added in so many releases."""
        count, largest = (np.array([value]) for value in (self.count, self.largest))
        released = built.release(np.repeat(count, draws), np.repeat(largest, draws))
        return released - built.true_values(count, largest)
