"""Frame: which establishments a charge is about, as a sketch that two accounts can compare.

A sketch holds the smallest of the keyed hashes of all workplace ids. Up to the smaller of two
largest kept hashes both frames are known completely, and those hashes are a uniform sample of
each: they estimate without bias the share of the smaller frame that is in the other, also where
one frame is a part of the other. Disjoint frames have no hash in common. A frame so small
beside the other that none of its ids is in the sample (less than a thousandth) is missed.
"""

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from leeward.errors import InvalidParameter, shown

SIZE = 1024
"""Hashes in a sketch: enough to tell an overlap of one half from all or nothing."""

BYTES = 8
ALL = 2 ** (8 * BYTES) - 1


@dataclass(frozen=True)
class FrameSketch:
    """The 1,024 smallest hashes of a frame, ascending, or all of them where there are fewer."""

    hashes: tuple[int, ...]

    def __post_init__(self) -> None:
        held = self.hashes
        rises = all(low < high for low, high in pairwise(held))
        if len(held) > SIZE or not rises or (held and not 0 <= held[0] <= held[-1] <= ALL):
            raise _no_sketch(f"{len(held)} numbers that are none")

    @classmethod
    def of(cls, digits: Iterable[str]) -> "FrameSketch":
        """The sketch of hashes in hexadecimal digits, as an engine gives them."""
        return cls(tuple(int(one, 16) for one in digits))

    @classmethod
    def read(cls, text: object) -> "FrameSketch":
        """Read a sketch from its base64 text."""
        try:
            packed = b64decode(text, validate=True) if isinstance(text, str) else b"?"
        except (Error, ValueError):
            raise _no_sketch(text) from None
        if len(packed) % BYTES:
            raise _no_sketch(text)
        parts = (packed[at : at + BYTES] for at in range(0, len(packed), BYTES))
        return cls(tuple(int.from_bytes(part) for part in parts))

    @property
    def written(self) -> str:
        """The hashes as an entry holds them: eight bytes each, the highest first, in base64."""
        return b64encode(b"".join(one.to_bytes(BYTES) for one in self.hashes)).decode()

    @property
    def _reach(self) -> int:
        """The largest hash up to which the frame is known completely."""
        return self.hashes[-1] if len(self.hashes) == SIZE else ALL

    def overlap(self, other: "FrameSketch") -> Fraction:
        """Share of the smaller frame that is in the other: exact where both are complete."""
        reach = min(self._reach, other._reach)
        mine, others = ({one for one in sketch.hashes if one <= reach} for sketch in (self, other))
        fewer = min(len(mine), len(others))
        return Fraction(len(mine & others), fewer) if fewer else Fraction(0)


def _no_sketch(value: object) -> InvalidParameter:
    return InvalidParameter(
        "frame",
        rule=f"must be at most {SIZE} ascending numbers of 64 bits in base64",
        value=shown(value),
        next_step="Give what the engine's frame_sketch returns.",
    )
