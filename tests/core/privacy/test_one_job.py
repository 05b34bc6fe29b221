"""One job beside a size: what ε_job and ρ_job become under every operation (Theorem 11)."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.privacy import (
    Guarantee,
    Person,
    WorkerOnly,
    over_workers,
    over_workplaces,
    sequential,
)
from leeward.core.privacy.delta import zcdp_epsilon
from leeward.core.privacy.odds_of_suspicion import Odds, firm_odds, odds

BESIDE = Guarantee("strong", "0.1", 4, epsilon_job=1)
ZCDP = Guarantee("strong", "0.1", 0, rho="0.4", reading="1e-9", rho_job="0.1")
WITHOUT = Guarantee("strong", "0.1", 4)


def both(guarantee: Guarantee) -> list[Fraction]:
    return [guarantee.epsilon, guarantee.epsilon_job]


def of_one_job(guarantee: Guarantee) -> list[Fraction]:
    return [guarantee.epsilon_job, guarantee.rho_job]


def test_without_its_own_number_one_job_costs_its_steps() -> None:
    assert of_one_job(WITHOUT) == [4, 0]
    mixed = Guarantee("worker", None, 1, 0, 2)
    assert of_one_job(mixed) == [1, 2]
    removal = Guarantee("establishment", None, 1, 0, 2)
    assert of_one_job(removal) == [2, 8]
    assert not any(each.has_job_losses for each in (WITHOUT, mixed, removal))
    assert Guarantee("strong", "0.1", 4, epsilon_job=4, rho_job=0) == WITHOUT
    assert repr(WITHOUT) == (
        "Guarantee(policy=StrongAlpha(plus=1, unit='establishment'), alpha=Fraction(1, 10), "
        "epsilon=Fraction(4, 1), delta=Fraction(0, 1), rho=Fraction(0, 1), "
        "reading=Fraction(1, 1000000))"
    )
    assert repr(BESIDE).endswith("epsilon_job=Fraction(1, 1), rho_job=Fraction(0, 1))")
    assert BESIDE != WITHOUT


@pytest.mark.parametrize(
    ("arguments", "job", "message"),
    [
        (
            ("strong", "0.1", 4),
            {"epsilon_job": 5},
            "epsilon_job: must be above 0 and at most epsilon, 4: one job more is one step; got 5. "
            "Give a smaller epsilon_job, or leave it out: then one job costs epsilon.",
        ),
        (("weak", "0.1", 4), {"epsilon_job": 0}, "epsilon_job: must be above 0 and at most"),
        (("proportional", "0.1", 4), {"epsilon_job": -1}, "epsilon_job: must be above 0 and"),
        (("strong", "0.1", 4), {"rho_job": 1}, "rho_job: must be above 0 and at most rho, 0: "),
        (
            ("worker", None, 4),
            {"epsilon_job": 1},
            "epsilon_job: has a meaning beside an alpha only: under the worker policy one job "
            "costs 4; got 1. Leave it out.",
        ),
        (("establishment", None, 4), {"epsilon_job": 4}, "epsilon_job: has a meaning beside an"),
        (("strong", "0.1", 4), {"epsilon_job": 0.5}, "epsilon_job: must be an exact number"),
    ],
)
def test_refused_at_birth(
    arguments: tuple[str, str | None, int], job: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Guarantee(*arguments, **job)
    assert str(refused.value).startswith(message)


def test_both_add_up() -> None:
    whole = sequential(BESIDE, Guarantee("strong", "0.1", 2), ZCDP)
    assert both(whole) == [6, 3]
    assert whole.rho == Fraction("0.4")
    assert whole.rho_job == Fraction("0.1")
    assert over_workers(BESIDE, BESIDE).epsilon_job == 2  # filters on workers separate nothing


def test_each_has_its_own_maximum_over_workplaces() -> None:
    most = over_workplaces(BESIDE, Guarantee("strong", "0.1", 2, epsilon_job="3/2"))
    assert both(most) == [4, Fraction(3, 2)]


def test_a_share_is_one_of_both() -> None:
    part = BESIDE.share(Fraction(1, 4))
    assert both(part) == [1, Fraction(1, 4)]


@pytest.mark.parametrize("further", [{"alpha": "0.2"}, {"plus": 3}, {"policy": "weak"}])
def test_one_job_stays_one_job_where_alpha_or_plus_change(further: dict[str, Any]) -> None:
    weaker = BESIDE.weaken(**further)
    assert weaker.epsilon == (4 if "policy" in further else 12)
    assert weaker.epsilon_job == 1
    if "policy" not in further:
        assert WITHOUT.weaken(**further).epsilon_job == 4
    assert BESIDE.for_firm(5).epsilon_job == 1
    assert BESIDE.implies(weaker)


def test_to_a_worker_it_is_the_guarantee_of_one_job() -> None:
    assert BESIDE.weaken("worker") == Guarantee("worker", None, 1) == BESIDE.job
    assert BESIDE.for_jobs(3) == Guarantee("worker", None, 3)
    assert ZCDP.for_jobs(3) == Guarantee("worker", None, 0, rho="0.9", reading="1e-9")
    assert BESIDE.for_person(3) == Guarantee("person", None, 3)
    assert Guarantee("person", None, 3).for_jobs(2) == Guarantee("person", None, 3)


def test_a_delta_over_jobs_grows_with_what_one_job_costs() -> None:
    told = Guarantee("strong", "0.1", 4, "1e-6", epsilon_job=1)
    jobs = Guarantee("worker", None, 1, "1e-6").over_steps(3)
    assert told.for_jobs(3) == jobs
    assert jobs.delta < Guarantee("worker", None, 4, "1e-6").over_steps(3).delta


def test_what_follows_needs_both_numbers() -> None:
    assert BESIDE.implies(WITHOUT)
    assert not WITHOUT.implies(BESIDE)
    assert BESIDE.implies(Guarantee("strong", "0.1", 5, epsilon_job=2))
    assert not BESIDE.implies(Guarantee("strong", "0.1", 5, epsilon_job="1/2"))
    assert BESIDE.implies(Guarantee("worker", None, 1))
    assert not BESIDE.implies(Guarantee("worker", None, "0.9"))
    assert Guarantee("establishment", None, 2).implies(Guarantee("strong", "0.1", 4))
    assert not Guarantee("establishment", None, 2).implies(BESIDE)


def test_rho_is_read_for_each_by_itself() -> None:
    read = ZCDP.restated
    delta = Fraction("1e-9")
    assert read.epsilon == zcdp_epsilon(Fraction("0.4"), delta)
    assert read.epsilon_job == zcdp_epsilon(Fraction("0.1"), delta) < read.epsilon
    assert ZCDP.implies(read)
    assert BESIDE.as_zcdp().rho == 8
    assert BESIDE.as_zcdp().rho_job == Fraction(1, 2)
    assert BESIDE.implies(BESIDE.as_zcdp())


def test_a_budget_with_another_amount_keeps_what_one_job_may_cost() -> None:
    assert BESIDE.with_amount(Fraction(8)).epsilon_job == 1
    assert BESIDE.with_amount(Fraction(1, 2)).epsilon_job == Fraction(1, 2)
    assert WITHOUT.with_amount(Fraction(8)).epsilon_job == 8
    assert ZCDP.with_amount(Fraction(1)).rho_job == Fraction(1, 10)
    assert BESIDE.with_epsilon(Fraction(3)).epsilon_job == 1


def test_a_smaller_epsilon_is_not_given_by_hand_with_a_larger_one_of_jobs() -> None:
    with pytest.raises(InvalidParameter, match="epsilon_job: must be above 0 and at most epsilon"):
        replace(BESIDE, epsilon=Fraction(1, 2))


def test_policies_without_alpha_follow_their_steps_through_every_operation() -> None:
    removal = Guarantee("establishment", None, 1, 0, 1)
    each = (removal.share(Fraction(1, 2)), sequential(removal, removal), removal.over_steps(3))
    for several in (*each, over_workplaces(removal, removal), removal.as_zcdp()):
        assert not several.has_job_losses
    for policy in (WorkerOnly(), Person()):
        assert not Guarantee(policy, None, 1, 0, 1).over_steps(3).has_job_losses


def test_the_sizes_of_a_firm_are_not_as_safe_as_one_job() -> None:
    """Two establishments at ε = 1 lose 2, whatever one job costs."""
    beside = Guarantee("strong", "0.1", 1, epsilon_job="1/10")
    two = next(firm for firm in firm_odds(beside) if firm.establishments == 2)
    assert (two.odds, odds(beside)) == (Odds(7), Odds(2))
    removal = next(
        f for f in firm_odds(Guarantee("establishment", None, 1)) if f.establishments == 2
    )
    assert removal.odds == Odds(36)  # one out and one in, of each
