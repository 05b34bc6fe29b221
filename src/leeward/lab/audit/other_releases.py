"""Other releases: protections without the ε that they claim, and mechanisms of too little noise."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log

from flint import arb

from leeward.core.exact import ball
from leeward.core.mechanisms.edge_laplace import EdgeLaplace
from leeward.core.mechanisms.log_laplace import LogLaplace, log_laplace_law
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.stairs import Stairs
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.law import discrete_laplace, laplace
from leeward.core.privacy import policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import ALPHA, EPSILON, Control
from leeward.lab.audit.exams import block, scalar, workplace_view
from leeward.lab.audit.loss import DISTINGUISHED, NONE, PrivacyLoss, laplace_loss, pure_loss
from leeward.lab.audit.neighbours import DatabasePair, Depth, most, pairs
from leeward.lab.audit.outputs import HALF, Rounded
from leeward.lab.audit.twins import CUT, STRONG, sound, strong


@dataclass(frozen=True)
class Infused:
    """Input noise infusion of one establishment: size·f, ramp density of Abowd et al. 2012."""

    size: int
    low: Fraction = Fraction(11, 10)
    high: Fraction = Fraction(5, 4)

    def mass(self, output: tuple[int, ...]) -> arb:
        """P(⌊size·f + ½⌋ = output): a difference of the exact rational distribution function."""
        if self.size == 0:
            return arb(output[0] == 0)
        below, above = ((output[0] + half) / self.size for half in (-HALF, HALF))
        return ball(self._distribution(above) - self._distribution(below))

    def _distribution(self, f: Fraction) -> Fraction:
        """Half the mass on [2−b, 2−a] rising, half on [a, b] falling."""
        a, b = self.low, self.high
        width = (b - a) ** 2
        left = min(max(f, 2 - b), 2 - a) - (2 - b)
        right = b - min(max(f, a), b)
        return left**2 / (2 * width) + HALF - right**2 / (2 * width)

    def landmarks(self) -> Iterable[tuple[int, ...]]:
        """Every output from nothing to the largest."""
        return ((output,) for output in range(int(self.size * self.high) + 2))


@dataclass(frozen=True)
class DerivedFrame:
    """A cell that is published only where it has a worker: the empty tuple is its absence."""

    released: Rounded

    def mass(self, output: tuple[int, ...]) -> arb:
        """All mass on absence for an empty cell, none for the others."""
        if self.released.true == 0:
            return arb(output == ())
        return self.released.mass(output) if output else arb(0)

    def landmarks(self) -> Iterator[tuple[int, ...]]:
        """Absence, and what a present cell may show."""
        yield ()
        yield from self.released.landmarks()


def float_laplace(scale: float, steps: int = 1 << 53) -> PrivacyLoss:
    """A count plus float64 Laplace noise: an output of count 0 that count 1 can never give.

    The noise is −scale·ln(k/2^53) for whole k. Far from zero these values are sparser than the
    floats around them, so adding one to another of them need not meet the same float.
    """
    start = int(steps * exp(-5))
    for k in range(start, start + 1000):
        output = 0.0 + _noise(k, scale, steps)
        if not reachable(output, 1.0, scale, steps):
            return DISTINGUISHED
    return NONE


def reachable(output: float, count: float, scale: float, steps: int) -> bool:
    """Whether any k gives this output; noise falls with k, so only neighbours can."""
    middle = int(steps * exp(-(output - count) / scale))
    return any(
        count + _noise(k, scale, steps) == output for k in range(middle - 5000, middle + 5001)
    )


def _noise(k: int, scale: float, steps: int) -> float:
    return -scale * log(k / steps)


def infusion(_: Depth) -> PrivacyLoss:
    """Multiplicative noise of bounded support."""
    before, after = strong(DatabasePair.of((100,), (110,)))[0].databases
    return pure_loss(Infused(before.size), Infused(after.size), EPSILON, complete=True)


def printed_delta(_: Depth) -> PrivacyLoss:
    """Published Smooth Laplace at α = 1, ε = 30, where its printed condition is not enough."""
    sizes, epsilon = (10**6, 2 * 10**6), Fraction(30)
    before, after = (Rounded(size, laplace(), 2 * size / epsilon) for size in sizes)
    return laplace_loss(before, after, epsilon)


def derived_frame(_: Depth) -> PrivacyLoss:
    """A frame made of the jobs: a cell appears with its first worker."""
    view = workplace_view(sound(Slope))
    before, after = (
        DerivedFrame(view(db)) for db in strong(DatabasePair.of((0,), (1,)))[0].databases
    )
    return pure_loss(before, after, EPSILON, complete=True)


def cut_slope(depth: Depth) -> PrivacyLoss:
    """A tenth less noise."""
    genuine = workplace_view(sound(Slope))

    def view(database: Database) -> Rounded:
        released = genuine(database)
        return replace(released, scale=released.scale * CUT)

    return scalar(view, pairs(STRONG, ALPHA, depth), EPSILON)


@dataclass(frozen=True)
class SpoiltStairs:
    """A staircase with other constants than its own, where one establishment grows by a step."""

    size: int
    alpha: Fraction
    epsilon: Fraction
    spoil: Callable[[Stairs], Stairs]

    def __call__(self, _: Depth) -> PrivacyLoss:
        """On one pair that shows it."""
        genuine = sound(Staircase, alpha=self.alpha, epsilon=self.epsilon)
        stairs = self.spoil(genuine.stairs)
        twin = replace(genuine, stairs=stairs, law=stairs.law(stairs.large))
        pair = DatabasePair.of((self.size,), (most(self.alpha, self.size),))
        return scalar(workplace_view(twin), [pair], self.epsilon)

    def control(self, defect: str) -> Control:
        """As a line of the audit."""
        return Control(defect, "staircase", self, alpha=self.alpha, epsilon=self.epsilon)


def higher_steps(stairs: Stairs) -> Stairs:
    """Every step a tenth higher."""
    more = Fraction(11, 10)
    return replace(stairs, epsilon=stairs.epsilon * more, drop=stairs.drop * more)


def dilation_unpaid(stairs: Stairs) -> Stairs:
    """D' = ε: left steps that leave nothing for the change of A."""
    return replace(stairs, drop=stairs.epsilon)


def steep_at_once(stairs: Stairs) -> Stairs:
    """A first left step of ε where condition (*) does not hold."""
    return replace(stairs, steep=True)


def one_long_step(stairs: Stairs) -> Stairs:
    """The same where (*) would hold if γ were 1/(1 − e^−D'): its last level is longer than S."""
    edge = Fraction(45, 100)
    return replace(stairs, down=1, left=edge, right=edge, steep=True)


TWO = Fraction(2)
STAIRS: tuple[Control, ...] = (
    SpoiltStairs(9, ALPHA, TWO, higher_steps).control("steps higher by a tenth"),
    SpoiltStairs(1000, ALPHA, TWO, dilation_unpaid).control("left steps of ε"),
    SpoiltStairs(100, ALPHA / 10, EPSILON / 2, steep_at_once).control("first left step of ε"),
    SpoiltStairs(10, ALPHA, Fraction("1.06"), one_long_step).control("γ of endless steps"),
)


def cut_log_laplace(depth: Depth) -> PrivacyLoss:
    """A tenth less noise on the logarithm."""
    genuine = sound(LogLaplace)
    rate = genuine.law.pieces[0].rate + 1
    spoilt = LogLaplace(genuine.parameters, log_laplace_law(rate / CUT, Fraction(1)))
    return scalar(workplace_view(spoilt), pairs(STRONG, ALPHA, depth), EPSILON)


def cut_discrete(kind: type[EdgeLaplace | Scale], name: str) -> Callable[[Depth], PrivacyLoss]:
    """A tenth less discrete Laplace noise."""

    def examine(depth: Depth) -> PrivacyLoss:
        genuine = sound(kind)
        law = discrete_laplace(-CUT / genuine.law.pieces[-1].rate)

        def view(database: Database) -> Rounded:
            return Rounded(workplace_view(genuine)(database).true, law, Fraction(1))

        return scalar(view, pairs(policy(name), ALPHA, depth), EPSILON)

    return examine


def cut_pareto(depth: Depth) -> PrivacyLoss:
    """A tenth less noise on a block."""
    pareto = sound(VectorPareto, epsilon=Fraction(4), cells=8)
    return block(replace(pareto, step=pareto.step / CUT), STRONG, depth)
