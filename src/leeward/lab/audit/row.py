"""One row of the audit: what was claimed, what was computed, and what follows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isinf, isnan
from typing import ClassVar

from flint import arb

from leeward.core.exact import ball, precision
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth

Grid = tuple[tuple[str, str], ...]
"""Pairs of α and ε."""

TIGHT, CLEAR = 0.98, 1.01
"""A promise counts as reached from the first on; above the second, two decimals show an excess."""

CONFIRMED, REJECTED, UNDECIDED = "confirmed", "rejected", "undecided"


@dataclass(frozen=True)
class Claim:
    """What a mechanism, or a control, says of itself."""

    mechanism: str
    calibration: str
    policy: str
    alpha: Fraction | None
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    control: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Row:
    """A claim beside the computed truth."""

    claim: Claim
    loss: PrivacyLoss

    @property
    def epsilon(self) -> float:
        """The computed ε."""
        return float(self.loss.epsilon)

    @property
    def delta(self) -> float | None:
        """The computed δ at the claimed ε; None where it was not computed."""
        value = float(self.loss.delta)
        return None if isnan(value) else value

    @property
    def ratio(self) -> float:
        """Computed over claimed ε, or ρ where that is what is promised."""
        if self.loss.rho is not None:
            return float(self.loss.rho) / float(self.claim.rho)
        return self.epsilon / float(self.claim.epsilon)

    @property
    def tight(self) -> bool:
        """Whether the loss reaches the claim, within two percent, without exceeding it."""
        reached = not isinf(self.ratio) and self.ratio >= TIGHT
        return self.verdict == CONFIRMED and reached and not self.sampled

    @property
    def sampled(self) -> bool:
        """Whether the loss is what draws have shown at least, and differs from time to time."""
        return self.loss.draws > 0

    @property
    def verdict(self) -> str:
        """By balls, so that rounding cannot turn it: ρ or δ decides where one is claimed."""
        if self.loss.fault:
            return REJECTED
        with precision(128):
            if self.sampled:
                return _verdict(self.loss.epsilon, self.claim.epsilon)
            if self.loss.rho is not None:
                return _verdict(self.loss.rho, self.claim.rho)
            if self.claim.delta > 0:
                return _verdict(self.loss.delta, self.claim.delta)
            proved = self.loss.bound is None or bool(self.loss.bound <= ball(self.claim.epsilon))
            verdict = _verdict(self.loss.epsilon, self.claim.epsilon)
        return UNDECIDED if verdict == CONFIRMED and not proved else verdict

    @property
    def as_expected(self) -> bool:
        """Mechanisms must be confirmed, controls rejected."""
        return self.verdict == (REJECTED if self.claim.control else CONFIRMED)

    @property
    def reading(self) -> str:
        """The row in one line of plain words."""
        if self.verdict == UNDECIDED:
            return "cannot be decided: examine more outputs"
        if self.claim.control:
            return f"{self.claim.control}: {self._excess()}"
        if not self.as_expected:
            return f"BREAKS its promise: {self._excess()}"
        if self.sampled:
            return "runs as defined; sampled"
        if self.claim.delta > 0 and self.loss.rho is None:
            return self._delta()
        reading = "reaches its promise" if self.tight else f"uses {self.ratio:.3f} of its promise"
        return reading if self.loss.rho is None else f"{reading} ρ = {float(self.claim.rho):.3g}"

    def _excess(self) -> str:
        if self.verdict == CONFIRMED:
            return "NOT DETECTED"
        if self.loss.fault:
            return self.loss.fault
        if self.sampled:
            return "more than ε, sampled"
        if self.claim.delta > 0 and self.loss.rho is None:
            return self._delta()
        return (
            "tells neighbours apart for sure"
            if isinf(self.ratio)
            else f"{self.ratio:{'.2f' if self.ratio >= CLEAR else '.4f'}} "
            f"{'ε' if self.loss.rho is None else 'ρ'}"
        )

    def _delta(self) -> str:
        return f"δ {self.delta:.3g}, {float(self.claim.delta):.3g} claimed"

    def as_json(self) -> dict[str, object]:
        """Plain values; an infinite ε is the string "inf", one that is not a number None."""
        c = self.claim
        epsilon = None if isnan(self.epsilon) else self.epsilon
        return {
            "mechanism": c.mechanism,
            "calibration": c.calibration,
            "detail": c.detail,
            "policy": c.policy,
            "alpha": None if c.alpha is None else float(c.alpha),
            "epsilon_claimed": float(c.epsilon),
            "delta_claimed": float(c.delta),
            "epsilon_computed": "inf" if isinf(self.epsilon) else epsilon,
            "delta_computed": self.delta,
            "rho_claimed": float(c.rho) or None,
            "rho_computed": None if self.loss.rho is None else float(self.loss.rho),
            "tight": self.tight,
            "verdict": self.verdict,
            "control": bool(c.control),
            "reading": self.reading,
        }


class PolicyLine(ABC):
    """A line of the audit under one policy, in the quick audit and in the full one."""

    mechanism: str
    policy: str
    deep: ClassVar[bool] = False

    @property
    def policies(self) -> tuple[str, ...]:
        """The one policy."""
        return (self.policy,)

    @abstractmethod
    def rows(self, grid: Grid, depth: Depth) -> Iterator[Row]:
        """The rows of the line; most lines have numbers of their own in place of a grid."""


def _verdict(computed: arb, claimed: Fraction) -> str:
    if computed <= ball(claimed):
        return CONFIRMED
    return REJECTED if computed > ball(claimed) else UNDECIDED
