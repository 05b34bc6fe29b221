"""Findings in words: break-even, closed forms against trials, and coverage of margins."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log1p, pi, sqrt

from leeward.evaluate.break_even import ABOVE, BreakEven, break_even
from leeward.evaluate.description import caution
from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.figures import NOMINAL
from leeward.evaluate.line import line_of
from leeward.evaluate.phrases import listed, number, opened, several, share
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.results import WorkloadResult, called, workload_results
from leeward.mechanisms import REGISTRY

WHO = {
    "ours": "the best of ours",
    "published": "the best published without δ",
    "published with δ": "the best published with δ",
}

WIDE = 4.0
"""Standard errors beyond which a closed form and its trials disagree."""
STEPS = 400
"""Number of steps of Simpson's rule: far finer than the digits that are printed."""

FEWEST_TRIALS = 4
"""Least number of trials that shows their own spread."""
FAR = 40.0
"""Largest number of standard errors that is looked up."""
RARE = 1e-4
"""Probability by chance below which a setting falls short."""

Named = dict[str, list[Point]]


def findings(evaluation: Evaluation) -> tuple[str, ...]:
    """The few sentences that answer what people ask first."""
    return (
        *answers(evaluation),
        *agreed(evaluation.points),
        *in_short(evaluation.points),
        *caution(evaluation.study),
    )


def answers(evaluation: Evaluation) -> tuple[str, ...]:
    """From which ε on provable privacy has no more error than noise infusion, by workload."""
    found = break_even(evaluation.points)
    told = (
        _answer(result, [one for one in found if one.workload == result.table.name])
        for result in workload_results(evaluation)
    )
    return tuple(one for one in told if one)


def _answer(result: WorkloadResult, found: list[BreakEven]) -> str:
    """All families at the α of the reading, then the other α in short."""
    measured = {one.family for one in found if one.epsilon is not None}
    told_of = [one for one in found if one.family in measured]
    at = {one.alpha: [b for b in told_of if b.alpha == one.alpha] for one in told_of}
    known = {alpha: here for alpha, here in at.items() if any(b.epsilon is not None for b in here)}
    if not known:
        return ""
    first = result.alpha if result.alpha in known else next(iter(known))
    told = ", ".join(_told(one) for one in known[first])
    rest = _rest((alpha, here) for alpha, here in known.items() if alpha != first)
    return (
        f"{opened(result.table.words)}, at α = {first:g}: the error of noise infusion is reached "
        f"{told}.{rest}"
    )


def _told(one: BreakEven) -> str:
    maker = "" if one.mechanism is None else f" ({_maker(one)})"
    return f"{reached(one)} by {WHO[one.family]}{maker}"


def _maker(one: BreakEven) -> str:
    name = (one.mechanism or "").removesuffix(", as published").removesuffix(" (ours)")
    return f"{name}, {one.policy}" + (f", δ = {one.delta:g}" if one.delta else "")


def reached(one: BreakEven) -> str:
    """Where a family reaches the error of noise infusion, as part of a sentence."""
    if one.epsilon is None:
        return "at no ε measured"
    if one.bound == ABOVE:
        return f"at no ε up to {one.epsilon:.2g}"
    return f"at ε {one.words if one.bound else f'= {one.words}'}"


def _rest(known: Iterable[tuple[float, list[BreakEven]]]) -> str:
    parts = [f"α = {alpha:g}: {', '.join(one.words for one in here)}" for alpha, here in known]
    return f" In the same order, at {'; at '.join(parts)}." if parts else ""


def agreed(points: Iterable[Point]) -> Iterator[str]:
    """Whether closed forms and trials say the same; silent where nothing has both."""
    found = agreement(points)
    if found.compared:
        yield (
            f"Closed forms against trials: {found.within:,} of "
            f"{several(found.compared, 'setting')} agree within {WIDE:g} standard errors "
            f"(about {found.chance:.1f} would not by chance alone); the furthest "
            f"is {number(found.furthest)} apart, and trials are {found.ratio:.3f} times the "
            "closed forms on average."
        )


@dataclass(frozen=True)
class Agreement:
    """How many settings were compared, how many lie within WIDE, and the furthest apart."""

    compared: int
    within: int
    furthest: float
    ratio: float
    """The mean of trials over closed forms."""
    chance: float
    """How many would lie beyond WIDE by chance, were the means of trials normal: the standard
    errors come from the same few trials, so that Student's law holds and not the normal one."""


def agreement(points: Iterable[Point]) -> Agreement:
    """Compare all cells of every setting; those without a variance cannot be compared."""
    apart, ratios, chance = [], [], 0.0
    for one in points:
        comparable = one.stratum == ALL and one.l1_source == "closed form"
        if comparable and one.l1 and one.l1_trials is not None and one.l1_trials_error:
            apart.append(abs(one.l1_trials - one.l1) / one.l1_trials_error)
            ratios.append(one.l1_trials / one.l1)
            chance += beyond(WIDE, one.trials - 1)
    return Agreement(
        len(apart),
        sum(one <= WIDE for one in apart),
        max(apart, default=0.0),
        sum(ratios) / len(ratios) if ratios else 1.0,
        chance,
    )


def beyond(limit: float, freedom: int) -> float:
    """How often Student's t with so many degrees of freedom is further from 0 than the limit."""
    if freedom < 1:
        return 1.0
    peak = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    heights = [_height(limit * step / STEPS, freedom) for step in range(STEPS + 1)]
    inner = heights[0] + 4 * sum(heights[1::2]) + 2 * sum(heights[2:-1:2]) + heights[-1]
    return max(0.0, 1 - 2 * peak * inner * limit / STEPS / 3)


def _height(t: float, freedom: int) -> float:
    """Student's density, 1 at its peak."""
    return exp(-(freedom + 1) / 2 * log1p(t**2 / freedom))


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


def _biased(point: Point) -> bool:
    """Whether its mechanism has a bias that margins leave out."""
    known = REGISTRY.get(point.mechanism)
    return known is not None and known.words.bias is not None


def _clipping(by_name: Named) -> Iterator[str]:
    """Its margins leave out its bias: said where the numbers show it."""
    for name, found in by_name.items():
        low = [one for one in found if _biased(one) and _short(one)]
        if low:
            yield (
                f"The margins of {name} cover its noise but not the bias of clipping: in "
                f"{len(low)} of {several(len(found), 'setting')} they cover less than "
                f"{share(NOMINAL)}, at worst {_worst(low)}."
            )


def _under(by_name: Named) -> Iterator[str]:
    """Others that fall short by more than chance."""
    for name, found in by_name.items():
        low = [one for one in found if not _biased(one) and _short(one)]
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
