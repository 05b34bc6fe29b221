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
    did_you_mean,
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


def test_rules_that_many_places_have_are_worded_once() -> None:
    lines = (
        InvalidParameter.missing("unit"),
        BadFile.missing("--out", where="with --review", next_step="Name a file."),
        InvalidParameter.unwanted("bins", "beside breakdowns", value="given"),
        InvalidParameter.meaningless("alpha", "under the worker policy", value="0.1"),
        InvalidParameter.unknown("policy", "srong", ("strong", "weak")),
        InvalidParameter.not_whole("base", 1, 2, 1000, next_step="Give 5 or 10."),
        InvalidParameter.not_whole("count", 0, 1, next_step="Give 1."),
    )
    assert [str(line) for line in lines] == [
        "unit: must be given; got nothing. Add the key.",
        "--out: must be given with --review; got nothing. Name a file.",
        "bins: must be left out beside breakdowns; got given. Leave it out.",
        "alpha: has no meaning under the worker policy; got 0.1. Leave it out.",
        "policy: must be one of strong, weak; got 'srong'. Choose one of these.",
        "base: must be a whole number from 2 to 1000; got 1. Give 5 or 10.",
        "count: must be a whole number of at least 1; got 0. Give 1.",
    ]
    assert isinstance(lines[1], BadFile)
    assert did_you_mean("srong", ("strong", "weak"), "Choose.") == "Did you mean 'strong'?"
    assert did_you_mean("", ("strong", "weak"), "Choose.") == "Choose."
