"""Numbers as text: exact where they must be, and rounded to the safe side."""

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.show import numbers
from leeward.core.show.environment import breakable

UNITS = {"": 1, "k": 10**3, "M": 10**6, "bn": 10**9, "tn": 10**12}


def read(text: str) -> Fraction:
    """The number of a text."""
    digits = text.rstrip("kMbnt")
    number = Fraction(digits.replace(",", "").replace("−", "-"))
    return number * UNITS[text.removeprefix(digits)]


@pytest.mark.parametrize(
    ("value", "short"),
    [
        *((0, "0"), (-7, "−7"), (999, "999"), (1000, "1.0k"), (-1260, "−1.3k"), (9_949, "9.9k")),
        *((9_950, "10k"), (999_499, "999k"), (999_500, "1.0M"), (10**17, "100,000tn")),
    ],
)
def test_short_numbers_have_two_or_three_digits(value: int, short: str) -> None:
    assert numbers.short(value) == short


@given(st.integers(-(2**63), 2**63 - 1))
def test_counts_are_exact_and_short_numbers_nearly(value: int) -> None:
    assert read(numbers.count(value)) == value
    assert abs(read(numbers.short(value)) - value) <= Fraction(abs(value), 19)


@given(st.sampled_from([1, 2, 5]), st.integers(0, 16), st.integers(-9, 9))
def test_numbers_of_an_axis_lose_no_digit(digit: int, power: int, times: int) -> None:
    value = digit * 10**power * times
    assert read(numbers.tick(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0, "0"), (0.00012345, "0.000123"), (0.5, "0.5"), (999.6, "1,000"), (12345, "12,300")),
        *((None, "–"), (float("inf"), "–"), (float("nan"), "–"), (-2.5, "-2.5")),
    ],
)
def test_three_digits_without_an_exponent(value: float | None, text: str) -> None:
    assert numbers.significant(value) == text


def test_shares_and_correlations() -> None:
    assert (numbers.percent(0.123456), numbers.percent(None)) == ("12.3\u00a0%", "–")
    assert (numbers.correlation(0.99951), numbers.correlation(None)) == ("1.000", "–")
    assert numbers.error(None) == "no mean"
    assert (numbers.error(1234.5), numbers.error(1.23456)) == ("1,234", "1.23")


def test_lists_and_capitals() -> None:
    assert [numbers.listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert (numbers.capital("δ and ε"), numbers.capital("")) == ("Δ and ε", "")


def test_times_are_told_to_the_minute() -> None:
    assert numbers.time("2026-11-15T10:20:30Z") == "2026-11-15 10:20 UTC"
    assert numbers.time("2026-11-15") == "2026-11-15"


@pytest.mark.parametrize(
    ("part", "whole", "told"),
    [
        *((0, 0, "0 %"), (0, 9, "0 %"), (9, 9, "100 %"), (1, 3, "33.3 %"), (1, 2, "50.0 %")),
        *((1, 10**6, "less than 0.1 %"), (10**6 - 1, 10**6, "more than 99.9 %")),
    ],
)
def test_shares_do_not_round_to_none_or_all(part: int, whole: int, told: str) -> None:
    assert numbers.share(part, whole).replace("\xa0", " ") == told


def test_counts_have_commas_and_a_true_minus() -> None:
    assert numbers.count(-1234567) == "−1,234,567"
    assert numbers.counted(1, "table") == "1 table"
    assert numbers.counted(2000, "table") == "2,000 tables"


@pytest.mark.parametrize(
    ("losses", "told"),
    [
        (("4", "0", "0"), "ε 4"),
        (("1/3", "1/1000000", "0"), "ε 0.334, δ 0.000001"),
        (("0", "0", "1/8"), "ρ 0.125"),
        (("0", "0", "0"), "ε 0"),
    ],
)
def test_losses_that_are_nought_are_left_out(losses: tuple[str, str, str], told: str) -> None:
    epsilon, delta, rho = losses
    promise = SimpleNamespace(epsilon=epsilon, delta=delta, rho=rho)
    assert numbers.losses(promise).replace("\xa0", " ") == told


@pytest.mark.parametrize(
    ("exact", "told"), [("12", "12"), ("19/2", "9.5"), ("2/3", "0.666666"), ("1/9999999", "0")]
)
def test_what_is_left_is_never_rounded_up(exact: str, told: str) -> None:
    assert numbers.amount_left(exact) == told


def test_sizes_and_shares_are_told_in_few_digits() -> None:
    told = [numbers.size(number) for number in (0, 999, 1000, 21_900, 999_499, 143_000_000, 10**18)]
    assert told == ["0 bytes", "999 bytes", "1 kB", "21.9 kB", "999 kB", "143 MB", "1000 PB"]
    assert numbers.cases(Fraction(9, 10)) == "9 in 10 cases"
    assert numbers.cases(Fraction(19, 20)) == "0.95 of cases"


def test_lines_end_where_they_may() -> None:
    assert numbers.tied("strong, δ = 0.05") == "strong, δ\u00a0=\u00a00.05"
    assert numbers.tied("best, δ > 0") == "best, δ\u00a0>\u00a00"
    assert breakable("tables/a_b.csv") == "tables/<wbr>a_<wbr>b<wbr>.csv"
    assert breakable("<i>") == "&lt;i&gt;"
