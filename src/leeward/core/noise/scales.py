"""Scales: exact scales of noise, and the bounds of released numbers.

Nothing here draws, so a mechanism can be calibrated and judged without a random bit.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from leeward.core.noise.law import Law, PiecewiseLaw, read_law
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.noise.radial_law import RadialLaw, read_radius
from leeward.core.noise.tabulated import Floats, Words

BOUND = 2**62
"""Released values are clipped to ±BOUND, a public constant."""

MOST = 2**61
"""The largest count or size accepted: n + J then never leaves 64 bits."""

LEAST_NOISE, MOST_NOISE = -(BOUND + MOST), BOUND + 2**10
"""J saturates here, where n + J is beyond ±BOUND whatever J was, for −2^10 ≤ n ≤ MOST."""

WIDEST_GAUSSIAN = 2**55
"""The largest σ: beyond it proposals could reach the saturation bounds of a draw."""

DRAWS = 2000
"""Draws behind the margin of a sum."""

SEED_DIGITS = 12
"""Hexadecimal digits of a public seed: every reader of JSON holds the number exactly."""

Integers = NDArray[np.int64]
Some = slice | NDArray[np.intp]
"""Some of the entries of a column."""


@dataclass(frozen=True)
class Scales:
    """One exact positive rational a draw: factor·(max(base, floor) + shift), floats beside it."""

    base: Integers
    floor: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)

    @property
    def floats(self) -> Floats:
        """The scales in float64, within a relative error of ROUNDING."""
        size = np.maximum(self.base.astype(np.float64), float(self.floor)) + float(self.shift)
        return size * float(self.factor)

    def exact(self, i: int) -> Fraction:
        """The scale of draw i."""
        return self.factor * (max(Fraction(int(self.base[i])), self.floor) + self.shift)

    def part(self, some: Some) -> "Scales":
        """The scales of some of the draws."""
        return replace(self, base=self.base[some])


TwoScales = tuple[Scales, Scales]
"""Of counts and of payrolls, one entry a row."""


class Error(NamedTuple):
    """Expected value, absolute value and square of the integer noise; None where infinite."""

    mean: Floats | None
    absolute: Floats | None
    square: Floats | None


class AllScales(Protocol):
    """What is known of noise at many scales at once, without a law for each."""

    def quantiles(self, words: Words, sizes: Floats) -> tuple[Floats, Floats]:
        """The quantile of Z at word/2^64 for each scale, and a bound on its error."""

    def errors(self, sizes: Floats) -> Error:
        """Moments of the rounded noise at each scale."""


@dataclass(frozen=True)
class LawByScale:
    """Noise whose shape changes with its scale: a law for each scale below `large`, then one.

    `table` knows all laws at once, if every scale has a law.
    """

    large: Fraction
    beyond: Law
    below: Callable[[Fraction], Law]
    table: AllScales | None = None

    def at(self, scale: Fraction) -> Law:
        """The law at this scale."""
        return self.beyond if scale >= self.large else self.below(scale)

    def shared(self, scales: Scales) -> Iterator[tuple[Law, Some]]:
        """Each law that is needed, and the draws that share it."""
        base, least = scales.base, ceil(self.large / scales.factor - scales.shift)
        small = np.flatnonzero(base < least)
        if small.size < base.size:
            yield self.beyond, np.flatnonzero(base >= least)
        raised = np.maximum(base[small], int(scales.floor))
        order = small[np.argsort(raised, kind="stable")]
        starts = np.unique(np.sort(raised), return_index=True)[1]
        for some in np.split(order, starts[1:]) if small.size else ():
            yield self.at(scales.exact(int(some[0]))), some


Laws = Law | LawByScale
"""What noise is drawn from."""


def law_at(laws: Laws, scale: Fraction) -> Law:
    """The law of noise of this scale."""
    return laws.at(scale) if isinstance(laws, LawByScale) else laws


def by_law(laws: Laws, scales: Scales) -> Iterator[tuple[Law, Some]]:
    """Each law that is needed, and the draws that share it."""
    return laws.shared(scales) if isinstance(laws, LawByScale) else iter([(laws, slice(None))])


def public_seed(plan_digest: str, *words: str) -> int:
    """The seed of draws that every reader of a bundle may repeat."""
    text = " ".join((plan_digest, *words))
    return int(sha256(text.encode()).hexdigest()[:SEED_DIGITS], 16)


def whole_margins(margins: Floats) -> Integers:
    """Noise is whole, so a margin may be rounded down; a hair is added against float error.

    What is not a number becomes the largest margin: too wide is honest, too narrow is not.
    """
    with np.errstate(over="ignore"):
        wide = margins * (1 + 1e-9)
    jobs: Integers = np.floor(np.fmin(wide, float(BOUND))).astype(np.int64)
    return jobs


def bisect(reaches: Callable[[int], bool]) -> int:
    """The largest j that is reached, within the saturation bounds; reaches is monotone."""
    low, high = -1, 1
    while low > LEAST_NOISE and not reaches(low):
        low, high = max(2 * low, LEAST_NOISE), low
    while high < MOST_NOISE and reaches(high):
        low, high = high, min(2 * high, MOST_NOISE)
    if high == MOST_NOISE and reaches(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low


NORMAL, QUARTIC, PIECES = "normal", "quartic", "pieces"
"""The laws of Z in a certificate: standard normal, density ∝ 1/(1+z⁴), or pieces."""


@dataclass(frozen=True)
class Clip:
    """Clipping in a class of workplace cells; `establishments` is its largest number of them.

    The logarithm of the largest establishment over its noisy number is noise of scale `spread`;
    jobs are taken away where it is above `room`.
    """

    establishments: int
    spread: float
    room: float


@dataclass(frozen=True)
class CellNoise:
    """What a reader knows of the noise of a cell from what is published, in float64.

    The noise is scale·Z, rounded to whole jobs, and the scale is at least `least` jobs. It is taken
    to be `share` times the cell's margin: at this scale the margin of the cell is just wide enough,
    so it allows for what is not known of the scale. Where no establishment is larger than its cell,
    it is at most `slope` times the released value, which allows for the noise of that value; with a
    share of 0 it is just that. With `shared` = k the worker cells of a workplace cell have Z = L/H,
    L Laplace and one H ~ Gamma(k); with a radial law ρ·L/Σ|L|, one ρ of it, and Σ over as many
    worker cells as it has dimensions. `law` None is a standard normal Z. `relative`: the scale is
    that of the released value, the noise Z/(1+Z).

    Rounding moves the mean of the noise by at most `lean` jobs, whatever its scale; 0 where it does
    not, or where the scale is public. Where an interval has ends, its lower one stands for the
    margin. `clips` tells of clipping, the class of fewest establishments first; the last one is for
    all that have more.
    """

    law: Law | None
    share: float
    least: float
    shared: int | RadialLaw | None = None
    relative: bool = False
    slope: float | None = None
    clips: tuple[Clip, ...] = ()
    lean: float = 0.0

    def stated(self) -> dict[str, Any]:
        """The same as plain numbers, for a certificate; what does not apply is None."""
        pieces = self.law.stated() if isinstance(self.law, PiecewiseLaw) else None
        return {
            "law": PIECES if pieces else NORMAL if self.law is None else QUARTIC,
            "pieces": pieces,
            "share": self.share,
            "least": self.least,
            "shared": self.shared if isinstance(self.shared, int) else None,
            "radius": self.shared.stated() if isinstance(self.shared, RadialLaw) else None,
            "relative": self.relative or None,
            "per_job": self.slope,
            "clips": [vars(clip) for clip in self.clips] or None,
            "lean": self.lean or None,
        }

    @classmethod
    def read(cls, stated: Mapping[str, Any]) -> "CellNoise":
        """The noise that numbers state: what a reader of a certificate has."""
        laws: dict[str, Law | None] = {NORMAL: None, QUARTIC: QuarticLaw()}
        pieces, radius = stated["pieces"], stated.get("radius")
        return cls(
            laws[stated["law"]] if pieces is None else read_law(pieces),
            stated["share"],
            stated["least"],
            shared=read_radius(radius) if radius else stated["shared"],
            relative=bool(stated["relative"]),
            slope=stated["per_job"],
            clips=tuple(Clip(**one) for one in stated["clips"] or ()),
            lean=stated["lean"] or 0.0,
        )
