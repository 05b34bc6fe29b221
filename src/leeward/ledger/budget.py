"""Whether an account can pay a charge, and what would fit where it cannot."""

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from leeward.errors import CannotCompose, InvalidParameter, LeewardError, NotCovered, OverBudget
from leeward.ledger.account import Account, Left, owed, within
from leeward.privacy import Guarantee, sequential

PARTS = (10**3, 10**6, 10**9)
"""How finely a charge that does not fit is cut down, coarse first."""

MOST_DIGITS = 40


def payment(account: Account, charge: Guarantee) -> Guarantee:
    """What the account pays for a charge, under its own policy and α."""
    paid = _owed(account, charge)
    if not _fits(account, paid):
        raise _over_budget(account, charge, paid)
    return paid


def _owed(account: Account, charge: Guarantee) -> Guarantee:
    try:
        return owed(charge, account.cap)
    except NotCovered as error:
        place = _place(account.cap)
        raise NotCovered(
            "charge",
            rule=f"must follow under the policy of account {account.name!r}, {place}: {error.rule}",
            value=_place(charge),
            next_step=f"Release under {place}, or charge an account with a cap under the policy "
            "of the release.",
        ) from None


def _fits(account: Account, paid: Guarantee) -> bool:
    """Whether all charges together stay within the cap."""
    try:
        total = paid if account.spent is None else sequential(account.spent, paid)
    except CannotCompose:  # δ reached 1, which no cap allows
        return False
    except InvalidParameter:
        raise InvalidParameter(
            "charge",
            rule="must add up with the earlier charges to a number of at most 4000 digits",
            value="a sum of more",
            next_step="Charge numbers with a common small denominator, such as 1/10.",
        ) from None
    return within(account.cap, total)


def _over_budget(account: Account, charge: Guarantee, paid: Guarantee) -> LeewardError:
    rest = account.left
    return OverBudget(
        "charge",
        rule=f"must keep account {account.name!r} within its cap of {_loss(account.cap)}",
        value=f"{_loss(charge)}{_as_paid(charge, paid)} where {_rest(rest)} is left",
        next_step=f"{_advice(rest, _largest_fit(account, charge, paid))}; a cap is never raised.",
    )


def _advice(rest: Left, fitting: Guarantee | None) -> str:
    if fitting is not None:
        return f"Charge at most {_loss(fitting)}"
    if rest.epsilon > 0:
        return f"Charge pure epsilon, at most {exact_text(rest.epsilon)}"
    return "Release nothing more from this account"


def _largest_fit(account: Account, charge: Guarantee, paid: Guarantee) -> Guarantee | None:
    """The largest charge of the same make that fits: exact for pure ε, else to three digits."""
    if charge.measure == "pure":
        most = account.left.epsilon * charge.epsilon / paid.epsilon
        return Guarantee(charge.policy, charge.alpha, most) if most else None
    for parts in PARTS:
        low, high = 0, 1000
        while high - low > 1:
            middle = (low + high) // 2
            fits = _part_fits(account, _part(charge, Fraction(middle, parts)))
            low, high = (middle, high) if fits else (low, middle)
        if low:
            return _part(charge, Fraction(low, parts))
    return None


def _part_fits(account: Account, part: Guarantee) -> bool:
    try:
        return _fits(account, owed(part, account.cap))
    except LeewardError:
        return False


def _part(charge: Guarantee, share: Fraction) -> Guarantee:
    loss = (charge.epsilon * share, charge.delta * share, charge.rho * share)
    return Guarantee(charge.policy, charge.alpha, *loss)


def _place(guarantee: Guarantee) -> str:
    name = guarantee.policy.name
    return name if guarantee.alpha is None else f"{name} at alpha {guarantee.alpha}"


def _as_paid(charge: Guarantee, paid: Guarantee) -> str:
    return "" if charge == paid else f", which is {_loss(paid)} under {_place(paid)},"


def _loss(guarantee: Guarantee) -> str:
    parts = (("epsilon", guarantee.epsilon), ("delta", guarantee.delta), ("rho", guarantee.rho))
    return " and ".join(f"{name} {exact_text(number)}" for name, number in parts if number)


def _rest(rest: Left) -> str:
    if not rest.epsilon and not rest.delta:
        return "nothing"
    delta = f" and delta {exact_text(rest.delta)}" if rest.delta else ""
    return f"epsilon {exact_text(rest.epsilon)}{delta}"


def exact_text(number: Fraction) -> str:
    """An exact number and a decimal that is never above it: '3/2 (1.5)', '1/3 (about 0.333333)'."""
    context = Context(prec=6, rounding=ROUND_FLOOR)
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    about = "" if Fraction(decimal) == number else "about "
    short = f"{about}{decimal.normalize()}"
    exact = str(number)
    if len(exact) > MOST_DIGITS:
        return short
    return exact if "/" not in exact else f"{exact} ({short})"
