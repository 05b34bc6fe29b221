"""A guarantee in plain words: short sentences with the numbers that a reader can check.

Every factor bounds how far seeing the release moves the odds between two possibilities.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from leeward.errors import InvalidParameter, NotCovered
from leeward.exact import START_BITS, ball, precision, three_digits_up

if TYPE_CHECKING:
    from leeward.privacy.guarantee import Guarantee

READING = Fraction(1, 10**6)
"""The extra probability at which a zCDP part is read as a factor."""

LARGEST_EPSILON = 500
"""Beyond this the factor has hundreds of digits and is no protection worth a number."""

BILLION = 10**9

FURTHER = (
    "A further probability means that no set of outcomes becomes more probable by more than it "
    "beyond the factor."
)
FRAME = "That an establishment exists, and its public attributes, are not hidden."


def sentences(guarantee: "Guarantee", jobs: int = 1) -> list[str]:
    """What the policy promises, what it does not, and what ρ means where there is one.

    A person who may hold several counted jobs is as many steps away from having none.
    """
    words = {"worker": _worker, "establishment": _establishment, "strong": _strong, "weak": _weak}
    spoken = words[guarantee.policy.name](guarantee, jobs)
    further = [FURTHER] if guarantee.delta > 0 or guarantee.rho > 0 else []
    return [*spoken, *further, *_zcdp(guarantee), FRAME]


def _worker(guarantee: "Guarantee", jobs: int) -> list[str]:
    return [
        "The worker policy protects single jobs.",
        *_person(guarantee, jobs),
        "It does NOT protect the sizes of establishments: "
        "the size of a large one can be read almost exactly.",
    ]


def _establishment(guarantee: "Guarantee", jobs: int) -> list[str]:
    return [
        "The establishment policy protects whole establishments.",
        'Seeing the release changes the odds between "this establishment has these workers" and '
        f'"has none" {_bound(guarantee, 1)}.',
        'Between any two workforces of it, and so between "this person works here" and '
        f'"has no job", the odds change {_bound(guarantee, 2 * jobs)}{_held(jobs)}.',
        f"Between two workplaces of a person the odds change {_bound(guarantee, 4 * jobs)}.",
        *_firm(guarantee),
    ]


def _strong(guarantee: "Guarantee", jobs: int) -> list[str]:
    return [
        f"The strong policy with α = {alpha_text(guarantee.alpha)} protects single jobs and the "
        "sizes of establishments, whoever joins or leaves.",
        *_person(guarantee, jobs),
        f"Between sizes x and up to {_growth(guarantee)} of an establishment (or one worker more) "
        f"the odds change {_bound(guarantee, 1)}.",
        f"Between two groups who may have joined, the odds change {_bound(guarantee, 2)}.",
        *_firm(guarantee),
    ]


def _weak(guarantee: "Guarantee", jobs: int) -> list[str]:
    growth = _growth(guarantee)
    return [
        f"The weak policy with α = {alpha_text(guarantee.alpha)} protects single jobs, and "
        "establishments whose kinds of workers grow together.",
        *_person(guarantee, jobs),
        f"Between sizes x and up to {growth} of an establishment the odds change "
        f"{_bound(guarantee, 1)}, against attackers who know its make-up independently of its "
        f"size; the same holds for the share of each kind of worker within 1+α.",
        "It does NOT protect the size against those who know that one kind of worker alone grew: "
        f"such growth is protected only up to {growth} of that kind, or one worker.",
        *_firm(guarantee),
    ]


def _person(guarantee: "Guarantee", jobs: int) -> list[str]:
    return [
        'Seeing the release changes the odds between "this person works here" and "has no job" '
        f"{_bound(guarantee, jobs)}{_held(jobs)}.",
        f"Between two workplaces of a person or two values of a person's attribute, the odds "
        f"change {_bound(guarantee, 2 * jobs)}.",
    ]


def _held(jobs: int) -> str:
    return "" if jobs == 1 else f", if up to {jobs} jobs of the person count"


def _firm(guarantee: "Guarantee") -> list[str]:
    several = "ε counts f times and ρ f² times" if guarantee.rho > 0 else "the factor is e^(fε)"
    return [
        f"For a firm of f establishments {several}; "
        f"for two of them the odds change {_bound(guarantee, 2)}."
    ]


def _zcdp(guarantee: "Guarantee") -> list[str]:
    if guarantee.rho == 0:
        return []
    part = "The release" if guarantee.measure == "zCDP" else "A part of the release"
    return [
        f"{part} is measured by ρ-zCDP with ρ = {number_text(guarantee.rho)}: the logarithm of "
        "the odds moves by at most ρ on average, and by more than ρ + t with a probability of at "
        "most e^(−t²/(4ρ)); the factors above read it at a further probability of "
        f"{number_text(READING)}."
    ]


def _bound(guarantee: "Guarantee", steps: int) -> str:
    """How far the odds move between possibilities that are so many steps apart."""
    try:
        over = guarantee.over_steps(steps)
        read = over.to_approximate(over.delta + READING) if over.rho > 0 else over
    except (NotCovered, InvalidParameter):  # nothing is left of 1 − δ
        return "without any bound"
    if read.epsilon > LARGEST_EPSILON:
        return f"without any useful bound (ε above {LARGEST_EPSILON})"
    factor = factor_text(read.epsilon)
    power = "" if guarantee.rho > 0 else f" (e^{'ε' if steps == 1 else f'({steps}ε)'})"
    further = f", up to a further probability of {number_text(read.delta)}" if read.delta else ""
    return f"by at most a factor {factor}{power}{further}"


def _growth(guarantee: "Guarantee") -> str:
    growth = alpha_text(None if guarantee.alpha is None else 1 + guarantee.alpha)
    return f"{growth}x" if "/" not in growth else f"({growth})x"


def factor_text(epsilon: Fraction) -> str:
    """e^ε rounded up; beyond a billion as a power, since nobody reads so many digits."""
    with precision(START_BITS):
        factor = three_digits_up(ball(epsilon).exp())
    if factor > BILLION:
        return f"e^{number_text(epsilon)}, more than a billion"
    return f"{factor:,f}"


def alpha_text(number: Fraction | None) -> str:
    """A number that must not be rounded up: a short decimal or the fraction itself."""
    return "none" if number is None else _decimal(number) or str(number)


def number_text(number: Fraction) -> str:
    """A loss: a short decimal where it is exact, otherwise rounded up to three digits."""
    return _decimal(number) or f"{three_digits_up(number):f}"


def _decimal(number: Fraction) -> str | None:
    if number * 10**9 != int(number * 10**9):
        return None
    whole, digits = divmod(int(number * 10**9), 10**9)
    return f"{whole}.{digits:09d}".rstrip("0").rstrip(".")
