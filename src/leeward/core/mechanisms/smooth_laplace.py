"""Smooth Laplace: n + S·Z/u with Z Laplace. Proof in smooth_laplace.proof.md."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from flint import arb

from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import at_most, ball, dyadic_down, precision, three_digits_up
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, Origin, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw, laplace
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import Guarantee, StrongAlpha, WeakAlpha

BITS = 96


@dataclass(frozen=True)
class SmoothLaplace(Additive):
    """Laplace noise of scale S/u; its tails under dilation cost a δ."""

    name: ClassVar[str] = "smooth_laplace"
    words: ClassVar[Words] = Words(
        label="Smooth Laplace",
        noise="Each cell gets its own random number, in proportion to its largest establishment; "
        "it is zero on average and rarely large, which costs a small δ.",
    )
    origin: ClassVar[Origin] = "paper"
    spends_delta: ClassVar[bool] = True
    claims: ClassVar[Claims] = {"workplace": (StrongAlpha(),), "worker": (WeakAlpha(),)}

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    inverse_scale: Fraction

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "SmoothLaplace":
        """As published u = ε/2 and δ ≥ e^(−ε/2λ); tight: the largest u whose exact δ fits."""
        if parameters.published:
            _check_published(parameters)
            return cls(parameters, laplace(), parameters.share / 2)
        return cls(parameters, laplace(), _largest_shift(parameters))

    def price(self) -> Guarantee:
        """ε and δ of all cells together."""
        p = self.parameters
        return Guarantee(p.policy, p.growth, p.epsilon, p.delta)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """S/u with S = max(αx, Δ)."""
        alpha = self.parameters.growth
        return Scales(largest, floor=self.parameters.floor, factor=alpha / self.inverse_scale)


def _check_published(parameters: Parameters) -> None:
    """The papers' condition, and the exact δ, which it does not imply for large ε or α.

    Erratum of [H16]: at α = 1, ε = 30 the printed condition allows δ = 4.0e-10, the exact δ of
    the printed noise is 3.8e-8. Such parameters are refused.
    """
    alpha, shift = parameters.growth, parameters.share / 2
    if not at_most(lambda: ball(shift), lambda: _room(parameters)):
        with precision(256):
            rho = ball(1 + alpha)
            least = rho * parameters.log_growth() / (rho - ball(Fraction(1, 2)))
        raise parameters.refuse_epsilon(
            "must be above ln(1+alpha)·(1+alpha)/(1/2+alpha) for each worker cell",
            least * parameters.cells,
        )
    # 1+α ≤ e^(ε/(2 ln(1/δ))) in the papers is δ ≥ e^(−ε/(2λ)).
    _check_delta(parameters, lambda: arb.exp(-ball(shift) / parameters.log_growth()))
    _check_delta(parameters, lambda: exact_delta(alpha, ball(parameters.share), shift))


def _room(parameters: Parameters) -> arb:
    """(1+α)(ε−λ): up to this shift the narrower noise never exceeds e^ε times the wider."""
    return ball(1 + parameters.growth) * (parameters.aim() - parameters.log_growth())


def exact_delta(alpha: Fraction, epsilon: arb, shift: Fraction) -> arb:
    """Hockey-stick divergence of Laplace(shift, 1+α) from Laplace(0, 1) for shift ≤ ε + λ.

    The set where the wider density exceeds e^ε times the narrower is two half-lines beyond
    −left and +right; see the proof for why no other pair of neighbours is worse.
    """
    rho = ball(1 + alpha)
    excess = epsilon + rho.log()
    u = ball(shift)
    narrowing = 1 - 1 / rho
    right, left = (excess - u / rho) / narrowing, (excess + u / rho) / narrowing
    wide = (-(right - u) / rho).exp() + (-(left + u) / rho).exp()
    narrow = (-right).exp() + (-left).exp()
    return (wide - epsilon.exp() * narrow) / 2


def _largest_shift(parameters: Parameters) -> Fraction:
    """The largest u ≤ min(ε, (1+α)(ε−λ)) with exact δ at most the share of δ."""
    alpha, goal = parameters.growth, parameters.delta / parameters.cells
    with precision(256):
        room = _room(parameters)
        if not room > 0:
            raise parameters.refuse_epsilon(
                "must be above ln(1+alpha) for each worker cell",
                parameters.log_growth() * parameters.cells,
            )
        top = min(dyadic_down(room, BITS), dyadic_down(parameters.aim(), BITS))
    _check_delta(parameters, lambda: exact_delta(alpha, parameters.aim(), Fraction(0)))
    low, high = Fraction(0), 2 * top
    while high - low > top / 2**40:
        middle = min((low + high) / 2, top)
        with precision(256):
            fits = bool(exact_delta(alpha, parameters.aim(), middle) <= ball(goal))
        if fits and middle == top:
            return top
        low, high = (middle, high) if fits else (low, middle)
    if low == 0:
        raise _refused_delta(parameters, exact_delta(alpha, parameters.aim(), top / 100))
    return low


def _check_delta(parameters: Parameters, least: Callable[[], arb]) -> None:
    goal = parameters.delta / parameters.cells
    if goal > 0 and at_most(least, lambda: ball(goal)):
        return
    with precision(256):
        raise _refused_delta(parameters, least())


def _refused_delta(parameters: Parameters, least: arb) -> InvalidParameter:
    with precision(256):
        smallest = three_digits_up(least * parameters.cells)
    return InvalidParameter(
        "delta",
        rule="must not be below what Laplace tails cost when the scale itself changes by 1+alpha",
        value=shown(parameters.delta),
        next_step=f"The smallest delta that works here is {smallest}; or use slope, "
        "which needs none."
        if smallest < 1
        else "No delta below 1 works here: use slope, which needs none.",
    )
