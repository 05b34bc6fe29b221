"""Release: counts with the noise of a mechanism, by the code that a plan's releases call."""

from fractions import Fraction
from math import exp
from typing import Any, Protocol, cast

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import Number, rational
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.noise.law import FloatTails


def require_between(low: float, high: float, **given: float) -> None:
    """Refuse a parameter of an attack that is out of range."""
    for name, value in given.items():
        if not low <= value <= high:
            raise InvalidParameter(
                name,
                rule=f"must be from {low:g} to {high:g}",
                value=shown(value),
                next_step="Leave it out for the usual number.",
            )


def additive(name: str, **price: Any) -> Additive:  # noqa: ANN401 (what `mechanism` takes)
    """A mechanism that adds noise to single counts or to a block of them."""
    noise = mechanism(name, **price)
    if not isinstance(noise, Additive):
        raise TypeError(f"{name} releases no single counts")
    return noise


class NoisyCounts(Protocol):
    """A mechanism that adds noise to counts, calibrated."""

    @property
    def law(self) -> FloatTails:
        """The law of the real noise before it is scaled and rounded."""

    def release(self, counts: ArrayLike | None, largest: ArrayLike | None = None) -> Integers:
        """Noisy counts, with the system's random bits."""

    def scale(self, counts: int | None, largest: int | None) -> Fraction:
        """The scale of the noise of one count."""

    def mass(self, noise: int, scale: Fraction) -> arb:
        """The probability of one value of the noise, as a ball."""


def noisy_counts(
    name: str, epsilon: Number, alpha: Number | None = None, cells: int = 1
) -> NoisyCounts:
    """A mechanism by its name; workers alone are protected by one without alpha."""
    noise = mechanism(name, alpha=alpha, epsilon=epsilon, cells=cells)
    return cast(NoisyCounts, noise)


def below(noise: NoisyCounts, size: int, values: Integers) -> Floats:
    """P(released ≤ value) of one establishment of this size, in float64."""
    scale = float(noise.scale(size, size))
    return noise.law.float_tails((values.astype(np.float64) - size + 0.5) / scale)[0]


def masses(noise: NoisyCounts, size: int, low: int, high: int) -> Floats:
    """P(released = value) for all values from `low` to `high`, with both tails at the ends."""
    edges = below(noise, size, np.arange(low, high))
    return np.diff(edges, prepend=0.0, append=1.0)


def most_right(epsilon: Number) -> float:
    """How often anyone can be right about two neighbours of even chances: e^ε/(1+e^ε) at most."""
    return 1 / (1 + exp(-float(rational(epsilon, "epsilon"))))
