"""An account: its cap, what is spent and left of it, and whether it can pay a charge."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from leeward.core.errors import (
    CannotCompose,
    InvalidParameter,
    LeewardError,
    NotCovered,
    OverBudget,
)
from leeward.core.exact import SLACK, exact_text
from leeward.core.privacy.guarantee import JOB_LOSSES, Guarantee, place, sequential
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.part_sums import PartSums

PARTS = (10**3, 10**6, 10**9)
"""Into how many parts a charge that does not fit is divided, coarse first."""


@dataclass(frozen=True)
class Left:
    """What an account can still lose: this ε together with this δ, never more than the truth.

    Of a cap in ρ it is a ρ, exactly; of a box it is all three, exactly. `epsilon_job` is what one
    job can still lose; None where the cap is the same for one job.
    """

    epsilon: Fraction
    delta: Fraction
    rho: Fraction = Fraction(0)
    epsilon_job: Fraction | None = None


@dataclass(frozen=True)
class Account:
    """Charges of all periods of the same establishments; `spent` is None before the first one."""

    name: str
    cap: Guarantee
    spent: Guarantee | None
    charges: int
    opened: str
    box: Box | None = None
    sums: PartSums | None = None

    @property
    def left(self) -> Left:
        """What later charges may add."""
        if self.box is None:
            return left(self.cap, self.spent)
        if self.spent is None:
            return Left(*_losses(self.box))
        pairs = zip(_losses(self.box), _losses(self.spent), strict=True)
        return Left(*(most - spent for most, spent in pairs))

    @property
    def remaining(self) -> Fraction:
        """What is left of the ε, or of the ρ, of the cap."""
        return self.remaining_for(self.cap)

    def remaining_for(self, charge: Guarantee) -> Fraction:
        """What is left for charges of this kind: ρ of a cap or a box, else ε."""
        divided = self.box is not None and charge.currency == "rho"
        return self.left.rho if divided or self.cap.currency == "rho" else self.left.epsilon

    @property
    def lost(self) -> Fraction:
        """What is spent of the ε, or of the ρ, of the cap; ρ is read as ε where there is no box."""
        if self.box is not None:
            return Fraction(0) if self.spent is None else self.spent.epsilon
        return self.cap.amount - self.remaining

    def job_texts(self) -> dict[str, str | None]:
        """What one job may lose, has lost and can still lose, where the cap has a part for it."""
        most, left = self.cap.epsilon_job, self.left.epsilon_job
        if left is None:
            return {}
        spent = None if self.spent is None else str(most - left)
        return {"epsilon_job": str(most), "spent_job": spent, "left_job": str(left)}

    @property
    def mixes_without_a_box(self) -> bool:
        """Whether charges of both kinds share a cap in ε: only accounts of earlier formats do."""
        return self.box is None and self.spent is not None and self.spent.measure == "mixed"

    def after(self, paid: Guarantee) -> "Account":
        """The account with one more charge."""
        return replace(self, spent=self._with(paid), charges=self.charges + 1)

    def _with(self, paid: Guarantee) -> Guarantee:
        return paid if self.spent is None else sequential(self.spent, paid)


def left(cap: Guarantee, spent: Guarantee | None) -> Left:
    """The rest of a cap, exact where ε and δ alone were spent.

    A spent ρ is read as ε at the whole δ of the cap, rounded up. What remains is the rest of ε,
    and no δ; more ρ fits than this ε says, since ρ of several charges is read together.
    """
    if spent is None:
        job = cap.epsilon_job if cap.has_job_losses else None
        return Left(cap.epsilon, cap.delta, cap.rho, job)
    if cap.currency == "rho":
        return Left(Fraction(0), Fraction(0), max(Fraction(0), cap.rho - spent.rho))
    job = left(cap.job, spent.job).epsilon if cap.has_job_losses else None
    epsilon, delta = _read(cap, spent)
    rest = max(Fraction(0), cap.epsilon - epsilon), max(Fraction(0), cap.delta - delta)
    return Left(*rest, epsilon_job=job)


def _losses(numbers: Guarantee | Box) -> tuple[Fraction, Fraction, Fraction]:
    return numbers.epsilon, numbers.delta, numbers.rho


def within(cap: Guarantee, total: Guarantee) -> bool:
    """Whether a total under the policy, α and Δ of the cap stays within it.

    Two filters, each by itself: without a cap for one job it is that of sizes, as one job is a
    step (Theorem 11).
    """
    if cap.currency == "rho":
        return total.epsilon == total.delta == 0 and total.rho <= cap.rho
    if cap.has_job_losses and not within(cap.job, total.job):
        return False
    epsilon, delta = _read(cap, total)
    return epsilon <= cap.epsilon and delta <= cap.delta


def certainly_past(account: Account, total: Guarantee) -> bool:
    """Whether a total that was once accepted cannot have been within the cap or its box.

    Reading ρ as ε searches with floats, which may differ in the last digits on another machine:
    an honest ledger that is full to the brim must not look damaged there.
    """
    cap = account.cap
    if account.box is not None:
        return not account.box.holds(total)
    if total.rho == 0 or cap.currency == "rho":
        return not within(cap, total)
    if cap.has_job_losses and certainly_past(replace(account, cap=cap.job), total.job):
        return True
    epsilon, delta = _read(cap, total)
    return epsilon > cap.epsilon * (1 + SLACK) or delta > cap.delta


@lru_cache(maxsize=4096)  # few charges, repeated many times
def owed(charge: Guarantee, cap: Guarantee) -> Guarantee:
    """What a charge costs under the policy, α and Δ of a cap; refused where no proof says.

    A cap in ρ is paid in ρ, which pure ε implies; no δ does.
    """
    due = charge.weaken(cap.policy, cap.alpha)
    return due.as_zcdp() if cap.currency == "rho" else due


def covers(paid: Guarantee, due: Guarantee) -> bool:
    """Whether a payment, made in the same currency, is no less than what is due."""
    same = (paid.policy, paid.alpha) == (due.policy, due.alpha)
    losses = ("epsilon", "delta", "rho", *JOB_LOSSES)
    return same and all(getattr(paid, loss) >= getattr(due, loss) for loss in losses)


def _read(cap: Guarantee, total: Guarantee) -> tuple[Fraction, Fraction]:
    if total.rho == 0:
        return total.epsilon, total.delta
    if total.delta >= cap.delta:
        return cap.epsilon + 1, total.delta  # ρ is no ε without some δ: past every cap
    return total.to_approximate(cap.delta).epsilon, cap.delta


def payment(account: Account, charge: Guarantee) -> Guarantee:
    """What the account pays for a charge, under its own policy, α and Δ."""
    paid = _owed(account, charge)
    _refuse_two_kinds(account, paid)
    if _fits(account, paid):
        return paid
    box, rest, spent = account.box, account.left, account.spent
    fitting = _largest_fit(account, charge, paid)
    only_rho = box is None and spent is not None and spent.rho > 0
    if fitting is not None:
        advice = f"Charge at most {_loss(fitting, job=account.cap.has_job_losses)}"
    elif rest.epsilon > 0 and rest.epsilon_job != 0 and not only_rho:
        advice = f"Charge pure epsilon, at most {exact_text(rest.epsilon)}"
    elif rest.rho > 0:
        advice = f"Charge at most rho {exact_text(rest.rho)}"
    else:
        advice = "Release nothing more from this account"
    divided = "" if box is None else f", divided into {_rest(Left(*_losses(box)))}"
    job = account.cap.has_job_losses  # then all that is said has both numbers
    as_paid = "" if charge == paid else f", which is {_loss(paid, job=job)} under {_place(paid)},"
    raise OverBudget(
        "charge",
        rule=f"must keep account {account.name!r} within its cap of {_loss(account.cap, job=job)}"
        f"{divided}",
        value=f"{_loss(charge, job=job)}{as_paid} where {_rest(rest)} is left",
        next_step=f"{advice}; a cap is never raised.",
    )


def _owed(account: Account, charge: Guarantee) -> Guarantee:
    try:
        return owed(charge, account.cap)
    except NotCovered as error:
        if error.parameter == "delta":
            raise NotCovered(
                "charge",
                rule=f"must be in rho or pure epsilon: account {account.name!r} counts in rho, "
                "which a delta does not imply",
                value=_loss(charge),
                next_step="Plan with rho, or charge an account with a cap in epsilon and delta.",
            ) from None
        place = _place(account.cap)
        raise NotCovered(
            "charge",
            rule=f"must follow under the policy of account {account.name!r}, {place}: {error.rule}",
            value=_place(charge),
            next_step=f"Release under {place}, or charge an account with a cap under the policy "
            "of the release.",
        ) from None


def _refuse_two_kinds(account: Account, paid: Guarantee) -> None:
    """Reject a charge of the other kind than the earlier ones, where no box divides the cap.

    The first charge was chosen before any output, so its kind fixes one box of Theorem 10.
    """
    divided = account.box is not None or account.cap.currency == "rho"
    if divided or account.cap.delta == 0 or account.mixes_without_a_box:
        return
    earlier = (account.sums or account).spent or paid
    if paid.measure != "mixed" and (earlier.rho > 0) == (paid.rho > 0):
        return
    kind = "rho" if earlier.measure == "zCDP" else "epsilon"
    raise CannotCompose(
        "charge",
        rule=f"must be in {kind} as all charges of account {account.name!r}: the account was "
        "opened without gaussian_rho, and no proof covers a mixture that is chosen on the way",
        value=_loss(paid),
        next_step=f"Plan with {kind}, or charge an account that was opened with --gaussian-rho.",
    )


def _fits(account: Account, paid: Guarantee) -> bool:
    """Whether all charges together stay within the cap."""
    try:
        total = account._with(paid)
    except CannotCompose:  # δ reached 1, which no cap allows
        return False
    except InvalidParameter:
        raise InvalidParameter(
            "charge",
            rule="must add up with the earlier charges to a number of at most 4000 digits",
            value="a sum of more",
            next_step="Charge numbers with a common small denominator, such as 1/10.",
        ) from None
    return within(account.cap, total) if account.box is None else account.box.holds(total)


def _largest_fit(account: Account, charge: Guarantee, paid: Guarantee) -> Guarantee | None:
    """The largest charge of the same make that fits: exact for pure ε, else to three digits."""
    same = charge.currency == paid.currency == account.cap.currency
    if same and charge.measure in ("pure", "zCDP"):
        most = account.remaining / paid.amount
        job = account.left.epsilon_job
        most = most if job is None else min(most, job / paid.epsilon_job)
        return charge.share(most) if most else None
    for parts in PARTS:
        low, high = 0, 1000
        while high - low > 1:
            middle = (low + high) // 2
            try:
                fits = _fits(account, owed(charge.share(Fraction(middle, parts)), account.cap))
            except LeewardError:
                fits = False
            low, high = (middle, high) if fits else (low, middle)
        if low:
            return charge.share(Fraction(low, parts))
    return None


def _place(guarantee: Guarantee) -> str:
    return place(guarantee.policy, guarantee.alpha)


def _loss(guarantee: Guarantee, *, job: bool = False) -> str:
    parts = (("epsilon", guarantee.epsilon), ("delta", guarantee.delta), ("rho", guarantee.rho))
    said = " and ".join(f"{name} {exact_text(number)}" for name, number in parts if number)
    return f"{said} ({_loss(guarantee.job)} for one job)" if job else said


def _rest(rest: Left) -> str:
    rho = f"rho {exact_text(rest.rho)}" if rest.rho else ""
    if not rest.epsilon and not rest.delta:
        return rho or "nothing"
    delta = f" and delta {exact_text(rest.delta)}" if rest.delta else ""
    more = "" if rest.epsilon_job is None else f" ({exact_text(rest.epsilon_job)} for one job)"
    return f"epsilon {exact_text(rest.epsilon)}{delta}{rho and f' and {rho}'}{more}"
