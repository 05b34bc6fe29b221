"""Scale: the private release of S or A that pays for margins.

Proof in scale.proof.md. The index of A = max(x, Δ/α) on a fixed public grid of ln A, plus
discrete Laplace noise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook.size_profile import MOST_JOBS
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import (
    START_BITS,
    ball,
    exact_value,
    log_growth,
    precision,
    probability,
)
from leeward.core.mechanisms.additive import Additive, within
from leeward.core.mechanisms.calibrated import Claims, JobLoss, Words
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.one_job import PRECISION, rise
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.error import laplace_weights
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales, law_at
from leeward.core.noise.tabulated import FUNCTION, ROUNDING, Floats
from leeward.core.privacy import StrongAlpha

STEPS = 32
"""Points of the grid between a size and 1+α times it.

One neighbouring step moves ln A by at most λ, hence the real number under the floor by at most
STEPS, hence the integer by at most STEPS: rounding to this grid costs nothing.
"""


@dataclass(frozen=True)
class SizeGrid:
    """The grid for one α; sizes below Δ/α count as Δ/α, `plus` being the Δ of the noise."""

    alpha: Fraction
    plus: Fraction = Fraction(1)

    @property
    def floor(self) -> Fraction:
        """Δ/α."""
        return self.plus / self.alpha

    def index(self, largest: Integers) -> Integers:
        """⌊STEPS·ln A/λ⌋ with A = max(x, Δ/α), exact for every entry."""
        sizes, inverse = np.unique(largest, return_inverse=True)
        near = np.maximum(sizes.astype(np.float64), float(self.floor))
        index = self._index(near, lambda i: max(Fraction(int(sizes[i])), self.floor))
        return index[inverse].reshape(largest.shape)

    def index_above(self, numbers: Integers) -> Integers:
        """⌊STEPS·ln(n + Δ/α)/λ⌋, exact for every entry."""
        unique, inverse = np.unique(numbers, return_inverse=True)
        near = unique.astype(np.float64) + float(self.floor)
        index = self._index(near, lambda i: int(unique[i]) + self.floor)
        return index[inverse].reshape(numbers.shape)

    def _index(self, near: Floats, exact: Callable[[int], Fraction]) -> Integers:
        """By float64 where that is certain, by balls elsewhere."""
        value = np.log(near) * self._density()
        error = np.abs(value) * (FUNCTION + ROUNDING) + ROUNDING * self._density()
        index = np.floor(value - error)
        found = index.astype(np.int64)
        for i in np.flatnonzero(index != np.floor(value + error)):
            found[i] = self.exact_index(exact(int(i)))
        return found

    def exact_index(self, size: Fraction) -> int:
        """The same for one size, by balls, and by whole numbers where size^STEPS = (1+α)^j."""
        bits = START_BITS
        while True:
            with precision(bits):
                value = STEPS * ball(size).log() / log_growth(self.alpha)
                floor = value.floor().unique_fmpz()
                if floor is not None:
                    return int(floor)
                near = (value + ball(Fraction(1, 2))).floor().unique_fmpz()
            if near is not None and self._meets(size, int(near)):
                return int(near)
            bits *= 2

    def sizes(self, index: Integers) -> Floats:
        """The size in the middle of each grid step: (1+α)^((i+½)/STEPS)."""
        with np.errstate(over="ignore"):
            sizes: Floats = np.exp((index + 0.5) / self._density())
        return sizes

    def _density(self) -> float:
        """Grid points per unit of ln A."""
        with precision(128):
            return float(STEPS / log_growth(self.alpha))

    def _meets(self, size: Fraction, j: int) -> bool:
        """Whether size^STEPS = (1+α)^j exactly, by numerators and denominators."""
        grown = 1 + self.alpha
        bits = j * (grown.numerator.bit_length() - 1)
        if j < 0 or bits > STEPS * size.numerator.bit_length():
            return False
        return size**STEPS == grown**j


def part_of_grid(parameters: Parameters) -> Fraction:
    """i = ⌈STEPS·j⌉/STEPS, j = ln(1+α/Δ)/λ: the part of a step's move of an index that one job is.

    A floor moves by ⌈STEPS·j⌉ at most. Exact also where that number is whole.
    """
    with precision(PRECISION):
        near = STEPS * rise(parameters) / parameters.log_growth()
        most = int(exact_value(near.upper().ceil()))
    job, step = 1 + parameters.growth / parameters.least, 1 + parameters.growth
    fewer = most > 1 and job**STEPS <= step ** (most - 1)
    return Fraction(min(most - fewer, STEPS), STEPS)


REACH = 300.0
"""A scale that noise made larger than e^REACH times the true one counts as this: it covers."""

WIDEST = 2.0**200
"""Largest margin that is looked for, in scales; times e^REACH, float64 still holds it."""


@dataclass(frozen=True)
class Scale(Additive):
    """Releases grid indices of the largest establishment; noise and errors are in grid steps.

    `largest` counts all jobs of an establishment. For a worker cell's own largest establishment
    the guarantee is weak and adds up over the worker cells.
    """

    name: ClassVar[str] = "scale"
    words: ClassVar[Words] = Words(
        label="scale",
        noise="The largest establishment of each cell is released on a grid, with a random number "
        "of steps added.",
    )
    in_plans: ClassVar[bool] = False
    # ln A moves by at most λ whatever part of the joiners a table counts.
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (StrongAlpha(),)}

    counted: ClassVar[bool] = False

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    grid: SizeGrid

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "Scale":
        """P(j) ∝ exp(−ε|j|/STEPS); the rate is an exact rational."""
        parameters.only_tight(cls.name)
        parameters.only_scalar(cls.name)
        law = discrete_laplace(STEPS / parameters.aimed)
        return cls(parameters, law, SizeGrid(parameters.growth, parameters.least))

    def one_job(self) -> JobLoss:
        """ε·i: the index moves by ⌈32j⌉ at most."""
        return self.parameters.epsilon * part_of_grid(self.parameters), Fraction(0)

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        """Noisy grid indices of A; the counts play no part and may be None."""
        return super()._release(None, largest, noise)

    def true_values(self, counts: Integers, largest: Integers) -> Integers:
        """The grid index before noise."""
        return self.grid.index(largest)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """One grid step."""
        return Scales(np.ones_like(largest))

    def smooth(self, index: Integers) -> Floats:
        """S̃ = α·Ã of released indices: a function of what is published alone."""
        with np.errstate(over="ignore"):  # infinite is as good as very large: margins end at 2^62
            smooth: Floats = self.grid.sizes(index) * float(self.parameters.growth)
        return smooth

    def margin(
        self,
        mechanism: Additive,
        coverage: str | Fraction = Fraction(9, 10),
        *,
        block: bool = False,
    ) -> float:
        """q such that |J| ≤ q·S̃ + ½ with this probability at least; `block`: in all worker cells.

        Allows for the noise of S̃ itself, and for half a grid step against the reader.
        """
        covered = self._covered(mechanism, block=block)
        if covered(WIDEST) < float(probability(coverage, "coverage")):
            raise InvalidParameter(
                "epsilon",
                rule="must be large enough for a margin: the noisy scale is too far from the true "
                "one for any number",
                value=shown(self.parameters.epsilon),
                next_step="Give the scale a larger epsilon, or do without margins.",
            )
        return smallest(covered, coverage)

    def covers(
        self, q: float, mechanism: Additive, coverage: str | Fraction = Fraction(9, 10)
    ) -> bool:
        """Whether q is such a margin; quicker than to look for the smallest."""
        return self._covered(mechanism)(q) >= float(probability(coverage, "coverage"))

    def _covered(self, mechanism: Additive, *, block: bool = False) -> Callable[[float], float]:
        """E P(|Z|·S ≤ q·S̃) over the noise of S̃, as a function of q."""
        weights, shrink = self.shrinkage()
        # The scale where S is 1: in cells below Δ/α it is Δ times that.
        unit = float(mechanism.scale(0, 0) / mechanism.parameters.least)
        within = mechanism.together(mechanism.within) if block else mechanism.within
        return lambda q: float((weights * within(q * shrink / unit)).sum())

    def shrinkage(self) -> tuple[Floats, Floats]:
        """P(noise = j) over all j that matter, and the factor S̃/S at worst."""
        noise, weights, stride = laplace_weights(float(self.law.pieces[0].rate))
        with precision(128):
            step = float(self.parameters.log_growth() / STEPS)
        return weights, np.exp(np.minimum((noise - stride / 2) * step, REACH))


def least_margin(
    mechanism: Additive, coverage: str | Fraction = Fraction(9, 10), *, block: bool = False
) -> float:
    """The margin in jobs where S is Δ, its least value: a smaller one would be known too small."""
    unit = mechanism.scale(0, 0)
    law = law_at(mechanism.laws, unit)

    def alone(z: Floats) -> Floats:
        return within(law, z)

    covered = mechanism.together(alone) if block else alone
    return smallest(lambda q: float(covered(np.array([q / float(unit)]))[0]), coverage)


def smallest(covered: Callable[[float], float], coverage: str | Fraction) -> float:
    """The smallest q at which coverage reaches the goal, by bisection."""
    goal = float(probability(coverage, "coverage"))
    low, high = 0.0, 1.0
    while covered(high) < goal:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if covered(middle) < goal else (low, middle)
    return high


MOST_TIMES = 1e6
"""A multiple of a released value that bounds nothing."""


def per_job(mechanism: Additive) -> float:
    """The scale of the noise for each job of a large establishment."""
    return float(mechanism.scale(MOST_JOBS, MOST_JOBS) / MOST_JOBS)


@lru_cache(maxsize=64)
def two_sided(mechanism: Additive) -> float:
    """The bound that |Z| keeps to in nine of ten draws."""
    return smallest(lambda z: float(within(mechanism.law, np.array([z]))[0]), COVERAGE)


@lru_cache(maxsize=64)
def allowance_for(mechanism: Additive, level: Fraction) -> float:
    """By how much noise in proportion to v must be larger than noise in proportion to n.

    With v = n(1 + Y) |v − n| is at most c·v where −c/(1+c) ≤ Y ≤ c/(1−c). This is the smallest c of
    probability `level`, over the bound that |Y| keeps to in nine of ten draws; infinite without c.
    """
    law, unit = mechanism.law, per_job(mechanism)

    def kept(c: float) -> float:
        ends = np.array([-c / (1 + c), c / (1 - c) if c < 1 else np.inf]) / unit
        below, above = law.float_tails(ends[:1])[0][0], law.float_tails(ends[1:])[1][0]
        return float(1 - below - above)

    if kept(MOST_TIMES) < level:
        return np.inf
    return smallest(kept, level) / (unit * two_sided(mechanism))
