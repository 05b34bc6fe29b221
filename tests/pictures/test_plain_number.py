from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.pictures.plain.text import exact, full, round_number, short, shortest

UNITS = {"": 1, "k": 10**3, "M": 10**6, "bn": 10**9, "tn": 10**12}


def read(text: str) -> Fraction:
    digits = text.rstrip("kMbnt")
    number = Fraction(digits.replace(",", "").replace("−", "-"))
    return number * UNITS[text.removeprefix(digits)]


@pytest.mark.parametrize(
    ("value", "long", "brief", "briefest"),
    [
        (0, "0", "0", "0"),
        (-7, "−7", "−7", "−7"),
        (999, "999", "999", "999"),
        (1000, "1,000", "1.0k", "1k"),
        (1234, "1,234", "1.2k", "1k"),
        (-1250, "−1,250", "−1.3k", "−1k"),
        (9_949, "9,949", "9.9k", "10k"),
        (9_950, "9,950", "10k", "10k"),
        (999_499, "999,499", "999k", "999k"),
        (999_500, "999,500", "1.0M", "1M"),
        (10**12, "1,000,000,000,000", "1.0tn", "1tn"),
        (10**17, "100,000,000,000,000,000", "100,000tn", "100,000tn"),
    ],
)
def test_numbers_are_written(value: int, long: str, brief: str, briefest: str) -> None:
    assert (full(value), short(value), shortest(value)) == (long, brief, briefest)


@pytest.mark.parametrize("write", [full, short, shortest])
def test_numbers_of_thousands_of_digits_are_not_written(write: Callable[[int], str]) -> None:
    assert [write(10**18), write(10**5000)] == ["over 10¹⁸"] * 2
    assert write(-(10**5000)) == "under −10¹⁸"
    assert write(10**18 - 1) != "over 10¹⁸"


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_numbers_in_full_are_exact_and_in_short_nearly(value: int) -> None:
    assert read(full(value)) == value
    assert abs(read(short(value)) - value) <= Fraction(abs(value), 19)
    assert abs(read(shortest(value)) - value) <= Fraction(abs(value), 3) + 0
    assert (read(short(value)) == value) or abs(value) >= 1000


@given(st.sampled_from([1, 2, 5]), st.integers(0, 16), st.integers(-9, 9))
def test_round_numbers_lose_no_digit(digit: int, power: int, times: int) -> None:
    value = digit * 10**power * times
    assert read(round_number(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (500, "500"),
        (-2500, "−2,500"),
        (10_000, "10k"),
        (1_500_000, "1.5M"),
        (10**12, "1tn"),
        (0.25, "0.25"),
    ],
)
def test_numbers_of_an_axis(value: float, text: str) -> None:
    assert round_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(4), "4"),
        (Fraction(3, 2), "1.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-3, 7), "−3/7"),
        (Fraction(1234567, 1000003), "about 1.234563"),
        (Fraction(1, 7**6000), "about 0"),
        (Fraction(10**6), "1,000,000"),
        (Fraction(123456789012345678), "123,456,789,012,345,678"),
        (Fraction(10**5000, 3), "about 10¹⁸ or more"),
    ],
)
def test_losses_are_exact_where_they_can_be(value: Fraction, text: str) -> None:
    assert exact(value) == text
