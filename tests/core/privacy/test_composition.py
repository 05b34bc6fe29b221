"""Composition: sums, maxima, what is refused, and the counter-example to parallel cells."""

from collections.abc import Callable
from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.errors import CannotCompose
from leeward.core.privacy import (
    Guarantee,
    StrongAlpha,
    WeakAlpha,
    over_workers,
    over_workplaces,
    sequential,
)
from leeward.core.privacy.workforces import Database

Rule = Callable[..., Guarantee]
RULES = [sequential, over_workplaces, over_workers]
each_rule = pytest.mark.parametrize("rule", RULES)

losses = st.tuples(
    st.fractions(0, 3, max_denominator=20),
    st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 100)]),
    st.fractions(0, 1, max_denominator=20),
).filter(any)
growths = st.sampled_from(["0.05", "0.1", "0.5"])


def guarantees(*policies: str) -> st.SearchStrategy[Guarantee]:
    return st.builds(
        lambda policy, alpha, loss: Guarantee(policy, alpha, *loss),
        st.sampled_from(policies),
        growths if {"strong", "weak"} >= set(policies) else st.none(),
        losses,
    )


composable = st.one_of(
    *(
        st.tuples(one, one, one)
        for one in (guarantees("strong", "weak"), guarantees("worker"), guarantees("establishment"))
    )
)
Three = tuple[Guarantee, Guarantee, Guarantee]


@each_rule
@settings(deadline=None, max_examples=40)
@given(three=composable)
def test_order_and_grouping_do_not_matter(rule: Rule, three: Three) -> None:
    a, b, c = three
    together = rule(a, b, c)
    assert together == rule(c, a, b)
    assert together == rule(rule(a, b), c) == rule(a, rule(b, c))
    assert rule(a) == a


@each_rule
@settings(deadline=None, max_examples=40)
@given(three=composable, more=losses)
def test_more_loss_in_a_part_is_never_less_in_the_whole(
    rule: Rule, three: Three, more: tuple[Fraction, Fraction, Fraction]
) -> None:
    a, b, _ = three
    larger = Guarantee(a.policy, a.alpha, a.epsilon + more[0], a.delta + more[1], a.rho + more[2])
    assert rule(a, b).implies(rule(larger, b))


@each_rule
@settings(deadline=None, max_examples=40)
@given(three=composable)
def test_the_whole_is_never_more_private_than_a_part(rule: Rule, three: Three) -> None:
    whole = rule(*three)
    for part in three:
        assert part.implies(whole)
        assert sequential(*three).epsilon >= whole.epsilon >= part.epsilon


def test_sequential_adds_every_measure() -> None:
    one = Guarantee("strong", "0.1", 1, "1e-6", "0.1")
    two = Guarantee("strong", "0.2", "1/2", "1e-7")
    assert sequential(one, two) == Guarantee("strong", "0.1", "3/2", "1.1e-6", "0.1")


def test_strong_with_weak_is_weak_at_the_smaller_alpha() -> None:
    whole = sequential(Guarantee("strong", "0.05", 1), Guarantee("weak", "0.1", 1))
    assert whole == Guarantee("weak", "0.05", 2)


def test_over_workplaces_takes_each_maximum() -> None:
    pure, zcdp = Guarantee("strong", "0.1", 1), Guarantee("strong", "0.1", "1/2", 0, "0.3")
    assert over_workplaces(pure, zcdp) == Guarantee("strong", "0.1", 1, 0, "0.3")


@pytest.mark.parametrize("policy", [StrongAlpha(), WeakAlpha()])
def test_erratum_worker_cells_add(policy: StrongAlpha | WeakAlpha) -> None:
    # 50 women and 50 men; each half released at ε on its own full step, together 2ε.
    one = Guarantee(policy, "0.1", 1)
    assert policy.admits(Database.of((50, 50)), Database.of((55, 55)), Fraction(1, 10))
    assert over_workers(one, one) == Guarantee(policy, "0.1", 2)
    assert over_workplaces(one, one) == one


def test_erratum_eight_cells_lose_more_than_parallel_composition_says() -> None:
    # mathematics/policies.md 6: Log-Laplace at its published scale 2 ln(1+α)/ε on eight cells.
    joint = 8 * log(120 / 110) / (2 * log(1.1))
    assert joint == pytest.approx(3.65, abs=0.01)
    one = Guarantee("strong", "0.1", 1)
    booked = over_workers(*[one] * 8)
    assert float(over_workplaces(*[one] * 8).epsilon) < joint <= float(booked.epsilon)


def test_one_job_lies_in_one_worker_cell() -> None:
    one, two = Guarantee("worker", None, 1), Guarantee("worker", None, 2)
    assert over_workers(one, two) == two
    node = Guarantee("establishment", None, 1)
    assert over_workers(node, node).epsilon == 2


@each_rule
@pytest.mark.parametrize(
    ("first", "second"),
    [("worker", "strong"), ("worker", "establishment"), ("establishment", "weak")],
)
def test_different_promises_do_not_compose(rule: Rule, first: str, second: str) -> None:
    made = [
        Guarantee(name, "0.1" if name in {"strong", "weak"} else None, 1)
        for name in (first, second)
    ]
    with pytest.raises(CannotCompose) as refused:
        rule(*made)
    both = ", ".join(sorted((first, second)))
    assert str(refused.value) == (
        "guarantees: must protect the same thing (strong with weak is weak); "
        f"got {both}. Weaken each to one policy first, for instance guarantee.weaken('worker')."
    )
    assert rule(*(each.weaken("worker") for each in made)).policy.name == "worker"


@each_rule
def test_nothing_does_not_compose(rule: Rule) -> None:
    with pytest.raises(CannotCompose, match=r"guarantees: must be at least one; got none\. Give"):
        rule()


def test_a_delta_of_one_does_not_compose() -> None:
    half = Guarantee("worker", None, 1, "1/2")
    with pytest.raises(CannotCompose, match=r"delta must stay below 1; got 1\. Make fewer"):
        sequential(half, half)
