"""Privacy loss of a pair of neighbouring databases, computed from exact masses."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb

from leeward.core.exact import accurate, ball, dyadic_up, precision
from leeward.core.privacy.delta import zcdp_epsilon
from leeward.lab.audit.outputs import HALF, Output, Rounded

BITS = 128
INFINITE, UNKNOWN = arb("inf"), arb("nan")


@dataclass(frozen=True)
class PrivacyLoss:
    """The largest log-likelihood ratio either way, and the δ it leaves beyond a given ε.

    δ is exact or not a number: a sum over some outputs alone would be too small.
    `bound`, where there is one, is a proven upper bound over *all* outputs, examined or not.
    `draws`, where there are any, make it a lower bound by sampling, δ allowed for. `fault` says
    how what is released departs from what it is defined to be: then no loss is known.
    """

    forward: arb
    backward: arb
    delta: arb
    bound: arb | None = None
    rho: arb | None = None
    draws: int = 0
    fault: str = ""

    @property
    def epsilon(self) -> arb:
        """The larger of both directions."""
        return self.forward.max(self.backward)

    @classmethod
    def faulty(cls, fault: str) -> "PrivacyLoss":
        """That of a release that departs from its definition: none is known."""
        return cls(UNKNOWN, UNKNOWN, UNKNOWN, fault=fault)

    @classmethod
    def unseen(cls, draws: int) -> "PrivacyLoss":
        """None that so many draws show."""
        return cls(arb(0), arb(0), UNKNOWN, draws=draws)

    def kept(self, claimed: Fraction) -> "PrivacyLoss":
        """The same with its δ: exactly zero where no ratio exceeds the claim, else not computed."""
        with precision(BITS):
            within = (self.epsilon if self.bound is None else self.bound) <= ball(claimed)
        return replace(self, delta=arb(0) if within else UNKNOWN)

    def __reduce__(self) -> tuple[object, ...]:
        """Balls by their exact ends, so that another process can send its result."""
        parts = (self.forward, self.backward, self.delta, self.bound, self.rho)
        return _sent, (tuple(map(_ends, parts)), self.draws, self.fault)

    def plus(self, other: "PrivacyLoss") -> "PrivacyLoss":
        """The loss of two independent releases together: log-ratios add in each direction."""
        return PrivacyLoss(
            self.forward + other.forward,
            self.backward + other.backward,
            self.delta + other.delta,
        )

    def times(self, copies: int) -> "PrivacyLoss":
        """The loss of several independent releases alike."""
        return PrivacyLoss(self.forward * copies, self.backward * copies, self.delta * copies)


Ends = tuple[tuple[int, int], tuple[int, int]] | str | None
"""Middle and radius of a ball, each a whole number times a power of two; text where not finite."""


def _ends(value: arb | None) -> Ends:
    if value is None or not value.is_finite():
        return None if value is None else str(float(value))
    middle, radius = (part.man_exp() for part in (value.mid(), value.rad()))
    return (int(middle[0]), int(middle[1])), (int(radius[0]), int(radius[1]))


def _sent(parts: tuple[Ends, ...], draws: int, fault: str) -> PrivacyLoss:
    forward, backward, delta, bound, rho = (
        None if ends is None else arb(*ends) if isinstance(ends, tuple) else arb(ends)
        for ends in parts
    )
    if forward is None or backward is None or delta is None:
        raise ValueError("a loss has two directions and a delta")
    return PrivacyLoss(forward, backward, delta, bound, rho, draws, fault)


NONE = PrivacyLoss(arb(0), arb(0), arb(0))
DISTINGUISHED = PrivacyLoss(INFINITE, INFINITE, UNKNOWN)
"""That of neighbours which an output tells apart for sure, or whose ratios have no bound."""


def worst(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """The worst of several pairs of neighbours, by ε and by δ; there must be one at least."""
    total, some = NONE, False
    for loss in losses:
        some = True
        bounds = [b for b in (total.bound, loss.bound) if b is not None]
        total = PrivacyLoss(
            total.forward.max(loss.forward),
            total.backward.max(loss.backward),
            total.delta.max(loss.delta),
            bounds[0].max(bounds[-1]) if bounds else None,
        )
    if not some:
        raise ValueError("no neighbours were examined, which confirms nothing")
    return total


def pure_loss(
    before: Output, after: Output, claimed: Fraction, *, complete: bool = False
) -> PrivacyLoss:
    """Over the landmarks of both outputs; `complete` says that there are no other outputs."""
    outputs = {*before.landmarks(), *after.landmarks()}
    if isinstance(before, Rounded) and isinstance(after, Rounded):
        outputs |= _peaks(sorted(outputs), before, after)
    loss = over(outputs, before.mass, after.mass, claimed)
    return loss if complete or loss.delta <= 0 else replace(loss, delta=UNKNOWN)


def _peaks(outputs: list[tuple[int, ...]], before: Rounded, after: Rounded) -> set[tuple[int, ...]]:
    """Outputs between landmarks where the ratio of a direction is largest, by closing in."""
    peaks: set[tuple[int, ...]] = set()

    def ratios(points: list[tuple[int, ...]]) -> list[float]:
        return [float(_log(before.mass(o), after.mass(o))) for o in points]

    seen = ratios(outputs)
    for largest in (max, min):  # forwards and backwards
        points, values = outputs, seen
        while len(points) > 2:
            best = values.index(largest(values))
            low, high = points[max(best - 1, 0)][0], points[min(best + 1, len(points) - 1)][0]
            peaks.add(points[best])
            step = max(1, (high - low) // 8)
            if high - low <= 2 * step and step == 1:
                break
            points = [(o,) for o in range(low, high + 1, step)]
            values = ratios(points)
    return peaks


def over(
    outputs: Iterable[tuple[int, ...]],
    before: Callable[[tuple[int, ...]], arb],
    after: Callable[[tuple[int, ...]], arb],
    claimed: Fraction,
) -> PrivacyLoss:
    """The loss over given outputs."""
    forward, backward, ahead, behind = arb(0), arb(0), arb(0), arb(0)
    with precision(BITS):
        factor = ball(claimed).exp()
        for output in outputs:
            p, q = before(output), after(output)
            ratio = _log(p, q)
            forward, backward = forward.max(ratio), backward.max(_log(q, p) if p == 0 else -ratio)
            ahead += (p - factor * q).max(arb(0))
            behind += (q - factor * p).max(arb(0))
    return PrivacyLoss(forward, backward, ahead.max(behind))


def _log(p: arb, q: arb) -> arb:
    if p == 0:
        return arb(0)
    return INFINITE if q == 0 else (p / q).log()


def laplace_loss(before: Rounded, after: Rounded, claimed: Fraction) -> PrivacyLoss:
    """Exact δ for exponential tails, whose ε is infinite as soon as the scales differ."""
    if before.scale == after.scale:
        return pure_loss(before, after, claimed)
    with precision(2 * BITS):
        delta = hockey_stick(before, after, claimed).max(hockey_stick(after, before, claimed))
    return PrivacyLoss(INFINITE, INFINITE, delta)


def hockey_stick(left: Rounded, right: Rounded, epsilon: Fraction) -> arb:
    """Σ (P(o) − e^ε·Q(o))₊ over all integers o, for laws with exponential pieces.

    Between outputs that hold a joint both masses are geometric in o, so their ratio is
    monotone there: each stretch is split once, and its mass taken from the distribution
    functions.
    """
    marks = sorted(
        {
            out.true + int((out.scale * joint + HALF) // 1)
            for out in (left, right)
            for joint in out.joints
        }
    )
    stretches: list[tuple[int | None, int | None]] = [(None, marks[0] - 1), (marks[-1] + 1, None)]
    stretches += [(a + 1, b - 1) for a, b in pairwise(marks) if b - a > 1]
    stretches += [(mark, mark) for mark in marks]
    return sum((_stretch(left, right, epsilon, s) for s in stretches), arb(0))


def _stretch(
    left: Rounded, right: Rounded, epsilon: Fraction, ends: tuple[int | None, int | None]
) -> arb:
    """The positive part over one stretch on which the ratio is monotone."""

    def ahead(output: int) -> bool:
        ratio = left.mass((output,)) / right.mass((output,))
        return bool(ratio.log() > ball(epsilon))

    low, high = ends
    wider = left.scale > right.scale
    at_low = wider if low is None else ahead(low)
    at_high = wider if high is None else ahead(high)
    if not at_low and not at_high:
        return arb(0)
    if at_low != at_high:
        low, high = _split(ahead, low, high, keep_low=at_low)
    return _share(left, low, high) - ball(epsilon).exp() * _share(right, low, high)


def _split(
    ahead: Callable[[int], bool], low: int | None, high: int | None, *, keep_low: bool
) -> tuple[int | None, int | None]:
    """Cut a stretch at the point where `ahead` changes."""
    inside = high if low is None else low
    step, sign = 1, -1 if low is None else 1
    if inside is None:
        raise ValueError("a stretch needs one finite end")
    state = ahead(inside)
    other = inside + sign
    while (low is None or high is None) and ahead(other) == state:
        step *= 2
        other = inside + sign * step
    a, b = sorted((inside, other)) if low is None or high is None else (low, high)
    first = ahead(a)
    while b - a > 1:
        middle = (a + b) // 2
        a, b = (middle, b) if ahead(middle) == first else (a, middle)
    return (low, a) if keep_low else (b, high)


def _share(output: Rounded, low: int | None, high: int | None) -> arb:
    """P(low ≤ released ≤ high)."""

    def edge(value: int, half: Fraction) -> Fraction:
        return (value - output.true + half) / output.scale

    if low is None and high is not None:
        return accurate(lambda: output.law.tails(edge(high, HALF))[0])
    if high is None and low is not None:
        return accurate(lambda: output.law.tails(edge(low, -HALF))[1])
    if low is None or high is None:
        return arb(1)
    return accurate(lambda: output.law.between(edge(low, -HALF), edge(high, HALF)))


def zcdp_loss(rho: arb, delta: Fraction) -> PrivacyLoss:
    """A computed ρ restated as the ε that it implies at δ, for the table."""
    if not rho.is_finite():
        return replace(DISTINGUISHED, rho=INFINITE)
    with precision(BITS):
        implied = ball(zcdp_epsilon(dyadic_up(rho, 96), delta))
    return PrivacyLoss(implied, implied, UNKNOWN, rho=rho)
