"""Lone cells: workplace cells that are one establishment, what is known of them and of factors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.truth import Truth

LARGE, LARGEST = 50, 250
"""Establishments whose shares are looked at."""


@dataclass(frozen=True, eq=False, repr=False)
class Alone:
    """Workplace cells of one establishment: true counts (w, d), and the employer of each."""

    counts: Integers
    employer: Integers

    @classmethod
    def of(cls, truth: Truth) -> "Alone":
        """The cells with one establishment in the frame, and with jobs."""
        entries = truth.entries
        if entries.in_frame is None or entries.employer is None:
            raise TypeError("the entries were tabulated without a frame or without employers")
        counts = truth.counts[entries.workplace]
        single = (entries.in_frame[entries.workplace] == 1) & (counts.sum(axis=1) > 0)
        if not single.any():
            raise InvalidParameter(
                "tables",
                rule="must have workplace cells of one establishment to be attacked",
                value="none in the first table with worker attributes",
                next_step="Take a plan with a finer table.",
            )
        return cls(counts[single], entries.employer[single])

    @cached_property
    def sizes(self) -> Integers:
        """All jobs of each."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def shares(self) -> Floats:
        """The worker cells as shares of the size."""
        return np.asarray(self.counts / self.sizes[:, None])

    @property
    def shape(self) -> Floats:
        """The shares of all of them together: what is known without a release."""
        return np.asarray(self.counts.sum(axis=0) / self.counts.sum())

    def from_size(self, least: int, most: int | None = None) -> "Alone":
        """Those with at least this number of jobs, the first `most` of them."""
        some = np.flatnonzero(self.sizes >= least)[:most]
        return Alone(self.counts[some], self.employer[some])


def fitted(estimates: Floats, totals: Integers) -> Integers:
    """Whole numbers nearest to estimates (…, w, d) that add up to the totals (w,)."""
    near = np.rint(estimates)
    rest = estimates - near
    each, some = np.divmod(totals - near.sum(axis=-1), near.shape[-1])
    place = np.argsort(np.argsort(-rest, axis=-1, kind="stable"), axis=-1)
    return np.asarray(near + each[..., None] + (place < some[..., None]), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Judged:
    """Estimates of someone who knows the sizes: how many are exact, and how far shares are off."""

    exact: float
    exact_large: float | None
    points_large: float | None
    estimates: Integers

    def as_json(self) -> dict[str, Any]:
        """All but the estimates."""
        return {name: number for name, number in vars(self).items() if name != "estimates"}


def judged(alone: Alone, estimates: Sequence[Integers], shares: Floats) -> Judged:
    """Estimates (w, d) of each release, and their shares before they were made whole."""
    right = np.stack(estimates) == alone.counts
    large = alone.sizes >= LARGE
    off = np.abs(np.broadcast_to(shares, right.shape) - alone.shares)
    return Judged(
        float(right.mean()), mean_of(right[:, large]), mean_of(100 * off[:, large]), estimates[0]
    )


def mean_of(values: ArrayLike) -> float | None:
    """None of nothing."""
    given = np.asarray(values)
    return float(given.mean()) if given.size else None


SEVERAL, QUARTERS, STEP = 10, 12, 0.05
"""Jobs of establishments that are followed, quarters, and the deviation of log growth in one."""
WHOLE, WATCHED, ROWS, GRID = 30, (1, 4, 12, 40), 60, 1000
"""Jobs, quarters and number of establishments for integrality, and steps of each side's factors."""


def shape(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """Mean error of shares in points, rounded, with no knowledge; unrounded they are exact."""
    factors = Infusion().factors(alone.employer, bits.generator.random)[:, None]
    total = np.maximum(np.rint(alone.sizes[:, None] * factors), 1)
    shares = np.rint(alone.counts * factors) / total
    error = 100 * np.abs(shares - alone.shares)
    return {
        f"points_from_{least}_jobs": mean_of(error[alone.sizes >= least])
        for least in (LARGE, LARGEST)
    }


def integrality(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """How many unrounded rows are found exactly from their being whole numbers alone."""
    some, noise = alone.from_size(WHOLE), Infusion()
    factors = noise.factors(some.employer, bits.generator.random)
    rows = some.counts * factors[:, None]
    right = [_only_factor(row, noise, float(f)) for row, f in zip(rows, factors, strict=True)]
    return {"rows": len(right), "exact": sum(right)}


def _only_factor(row: Floats, noise: Infusion, true: float) -> bool:
    """Whether the true factor is the only one that makes all cells whole numbers."""
    top = float(row.max())
    jobs = np.arange(ceil(top / (1 + noise.upper)), floor(top / (1 - noise.upper)) + 1)
    factors = top / jobs[np.abs(top / jobs - 1) >= noise.lower * (1 - 1e-9)]
    counts = row / factors[:, None]
    fits = factors[(np.abs(counts - np.rint(counts)) < 1e-6).all(axis=1)]
    return len(fits) == 1 and abs(float(fits[0]) - true) < 1e-9


def _quarters(sizes: Integers, quarters: int, bits: SeededBits) -> Integers:
    """Made-up quarters: sizes that move by lognormal steps, the first ones as they are."""
    steps = STEP * bits.generator.standard_normal((quarters, sizes.size))
    steps[0] = 0
    return np.maximum(np.rint(sizes * np.exp(np.cumsum(steps, axis=0))), 1).astype(np.int64)


def known_quarter(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """What one known quarter gives of the others, and growth with none, which has no factor."""
    some = alone.from_size(SEVERAL)
    sizes = _quarters(some.sizes, QUARTERS, bits)
    seen = np.rint(sizes * Infusion().factors(some.employer, bits.generator.random))
    recovered = np.rint(seen[1:] * (sizes[0] / seen[0]))
    growth = 100 * np.abs(seen[1:] / seen[:-1] - sizes[1:] / sizes[:-1])
    return {
        "quarters": QUARTERS,
        "exact": mean_of(recovered == sizes[1:]),
        "mean_error": mean_of(np.abs(recovered - sizes[1:]) / sizes[1:]),
        "growth_points": mean_of(growth),
    }


def integrality_rounded(alone: Alone, bits: SeededBits) -> list[dict[str, Any]]:
    """How far rounded rows narrow the factor down, by Bayes' rule from the ramp and 1/c.

    The 95 % set as a share of all factors, and how often it and the likelier side are right.
    The weight of c jobs before is 1/c: a flat one would prefer the factors with more whole numbers
    in reach, which are the small ones.
    """
    some, noise = alone.from_size(WHOLE, ROWS), Infusion()
    edges = noise.lower + (noise.upper - noise.lower) * np.linspace(0, 1, GRID + 1)
    low = np.concatenate([1 - edges[:0:-1], 1 + edges[:-1]])
    high = np.concatenate([1 - edges[-2::-1], 1 + edges[1:]])
    true = noise.factors(some.employer, bits.generator.random)
    weight = np.log(np.diff(np.stack([noise.below(low), noise.below(high)]), axis=0)[0])
    belief = np.tile(weight, (len(true), 1))
    answers = []
    for quarter, sizes in enumerate(_quarters(some.sizes, WATCHED[-1], bits), 1):
        row = bits.generator.multinomial(sizes, some.shares)
        for cell in np.rint(np.column_stack([row, sizes]) * true[:, None]).T:
            belief += np.where(cell[:, None] > 0, np.log(_likely(cell[:, None], low, high)), 0)
        belief -= belief.max(axis=1, keepdims=True)
        if quarter in WATCHED:
            at = np.searchsorted(low, true, side="right") - 1
            share = np.exp(belief)
            share /= share.sum(axis=1, keepdims=True)
            place = np.argsort(np.argsort(-share, axis=1, kind="stable"), axis=1)
            inside = (np.cumsum(-np.sort(-share, axis=1), axis=1) < 0.95).sum(axis=1) + 1
            up = share[:, GRID:].sum(axis=1) > 0.5
            answers.append({
                "quarters": quarter,
                "support_left": mean_of(inside / (2 * GRID)),
                "covers": mean_of(place[np.arange(len(at)), at] < inside),
                "side_right": mean_of(up == (at >= GRID)),
            })  # fmt: skip
    return answers


def _likely(seen: Floats, low: Floats, high: Floats) -> Floats:
    """Σ 1/c over the counts c that a factor rounds to what is seen, its mean from low to high."""
    first = np.maximum(np.ceil((seen - 0.5) / high), 1)
    total = np.zeros(first.shape)
    for jobs in (first, first + 1, first + 2):
        part = np.minimum(high, (seen + 0.5) / jobs) - np.maximum(low, (seen - 0.5) / jobs)
        total += np.maximum(part, 0) / (jobs * (high - low))
    return np.maximum(total, 1e-300)
