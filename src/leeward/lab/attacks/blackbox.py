"""Black box: a lower bound of the epsilon of any sampler, from its outputs alone.

The tester runs a sampler on two neighbouring databases many times. One half of the outputs chooses
an event (above or below a threshold); the other half says how often it happens on each database,
with exact confidence limits (Clopper and Pearson). If even the lower limit of one is more than e^ε
times the upper limit of the other, the sampler is not ε-private. A bound below ε proves nothing.
"""

from dataclasses import dataclass
from math import exp, isqrt, lgamma, log, log1p
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter
from leeward.core.exact import rational
from leeward.core.show.numbers import capital, count, percent, significant
from leeward.core.show.plots import Plot, PlotSeries
from leeward.lab.attacks.finding import Against, AttackFinding, finds
from leeward.lab.attacks.released_counts import require_between
from leeward.lab.attacks.samplers import OURS, Case, Sampler, case_named, cases, written_case

CONFIDENCE = 0.999
MOST_THRESHOLDS = 4000
FEWEST, MOST = 100, 10**8
"""Draws below which no bound is worth a sentence, and those that memory holds."""


@dataclass(frozen=True)
class LowerBound:
    """ε is at least `epsilon`, with this confidence.

    `event` happens at least with probability `often` on the database `on`, and at most with
    `seldom` on the other.
    """

    epsilon: float
    confidence: float
    event: str
    on: str
    often: float
    seldom: float


@dataclass(frozen=True)
class _Event:
    """Outputs up to a threshold, or above it; more often on the left database or on the right."""

    threshold: float
    up_to: bool
    on_left: bool

    def times(self, outputs: Floats) -> int:
        """How often it happened."""
        below = int((outputs <= self.threshold).sum())
        return below if self.up_to else outputs.size - below

    @property
    def words(self) -> str:
        """As text."""
        return f"output {'≤' if self.up_to else '>'} {self.threshold:g}"


def lower_bound(
    sampler: Sampler, left: object, right: object, draws: int, confidence: float = CONFIDENCE
) -> LowerBound:
    """A lower bound of the ε of a sampler, from `draws` outputs on each of two databases.

    Parameters
    ----------
    sampler
        `sampler(database, count)` returns an array of `count` independent outputs, one number
        each. Outputs of several numbers must be made one first, by any score.
    left, right
        Two databases that the privacy definition calls neighbours, in whatever form the sampler
        takes.
    draws
        Outputs on each database; half of them choose the event. The largest bound that can be
        proved is about ln(draws/30).
    confidence
        The probability that the bound holds.

    Returns
    -------
    LowerBound
        `epsilon`, and the event that proves it; 0 where nothing is proved.

    Raises
    ------
    InvalidParameter
        If there are too few draws, or the sampler returns anything else than `draws` numbers.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from leeward.lab.attacks.blackbox import lower_bound
    >>> coin = default_rng(1)
    >>> def answer(secret, count):  # true in 3 cases of 4: ε = ln 3 = 1.0986
    ...     return (coin.random(count) < 0.75) == secret
    >>> bound = lower_bound(answer, True, False, draws=100_000)
    >>> 1.06 < bound.epsilon < 1.0986
    True
    """
    require_between(FEWEST, MOST, draws=draws)
    require_between(0.5, 1 - 1e-9, confidence=confidence)
    both = [_outputs(sampler, database, draws) for database in (left, right)]
    return _bound(both[0], both[1], confidence)


def _outputs(sampler: Sampler, database: object, draws: int) -> Floats:
    given = np.asarray(sampler(database, draws))
    if given.shape != (draws,) or given.dtype.kind not in "biuf":
        raise InvalidParameter(
            "sampler",
            rule="must return an array of `count` numbers",
            value=f"shape {given.shape} of {given.dtype} for count {draws}",
            next_step="Return one number for each output; make one of several by a score.",
        )
    return given.astype(np.float64)


def _bound(left: Floats, right: Floats, confidence: float) -> LowerBound:
    """Choose the event on the first halves, test it on the second."""
    half, miss = left.size // 2, (1 - confidence) / 2
    event = _chosen(left[:half], right[:half], miss)
    on_left, on_right = event.times(left[half:]), event.times(right[half:])
    often, seldom = (on_left, on_right) if event.on_left else (on_right, on_left)
    tested = left.size - half
    low, high = at_least(often, tested, miss), at_most(seldom, tested, miss)
    epsilon = max(0.0, log(low / high)) if low > 0 else 0.0
    on = "left" if event.on_left else "right"
    return LowerBound(epsilon, confidence, event.words, on, low, high)


def _chosen(left: Floats, right: Floats, miss: float) -> _Event:
    """The event whose bound would be largest by Wilson's limits, which are quick.

    They are asked to miss more seldom than the limits of the test: the largest of thousands of
    bounds is otherwise that of a rare event that happened to come out well.
    """
    miss = miss**2
    values = np.unique(np.concatenate([left, right]))
    if values.size > MOST_THRESHOLDS:
        values = np.unique(np.quantile(values, np.linspace(0, 1, MOST_THRESHOLDS)))
    below = [np.searchsorted(np.sort(outputs), values, side="right") for outputs in (left, right)]
    best, event = -np.inf, _Event(float(values[0]), up_to=True, on_left=True)
    for up_to in (True, False):
        a, b = (times if up_to else left.size - times for times in below)
        for on_left in (True, False):
            often, seldom = (a, b) if on_left else (b, a)
            low, high = wilson(often, left.size, miss)[0], wilson(seldom, left.size, miss)[1]
            bounds = np.log(np.maximum(low, 1e-300) / high)
            at = int(bounds.argmax())
            if bounds[at] > best:
                best, event = bounds[at], _Event(float(values[at]), up_to, on_left)
    return event


def wilson(times: Integers, draws: int, miss: float) -> tuple[Floats, Floats]:
    """Both limits by Wilson's rule, which is quick; each is missed with probability `miss`."""
    z = -NormalDist().inv_cdf(miss)
    share, more = times / draws, z * z / draws
    middle = share + more / 2
    reach = z * np.sqrt(share * (1 - share) / draws + more / (4 * draws))
    low: Floats = np.maximum((middle - reach) / (1 + more), 0)
    high: Floats = (middle + reach) / (1 + more)
    return low, high


def at_least(times: int, draws: int, miss: float) -> float:
    """The lower confidence limit of a probability; it is too high with probability `miss`."""
    if times == 0:
        return 0.0
    low, high = 0.0, times / draws
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(times, draws, middle) < miss else (low, middle)
    return low


def at_most(times: int, draws: int, miss: float) -> float:
    """The upper confidence limit: the lower one of the opposite, from above."""
    return 1 - at_least(draws - times, draws, miss)


def _tail(times: int, draws: int, p: float) -> float:
    """P(X ≥ times) of a binomial X, for 0 < p ≤ times/draws: terms fall, so that few are needed."""
    if p >= 1:
        return 1.0
    first = lgamma(draws + 1) - lgamma(times + 1) - lgamma(draws - times + 1)
    first += times * log(p) + (draws - times) * log1p(-p)
    k = np.arange(times, min(draws, times + 20 * isqrt(draws) + 100))
    ratios = np.log((draws - k) / (k + 1)) + (log(p) - log1p(-p))
    return exp(first) * (1 + float(np.exp(np.cumsum(ratios)).sum()))


Curve: TypeAlias = list[tuple[float, float]]


def _tested(case: Case, draws: int) -> tuple[LowerBound, Curve]:
    """The bound from all draws, and those from fewer of them."""
    left, right = (_outputs(case.sampler, database, draws) for database in (case.left, case.right))
    sizes = [*(n for n in (10**power for power in range(3, 9)) if n < draws), draws]
    bounds = {n: _bound(left[:n], right[:n], CONFIDENCE) for n in sizes}
    return bounds[draws], [(n, bound.epsilon) for n, bound in bounds.items()]


@finds("blackbox")
def attack(
    *,
    mechanism: str = "half",
    epsilon: str = "1",
    draws: int = 1_000_000,
    sampler: str = "",
    left: str = "",
    right: str = "",
) -> AttackFinding:
    """Bound the epsilon of a sampler from below: one by name, or any Python function."""
    require_between(FEWEST, MOST, draws=draws)
    known = cases(epsilon)
    case = (
        written_case(sampler, left, right) if sampler else case_named(mechanism, known, left, right)
    )
    bound, curve = _tested(case, draws)
    ours, our_curve = _tested(known[OURS], draws)
    blind = lower_bound(known[OURS].sampler, 1000, 1000, draws)
    named = {} if sampler else {mechanism: bound.epsilon}
    others = {}
    if not sampler:
        for name, other in known.items():
            if name not in (OURS, mechanism):
                others[name] = lower_bound(other.sampler, other.left, other.right, draws).epsilon
    claimed = float(rational(epsilon, "epsilon"))
    half, miss = draws // 2, (1 - CONFIDENCE) / 2
    most = log(at_least(half // 2, half, miss) / at_most(0, half, miss))
    verdict = f"This does not refute an ε of {claimed:g}, and does not prove it either."
    if bound.epsilon > claimed:
        verdict = f"The claimed ε of {claimed:g} is refuted."
    return AttackFinding(
        title="A lower bound of ε",
        number=bound.epsilon,
        text=_least(bound),
        sentence=f"{count(draws)} draws on {case.left} and as many on {case.right} prove that the "
        f"ε of {case.words} is at least {significant(bound.epsilon)}, at "
        f"{percent(bound.confidence)} confidence. {verdict}",
        against_leeward=Against(
            ours.epsilon,
            f"A release at ε {epsilon} proves no more than {significant(ours.epsilon)}, "
            "for sizes that are 10 % apart.",
            text=_least(ours),
        ),
        against_nothing=Against(
            blind.epsilon,
            "Outputs that do not depend on the data prove no ε at all.",
            text=_least(blind),
        ),
        parameters={"left": str(case.left), "right": str(case.right)},
        pictures=(_picture(case, claimed, curve, our_curve),),
        remarks=(
            f"The event that proves it: {bound.event}, on the {bound.on} at least "
            f"{significant(bound.often)}, on the other at most {significant(bound.seldom)}.",
            f"{count(draws)} draws prove {significant(most)} at most with an event of even "
            "chances: a bound is never evidence that ε is not larger.",
            *(
                f"{capital(known[name].words)}: at least {significant(bound_of)}."
                for name, bound_of in others.items()
            ),
        ),
        further={
            "epsilon_lower": bound.epsilon,
            "claimed": claimed,
            "event": bound.event,
            "most_provable": most,
            "bounds": {**others, OURS: ours.epsilon, **named},
        },
    )


def _least(bound: LowerBound) -> str:
    return f"ε ≥ {significant(bound.epsilon)}"


def _picture(case: Case, claimed: float, curve: Curve, ours: Curve) -> Plot:
    lines = [PlotSeries(case.words, "theirs", curve)]
    if case.words != "slope noise":
        lines.append(PlotSeries("a release of Leeward", "ours", ours))
    return Plot(
        "Draws alone prove that too little noise was added, once they are many",
        x="draws on each database",
        y="proved lower bound of ε",
        series=tuple(lines),
        log_x=True,
        level=(claimed, "claimed ε"),
    )
