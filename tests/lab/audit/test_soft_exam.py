"""The theorem of the soft staircase with constants that nothing but its conditions bounds."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from leeward.core.exact import SLACK
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.soft_staircase import SoftStaircase
from leeward.core.mechanisms.soft_stairs import SoftStairs
from leeward.core.randomness import SeededBits
from leeward.lab.audit.exams import examine_scalar, scalar, workplace_view
from leeward.lab.audit.job_relation import ONE_JOB
from leeward.lab.audit.neighbours import QUICK, DatabasePair, most
from leeward.lab.audit.soft_exam import SOFT_CONTROLS

SETTINGS = [
    ("0.2", "0.9", "0.3"),
    ("0.31", "2.2", "0.9"),
    ("0.1", "4", "4/3"),
    ("0.5", "6", "2"),
    ("1.3", "5", "2"),
    ("0.1", "0.35", "0.1"),
]


Draw = Callable[[int, int], int]


def draws(seed: int) -> Draw:
    """Whole numbers from the first to below the second, the same every time."""
    generator = SeededBits(seed).generator
    return lambda low, high: int(generator.integers(low, high))


def random_stairs(draw: Draw, alpha: Fraction, epsilon: Fraction, job: Fraction) -> SoftStairs:
    """Any constants with N₀ ≥ 0, any floor from q on, any numbers of steps."""
    count = -(-epsilon // job)
    while True:
        floor = count + Fraction(draw(0, 600), 100)
        stairs = SoftStairs.of(alpha, epsilon * (1 - SLACK), job * (1 - SLACK), floor)
        left, right = (Fraction(draw(0, 65), 128) for _ in range(2))
        down = draw(1, max(2, int(2 / alpha - left) + 2))
        while down > 1 and (down - 1 + left) * alpha > 2:
            down -= 1
        stairs = replace(
            stairs,
            up=draw(1, 6),
            down=down,
            left=left,
            right=right,
            before=Fraction(draw(0, 300), 100),
            behind=Fraction(draw(1, 300), 100),
        )
        if stairs.grows():
            return stairs


@pytest.mark.parametrize("setting", SETTINGS, ids="-".join)
def test_any_constants_of_the_theorem_keep_both_bounds(setting: tuple[str, str, str]) -> None:
    alpha, epsilon, job = map(Fraction, setting)
    draw = draws(SETTINGS.index(setting))
    usual = mechanism("soft_staircase", alpha="0.1", epsilon="4", epsilon_job="1")
    assert isinstance(usual, SoftStaircase)
    for _ in range(3):
        stairs = random_stairs(draw, alpha, epsilon, job)
        parameters = replace(
            usual.parameters, alpha=alpha, epsilon=epsilon, epsilon_job=job, least=stairs.plus
        )
        made = SoftStaircase(parameters, stairs.law(stairs.large), stairs)
        assert examine_scalar(made, ONE_JOB, QUICK).epsilon <= float(job)
        kink = int(stairs.least)
        steps = [
            DatabasePair.of((size,), (max(after, size + 1),), *others)
            for size in (0, kink, kink + 1, kink + draw(2, 50), 1000)
            for after in (most(alpha, size, int(stairs.plus)), size + int(stairs.plus))
            for others in ((), ((size + size // 3,),))
        ]
        assert scalar(workplace_view(made), steps, epsilon).epsilon <= float(epsilon)


def test_every_twin_is_about_what_it_leaves_out() -> None:
    assert len({control.defect for control in SOFT_CONTROLS}) == len(SOFT_CONTROLS) == 9
    for control in SOFT_CONTROLS:
        assert control.row(QUICK).ratio > 1.005, control.defect
