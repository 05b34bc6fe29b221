"""Quarters: what a count costs that is published T times, in units of S = max(αX, Δ).

A neighbour may differ in all quarters, in each within α, so that ε adds up over releases that are
made one by one. Noise that is drawn for all quarters together does better: the largest change over
the quarters is all that counts. Nothing here is released; there is no mechanism for a series yet.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, sqrt
from typing import TypeAlias

from leeward.core.codebook import Marginal
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.exact import Number, positive
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.registry import CANDIDATES
from leeward.core.mechanisms.split import ErrorWeights, best_bound, expected_errors
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.mechanisms.vector_pareto import tail_and_step
from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import largest_rho
from leeward.core.show.numbers import significant

HEADROOM = 7 / 6
"""How far θ lies above the noisy maximum: so far that little is clipped, whatever ε is."""

DELTA = Fraction(1, 10**9)
LARGE = 10**9
"""A size in jobs at which errors are in proportion to it."""

RETROSPECTIVE, CLIPPED = "joint Pareto, retrospective", "joint clip, θ once"
GAUSSIAN_EACH, GAUSSIAN_ONCE = "Gaussian, θ each", "Gaussian, θ once"

CONDITIONS = (
    "Mean absolute error of one count in one quarter, in units of S (α times the largest "
    "establishment); δ = 10⁻⁹ for Gaussian noise, 0 for all else. What clipping takes is left out.",
    "The first columns release every quarter by itself for ε/T.",
    "Joint Pareto is for a series that is complete: all quarters are released at once, and S "
    "follows the largest establishment of all of them.",
    "Joint clip releases quarters as they arrive, and ε pays for θ too. Conditions: T and ε are "
    "fixed before the start; the secret factor R is drawn afresh for each workplace cell and "
    "series, and is kept as secret as the data; an establishment stays in the cell that it had at "
    "the start (frozen frame); each quarter is published once, with no revision and no quarter "
    "after the last.",
    "θ once: the bound of the first quarter serves for all; θ each: every quarter pays for its "
    "own.",
)
"""What the table holds under, in words."""


@dataclass(frozen=True)
class Horizon:
    """A count that is published so many times for one ε, all quarters together."""

    alpha: Fraction
    epsilon: Fraction
    quarters: int

    def __post_init__(self) -> None:
        if self.quarters < 1:
            raise InvalidParameter(
                "quarters",
                rule="must be at least 1",
                value=self.quarters,
                next_step="Give the number of quarters that are published.",
            )

    @property
    def errors(self) -> Mapping[str, float | None]:
        """The mean absolute error of each way; None where no noise keeps the promise."""
        rho, count = largest_rho(self.epsilon, DELTA), self.quarters
        return {
            **{name: self._apart(name) for name in CANDIDATES["strong", "workplace"]},
            RETROSPECTIVE: self._retrospective(),
            CLIPPED: self._clipped(Fraction(0), (count + 1) / 2),
            GAUSSIAN_EACH: self._clipped(rho / count, sqrt(2 / pi)),
            GAUSSIAN_ONCE: self._clipped(rho, sqrt(2 * count / pi)),
        }

    def _apart(self, name: str) -> float | None:
        """Every quarter by itself, for its part of ε."""
        guarantee = Guarantee("strong", self.alpha, self.epsilon / self.quarters)
        try:
            error = measurement(name, Marginal("", (), ()), guarantee, None).expected_error(LARGE)
        except LeewardError:
            return None
        return None if error is None else error / (float(self.alpha) * LARGE)

    def _retrospective(self) -> float | None:
        """(T+1)E|U|/((k−1)t) with U uniform in [−1, 1]: the norm is the largest of T quarters."""
        try:
            shape, step = tail_and_step(self._parameters, self.quarters)
        except LeewardError:
            return None
        return float((self.quarters + 1) / (2 * (shape - 1) * step))

    def _clipped(self, rho: Fraction, noise: float) -> float:
        """HEADROOM·E θ/X times the noise, which is in units of βθ/ε₂, or of βθ/√(2ρ₂) where ρ > 0.

        The split is the one with the smallest error. Together quarters have the noise R·U, R ~
        Γ(T+1): (T+1)/2.
        """
        weights = ErrorWeights(noise, 0.0)
        split = best_bound(self._parameters, rho, 0.0, None, weights).split
        error = expected_errors(self._parameters, rho, 0.0, split, weights)[0]
        return HEADROOM * float(error) / float(self.alpha)

    @property
    def _parameters(self) -> Parameters:
        return Parameters.read(self.alpha, self.epsilon, 0, 1, "tight")


QUARTERS = (4, 20, 40)
"""A year, five years, ten years."""

ALPHAS, EPSILONS = ("0.1",), ("4", "16")

Row: TypeAlias = tuple[str, ...]


def quarters_rows(
    alphas: Sequence[Number] = (), epsilons: Sequence[Number] = ()
) -> tuple[Row, list[Row]]:
    """Head and rows of the table; where none are given, α = 0.1 and ε = 4 and 16."""
    settings = [
        Horizon(positive(alpha, "--alpha"), positive(epsilon, "--epsilon"), count)
        for alpha in alphas or ALPHAS
        for epsilon in epsilons or EPSILONS
        for count in QUARTERS
    ]
    every = [setting.errors for setting in settings]
    rows = [
        (
            f"{float(horizon.alpha):g}, {float(horizon.epsilon):g}, {horizon.quarters}",
            *(significant(error) for error in errors.values()),
        )
        for horizon, errors in zip(settings, every, strict=True)
    ]
    return ("α, ε, T", *every[0]), rows


def quarters_table(alphas: Sequence[Number], epsilons: Sequence[Number]) -> Iterator[str]:
    """The table as lines of text, then its conditions."""
    head, rows = quarters_rows(alphas, epsilons)
    wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        yield "  ".join(f"{text:>{width}}" for text, width in zip(row, wide, strict=True))
    yield ""
    yield from CONDITIONS
