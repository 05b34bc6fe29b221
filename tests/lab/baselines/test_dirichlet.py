"""Synthetic homes of 2008: the urn is Dirichlet-multinomial, and its bound is reached."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, factorial, log, prod

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number
from leeward.lab.audit.homes_exam import masses
from leeward.lab.baselines.dirichlet import DirichletHomes


def mass(prior: tuple[Fraction, ...], counts: tuple[int, ...], drawn: tuple[int, ...]) -> Fraction:
    """The closed form: m!/Πk! · Π(n+a)^(k) / (N+A)^(m), with rising factorials."""

    def rising(start: Fraction, steps: int) -> Fraction:
        return prod((start + step for step in range(steps)), start=Fraction(1))

    weights = [count + a for count, a in zip(counts, prior, strict=True)]
    ways = Fraction(factorial(sum(drawn)), prod(map(factorial, drawn)))
    parts = (rising(weight, k) for weight, k in zip(weights, drawn, strict=True))
    return ways * prod(parts, start=Fraction(1)) / rising(sum(weights, Fraction(0)), sum(drawn))


def test_the_urn_is_dirichlet_multinomial() -> None:
    made = DirichletHomes((Fraction(1, 3), Fraction(2), Fraction(5, 4)), 4)
    found = masses(made, (0, 3, 1))
    assert sum(found.values()) == 1
    assert len(found) == 15
    assert found == {drawn: mass(made.prior, (0, 3, 1), drawn) for drawn in found}


@pytest.mark.parametrize("draws", range(1, 7))
@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_one_mover_costs_epsilon_and_no_less_prior_will_do(draws: int, epsilon: str) -> None:
    """By the closed form, over all groups of up to three workers and all outputs."""
    made = DirichletHomes.calibrated(3, draws, epsilon)
    drawn = [k for k in product(range(draws + 1), repeat=3) if sum(k) == draws]
    worst = max(
        mass(made.prior, (others + 1, 0, rest), k) / mass(made.prior, (others, 1, rest), k)
        for others, rest in product(range(2), repeat=2)
        for k in drawn
    )
    assert log(worst) == pytest.approx(float(epsilon), abs=1e-4)
    assert log(worst) <= float(epsilon)
    assert made.protects(epsilon)
    less = (*made.prior[:2], made.prior[2] * Fraction(99, 100))
    assert not DirichletHomes(less, draws).protects(epsilon)


def test_the_prior_is_the_least_that_will_do() -> None:
    (least, *_) = DirichletHomes.calibrated(2, 1000, 1).prior
    assert 0 <= least - Fraction(1000 / (exp(1) - 1)) < Fraction(1, 2**19)


def test_draws_follow_the_masses() -> None:
    made, counts = DirichletHomes((Fraction(1, 2), Fraction(1), Fraction(1, 4)), 3), (2, 0, 1)
    times = 8_000
    found = Counter(tuple(made.release(counts)) for _ in range(times))
    for drawn, one in masses(made, counts).items():
        expected = float(one) * times
        assert abs(found[drawn] - expected) < 6 * expected**0.5, drawn


def test_many_at_once_are_not_protected() -> None:
    """Ten workers of an employer move to an empty area: far more than ε."""
    made = DirichletHomes.calibrated(3, 40, 1)
    all_there = (0, 40, 0)
    ratio = mass(made.prior, (0, 10, 30), all_there) / mass(made.prior, (0, 0, 40), all_there)
    assert log(ratio) > 6


@pytest.mark.parametrize(
    ("prior", "draws"), [((), 3), ((Fraction(1), Fraction(0)), 3), ((Fraction(1),), -1)]
)
def test_an_area_without_prior_is_refused(prior: tuple[Fraction, ...], draws: int) -> None:
    with pytest.raises(InvalidParameter, match="a weight above 0 for every area"):
        DirichletHomes(prior, draws)


@pytest.mark.parametrize("epsilon", ["1e-15", 0])
def test_an_epsilon_that_cannot_be_drawn_is_refused(epsilon: Number) -> None:
    with pytest.raises(InvalidParameter):
        DirichletHomes.calibrated(10, 10**6, epsilon)
