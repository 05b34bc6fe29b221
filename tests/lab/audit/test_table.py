"""What the table says, against mathematics/slope.md 2 and mathematics/auditing.md 2."""

import doctest
import json
from fractions import Fraction
from math import exp, inf, log

import pytest

from leeward.core.mechanisms.registry import REGISTRY
from leeward.lab.audit import CONTROLS, LINES, Row, audit
from leeward.lab.audit.independence import BETWEEN_CELLS
from leeward.lab.audit.radial_controls import SLIPS
from leeward.lab.audit.row import CONFIRMED, REJECTED
from leeward.systems.local.channel_choice import METHODS
from tests.core.mechanisms.built import clipped

KEYS = {
    "mechanism",
    "calibration",
    "policy",
    "alpha",
    "epsilon_claimed",
    "epsilon_computed",
    "delta_computed",
    "tight",
    "verdict",
    "control",
}

WITHOUT_NUMBERS = ("randomised", "unary")
"""Channels that draw no whole numbers."""

DEFECTS = {
    ("slope", "tables that overlap priced as if apart"),
    ("vector_pareto", "filters on workers taken to keep apart"),
    ("edge_laplace", "noise for one job only"),
    ("edge_laplace", "two periods of a person booked as one"),
    ("edge_laplace", "two kept codes taken for one row"),
    ("edge_laplace", "a limit that is not enforced"),
    ("smooth_gamma", "scale αx without its floor at 1"),
    ("slope", "slope on a worker cell, A from the cell"),
    ("slope", "slope on a filtered count, A from all jobs"),
    ("log_laplace", "eight worker cells booked in parallel"),
    ("clipped", "clipped by the covered jobs"),
    ("clipped", "lattice rounding without its allowance"),
    ("clipped", "noise of the sums halved"),
    ("clipped", "θ without its +1"),
    ("clipped", "a split that depends on the data"),
    ("clipped", "a headroom that depends on the data"),
    ("clipped", "a class of the establishments that have jobs"),
    ("slope", "Δ/α rounded down to whole jobs"),
    ("staircase", "the law of large sizes too early"),
    ("vector_pareto", "a fresh radius for every cell"),
    ("vector_pareto", "x of jobs that began or ended"),
    ("clipped", "a net change that never turns"),
    ("joint_pareto", "the dimension p forgotten"),
    *(("radial_slope", defect) for defect in (*SLIPS, "F' up to 1.05 ε")),
    *(
        (name, defect)
        for name in ("joint_radial", "pay_radial")
        for defect in ("the dimension p forgotten", "the first piece left out")
    ),
    ("joint_pareto", "every table drawn by itself"),
    ("joint_pareto", "a cell of each table without noise"),
    ("joint_clipped", "a headroom that depends on the data"),
    ("joint_clipped", "lattice rounding without its allowance"),
    ("joint_clipped", "noise of the sums halved"),
    ("infusion", "input noise infusion"),
    ("scale", "a part of a grid step for one job"),
    ("slope", "twice the size booked as ln 2/α steps"),
    *(
        (name, "the floor of Δ = 1 with what one job costs at 5")
        for name in ("slope", "clipped", "vector_pareto", "joint_pareto")
    ),
    ("slope", "a frame derived from the jobs"),
    ("float_laplace", "Laplace noise in floating point"),
    ("smooth_laplace", "printed δ at large ε"),
    ("slope", "margins of the true scale"),
    ("slope", "two scales, one booked"),
    ("moments", "rows taken for 4 long"),
    ("employer_moments", "rows taken for 4.5 apart"),
    ("employer_moments", "sizes without the rows left out"),
    ("theil_sen", "a rank for ε/2"),
    ("dirichlet", "half the prior"),
    ("dirichlet", "as many synthetic homes as workers"),
    *((name, "p rounded up") for name in METHODS),
    *(
        (name, "numbers of 16 bits, none rejected")
        for name in METHODS
        if name not in WITHOUT_NUMBERS
    ),
    ("subset_selection", "whole numbers without rejection"),
    ("pay_pareto", "a word used in two cells"),
    ("row_counts", "noise for half of the sets"),
    ("row_choice", "the data's own margins in the score"),
    *((name, "floor 1 while Δ = 5 is promised") for name in ("clipped", "slope")),
    ("slope", "x of the largest establishment while the unit is the employer"),
    ("clipped", "establishments clipped one by one while the unit is the employer"),
    ("staircase", "steps higher by a tenth"),
    ("staircase", "left steps of ε"),
    ("staircase", "first left step of ε"),
    ("staircase", "γ of endless steps"),
    ("soft_staircase", "left steps of ε in all"),
    ("soft_staircase", "left steps of ε_job"),
    ("soft_staircase", "left steps .9 of a job apart"),
    ("soft_staircase", "steps higher by a tenth"),
    ("soft_staircase", "right steps .97 of a job apart"),
    ("soft_staircase", "tails of ε/λ"),
    ("soft_staircase", "a floor of q − 1"),
    ("soft_staircase", "N₀ below 0"),
    ("soft_staircase", "jobs that are not counted"),
    ("payroll_slope", "slope on payroll under strong"),
    ("payroll_slope", "the floor B forgotten"),
    ("payroll_slope", "count and payroll booked in parallel"),
    ("edge_pay", "count and payroll booked in parallel"),
    ("pay_clipped", "the cap is the largest pay observed"),
    ("pay_clipped", "weights min(1, θB/P)"),
    ("pay_two_scales", "calibrated for one scale"),
    ("pay_centred", "a pay change booked as one step"),
    ("slope", "jobs at no pay left out"),
    ("pay_pareto", "an exact count beside noisy payroll"),
    ("pay_pareto", "margins of the true scale"),
    ("pay_pareto", "two worker cells under proportional"),
    *((name, "draws of half the scale asked for") for name in ("clipped", "slope", "joint_pareto")),
    *(
        (name, "scale cut by 10 %")
        for name in (
            "slope",
            "log_laplace",
            "vector_pareto",
            "clipped",
            "scale",
            "edge_laplace",
            "joint_pareto",
            "radial_slope",
            "joint_radial",
            "pay_centred",
            "pay_centred_radial",
            "pay_pareto",
            "pay_radial",
            "pay_two_scales",
            "pay_clipped",
            "log_pair",
            "payroll_pareto",
            "payroll_radial",
            "payroll_slope",
            "edge_pay",
        )
    ),
}


def genuine(rows: list[Row], mechanism: str, policy: str = "strong", **wanted: str) -> list[Row]:
    found = [
        row
        for row in rows
        if not row.claim.control
        and not row.sampled
        and (row.claim.mechanism, row.claim.policy) == (mechanism, policy)
        and row.claim.calibration == wanted.get("calibration", "tight")
    ]
    assert found
    return found


def control(rows: list[Row], defect: str, mechanism: str) -> Row:
    (found,) = (
        row
        for row in rows
        if row.claim.control.startswith(defect)
        and row.claim.mechanism == mechanism
        and not row.sampled
    )
    return found


def at(rows: list[Row], alpha: str, epsilon: str) -> Row:
    (found,) = (
        row
        for row in rows
        if row.claim.alpha == Fraction(alpha) and row.claim.epsilon == Fraction(epsilon)
    )
    return found


def test_every_mechanism_is_examined_under_every_policy_it_is_proved_for(rows: list[Row]) -> None:
    proved = {
        (name, policy.name)
        for name, kind in REGISTRY.items()
        for policies in kind.claims.values()
        for policy in policies
    }
    examined = {(row.claim.mechanism, row.claim.policy) for row in rows if not row.claim.control}
    assert proved <= examined


def test_every_line_gives_rows(rows: list[Row]) -> None:
    examined = {
        (c.mechanism, c.calibration, c.policy, c.detail)
        for c in (row.claim for row in rows)
        if not c.control
    }
    assert len(examined) == sum(len(line.policies) for line in LINES if not line.deep)


def test_every_claim_is_confirmed(rows: list[Row]) -> None:
    for row in rows:
        if not row.claim.control:
            assert row.verdict == CONFIRMED, row


def test_every_control_is_rejected(rows: list[Row]) -> None:
    for row in rows:
        if row.claim.control:
            assert row.verdict == REJECTED, row


def test_no_known_defect_is_missing(rows: list[Row]) -> None:
    assert {(r.claim.mechanism, r.claim.control) for r in rows if r.claim.control} == DEFECTS
    sampled = {"clipped by the covered", "a split", "draws of", "a fresh radius"}
    # Three are examined by masses and by draws, and one at three ε.
    assert len(CONTROLS) == len(DEFECTS) + 5
    for defect in sampled:
        assert any(r.sampled and r.claim.control.startswith(defect) for r in rows)


@pytest.mark.parametrize(
    ("mechanism", "policy"),
    [
        ("slope", "strong"),
        ("staircase", "strong"),
        ("staircase", "weak"),
        ("soft_staircase", "strong"),
        ("soft_staircase", "weak"),
        ("log_laplace", "strong"),
        ("vector_pareto", "strong"),
        ("radial_slope", "strong"),
        ("radial_slope", "weak"),
        ("joint_radial", "strong"),
        ("joint_radial", "weak"),
        ("pay_radial", "proportional"),
        ("payroll_radial", "proportional"),
        ("clipped", "strong"),
        ("scale", "strong"),
        ("edge_laplace", "worker"),
        ("edge_laplace", "person"),
        ("node_laplace", "establishment"),
        ("moments", "worker"),
        ("employer_moments", "strong"),
        ("theil_sen", "worker"),
        ("dirichlet", "replacement"),
        ("row_counts", "worker"),
        ("row_choice", "worker"),
        *((name, "local") for name in METHODS),
        ("pay_two_scales", "proportional"),
        ("pay_clipped", "proportional"),
        ("log_pair", "proportional"),
        ("payroll_pareto", "proportional"),
        ("payroll_slope", "proportional"),
        ("edge_pay", "worker"),
    ],
)
def test_those_calibrated_to_equality_reach_it(
    rows: list[Row], mechanism: str, policy: str
) -> None:
    for row in genuine(rows, mechanism, policy):
        # At α = 1 the best integer k leaves the vector Pareto some room.
        if mechanism != "vector_pareto" or row.claim.alpha in (None, Fraction(1, 100)):
            assert row.tight, row
        if mechanism != "vector_pareto" or (row.claim.alpha or 0) <= Fraction(1, 10):
            assert 0.98 <= row.ratio <= 1, row


def test_the_published_log_laplace_uses_half_its_promise(rows: list[Row]) -> None:
    for row in genuine(rows, "log_laplace", calibration="published"):
        assert row.ratio == pytest.approx(0.5, abs=1e-6)
        assert not row.tight


def test_the_published_smooth_gamma_uses_three_eighths(rows: list[Row]) -> None:
    published = genuine(rows, "smooth_gamma", calibration="published")
    assert at(published, "0.1", "1").ratio == pytest.approx(0.375, abs=2e-3)


def test_the_published_smooth_laplace_states_45_times_too_much(rows: list[Row]) -> None:
    row = at(genuine(rows, "smooth_laplace", calibration="published"), "0.1", "1")
    growth, u, wider = log(1.1), 0.5, 1.1
    # Laplace(u, 1+α) exceeds e^ε·Laplace(0, 1) beyond these two points.
    right, left = ((1 + growth + side * u / wider) * wider / 0.1 for side in (-1, 1))
    wide = exp(-(right - u) / wider) + exp(-(left + u) / wider)
    exact = (wide - exp(1) * (exp(-right) + exp(-left))) / 2
    assert row.delta == pytest.approx(exact, rel=1e-5)
    assert float(row.claim.delta) == pytest.approx(exp(-1 / (2 * growth)))
    assert float(row.claim.delta) / exact == pytest.approx(44.6, abs=0.1)


def test_the_published_smooth_laplace_always_states_too_much(rows: list[Row]) -> None:
    factors = [
        float(row.claim.delta) / (row.delta or 0)
        for row in genuine(rows, "smooth_laplace", calibration="published")
    ]
    assert min(factors) > 3
    assert max(factors) > 400


def test_parallel_accounting_costs_what_the_counter_example_says(rows: list[Row]) -> None:
    row = control(rows, "eight worker cells", "log_laplace")
    assert row.ratio == pytest.approx(8 * log(120 / 110) / (2 * log(1.1)), abs=1e-6)
    assert row.ratio == pytest.approx(3.65, abs=5e-3)


def test_slope_on_a_filtered_count_costs_what_the_theorem_says(rows: list[Row]) -> None:
    row = control(rows, "slope on a filtered count", "slope")
    assert row.ratio == pytest.approx(2 - 0.1 / 1.1, abs=1e-6)


def test_a_cut_of_a_tenth_shows_as_a_tenth(rows: list[Row]) -> None:
    for name in ("slope", "log_laplace", "clipped", "scale", "edge_laplace", "edge_pay"):
        assert control(rows, "scale cut", name).ratio == pytest.approx(10 / 9, abs=1e-3)


def test_a_person_in_two_periods_loses_what_is_charged(rows: list[Row]) -> None:
    """Worker tables at ε each lose 2ε to a person who is in both; a person plan loses its ε."""
    for row in genuine(rows, "edge_laplace", "person"):
        assert row.ratio == pytest.approx(1, abs=1e-9)
    for defect in ("two periods of a person", "two kept codes", "a limit"):
        assert control(rows, defect, "edge_laplace").ratio == pytest.approx(2, abs=1e-9)


def test_json_rows_have_the_promised_keys_and_plain_values(rows: list[Row]) -> None:
    plain = [row.as_json() for row in rows]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    for values in plain:
        assert values.keys() >= KEYS
        assert values["verdict"] in (CONFIRMED, REJECTED)
        assert isinstance(values["control"], bool)
        assert isinstance(values["tight"], bool)


def test_an_infinite_loss_is_a_word(rows: list[Row]) -> None:
    values = control(rows, "input noise infusion", "infusion").as_json()
    assert values["epsilon_computed"] == "inf"
    for row in rows:
        epsilon = row.as_json()["epsilon_computed"]
        assert epsilon == "inf" or isinstance(epsilon, float) or row.loss.fault


def test_the_planted_faults_cost_what_they_cost(rows: list[Row]) -> None:
    """θ without its +1 at α = 1, ε = 4 and one cell, where an empty establishment gets a job."""
    assert control(rows, "θ without", "clipped").ratio == pytest.approx(1.123, abs=1e-3)
    assert control(rows, "clipped by the covered", "clipped").ratio == pytest.approx(
        3.742, abs=1e-3
    )
    halved = control(rows, "noise of the sums", "clipped").ratio  # ε₁ and twice ε₂
    split = clipped(alpha="0.1", epsilon=1, cells=8).split
    assert halved == pytest.approx(2 - float(split), abs=1e-4)
    assert control(rows, "a split", "clipped").ratio == inf
    assert control(rows, "a fresh radius", "vector_pareto").ratio > 1.9


def test_faults_of_pay_cost_what_they_cost(rows: list[Row]) -> None:
    """mathematics/auditing.md 3, at α = 0.1."""
    under_strong = 2 - 0.1 / 1.1
    for defect, mechanism, ratio in (
        ("slope on payroll", "payroll_slope", under_strong),
        ("the floor B", "payroll_slope", 11.53),
        ("count and payroll", "payroll_slope", 2),
        ("count and payroll", "edge_pay", 2 - 1 / 120),  # masses of whole jobs
        ("a pay change", "pay_centred", 1.7161),
        ("jobs at no pay", "slope", under_strong),
    ):
        assert control(rows, defect, mechanism).ratio == pytest.approx(ratio, abs=4e-3), defect
    assert control(rows, "two worker cells", "pay_pareto").ratio > 1.5
    for defect, mechanism in (
        ("the cap is", "pay_clipped"),
        ("an exact count", "pay_pareto"),
        ("margins of", "pay_pareto"),
    ):
        assert control(rows, defect, mechanism).ratio == inf
    one_scale = [row for row in rows if row.claim.control == "calibrated for one scale"]
    for row in one_scale:
        assert row.ratio == pytest.approx(1 + log(1.1) / float(row.claim.epsilon), abs=1e-6)
    assert [round(row.ratio, 2) for row in one_scale] == [1.19, 1.10, 1.05]


def test_mechanisms_of_pay_reach_their_promise(rows: list[Row]) -> None:
    """Where the largest establishment grows too; a raise alone moves less than S."""
    found = [row for name in ("pay_centred", "pay_pareto") for row in genuine(rows, name)]
    for row in found:
        assert row.ratio > 0.99 or "raises" in row.claim.detail


def test_radial_slopes_with_other_numbers_cost_what_they_cost(rows: list[Row]) -> None:
    """At α = 0.1 and ε = 4, in eight dimensions; pay at ε = 1."""
    growth = log(1.1)
    assert control(rows, "dilation half", "radial_slope").ratio == pytest.approx(2, abs=1e-6)
    thin = control(rows, "the tail of", "radial_slope").ratio
    assert thin == pytest.approx(1 + 7 * growth / 4, abs=1e-4)
    for name, p, epsilon in (("radial_slope", 8, 4), ("joint_radial", 5, 4), ("pay_radial", 2, 1)):
        early = control(rows, "the first piece", name).ratio
        assert 1.02 < early <= (p * growth + epsilon * growth / 0.1) / epsilon
    assert control(rows, "F' up to", "radial_slope").ratio == pytest.approx(1.024, abs=1e-3)


def test_stairs_with_other_constants_cost_what_they_cost(rows: list[Row]) -> None:
    """mathematics/auditing.md 2: 1.048, 1.003 and 1.0035."""
    assert control(rows, "steps higher", "staircase").ratio == pytest.approx(1.1, abs=1e-6)
    unpaid = control(rows, "left steps", "staircase").ratio
    assert unpaid == pytest.approx(1 + log(1.1) / 2, abs=1e-6)
    assert control(rows, "first left step", "staircase").ratio == pytest.approx(1.003, abs=5e-4)
    assert control(rows, "γ of", "staircase").ratio == pytest.approx(1.0035, abs=5e-5)


def test_soft_stairs_with_other_constants_cost_what_they_cost(rows: list[Row]) -> None:
    """Of ε_job, or of ε where the row is about a size."""
    costs = {
        "left steps of ε in all": 1.024,
        "left steps of ε_job": 1.0055,
        "left steps .9": 1.19,
        "steps higher": 1.1,
        "right steps .97": 1.087,
        "tails of ε/λ": 1.049,
        "a floor of q": 1.987,
        "N₀ below 0": 1.017,
        "jobs that are not counted": 1.95,
    }
    for defect, ratio in costs.items():
        assert control(rows, defect, "soft_staircase").ratio == pytest.approx(ratio, rel=0.01)


def test_every_mechanism_is_run_as_it_is_released(rows: list[Row]) -> None:
    drawn = [row for row in rows if row.sampled]
    run = {
        row.claim.mechanism
        for row in drawn
        if row.claim.detail.endswith("released code") and not row.claim.control
    }
    assert run == set(REGISTRY)
    assert {row.claim.mechanism for row in drawn if row.claim.policy == "local"} == set(METHODS)
    for row in drawn:
        assert row.claim.detail.endswith(("released code", BETWEEN_CELLS)) or (
            row.claim.detail.startswith("reports")
        )
        assert not row.tight


def test_only_policies_with_growth_show_alpha(rows: list[Row]) -> None:
    for row in rows:
        assert (row.as_json()["alpha"] is None) == (
            row.claim.policy in ("worker", "person", "establishment", "replacement", "local")
        )


def test_the_example_of_the_function_runs(rows: list[Row]) -> None:
    """On the rows of the one audit of all tests."""
    given = {"audit": lambda *, quick: rows if quick else []}
    (example,) = doctest.DocTestFinder(recurse=False).find(audit, "audit", globs=given)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert (runner.tries, runner.failures) == (3, 0)
