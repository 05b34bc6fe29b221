"""A control: a release that claims a guarantee it does not have, and how its loss is found."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from leeward.audit.loss import Loss
from leeward.audit.measure import Depth
from leeward.audit.neighbours import Pair
from leeward.audit.row import Claim, Row
from leeward.mechanisms import mechanism
from leeward.privacy import StrongAlpha, policy

M = TypeVar("M")
ALPHA, EPSILON = Fraction(1, 10), Fraction(1)
STRONG = StrongAlpha()


@dataclass(frozen=True)
class Control:
    """One defect: what it pretends to be, and how its loss is computed."""

    defect: str
    mechanism: str
    examine: Callable[[Depth], Loss]
    policy: str = "strong"
    epsilon: Fraction = EPSILON
    calibration: str = "tight"
    alpha: Fraction = ALPHA
    delta: Fraction = Fraction(0)
    detail: str = ""

    def row(self, depth: Depth) -> Row:
        """The control as a row of the audit."""
        claim = Claim(
            self.mechanism,
            self.calibration,
            self.policy,
            self.alpha if policy(self.policy).uses_alpha else None,
            self.epsilon,
            self.delta,
            control=self.defect,
            detail=self.detail,
        )
        return Row(claim, self.examine(depth))


def made(kind: type[M], name: str, **options: object) -> M:
    """A genuine mechanism, to be spoilt."""
    built = mechanism(name, **{"alpha": ALPHA, "epsilon": EPSILON, **options})  # type: ignore[arg-type]
    if not isinstance(built, kind):
        raise TypeError(name)
    return built


def strong(pair: Pair) -> list[Pair]:
    """A pair that is certainly a strong step."""
    if not STRONG.admits(pair.before, pair.after, ALPHA):
        raise ValueError(pair)
    return [pair]
