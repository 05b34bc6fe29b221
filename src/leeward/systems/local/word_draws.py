"""Word draws: words of 64 random bits below a chance, and whole numbers by rejection.

A chance is a whole number T over 2^64. `threshold` rounds it so that no report is more than e^ε
times as likely under one answer as under another.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import START_BITS, dyadic_down, precision
from leeward.core.privacy.local_privacy import LocalEpsilon
from leeward.core.randomness import SecretBits

Answers: TypeAlias = NDArray[np.int64]
Reports: TypeAlias = NDArray[np.unsignedinteger]

WORD = 1 << 64
"""A chance is a whole number T over this."""

TOGETHER = 1 << 20
"""Random choices worked on together: small enough to stay in the cache."""

DESIGN_BITS = 96
SHORT = 1 << 24
"""Uniform numbers below this are drawn from 32 bits, of which less than 1 in 256 are refused."""


def threshold(epsilon: LocalEpsilon, inside: int, outside: int, *, halved: bool = False) -> int:
    """The largest T with (T/inside) ≤ e^ε·(2^64 − T)/outside; `halved`, with e^(ε/2).

    `inside` reports share the chance T/2^64 evenly and `outside` reports the rest: one of the
    former is at most e^ε times as likely as one of the latter.
    """
    factor = epsilon.root if halved else epsilon.factor
    if factor is not None:
        return int(WORD * factor * inside / (factor * inside + outside))
    bits = START_BITS
    while True:  # the factor is irrational, so that the floor is decided at some precision
        with precision(bits + inside.bit_length() + outside.bit_length()):
            weight = inside * (epsilon.power().sqrt() if halved else epsilon.power())
            found = (arb(WORD) * weight / (weight + outside)).floor().unique_fmpz()
        if found is not None:
            return int(found)
        bits *= 2


def kept(chance: int, count: int, bits: SecretBits) -> NDArray[np.bool_]:
    """True with the chance T/2^64, for each of `count` clients."""
    drawn: NDArray[np.bool_] = bits.words64(count) < np.uint64(chance)
    return drawn


def kept_bits(chance: int, shape: tuple[int, int], bits: SecretBits) -> NDArray[np.bool_]:
    """The same for many bits a client: a byte decides, and a tie gets 56 bits more of its word."""
    size = shape[0] * shape[1]
    first = bits.words64(-(-size // 8)).view(np.uint8)[:size]
    high, low = chance >> 56, chance & ((1 << 56) - 1)
    drawn: NDArray[np.bool_] = first < high
    ties = np.flatnonzero(first == high)
    drawn[ties] = (bits.words64(len(ties)) >> np.uint64(8)) < np.uint64(low)
    return drawn.reshape(shape)


def below(bound: int, count: int, bits: SecretBits) -> Answers:
    """Uniform whole numbers below `bound`: a word past the last multiple of it is drawn again."""
    read, size = (bits.words32, 1 << 32) if bound <= SHORT else (bits.words64, WORD)
    words: Reports = read(count)
    last = size - size % bound
    if last < size:
        while len(late := np.flatnonzero(words >= words.dtype.type(last))):
            words[late] = read(len(late))
    numbers: Answers = (words % words.dtype.type(bound)).astype(np.int64)
    return numbers


def approximate_factor(epsilon: LocalEpsilon) -> Fraction:
    """e^ε as a rational for the choice of a design: the same on every machine."""
    with precision(2 * DESIGN_BITS):
        return dyadic_down(epsilon.power(), DESIGN_BITS)


def parts(count: int, width: int) -> Iterator[slice]:
    """Clients in parts, of which each makes `width` random choices."""
    step = max(1, TOGETHER // max(1, width))
    return (slice(i, i + step) for i in range(0, count, step))
