"""Finding: what an attack found, beside the same attacker against Leeward and against nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leeward.core.show.heat import HeatMap
from leeward.core.show.numbers import count, percent, significant
from leeward.core.show.page_rows import INTERNAL
from leeward.core.show.plots import Comb, Needles, Plot, Ranges, Shares

Picture: TypeAlias = Plot | Shares | Needles | Comb | Ranges | HeatMap


@dataclass(frozen=True)
class Against:
    """A number and the sentence that says what it means."""

    number: float
    sentence: str
    text: str = ""
    """The number as it is shown, where it is neither a count nor a share."""

    @property
    def shown(self) -> str:
        """The number for a reader."""
        return self.text or _shown(self.number)

    def as_json(self) -> dict[str, Any]:
        """The two as JSON."""
        return {"number": self.number, "sentence": self.sentence}


@dataclass(frozen=True)
class Finding:
    """What one run of an attack found. Shares are fractions.

    `internal` findings were computed from confidential data: they are marked and never leave.
    """

    attack: str
    title: str
    number: float
    sentence: str
    against_leeward: Against
    against_nothing: Against
    parameters: Mapping[str, Any]
    pictures: tuple[Picture, ...]
    remarks: tuple[str, ...] = ()
    """Further sentences: conditions, errata, where ours leaks too."""
    further: Mapping[str, Any] = field(default_factory=dict)
    """Further numbers of the JSON answer."""
    internal: bool = False
    text: str = ""
    """The number as it is shown, where it is neither a count nor a share."""

    @property
    def shown(self) -> str:
        """The number for a reader."""
        return self.text or _shown(self.number)

    @property
    def mark(self) -> str | None:
        """The mark of what was computed from confidential data."""
        return INTERNAL if self.internal else None

    def as_json(self) -> dict[str, Any]:
        """What `leeward attack NAME --json` prints; the mark comes first."""
        return {
            **({"confidential": INTERNAL} if self.internal else {}),
            "attack": self.attack,
            "number": self.number,
            "sentence": self.sentence,
            "against_leeward": self.against_leeward.as_json(),
            "against_nothing": self.against_nothing.as_json(),
            "parameters": dict(self.parameters),
            "remarks": list(self.remarks),
            **self.further,
        }


def _shown(number: float) -> str:
    """A whole number as a count, a fraction up to one as a share, and others in three digits."""
    if isinstance(number, int):
        return count(number)
    return percent(number) if 0 <= number <= 1 else significant(number)
