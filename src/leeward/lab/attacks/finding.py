"""Attack finding: what an attack found, and the same attacker against Leeward and nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeAlias

from leeward.core.show.heat import HeatMap
from leeward.core.show.notebook import INTERNAL
from leeward.core.show.numbers import count, percent, significant
from leeward.core.show.plots import Comb, Look, Needles, Plot, Ranges, Share, Shares

Given = ParamSpec("Given")
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
class AttackFinding:
    """What one run of an attack found. Shares are fractions.

    `internal` findings were computed from confidential data: they are marked and never leave.
    """

    title: str
    number: float
    sentence: str
    against_leeward: Against
    against_nothing: Against
    pictures: tuple[Picture, ...]
    attack: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the attack was given, with further words for a reader."""

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


def finds(name: str) -> Callable[[Callable[Given, AttackFinding]], Callable[Given, AttackFinding]]:
    """An attack of this name: what it finds has its name, its parameters and its world's mark."""

    def named(attack: Callable[Given, AttackFinding]) -> Callable[Given, AttackFinding]:
        @wraps(attack)
        def run(*args: Given.args, **options: Given.kwargs) -> AttackFinding:
            call = signature(attack).bind(*args, **options)
            call.apply_defaults()
            internal = getattr(call.arguments.pop("world", None), "internal", False)
            finding = attack(*args, **options)
            return replace(
                finding,
                attack=name,
                parameters={**call.arguments, **finding.parameters},
                internal=finding.internal or internal,
            )

        return run

    return named


def bar(label: str, share: float, look: Look = "theirs") -> Share:
    """A share as a bar, with its number."""
    return Share(label, share, percent(share), look)


def _shown(number: float) -> str:
    """A whole number as a count, a fraction up to one as a share, and others in three digits."""
    if isinstance(number, int):
        return count(number)
    return percent(number) if 0 <= number <= 1 else significant(number)
