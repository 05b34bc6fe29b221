"""Infusion: today's input noise, kept for ever, with suppression and flags. It has no guarantee.

One factor an establishment, drawn once; all establishments of an employer are distorted to the
same side; zeros stay zero (mathematics/baselines.md 1). The bounds in use are confidential:
those here are parameters. Output perturbation draws counts of 1 and 2 anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import Entries
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.core.noise.sampling import secret_uniforms

FEWEST = 3
"""Cells based on fewer persons or employers are suppressed."""

OK, SUPPRESSED, DISTORTED = 1, 5, 9
"""Status flags of the LEHD public-use schema."""

SMALL = 2
"""Infused counts from 1 to this one are drawn anew where the output is perturbed."""

Uniforms: TypeAlias = Callable[[int], Floats]
"""So many uniform numbers in [0, 1)."""


@dataclass(frozen=True)
class Infusion:
    """Factors between 1±lower and 1±upper; a value off by more than `distortion` is flagged."""

    lower: float = 0.10
    upper: float = 0.25
    distortion: float = 0.15

    def __post_init__(self) -> None:
        if not (0 < self.lower < self.upper < 1 and self.distortion > 0):
            raise InvalidParameter(
                "infusion",
                rule="needs 0 < lower < upper < 1, and a distortion above 0 to flag",
                value=f"{self.lower:g}, {self.upper:g}, {self.distortion:g}",
                next_step="Give for example --infusion 0.10 0.25.",
            )

    @property
    def mean_distortion(self) -> float:
        """E|f − 1| of the ramp."""
        return self.lower + (self.upper - self.lower) / 3

    def factors(self, employer: Integers, uniforms: Uniforms | None = None) -> Floats:
        """A world: the factor of each establishment, the side drawn by employer.

        The ramp density 2(upper−g)/(upper−lower)² of the distance g is drawn by its quantiles.
        `uniforms` are the system's, unless a made-up world is to be repeated.
        """
        draw = uniforms or secret_uniforms
        owners, owner = np.unique(employer, return_inverse=True)
        side = np.where(draw(owners.size) < 0.5, -1.0, 1.0)[owner]
        reach = np.sqrt(draw(employer.size))
        return 1 + side * (self.upper - (self.upper - self.lower) * reach)

    def below(self, factor: Floats | float) -> Floats:
        """P(f < factor)."""
        far = np.clip(np.abs(np.subtract(factor, 1.0)), self.lower, self.upper)
        beyond = ((self.upper - far) / (self.upper - self.lower)) ** 2 / 2
        return np.where(np.asarray(factor) < 1, beyond, 1 - beyond)

    @cached_property
    def posterior(self) -> Floats:
        """What 1, 2, … true jobs of an establishment weigh if its infused count is 1 or 2.

        By Bayes' rule, from a weight of 1/c for c jobs before: small counts are more common.
        """
        true = np.arange(1, 2 + int((SMALL + 0.5) / (1 - self.upper)))
        weight = (self.below((SMALL + 0.5) / true) - self.below(0.5 / true)) / true
        return np.trim_zeros(weight / weight.sum(), "b")

    def perturbed(
        self, infused: Integers, posterior: Floats | None = None, uniforms: Uniforms | None = None
    ) -> Integers:
        """The output with counts of 1 and 2 drawn anew from a public posterior of 1, 2, … jobs."""
        weights = self.posterior if posterior is None else posterior
        if weights.ndim != 1 or not (weights.size and weights.min() >= 0 and weights.sum() > 0):
            raise InvalidParameter(
                "posterior",
                rule="must be a weight of 0 or more for each of 1, 2, … jobs, not all 0",
                value=shown(weights.tolist()),
                next_step="Leave it out for the one that follows from the bounds.",
            )
        small = (infused >= 1) & (infused <= SMALL)
        ends = np.cumsum(weights)
        places = (uniforms or secret_uniforms)(int(small.sum())) * ends[-1]
        drawn = infused.copy()
        drawn[small] = 1 + np.searchsorted(ends, places, side="right")
        return drawn

    def infused(self, entries: Entries, factors: Floats) -> Integers:
        """The cells (w, d) of a table in one world, suppressed ones included."""
        number, _ = _numbered(entries)
        noisy = entries.summed(entries.counts * factors[number][entries.row])
        return np.rint(noisy).astype(np.int64)

    def flags(self, counts: Integers, employers: Integers, infused: Integers) -> Integers:
        """1, 5 for suppressed or 9 for strongly distorted cells, from true counts and employers."""
        far = np.abs(infused - counts) > self.distortion * counts
        hidden = suppressed(counts, employers)
        return np.where(hidden, SUPPRESSED, np.where(far, DISTORTED, OK))


def suppressed(counts: Integers, employers: Integers) -> NDArray[np.bool_]:
    """Cells that are based on one or two persons or employers; zeros are published."""
    few = np.minimum(counts, employers)
    return (few > 0) & (few < FEWEST)


def owners(tables: Iterable[Entries]) -> Integers:
    """The employer of every establishment number; a number that no table has is its own."""
    known = [_numbered(table) for table in tables]
    size = 1 + max((int(number.max(initial=-1)) for number, _ in known), default=-1)
    employer = -1 - np.arange(size)
    for number, owner in known:
        employer[number] = owner
    return employer


def _numbered(entries: Entries) -> tuple[Integers, Integers]:
    """The numbers of establishments and of their employers."""
    if entries.establishment is None or entries.employer is None:
        raise TypeError("the entries were tabulated without employers")
    return entries.establishment, entries.employer
