"""Exam of independence: whether workplace cells share random words.

Theorem 2 of composition.proof.md needs noise of its own for every workplace cell, and so does every
exam that takes one release of many equal cells for many draws. The code that releases call draws
such cells. Each is compared with the next one and with the one half a table away, by Pearson's χ²
over classes of about equal size: equal in law and independent, they fill every pair of classes
alike.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.exact import ball, precision
from leeward.core.mechanisms import Mechanism
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats, Words
from leeward.lab.audit.exams import examined
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth
from leeward.lab.audit.released_code import CodeExam, drawn
from leeward.systems.local.hashing import mixed

BETWEEN_CELLS = "between workplace cells"
SHARED = "workplace cells share random words"
CELLS = 1 << 15
"""Workplace cells in all releases together."""

CLASSES = 8

RARE = Fraction(1, 10**9)
"""How often independent cells are rejected; the table has far fewer than a thousand such rows."""


def dependence(released: Floats) -> arb:
    """How rare independent cells are so far from independence, at most; (releases, cells, numbers).

    The least p-value over the numbers of two cells and over their distance, times the number of
    comparisons.
    """
    numbers = np.moveaxis(released, 2, 0)
    classes = [_classes(number) for number in numbers if len(np.unique(number)) > 1]
    values = list[arb]()
    for left, right in product(classes, classes):
        half = left.shape[1] // 2
        # Cells and their next ones, no cell in two pairs, in two ways; then cells half a table on.
        values += [
            _p_value(left[:, 0:-1:2].ravel(), right[:, 1::2].ravel()),
            _p_value(left[:, 1:-1:2].ravel(), right[:, 2::2].ravel()),
            _p_value(left[:, :half].ravel(), right[:, half : 2 * half].ravel()),
        ]
    return len(values) * min(values, key=float)


def _classes(column: Floats) -> Integers:
    """The class of each number: equal numbers share one, and no class is too small for χ²."""
    ordered, least = np.sort(column, axis=None), column.size // CLASSES
    cuts, start = list[float](), 0
    while start + 2 * least <= len(ordered):
        cuts.append(ordered[start + least - 1])
        start = int(np.searchsorted(ordered, cuts[-1], side="right"))
    if cuts and len(ordered) - start < least:
        cuts.pop()
    return np.searchsorted(cuts, column, side="left")


def _p_value(left: Integers, right: Integers) -> arb:
    """Of Pearson's χ² for the table of both classes."""
    shape = int(left.max()) + 1, int(right.max()) + 1
    seen = np.bincount(left * shape[1] + right, minlength=shape[0] * shape[1]).reshape(shape)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(left)
    return chi_square(seen, expected, (shape[0] - 1) * (shape[1] - 1))


def chi_square(seen: NDArray[np.int64], expected: Floats, freedom: int) -> arb:
    """P(χ² is at least what these counts have)."""
    if not freedom:
        return arb(1)
    statistic = float(((seen - expected) ** 2 / expected).sum())
    with precision(64):
        return arb(statistic / 2).gamma_upper(arb(freedom) / 2, regularized=True)


@dataclass(frozen=True)
class Independence:
    """An exam of the cells that the released code of a mechanism draws.

    What all cells of a release shared would differ between releases, and show.
    """

    code: CodeExam
    releases: int = 64

    def __call__(self, mechanism: Mechanism, name: str, _depth: Depth) -> PrivacyLoss:
        """No loss is computed: a fault, or as many draws without one."""
        database = list(self.code.pairs(mechanism, examined(mechanism, name)))[-1].before
        release, cells = self.code.drawn or drawn, CELLS // self.releases
        released = np.stack([release(mechanism, database, cells) for _ in range(self.releases)])
        if not dependence(released) > ball(RARE):
            return PrivacyLoss.faulty(SHARED)
        return PrivacyLoss.unseen(CELLS)


class FixedWords:
    """Fixed words: what exams give a sampler in place of the system's random words.

    Word i is SplitMix64 of i, from number `first` on: an exam has the same result every time.
    `short` words, of 32 bits, are below 2^`short`. It has the methods of `SecretBits` and is no
    such thing: no release can be given one.
    """

    def __init__(self, first: int = 0, short: int = 32) -> None:
        self.next = first
        self.short = short

    def words64(self, count: int) -> Words:
        """The next `count` words."""
        numbers = np.arange(self.next, self.next + count, dtype=np.uint64)
        self.next += count
        return mixed(numbers)

    def words32(self, count: int) -> NDArray[np.uint32]:
        """The highest bits of the next `count` words."""
        return (self.words64(count) >> np.uint64(64 - self.short)).astype(np.uint32)

    def word(self, bits: int) -> int:
        """The highest bits of the next word, at most 64."""
        return int(self.words64(1)[0]) >> (64 - bits)
