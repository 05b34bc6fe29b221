"""The errata of the slides of 2016, shown; those that the text of 2015 shares with them too."""

from fractions import Fraction
from itertools import product
from math import ceil, comb, exp, log, sqrt

import numpy as np
import pytest
from flint import arb

import leeward
from leeward.core.noise.law import laplace
from leeward.core.privacy import StrongAlpha, WeakAlpha, over_workers
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit.controls import parallel_cells
from leeward.lab.audit.loss import laplace_loss, pure_loss
from leeward.lab.audit.neighbours import QUICK
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.recording import released
from tests.errata.conftest import PAGE, Row
from tests.errata.measured import ALPHA, EPSILON, alone, block_loss, loss, made, steps

STRONG, WEAK = StrongAlpha(), WeakAlpha()


def test_weak_neighbours_need_the_plus_one(row: Row) -> None:
    def printed(before: Counts, after: Counts) -> bool:
        return sum(after) <= max((1 + ALPHA) * sum(before), Fraction(1))

    assert not printed((5,), (6,))
    assert WEAK.admits(Database.of((5,)), Database.of((6,)), ALPHA)
    assert printed((0,), (1,))
    assert row.prints("φ(E)+1")


def test_two_values_of_a_person_are_two_steps_apart(row: Row) -> None:
    assert not STRONG.admits(Database.of((1, 0)), Database.of((0, 1)), ALPHA)
    assert STRONG.admits(Database.of((1, 0)), Database.of((1, 1)), ALPHA)
    assert STRONG.admits(Database.of((0, 1)), Database.of((1, 1)), ALPHA)
    edge = made("edge_laplace")
    leaves, joins = loss(edge, (1, 0), (0, 0)), loss(edge, (0, 0), (1, 0))
    assert leaves + joins == pytest.approx(2 * float(EPSILON), abs=1e-9)
    assert row.prints("2ε")


def test_worker_cells_do_not_compose_in_parallel(row: Row) -> None:
    assert STRONG.admits(Database.of((50, 50)), Database.of((55, 55)), ALPHA)
    assert STRONG.admits(Database.of((50,)), Database.of((55,)), ALPHA)
    expected = 8 * log(120 / 110) / (2 * log(1.1))
    assert float(parallel_cells(QUICK).epsilon) == pytest.approx(expected, rel=1e-2)
    cell = made("log_laplace").guarantee("weak", table="worker")
    assert over_workers(*[cell] * 8).epsilon == 8 * EPSILON
    assert row.prints(f"{expected:.2f} ε")


def test_smooth_gamma_dilation_exceeds_its_stated_half(row: Row) -> None:
    widest = Fraction(round((exp(0.25) - 1) * 10**9) - 1, 10**9)
    gamma = made("smooth_gamma", alpha=widest, calibration="published")
    size = 10**7
    grown = int((1 + widest) * size)
    dilation = loss(gamma, (0, size), (0, grown))
    assert dilation == pytest.approx(3 * log(1 + widest), rel=1e-4)
    assert dilation > 0.7 * float(EPSILON)
    whole = loss(gamma, (0, size), (grown - size, grown))
    usual = made("smooth_gamma", calibration="published")
    tenth = loss(usual, (0, size), (size // 10, 11 * size // 10))
    assert row.prints(f"{dilation:.2f} ε", f"{whole:.3f} ε", f"{tenth:.3f} ε")


def test_smooth_laplace_delta_is_misstated(row: Row) -> None:
    stated = exp(-1 / (2 * log(1.1)))
    published = made("smooth_laplace", delta="0.01", calibration="published")
    before, after = (released(published, *s) for s in ((0, 10**6), (10**5, 11 * 10**5)))
    exact = float(laplace_loss(before, after, EPSILON).delta)
    allowed = exp(-30 / (2 * log(2)))
    printed = [Rounded(n, laplace(), Fraction(2 * n, 30)) for n in (10**6, 2 * 10**6)]
    true = float(laplace_loss(printed[0], printed[1], Fraction(30)).delta)
    assert true > 90 * allowed
    assert row.prints(f"{stated / exact:.0f} times")
    assert row.prints(f"{allowed * 1e10:.1f}·10⁻¹⁰", f"{true * 1e8:.1f}·10⁻⁸")
    with pytest.raises(leeward.InvalidParameter, match=r"smallest delta that works here is 3\.8"):
        made("smooth_laplace", alpha=1, epsilon=30, delta="5e-10", calibration="published")


def test_the_size_requirement_has_a_ceiling(row: Row) -> None:
    assert ceil((1 + ALPHA) * 15) == 17
    assert not STRONG.admits(Database.of((15,)), Database.of((17,)), ALPHA)
    assert steps(15, 17) == 2
    slope, pareto = made("slope"), made("vector_pareto")
    one, two = alone(slope, 15, 16), alone(slope, 15, 17)
    assert one <= EPSILON < two
    assert alone(pareto, 15, 17) == pytest.approx(two, abs=1e-9)
    found, bound = block_loss(made("vector_pareto", cells=2), (15, 0), (17, 0))
    assert EPSILON < found <= bound < 2 * EPSILON
    assert row.prints(f"{one:.4f}", f"{two:.4f}", f"{found:.4f}")


def test_the_size_requirement_counts_where_joiners_come_from(row: Row) -> None:
    slope = made("slope")
    here, there = (
        pure_loss(released(slope, x, x), released(slope, y, y), EPSILON)
        for x, y in ((100, 110), (10, 0))
    )
    assert here.epsilon <= 1
    both = float(here.plus(there).epsilon)  # cells of different establishments: independent noise
    assert both == pytest.approx(11, abs=1e-6)
    assert row.prints(f"{both:.1f}", f"{float(there.epsilon):.0f}")
    assert steps(0, 10) == 10


def test_two_shapes_of_one_size_are_two_steps_apart(row: Row) -> None:
    before, after = (9091, 909), (10_000, 0)  # shares p and at most (1+α)p of the first kind
    assert sum(before) == sum(after)
    assert after[0] <= (1 + ALPHA) * before[0]
    assert not STRONG.admits(Database.of(before), Database.of(after), ALPHA)
    assert STRONG.admits(Database.of((9091, 0)), Database.of(before), ALPHA)
    assert STRONG.admits(Database.of((9091, 0)), Database.of(after), ALPHA)
    found, bound = block_loss(made("vector_pareto", cells=2), before, after)
    assert EPSILON < found <= bound < 2 * EPSILON
    assert row.prints(f"{found:.2f}", f"{bound:.2f}", f"{before[0]:,}", f"{after[0]:,}", "2ε")


def test_weak_does_not_hide_a_share(row: Row) -> None:
    before, after = (990, 10), (900, 100)
    assert sum(before) == sum(after)
    assert before[0] == (1 + ALPHA) * after[0], "the share of women is 1.1 times the other"
    # The table has ε = 1, each of its two cells a half of it.
    cell, whole = made("slope", cells=2), made("slope")
    women, men = (alone(cell, *pair) for pair in zip(before, after, strict=True))
    assert women <= EPSILON / 2
    assert men > 12 * EPSILON
    assert steps(10, 100) == 29
    assert row.prints(f"{men:.3f}", f"{women:.3f}", f"{women + men:.2f}", "29")
    assert row.prints(f"{alone(whole, 10, 100):.2f}")
    promise = PAGE.with_name("privacy-promise.md").read_text(encoding="utf-8")
    assert Row(promise).prints(f"e^{women + men:.2f}")
    # Where every kind stays within 1+α, each cell is one step.
    alike = [alone(cell, *pair) for pair in ((500, 525), (500, 475))]
    assert sum(alike) <= EPSILON


def test_weak_hides_one_worker_of_one_kind_not_of_every_kind(row: Row) -> None:
    before, after = (2, 2, 1, 1), (1, 1, 2, 2)
    both = tuple(min(pair) for pair in zip(before, after, strict=True))
    assert all(abs(a - b) == 1 for a, b in zip(before, after, strict=True))
    assert not WEAK.admits(Database.of(both), Database.of(before), ALPHA), (
        "the two kinds together grow from 2 to 4"
    )
    lost, _ = block_loss(made("vector_pareto", cells=4, epsilon=4), before, after)
    assert lost > 2 * 4
    assert row.prints(f"{lost / 4:.2f} ε")


def odds_of_size(epsilon: int, women: int, men: int) -> float:
    """How far these two numbers move the odds between 110 jobs and 100, by Bayes' rule.

    The attacker knows 100 men and 10 women, each equally likely to work there: 110 jobs are all
    of them, 100 jobs any hundred of them.
    """
    cell = made("slope", cells=2, epsilon=epsilon)

    def mass(working: int, shown: int) -> arb:
        return released(cell, working, working).mass((shown,))

    groups = ((k, comb(10, k) * comb(100, k)) for k in range(11))  # k women in, so k men out
    mixed = sum((ways * mass(k, women) * mass(100 - k, men) for k, ways in groups), arb(0))
    every = mass(10, women) * mass(100, men)
    return abs(float((every * comb(110, 100) / mixed).log()))


def test_weak_size_is_not_hidden_from_those_who_know_the_kinds(row: Row) -> None:
    assert STRONG.admits(Database.of((100,)), Database.of((110,)), ALPHA)
    small, large = odds_of_size(1, -5, 80), odds_of_size(4, -2, 90)
    assert small > 1
    assert large > 4
    assert row.prints(f"{small:.2f}", f"{large:.2f}")
    assert WEAK.admits(Database.of((10, 90)), Database.of((11, 99)), ALPHA), (
        "the same growth in each kind is one step"
    )
    assert not WEAK.admits(Database.of((0, 100)), Database.of((10, 100)), ALPHA)


def dilated(gamma: float, epsilon: float, *, shift: bool = True) -> float:
    """The loss, in ε, of 1/(1+|z|^γ) moved by ε/4γ and widened by e^(ε/γ), as in Lemma 8.6."""
    far = np.geomspace(20, 1e9, 4001)
    z = np.concatenate([-far, np.linspace(-20, 20, 80_001), far])
    moved = (z - (epsilon / (4 * gamma) if shift else 0)) * exp(-epsilon / gamma)
    narrow, wide = (np.log1p(np.abs(at) ** gamma) for at in (z, moved))
    return float(np.max(np.abs(narrow - wide - epsilon / gamma))) / epsilon


def test_admissible_exponents_are_few(row: Row) -> None:
    # For γ ≤ 1 there is no such law: each doubling of the range adds as much mass again.
    masses = [float(np.trapezoid(1 / (1 + (x := np.linspace(0, r, 10**5))), x)) for r in (1e3, 2e3)]
    assert masses[1] - masses[0] == pytest.approx(log(2), abs=1e-2)
    for gamma in (1.5, 3, 4, 8):
        assert dilated(gamma, 1, shift=False) == pytest.approx(max(1, gamma - 1) / gamma, abs=1e-3)
        assert dilated(gamma, 1, shift=False) > 0.51
    assert dilated(2, 1, shift=False) == pytest.approx(0.5, abs=1e-3)
    assert dilated(4, 1) == pytest.approx(0.811, abs=1e-3), "as the exact masses have it"
    assert all(dilated(g, e) < 1 for g, e in product((1.5, 2, 4, 7), (0.01, 0.1, 1)))
    small, seven, ten = dilated(8, 0.01), dilated(7, 0.01), dilated(10, 1)
    assert small > 1 > seven
    assert row.prints(f"{small:.3f} ε", f"{seven:.3f} ε", f"{ten:.3f} ε", f"{dilated(8, 1):.3f} ε")


def test_smooth_gamma_error_is_all_over_epsilon(row: Row) -> None:
    factor = 16 / sqrt(2)
    for epsilon in ("0.5", "1", "2"):
        gamma = made("smooth_gamma", epsilon=epsilon, calibration="published")
        # A job alone: αx is 0.1 and its floor 1 counts, over ε as well.
        assert gamma.mean_abs_error(1, 1) == pytest.approx(factor / float(epsilon), rel=1e-2)
        large = gamma.mean_abs_error(10**6, 10**6)
        assert large == pytest.approx(factor * 10**5 / float(epsilon), rel=1e-4)
    assert row.prints(f"{factor:.2f}")


def test_smooth_laplace_error_falls_with_epsilon(row: Row) -> None:
    for epsilon, delta in product((1, 2), ("0.01", "0.1")):
        published = made("smooth_laplace", epsilon=epsilon, delta=delta, calibration="published")
        assert published.mean_abs_error(10**6, 10**6) == pytest.approx(2 * 10**5 / epsilon, 1e-4)
        # One job alone has the floor 1; rounding to whole jobs takes a little of it.
        assert published.mean_abs_error(1, 1) == pytest.approx(2 / epsilon, rel=0.06)
    assert row.prints("2·max(αx, 1)/ε")
