"""What a cap on one job costs: the errors of the made-up economy, by closed forms."""

from fractions import Fraction

import pytest

from leeward.lab.evaluate.job_prices import (
    ALPHA,
    JobPrice,
    job_prices,
    price_lines,
    price_picture,
    price_rows,
)

FOUR, TWO = (Fraction(4), Fraction(1)), (Fraction(2), Fraction(1, 2))

EXPECTED = {
    ("all jobs", *FOUR): ("soft_staircase", 1.50),
    ("sex × education", *FOUR): ("radial_slope", 2.19),
    ("six breakdowns", *FOUR): ("joint_radial", 7.71),
    ("all jobs", *TWO): ("soft_staircase", 4.10),
    ("sex × education", *TWO): ("radial_slope", 4.68),
    ("six breakdowns", *TWO): ("joint_radial", 16.8),
}
"""Mean errors in jobs, and who has them; computed once more by other formulas (mathematics)."""


@pytest.fixture(scope="module")
def prices() -> tuple[JobPrice, ...]:
    return job_prices(pairs=(FOUR, TWO))


@pytest.mark.slow
def test_errors_under_both_numbers_are_the_expected_ones(prices: tuple[JobPrice, ...]) -> None:
    assert {(p.load, p.epsilon, p.epsilon_job): p.mechanism for p in prices} == {
        place: name for place, (name, _) in EXPECTED.items()
    }
    for price in prices:
        error = EXPECTED[price.load, price.epsilon, price.epsilon_job][1]
        assert price.error == pytest.approx(error, rel=0.005)
        assert price.least is not None
        assert price.least >= 4


@pytest.mark.slow
def test_the_table_and_the_figure_show_every_price(prices: tuple[JobPrice, ...]) -> None:
    head, rows = price_rows(prices)
    assert head == ("ε", "ε of one job", "all jobs", "sex × education", "six breakdowns")
    assert [row[:2] for row in rows] == [("4", "1"), ("2", "0.5")]
    assert rows[0][2] == "1.5 (soft_staircase, Δ 4)"
    *_, words = price_lines(prices, ALPHA)
    assert "200,000 jobs in 10,000 establishments" in words
    picture = price_picture(prices, ALPHA)
    assert picture.svg.count(">six breakdowns<") == 1
    assert "ε of one job" in picture.description


def test_what_no_mechanism_keeps_is_a_dash() -> None:
    none = JobPrice("all jobs", Fraction(4), Fraction(1, 1000))
    assert price_rows([none])[1] == [("4", "0.001", "–")]
