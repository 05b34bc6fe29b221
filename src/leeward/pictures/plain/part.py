"""Part: what of an account's budget is spent, by whom, and what is left, as one stacked bar."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leeward.pictures.picture import Picture
from leeward.pictures.plain.key import Key, keys
from leeward.pictures.plain.mark import box
from leeward.pictures.plain.number import exact
from leeward.pictures.plain.sheet import checked, finished

MOST = 12
TOP, HIGH = 1.0, 26.0
LOOKS = ("past", "bar")
"""Worn in turn: neighbours differ, also in grey."""


@dataclass(frozen=True)
class Part:
    """An amount of ε, and what it went to."""

    label: str
    amount: Fraction

    @property
    def told(self) -> str:
        """The label with its number."""
        return f"{self.label}: {exact(self.amount)}"


def budget(
    before: Fraction, now: Fraction, left: Fraction, *, title: str, width: int = 680
) -> Picture:
    """What earlier releases spent, what this one spends, and what is left."""
    parts = [Part("Spent before", before), Part("This release", now)]
    return budget_parts(parts, left, title=title, width=width)


def budget_parts(parts: Sequence[Part], left: Fraction, *, title: str, width: int = 680) -> Picture:
    """The parts in their order, and what is left; of very many, the first are put together."""
    checked(width)
    spent, rest = _joined(parts), Part("Left", left)
    listed = [Key(_look(at), part.label, exact(part.amount)) for at, part in enumerate(spent)]
    drawn, foot = keys([*listed, Key("left", rest.label, exact(left))], TOP + HIGH + 22, width)
    told = "; ".join(part.told for part in (*spent, rest))
    return finished(
        [*_bar(spent, left, width), *drawn],
        (width, foot + 8),
        title=title,
        description=f"Epsilon. {told}.",
    )


def _look(at: int) -> str:
    return LOOKS[at % len(LOOKS)]


def _joined(parts: Sequence[Part]) -> Sequence[Part]:
    if len(parts) <= MOST:
        return parts
    early = parts[: len(parts) - MOST + 1]
    total = sum((part.amount for part in early), Fraction(0))
    return [Part(f"{len(early)} earlier", total), *parts[len(early) :]]


def _bar(spent: Sequence[Part], left: Fraction, width: int) -> Iterator[str]:
    """The stack within its outline; amounts of nothing and below it take no room."""
    amounts = [max(part.amount, Fraction(0)) for part in spent]
    total = sum(amounts, max(left, Fraction(0))) or Fraction(1)
    yield box((0.5, TOP, width - 1, HIGH), "left", told=Part("Left", left).told)
    start = Fraction(0)
    for at, (part, amount) in enumerate(zip(spent, amounts, strict=True)):
        if amount:
            x, long = (float(one / total) * (width - 1) for one in (start, amount))
            yield box((0.5 + x, TOP, max(long, 1.0), HIGH), _look(at), told=part.told)
        start += amount
