import pytest

from leeward.errors import (
    CannotCompose,
    InvalidParameter,
    LeewardError,
    NotCovered,
    UntrustedMachine,
)

REFUSALS = [InvalidParameter, NotCovered, CannotCompose, UntrustedMachine]


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
    assert LeewardError.__subclasses__() == REFUSALS
