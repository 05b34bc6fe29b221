"""Exam of synthetic homes: all sequences of picks from the urn, with their exact weights."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from flint import arb

from leeward.core.exact import ball, precision
from leeward.lab.audit.audit_line import Control
from leeward.lab.audit.loss import BITS, PrivacyLoss, over, worst
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.regression_exam import REPLACEMENT
from leeward.lab.audit.row import Claim, PolicyLine, Row
from leeward.lab.baselines.dirichlet import NOTICE, DirichletHomes

AREAS, DRAWS = 3, 6

Counts = tuple[int, ...]
Release = Callable[[Counts], DirichletHomes]
"""What is released of a group with these homes; the same whatever they are, if it is honest."""


def always(method: DirichletHomes) -> Release:
    """The same release whatever the homes are."""
    return lambda _: method


@dataclass
class Script:
    """Picks that were decided before, and the probability that they are made."""

    picks: Iterator[int]
    probability: Fraction = field(default=Fraction(1))

    def pick(self, weights: Sequence[int]) -> int:
        """The next one, whose share of the weights is noted."""
        place = next(self.picks)
        self.probability *= Fraction(weights[place], sum(weights))
        return place


def masses(method: DirichletHomes, counts: Counts) -> dict[Counts, Fraction]:
    """The probability of every output, by all sequences of picks."""
    chances: dict[Counts, Fraction] = defaultdict(Fraction)
    for picks in product(range(len(counts)), repeat=method.draws):
        script = Script(iter(picks))
        chances[tuple(method._release(counts, script))] += script.probability
    return chances


def movers() -> Iterator[tuple[Counts, Counts]]:
    """Groups of one and of two workers, one of whom lives in another area."""
    for other in ((0, 0, 0), (1, 0, 0), (0, 1, 0)):
        yield _and_in(other, 0), _and_in(other, 1)


def joiners() -> Iterator[tuple[Counts, Counts]]:
    """Groups without a worker and of one worker, and the same with one worker more."""
    for group in ((0, 0, 0), (1, 0, 0)):
        for area in (0, 1):
            yield group, _and_in(group, area)


def _and_in(group: Counts, area: int) -> Counts:
    return tuple(count + (number == area) for number, count in enumerate(group))


def homes_loss(
    release: Release, neighbours: Iterable[tuple[Counts, Counts]], epsilon: Fraction
) -> PrivacyLoss:
    """The largest loss over all outputs of all pairs."""

    def one(before: Counts, after: Counts) -> PrivacyLoss:
        with precision(BITS):
            left, right = (
                {output: ball(mass) for output, mass in masses(release(group), group).items()}
                for group in (before, after)
            )
        none = arb(0)
        outputs = left.keys() | right.keys()
        return over(outputs, lambda o: left.get(o, none), lambda o: right.get(o, none), epsilon)

    return worst(one(before, after) for before, after in neighbours)


@dataclass(frozen=True)
class HomesLine(PolicyLine):
    """The 2008 method under one relation; m is public."""

    policy: str
    neighbours: Callable[[], Iterator[tuple[Counts, Counts]]]
    at: tuple[str, ...] = ("1", "4")
    mechanism: str = "dirichlet"

    def rows(self, _: object, __: Depth) -> Iterator[Row]:
        """One row for every ε."""
        for epsilon in map(Fraction, self.at):
            method = DirichletHomes.calibrated(AREAS, DRAWS, epsilon)
            claim = Claim(self.mechanism, "tight", self.policy, None, epsilon, detail=NOTICE)
            yield Row(claim, homes_loss(always(method), self.neighbours(), epsilon))


HOMES_LINES = (HomesLine(REPLACEMENT, movers), HomesLine("worker", joiners, ("1",)))


def half_the_prior(_: Depth) -> PrivacyLoss:
    """a_i = m/(2(e^ε − 1)) at ε = 1."""
    method = DirichletHomes.calibrated(AREAS, DRAWS, 1)
    halved = DirichletHomes(tuple(weight / 2 for weight in method.prior), DRAWS)
    return homes_loss(always(halved), movers(), Fraction(1))


def as_many_as_workers(_: Depth) -> PrivacyLoss:
    """m is the number of workers of the group."""
    return homes_loss(
        lambda group: DirichletHomes.calibrated(AREAS, sum(group), 1), joiners(), Fraction(1)
    )


HOMES_CONTROLS = (
    Control("half the prior", "dirichlet", half_the_prior, REPLACEMENT, detail=NOTICE),
    Control(
        "as many synthetic homes as workers",
        "dirichlet",
        as_many_as_workers,
        "worker",
        detail=NOTICE,
    ),
)
