"""Coverage of totals over very many cells: how often 90 % intervals hold the truth.

`python -m benchmarks.sums` adds up the errors of 10² to 2²² cells as releases and readers do, with
eight seeds, and computes from the characteristic function of the sum how probable it is that the
truth is inside. Scales are known here, so that nothing but the draws is examined. The bar is a mean
of .885 to .92, and each seed in .87 to .93. Where rounding moves the mean of the noise in a way
that depends on a secret scale, intervals allow for it: only too few are a miss, and the last column
says what they would hold otherwise. It ends with an error if the bar is missed.
Five minutes; `--quick` leaves out 2²⁰ and more.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lgamma, log
from statistics import NormalDist, mean
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

import leeward
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.radial_slope import RadialSlope
from leeward.core.noise.law import Law, discrete_laplace, laplace, pareto
from leeward.core.noise.scales import CellNoise, Clip, law_at
from leeward.core.noise.summed_errors import SummedErrors
from leeward.core.noise.sums import ErrorDraws

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NUMBERS = (100, 10_000, 1 << 16, 1 << 20, 1 << 22)
SEEDS = (11, 5011, 90011, 70011, 123, 777, 31337, 2026)
MEAN, EACH = (0.885, 0.92), (0.87, 0.93)
"""The bar: between which the mean of all seeds is, and each of them."""

AT_ONCE = 1 << 10
TIMES = np.geomspace(1e-10, 3.0, 500)
"""Where characteristic functions are tabulated."""

WHOLE, RATIO, FARTHEST = 512, 1.02, 2.0**55
"""Masses are taken job by job up to here, then in geometric cells."""

GONE = 1e-15
"""A characteristic function below this is taken to be this."""

VANISHED, POINTS = 40.0, 4000
"""A characteristic function is integrated until it is e^−VANISHED, at so many points."""


@dataclass(frozen=True)
class Curve:
    """ln φ of an error: ln(−Re), and Im over t, at all TIMES."""

    falling: Floats
    turning: Floats

    @classmethod
    def of(cls, points: Floats, masses: Floats) -> "Curve":
        """Of masses at points; they need not add up to 1 by what is lost of a far tail."""
        masses = masses / masses.sum()
        less, sine = np.empty(len(TIMES)), np.empty(len(TIMES))
        for at, t in enumerate(TIMES):
            less[at] = 2 * (masses @ np.sin(t * points / 2) ** 2)
            sine[at] = masses @ np.sin(t * points)
        return cls.from_parts(less, sine)

    @classmethod
    def from_parts(cls, less: Floats, sine: Floats) -> "Curve":
        """Of 1 − Re φ and Im φ."""
        real = np.log1p(np.maximum(less**2 + sine**2 - 2 * less, GONE - 1)) / 2
        return cls(np.log(np.maximum(-real, 1e-300)), np.arctan2(sine, 1 - less) / TIMES)

    def at(self, t: Floats) -> NDArray[np.complex128]:
        places, x = np.log(TIMES), np.log(t)
        real = -np.exp(np.interp(x, places, self.falling))
        found: NDArray[np.complex128] = real + 1j * t * np.interp(x, places, self.turning)
        return found


@dataclass(frozen=True)
class Kind:
    """One kind of cells: scale, value, establishments, and its errors for both ends."""

    scale: int
    value: int
    low: Curve
    high: Curve
    establishments: int = 1


@dataclass(frozen=True)
class Case:
    """Cells of some kinds in turn; `cells` to a workplace cell, one column of them or their sum."""

    name: str
    noise: CellNoise
    kinds: Sequence[Kind]
    cells: int = 1
    whole: bool = False
    sizes: int = 4
    """How many of NUMBERS are examined: 2²² for laws that differ in their tails alone."""


def distribution(curves: Sequence[tuple[Curve, int]]) -> Callable[[float], float]:
    """P(sum ≤ x) of so many errors of each curve (Gil-Pelaez 1951)."""

    def logarithm(t: Floats) -> NDArray[np.complex128]:
        return sum((count * curve.at(t) for curve, count in curves), np.zeros(len(t), complex))

    low, high = log(float(TIMES[0])), log(float(TIMES[-1]))
    for _ in range(60):
        middle = (low + high) / 2
        gone = logarithm(np.full(1, exp(middle)))[0].real < -VANISHED
        low, high = (low, middle) if gone else (middle, high)
    step = exp(high) / POINTS
    t = np.asarray((np.arange(POINTS) + 0.5) * step, np.float64)
    phi = np.exp(logarithm(t))
    return lambda x: float(0.5 - ((np.exp(-1j * t * x) * phi).imag / t).sum() * step / np.pi)


def masses(law: Law, scale: float) -> tuple[Floats, Floats]:
    """Errors −⌊scale·Z + ½⌋ with their masses."""
    cells = int(np.ceil(np.log(FARTHEST / WHOLE) / np.log(RATIO)))
    far = np.rint(WHOLE * RATIO ** np.arange(1, cells))
    edges = np.concatenate([np.arange(WHOLE + 1), np.unique(far)]) + 0.5
    below, above = law.float_tails(-edges / scale)[0], law.float_tails(edges / scale)[1]
    middle = 1 - below[0] - above[0]
    points = (edges[1:] + edges[:-1]) / 2
    return (
        np.concatenate([[0.0], -points, points]),
        np.concatenate([[middle], -np.diff(above), -np.diff(below)]),
    )


def same(scale: int, curve: Curve) -> Kind:
    return Kind(scale, 1000, curve, curve)


def power(r: str) -> Case:
    """|Z| = U^(−1/r) − 1 with random signs, at log-normal scales."""
    law = pareto(Fraction(r))
    scales = [round(20 * exp(NormalDist().inv_cdf((i + 0.5) / 16))) for i in range(16)]
    kinds = [same(one, Curve.of(*masses(law, one))) for one in scales]
    return Case(f"power tail r = {r}", CellNoise(law, 1.0, 0.0), kinds, sizes=len(NUMBERS))


def mechanism(name: str, epsilon: str, scales: Sequence[int]) -> Case:
    """A mechanism of plans; its law may change with the scale, and is stated for large ones."""
    made = leeward.mechanism(name, alpha="0.1", epsilon=epsilon)
    if not isinstance(made, Additive):
        raise SystemExit(f"{name} has no law")
    kinds = [same(one, Curve.of(*masses(law_at(made.laws, Fraction(one)), one))) for one in scales]
    noise = CellNoise(made.law, 1.0, 0.0, lean=made.lean)
    return Case(f"{name} {epsilon}, S {scales[0]} to {scales[-1]}", noise, kinds)


def edge(epsilon: str) -> Case:
    """Discrete Laplace noise of a public scale."""
    law = discrete_laplace(1 / Fraction(epsilon))
    kinds = [same(1, Curve.of(*masses(law, 1.0)))]
    return Case(f"edge_laplace {epsilon}", CellNoise(law, share=0.0, least=1.0), kinds)


def gaussian() -> Case:
    """Rounded normal noise."""
    kinds = [
        same(one, Curve.from_parts(-np.expm1(-((one * TIMES) ** 2 + TIMES**2 / 12) / 2), 0 * TIMES))
        for one in (2, 5, 30)
    ]
    return Case("gaussian", CellNoise(None, 1.0, 0.0), kinds)


def block(k: int, *, whole: bool) -> Case:
    """Worker cells L/H with one H ~ Gamma(k): one column of four, or the sum of all."""
    logarithms = np.linspace(np.log(k) - 60 / k - 20 / np.sqrt(k), np.log(k) + 4, 6000)
    weights = np.exp(k * logarithms - np.exp(logarithms) - lgamma(k))
    weights /= weights.sum()
    kinds = []
    for scale in (50, 100, 400, 3000):
        wide = scale * np.exp(-logarithms)
        squares = (wide[:, None] * TIMES) ** 2
        cells = 4 if whole else 1
        less = weights @ -np.expm1(-cells * (np.log1p(squares) + TIMES**2 / 24))
        kinds.append(same(scale, Curve.from_parts(less, 0 * TIMES)))
    name = f"block of 4, k = {k}, " + ("their sum" if whole else "one column")
    return Case(name, CellNoise(None, 1.0, 0.0, shared=k), kinds, 4, whole)


def radial(cells: int, epsilon: str) -> Case:
    """One column of worker cells of a radial slope, whose radius is that of all of them."""
    made = leeward.mechanism("radial_slope", alpha="0.1", epsilon=epsilon, cells=cells)
    if not isinstance(made, RadialSlope):
        raise SystemExit("radial_slope is not what it was")
    law = made.public_law
    kinds = [same(one, Curve.of(*masses(law, one))) for one in (50, 100, 400, 3000)]
    noise = CellNoise(law, 1.0, 0.0, shared=made.radius)
    return Case(f"radial slope {epsilon}, one of {cells} columns", noise, kinds, cells)


CLIPS = (Clip(1, 0.265, 0.217), Clip(4, 0.321, 0.0), Clip(1024, 0.08, 0.304))
"""Classes of `clipped` at ε = 1 with one and with four worker cells, and at ε = 4."""

CLIPPED = ((5, 20), (5, 200), (10, 25), (8, 4), (3, 1000), (12, 60))
"""Scales and values, the classes in turn."""


def clipped() -> Case:
    """Laplace noise, and a share of the jobs that clipping takes at most."""
    found = []
    for number, (scale, value) in enumerate(CLIPPED):
        clip = CLIPS[number % len(CLIPS)]
        errors, weights = masses(laplace(), scale)
        kept = np.abs(errors) < 15 * scale
        errors, weights = errors[kept], weights[kept]
        shares, chances = growth(clip)
        more = errors[:, None] + np.maximum(value + errors, 0)[:, None] * shares
        both = (weights[:, None] * chances).ravel()
        low, high = Curve.of(errors, weights), Curve.of(*gathered(more.ravel(), both))
        found.append(Kind(scale, value, low, high, clip.establishments))
    return Case("clipped", CellNoise(laplace(), 1.0, 0.0, clips=CLIPS), found)


def gathered(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Masses on a grid, each shared by the points beside it so that its mean stays."""
    far = WHOLE * 1.005 ** np.arange(1, 4000)
    grid = np.concatenate([-far[::-1], np.arange(-WHOLE, WHOLE + 0.25, 0.5), far])
    at = np.searchsorted(grid, points, side="right") - 1
    part = (points - grid[at]) / (grid[at + 1] - grid[at])
    found = np.zeros(len(grid))
    np.add.at(found, at, weights * (1 - part))
    np.add.at(found, at + 1, weights * part)
    return grid[found > 0], found[found > 0]


def growth(clip: Clip) -> tuple[Floats, Floats]:
    """e^G − 1 in cells of G = spread·L − room above 0, L Laplace, each by its mean; 0 first."""
    rate = 1 / clip.spread
    edges = np.linspace(0, min(30 / rate, 40.0), 121)
    tails = np.exp(-rate * (edges + clip.room)) / 2
    chances = -np.diff(tails)
    grown = -np.diff(rate / (rate - 1) * np.exp(edges) * tails) / chances
    return np.concatenate([[0.0], grown - 1]), np.concatenate([[1 - tails[0]], chances])


def summed(case: Case, number: int, draws: ErrorDraws) -> SummedErrors:
    """The errors of the sum of so many cells, a part at a time."""
    scales, values, frame = (
        np.array([getattr(kind, name) for kind in case.kinds])
        for name in ("scale", "value", "establishments")
    )
    total: SummedErrors | None = None
    for start in range(0, number, AT_ONCE):
        kind = np.arange(start, min(start + AT_ONCE, number)) % len(case.kinds)
        shape = (len(kind), case.cells)
        below, own = (np.broadcast_to(one[kind, None], shape) for one in (scales, values))
        errors = draws.cells(own, below, frame[kind])
        if case.whole:
            errors = errors.over(np.zeros(case.cells, np.int64))
        part = errors.grouped(np.zeros(len(kind), np.int64))
        total = part if total is None else total.plus(np.zeros(1, np.int64), part)
    if total is None:
        raise AssertionError("no cells")
    return total


def coverage(case: Case, number: int, seeds: Sequence[int] = SEEDS) -> tuple[list[float], float]:
    """What the interval of each seed holds, and without the allowance for rounding on average."""
    counts = np.bincount(np.arange(number) % len(case.kinds), minlength=len(case.kinds)).tolist()
    ends = [
        distribution(
            [(getattr(kind, side), count) for kind, count in zip(case.kinds, counts, strict=True)]
        )
        for side in ("low", "high")
    ]
    held, bare = [], []
    for seed in seeds:
        draws = ErrorDraws(case.noise, seed)
        drawn = summed(case, number, draws).drawn()[:, :1]
        found = draws.margins(("low", "high"), np.zeros((1, 1), np.int64), drawn)
        low, high = (int(found[name][0, 0]) for name in ("low", "high"))
        held.append(ends[1](high + 0.5) - ends[0](low - 0.5))
        lean = case.noise.lean * number
        bare.append(ends[1](high - lean + 0.5) - ends[0](low + lean - 0.5))
    return held, mean(bare)


def reached(case: Case, held: Sequence[float]) -> bool:
    """Whether the bar is."""
    most = 1.0 if case.noise.lean else MEAN[1], 1.0 if case.noise.lean else EACH[1]
    return MEAN[0] <= mean(held) <= most[0] and EACH[0] <= min(held) <= max(held) <= most[1]


def cases() -> Iterator[Case]:
    """All that is examined."""
    yield from (power(r) for r in ("10", "3", "2.2", "1.5"))
    yield mechanism("slope", "1", (10,))
    yield mechanism("slope", "1", (10, 17, 40, 200))
    yield mechanism("staircase", "4", (40,))
    yield mechanism("staircase", "4", (10, 17, 40, 200))
    yield mechanism("smooth_gamma", "4", (10, 30, 100))
    yield edge("1")
    yield gaussian()
    yield from (block(k, whole=whole) for k in (2, 40) for whole in (False, True))
    yield radial(8, "1")
    yield radial(24, "4")
    yield clipped()


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    print(f"bar: mean in {MEAN}, each seed in {EACH}; {len(SEEDS)} seeds")
    print(f"{'':34} {'cells':>8}  {'mean':>5}  seeds       seconds  without allowance")
    missed = 0
    for case in cases():
        for number in NUMBERS[: 3 if quick else case.sizes]:
            start = perf_counter()
            held, bare = coverage(case, number)
            well = reached(case, held)
            missed += not well
            said = f"{case.name:34} {number:8}  {mean(held):.3f}  {min(held):.3f}–{max(held):.3f}"
            said += f"  {(perf_counter() - start) / len(SEEDS):7.2f}"
            said += f"  {bare:.3f}" if case.noise.lean else ""
            print(said + ("" if well else "  missed"), flush=True)
    if missed:
        raise SystemExit(f"{missed} of these miss the bar")


if __name__ == "__main__":
    main()
