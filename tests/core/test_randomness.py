import inspect
import os
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.randomness import READ_AT_MOST, SecretBits, SeededBits

Words = Callable[[int], NDArray[np.unsignedinteger]]

WORDS = [(SecretBits().words64, np.uint64), (SecretBits().words32, np.uint32)]
every_width = pytest.mark.parametrize(("words", "kind"), WORDS, ids=["64", "32"])


@every_width
@pytest.mark.parametrize("count", [0, 1, 1000, READ_AT_MOST // 4 + 3])
def test_words_have_their_type_and_count(words: Words, kind: type, count: int) -> None:
    drawn = words(count)
    assert drawn.dtype == kind
    assert drawn.shape == (count,)


@every_width
def test_every_bit_is_drawn_in_every_block(words: Words, kind: type) -> None:
    width = np.dtype(kind).itemsize
    drawn = words(3 * READ_AT_MOST // width)
    for block in drawn.reshape(3, -1):
        ones = np.unpackbits(block.view(np.uint8)).reshape(-1, 8 * width).mean(axis=0)
        assert abs(ones - 0.5).max() < 8 * 0.5 / len(block) ** 0.5  # eight standard deviations


def test_words_do_not_repeat() -> None:
    bits = SecretBits()
    assert len(np.unique(np.concatenate([bits.words64(1000), bits.words64(1000)]))) == 2000


@pytest.mark.parametrize("width", [8, 64, 4096])
def test_one_word_is_below_its_bound_and_reaches_its_top_bits(width: int) -> None:
    drawn = [SecretBits().word(width) for _ in range(200)]
    assert 2 ** (width - 1) <= max(drawn) < 2**width


def test_a_fork_does_not_repeat_its_parent() -> None:
    bits = SecretBits()
    bits.words64(1)
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only draws and exits
        child = os.fork()
    if child == 0:
        try:
            os.write(writer, bits.words64(4).tobytes())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        theirs = np.frombuffer(pipe.read(), dtype=np.uint64)
    os.waitpid(child, 0)
    assert theirs.shape == (4,)
    assert not np.isin(theirs, bits.words64(4)).any()


def test_the_secret_door_takes_no_seed_and_keeps_nothing() -> None:
    assert not inspect.signature(SecretBits).parameters
    with pytest.raises(TypeError):
        SecretBits(7)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        SecretBits().seed = 7  # type: ignore[attr-defined]


def test_the_seeded_door_repeats_itself() -> None:
    first, again, other = (SeededBits(seed).generator.integers(2**60, size=8) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_the_doors_are_different_types() -> None:
    assert SecretBits.__bases__ == SeededBits.__bases__ == (object,)
    assert not {"words64", "words32", "word"} & set(dir(SeededBits))
    assert not hasattr(SecretBits(), "generator")
