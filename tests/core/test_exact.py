import time
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.errors import InvalidParameter
from leeward.core.exact import (
    MOST_BITS,
    START_BITS,
    Number,
    at_most,
    ball,
    decide,
    dyadic_down,
    dyadic_up,
    exact_value,
    log_growth,
    positive,
    precision,
    rational,
    three_digits_up,
)

numbers = st.fractions(max_denominator=10**12)
positives = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**12)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        ("1/10", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("-2", Fraction(-2)),
        (4, Fraction(4)),
        (Fraction(2, 6), Fraction(1, 3)),
    ],
)
def test_a_number_is_read_exactly_as_written(written: Number, meant: Fraction) -> None:
    assert rational(written, "alpha") == meant


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1, "0.1 (float)"),
        (float("nan"), "nan (float)"),
        (float("inf"), "inf (float)"),
        ("nan", "'nan' (str)"),
        ("inf", "'inf' (str)"),
        ("1/0", "'1/0' (str)"),
        ("", "'' (str)"),
        (True, "True (bool)"),
        (None, "None (NoneType)"),
        (Decimal("0.1"), "Decimal('0.1') (Decimal)"),
        (" 0.1 ", "' 0.1 ' (str)"),
        ("1_0", "'1_0' (str)"),
        ("1e9_9_9_9_9_9", "'1e9_9_9_9_9_9' (str)"),
        ("1e999999999", "'1e999999999' (str)"),
        ("٣", "'٣' (str)"),
        pytest.param(10**5000, "a number of very many digits (int)", id="huge"),
        ([1234, 77], "a list (not shown) (list)"),
    ],
)
def test_what_is_not_an_exact_number_is_refused_in_four_parts(value: Number, shown: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        rational(value, "alpha")
    assert str(refused.value) == (
        "alpha: must be an exact number: text such as '0.1' or '1/10', an int or a Fraction; "
        f"got {shown}. Write alpha as text."
    )


@pytest.mark.parametrize("value", [0, "-1/2"])
def test_a_positive_number_is_above_zero(value: Number) -> None:
    assert positive("1/2", "alpha") == Fraction(1, 2)
    with pytest.raises(InvalidParameter) as refused:
        positive(value, "alpha")
    assert str(refused.value) == (
        f"alpha: must be above 0; got {Fraction(value)}. Give a positive number."
    )


def test_precision_holds_inside_the_block_and_ends_with_it() -> None:
    def inside() -> None:
        with precision(777):
            assert ctx.prec == 777
            raise KeyError

    before = ctx.prec
    with pytest.raises(KeyError):
        inside()
    assert ctx.prec == before


@given(numbers)
def test_a_ball_holds_its_number(number: Fraction) -> None:
    around = ball(number)
    assert exact_value(around.lower()) <= number <= exact_value(around.upper())


@given(st.integers())
def test_an_integer_is_its_own_ball(number: int) -> None:
    assert exact_value(ball(number)) == number


@given(numbers, st.integers(0, 200))
def test_dyadic_bounds_round_the_way_their_names_say(number: Fraction, bits: int) -> None:
    with precision(400):
        low, high = dyadic_down(ball(number), bits), dyadic_up(ball(number), bits)
    assert low <= number <= high
    assert high - low <= Fraction(2, 2**bits)
    assert (low * 2**bits).denominator == (high * 2**bits).denominator == 1


@given(positives, st.integers(2, 64))
def test_dyadic_bounds_hold_at_any_precision(number: Fraction, bits: int) -> None:
    with precision(bits):
        low, high = dyadic_down(ball(number)), dyadic_up(ball(number))
    assert low <= number <= high


@given(st.integers(-(2**70), 2**70))
def test_a_dyadic_number_is_its_own_bound(numerator: int) -> None:
    number = Fraction(numerator, 2**64)
    with precision(START_BITS):
        assert dyadic_down(ball(number)) == number == dyadic_up(ball(number))


@pytest.mark.parametrize("value", ["inf", "nan"])
def test_what_is_not_finite_has_no_dyadic_bound(value: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        dyadic_down(arb(value))


def test_a_tiny_number_is_bounded_at_once() -> None:
    tiny = arb(-(10**12)).exp()
    assert dyadic_down(tiny) == 0
    assert dyadic_up(tiny) == Fraction(1, 2**64)


@given(positives)
def test_log_growth_inverts_the_exponential(alpha: Fraction) -> None:
    with precision(START_BITS):
        grown = log_growth(alpha).exp()
    assert exact_value(grown.lower()) <= 1 + alpha <= exact_value(grown.upper())


def test_a_question_is_asked_with_more_bits_until_it_is_answered() -> None:
    asked: list[int] = []

    def question() -> bool | None:
        asked.append(ctx.prec)
        return True if len(asked) == 3 else None

    assert decide(question)
    assert asked == [START_BITS, 2 * START_BITS, 4 * START_BITS]


def test_a_question_that_no_precision_answers_is_answered_no() -> None:
    asked: list[int] = []
    assert not decide(lambda: asked.append(ctx.prec))
    assert MOST_BITS / 2 < asked[-1] <= MOST_BITS


@given(positives, positives)
def test_at_most_orders_rationals(left: Fraction, right: Fraction) -> None:
    assert at_most(lambda: ball(left), lambda: ball(right)) == (left <= right) or left == right


def test_at_most_tells_apart_what_differs_by_very_little() -> None:
    def larger() -> arb:
        return log_growth(Fraction(1, 3) + Fraction(1, 10**1000))

    def smaller() -> arb:
        return log_growth(Fraction(1, 3))

    assert at_most(smaller, larger)
    assert not at_most(larger, smaller)


def test_equality_that_cannot_be_shown_counts_as_no_and_soon() -> None:
    began = time.monotonic()
    assert not at_most(lambda: log_growth(Fraction(3)), lambda: 2 * log_growth(Fraction(1)))
    assert time.monotonic() - began < 5


def test_a_comparison_with_nan_is_answered_no() -> None:
    assert not at_most(lambda: arb("nan"), lambda: arb(1))


@given(positives)
def test_three_digits_are_rounded_up(number: Fraction) -> None:
    shown = three_digits_up(number)
    assert len(shown.as_tuple().digits) <= 3
    assert number <= Fraction(shown) < number * Fraction(101, 100)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (Fraction(1, 3), "0.334"),
        (Fraction("0.123"), "0.123"),
        (Fraction("0.1230001"), "0.124"),
        (Fraction(1), "1"),
        (Fraction("9.991"), "10.0"),
    ],
)
def test_three_digits_of_a_number(number: Fraction, shown: str) -> None:
    assert str(three_digits_up(number)) == shown


def test_three_digits_of_a_ball() -> None:
    assert str(three_digits_up(log_growth(Fraction(1, 10)))) == "0.0954"
