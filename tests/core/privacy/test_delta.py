"""How large δ may be: below 1/(100 E), to the last establishment."""

from fractions import Fraction

import pytest

from leeward.core.privacy.delta import delta_rule, most_establishments, too_large


@pytest.mark.parametrize("delta", ["1/2", "1/100", "1/101", "1/600", "3/1000", "1e-6", "7/123457"])
def test_the_largest_frame_is_the_last_one_that_keeps_the_rule(delta: str) -> None:
    number = Fraction(delta)
    most = most_establishments(number)
    assert most == 0 or number < Fraction(1, 100 * most)
    assert number >= Fraction(1, 100 * (most + 1))
    assert too_large("d", number, most, "n") is None
    refused = too_large("d", number, most + 1, "n")
    assert refused is not None
    assert refused.parameter == "d"


def test_no_delta_is_never_too_large() -> None:
    assert too_large("d", Fraction(0), 10**9, "n") is None


def test_the_rule_is_told_in_words_however_small_delta_is() -> None:
    assert "for at most 9,999 establishments: a delta of 1/n" in delta_rule(Fraction("1e-6"))
    assert "for at most 0 establishments" in delta_rule(Fraction(1, 2))
    assert "for any number of them" in delta_rule(Fraction(1, 10**5000))
