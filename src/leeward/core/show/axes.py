"""Axes: round numbers and the places of values in per cent, on linear or logarithmic axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, inf, isfinite, log10

from leeward.core.show.numbers import tick

MOST_TICKS, TICK_LETTERS = 7, 40
"""Maximum number of steps of an axis, and of letters that its numbers and the gaps between them
take: a phone has room for these."""


LEAST_TICKS = 3
"""Minimum number of numbers of an axis."""


STEPS = (*range(MOST_TICKS, 0, -1), 10)
"""Numbers of steps of an axis to try; between ten steps at most there are at least four numbers."""


LEAST_SPAN = 1e-300
"""Values that are less apart have no place of their own on an axis: its steps would be 0."""


@dataclass(frozen=True)
class Tick:
    """A number of an axis, and its place in per cent."""

    at: float
    text: str

    @property
    def anchor(self) -> str:
        """The text anchor that keeps the number between the ends of the axis."""
        return "start" if self.at < 3 else "end" if self.at > 97 else "middle"


@dataclass(frozen=True)
class AxisScale:
    """The two ends of an axis."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float], *, zero: bool = True, air: float = 0.0) -> "AxisScale":
        """The scale that shows these values, and zero; `air` is a share of it beside both ends."""
        seen = [float(value) for value in values] + ([0.0] if zero else [])
        low, high = min(seen), max(seen)
        if high - low <= LEAST_SPAN:
            step = max(1.0, abs(high) / 10**6)  # a step of 1 is lost beside a very large value
            low, high = low if zero else low - step, high + step
        beside = air * (high - low)
        return cls(low - beside, high + beside).grown()

    def grown(self) -> "AxisScale":
        """The scale, or a larger one around it on which three numbers have room."""
        scale = self
        while len(scale.ticks) < LEAST_TICKS or _letters(scale.ticks) > TICK_LETTERS:
            half = (scale.high - scale.low) / 2
            scale = AxisScale(scale.low - half, scale.high + half)
        return scale

    def at(self, value: float) -> float:
        """The place of a value in per cent."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round numbers, as many as have room, at least three; whole ones where these suffice."""
        steps = [round_ticks(self.low, self.high, most) for most in STEPS]
        whole = fitting([self._ticks(v for v in few if v == int(v)) for few in steps])
        parts = reversed(steps)  # as few as suffice
        return whole if len(whole) >= LEAST_TICKS else fitting([*map(self._ticks, parts)])

    def _ticks(self, values: Iterable[float]) -> tuple[Tick, ...]:
        return tuple(Tick(self.at(value), text) for value, text in named(values))


def named(values: Iterable[float]) -> list[tuple[float, str]]:
    """Numbers of an axis with their texts, which have all digits where short ones are alike."""
    numbers = list(values)
    texts = [tick(number) for number in numbers]
    if len(set(texts)) < len(texts):
        texts = [f"{number:,.15g}".replace("-", "−") for number in numbers]
    return list(zip(numbers, texts, strict=True))


def fitting(choices: Sequence[tuple[Tick, ...]], letters: int = TICK_LETTERS) -> tuple[Tick, ...]:
    """The first choice of numbers that has room and at least three; else every second of one.

    Where nothing has room, the shortest that has three.
    """
    thinned = [few[start::2] for few in choices for start in (0, 1)]
    enough = [few for few in (*choices, *thinned) if len(few) >= LEAST_TICKS]
    fits = (few for few in enough if _letters(few) <= letters)
    return next(fits, min(enough, key=_letters, default=max(choices, key=len)))


def _letters(ticks: tuple[Tick, ...]) -> int:
    """The letters that numbers and the gaps between them take."""
    return sum(len(tick.text) + 3 for tick in ticks)


def round_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, with at most `most` steps between them."""
    rough = (high - low) / most
    power = floor(log10(rough))
    step = next(digit for digit in (1, 2, 5, 10) if float(f"{digit}e{power}") >= rough)
    unit = float(f"{step}e{power}")
    return tuple(
        round(n * unit, max(0, -power)) for n in range(ceil(low / unit), floor(high / unit) + 1)
    )


AIR = 0.04
"""Room between the outermost marks and the ends of an axis, as a share of it."""


FROM_ZERO = 0.5
"""A linear axis begins at zero if the smallest value is below this share of the largest."""


NARROW = 20
"""Letters of the numbers of an axis that stands beside labels, as TICK_LETTERS of others."""


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """An axis with linear or logarithmic steps; `scale` is in powers of ten if it is the second."""

    scale: AxisScale
    log: bool = False
    letters: int = TICK_LETTERS

    @classmethod
    def of(
        cls,
        values: Iterable[float],
        *,
        log: bool = False,
        letters: int = TICK_LETTERS,
        air: float = AIR,
    ) -> "Axis":
        """The axis on which these values have a place, with some room beside them."""
        seen = [value for value in values if isfinite(value) and (value > 0 or not log)] or [1.0]
        if log:
            seen = [log10(one) for one in seen]
        zero = not log and 0 <= min(seen) < FROM_ZERO * max(seen)
        tight = AxisScale.of(seen, zero=zero)
        room = air * (tight.high - tight.low)
        return cls(AxisScale(tight.low - (0 if zero else room), tight.high + room), log, letters)

    def has(self, value: float) -> bool:
        """Whether a value has a place: no infinite one has, nor zero where steps are powers."""
        return isfinite(value) and (value > 0 or not self.log)

    def at(self, value: float) -> float:
        """The place of a value in per cent."""
        return self.scale.at(log10(value) if self.log else value)

    @cached_property
    def ticks(self) -> tuple[Tick, ...]:
        """Round numbers, as many as have room, and at least three."""
        low, high, least = self.scale.low, self.scale.high, -inf
        if self.log:
            powers = fitting([self._powers(most) for most in STEPS], self.letters)
            if len(powers) >= LEAST_TICKS:
                return powers
            low, high, least = 10**low, 10**high, 0.0  # the axis is within one power of ten
        even = (named(round_ticks(low, high, most)) for most in STEPS)
        return fitting(
            [tuple(Tick(self.at(v), text) for v, text in steps if v > least) for steps in even],
            self.letters,
        )

    def _powers(self, most: int) -> tuple[Tick, ...]:
        """Powers of ten; beside them their multiples by 2 and 5 where these are few."""
        first, last = floor(self.scale.low), ceil(self.scale.high)
        step = max(1, ceil((self.scale.high - self.scale.low) / most))
        digits = (1, 2, 5) if 3 * (self.scale.high - self.scale.low) <= most else (1,)
        powers = range(first - first % step, last + 1, step)
        values = (float(f"{digit}e{power}") for power in powers for digit in digits)
        return tuple(Tick(self.at(v), _power(v)) for v in values if 0 <= self.at(v) <= 100)


def _power(value: float) -> str:
    """A number of a logarithmic axis; far from one as a power of ten."""
    if 1e-3 <= value < 1e7:
        return tick(value)
    digit, power = f"{value:.0e}".split("e")
    return f"{'' if digit == '1' else digit + '·'}10{str(int(power)).translate(SUPERSCRIPTS)}"
