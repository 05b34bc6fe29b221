"""Bits for tests: the door to the system's generator replaced, since no option reaches it."""

import os
from collections.abc import Callable, Iterator
from itertools import repeat
from types import SimpleNamespace

import numpy as np
import pytest

from leeward.core import randomness
from leeward.core.noise.tabulated import Words
from leeward.core.randomness import SeededBits


def replace_bits(monkeypatch: pytest.MonkeyPatch, source: Callable[[int], bytes]) -> None:
    monkeypatch.setattr(randomness, "os", SimpleNamespace(urandom=source))


def constant_bits(monkeypatch: pytest.MonkeyPatch, byte: int) -> None:
    """Every byte is this one, so that words extended twice get the same bits."""
    replace_bits(monkeypatch, lambda size: bytes(repeat(byte, size)))


def scripted_bits(monkeypatch: pytest.MonkeyPatch, *patterns: bytes) -> None:
    """The first reads repeat these patterns, one each; then come the system's bits."""
    left: Iterator[bytes] = iter(patterns)

    def read(size: int) -> bytes:
        pattern = next(left, None)
        if pattern is None:
            return os.urandom(size)
        return (pattern * (size // len(pattern) + 1))[:size]

    replace_bits(monkeypatch, read)


def spread_words(count: int, seed: int = 1) -> Words:
    """Words near both ends and in between: each magnitude of either tail is as likely."""
    generator = SeededBits(seed).generator
    words = generator.integers(0, 2**64, size=count, dtype=np.uint64)
    words >>= generator.integers(0, 64, size=count, dtype=np.uint64)
    flipped = generator.integers(0, 2, size=count, dtype=np.uint64) == 1
    return np.where(flipped, ~words, words)


def even_words(count: int, seed: int = 2) -> Words:
    return SeededBits(seed).generator.integers(0, 2**64, size=count, dtype=np.uint64)
