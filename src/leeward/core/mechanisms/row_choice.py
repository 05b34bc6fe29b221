"""Row choice: the candidate whose counts are farthest from what is expected of them.

Proof in row_choice.proof.md. What is expected follows from released numbers alone, so one row more
moves the distance of a candidate by one row at most.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import ClassVar

import numpy as np

from leeward.core.exact import SLACK
from leeward.core.noise.exact_selection import Selection
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee

UNIT = 1024
"""Distances are whole numbers of this part of a row: what is expected is rounded to it."""

MOST = 2.0**61
"""Expected counts, in UNIT, are clipped so that their sum stays below it: distances fit 64 bits."""

ROOT_BITS = 64


def distance(counts: Integers, expected: Floats) -> int:
    """Σ|n − m| in UNIT, exact: m is rounded first, by itself."""
    most = MOST / max(counts.size, 1)
    near = np.rint(np.clip(np.nan_to_num(expected) * UNIT, -most, most))
    return int(np.abs(counts * UNIT - near.astype(np.int64)).sum())


@dataclass(frozen=True)
class RowChoice:
    """One of some candidates by their distances, less public penalties, `times` in a row.

    With an ε by permute-and-flip, with a ρ by the exponential mechanism. `step` is by how much one
    row may move a score, in UNIT.
    """

    name: ClassVar[str] = "row_choice"

    price: Guarantee
    times: int = 1
    step: int = UNIT

    @property
    def rate(self) -> Fraction:
        """ε/2 of one choice, or √(2ρ) of one, rounded down; for one UNIT of a score."""
        loss = self.price.amount * (1 - SLACK) / self.times
        if self.price.measure == "pure":
            return loss / 2 / self.step
        root = isqrt(int(2 * loss * 4**ROOT_BITS))
        return Fraction(root, 2**ROOT_BITS) / self.step

    def release(self, scores: Sequence[int], selection: Selection) -> int:
        """The place of the candidate that is chosen; one of `times` choices."""
        ranks = -np.array(scores, dtype=np.int64)
        pure = self.price.measure == "pure"
        return (selection.flipped if pure else selection.chosen)(ranks, self.rate)
