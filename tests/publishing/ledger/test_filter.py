"""The cap holds although each step is chosen after seeing the last: adaptive trees, enumerated.

A tree is an analyst: at every history a kernel with its numbers, drawn anew. What the cap does not
allow is refused. All transcripts are enumerated on neighbouring data, so that the loss is exact up
to rounding; a ledger that forgets must be seen to break the promise.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.privacy import Guarantee
from leeward.publishing.ledger.account import within
from leeward.publishing.ledger.box import Box

Laws = NDArray[np.float64]
"""The law of one output on each data set of a chain: a row for each, a column for each output."""

Numbers = tuple[Fraction, Fraction, Fraction]
Rule = Callable[[Numbers], bool]
DEPTH, OUTPUTS, TREES = 6, 2, 24
ROUNDING = 1e-9
NOTHING: Numbers = (Fraction(0), Fraction(0), Fraction(0))
CAP = Guarantee("worker", None, 2, "1/20")


@dataclass(frozen=True)
class Analyst:
    """Who chooses: labels that may occur, and how many steps apart the two data sets are."""

    labels: str
    steps: int = 1

    def kernel(self, bits: np.random.Generator) -> tuple[Laws, Numbers]:
        """A random kernel that comes near its numbers on every step of the chain."""
        if (label := bits.choice(list(self.labels))) == "D":
            return self._reveal(Fraction(1, int(bits.choice([100, 50, 25]))))
        odds = np.exp(bits.choice([-1, 1]) * bits.choice([0.1, 0.3, 0.6]) * self._places)
        laws = np.stack([odds / (1 + odds), 1 / (1 + odds)], axis=1)
        epsilon = max(np.abs(np.log(one / other)).max() for one, other in pairwise(laws))
        if label == "P":
            return laws, (_up(epsilon), Fraction(0), Fraction(0))
        return laws, (Fraction(0), Fraction(0), _up(epsilon**2 / 2))  # pure ε is ε²/2-zCDP

    @property
    def _places(self) -> Laws:
        return np.linspace(-self.steps, self.steps, self.steps + 1)

    def _reveal(self, delta: Fraction) -> tuple[Laws, Numbers]:
        """Now and then one end of the chain gives itself away: as much as (ε, δ) allows."""
        epsilon = Fraction(1, 5)
        far = [apart(float(delta), float(epsilon), step) for step in range(self.steps + 1)]
        shown = np.array(far)
        return np.stack([shown, 1 - shown], axis=1), (epsilon, delta, Fraction(0))


def _up(number: float) -> Fraction:
    """A little more than the number, with a small denominator: sums of few values repeat."""
    return Fraction(int(number * 1000) + 1, 1000)


def hockey_stick(one: Laws, other: Laws, epsilon: float) -> float:
    """The smallest δ at this ε."""
    return float(np.maximum(one - np.exp(epsilon) * other, 0).sum())


def transcripts(analyst: Analyst, rule: Rule, seed: int, *, forgets: bool) -> Laws:
    """The probabilities of all transcripts on each data set of the chain."""
    bits = np.random.Generator(np.random.PCG64(seed))

    def walk(depth: int, mass: Laws, spent: Numbers) -> Iterator[Laws]:
        if depth == 0:
            yield mass
            return
        laws, asked = analyst.kernel(bits)
        total = (spent[0] + asked[0], spent[1] + asked[1], spent[2] + asked[2])
        if not rule(total):
            yield from walk(depth - 1, mass, spent)  # refused; a smaller step may follow
            return
        for output in range(OUTPUTS):
            yield from walk(depth - 1, mass * laws[:, output], NOTHING if forgets else total)

    return np.array(list(walk(DEPTH, np.ones(analyst.steps + 1), NOTHING)))


def worst(
    analyst: Analyst, rule: Rule, loss: Callable[[Laws, Laws], float], *, forgets: bool = False
) -> float:
    """The largest loss over all trees, between the ends of the chain, in both directions."""
    losses = []
    for seed in range(TREES):
        found = transcripts(analyst, rule, seed, forgets=forgets)
        assert np.allclose(found.sum(axis=0), 1)
        losses += [loss(found[:, 0], found[:, -1]), loss(found[:, -1], found[:, 0])]
    return max(losses)


@cache
def kept(total: Numbers) -> bool:
    """What an account with the cap asks."""
    return within(CAP, Guarantee("worker", None, *total))


def box(*most: Fraction) -> Rule:
    return lambda total: all(held <= cap for held, cap in zip(total, most, strict=True))


def apart(delta: float, epsilon: float, steps: int) -> float:
    """What becomes of δ over so many steps."""
    return delta * sum(float(np.exp(step * epsilon)) for step in range(steps))


both = pytest.mark.parametrize("steps", [1, 2])


@both
def test_pure_charges(steps: int) -> None:
    def loss(one: Laws, other: Laws) -> float:
        return float(np.log(one / other).max()) / (steps * float(CAP.epsilon))

    analyst = Analyst("P", steps)
    assert 0.6 < worst(analyst, kept, loss) <= 1 + ROUNDING
    assert worst(analyst, kept, loss, forgets=True) > 1.1


@both
def test_charges_with_delta(steps: int) -> None:
    epsilon = float(CAP.epsilon)

    def loss(one: Laws, other: Laws) -> float:
        found = hockey_stick(one, other, steps * epsilon)
        return found / apart(float(CAP.delta), epsilon, steps)

    analyst = Analyst("PD", steps)
    assert (0.2 if steps > 1 else 0.9) < worst(analyst, kept, loss) <= 1 + ROUNDING
    assert worst(analyst, kept, loss, forgets=True) > (0.5 if steps > 1 else 2)


@both
def test_charges_in_rho(steps: int) -> None:
    rho, orders = Fraction(1, 4), np.array([1.2, 2.0, 5.0, 20.0])

    def loss(one: Laws, other: Laws) -> float:
        sums = [np.log((one**a * other ** (1 - a)).sum()) for a in orders]
        return float((np.array(sums) / (orders - 1) / orders).max()) / (steps**2 * float(rho))

    analyst = Analyst("Z", steps)
    rule = box(Fraction(0), Fraction(0), rho)
    assert (0.5 if steps > 1 else 0.85) < worst(analyst, rule, loss) <= 1 + ROUNDING
    assert worst(analyst, rule, loss, forgets=True) > (0.6 if steps > 1 else 2)


def test_charges_in_rho_under_a_cap() -> None:
    def loss(one: Laws, other: Laws) -> float:
        return hockey_stick(one, other, float(CAP.epsilon)) / float(CAP.delta)

    assert worst(Analyst("Z"), kept, loss) <= 1 + ROUNDING
    assert worst(Analyst("Z"), kept, loss, forgets=True) > 1.2


def _box(epsilon: Fraction, delta: Fraction, rho: Fraction, more: Fraction) -> Box:
    """The box of an account whose cap is what these three come to, ρ read at `more`."""
    sums = Guarantee("worker", None, epsilon, delta, rho)
    made = Box.of(sums.to_approximate(delta + more), rho, more)
    assert made == Box(epsilon, delta, rho)
    return made


@both
def test_mixed_charges_within_a_box(steps: int) -> None:
    epsilon, delta, rho, more = Fraction(1, 2), Fraction(1, 50), Fraction(1, 10), Fraction(1, 100)
    lost = Fraction(apart(float(delta), float(epsilon), steps)).limit_denominator(10**6)
    sums = Guarantee("worker", None, steps * epsilon, lost, steps**2 * rho)
    bound = float(sums.to_approximate(lost + more).epsilon)

    def loss(one: Laws, other: Laws) -> float:
        return hockey_stick(one, other, bound) / float(lost + more)

    declared = _box(epsilon, delta, rho, more)

    @cache
    def rule(total: Numbers) -> bool:
        return declared.holds(Guarantee("worker", None, *total))

    analyst = Analyst("PDZ", steps)
    assert 0.6 < worst(analyst, rule, loss) <= 1 + ROUNDING
    assert worst(analyst, rule, loss, forgets=True) > 1.3
