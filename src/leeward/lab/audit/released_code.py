"""Exams of the released code: compared with its definition, and sampled.

The code that a release calls is first run with noise that adds nothing, on empty, tiny and partly
covered establishments and beside larger ones, and must give the numbers of its definition, which
is written here once more in exact rationals. Nothing is imported from what the code calls.

Then it is sampled. Each workplace cell has noise of its own, so one release of many equal cells is
many draws. One half of the draws finds an event that distinguishes the databases; on the other
half its two probabilities are bounded (Clopper and Pearson 1934). The log-ratio of the bounds is a
lower bound of the loss that assumes nothing but independent draws.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice, repeat
from math import floor, isqrt, log, prod
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import ball, precision
from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Policy, StrongAlpha
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.exams import examined
from leeward.lab.audit.loss import Loss, worst
from leeward.lab.audit.neighbours import Depth, Pair, block_sizes, blocks, first_jobs
from leeward.lab.audit.recording import (
    CountMechanism,
    KeepingMechanism,
    RecordingNoise,
    clipped_release,
    entries,
)
from leeward.lab.audit.table_exam import LOW, SHOWS, Recorded

Events = NDArray[np.int64]
Release = Callable[[Database, int], Floats]
"""A release of several workplace cells that all hold this database: one row a cell."""

RELEASED_CODE = "released code"
DRAWS, FEWER_DRAWS = 1 << 18, 1 << 14
"""Draws of each database; discrete Gaussian noise is drawn more slowly."""

FALSE_ALARM = Fraction(1, 10**6)
"""Error probability of one bound. A table has far fewer than a thousand, so all hold together at
99.9 %."""

BINS = {1: 64, 2: 24, 3: 14}
"""Bins of each released number, by how many numbers there are."""

STEPS = 7
"""Bisections after the first: to a hundredth of eight standard errors and twenty draws."""

CAUTION = 4.75
"""Standard errors by which a bound is expected to be below its estimate."""

GRID = 32
COUNTS = "releases other counts than it was given"
INDEX = "releases another index than that of the largest establishment"
SUMS = "clips otherwise than by all jobs of an establishment"
JOBS = "releases other jobs than its sums"


@dataclass(frozen=True)
class CodeExam:
    """How the released code of one kind of mechanism is examined.

    `faults` names departures from the definition on given databases, `pairs` are the neighbours
    that are sampled.
    """

    faults: Callable[[Any, list[Database]], Iterator[str]]
    pairs: Callable[[Any, Policy], Iterator[Pair]]
    draws: int = DRAWS
    drawn: Callable[[Mechanism, Database, int], Floats] | None = None
    """What draws of a database show, if it is not a table by kinds of worker."""

    kinds: Callable[[Mechanism], tuple[int, ...]] = lambda mechanism: (
        mechanism.parameters.cells,
        mechanism.parameters.cells + 1,
    )
    """Kinds of worker in the databases whose release is compared with its definition."""

    databases: Callable[[Any, int], list[Database]] = lambda mechanism, kinds: list(
        databases(mechanism.parameters.alpha or Fraction(1, 10), kinds, mechanism.parameters.plus)
    )
    """These databases: neighbours, one after the other."""

    def __call__(self, mechanism: Mechanism, name: str, _: Depth) -> Loss:
        """The released code compared with its definition, and then sampled."""
        fault = self.fault(mechanism)
        if fault:
            return Loss(arb("nan"), arb("nan"), arb("nan"), fault=fault)
        return self.sampled(mechanism, examined(mechanism, name))

    def fault(self, mechanism: Mechanism) -> str:
        """How the released code departs from its definition; empty where it does not."""
        for kinds in self.kinds(mechanism):
            first = next(self.faults(mechanism, self.databases(mechanism, kinds)), "")
            if first:
                return first
        return ""

    def sampled(self, mechanism: Mechanism, protected: Policy) -> Loss:
        """The largest lower bound over pairs and directions."""
        delta = mechanism.parameters.delta  # with Gaussian noise, ε is what ρ implies at this δ
        experiments = [Experiment(pair, self.draws) for pair in self.pairs(mechanism, protected)]
        release = partial(self.drawn or drawn, mechanism)
        loss = worst(experiment.loss(release, delta) for experiment in experiments)
        return replace(loss, draws=self.draws)


@dataclass(frozen=True)
class Experiment:
    """Two databases, and how often each is released."""

    pair: Pair
    draws: int = DRAWS

    def loss(self, release: Release, delta: Fraction) -> Loss:
        """A lower bound in either direction."""
        before, after = (release(database, self.draws) for database in self.pair.databases)
        ways = (lower_bound(before, after, delta), lower_bound(after, before, delta))
        return Loss(*ways, arb("nan"))


# Definitions.


def databases(alpha: Fraction, kinds: int, plus: int) -> Iterator[Database]:
    """Both sides of every pair that blocks are examined on."""
    for pair in blocks(StrongAlpha(plus), alpha, kinds, block_sizes(alpha, 100, plus)):
        yield from pair.databases


def count_faults(mechanism: CountMechanism, databases: list[Database]) -> Iterator[str]:
    """All jobs, or the grid index of the largest establishment."""
    counts = [database.size for database in databases]
    largest = [database.largest for database in databases]
    noise = RecordingNoise()
    sizes = np.array(largest) if mechanism.follows == "largest" else None
    values = mechanism._release(np.array(counts), sizes, noise)
    if not mechanism.counted:
        counts = [grid_index(size, mechanism.parameters) for size in largest]
    if values.tolist() != counts or noise.requests[0].true.size != len(counts):
        yield COUNTS if mechanism.counted else INDEX


def kept_faults(mechanism: Any, databases: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """The jobs of establishments of at most θ jobs, by the measurement of a table."""
    noise = RecordingNoise()
    table: Measurement = mechanism.measurement(by_cell=False, margins=NoMargins())
    values = table._measure(entries(databases, 1), noise).values.ravel()
    kept = [
        sum(force.jobs[0] for force in database.establishments if force.size <= mechanism.theta)
        for database in databases
    ]
    if values.tolist() != kept or noise.requests[0].true.tolist() != kept:
        yield COUNTS


def block_faults(mechanism: CountMechanism, databases: list[Database]) -> Iterator[str]:
    """The jobs of each kind that the table has."""
    cells = mechanism.parameters.cells
    counts = [list(database.by_kind[:cells]) for database in databases]
    largest = np.array([database.largest for database in databases])
    if mechanism._release(np.array(counts), largest, RecordingNoise()).tolist() != counts:
        yield COUNTS


def clipped_faults(mechanism: Any, databases: list[Database]) -> Iterator[str]:  # noqa: ANN401
    """Index, sums in lattice points, and whole jobs; the bound θ is only read.

    With the same noisy numbers a table shows the same of neighbours.
    """
    lattice, parameters = mechanism.clipping.lattice, mechanism.parameters
    true = [grid_index(database.largest, parameters) for database in databases]
    for low in LOW:
        run = clipped_release(mechanism, databases, np.array(true) - low)
        if run.index.true.tolist() != true:
            yield INDEX
        sums = [row.tolist() for row in run.sums.true.reshape(run.values.shape)]
        for database, theta, row in zip(databases, run.theta.tolist(), sums, strict=True):
            wanted = clipped_sums(database, Fraction(theta, lattice), lattice)
            if row != list(islice(wanted, len(row))):
                yield SUMS
        if run.values.tolist() != [[_whole_jobs(n, lattice) for n in row] for row in sums]:
            yield JOBS
    table = mechanism.measurement(by_cell=False, margins=PublicMargins())
    neighbours = map(Pair, databases[::2], databases[1::2])
    for pair in (*neighbours, *first_jobs(mechanism.parameters.cells)):
        if Recorded.of(table, pair.before).shows_more(table, pair.after):
            yield SHOWS


def _whole_jobs(points: int, lattice: int) -> int:
    return floor(Fraction(points, lattice) + Fraction(1, 2))


def clipped_sums(database: Database, theta: Fraction, lattice: int) -> Iterator[int]:
    """Σ over establishments of ⌊lattice·c·min(1, θ/|E|)⌋, for each kind of worker."""
    factors = [min(Fraction(1), theta / max(size, 1)) for size in database.sizes]
    for kind in zip(*(force.jobs for force in database.establishments), strict=True):
        yield sum(floor(lattice * c * f) for c, f in zip(kind, factors, strict=True))


def grid_index(size: int, parameters: Parameters) -> int:
    """⌊32·ln A/ln(1+α)⌋ with A = max(size, Δ/α)."""
    alpha = parameters.growth
    return log_index(max(Fraction(size), Fraction(parameters.plus) / alpha), alpha)


def log_index(number: Fraction, alpha: Fraction) -> int:
    """⌊32·ln(number)/ln(1+α)⌋, by whole powers of both."""
    grown = 1 + alpha
    power, index = number**GRID, floor(GRID * log(number) / log(grown))
    while grown**index > power:
        index -= 1
    while grown ** (index + 1) <= power:
        index += 1
    return index


# Draws.


def drawn(mechanism: Mechanism, database: Database, draws: int) -> Floats:
    """What a table of equal workplace cells shows, by the function that measures it.

    Where the scale of the noise is public and differs, it is shown too, and values are in units
    of it, since their noise follows it.
    """
    columns = entries([database], mechanism.parameters.cells, draws)
    measured = mechanism.measurement(by_cell=False, margins=NoMargins()).measure(columns)
    scale, values = measured.law.scale, measured.values.astype(np.float64)
    if scale is None or (scale == scale[0]).all():
        return values
    return np.column_stack((scale, values / scale[:, None]))


def count_pairs(mechanism: Mechanism, protected: Policy) -> Iterator[Pair]:
    """The empty establishment, sizes at which a mechanism loses most, and a second one."""
    alpha, none = mechanism.parameters.alpha, (0,) * (mechanism.parameters.cells - 1)
    yield Pair.of((0, *none), (1, *none))
    if alpha is None or not protected.uses_alpha:
        return
    full, part = 1000 + int(1000 * alpha), 1000 + int(500 * alpha)
    yield Pair.of((1000, *none), (full, *none))
    yield Pair.of((1000, *none), (full, *none), (part, *none))


def block_pairs(mechanism: Mechanism, protected: Policy) -> Iterator[Pair]:
    """The same, and pairs with workers of a kind that the table does not have."""
    yield from count_pairs(mechanism, protected)
    alpha, none = mechanism.parameters.alpha, (0,) * (mechanism.parameters.cells - 1)
    if alpha is not None and protected.name == "strong":
        joined = int(10000 * alpha)
        yield Pair.of((0, *none, 10000), (joined, *none, 10000))  # most are outside the table
        yield Pair.of((joined, *none, 0), (joined, *none, int(alpha * joined)))


def removal_pairs(mechanism: KeepingMechanism, _: Policy) -> Iterator[Pair]:
    """The largest establishment that is counted, and one that is not."""
    yield Pair.of((0,), (mechanism.theta,))
    yield Pair.of((0,), (mechanism.theta + 1,))
    yield Pair.of((0,), (100 * mechanism.theta,))


COUNT_CODE = CodeExam(count_faults, count_pairs)
KEPT_CODE = CodeExam(kept_faults, removal_pairs)
BLOCK_CODE = CodeExam(block_faults, block_pairs)
CLIPPED_CODE = CodeExam(clipped_faults, block_pairs)
GAUSSIAN_CODE = replace(CLIPPED_CODE, draws=FEWER_DRAWS)


def lower_bound(ahead: Floats, behind: Floats, delta: Fraction = Fraction(0)) -> arb:
    """What ln((P(event) − δ)/Q(event)) exceeds, for an event found on the first half."""
    half = len(ahead) // 2
    edges = _edges(np.concatenate((ahead[:half], behind[:half])))
    p, q = (_binned(sample, edges) for sample in (ahead, behind))
    inside = _distinguishing(p[:half], q[:half], prod(cuts.size + 1 for cuts in edges))
    seen, other = (int(np.count_nonzero(inside[bins[half:]])) for bins in (p, q))
    rest = len(ahead) - half
    with precision(64):
        least = at_least(seen, rest) - ball(delta)
        greatest = 1 - at_least(rest - other, rest)
        return (least / greatest).log() if least > 0 else arb(0)


def _edges(values: Floats) -> list[Floats]:
    """Quantiles of both databases together, so that no bin is empty in both."""
    shares = np.linspace(0, 1, BINS[values.shape[1]] + 1)[1:-1]
    return [np.unique(np.quantile(column, shares)) for column in values.T]


def _binned(sample: Floats, edges: list[Floats]) -> Events:
    """One number for each draw: the bins of all its released numbers."""
    numbers: Events = np.zeros(len(sample), dtype=np.int64)
    for column, cuts in zip(sample.T, edges, strict=True):
        numbers = numbers * (cuts.size + 1) + np.searchsorted(cuts, column, side="right")
    return numbers


def _distinguishing(p: Events, q: Events, bins: int) -> NDArray[np.bool_]:
    """The bins of the largest log-ratios, up to where a cautious guess of the bound is largest."""
    seen, other = (np.bincount(each, minlength=bins) for each in (p, q))
    order = np.argsort(-np.log((seen + 0.5) / (other + 0.5)), kind="stable")
    a, b = (np.cumsum(counts[order]) + 0.5 for counts in (seen, other))
    guess = np.log(a / b) - CAUTION * np.sqrt(1 / a + 1 / b)
    inside = np.zeros(bins, dtype=np.bool_)
    inside[order[: int(np.argmax(guess)) + 1]] = True
    return inside


def at_least(hits: int, draws: int) -> arb:
    """A probability that was exceeded, but for FALSE_ALARM: P(at least `hits`) is no more there.

    P(at least a of n) at p is the regularised incomplete beta function I_p(a, n − a + 1), which
    rises with p; the answer is the lower end of a bisection, so that it errs downwards.
    """
    if hits == 0:
        return arb(0)
    low, high = Fraction(0), Fraction(hits, draws)
    near = high - Fraction(isqrt(64 * hits * (draws - hits) // draws) + 20, draws)
    with precision(64):
        for middle in (near, *repeat(None, STEPS)):
            p = (low + high) / 2 if middle is None else max(middle, low)
            rare = ball(p).beta_lower(hits, draws - hits + 1, regularized=True)
            low, high = (p, high) if rare <= ball(FALSE_ALARM) else (low, p)
    return ball(low)
