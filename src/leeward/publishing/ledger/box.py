"""Box: how a cap in ε and δ is divided between pure charges and charges in ρ, once and for all.

A cap that both kinds of charges may use is a privacy filter only if the division was fixed before
the first release (composition.proof.md, Theorem 10).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import SLACK, Number, exact_text, positive, rational
from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import largest_rho, zcdp_epsilon
from leeward.publishing.ledger.notation import exact_number, unreadable

STEPS = 10**6
"""ε of a box is a whole number of millionths, rounded down: the same on every machine."""

PARTS = ("epsilon", "delta", "rho")


@dataclass(frozen=True)
class Box:
    """What the charges of an account may add up to: their ε, their δ and their ρ, each by itself.

    ρ and the rest of δ imply the rest of the ε of the cap, so that all three keep the cap.
    """

    epsilon: Fraction
    delta: Fraction
    rho: Fraction

    @classmethod
    def declared(cls, cap: Guarantee, rho: Number | None, delta: Number | None) -> "Box | None":
        """The box of an account as it is opened; None without a part for Gaussian noise."""
        if rho is not None:
            return cls.of(cap, rho, delta)
        if delta is not None:
            raise InvalidParameter.meaningless(
                "gaussian_delta",
                "without gaussian_rho",
                value=shown(delta),
                next_step="Give both, or leave it out.",
            )
        return None

    @classmethod
    def of(cls, cap: Guarantee, rho: Number, delta: Number | None = None) -> "Box":
        """The box that sets `rho` of a cap aside, read at `delta`; at all of its δ if left out."""
        aside = positive(rho, "gaussian_rho")
        reading = cap.delta if delta is None else rational(delta, "gaussian_delta")
        if cap.has_job_losses:
            raise InvalidParameter.unwanted(
                "gaussian_rho",
                "beside a cap of its own for one job, which nothing divides",
                value=aside,
                next_step="Leave it out: the first charge then decides which kind the account "
                "takes.",
            )
        if cap.currency == "rho" or cap.delta == 0:
            raise InvalidParameter.unwanted(
                "gaussian_rho",
                "where the cap is not in epsilon with a delta: a cap in rho pays for both kinds of "
                "charges, and without a delta rho implies no epsilon",
                value=aside,
                next_step="Leave it out, or give the account epsilon and delta.",
            )
        if not 0 < reading <= cap.delta:
            raise InvalidParameter(
                "gaussian_delta",
                rule=f"must be above 0 and at most the delta of the cap, {exact_text(cap.delta)}",
                value=shown(reading),
                next_step="Leave it out to use all of it.",
            )
        left = cap.epsilon - zcdp_epsilon(aside, reading)
        if left < 0:
            most = Fraction(floor(largest_rho(cap.epsilon, reading) * STEPS), STEPS)
            raise InvalidParameter(
                "gaussian_rho",
                rule=f"must imply at most the epsilon of the cap, {exact_text(cap.epsilon)}, at "
                f"delta {exact_text(reading)}",
                value=aside,
                next_step=f"Give at most {exact_text(most)}.",
            )
        return cls(Fraction(floor(left * STEPS), STEPS), cap.delta - reading, aside)

    @classmethod
    def read(cls, parts: object) -> "Box":
        """Read a box from its parts."""
        if not isinstance(parts, Mapping) or parts.keys() != set(PARTS):
            raise unreadable()
        return cls(*(exact_number(parts[name]) for name in PARTS))

    def written(self) -> dict[str, str]:
        """The box as plain text, nothing rounded."""
        return {name: str(getattr(self, name)) for name in PARTS}

    def keeps(self, cap: Guarantee) -> bool:
        """Whether whatever stays in the box stays within the cap (Theorem 10, 4).

        The ε that ρ implies is searched for with floats, which may differ in the last digits on
        another machine.
        """
        if cap.currency == "rho" or self.rho == 0 or not self.delta < cap.delta:
            return False
        implied = zcdp_epsilon(self.rho, cap.delta - self.delta)
        return self.epsilon + implied <= cap.epsilon * (1 + SLACK)

    def holds(self, total: Guarantee) -> bool:
        pairs = ((total.epsilon, self.epsilon), (total.delta, self.delta), (total.rho, self.rho))
        return all(spent <= most for spent, most in pairs)

    @property
    def words(self) -> str:
        """The division, for a person."""
        delta = f" and delta {exact_text(self.delta)}" if self.delta else ""
        return (
            f"Of it, rho {exact_text(self.rho)} is for Gaussian noise, epsilon "
            f"{exact_text(self.epsilon)}{delta} for all other charges."
        )
