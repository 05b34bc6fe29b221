"""Every refusal, one row each: what is asked for, and the exact words of the answer."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest

from leeward import InvalidParameter, LeewardError, NotCovered
from leeward.core.mechanisms.additive import Additive
from tests.core.mechanisms.built import Option, additive, build, clipped, vector_pareto

SECRET = 77_777_777
"""A confidential number that must not be found in any message."""

EXACT = "must be an exact number: text such as '0.1' or '1/10', an int or a Fraction; got"
NAMES = (
    "clipped, edge_laplace, edge_pay, joint_clipped, joint_pareto, joint_radial, log_laplace, "
    "log_pair, node_laplace, pay_centred, pay_centred_radial, pay_clipped, pay_pareto, pay_radial, "
    "pay_two_scales, payroll_pareto, payroll_radial, payroll_slope, radial_slope, scale, slope, "
    "smooth_gamma, smooth_laplace, soft_staircase, staircase, vector_pareto"
)
SMALLEST = "The smallest epsilon that works here is"
TAILS = (
    "delta: must not be below what Laplace tails cost when the scale itself changes by 1+alpha; got"
)


def asked(name: str, **changed: object) -> Callable[[], object]:
    """A mechanism at α = 0.1 and ε = 1 but for what is changed."""
    return lambda: build(name, **{"alpha": "0.1", "epsilon": "1", **changed})


PARAMETERS = [
    (
        asked("slope", epsilon="0.05"),
        "epsilon: must be above ln(1+alpha) for each worker cell; got 1/20. "
        f"{SMALLEST} 0.0954; or take a smaller alpha.",
    ),
    (
        asked("slope", epsilon="0.0953"),
        "epsilon: must be above ln(1+alpha) for each worker cell; got 953/10000. "
        f"{SMALLEST} 0.0954; or take a smaller alpha.",
    ),
    (
        asked("slope", epsilon="0.5", cells=8),
        "epsilon: must be above ln(1+alpha) for each worker cell; got 1/2. "
        f"{SMALLEST} 0.763; or take a smaller alpha.",
    ),
    (
        asked("soft_staircase", epsilon="4", epsilon_job="0.1"),
        "epsilon_job: must be at least 1/32 of epsilon and 1/32 for soft_staircase; got 1/10. "
        "Give at least 0.125, or use slope.",
    ),
    (
        asked("soft_staircase", epsilon="0.3", epsilon_job="0.1"),
        "epsilon: must be so large that the mean can be 0: above 2·alpha for each worker cell; "
        "got 3/10. The smallest epsilon that works here is 0.448; or take a smaller alpha.",
    ),
    (
        asked("soft_staircase", alpha="2.5", epsilon="9"),
        "alpha: must be at most 2 for soft_staircase; got 5/2. Take a smaller alpha, or use slope.",
    ),
    (
        asked("log_laplace", epsilon="0.05"),
        "epsilon: must be above ln(1+alpha) for each worker cell, or the noise has no mean; "
        f"got 1/20. {SMALLEST} 0.0954; or take a smaller alpha.",
    ),
    (
        asked("vector_pareto", epsilon="0.5", cells=8),
        f"epsilon: must be above cells·ln(1+alpha); got 1/2. {SMALLEST} 0.763; "
        "or take a smaller alpha.",
    ),
    (
        asked("smooth_gamma", epsilon="0.2"),
        "epsilon: must be above 3·ln(1+alpha) for each worker cell; got 1/5. "
        f"{SMALLEST} 0.286; or take a smaller alpha.",
    ),
    (
        asked("smooth_gamma", epsilon="0.38", calibration="published"),
        "epsilon: must be at least 4·ln(1+alpha) for each worker cell; got 19/50. "
        f"{SMALLEST} 0.382; or take a smaller alpha.",
    ),
    (
        asked("smooth_laplace", epsilon="0.05", delta="0.5"),
        "epsilon: must be above ln(1+alpha) for each worker cell; got 1/20. "
        f"{SMALLEST} 0.0954; or take a smaller alpha.",
    ),
    (
        asked("smooth_laplace"),
        f"{TAILS} 0. The smallest delta that works here is 0.00000160; or use slope, "
        "which needs none.",
    ),
    (
        asked("smooth_laplace", delta="0.001", calibration="published"),
        f"{TAILS} 1/1000. The smallest delta that works here is 0.00527; or use slope, "
        "which needs none.",
    ),
    (asked("slope", alpha="0"), "alpha: must be above 0; got 0. Give a positive number."),
    (asked("slope", alpha="-1"), "alpha: must be above 0; got -1. Give a positive number."),
    (asked("slope", epsilon=0), "epsilon: must be above 0; got 0. Give a positive number."),
    (asked("slope", alpha="NaN"), f"alpha: {EXACT} 'NaN' (str). Write alpha as text."),
    (asked("slope", alpha="inf"), f"alpha: {EXACT} 'inf' (str). Write alpha as text."),
    (asked("slope", alpha=0.1), f"alpha: {EXACT} 0.1 (float). Write alpha as text."),
    (asked("slope", epsilon=1.0), f"epsilon: {EXACT} 1.0 (float). Write epsilon as text."),
    (asked("slope", epsilon=True), f"epsilon: {EXACT} True (bool). Write epsilon as text."),
    (asked("slope", epsilon="1e9999"), f"epsilon: {EXACT} '1e9999' (str). Write epsilon as text."),
    (asked("slope", delta=0.0), f"delta: {EXACT} 0.0 (float). Write delta as text."),
    (asked("clipped", split=0.5), f"split: {EXACT} 0.5 (float). Write split as text."),
    (
        asked("slope", alpha=None),
        "alpha: is needed: the factor 1+alpha within which establishment sizes are hidden; "
        "got nothing. Give alpha as text, for example alpha='0.1'.",
    ),
    (
        asked("slope", alpha="1001"),
        "alpha: must be between 0.000001 and 1000; got 1001. "
        "alpha = 0.1 hides sizes within 10 percent.",
    ),
    (
        asked("slope", epsilon="1001"),
        "epsilon: must be between 0.000001 and 1000; got 1001. "
        "Useful values lie between 0.01 and 20.",
    ),
    (
        asked("slope", delta="1"),
        "delta: must be at least 0 and below 1; got 1. "
        "Use 0 for a guarantee that never fails, or a small number such as '1e-9'.",
    ),
    *(
        (
            asked("slope", cells=cells),
            f"cells: must be a whole number from 1 to 10000; got {cells!r}. "
            "Give the number of worker cells of one workplace cell.",
        )
        for cells in (0, True, 2.0, "2", 10_001)
    ),
    (
        asked("slope", calibration="loose"),
        "calibration: must be 'tight' or 'published'; got 'loose'. "
        "Leave it out for the tight form.",
    ),
    *(
        (
            asked(name, calibration="published", **options),
            f"calibration: must be 'tight': {name} has no published form; got 'published'. "
            "Leave calibration out.",
        )
        for name, options in {
            "slope": {},
            "staircase": {},
            "vector_pareto": {},
            "edge_laplace": {},
            "node_laplace": {"theta": 5},
            "scale": {},
            "clipped": {},
        }.items()
    ),
    (
        asked("staircase", epsilon="0.4"),
        "epsilon: must be so large that the mean can be 0: at least 3·ln(1+alpha) for each worker "
        f"cell; got 2/5. {SMALLEST} 0.446; or take a smaller alpha.",
    ),
    (
        asked("staircase", alpha="2.1", epsilon=9),
        "alpha: must be at most 2 for staircase; got 21/10. Take a smaller alpha, or use slope.",
    ),
    (asked("slop"), f"name: must be one of {NAMES}; got 'slop'. Did you mean 'slope'?"),
    (asked("zzz"), f"name: must be one of {NAMES}; got 'zzz'. Choose one of these."),
    (
        asked("slope", theta=4),
        "theta: is not an option of slope, which has none; got 4. Leave it out.",
    ),
    (
        asked("clipped", theta=4),
        "theta: is not an option of clipped, which has split, noise, establishments; got 4. "
        "Leave it out.",
    ),
    *(
        (
            asked("node_laplace", **given),
            "theta: must be a whole number from 1 to 2^30: the largest establishment kept; "
            f"got {given.get('theta')!r}. Give theta, for example theta=1000.",
        )
        for given in ({}, {"theta": 0}, {"theta": 2.5}, {"theta": True})
    ),
    (
        asked("scale", cells=2),
        "cells: must be 1: scale releases one number for a workplace cell; got 2. Leave cells out.",
    ),
    (
        asked("clipped", noise="gaussian"),
        "delta: must be above 0 for Gaussian noise, which is never pure; got 0. "
        "Give a small delta such as '1e-9', or leave noise='gaussian' out.",
    ),
    (
        asked("clipped", noise="cauchy"),
        "noise: must be 'laplace' or 'gaussian'; got 'cauchy'. Leave it out for 'laplace'.",
    ),
    (
        asked("clipped", split="1"),
        "split: must be from 1/1000 to 999/1000; got 1. "
        "Leave it out: it is then chosen for the smallest expected error.",
    ),
]


@pytest.mark.parametrize(("ask", "answer"), PARAMETERS, ids=[row[1][:60] for row in PARAMETERS])
def test_parameters_that_cannot_work_are_refused(ask: Callable[[], object], answer: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        ask()
    assert str(refusal.value) == answer


WORKABLE: list[tuple[str, str, dict[str, Option]]] = [
    ("slope", "epsilon", {}),
    ("slope", "epsilon", {"cells": 8}),
    ("slope", "epsilon", {"alpha": "0.00001"}),
    ("slope", "epsilon", {"alpha": "1"}),
    ("staircase", "epsilon", {}),
    ("staircase", "epsilon", {"cells": 8}),
    ("staircase", "epsilon", {"alpha": "2"}),
    ("log_laplace", "epsilon", {}),
    ("vector_pareto", "epsilon", {}),
    ("vector_pareto", "epsilon", {"cells": 2}),
    ("vector_pareto", "epsilon", {"cells": 8, "alpha": "0.03"}),
    ("smooth_gamma", "epsilon", {}),
    ("smooth_gamma", "epsilon", {"cells": 5}),
    ("smooth_gamma", "epsilon", {"calibration": "published"}),
    ("smooth_laplace", "epsilon", {"delta": "0.9"}),
    ("smooth_laplace", "epsilon", {"delta": "0.99", "calibration": "published"}),
    ("smooth_laplace", "delta", {"epsilon": "1"}),
    ("smooth_laplace", "delta", {"epsilon": "2", "cells": 4}),
    ("smooth_laplace", "delta", {"epsilon": "1", "calibration": "published"}),
]


@pytest.mark.parametrize(("name", "parameter", "given"), WORKABLE)
def test_the_smallest_value_that_is_named_works_and_no_smaller_one(
    name: str, parameter: str, given: dict[str, Option]
) -> None:
    wanted: dict[str, Option] = {"alpha": "0.1", "epsilon": "0.000001", **given}
    with pytest.raises(InvalidParameter, match=f"^{parameter}: ") as refusal:
        build(name, **wanted)
    found = re.search(r"that works here is ([0-9.E+-]+);", str(refusal.value))
    assert found is not None
    named = Decimal(found[1])
    built = build(name, **{**wanted, parameter: str(named)})
    assert isinstance(built, Additive)
    cells = built.parameters.cells
    sizes = [5] if name == "vector_pareto" else [[5] * cells]
    assert built.release([[5] * cells], sizes).shape == (1, cells)
    below = named - Decimal((0, (1,), named.adjusted() - 2))
    with pytest.raises(InvalidParameter, match=f"^{parameter}: "):
        build(name, **{**wanted, parameter: str(below)})


SLOPE, LOG_LAPLACE, EDGE = additive("slope"), additive("log_laplace"), additive("edge_laplace")
BLOCK = vector_pareto(alpha="0.01", epsilon=1, cells=3)
PARETO = vector_pareto(alpha="0.01", epsilon=1)
CLIPPED = clipped(alpha="0.1", epsilon=1, cells=2)
WHOLE = "Give an integer array with entries from 0 to 2305843009213693952."
RANGE = f"must lie between 0 and 2305843009213693952; got a value outside (not shown). {WHOLE}"
BLOCKS = "counts, largest: must have the shapes (workplaces, 3) and (workplaces,); got"
ROWS = "Give one row of worker cells and one largest total size a workplace."

COLUMNS = [
    (lambda: SLOPE.release([-SECRET], [1]), f"counts: {RANGE}"),
    (lambda: SLOPE.release([1], [-SECRET]), f"largest: {RANGE}"),
    (lambda: SLOPE.release([2**61 + SECRET], [1]), f"counts: {RANGE}"),
    *(
        (
            lambda column=column: SLOPE.release([column], [1]),
            f"counts: must be whole numbers; got an array of {kind}. {WHOLE}",
        )
        for column, kind in {
            SECRET + 0.5: "float64",
            True: "bool",
            str(SECRET): "<U8",
            SECRET**9: "object",
            None: "object",
        }.items()
    ),
    (
        lambda: SLOPE.release([SECRET, 1], [SECRET]),
        "counts, largest: must have the same shape; got (2,) and (1,). "
        "Give one largest establishment for each count.",
    ),
    (
        lambda: SLOPE.release([1], None),
        "largest: is needed by slope; got nothing. Give it as an integer array.",
    ),
    (
        lambda: LOG_LAPLACE.release(None, [1]),
        "counts: is needed: log_laplace releases counts; got nothing. "
        "Give the counts as an integer array.",
    ),
    (
        lambda: EDGE.release(None, None),
        "counts: is needed: edge_laplace releases counts; got nothing. "
        "Give the counts as an integer array.",
    ),
    (
        lambda: BLOCK.mean_abs_error(None),
        "largest: is needed by vector_pareto; got nothing. Give it as an integer array.",
    ),
    (
        lambda: PARETO.mean_abs_error([SECRET, 2], [SECRET]),
        "counts, largest: must have the same shape; got (1,) and (2,). "
        "Give one largest establishment for each count.",
    ),
    (
        lambda: additive("slope", epsilon=8, cells=8).release([SECRET] * 7, [SECRET] * 7),
        "counts: must have 8 cells in the last dimension; got shape (7,). "
        "Give counts and largest as (workplaces, cells).",
    ),
    (lambda: BLOCK.release([[SECRET] * 2], [SECRET]), f"{BLOCKS} (1, 2) and (1,). {ROWS}"),
    (lambda: BLOCK.release([[SECRET] * 3], [SECRET, 1]), f"{BLOCKS} (1, 3) and (2,). {ROWS}"),
    (lambda: BLOCK.release([[SECRET] * 3], None), f"{BLOCKS} (1, 3) and (0,). {ROWS}"),
    (
        lambda: additive("node_laplace").release([SECRET], [SECRET]),
        "largest: must be at most theta = 200: larger establishments are dropped; "
        "got a larger establishment (not shown). "
        "Count only the establishments that keeps(sizes) marks.",
    ),
    (
        lambda: CLIPPED.release([[SECRET, 7]], [SECRET + 6], [0]),
        "sizes: must count all jobs of an establishment, at least those in its worker cells; "
        "got a smaller number (not shown). "
        "Count every job of the establishment, whatever the table's filter.",
    ),
    (
        lambda: CLIPPED.release([[SECRET]], [SECRET], [0]),
        "counts, sizes: must have the shapes (establishments, 2) and (establishments,); "
        "got (1, 1) and (1,). Give one row of worker cells and all jobs of each establishment.",
    ),
    (
        lambda: SLOPE.quantile("1", SECRET),
        "p: must be above 0 and below 1; got '1'. Use '0.9' for 90 percent.",
    ),
    (
        lambda: SLOPE.quantile(float("nan"), SECRET),
        "p: must be above 0 and below 1; got nan. Use '0.9' for 90 percent.",
    ),
]


@pytest.mark.parametrize(("ask", "answer"), COLUMNS, ids=[row[1][:60] for row in COLUMNS])
def test_columns_that_cannot_work_are_refused_without_showing_them(
    ask: Callable[[], object], answer: str
) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        ask()
    assert str(refusal.value) == answer
    for text in (str(refusal.value), repr(refusal.value), str(vars(refusal.value))):
        assert str(SECRET) not in text


CLAIMS = [
    (
        lambda: SLOPE.guarantee("strong", table="worker"),
        NotCovered,
        "policy: slope on a worker table is proved for 'weak' only; got 'strong'. "
        "Use vector_pareto or clipped, which are proved for whole blocks of worker cells.",
    ),
    (
        lambda: SLOPE.guarantee("establishment"),
        NotCovered,
        "policy: slope on a workplace table is proved for 'strong', 'proportional' only; got "
        "'establishment'. "
        "Use node_laplace.",
    ),
    (
        lambda: additive("node_laplace").guarantee("weak"),
        NotCovered,
        "policy: node_laplace on a workplace table is proved for 'establishment' only; "
        "got 'weak'. Use slope for workplace tables, vector_pareto or clipped for worker tables.",
    ),
    (
        lambda: SLOPE.guarantee("stronk"),
        InvalidParameter,
        "policy: must be one of worker, person, establishment, strong, weak, proportional; "
        "got 'stronk'. Did you mean 'strong'?",
    ),
    (
        lambda: SLOPE.guarantee("strong", table="job"),
        InvalidParameter,
        "table: must be one of workplace, worker, joint, gains, pay, worker_pay; got 'job'. "
        "A table with a worker attribute or a filter on workers is a worker table.",
    ),
]


@pytest.mark.parametrize(("ask", "kind", "answer"), CLAIMS, ids=[row[2][:60] for row in CLAIMS])
def test_guarantees_that_nothing_proves_are_refused(
    ask: Callable[[], object], kind: type[LeewardError], answer: str
) -> None:
    with pytest.raises(LeewardError) as refusal:
        ask()
    assert type(refusal.value) is kind
    assert str(refusal.value) == answer
