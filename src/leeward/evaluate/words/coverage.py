"""Reading margins: how often the truth lies within the margins that are published."""

from collections.abc import Iterable, Iterator, Sequence

from leeward.evaluate.figures.gallery import NOMINAL
from leeward.evaluate.figures.line import line_of
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.words.agreement import beyond
from leeward.evaluate.words.case import called
from leeward.evaluate.words.sentence import listed, opened, several, share

CLIPPED = "clipped"
FEWEST_TRIALS = 4
"""Fewer say nothing about their own spread."""
FAR = 40.0
"""Standard errors beyond which it does not matter how many more they are."""
RARE = 1e-4
"""A setting falls short if chance alone would do that so rarely."""


def coverage(points: Iterable[Point]) -> tuple[str, ...]:
    """A sentence for each mechanism that has margins, and why they cover more or less."""
    by_name = _by_name(points)
    told = [_one(name, found) for name, found in by_name.items()]
    return (*told, *_over(by_name), *_clipping(by_name), *_under(by_name)) if told else ()


def in_short(points: Iterable[Point]) -> tuple[str, ...]:
    """The same for the terminal, of ours where there are any."""
    every = _by_name(points)
    mine = {name: found for name, found in every.items() if line_of(found[0]).ours}
    by_name = mine or every
    if not by_name:
        return ()
    means = listed(f"{share(_mean(found))} ({name})" for name, found in by_name.items())
    return (
        f"Margins made for {share(NOMINAL)} cover, on average over settings, {means}.",
        *_clipping(by_name),
        *_under(by_name),
    )


Named = dict[str, list[Point]]


def _by_name(points: Iterable[Point]) -> Named:
    found: Named = {}
    for one in points:
        if one.stratum == ALL and one.coverage is not None:
            found.setdefault(called(one), []).append(one)
    return found


def _one(name: str, found: Sequence[Point]) -> str:
    covered = [one.coverage or 0.0 for one in found]
    told = f"{opened(name)}: {share(_mean(found))} of the cells"
    if len(found) == 1:
        return f"{told}."
    ends = f"from {share(min(covered))} to {share(max(covered))}"
    return f"{told}, {ends} over {several(len(found), 'setting')}."


def _over(by_name: Named) -> Iterator[str]:
    every = [one for found in by_name.values() for one in found]
    over = [one for one in every if (one.coverage or 0.0) > NOMINAL]
    if over:
        yield (
            f"{len(over)} of {several(len(every), 'setting')} cover more than {share(NOMINAL)}: "
            "noise and margins are whole jobs, and margins that follow a noisy scale never fall "
            "below those of the least noise; both matter most in small cells."
        )


def _clipping(by_name: Named) -> Iterator[str]:
    """Its margins leave out its bias: said where the numbers show it."""
    for name, found in by_name.items():
        low = [one for one in found if one.mechanism == CLIPPED and _short(one)]
        if low:
            yield (
                f"The margins of {name} cover its noise but not the bias of clipping: in "
                f"{len(low)} of {several(len(found), 'setting')} they cover less than "
                f"{share(NOMINAL)}, at worst {_worst(low)}."
            )


def _under(by_name: Named) -> Iterator[str]:
    """Others that fall short by more than chance."""
    for name, found in by_name.items():
        low = [one for one in found if one.mechanism != CLIPPED and _short(one)]
        if low:
            yield (
                f"The margins of {name} cover less than {share(NOMINAL)}, by more than chance "
                f"explains, in {len(low)} of {several(len(found), 'setting')}, at worst "
                f"{_worst(low)}."
            )


def _short(one: Point) -> bool:
    """Below what margins are made for, by more than few trials can do by chance."""
    missing = NOMINAL - (one.coverage or 0.0)
    if missing <= 0 or one.trials < FEWEST_TRIALS:
        return False
    apart = min(missing / (one.coverage_error or 1e-9), FAR)
    return beyond(apart, one.trials - 1) < RARE


def _worst(found: Iterable[Point]) -> str:
    one = min(found, key=lambda point: point.coverage or 0.0)
    at = [f"{name} = {value:g}" for name, value in (("α", one.alpha), ("ε", one.epsilon)) if value]
    return f"{share(one.coverage)}{' (' + ', '.join(at) + ')' if at else ''}"


def _mean(found: Sequence[Point]) -> float:
    return sum(one.coverage or 0.0 for one in found) / len(found)
