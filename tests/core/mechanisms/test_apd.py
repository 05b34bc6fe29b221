"""The least ε of a target: closed forms, the table of mathematics/pay.md 8, the noise itself."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.apd import ApdTarget
from leeward.core.mechanisms.pay import PayMechanism

USUAL = ApdTarget.read("APD 10 % in 90 %")
SIZES = (10, 20, 30, 50, 100, 200)


def test_counts_are_those_of_the_table_and_of_the_closed_forms() -> None:
    """To the digits of the table, and from above."""
    found = [float(USUAL.count(size)) for size in SIZES]
    assert [round(one, 3) for one in found] == [1.386, 0.883, 0.643, 0.415, 0.219, 0.112]
    for often, size, wanted in (("90", 9, log(19)), ("90", 10, log(4)), ("50", 9, log(3))):
        least = float(ApdTarget.read(f"APD 10 % in {often} %").count(size))
        assert 0 <= least / wanted - 1 < 1e-11


@pytest.mark.parametrize("size", [7, 30, 230])
def test_counts_reach_the_target_and_a_little_less_does_not(size: int) -> None:
    """By the masses of two-sided geometric noise, added up one by one."""
    least = float(USUAL.count(size))
    for epsilon, reached in ((least, True), (0.9999 * least, False)):
        x = exp(-epsilon)
        kept = sum(x ** abs(j) for j in range(-(size // 10), size // 10 + 1)) * (1 - x) / (1 + x)
        assert (kept >= 0.9 - 1e-9) == reached


@pytest.mark.parametrize(
    ("cap", "printed"),
    [(3, (5.13, 2.57, 1.71, 1.03, 0.51, 0.26)), (5, (9.45, 4.72, 3.15, 1.89, 0.94, 0.47))],
)
def test_means_are_those_of_the_table(cap: int, printed: tuple[float, ...]) -> None:
    found = [float(USUAL.mean_and_count(size, cap)) for size in SIZES]
    for mine, theirs in zip(found, printed, strict=True):
        assert mine == pytest.approx(theirs, rel=0.01, abs=0.005)


@pytest.mark.parametrize(("cap", "size"), [(3, 30), (Fraction(6, 5), 40)])
def test_drawn_means_and_counts_reach_the_target(cap: Fraction, size: int) -> None:
    """To first order: a point is left for the noise of the count below the payroll."""
    draws, pay = 20_000, 60_000
    built = mechanism("edge_pay", epsilon=USUAL.mean_and_count(size, cap), cap=int(cap * pay))
    assert isinstance(built, PayMechanism)
    one = np.full(draws, size, dtype=np.int64)
    jobs, payroll = built.release(one, one * pay, one)[:, 0].T
    with np.errstate(all="ignore"):
        mean = np.abs(payroll / jobs / pay - 1) <= 0.1
    count = np.abs(jobs - size) <= size // 10
    noise = 4 * (0.09 / draws) ** 0.5
    assert min(mean.mean(), count.mean()) == pytest.approx(0.9, abs=0.01 + noise)


@pytest.mark.parametrize("written", ["APD 10% in 90%", " APD 10 %  in 90.0 % "])
def test_a_target_is_read_as_people_write_it(written: str) -> None:
    assert ApdTarget.read(written) == USUAL
    assert str(USUAL) == "APD 10 % in 90 %"


@pytest.mark.parametrize(
    "written",
    ["10 % in 90 %", "APD 10 in 90", "APD 0 % in 90 %", "APD 101 % in 9 %", "APD 1 % in 100 %", ""],
)
def test_another_text_is_refused(written: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        ApdTarget.read(written)
    assert str(refusal.value) == (
        "--target: must be an error of at most 100 % in less than 100 % of all cases, both above "
        f"0, such as 'APD 10 % in 90 %'; got {written!r}. Write --target 'APD 10 % in 90 %' with "
        "the percentages that you need."
    )


def test_sizes_and_caps_that_cannot_be_planned_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="size: must be a whole number of jobs from 1"):
        USUAL.count(0)
    with pytest.raises(InvalidParameter, match="cap: must be at least 1 mean pay"):
        USUAL.mean_and_count(30, "0.9")
    with pytest.raises(InvalidParameter, match="--target: must be within reach of an epsilon"):
        USUAL.mean_and_count(1, 1000)
    assert USUAL.count(10**9) == Fraction(1, 10**6)
