"""APD: the least ε at which a cell of a planned size is within a percentage, so many times of 100.

The absolute percentage difference of a cell is |noisy − true|/true. "APD 10 % in 90 %" asks that it
is at most 10 % with probability 90 %. Sizes are planned: n is a public number, never a count of the
data. Of counts with the noise of edge_laplace the answer is exact; of means with the noise of
edge_pay it is to first order: the noise of the count in the denominator and its rounding are left
out. As drawn, means of 10, 30 and 100 jobs at a cap of 3 means reach 86, 89.7 and 89.9 %.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import SLACK, Number, at_most, ball, exact_text, rational, whole_number
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.parameters import LEAST_EPSILON, MOST_EPSILON
from leeward.core.mechanisms.pay_margins import reach

WRITTEN = re.compile(r"\s*APD\s+(PERCENT)\s*%\s+in\s+(PERCENT)\s*%\s*".replace(
    "PERCENT", r"[0-9]{1,3}(?:\.[0-9]{1,6})?"))  # fmt: skip
HALVINGS = 50
LARGEST = 10**9
"""The largest planning size."""


@dataclass(frozen=True)
class ApdTarget:
    """A cell is within the share `within` of the truth with probability `often`."""

    within: Fraction
    often: Fraction

    @classmethod
    def read(cls, written: str) -> "ApdTarget":
        """`APD 10 % in 90 %` as a value."""
        found = WRITTEN.fullmatch(written)
        shares = [Fraction(group) / 100 for group in found.groups()] if found else [Fraction(0)] * 2
        if not 0 < shares[0] <= 1 or not 0 < shares[1] < 1:
            raise InvalidParameter(
                "--target",
                rule="must be an error of at most 100 % in less than 100 % of all cases, both "
                "above 0, such as 'APD 10 % in 90 %'",
                value=shown(written),
                next_step="Write --target 'APD 10 % in 90 %' with the percentages that you need.",
            )
        return cls(*shares)

    def __str__(self) -> str:
        return f"APD {exact_text(100 * self.within)} % in {exact_text(100 * self.often)} %"

    def count(self, size: int) -> Fraction:
        """The least ε for a count of this planned size, rounded up.

        P(|J| > m) = 2x^(m+1)/(1+x) of two-sided geometric noise, x = e^−ε and m = ⌊τn⌋.
        """
        jobs, missed = self._jobs(size), 1 - self.often

        def reached(epsilon: Fraction) -> bool:
            rate = epsilon * (1 - SLACK)  # as edge_laplace is calibrated
            return at_most(
                lambda: 2 * (-ball(rate) * (jobs + 1)).exp() / (1 + (-ball(rate)).exp()),
                lambda: ball(missed),
            )

        low, high = Fraction(0), Fraction(1)
        while not reached(high):
            low, high = high, 2 * high
        for _ in range(HALVINGS):  # `reached` is monotone; the upper end reaches the target
            middle = (low + high) / 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return _offered(high, self)

    def mean_and_count(self, size: int, cap: Number) -> Fraction:
        """The least ε for a mean, and for the count beside it, each by itself.

        `cap` is the cap of pay in mean pays, a public number too. The noise of a mean m is
        (δP − m·δn)/n, so |Z₂ − Z₁·m/B| must stay within ετnm/B; that of the count is rounded.
        """
        most = rational(cap, "cap")
        if most < 1:
            raise InvalidParameter(
                "cap",
                rule="must be at least 1 mean pay: no mean of capped pay is above the cap",
                value=shown(most),
                next_step="Give the cap in mean pays, such as 3.",
            )
        ratio = 1 / most
        mean = Fraction(reach(EdgePay.body, -float(ratio), 1.0, self.often))
        count = Fraction(reach(EdgePay.body, 1.0, 0.0, self.often))
        jobs = self._jobs(size)
        least = max(mean / (self.within * size * ratio), count / (jobs + Fraction(1, 2)))
        return _offered(least / (1 - SLACK), self)

    def _jobs(self, size: int) -> int:
        """m = ⌊τn⌋: the error in whole jobs that is allowed."""
        if not whole_number(size) or not 1 <= size <= LARGEST:
            raise InvalidParameter(
                "size",
                rule=f"must be a whole number of jobs from 1 to {LARGEST}, known to everyone",
                value=shown(size),
                next_step="Give the size of the smallest cell that should reach the target, from "
                "figures that are published already.",
            )
        return self.within.numerator * size // self.within.denominator


def count_beside_mean(epsilon: Fraction) -> float:
    """Mean error in jobs of the count that is drawn together with a mean; rounding is left out."""
    return EdgePay.body.absolute(1.0, 0.0) / float(epsilon)


def _offered(epsilon: Fraction, target: ApdTarget) -> Fraction:
    """Within what mechanisms take; a smaller ε than their least is not needed."""
    if epsilon > MOST_EPSILON:
        raise InvalidParameter(
            "--target",
            rule=f"must be within reach of an epsilon of {MOST_EPSILON}",
            value=shown(str(target)),
            next_step="Allow a larger error, plan for larger cells, or lower the cap.",
        )
    return max(epsilon, LEAST_EPSILON)
