"""Reading errors: ours, the papers' and other promises at one setting, in jobs and as ratios."""

from collections.abc import Iterable, Iterator, Sequence

from leeward.evaluate.figures.line import NAMES, PARALLEL
from leeward.evaluate.point import Point
from leeward.evaluate.words.case import (
    Case,
    called,
    comparable,
    edge,
    node,
    ours,
    parallel,
    promise,
    published,
    ranked,
    tightened,
)
from leeward.evaluate.words.sentence import listed, number, opened


def errors(case: Case) -> tuple[str, ...]:
    """Ours and the printed forms at the setting of the reading, and how they compare."""
    own, printed = ranked(case.here, ours), ranked(case.here, published)
    told = [*_own(own, case), *_printed(printed)]
    return (*told, *compared(own, printed)) if told else ()


def _own(own: Sequence[Point], case: Case) -> Iterator[str]:
    if not own:
        if case.epsilon is not None:
            yield f"At {case.where} none of ours has a finite mean error."
        return
    best, *others = own
    yield (
        f"At {case.where} the best of ours, {_bare(best)}, has a mean absolute error of "
        f"{number(best.l1)} jobs a cell{_against(best)}; its promise is {_full(best)}."
    )
    if others:
        yield f"The others of ours: {_listing(others)}."


def _printed(printed: Sequence[Point]) -> Iterator[str]:
    if printed:
        yield f"The papers' mechanisms as printed, at the same α and ε: {_listing(printed)}."


def compared(own: Sequence[Point], others: Sequence[Point]) -> Iterator[str]:
    """The best of ours beside the best of the others without and with δ, at the same promise."""
    for failing, words in ((False, "without δ"), (True, "with δ")):
        other = next((one for one in others if bool(one.delta) == failing), None)
        mine = next((one for one in own if other and comparable(one, other)), None)
        if mine and other and mine.l1 and other.l1:
            yield (
                f"{opened(called(other))}, the best of these {words}, has "
                f"{number(other.l1 / mine.l1)} times the error of {called(mine)}, "
                f"whose promise is {_beside(mine, other)}."
            )


def _beside(own: Point, other: Point) -> str:
    if own.policy == other.policy:
        same = f"the same ({own.policy})"
        return same if own.delta == other.delta else f"{same} without δ"
    return f"stronger ({promise(own)}, against {promise(other)})"


def tight(case: Case) -> tuple[str, ...]:
    """The papers' mechanisms with the least noise that their proofs allow."""
    found = ranked(case.here, tightened)
    if not found:
        return ()
    return (
        f"At {case.where}, with the least noise that their proofs allow, the papers' mechanisms "
        f"come to {_listing(found)}.",
        *_gained(ranked(case.here, published), found),
        *compared(ranked(case.here, ours), found),
    )


def _gained(printed: Sequence[Point], found: Sequence[Point]) -> Iterator[str]:
    """What calibration alone does for each mechanism that has both forms."""
    by_name = {one.mechanism: one for one in found}
    pairs = [(one, by_name[one.mechanism]) for one in printed if one.mechanism in by_name]
    gains = [before.l1 / after.l1 for before, after in pairs if before.l1 and after.l1]
    if gains:
        low, high = number(min(gains)), number(max(gains))
        yield (
            f"The printed forms have {low if low == high else f'{low} to {high}'} times "
            "the error of their tight ones, at the same promise."
        )


def accounting(case: Case) -> tuple[str, ...]:
    """What parallel accounting would claim, and what the sum over worker cells promises."""
    found = [one for one in ranked(case.here, parallel) if one.epsilon_summed != one.epsilon]
    if not found:
        return ()
    best = found[0]
    told = (
        f"Were the {case.table.worker_cells} worker cells of a workplace counted in parallel, as "
        f"has been proposed, ε = {number(best.epsilon)} would be claimed for "
        f"{_listing(found)}. But one establishment can grow in several of these cells at once, "
        "so that losses add up: "
        f"by the sum rule that release promises ε = {number(best.epsilon_summed)}{_delta(found)}, "
        "or less where a printed form keeps its promise with room to spare."
    )
    own = next(iter(ranked(case.here, ours)), None)
    if own is None:
        return (told,)
    return (
        told,
        f"At ε = {number(own.epsilon)} for the whole block, {called(own)} has {number(own.l1)} jobs"
        f"{_against(own)}.",
    )


def _delta(found: Iterable[Point]) -> str:
    """The δ that adds up too, of those that have one."""
    least = max((one.delta_summed for one in found), default=0.0)
    return f" (and δ = {number(least)} with Smooth Laplace)" if least else ""


def others(case: Case) -> tuple[str, ...]:
    """Edge and node privacy beside it: one promises less, the other costs more."""
    return (*_edge(case), *_node(case))


def _edge(case: Case) -> Iterator[str]:
    for one in ranked(case.here, edge)[:1]:
        yield (
            f"Edge DP at ε = {number(one.epsilon)} has an error of {number(one.l1)} jobs"
            f"{_against(one)}, but protects single jobs alone: for a change of an establishment by "
            "k jobs its promise is k·ε, which says nothing about the size of a large one."
        )


def _node(case: Case) -> Iterator[str]:
    for one in ranked(case.here, node)[:1]:
        yield (
            f"Node DP at ε = {number(one.epsilon)} hides whole establishments and has an error of "
            f"{number(one.l1)} jobs{_against(one)}, with the best of the θ that were tried"
            f"{'' if one.theta is None else f' ({one.theta:,})'}; that choice looks at the truth, "
            "which a release may not, and favours node DP."
        )


def _listing(points: Iterable[Point]) -> str:
    return listed(f"{_name(one)} {number(one.l1)} jobs ({_short(one)})" for one in points)


def _name(point: Point) -> str:
    """Without what the sentence around it says already."""
    if point.accounting == PARALLEL:
        return NAMES.get(point.mechanism, point.mechanism)
    return _bare(point).removesuffix(", as published").removesuffix(", tight")


def _bare(point: Point) -> str:
    return called(point).removesuffix(" (ours)")


def _short(point: Point) -> str:
    ratio = point.ratio_to_infusion
    return promise(point) if ratio is None else f"ratio {number(ratio)}; {promise(point)}"


def _against(point: Point) -> str:
    ratio = point.ratio_to_infusion
    return "" if ratio is None else f", {number(ratio)} times that of noise infusion"


def _full(point: Point) -> str:
    return f"{point.policy}, with δ = {point.delta:g}"
