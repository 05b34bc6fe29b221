"""What a mechanism is asked for: exact numbers, checked once for all mechanisms."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from flint import arb

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import (
    SLACK,
    Number,
    ball,
    log_growth,
    positive,
    rational,
    three_digits_up,
    whole_within,
)
from leeward.core.privacy.delta import largest_rho
from leeward.core.privacy.policy import StrongAlpha, plus_of, with_plus

CALIBRATIONS = ("tight", "published")
LEAST_ALPHA, MOST_ALPHA = Fraction(1, 10**6), Fraction(1000)
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**6), Fraction(1000)
LEAST_RHO, MOST_RHO = Fraction(1, 10**12), Fraction(1000)
MOST_CELLS = 10_000
"""Within these limits every bound on rounding errors has been checked; see sampling.proof.md."""


AUTO: Final = "auto"
Share: TypeAlias = Fraction | Literal["auto"] | None
"""The share of a table's ε that pays for margins; 0: they cost nothing; None: there are none."""


@dataclass(frozen=True, repr=False)
class Parameters:
    """α, ε and δ of the whole release of one workplace cell, and how it is calibrated.

    `cells` is d, the number of worker cells released for each workplace cell; ε and δ are the
    price of all of them together. `plus` is Δ, the number of jobs within which small
    establishments are hidden. Where the price is given as `rho`, of ρ-zCDP, ε is 0.

    `least` is the Δ of the noise, at least `plus`: with a larger one a job costs less, and all that
    is proved with it is true at `plus`. `epsilon_job` is the most that one job may cost, or None.
    """

    alpha: Fraction | None
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    cells: int = 1
    calibration: str = "tight"
    plus: int = 1
    rho: Fraction = Fraction(0)
    least: Fraction = Fraction(0)
    epsilon_job: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "least", max(self.least, Fraction(self.plus)))

    def __repr__(self) -> str:
        usual = {**vars(Parameters(None, self.epsilon)), "least": self.plus}
        given = ({} if self.rho else {"epsilon": self.epsilon}) | {
            name: var for name, var in vars(self).items() if var != usual[name]
        }
        return ", ".join(f"{name} {one}" for name, one in given.items())

    @classmethod
    def read(
        cls,
        alpha: Number | None,
        epsilon: Number | None,
        delta: Number,
        cells: int,
        calibration: str,
        plus: int = 1,
    ) -> "Parameters":
        """Read and check what a user wrote; without ε, `in_rho` gives the price."""
        step = "Give the number of worker cells of one workplace cell."
        cells = whole_within(cells, "cells", 1, MOST_CELLS, next_step=step)
        if calibration not in CALIBRATIONS:
            raise InvalidParameter(
                "calibration",
                rule="must be 'tight' or 'published'",
                value=shown(calibration),
                next_step="Leave it out for the tight form.",
            )
        growth = None if alpha is None else _bounded(alpha, "alpha")
        paid = Fraction(0) if epsilon is None else _bounded(epsilon, "epsilon")
        number = rational(delta, "delta")
        if not 0 <= number < 1:
            raise InvalidParameter(
                "delta",
                rule="must be at least 0 and below 1",
                value=shown(number),
                next_step="Use 0 for a guarantee that never fails, or a small number such as "
                "'1e-9'.",
            )
        return cls(
            alpha=growth,
            epsilon=paid,
            delta=number,
            cells=cells,
            calibration=calibration,
            plus=plus_of(with_plus(StrongAlpha(), plus)) or 1,
        )

    def in_rho(self, rho: Number | None) -> "Parameters":
        """The same at the price of a ρ, which stands in place of ε."""
        if (self.epsilon == 0) == (rho is None):
            raise InvalidParameter(
                "epsilon",
                rule="must be given, or rho in its place",
                value="neither" if rho is None else "both",
                next_step="Give epsilon, or rho for Gaussian noise.",
            )
        return self if rho is None else replace(self, rho=_bounded(rho, "rho"))

    def constants(self, mechanism: object) -> dict[str, str]:
        """These and a mechanism's own numbers and names, exact, as text."""
        usual = {"plus": 1, "rho": 0, "least": self.plus}
        asked = {key: var for key, var in vars(self).items() if usual.get(key) != var}
        own = {**asked, **vars(mechanism)}
        return {key: str(one) for key, one in own.items() if isinstance(one, (Fraction, int, str))}

    @property
    def growth(self) -> Fraction:
        """α, for mechanisms that need one."""
        if self.alpha is None:
            raise InvalidParameter(
                "alpha",
                rule="is needed: the factor 1+alpha within which establishment sizes are hidden",
                value="nothing",
                next_step="Give alpha as text, for example alpha='0.1'.",
            )
        return self.alpha

    @property
    def floor(self) -> Fraction:
        """Δ/α: establishments below this size get the noise of this size."""
        return self.least / self.growth

    def of_scale(self, epsilon: Fraction) -> "Parameters":
        """Of the noisy scale that margins pay for: the same α and floor, one number, this ε."""
        read = Parameters.read(self.alpha, epsilon, 0, 1, "tight", self.plus)
        return replace(read, least=self.least)

    @property
    def policy(self) -> StrongAlpha:
        """The strong policy with this Δ, which proofs start from."""
        return StrongAlpha(self.plus)

    @property
    def share(self) -> Fraction:
        """ε of one worker cell when each is released by itself (they add up)."""
        return self.epsilon / self.cells

    @property
    def aimed(self) -> Fraction:
        """The whole ε that rates are set to: a little below what is promised."""
        return self.epsilon * (1 - SLACK)

    def aim(self) -> arb:
        """The share of it that one worker cell's constants are calibrated to."""
        return ball(self.aimed / self.cells)

    def log_growth(self) -> arb:
        """λ = ln(1+α)."""
        return log_growth(self.growth)

    @property
    def published(self) -> bool:
        """Whether the papers' own constants were asked for."""
        return self.calibration == "published"

    def only_tight(self, name: str) -> None:
        """Refuse the papers' calibration where the papers have no such mechanism."""
        if self.published:
            raise InvalidParameter(
                "calibration",
                rule=f"must be 'tight': {name} has no published form",
                value="'published'",
                next_step="Leave calibration out.",
            )

    def only_scalar(self, name: str) -> None:
        """Refuse several worker cells where the mechanism releases one number a workplace."""
        if self.cells != 1:
            raise InvalidParameter(
                "cells",
                rule=f"must be 1: {name} releases one number for a workplace cell",
                value=self.cells,
                next_step="Leave cells out.",
            )

    def refuse_epsilon(self, rule: str, least: arb | Fraction) -> InvalidParameter:
        """The refusal of an ε that is too small, with the smallest that works."""
        smallest = three_digits_up(least)
        works = f"The smallest epsilon that works here is {smallest:f}; or take a smaller alpha."
        none = "No epsilon up to 1000 works here: take a smaller alpha or fewer cells."
        return InvalidParameter(
            "epsilon",
            rule=rule,
            value=shown(self.epsilon),
            next_step=works if smallest <= MOST_EPSILON else none,
        )


LIMITS = {
    "alpha": (LEAST_ALPHA, MOST_ALPHA, "0.000001", "alpha = 0.1 hides sizes within 10 percent."),
    "epsilon": (LEAST_EPSILON, MOST_EPSILON, "0.000001", "Useful values lie between 0.01 and 20."),
    "rho": (LEAST_RHO, MOST_RHO, "10^-12", "Useful values lie between 0.0001 and 10."),
}


def _bounded(number: Number, parameter: str) -> Fraction:
    least, most, written, usual = LIMITS[parameter]
    value = positive(number, parameter)
    if not least <= value <= most:
        raise InvalidParameter(
            parameter,
            rule=f"must be between {written} and {most}",
            value=shown(value),
            next_step=usual,
        )
    return value


NOISES = ("laplace", "gaussian")


def rho_of(parameters: Parameters, noise: str) -> Fraction:
    """The ρ of Gaussian noise, as it was given or the largest that implies (ε, δ); else 0."""
    if noise not in NOISES:
        raise InvalidParameter(
            "noise",
            rule="must be 'laplace' or 'gaussian'",
            value=shown(noise),
            next_step="Leave it out for 'laplace'.",
        )
    if noise == "laplace" and parameters.rho:
        raise InvalidParameter(
            "noise",
            rule="must be 'gaussian' where rho is given",
            value="'laplace'",
            next_step="Add noise='gaussian', or give epsilon in place of rho.",
        )
    if noise == "laplace" or parameters.rho:
        return parameters.rho
    if parameters.delta == 0:
        raise InvalidParameter(
            "delta",
            rule="must be above 0 for Gaussian noise, which is never pure",
            value=0,
            next_step="Give a small delta such as '1e-9', or leave noise='gaussian' out.",
        )
    return largest_rho(parameters.epsilon, parameters.delta)


def too_wide(parameters: Parameters) -> InvalidParameter:
    """The refusal of noise beyond what Gaussian draws can hold."""
    named = "rho" if parameters.rho else "epsilon"
    more = "rho" if parameters.rho else "epsilon or delta, or noise='laplace'"
    return InvalidParameter(
        named,
        rule="must not be so small that Gaussian noise could pass 2^55 lattice points",
        value=parameters.rho or parameters.epsilon,
        next_step=f"Take a larger {more}.",
    )
