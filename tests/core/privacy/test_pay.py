"""The proportional policy in guarantees, and steps with pay: mathematics/policies.md 3."""

from collections import deque
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from leeward.core.codebook import (
    Attribute,
    BoundedJobs,
    Dimension,
    EveryJob,
    Marginal,
    Mean,
    NumericRange,
    PrimaryJob,
)
from leeward.core.errors import CannotCompose, NotCovered
from leeward.core.privacy import Guarantee, ProportionalAlpha, StrongAlpha, sequential
from leeward.core.privacy.pay_sentences import PayRead, about_pay
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.steps import Growth, joiner_steps, raise_limit, replacement_steps
from leeward.core.privacy.workforces import Database

TENTH = Growth(Fraction(1, 10))
PROPORTIONAL, STRONG = (Guarantee(name, "0.1", 1) for name in ("proportional", "strong"))


def test_what_follows_from_proportional_and_what_it_follows_from() -> None:
    assert PROPORTIONAL.implies(Guarantee("worker", None, 1))
    assert PROPORTIONAL.weaken(alpha="0.05").epsilon == 1
    assert Guarantee("proportional", "0.1", 1, plus=5).weaken(plus=2).epsilon == 1
    assert Guarantee("establishment", None, 1).weaken("proportional", "0.1").epsilon == 2
    employer = Guarantee(ProportionalAlpha(unit="employer"), "0.1", 1)
    assert employer.implies(PROPORTIONAL)
    assert not PROPORTIONAL.implies(employer)


@pytest.mark.parametrize(
    ("held", "policy", "changes", "reason"),
    [
        (PROPORTIONAL, "strong", {}, "many joiners at the cap are one strong step"),
        (PROPORTIONAL, "weak", {}, "many joiners at the cap are one weak step"),
        (PROPORTIONAL, "establishment", {}, "proportional does not imply establishment"),
        (PROPORTIONAL, None, {"alpha": "0.2"}, "only at the same or a smaller alpha and plus"),
        (PROPORTIONAL, None, {"plus": 2}, "only at the same or a smaller alpha and plus"),
        (STRONG, "proportional", {}, "no step in which all who stay get more pay"),
        (Guarantee("weak", "0.1", 1), "proportional", {}, "weak does not imply proportional"),
        (Guarantee("worker", None, 1), "proportional", {"alpha": "0.1"}, "worker does not imply"),
    ],
)
def test_what_does_not_follow_is_refused_with_its_reason(
    held: Guarantee, policy: str | None, changes: dict[str, object], reason: str
) -> None:
    with pytest.raises(NotCovered, match=reason):
        held.weaken(policy, **changes)  # type: ignore[arg-type] # one of each
    with pytest.raises(NotCovered, match=r"Make the release under the policy and alpha"):
        held.weaken(policy, **changes)  # type: ignore[arg-type]


def test_proportional_adds_up_with_itself_alone() -> None:
    both = sequential(PROPORTIONAL, Guarantee("proportional", "0.2", 2, plus=5))
    assert both == Guarantee("proportional", "0.1", 3)
    for other in (STRONG, Guarantee("weak", "0.1", 1), Guarantee("worker", None, 1)):
        with pytest.raises(CannotCompose):
            sequential(PROPORTIONAL, other)


def shortest(relation: Neighbours, before: list[int], most: int, cap: int) -> dict[Database, int]:
    """Steps to every workforce of at most `most` jobs, by breadth-first search."""
    forces = [Database.capped(cap, [force]) for n in range(most + 1)
              for force in combinations_with_replacement(range(cap + 1), n)]  # fmt: skip
    start = Database.capped(cap, [before])
    reached, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for other in forces:
            if other not in reached and relation.admits(here, other, Fraction(1, 2)):
                reached[other] = reached[here] + 1
                waiting.append(other)
    return reached


HALF = Growth(Fraction(1, 2))


def test_joiners_at_the_cap_are_as_many_steps_as_a_search_finds() -> None:
    """Four jobs at 1 and two joiners at the cap of 2: a strong step, and two proportional ones."""
    found = shortest(ProportionalAlpha(), [1, 1, 1, 1], 6, 2)
    assert found[Database.capped(2, [[1, 1, 1, 1, 2, 2]])] == joiner_steps(HALF, 4, 2) == 2


def test_joiners_at_the_cap_in_the_example_that_is_printed() -> None:
    assert [joiner_steps(TENTH, 1000, cap) for cap in (2, 3, 5, 10)] == [2, 3, 5, 8]
    (said,) = (one.text for one in about_pay(PROPORTIONAL, EveryJob(), PayRead()) if not one.steps)
    assert "100 of them beside 1,000 jobs" in said
    assert "2, 3, 5 and 8 steps where the cap is 2, 3, 5 and 10 mean pays" in said


def test_no_number_of_proportional_steps_does_for_a_strong_one() -> None:
    """Half as many joiners at the cap among unpaid jobs: the more jobs, the more steps."""
    for jobs in (2, 4, 6):
        reached = shortest(ProportionalAlpha(), [0] * jobs, 9, 1)
        after = Database.capped(1, [[0] * jobs + [1] * (jobs // 2)])
        assert StrongAlpha().admits(Database.capped(1, [[0] * jobs]), after, Fraction(1, 2))
        assert reached[after] == jobs // 2


def test_a_raise_within_the_limit_is_two_strong_steps_to_who_sees_size_and_payroll() -> None:
    for before in combinations_with_replacement(range(4), 3):
        reached = shortest(StrongAlpha(), list(before), 4, 3)
        seen = dict[tuple[int, int], int]()
        for database, steps in reached.items():
            force = database.establishments[0]
            key = force.size, force.payroll
            seen[key] = min(steps, seen.get(key, steps))
        limit = raise_limit(HALF, before, 3)
        payrolls = [p for (size, p), steps in seen.items() if size == 3 and steps <= 2]
        assert max(payrolls) == sum(before) + limit, before


def test_a_raise_of_all_is_covered_from_two_mean_pays_on() -> None:
    for cap, covered in ((199, False), (200, True)):
        assert (raise_limit(TENTH, (100,) * 1000, cap) >= 10_000) is covered


def test_classes_are_as_many_strong_steps_as_a_search_finds() -> None:
    """Pay 0 and 1 as two classes; sizes up to twice the workforce."""
    for jobs, moved in product((1, 2, 3), (1, 2, 3)):
        if moved <= jobs:
            reached = shortest(StrongAlpha(), [0] * jobs, jobs + moved, 1)
            after = Database.capped(1, [[1] * moved + [0] * (jobs - moved)])
            assert reached[after] == replacement_steps(HALF, jobs, moved)


def test_all_paid_alike_across_an_edge() -> None:
    steps = [replacement_steps(TENTH, jobs, jobs) for jobs in range(1, 2000)]
    assert steps[:10] == [2 * jobs for jobs in range(1, 11)]
    assert (min(steps[9:38]), max(steps[9:38])) == (16, 20)
    assert set(steps[38:]) == {16}
    assert steps[37] != 16


def test_sentences_follow_what_is_read_and_which_jobs_count() -> None:
    def told(guarantee: Guarantee, rule: object, **read: bool) -> list[tuple[str, int | None]]:
        said = about_pay(guarantee, rule, PayRead(**read))  # type: ignore[arg-type]
        return [(one.id, one.steps) for one in said]

    assert told(STRONG, EveryJob()) == []
    assert told(STRONG, EveryJob(), payroll=True) == [("pay-changed", 2)]
    assert told(STRONG, EveryJob(), payroll=True, whole=True)[1:] == [("raise", 2)]
    assert told(STRONG, PrimaryJob("pay"), payroll=True, whole=True) == [("pay-changed", 2)]
    classes = [("wage-level-open", None), ("wage-level", 16)]
    assert told(STRONG, BoundedJobs(2), classes=True) == [("pay-changed", 4), *classes]
    assert told(PROPORTIONAL, EveryJob()) == [("pay-changed", 1), ("joiners-at-cap", None)]
    assert told(PROPORTIONAL, PrimaryJob("pay"))[0] == ("pay-changed", 2)


def test_what_tables_read_of_pay() -> None:
    def column(name: str) -> Attribute:
        numbers = NumericRange(0, 9, "cent", None, (("a", 9),))
        return Attribute(name, "jobs", name, ("a",), ("a",), False, {"a": 0}, numbers=numbers)

    wage, bonus = (Marginal("t", (), (), statistic=Mean(column(n))) for n in ("w", "b"))
    by_class = Marginal("t", (), (Dimension(column("w"), (0,)),))
    assert PayRead.of([Marginal("t", (), ())]) == PayRead()
    assert PayRead.of([wage]) == PayRead(payroll=True, whole=True)
    assert PayRead.of([wage, bonus]) == PayRead(payroll=True)
    assert PayRead.of([wage, by_class]) == PayRead(classes=True, payroll=True)
    assert PayRead.of([replace(wage, filters=by_class.worker)]) == PayRead(True, True)
