"""Databases, with and without pay, and the neighbours of mathematics/policies.md 3 on them.

The truth is written with single jobs: a job is a kind and a pay, and two workforces are related
if some assignment of jobs to jobs satisfies the definition. All assignments are tried.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, permutations, product

import pytest

from leeward.core.errors import InvalidParameter
from leeward.core.privacy import (
    EstablishmentRemoval,
    ProportionalAlpha,
    StrongAlpha,
    WeakAlpha,
    WorkerOnly,
)
from leeward.core.privacy.policy import Neighbours
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Counts, Database, Workforce

Job = tuple[int, int]
"""A kind and a pay."""

Jobs = tuple[Job, ...]
CAP, KINDS = 2, 2
EVERY_JOB: list[Job] = list(product(range(KINDS), range(CAP + 1)))
FORCES: list[Jobs] = [f for n in range(4) for f in combinations_with_replacement(EVERY_JOB, n)]
ALPHAS = [Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(3, 2)]


@cache
def database(*forces: Jobs) -> Database:
    by_kind = ([[y for k, y in force if k == kind] for kind in range(KINDS)] for force in forces)
    return Database.capped(CAP, *by_kind)


def assignments(small: Jobs, large: Jobs) -> Iterator[tuple[tuple[Job, Job], ...]]:
    """Every way to find each job of one workforce among those of another, of the same kind."""
    if len(small) > len(large):
        return
    for chosen in permutations(large, len(small)):
        paired = tuple(zip(small, chosen, strict=True))
        if all(a[0] == b[0] for a, b in paired):
            yield paired


def size_within(small: Jobs, large: Jobs, alpha: Fraction, plus: int = 1) -> bool:
    return len(large) <= max((1 + alpha) * len(small), Fraction(len(small) + plus))


def payroll(force: Jobs) -> int:
    return sum(pay for _, pay in force)


def truly_strong(small: Jobs, large: Jobs, alpha: Fraction) -> bool:
    """Those who stay keep their pay."""
    kept = any(all(a == b for a, b in way) for way in assignments(small, large))
    return kept and size_within(small, large, alpha)


def truly_raise(small: Jobs, large: Jobs, alpha: Fraction) -> bool:
    """The same jobs, no pay falls, and the payroll grows by at most max(αP, B)."""
    same = len(small) == len(large)
    rising = any(all(a[1] <= b[1] for a, b in way) for way in assignments(small, large))
    limit = max(alpha * payroll(small), Fraction(CAP))
    return same and rising and payroll(large) - payroll(small) <= limit


def truly_proportional(small: Jobs, large: Jobs, alpha: Fraction, plus: int = 1) -> bool:
    """Size and payroll within their limits; no pay of those who stay falls."""
    rising = any(all(a[1] <= b[1] for a, b in way) for way in assignments(small, large))
    limit = max((1 + alpha) * payroll(small), Fraction(payroll(small) + plus * CAP))
    return rising and size_within(small, large, alpha, plus) and payroll(large) <= limit


Truth = Callable[[Jobs, Jobs, Fraction], bool]
RELATIONS: list[tuple[Neighbours, Truth]] = [
    (StrongAlpha(), truly_strong),
    (RaiseAlpha(), truly_raise),
    (ProportionalAlpha(), truly_proportional),
    (ProportionalAlpha(plus=2), partial(truly_proportional, plus=2)),
]


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize(
    ("relation", "truth"),
    RELATIONS,
    ids=["strong", "raise", "proportional", "proportional, plus 2"],
)
def test_neighbours_with_pay_are_those_of_the_definition(
    relation: Neighbours, truth: Truth, alpha: Fraction
) -> None:
    found = 0
    for before, after in product(FORCES, FORCES):
        true = before != after and (truth(before, after, alpha) or truth(after, before, alpha))
        assert relation.admits(database(before), database(after), alpha) is true, (before, after)
        found += true
    assert found > 100


@pytest.mark.parametrize("relation", [relation for relation, _ in RELATIONS])
def test_one_establishment_changes_and_the_others_stay(relation: Neighbours) -> None:
    alpha = Fraction(1)
    few = [force for force in FORCES if len(force) < 2]
    for first, second, third, fourth in product(few, repeat=4):
        changes = [(a, b) for a, b in ((first, third), (second, fourth)) if a != b]
        true = len(changes) == 1 and any(
            relation.admits(database(a), database(b), alpha) for a, b in changes
        )
        assert relation.admits(database(first, second), database(third, fourth), alpha) is true


def test_one_job_and_a_whole_workforce_may_have_any_pay() -> None:
    for before, after in product(FORCES, FORCES):
        one, other = sorted((Counter(before), Counter(after)), key=Counter.total)
        job = one <= other and other.total() == one.total() + 1
        assert WorkerOnly().admits(database(before), database(after)) is job
        removal = (not before) != (not after)
        assert EstablishmentRemoval().admits(database(before), database(after)) is removal


def steps(relation: Neighbours, alpha: Fraction, before: Jobs, after: Jobs) -> int | None:
    """The shortest path through workforces of at most three jobs."""
    reached, waiting = {before: 0}, deque([before])
    while waiting:
        force = waiting.popleft()
        for other in FORCES:
            if other not in reached and relation.admits(database(force), database(other), alpha):
                reached[other] = reached[force] + 1
                waiting.append(other)
    return reached.get(after)


def test_a_changed_pay_is_two_strong_steps_and_one_of_the_others() -> None:
    before, after = ((0, 0), (0, 1)), ((0, 1), (0, 1))
    alpha = Fraction(1, 3)
    assert steps(StrongAlpha(), alpha, before, after) == 2
    assert steps(RaiseAlpha(), alpha, before, after) == 1
    assert steps(ProportionalAlpha(), alpha, before, after) == 1
    assert steps(RaiseAlpha(), alpha, (), after) is None, "presence is not protected by raises"
    assert steps(ProportionalAlpha(), alpha, ((0, 2),), ((0, 2), (1, 2))) == 1


def test_joiners_at_the_cap_are_one_strong_step_and_several_proportional_ones() -> None:
    before, after = (Database.capped(10, [[1] * n + [10] * j]) for n, j in ((10, 0), (10, 10)))
    halfway = Database.capped(10, [[1] * 10 + [10]])
    alpha = Fraction(1)
    assert StrongAlpha().admits(before, after, alpha)
    assert not ProportionalAlpha().admits(before, after, alpha)
    assert ProportionalAlpha().admits(before, halfway, alpha)


def test_a_raise_of_all_is_no_strong_step_and_one_of_the_others() -> None:
    before, after = (Database.capped(100, [[pay] * 40]) for pay in (50, 55))
    assert not StrongAlpha().admits(before, after, Fraction(1, 10))
    for relation in (RaiseAlpha(), ProportionalAlpha()):
        assert relation.admits(before, after, Fraction(1, 10))
        assert not relation.admits(before, after, Fraction(1, 100))


def test_the_cap_comes_first() -> None:
    held = Database.capped(10, [[-3, 4, 99], []], [[], [10]])
    assert held.establishments[0].pay == ((0, 4, 10), ())
    assert [force.payroll for force in held.establishments] == [14, 10]
    assert held.sizes == (3, 1)
    # Ten joiners at ten times the cap: a tenth more before capping, and not after it.
    rich = [[1000 * 10] + [0] * 100]
    assert not ProportionalAlpha().admits(
        Database.capped(10, rich), Database.capped(10, [rich[0] + [100] * 10]), Fraction(1, 10)
    )


def test_totals_of_a_database() -> None:
    held = Database.of((3, 1), (0, 0), (2, 5))
    assert (held.size, held.largest, held.sizes, held.by_kind) == (11, 7, (4, 0, 7), (5, 6))
    assert held == Database.of([3, 1], [0, 0], [2, 5])
    assert hash(held) == hash(Database.of((3, 1), (0, 0), (2, 5)))


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (lambda: Database.of((71, 72), (73,)), "establishments: must have the same kinds"),
        (lambda: Workforce((1,), ((71, 72),)), "pay: must have one number a job"),
        (lambda: Database((Workforce((1,)),), cap=71), "cap: must be given with pay"),
        (lambda: Database((Workforce.paid([71]),)), "cap: must be given with pay"),
        (lambda: Database((Workforce.paid([71]),), cap=70), "pay: must be from 0 to the cap"),
        (lambda: Database((Workforce.paid([-71]),), cap=70), "pay: must be from 0 to the cap"),
        (lambda: compared(Database.capped(7, [[7]]), Database.of((7,))), "cap: must be the same"),
        (lambda: compared(Database.of((7,)), Database.of((8,))), "cap: must be given under the"),
        (lambda: weak(Database.capped(7, [[7]])), "cap: has no meaning under the weak policy"),
    ],
)
def test_what_cannot_be_compared_is_refused_without_its_numbers(
    wrong: Callable[[], object], rule: str
) -> None:
    with pytest.raises(InvalidParameter, match=rule) as refused:
        wrong()
    assert "7" not in str(refused.value)


def compared(left: Database, right: Database) -> bool:
    return RaiseAlpha().admits(left, right, Fraction(1))


def weak(held: Database) -> bool:
    return WeakAlpha().admits(held, held, Fraction(1))


# A policy graph: which values of one record must be indistinguishable, by its edges.


@dataclass(frozen=True)
class Graph:
    """Neighbours are the edges of a graph of databases."""

    edges: frozenset[frozenset[Database]]

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        return frozenset({left, right}) in self.edges


def test_a_policy_graph_is_stated_by_databases() -> None:
    """The strong policy as a graph, and a graph of kinds in which a worker may change."""
    forces: list[Counts] = [f for f in product(range(5), repeat=2) if sum(f) <= 6]
    held = [Database.of(force) for force in forces]
    strong = Graph(
        frozenset(frozenset({a, b}) for a, b in product(held, held) if a != b and contains(a, b))
    )
    for left, right in product(held, held):
        assert strong.admits(left, right) is StrongAlpha().admits(left, right, Fraction(1, 2))
    line = Graph(frozenset({frozenset({Database.of((1, 0, 0)), Database.of((0, 1, 0))})}))
    assert line.admits(Database.of((0, 1, 0)), Database.of((1, 0, 0)))
    assert not line.admits(Database.of((1, 0, 0)), Database.of((0, 0, 1)))


def contains(left: Database, right: Database) -> bool:
    """[H16] Def 7.1 at α = 1/2, both ways, in plain numbers."""
    small, large = sorted((left, right), key=lambda held: held.size)
    inside = all(a <= b for a, b in zip(small.by_kind, large.by_kind, strict=True))
    return inside and (2 * large.size <= 3 * small.size or large.size == small.size + 1)
