"""The errata of two lectures, shown."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, exp, log

import pytest

import leeward
from leeward.core.noise.law import laplace
from leeward.core.noise.quartic import QuarticLaw
from leeward.core.privacy import Guarantee, StrongAlpha, over_workers, sequential
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.loss import pure_loss
from leeward.lab.audit.outputs import Rounded
from tests.errata.conftest import Row
from tests.errata.measured import ALPHA, EPSILON, alone, block_loss, made

PRICES = tuple(Fraction(text) for text in ("0.5", "0.2", "0.25", "0.25"))
"""What the lecture gives to all, to men, to women, and to those above 20."""


def test_variance_of_laplace_noise(row: Row) -> None:
    edge = made("edge_laplace", alpha=None, epsilon="0.01")  # Δ = 1: Δ/ε is 100
    deviation = edge.std(0, 0)
    assert isinstance(deviation, float)
    assert deviation**2 == pytest.approx(2 * 100**2, rel=1e-3)
    assert laplace().moment(2) == pytest.approx(2)
    assert row.prints("2(Δ/ε)²")


def test_sensitivity_of_the_logarithm_is_a_logarithm(row: Row) -> None:
    moved = max((max(11 * n // 10, n + 1) + 10) / Fraction(n + 10) for n in range(2000))
    assert moved == 1 + ALPHA, "the ratio is 1+α, its logarithm ln(1+α)"
    # Noise for 1+α on the logarithm would cost ε·ln(1+α)/(1+α): eleven times too much noise.
    wasted = 1.1 / log(1.1)
    assert row.prints(f"{log(1.1):.4f}", f"{wasted:.1f}")
    whole = made("log_laplace")
    assert alone(whole, 0, 1) == pytest.approx(float(EPSILON), rel=1e-3)


def test_smoothness_is_that_of_the_noise(row: Row) -> None:
    epsilon, size = Fraction(1, 5), 10**6
    sizes = (size, 11 * size // 10)
    scales = [max(ALPHA * x, Fraction(1)) for x in sizes]
    assert scales[1] <= exp(ALPHA) * scales[0], "e^α is kept, whatever ε is"
    assert exp(epsilon / 4) < 1 + ALPHA, "e^b with the b = ε/4 of this noise is not"
    before, after = (
        Rounded(x, QuarticLaw(), 16 * s / epsilon) for x, s in zip(sizes, scales, strict=True)
    )
    lost = float(pure_loss(before, after, epsilon).epsilon)
    assert lost > epsilon
    assert row.prints("0.2", f"{lost:.3f}", f"{lost / float(epsilon):.2f} ε")
    with pytest.raises(leeward.InvalidParameter, match="4·ln"):
        made("smooth_gamma", epsilon=epsilon, calibration="published")


def test_neighbours_by_size_alone_exchange_everybody(row: Row) -> None:
    women, men = (1000, 0), (0, 1100)
    assert sum(men) <= (1 + ALPHA) * sum(women)
    assert not StrongAlpha().admits(Database.of(women), Database.of(men), ALPHA)
    lost, _ = block_loss(made("vector_pareto", cells=2), women, men)
    assert lost > 10 * EPSILON
    assert row.prints("1,000", "1,100", f"{lost:.1f}")


def test_triples_of_ages(row: Row) -> None:
    ages = range(1, 126)
    distinct = [t for t in combinations(ages, 3) if sum(t) == 132 and t[1] == 30]
    listed = [(a, 30, 102 - a) for a in ages if a <= 30 <= 102 - a]
    # The table of the lecture has (30, 30, 72), though it takes all ages to differ.
    assert set(listed) - set(distinct) == {(30, 30, 72)}
    assert len(listed) == sum(
        sum(t) == 132 and t[1] == 30 for t in combinations_with_replacement(ages, 3)
    )
    assert row.prints(f"{len(listed)}, as its own table", f"{len(distinct)} if all ages differ")
    assert row.prints(f"{comb(125, 3):,}")


def test_a_row_of_probabilities_sums_to_one(row: Row) -> None:
    female, male = ("0.40", "0.43", "0.17"), ("0.29", "0.59", "0.21")
    assert sum(map(Fraction, female)) == 1
    total = sum(map(Fraction, male))
    assert total != 1
    assert sum(map(Fraction, ("0.29", "0.50", "0.21"))) == 1
    assert row.prints(f"{float(total):.2f}", *male, "0.50")


def together(policy: str, alpha: Fraction | None) -> Fraction:
    every, men, women, older = (Guarantee(policy, alpha, price) for price in PRICES)
    return sequential(every, over_workers(men, women), older).epsilon


def test_sexes_in_parallel_for_persons_alone(row: Row) -> None:
    assert together("worker", None) == 1
    assert together("strong", ALPHA) == sum(PRICES) == Fraction(6, 5)
    # One job: a woman above 20. All but the count of men move, each by one.
    edges = [made("edge_laplace", alpha=None, epsilon=price) for price in PRICES]
    person = [alone(edge, 1000, 1001) for edge in edges]
    assert sum(person) - person[1] == pytest.approx(1, abs=1e-6)
    # One establishment that grows by α in men, women and everybody above 20: all four move.
    sizes = (2 * 10**6, 10**6, 10**6, 18 * 10**5)
    counts = [made("log_laplace", epsilon=price) for price in PRICES]
    grown = [alone(count, n, 11 * n // 10) for count, n in zip(counts, sizes, strict=True)]
    assert sum(grown) == pytest.approx(1.2, abs=1e-4)
    assert row.prints("1.0", "1.2")
