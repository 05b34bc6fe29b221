"""Tables under a cap on one job: the floor of their noise, margins included."""

from fractions import Fraction

import pytest

from leeward import Guarantee, InvalidParameter
from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import TYPICAL
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.job_floor import STEP
from leeward.core.mechanisms.parameters import AUTO, Share
from leeward.core.mechanisms.scale import part_of_grid
from leeward.core.mechanisms.table_measurement import measurement, named
from leeward.lab.audit.audit_line import TableLine

CAP = Guarantee("strong", "0.1", 4, epsilon_job=1)
TENTH = Fraction(1, 10)


def table(cells: int = 1, statistic: str | None = None) -> Marginal:
    return TableLine("slope", cells=cells, statistic=statistic).marginal


@pytest.mark.parametrize(
    ("name", "marginal", "policy", "margins"),
    [
        ("slope", table(), "strong", None),
        ("slope", table(), "strong", TENTH),
        ("slope", table(2), "weak", TENTH),
        ("soft_staircase", table(), "strong", None),
        ("soft_staircase", table(), "strong", TENTH),
        ("soft_staircase", table(2), "weak", TENTH),
        ("vector_pareto", table(), "strong", TENTH),
        ("vector_pareto", table(2), "strong", TENTH),
        ("vector_pareto", table(2, "gains"), "strong", TENTH),
        ("vector_pareto", table(4, "flows"), "strong", TENTH),
        ("vector_pareto", table(2, "percentiles"), "strong", TENTH),
        ("clipped", table(8), "strong", AUTO),
        ("smooth_gamma", table(), "strong", TENTH),
        ("log_laplace", table(), "strong", AUTO),
        ("pay_centred", table(1, "payroll"), "strong", TENTH),
        ("pay_clipped", table(1, "mean"), "strong", AUTO),
        ("pay_two_scales", table(1, "mean"), "proportional", TENTH),
        ("log_pair", table(1, "mean"), "proportional", AUTO),
        ("payroll_slope", table(1, "payroll"), "proportional", TENTH),
    ],
)
def test_values_and_margins_together_keep_the_cap(
    name: str, marginal: Marginal, policy: str, margins: Share
) -> None:
    asked = Guarantee(policy, "0.1", 4, epsilon_job=1)
    made = measurement(name, marginal, asked, margins)
    least, rule = made.parameters.least, made.margins
    paid = made.guarantee(policy, table=marginal.kind)
    assert paid.epsilon == 4
    assert paid.epsilon_job <= 1
    assert paid.plus == 1
    assert made.parameters.epsilon_job == 1 - rule.epsilon_job
    assert made.constants()["least"] == str(least)
    if margins == TENTH:
        cells = 2 if policy == "weak" else 1
        assert rule.epsilon_job == Fraction(4, 10) / cells * part_of_grid(made.parameters)
    # A floor that is smaller by one step of the grid is not enough.
    mechanism = getattr(made, "mechanism", None) or made.classes.mechanism  # type: ignore[attr-defined]
    less = mechanism.at_floor(least - STEP)
    paid_margins = rule.epsilon_job / part_of_grid(made.parameters) * part_of_grid(less.parameters)
    assert less.one_job()[0] + paid_margins > 1


def test_a_budget_in_rho_has_a_cap_of_its_own() -> None:
    asked = Guarantee("strong", "0.1", 0, rho="0.2", rho_job="0.01")
    made = measurement("clipped", table(2), asked, AUTO)
    assert made.guarantee("strong", table="worker").rho_job <= Fraction(1, 100)
    assert made.parameters.least > 4


def test_without_a_cap_nothing_changes() -> None:
    for name, marginal in (("slope", table()), ("clipped", table(2))):
        made = measurement(name, marginal, Guarantee("strong", "0.1", 4), TENTH)
        assert made.parameters.least == 1
        assert made.parameters.epsilon_job is None
        assert made.guarantee("strong", table=marginal.kind) == Guarantee("strong", "0.1", 4)


def test_auto_takes_what_keeps_both_numbers() -> None:
    chosen, why = choose(table(), CAP, None, TYPICAL)
    assert (chosen.name, chosen.parameters.least) == ("soft_staircase", Fraction(4))
    assert chosen.guarantee("strong", table="workplace").epsilon_job <= 1
    assert "staircase needs more for one job" in why


def test_a_cap_that_a_mechanism_cannot_keep_names_the_table() -> None:
    with pytest.raises(InvalidParameter) as refusal:
        named("staircase", table(), CAP, None)
    assert refusal.value.parameter == "epsilon_job"
    assert refusal.value.value == "1 for table table"
    assert refusal.value.next_step.startswith("Give one job at least 4 here")


def test_small_caps_meet_the_grid_of_the_scale() -> None:
    dear = Guarantee("strong", "0.1", 4, epsilon_job="0.01")  # margins of 2/5 cost 1/80 at least
    with pytest.raises(InvalidParameter) as refusal:
        measurement("slope", table(), dear, TENTH)
    assert refusal.value.parameter == "epsilon_job"
    assert measurement("slope", table(), dear, None).parameters.least > 400
