"""What channels draw with fixed words, against their exact law; broken twins are rejected."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leeward.core.randomness import SecretBits
from leeward.lab.audit.independence import FixedWords
from leeward.lab.audit.neighbours import QUICK
from leeward.lab.audit.report_exam import (
    ANOTHER_LAW,
    FEW_DRAWS,
    MANY_NUMBERS,
    REPORT_LINES,
    UNEVEN,
    ReportLine,
    no_word_again,
    uneven,
)
from leeward.lab.audit.row import CONFIRMED
from leeward.systems.local import sketch, unary
from leeward.systems.local.channel_choice import METHODS
from leeward.systems.local.word_draws import Answers, below
from tests.core.noise.goodness import p_value

every_line = pytest.mark.parametrize(
    "line", REPORT_LINES, ids=lambda line: f"{line.mechanism}, {line.detail}"
)


def test_every_method_draws_reports() -> None:
    assert {line.mechanism for line in REPORT_LINES} == set(METHODS)


@every_line
def test_reports_have_the_stated_law(line: ReportLine) -> None:
    (row,) = line.rows((), QUICK)
    assert row.verdict == CONFIRMED
    assert row.sampled


FEW_ANSWERS = [line for line in REPORT_LINES if line not in MANY_NUMBERS]


@pytest.mark.parametrize("line", FEW_ANSWERS, ids=lambda line: line.mechanism)
def test_the_law_of_a_slightly_larger_epsilon_is_rejected(line: ReportLine) -> None:
    drawn, other = line.make(line.epsilon), line.make(line.epsilon * Fraction(21, 20))
    assert replace(drawn, chances=other.chances).fault(FEW_DRAWS) == ANOTHER_LAW


@pytest.mark.parametrize("line", MANY_NUMBERS, ids=lambda line: line.mechanism)
def test_whole_numbers_of_16_bits_are_rejected(line: ReportLine) -> None:
    assert line.from_few_bits(QUICK).fault == ANOTHER_LAW


def test_whole_numbers_are_even() -> None:
    assert uneven(below) == ""
    assert uneven(no_word_again) == UNEVEN


def test_whole_numbers_from_half_of_the_bits_are_uneven() -> None:
    def short(bound: int, count: int, bits: Any) -> Answers:  # noqa: ANN401 (words of an exam)
        words = bits.words64(count)
        numbers: Answers = (words & words.dtype.type(0xFFFF)).astype(np.int64) % bound
        return numbers

    assert uneven(short) == UNEVEN


@pytest.mark.parametrize(("room", "name"), [(unary, "unary"), (sketch, "sketch")])
def test_ties_that_are_never_kept_are_rejected(
    room: Any,  # noqa: ANN401 (a module)
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A byte that equals the highest byte of the threshold needs the other 56 bits."""

    def untied(chance: int, shape: tuple[int, int], bits: SecretBits) -> Any:  # noqa: ANN401
        first = bits.words64(-(-shape[0] * shape[1] // 8)).view(np.uint8)[: shape[0] * shape[1]]
        return (first < chance >> 56).reshape(shape)

    monkeypatch.setattr(room, "kept_bits", untied)
    (line,) = (one for one in FEW_ANSWERS if one.mechanism == name)
    assert line.make(line.epsilon).fault(FEW_DRAWS) == ANOTHER_LAW


def test_fixed_words_are_fixed_and_even() -> None:
    words, again = FixedWords(5), FixedWords(6)
    first = words.words64(100_000)
    assert np.array_equal(first[1:], again.words64(100_000)[:-1])
    assert len(np.unique(first)) == len(first)
    for shift in (0, 8, 32, 56):
        seen = np.bincount(((first >> np.uint64(shift)) & np.uint64(255)).astype(np.int64))
        assert p_value(seen, np.full(256, 1 / 256)) > 1e-6
    assert FixedWords(short=16).words32(1000).max() < 1 << 16
    assert FixedWords().word(32) == FixedWords().words32(1)[0]
