"""Promises: what a guarantee means for one worker, one establishment and one firm."""

from leeward.bundle.statements import FirmLoss, FirmStatement, PromiseStatement, losses
from leeward.errors import InvalidParameter, NotCovered
from leeward.model import BoundedJobs, JobsRule
from leeward.privacy import Guarantee
from leeward.privacy.words import LARGEST_EPSILON, READING, alpha_text, factor_text, number_text

NOT_PROTECTED = "Not protected: the worker policy hides single jobs only."
FIRM_RULE = "f establishments: f times epsilon"
FIRM_RULE_ZCDP = "f establishments: f times epsilon and f squared times rho"


def worker_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement:
    """The promise to a worker with all counted jobs together."""
    most = jobs.most if isinstance(jobs, BoundedJobs) else 1
    own = guarantee.for_jobs(most)
    return _promise(
        own,
        'Seeing these tables changes the odds between "this person works here" and "has no job" '
        f"{_odds(own)}. This speaks of all jobs of the person that count, together.",
    )


def establishment_promise(guarantee: Guarantee) -> PromiseStatement | None:
    """The promise to an establishment; none under the worker policy."""
    between = {
        "establishment": '"this establishment has these workers" and "it has none"',
        "strong": f"two sizes of an establishment, {_sizes(guarantee)}, whoever joins or leaves",
        "weak": f"two sizes of an establishment, {_sizes(guarantee)}, for those who know its "
        "make-up independently of its size (each kind of worker grows within the same share)",
    }.get(guarantee.policy.name)
    if between is None:
        return None
    sentence = f"Seeing these tables changes the odds between {between}, {_odds(guarantee)}."
    return _promise(guarantee, sentence)


def firm_promise(guarantee: Guarantee) -> FirmStatement | None:
    """The promise to a firm whose establishments all change at once."""
    if guarantee.policy.name == "worker":
        return None
    rule = FIRM_RULE_ZCDP if guarantee.rho > 0 else FIRM_RULE
    try:
        two = guarantee.for_firm(2)
    except NotCovered:
        sentence = "Nothing is promised to firms of two or more establishments."
        return FirmStatement(rule=rule, two=None, sentence=sentence)
    return FirmStatement(
        rule=rule,
        two=FirmLoss.model_validate({"establishments": 2, **losses(two)}),
        sentence="A firm loses more, the more establishments it has: each of them counts once "
        f"({rule}). For a firm of two establishments the odds change {_odds(two)}.",
    )


def shape_sentence(charge: Guarantee, attributes: tuple[str, ...] | None) -> str:
    """What is promised about the make-up of an establishment's workforce."""
    if charge.policy.name == "worker":
        return NOT_PROTECTED
    if attributes is None:
        return (
            "The make-up of an establishment is hidden as its size is, whoever joins or leaves; "
            "between two groups who may have joined, twice the epsilon."
        )
    return (
        f"The share of each kind of worker (by {', '.join(attributes)}) in an establishment is "
        "hidden within the same factor; that one kind alone grew by more is not hidden."
    )


def _promise(guarantee: Guarantee, sentence: str) -> PromiseStatement:
    return PromiseStatement.model_validate({**losses(guarantee), "sentence": sentence})


def _sizes(guarantee: Guarantee) -> str:
    growth = alpha_text(None if guarantee.alpha is None else 1 + guarantee.alpha)
    return f"x and at most {growth} times x (or one job more)"


def _odds(guarantee: Guarantee) -> str:
    """How far the odds move, with the numbers it comes from."""
    try:
        read = guarantee.to_approximate(guarantee.delta + READING) if guarantee.rho else guarantee
    except InvalidParameter:  # nothing is left of 1 − δ
        return "without any bound"
    if read.epsilon > LARGEST_EPSILON:
        return f"without any useful bound (epsilon above {LARGEST_EPSILON})"
    further = f", up to a further probability of {number_text(read.delta)}" if read.delta else ""
    return f"by at most a factor {factor_text(read.epsilon)}{further} ({_numbers(guarantee)})"


def _numbers(guarantee: Guarantee) -> str:
    named = {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "rho": guarantee.rho}
    return ", ".join(f"{name} {number_text(one)}" for name, one in named.items() if one)
