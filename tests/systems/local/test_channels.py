"""What channels draw, against their exact law; what they estimate, against the truth."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.randomness import SecretBits, SeededBits
from leeward.systems.local.channel import Channel, Matrix
from leeward.systems.local.channel_choice import METHODS
from leeward.systems.local.field import Field, prime_powers
from leeward.systems.local.hadamard import Hadamard, hadamard_matrix, walsh
from leeward.systems.local.hashing import Hashing, buckets
from leeward.systems.local.projective import Projective, Space
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.sketch import Sketch
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.unary import Unary
from leeward.systems.local.word_draws import below, kept_bits
from tests.core.noise.goodness import FALSE_ALARM, p_value
from tests.core.noise.scripted import scripted_bits

SMALL: list[Channel] = [
    RandomisedResponse.of(2, "ln 3"),
    SubsetSelection.of(7, "1/2"),
    SubsetSelection.of(5, "1", 1),
    Projective.of(13, "1", Space(Field(3), 3)),
    Projective.of(16, "1", Space(Field(2, 2), 3)),
    Hadamard.of(7, "1", 3),
    Unary.of(4, "4"),  # ties of the first byte matter where ones are rare
    Hashing.of(6, "1", 3),
    Sketch.of(6, "8", 2, 3),
]
LARGE: list[Channel] = [
    SubsetSelection.of(60, "1"),
    Projective.of(200, "3/2"),
    Projective.of(200, "4"),
    Hadamard.of(200, "2"),
    Unary.of(60, "1"),
    Hashing.of(60, "1"),
    Hashing.of(200, "2", 64),
    Sketch.of(200, "4", 16, 32),
]
DRAWS, CLIENTS = 20_000, 60_000


def named(channel: Channel) -> str:
    return f"{channel.name}-{channel.domain}"


def column(channel: Channel, report: Any) -> int:  # noqa: ANN401 (a number or a list)
    """Where a report stands in the matrix."""
    match channel:
        case SubsetSelection():
            subsets = combinations(range(channel.domain), channel.size)
            return int([list(one) for one in subsets].index(report))
        case Unary():
            return int(sum(1 << i for i in report))
        case Sketch():
            row, *places = report
            return int((row << channel.width) + sum(1 << (i - channel.rows) for i in places))
        case _:
            return int(report)


def agreement(channel: Channel, answer: int, law: Matrix) -> float:
    drawn = channel.encode(np.full(DRAWS, answer), SecretBits())
    different, times = np.unique(drawn.reshape(DRAWS, -1), axis=0, return_counts=True)
    seen = np.zeros(len(law[answer]), dtype=np.int64)
    for one, count in zip(different, times, strict=True):
        report = channel.as_json(one if drawn.ndim > 1 else one[0])
        seen[column(channel, report)] = count
    return p_value(seen, np.array([float(chance) for chance in law[answer]]))


@pytest.mark.parametrize("channel", SMALL, ids=named)
def test_reports_have_the_law_of_the_matrix(channel: Channel) -> None:
    for answer in {0, 1, channel.domain - 1}:
        assert agreement(channel, answer, channel.matrix()) > FALSE_ALARM


@pytest.mark.parametrize("channel", SMALL, ids=named)
def test_a_threshold_that_is_a_little_different_would_be_seen(channel: Any) -> None:  # noqa: ANN401 (a dataclass)
    other = replace(channel, threshold=channel.threshold - 2**64 // 20)
    assert agreement(channel, 1, other.matrix()) < FALSE_ALARM


@pytest.mark.parametrize("channel", LARGE, ids=named)
def test_estimates_err_as_much_as_is_said(channel: Channel) -> None:
    skewed = SeededBits(3).generator.geometric(0.05, CLIENTS) - 1
    answers = np.minimum(skewed, channel.domain - 1)
    true = np.bincount(answers, minlength=channel.domain).astype(float)
    found = channel.counts(channel.encode(answers, SecretBits()))
    squares = (true**2).sum() - true**2
    said = [channel.variance(CLIENTS, f, s) for f, s in zip(true, squares, strict=True)]
    errors = (found - true) / np.sqrt(said)
    assert 0.6 < np.sqrt((errors**2).mean()) < 1.5
    assert abs(found.sum() - CLIENTS) < 8 * np.sqrt(sum(said))


def test_every_method_is_tried() -> None:
    assert {one.name for one in SMALL} == set(METHODS)


@pytest.mark.parametrize("channel", [*SMALL, *LARGE], ids=named)
def test_a_report_survives_its_way_and_others_are_refused(channel: Channel) -> None:
    reports = channel.encode(np.arange(channel.domain), SecretBits())
    sent = [channel.as_json(one) for one in reports]
    assert np.array_equal(np.stack([channel.from_json(one) for one in sent]), reports)
    for wrong in (None, "1", True, -1, 1.0, 1 << 60, [-1], [1, 0], [0, 0], [1 << 60], [True]):
        with pytest.raises(InvalidParameter, match="report: must"):
            channel.from_json(wrong)


def test_reports_of_a_wrong_shape_are_refused() -> None:
    for channel, wrong in ((SMALL[1], [0]), (SMALL[-1], []), (SMALL[-1], [0, 1])):
        with pytest.raises(InvalidParameter, match="report: must"):
            channel.from_json(wrong)


def test_a_refusal_shows_no_answer() -> None:
    for wrong in ([0, 77], [[0]], ["yes"], [0.5]):
        with pytest.raises(InvalidParameter, match="answers: must") as refusal:
            SMALL[0].encode(wrong, SecretBits())
        assert "77" not in str(refusal.value)


def test_nobody_answered() -> None:
    for channel in SMALL:
        nobody = channel.counts(channel.encode([], SecretBits()))
        assert nobody.tolist() == [0] * channel.domain


def test_ties_of_a_byte_get_the_bits_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = (5 << 56) + (1 << 55)
    words = (1 << 63) - 256, 1 << 63  # of the 56 higher bits, just below half of them and half
    tied = b"".join(word.to_bytes(8, "little") for word in words)
    scripted_bits(monkeypatch, bytes([4, 5, 5, 6, 0, 0, 0, 0]), tied)
    assert kept_bits(chance, (2, 2), SecretBits()).tolist() == [[True, True], [False, False]]


def test_a_word_past_the_last_multiple_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^32 is one more than a multiple of 3; with it, 0 would be too likely."""
    scripted_bits(monkeypatch, b"\xff", b"\x05\0\0\0")
    assert below(3, 2, SecretBits()).tolist() == [2, 2]


@pytest.mark.parametrize("field", [Field(7), Field(2, 3), Field(3, 2), Field(5, 2)], ids=str)
def test_a_field_is_one(field: Field) -> None:
    x = np.arange(field.order)
    a, b, c = x[:, None, None], x[:, None], x
    both = field.plus(field.times(a, b), field.times(a, c))
    assert np.array_equal(field.times(a, field.plus(b, c)), both)
    assert np.array_equal(field.times(field.times(a, b), c), field.times(a, field.times(b, c)))
    assert (field.times(x, field.inverses)[1:] == 1).all()
    assert (field.plus(x, field.minus(x)) == 0).all()


def test_prime_powers() -> None:
    orders = [field.order for field in prime_powers(32)]
    assert orders == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]


@pytest.mark.parametrize(
    "space",
    [Space(Field(2), 4), Space(Field(5), 3), Space(Field(2, 2), 3), Space(Field(3, 2), 2)],
    ids=str,
)
def test_the_transform_counts_the_reports_of_every_hyperplane(space: Space) -> None:
    points = np.arange(space.points)
    v = space.coordinates(points)
    assert np.array_equal(space.numbered(v), points)
    u = v[::-1]
    on = np.array([space.product(u, np.broadcast_to(one[:, None], u.shape)) == 0 for one in v.T])
    assert set(on.sum(axis=1)) == {space.hyperplane}
    seen = SeededBits(1).generator.integers(0, 50, space.points)
    assert np.array_equal(space.on_hyperplanes(seen, points), on @ seen)


def test_the_fast_transform_is_the_matrix() -> None:
    values = SeededBits(1).generator.integers(0, 9, (2, 256)).astype(np.float64)
    assert np.array_equal(walsh(values), values @ hadamard_matrix(256))


def mixed(word: int) -> int:
    """SplitMix64 in whole numbers of any size."""
    z = (word + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def test_the_hash_stays_what_it_is() -> None:
    """A browser computes the same: another hash would make reports unreadable."""
    seeds, answers = [0, 0, 1, 2**32 - 1], [0, 1, 0, 2**32 - 1]
    slow = [
        (mixed((mixed((seed + 1 << 32) % 2**64) + answer) % 2**64) >> 32) * 1000 >> 32
        for seed, answer in zip(seeds, answers, strict=True)
    ]
    assert buckets(seeds, answers, 1000).tolist() == slow
