"""`protect.epsilon_job`: what one job may cost beside what a size may cost."""

from fractions import Fraction
from typing import Any

import pytest

import leeward
from leeward.core.errors import LeewardError
from leeward.core.privacy import Guarantee
from leeward.interface.web.plan_form import OPTIONAL
from leeward.interface.web.plan_view import PROTECT
from leeward.publishing.plan.planned_table import curve_of, part_of
from leeward.publishing.plan.predicted import plan_lines
from leeward.publishing.plan.reading import read_protection
from leeward.publishing.plan.request import WrittenProtection


def protection(**protect: str) -> Guarantee:
    return read_protection(WrittenProtection(**{"policy": "strong", "alpha": "0.1", **protect}))


def test_both_numbers_are_read_exactly() -> None:
    both = protection(epsilon="4", epsilon_job="1/3")
    assert both == Guarantee("strong", "0.1", 4, epsilon_job="1/3")
    assert protection(epsilon="4", epsilon_job="4") == protection(epsilon="4")
    part = part_of(both, Fraction(1, 4), None)
    assert part == Guarantee("strong", "0.1", 1, epsilon_job="1/12")


@pytest.mark.parametrize(
    ("protect", "says"),
    [
        (
            {"epsilon": "4", "epsilon_job": "5"},
            "epsilon_job: must be above 0 and at most epsilon, 4: one job more is one step; got 5. "
            "Give a smaller epsilon_job, or leave it out: then one job costs epsilon.",
        ),
        (
            {"epsilon": "4", "epsilon_job": "0"},
            "epsilon_job: must be above 0 and at most epsilon, 4: one",
        ),
        (
            {"epsilon": "4", "epsilon_job": "-1"},
            "epsilon_job: must be above 0 and at most epsilon, 4: one",
        ),
        ({"epsilon": "4", "epsilon_job": "1,5"}, "epsilon_job: must be a number such as 4, 0.1"),
        (
            {"rho": "0.2", "delta": "1e-9", "epsilon_job": "1"},
            "epsilon_job: must be left out beside rho: what one job may cost is part of an "
            "epsilon; got 1. Leave it out.",
        ),
    ],
)
def test_what_is_rejected(protect: dict[str, str], says: str) -> None:
    with pytest.raises(LeewardError) as refused:
        protection(**protect)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("policy", ["worker", "person", "establishment"])
def test_it_needs_an_alpha(policy: str) -> None:
    with pytest.raises(LeewardError) as refused:
        read_protection(WrittenProtection(policy=policy, epsilon="4", epsilon_job="1"))
    assert str(refused.value) == (
        f"epsilon_job: has a meaning beside an alpha only: under the {policy} policy one job costs "
        f"{8 if policy == 'establishment' else 4}; got 1. Leave it out."
    )


def request(**table: str) -> dict[str, Any]:
    return {
        "codebook": {
            "attributes": {
                "place": {"table": "workplaces", "public": True, "codes": ["01", "02"]},
            }
        },
        "account": "office",
        "period": "2026Q2",
        "protect": {"policy": "strong", "alpha": "0.1", "epsilon": "4", "epsilon_job": "1"},
        "tables": [{"name": "by_place", "by": ["place"], **table}],
    }


def test_a_mechanism_that_costs_one_job_more_is_rejected() -> None:
    with pytest.raises(LeewardError, match="epsilon_job: must be at least"):
        leeward.read_plan(request(mechanism="staircase"))


def test_it_is_part_of_what_is_charged() -> None:
    """Another number is another plan; without one the digest is what it was."""
    without = request()
    del without["protect"]["epsilon_job"]
    assert leeward.read_plan(without).request.charged()["protect"] == {
        "policy": "strong",
        "alpha": "0.1",
        "epsilon": "4",
    }


def test_a_plan_with_both_numbers_is_charged_both_and_says_what_they_mean() -> None:
    plan = leeward.read_plan(request())
    assert plan.charge == Guarantee("strong", "0.1", 4, epsilon_job=1)
    lines = "\n".join(plan_lines(plan, None))
    assert "one job    One job more or less at an establishment: epsilon 1, a" in lines
    assert "Cost: epsilon 4 (epsilon 1 for one job) of account office." in lines
    points = {point.name: point.lost.epsilon for point in curve_of(plan.charge, plan.tables)}
    assert [points["job"], points["growth"]] == [1, 4]
    assert points["job"] < points["growth"] < points["doubling"]
    assert points["doubling"] < points["hundred"] < points["thousand"]


def test_the_page_keeps_it() -> None:
    """A plan that the page changes and writes keeps what one job may cost."""
    assert "epsilon_job" in OPTIONAL
    assert "epsilon_job" in PROTECT
