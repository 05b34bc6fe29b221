"""Sentences of a report."""

from leeward.core.codebook import Flag
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.interface.report.section import (
    DETAILS,
    STATUSES,
    UNKNOWN_NOISE,
    margin,
    noise_sentence,
)
from leeward.interface.report.summary import MarginRange
from leeward.publishing.bundle.bundle_files import MEASURES


def test_every_mechanism_that_a_plan_may_name_has_a_sentence() -> None:
    assert {noise_sentence(name) for name in IN_PLANS}.isdisjoint({UNKNOWN_NOISE})
    assert noise_sentence("of tomorrow") == UNKNOWN_NOISE


def test_every_status_has_a_meaning() -> None:
    assert set(STATUSES) == {int(flag) for flag in Flag}
    assert "status" in MEASURES


def test_a_margin_is_a_number_or_a_range() -> None:
    assert margin(None) == "none"
    assert margin(MarginRange(1200, 1200)) == "1,200"
    assert margin(MarginRange(100_001, 200_000)) == "100,001 to 200,000"


def test_details_grow_smaller_and_say_so() -> None:
    assert DETAILS[0].sentence == ""
    assert all(detail.sentence for detail in DETAILS[1:])
    bars = [detail.bars for detail in DETAILS]
    assert bars == sorted(bars, reverse=True)
