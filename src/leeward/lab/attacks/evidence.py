"""Evidence: what the outputs of a protection say of two hypotheses, by exact masses."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite
from typing import Any, cast

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.show.numbers import percent, significant
from leeward.lab.audit.loss import pure_loss
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.radial_bound import radial_bound
from leeward.lab.baselines.noise_infusion import Infusion

STEPS = 20_000
"""Factors of each side that stand for all."""

FAR = 40
"""Outputs are looked at up to so many times the scale of the noise, or ten times the change."""


@dataclass(frozen=True)
class Evidence:
    """|ln Bayes factor| of outputs: median, 95 % point, largest; None where it is infinite.

    `ruled_out` is the share of outputs that rule one hypothesis out.
    """

    median: float | None
    high: float | None
    most: float | None
    ruled_out: float

    @classmethod
    def of(cls, logs: Floats, weights: Floats, *, most: float | None = None) -> "Evidence":
        """From its value at each output and how likely that output is; `most` if it is known."""
        order = np.argsort(logs)
        share = np.cumsum(weights[order]) / weights.sum()
        at = np.minimum(np.searchsorted(share, (0.5, 0.95)), logs.size - 1)
        largest = float(logs.max()) if most is None else most
        median, high = (min(float(log), largest) for log in logs[order][at])
        ruled_out = float(weights[np.isinf(logs)].sum() / weights.sum())
        return cls(_finite(median), _finite(high), _finite(largest), ruled_out)

    @property
    def text(self) -> str:
        """Its largest value, or how often it has none."""
        if self.ruled_out:
            return f"∞ in {percent(self.ruled_out)}"
        return significant(self.most)


Hypotheses = tuple[tuple[int, ...], tuple[int, ...]]
"""Worker cells of an establishment under each; outputs are those of the first."""


def infusion(pair: Hypotheses) -> Evidence:
    """Unrounded: an output y of n jobs has the density g(y/n)/n of the ramp g.

    Several cells share one factor, so their ratio is exact: it rules every other one out.
    """
    (first, *rest), (second, *_) = pair
    noise = Infusion()
    if rest:
        return Evidence.of(np.full(1, inf), np.ones(1))
    # Factors in the middle of narrow steps, and what each step weighs.
    edges = np.linspace(noise.lower, noise.upper, STEPS + 1)
    low = np.concatenate([1 - edges[1:], 1 + edges[:-1]])
    high = np.concatenate([1 - edges[:-1], 1 + edges[1:]])
    factors, weights = (low + high) / 2, noise.below(high) - noise.below(low)
    other = factors * (first / second)
    with np.errstate(divide="ignore"):
        logs = np.abs(
            np.log(_height(noise, factors) / first) - np.log(_height(noise, other) / second)
        )
    return Evidence.of(logs, weights)


def _height(noise: Infusion, factors: Floats) -> Floats:
    """The ramp up to a constant factor; 0 outside."""
    far = np.abs(factors - 1)
    return np.where((far >= noise.lower) & (far <= noise.upper), noise.upper - far, 0.0)


def integers(pair: Hypotheses) -> Evidence:
    """The same of outputs that are rounded: exact masses of whole numbers."""
    noise = Infusion()
    true, other = (np.array(cells, dtype=np.float64) for cells in pair)
    factors, weights = _pieces(noise, true)
    outputs = np.rint(factors[:, None] * true)
    # All of the other's cells round to an output by the factors that do it for each of them.
    low, high = ((outputs - 0.5) / other).max(axis=1), ((outputs + 0.5) / other).min(axis=1)
    mass = np.maximum(noise.below(high) - noise.below(np.minimum(low, high)), 0)
    with np.errstate(divide="ignore"):
        logs = np.abs(np.log(weights) - np.log(mass))
    return Evidence.of(logs, weights)


def _pieces(noise: Infusion, *cells: Floats) -> tuple[Floats, Floats]:
    """A factor of each stretch on which all cells round to the same numbers, and its mass."""
    low, high = 1 - noise.upper, 1 + noise.upper
    steps = [
        (np.arange(int(low * c) - 1, int(high * c) + 2) + 0.5) / c for c in np.concatenate(cells)
    ]
    ends = np.array([low, 1 - noise.lower, 1 + noise.lower, high])
    edges = np.unique(np.clip(np.concatenate([ends, *steps]), low, high))
    weights = np.diff(noise.below(edges))
    kept = weights > 1e-15  # a stretch between two equal edges, by rounding
    return ((edges[1:] + edges[:-1]) / 2)[kept], weights[kept]


def factor_known(pair: Hypotheses) -> float:
    """The share of rounded outputs that tell one employee more, if the factor is known."""
    (first,), (second,) = pair
    factors, weights = _pieces(Infusion(), np.array([first, second], dtype=np.float64))
    differ = np.rint(first * factors) != np.rint(second * factors)
    return float(weights[differ].sum() / weights.sum())


@lru_cache(maxsize=64)
def noised(pair: Hypotheses, name: str, epsilon: str, alpha: str | None = None) -> Evidence:
    """Noise of each cell by itself: every output, with its mass under both hypotheses."""
    noise = cast(Additive, mechanism(name, epsilon=epsilon, alpha=alpha))
    logs, weights, most = np.zeros(1), np.ones(1), 0.0
    for first, second in zip(*pair, strict=True):
        both = [
            Rounded(true, cast(Any, noise.law), noise.scale(true, true)) for true in (first, second)
        ]
        reach = FAR * max(float(rounded.scale) for rounded in both) + 10 * abs(first - second)
        outputs = np.arange(first - int(reach), first + int(reach) + 1)
        under, other = (_masses(rounded, outputs) for rounded in both)
        there = (under > 0) & (other > 0)  # all are above 0; far out float64 has none left
        under, other = under[there], other[there]
        logs = np.add.outer(logs, np.log(under) - np.log(other)).ravel()
        weights = np.multiply.outer(weights, under).ravel()
        most += float(pure_loss(both[0], both[1], Fraction(epsilon)).epsilon)
    return Evidence.of(np.abs(logs), weights, most=most)


def _masses(released: Rounded, outputs: Integers) -> Floats:
    """P(released = output) in float64, from the tail on the output's own side."""
    scale = float(released.scale)
    z, half = (outputs - released.true) / scale, 0.5 / scale
    (left, right), (left_end, right_end) = (
        released.law.float_tails(end) for end in (z - half, z + half)
    )
    return np.where(z < 0, left_end - left, right - right_end)


def block(pair: Hypotheses, alpha: str, epsilon: str, draws: int) -> Evidence:
    """Worker cells at fixed size, by the density ∝ (1+‖z‖₁)^−(d+k) at what is released."""
    cells, size = len(pair[0]), sum(pair[0])
    noise = cast(
        VectorPareto, mechanism("vector_pareto", alpha=alpha, epsilon=epsilon, cells=cells)
    )
    scale = noise.scales(*2 * (np.array([size]),)).exact(0)
    first, second = np.array(pair)
    released = noise.release(np.tile(first, (draws, 1)), np.full(draws, size))
    near, far = (
        np.abs(released - cells_of).sum(axis=1) / float(scale) for cells_of in (first, second)
    )
    logs = float(cells + noise.shape) * np.abs(np.log1p(near) - np.log1p(far))
    bound = radial_bound(int(np.abs(first - second).sum()), (scale, scale), noise.radius)
    return Evidence.of(logs, np.ones(draws), most=float(bound))


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
