"""Reading: what the points show, in plain words, every number filled in from the run."""

from collections.abc import Iterable, Iterator

from leeward.evaluate.evaluation import Evaluation
from leeward.evaluate.figures.break_even import ABOVE, BreakEven, break_even
from leeward.evaluate.point import Point
from leeward.evaluate.words.agreement import WIDE, agreement
from leeward.evaluate.words.case import Case, cases
from leeward.evaluate.words.coverage import in_short
from leeward.evaluate.words.sentence import number, opened, several
from leeward.evaluate.words.table import caution

WHO = {
    "ours": "the best of ours",
    "published": "the best published without δ",
    "published with δ": "the best published with δ",
}


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
        _answer(case, [one for one in found if one.workload == case.table.name])
        for case in cases(evaluation)
    )
    return tuple(one for one in told if one)


def _answer(case: Case, found: list[BreakEven]) -> str:
    """All families at the α of the reading, then the other α in short."""
    measured = {one.family for one in found if one.epsilon is not None}
    told_of = [one for one in found if one.family in measured]
    at = {one.alpha: [b for b in told_of if b.alpha == one.alpha] for one in told_of}
    known = {alpha: here for alpha, here in at.items() if any(b.epsilon is not None for b in here)}
    if not known:
        return ""
    first = case.alpha if case.alpha in known else next(iter(known))
    told = ", ".join(_told(one) for one in known[first])
    rest = _rest((alpha, here) for alpha, here in known.items() if alpha != first)
    return (
        f"{opened(case.table.words)}, at α = {first:g}: the error of noise infusion is reached "
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
