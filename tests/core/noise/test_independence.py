"""Rows of every sampler have random words of their own, which no other row reads.

A sampler is given numbered words. Each of 10⁵ rows has a code of twenty binary digits, ten of them
ones. For each digit the rows with a one get other words. Two rows each have a one where the other
has a zero: a row that reads a word of another row changes although its own words stay. Other words
at one place of every row must change the rows: where a word is used twice, another word is not
used. Masses and correlations of neighbouring rows are compared with those of independent rows.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from math import comb
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.noise import exact_selection, sampling
from leeward.core.noise.block_draws import PairBits, RowBits, draw_block, draw_pairs
from leeward.core.noise.body import HEXAGON
from leeward.core.noise.design import Design
from leeward.core.noise.exact_selection import SecretSelection, below, choose, falls
from leeward.core.noise.joint_draws import LAST, RowWords, draw_joint
from leeward.core.noise.joint_row import WordLayout
from leeward.core.noise.law import discrete_laplace
from leeward.core.noise.radial_law import pareto_radius
from leeward.core.noise.sampling import SPARE, Uniform, draw, draw_gaussian
from leeward.core.noise.scales import Integers, LawByScale, Scales
from leeward.core.randomness import SecretBits, SeededBits
from leeward.lab.audit.independence import dependence
from tests.core.mechanisms.built import additive
from tests.core.noise.goodness import FALSE_ALARM
from tests.core.noise.radial import slope
from tests.shape.source import SRC, modules

ROWS, CALLS, MORE_CALLS = 10**5, 500, 10**4
WIDE = 10**6
"""A scale at which another word is another number, almost surely, and float64 decides."""

SURE = 5.0
"""Standard errors of a correlation, which one of independent rows exceeds once in 10⁶ times."""

OTHER = 1 << 32
Chosen = NDArray[np.bool_]
Choice = Callable[[int, int], Chosen]
"""Of `count` words from number `start` on, which are to be other ones."""


class NumberedBits:
    """Seeded words in place of the system's, some of them other ones.

    Requests come in rounds of `parts`; the words of the i-th request of all rounds are numbered on.
    Parts of `zeros` are answered by zeros, and other words are not extreme then: a proposal far out
    is rejected by every word. Single words decide what float64 leaves open, and are all alike: how
    many there are depends on rows.
    """

    def __init__(self, parts: int, choices: dict[int, Choice], zeros: tuple[int, ...]) -> None:
        self.zeros, self.choices = zeros, choices
        self.words = [SeededBits(part).generator for part in range(parts)]
        self.others = [SeededBits(OTHER + part).generator for part in range(parts)]
        self.requests, self.read = 0, [0] * parts

    def _next(self, count: int, kind: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        part, bits = self.requests % len(self.words), 8 * np.dtype(kind).itemsize
        self.requests += 1
        edge = 2**bits >> 10 if self.zeros else 0
        words, others = (
            source[part].integers(edge, 2**bits - edge, count, dtype=kind)
            for source in (self.words, self.others)
        )
        if part in self.zeros:
            words[:] = 0
        if part in self.choices:
            words = np.where(self.choices[part](self.read[part], count), others, words)
        self.read[part] += count
        return words

    def words64(self, count: int) -> NDArray[np.uint64]:
        return self._next(count, np.uint64)

    def words32(self, count: int) -> NDArray[np.uint32]:
        return self._next(count, np.uint32)

    def word(self, bits: int) -> int:
        return int("5a" * (bits // 8), 16)


@dataclass(frozen=True)
class Arrays:
    """A sampler of many rows: `words` are those of a row in each part of its requests."""

    draw: Callable[[int, SecretBits], Integers]
    words: tuple[int, ...]
    zeros: tuple[int, ...] = ()
    idle: dict[int, set[int]] = field(default_factory=dict)
    """Places, by part, whose words are read and never needed."""

    spare: int = 0
    """Words of each part beyond those of the rows."""

    seen: float = 0.999
    """Of the rows with other words, the share that changes, at least."""

    rows: int = ROWS

    @property
    def changing(self) -> dict[int, int]:
        """Words of a row in each part that is not zeros."""
        return {part: n for part, n in enumerate(self.words) if part not in self.zeros}

    def given(self, choices: dict[int, Choice]) -> tuple[Integers, list[int]]:
        bits = NumberedBits(len(self.words), choices, self.zeros)
        noise = self.draw(self.rows, cast(SecretBits, bits))
        return noise.reshape(self.rows, -1), bits.read

    def drawn(self, chosen: Chosen) -> Integers:
        def choice(width: int) -> Choice:
            each = np.append(np.repeat(chosen, width), np.zeros(self.spare, dtype=np.bool_))
            return lambda start, n: each[start : start + n]

        return self.given({part: choice(width) for part, width in self.changing.items()})[0]

    def place(self, part: int, place: int) -> Integers:
        """With another word at one place of each row."""
        width = self.words[part]
        return self.given({part: lambda start, n: np.arange(start, start + n) % width == place})[0]

    def even(self) -> Integers:
        """Without zeros."""
        bits = NumberedBits(len(self.words), {}, ())
        return self.draw(self.rows, cast(SecretBits, bits)).reshape(self.rows, -1)


class CallBits:
    """Seeded words of one call, as many as it asks for."""

    def __init__(self, seed: int) -> None:
        self.generator = SeededBits(seed).generator

    def words64(self, count: int) -> NDArray[np.uint64]:
        return self.generator.integers(0, 2**64, count, dtype=np.uint64)

    def word(self, bits: int) -> int:
        return int(self.words64(1)[0]) >> (64 - bits)


@dataclass(frozen=True)
class Calls:
    """A sampler of one number: a row is a call, which may read as many words as it needs."""

    call: Callable[[SecretBits], object]
    seen: float
    rows: int = CALLS

    def drawn(self, chosen: Chosen) -> Integers:
        numbers = [
            self.call(cast(SecretBits, CallBits(row + OTHER * other)))
            for row, other in enumerate(chosen.tolist())
        ]
        return np.array(numbers, dtype=np.int64).reshape(len(chosen), -1)

    def even(self) -> Integers:
        """More of them."""
        return self.drawn(np.zeros(MORE_CALLS, dtype=np.bool_))


Sampler = Arrays | Calls


def alike(rows: int) -> Scales:
    return Scales(np.full(rows, WIDE))


def selected(call: Callable[[SecretSelection], object]) -> Callable[[SecretBits], object]:
    """A method of `SecretSelection`, which opens the door itself."""

    def called(bits: SecretBits) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exact_selection, "SecretBits", lambda: bits)
            return call(SecretSelection())

    return called


def spread(rows: int, bits: SecretBits) -> Integers:
    """Uniform numbers, for protections without a guarantee, as whole multiples of 2⁻⁵³."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "SecretBits", lambda: bits)
        return (sampling.secret_uniforms(rows) * 2.0**53).astype(np.int64)


LAPLACE, HALF = discrete_laplace(Fraction(3)), Fraction(1, 2)
BY_SIZE = LawByScale(Fraction(WIDE + 1), LAPLACE, lambda _: discrete_laplace(Fraction(2)))
ALL_SIZES = additive("soft_staircase").laws
TABLES, LAW = Design((2, 3)), pareto_radius(4, Fraction(3))
RANKS = np.array([0, 1, 0, 2, 1])

SAMPLERS: dict[str, Sampler] = {
    "sampling.draw": Arrays(lambda n, bits: draw(LAPLACE, alike(n), bits), (1,)),
    "sampling.secret_uniforms": Arrays(spread, (1,)),
    "sampling.draw, by size": Arrays(
        lambda n, bits: draw(BY_SIZE, Scales(WIDE + np.arange(n) % 3), bits), (1,)
    ),
    "sampling.draw, by all sizes": Arrays(
        lambda n, bits: draw(ALL_SIZES, Scales(WIDE + np.arange(n) % 3), bits), (1,)
    ),
    "block_draws.draw_block": Arrays(
        lambda n, bits: draw_block(alike(n), 2, pareto_radius(2, Fraction(3)), bits), (2, 1)
    ),
    "block_draws.draw_block, radial slope": Arrays(
        lambda n, bits: draw_block(alike(n), 3, slope("0.1", 1, 3)[0], bits), (3, 1)
    ),
    "sampling.draw_gaussian": Arrays(
        # A word of 0 accepts: proposal i is row i, and half of the proposals are not needed.
        lambda n, bits: draw_gaussian(Fraction(WIDE**2), n, bits),
        (1, 1),
        zeros=(1,),
        spare=ROWS + SPARE,
    ),
    "block_draws.draw_pairs": Arrays(
        lambda n, bits: draw_pairs((alike(n), alike(n)), 2, HEXAGON, LAW, bits), (2, 4, 1)
    ),
    "block_draws.draw_pairs, no radius": Arrays(
        lambda n, bits: draw_pairs((alike(n), alike(n)), 1, HEXAGON, None, bits),
        (1, 2, 0),
    ),
    "joint_draws.draw_joint": Arrays(
        lambda n, bits: draw_joint(TABLES, alike(n), LAW, bits),
        (WordLayout(TABLES, LAW).words, TABLES.cells + 1),
        # The signs of a table of two cells, the last power and the last cell of each table follow.
        idle={0: {2, 4}, 1: {2, 5}},
    ),
    "exact_selection.choose": Calls(lambda bits: choose([0, 1, 2], [1, 2, 3], HALF, bits), 0.3),
    "exact_selection.falls": Calls(lambda bits: falls(HALF, bits), 0.3),
    "exact_selection.below": Calls(lambda bits: below(1000, bits), 0.99),
    "exact_selection.SecretSelection.order": Calls(selected(lambda one: one.order(4)), 0.9),
    "exact_selection.SecretSelection.chosen": Calls(
        selected(lambda one: one.chosen(RANKS, HALF)), 0.5
    ),
    "exact_selection.SecretSelection.flipped": Calls(
        selected(lambda one: one.flipped(RANKS, HALF)), 0.5
    ),
}

STEPS = {
    "sampling.decide": "sampling.draw",
    "sampling.decide_by_size": "sampling.draw",
    "sampling.refine": "sampling.draw",
    "sampling.Uniform": "sampling.draw",
    "block_draws.RowBits.read": "block_draws.draw_block",
    "block_draws.decide_block": "block_draws.draw_block",
    "block_draws.RefinedBlock": "block_draws.draw_block",
    "sampling.accept": "sampling.draw_gaussian",
    "block_draws.PairBits.read": "block_draws.draw_pairs",
    "block_draws._below": "block_draws.draw_pairs",
    "block_draws.decide_pairs": "block_draws.draw_pairs",
    "block_draws.RefinedPairs": "block_draws.draw_pairs",
    "joint_draws.RowWords.read": "joint_draws.draw_joint",
    "joint_draws.decide_joint": "joint_draws.draw_joint",
    "joint_draws.refine_joint": "joint_draws.draw_joint",
    "draws.SecretNoise.rounded": "sampling.draw",
    "draws.SecretNoise.gaussian": "sampling.draw_gaussian",
    "draws.SecretNoise.block": "block_draws.draw_block",
    "draws.SecretNoise.pairs": "block_draws.draw_pairs",
    "draws.SecretNoise.joint": "joint_draws.draw_joint",
}
"""What else takes or opens the door: a part of these samplers."""

every_sampler = pytest.mark.parametrize("name", SAMPLERS)


def drawing() -> Iterator[str]:
    """What in `leeward.core.noise` takes `SecretBits`, or opens the door itself."""
    for module in modules(SRC / "leeward" / "core" / "noise"):
        yield from (f"{module.name}.{one}" for one in _drawing(module.tree))


def _drawing(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for method in _drawing(node):
                yield node.name if method == "__init__" else f"{node.name}.{method}"
        if isinstance(node, ast.FunctionDef) and "SecretBits" in _names(node):
            yield node.name


def _names(function: ast.FunctionDef) -> set[str]:
    """Of parameters' types, and of what is called."""
    types = {ast.unparse(one.annotation) for one in function.args.args if one.annotation}
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return types | {ast.unparse(one) for one in called}


def test_every_sampler_is_examined() -> None:
    examined = {name.partition(",")[0] for name in SAMPLERS}
    assert set(drawing()) == examined | set(STEPS)
    assert set(STEPS.values()) <= examined


def digits(rows: int) -> Iterator[Chosen]:
    """For each digit of their codes, the rows that have a one."""
    length = next(n for n in count(2, 2) if comb(n, n // 2) >= rows)
    numbers = np.arange(1 << length)
    codes = numbers[np.bitwise_count(numbers) == length // 2][:rows]
    return (codes >> digit & 1 == 1 for digit in range(length))


def leaks(sampler: Sampler) -> bool:
    """Whether a row changes although its own words stay, or stays although they all change."""
    before = sampler.drawn(none(sampler))
    for chosen in digits(sampler.rows):
        changed = (sampler.drawn(chosen) != before).any(axis=1)
        if changed[~chosen].any() or changed[chosen].mean() < sampler.seen:
            return True
    return False


def none(sampler: Sampler) -> Chosen:
    return np.zeros(sampler.rows, dtype=np.bool_)


def correlated(noise: Integers) -> bool:
    """Whether ranks of numbers and of their sizes are correlated with those of the next row."""
    numbers = np.concatenate([noise, np.abs(noise - np.median(noise, axis=0))], axis=1)
    ranks = np.argsort(np.argsort(numbers, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    lagged = ranks[:-1].T @ ranks[1:] / (len(ranks) - 1)
    return bool(np.abs(lagged).max() > SURE / np.sqrt(len(ranks)))


def shared(noise: Integers) -> bool:
    """Whether joint masses of neighbouring rows, or of rows half a table apart, are others."""
    return not dependence(noise.astype(np.float64)[None]) > FALSE_ALARM


@every_sampler
def test_no_row_reads_a_word_of_another_row(name: str) -> None:
    assert not leaks(SAMPLERS[name])


@pytest.mark.parametrize(
    "name", [name for name, one in SAMPLERS.items() if isinstance(one, Arrays)]
)
def test_every_word_of_a_row_is_used(name: str) -> None:
    sampler = cast(Arrays, SAMPLERS[name])
    before, read = sampler.given({})
    assert read == [sampler.rows * width + sampler.spare for width in sampler.words]
    for part, width in sampler.changing.items():
        for place in range(width):
            changed = (sampler.place(part, place) != before).any(axis=1)
            assert changed.any() == (place not in sampler.idle.get(part, ()))


@every_sampler
def test_neighbouring_rows_are_independent(name: str) -> None:
    noise = SAMPLERS[name].even()
    assert not shared(noise)
    if isinstance(SAMPLERS[name], Arrays):
        assert not correlated(noise)


def test_a_rejected_proposal_leaves_the_other_rows_as_they_are() -> None:
    """A word of 0 accepts, the largest word rejects: rows are the accepted proposals in order."""
    variance, tried = Fraction(WIDE**2), 2 * ROWS + SPARE
    rejected = np.arange(tried) % 7 == 3

    class Rejecting(NumberedBits):
        def words64(self, count: int) -> NDArray[np.uint64]:
            words = super().words64(count)
            return words if self.requests == 1 else np.where(rejected, np.uint64(LAST), words)

    all_accepted, some = NumberedBits(2, {}, (1,)), Rejecting(2, {}, (1,))
    proposals = draw_gaussian(variance, tried, cast(SecretBits, all_accepted))
    noise = draw_gaussian(variance, ROWS, cast(SecretBits, some))
    assert np.array_equal(noise, proposals[~rejected][:ROWS])


def test_more_bits_of_a_uniform_are_new_words() -> None:
    uniform = Uniform(7, 64, cast(SecretBits, CallBits(1)))
    uniform.extend()
    uniform.extend()
    first, second = CallBits(1).words64(2).tolist()
    assert uniform.word == 7 << 128 | first << 64 | second


# Twins that use a word twice.


def one_radius(patch: pytest.MonkeyPatch) -> None:
    """All rows of a chunk have the word of one radius."""
    read = RowBits.read

    def twin(rows: int, cells: int, bits: SecretBits) -> RowBits:
        words = read(rows, cells, bits)
        words.radius[:] = words.radius[0]
        return words

    patch.setattr(RowBits, "read", twin)


def one_radius_of_a_product(patch: pytest.MonkeyPatch) -> None:
    read = RowWords.read

    def twin(rows: int, layout: WordLayout, bits: SecretBits) -> RowWords:
        words = read(rows, layout, bits)
        words.wide[:, layout.radius] = words.wide[0, layout.radius]
        return words

    patch.setattr(RowWords, "read", twin)


def repeated_half(patch: pytest.MonkeyPatch) -> None:
    """The second half of the draws repeats the first."""
    genuine = draw_gaussian

    def twin(variance: Fraction, count: int, bits: SecretBits) -> Integers:
        noise = genuine(variance, count, bits)
        noise[count - count // 2 :] = noise[: count // 2]
        return noise

    patch.setitem(globals(), "draw_gaussian", twin)


def word_of_the_row_before(patch: pytest.MonkeyPatch) -> None:
    """E₂ of a workplace cell is E₁ of the one before."""
    read = PairBits.read

    def twin(*args: Any) -> PairBits:  # noqa: ANN401 (as the genuine one)
        words = read(*args)
        words.pairs[1:, :, 1] = words.pairs[:-1, :, 0]
        return words

    patch.setattr(PairBits, "read", twin)


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("block_draws.draw_block", one_radius),
        ("block_draws.draw_block, radial slope", one_radius),
        ("joint_draws.draw_joint", one_radius_of_a_product),
        ("sampling.draw_gaussian", repeated_half),
        ("block_draws.draw_pairs", word_of_the_row_before),
        ("block_draws.draw_pairs, no radius", word_of_the_row_before),
    ],
)
def test_a_word_that_is_used_twice_is_found(
    name: str, twin: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    twin(monkeypatch)
    assert leaks(SAMPLERS[name])
    assert shared(SAMPLERS[name].even())
