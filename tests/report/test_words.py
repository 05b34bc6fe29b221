"""Numbers and sentences of a report."""

import pytest

from leeward.bundle import PromiseStatement
from leeward.bundle.layout import MEASURES
from leeward.mechanisms.choice import IN_PLANS
from leeward.model import Flag
from leeward.report import number
from leeward.report.section import DETAILS, STATUSES, UNKNOWN_NOISE, noise_sentence
from leeward.report.summary import Range


def test_every_mechanism_that_a_plan_may_name_has_a_sentence() -> None:
    assert {noise_sentence(name) for name in IN_PLANS}.isdisjoint({UNKNOWN_NOISE})
    assert noise_sentence("of tomorrow") == UNKNOWN_NOISE


def test_every_status_has_a_meaning() -> None:
    assert set(STATUSES) == {int(flag) for flag in Flag}
    assert "status" in MEASURES


@pytest.mark.parametrize(
    ("part", "whole", "told"),
    [
        *((0, 0, "0 %"), (0, 9, "0 %"), (9, 9, "100 %"), (1, 3, "33.3 %"), (1, 2, "50.0 %")),
        *((1, 10**6, "less than 0.1 %"), (10**6 - 1, 10**6, "more than 99.9 %")),
    ],
)
def test_shares_do_not_round_to_none_or_all(part: int, whole: int, told: str) -> None:
    assert number.share(part, whole).replace("\xa0", " ") == told


def test_counts_have_commas_and_a_true_minus() -> None:
    assert number.count(-1234567) == "−1,234,567"
    assert number.counted(1, "table") == "1 table"
    assert number.counted(2000, "table") == "2,000 tables"


def test_a_margin_is_a_number_or_a_range() -> None:
    assert number.margin(None) == "none"
    assert number.margin(Range(1200, 1200)) == "1,200"
    assert number.margin(Range(100_001, 200_000)) == "100,001 to 200,000"


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
    promise = PromiseStatement(epsilon=epsilon, delta=delta, rho=rho, sentence="x")
    assert number.losses(promise).replace("\xa0", " ") == told


@pytest.mark.parametrize(
    ("exact", "told"), [("12", "12"), ("19/2", "9.5"), ("2/3", "0.666666"), ("1/9999999", "0")]
)
def test_what_is_left_is_never_rounded_up(exact: str, told: str) -> None:
    assert number.amount_left(exact) == told


def test_details_grow_smaller_and_say_so() -> None:
    assert DETAILS[0].sentence == ""
    assert all(detail.sentence for detail in DETAILS[1:])
    bars = [detail.bars for detail in DETAILS]
    assert bars == sorted(bars, reverse=True)
