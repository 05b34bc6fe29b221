import pickle

import pytest

from leeward.core.errors import (
    AlreadyReleased,
    BadData,
    BadFile,
    CannotCompose,
    Damaged,
    FailedAfterCharge,
    InvalidParameter,
    LeewardError,
    NotCovered,
    OverBudget,
    Problems,
    UntrustedMachine,
    raise_all,
)

REFUSALS: list[type[LeewardError]] = [
    InvalidParameter,
    NotCovered,
    CannotCompose,
    UntrustedMachine,
    BadFile,
    BadData,
    OverBudget,
    AlreadyReleased,
    Damaged,
    FailedAfterCharge,
]


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_says_parameter_rule_value_and_next_step(kind: type[LeewardError]) -> None:
    refusal = kind("epsilon", rule="must be above 0", value=-1, next_step="Give a larger one.")
    assert isinstance(refusal, LeewardError)
    assert str(refusal) == "epsilon: must be above 0; got -1. Give a larger one."
    assert refusal.parameter == "epsilon"
    assert refusal.rule == "must be above 0"
    assert refusal.value == -1
    assert refusal.next_step == "Give a larger one."


def test_an_invalid_parameter_is_a_value_error() -> None:
    assert issubclass(InvalidParameter, ValueError)


def test_the_tree_is_two_levels_deep() -> None:
    assert set(LeewardError.__subclasses__()) == {*REFUSALS, Problems}


def test_several_refusals_are_numbered_and_one_stays_itself() -> None:
    first, second = (
        InvalidParameter(name, rule="must be 1", value=2, next_step="Write 1.") for name in "ab"
    )
    raise_all([])
    with pytest.raises(InvalidParameter):
        raise_all([first])
    with pytest.raises(Problems) as told:
        raise_all([first, second])
    assert str(told.value) == f"2 problems:\n  1. {first}\n  2. {second}"
    assert pickle.loads(pickle.dumps(told.value)).problems[1].parameter == "b"  # noqa: S301
