"""An account: the cap that was set once, what is spent of it, and what is left."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leeward.exact import SLACK
from leeward.privacy import Guarantee


@dataclass(frozen=True)
class Left:
    """What an account can still lose: this ε together with this δ, never more than the truth."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Account:
    """Charges of all periods of the same establishments; `spent` is None before the first one."""

    name: str
    cap: Guarantee
    spent: Guarantee | None
    charges: int
    opened: str

    @property
    def left(self) -> Left:
        """What later charges may add."""
        return left(self.cap, self.spent)


def left(cap: Guarantee, spent: Guarantee | None) -> Left:
    """The rest of a cap, exact where ε and δ alone were spent.

    A spent ρ is read as ε at the whole δ of the cap, rounded up. The ε that then remains is
    what charges of pure ε may add; no δ remains, although a charge with some may still fit.
    """
    if spent is None:
        return Left(cap.epsilon, cap.delta)
    epsilon, delta = _read(cap, spent)
    return Left(max(Fraction(0), cap.epsilon - epsilon), max(Fraction(0), cap.delta - delta))


def within(cap: Guarantee, total: Guarantee) -> bool:
    """Whether a total under the policy and α of the cap stays within it."""
    epsilon, delta = _read(cap, total)
    return epsilon <= cap.epsilon and delta <= cap.delta


def certainly_past(cap: Guarantee, total: Guarantee) -> bool:
    """Whether a total that was once accepted cannot have been within the cap.

    Reading ρ as ε searches with floats, which may differ in the last digits on another machine:
    an honest ledger that is full to the brim must not look damaged there.
    """
    if total.rho == 0:
        return not within(cap, total)
    epsilon, delta = _read(cap, total)
    return epsilon > cap.epsilon * (1 + SLACK) or delta > cap.delta


@lru_cache(maxsize=4096)  # few charges, repeated many times
def owed(charge: Guarantee, cap: Guarantee) -> Guarantee:
    """What a charge costs under the policy and α of a cap; refused where no proof says."""
    return charge.weaken(cap.policy, cap.alpha)


def covers(paid: Guarantee, due: Guarantee) -> bool:
    """Whether a payment, made in the same currency, is no less than what is due."""
    same = (paid.policy, paid.alpha) == (due.policy, due.alpha)
    enough = paid.epsilon >= due.epsilon and paid.delta >= due.delta and paid.rho >= due.rho
    return same and enough


def _read(cap: Guarantee, total: Guarantee) -> tuple[Fraction, Fraction]:
    if total.rho == 0:
        return total.epsilon, total.delta
    if total.delta >= cap.delta:
        return cap.epsilon + 1, total.delta  # ρ is no ε without some δ: past every cap
    return total.to_approximate(cap.delta).epsilon, cap.delta
