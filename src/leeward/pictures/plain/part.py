"""Part: what of an account's budget is spent, by whom, and what is left, as one stacked bar."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leeward.pictures.picture import Picture
from leeward.pictures.plain.letters import fitted
from leeward.pictures.plain.letters import width as wide
from leeward.pictures.plain.mark import box, words
from leeward.pictures.plain.number import exact
from leeward.pictures.plain.sheet import checked, finished

MOST = 12
TOP, HIGH, LINE = 4.0, 26.0, 22.0
KEY, AIR = 11.0, 26.0
LOOKS = ("past", "bar")


@dataclass(frozen=True)
class Part:
    """An amount of ε, and what it went to."""

    label: str
    amount: Fraction


@dataclass(frozen=True)
class Piece:
    """A part as it is drawn."""

    part: Part
    look: str

    @property
    def told(self) -> str:
        """The label with its number."""
        return f"{self.part.label}: {exact(self.part.amount)}"


def budget(
    before: Fraction, now: Fraction, left: Fraction, *, title: str, width: int = 680
) -> Picture:
    """What earlier releases spent, what this one spends, and what is left."""
    parts = [Part("Spent before", before), Part("This release", now)]
    return budget_parts(parts, left, title=title, width=width)


def budget_parts(parts: Sequence[Part], left: Fraction, *, title: str, width: int = 680) -> Picture:
    """Any number of parts in their order; of very many, the first are put together."""
    checked(width)
    pieces = [
        *(Piece(part, LOOKS[at % len(LOOKS)]) for at, part in enumerate(_joined(parts))),
        Piece(Part("Left", left), "left"),
    ]
    keys, foot = _keys(pieces, width)
    drawn = [*_bar(pieces, width), *keys]
    told = "; ".join(piece.told for piece in pieces)
    return finished(drawn, (width, foot), title=title, description=f"Epsilon. {told}.")


def _joined(parts: Sequence[Part]) -> Sequence[Part]:
    if len(parts) <= MOST:
        return parts
    early = parts[: len(parts) - MOST + 1]
    total = sum((part.amount for part in early), Fraction(0))
    return [Part(f"{len(early)} earlier", total), *parts[len(early) :]]


def _bar(pieces: Sequence[Piece], width: int) -> Iterator[str]:
    """The stack within its outline; amounts of nothing and below are not seen."""
    amounts = [max(piece.part.amount, Fraction(0)) for piece in pieces]
    total = sum(amounts, Fraction(0))
    yield box((0.5, TOP, width - 1, HIGH), "left")
    start = Fraction(0)
    for piece, amount in zip(pieces, amounts, strict=True):
        if amount and piece.look != "left":
            at, long = (float(one / total) * (width - 1) for one in (start, amount))
            yield box((0.5 + at, TOP, max(long - 1, 0.8), HIGH), piece.look, told=piece.told)
        start += amount


def _keys(pieces: Sequence[Piece], width: int) -> tuple[list[str], float]:
    """Labels with their numbers, in lines as they fit; and where they end."""
    drawn, x, y = list[str](), 0.0, TOP + HIGH + LINE
    for piece in pieces:
        number = exact(piece.part.amount)
        room = width - KEY - 8 - wide(number) - 8
        label = fitted(piece.part.label, room)
        long = KEY + 6 + wide(label) + 7 + wide(number)
        if x and x + long > width:
            x, y = 0.0, y + LINE
        drawn += [
            box((x + 0.5, y - KEY + 1.5, KEY - 1, KEY - 1), piece.look),
            words(piece.part.label, (x + KEY + 6, y), "soft", room=room),
            words(number, (x + long - wide(number), y), "number"),
        ]
        x += long + AIR
    return drawn, y + 10
