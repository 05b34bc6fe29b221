"""The person policy: a whole history is one step, and what follows from single rows."""

from fractions import Fraction

import pytest

from leeward.core.codebook import (
    Attribute,
    BoundedJobs,
    Dimension,
    EveryJob,
    Marginal,
    PrimaryJob,
    SingleJob,
    most_rows,
)
from leeward.core.errors import CannotCompose, NotCovered
from leeward.core.privacy import Guarantee, over_workers, over_workplaces, policy, sequential
from leeward.core.privacy.policy import POLICIES
from leeward.core.privacy.workforces import Database

PERSON = Guarantee("person", None, 4)
YEARS = Attribute("years", "jobs", "years", ("1", "2", "3"), ("", "", ""), False, {})


def test_rows_of_one_person_are_one_step_wherever_they_are() -> None:
    before = Database.of((5, 0), (2, 2))
    for after, is_step in (
        (Database.of((6, 1), (2, 3)), True),
        (Database.of((4, 0), (2, 2)), True),
        (Database.of((6, 0), (2, 1)), False),  # one row came, another went: two steps
        (before, False),
    ):
        assert policy("person").admits(before, after) is is_step
        assert policy("person").admits(after, before) is is_step
        assert policy("worker").admits(before, after) is (is_step and after.size == 8)


@pytest.mark.parametrize("name", POLICIES)
def test_person_implies_worker_alone_and_nothing_implies_person(name: str) -> None:
    alpha = "0.1" if POLICIES[name].uses_alpha else None
    other = Guarantee(name, alpha, 4)
    assert PERSON.implies(other) is (name in ("person", "worker"))
    assert other.implies(PERSON) is (name == "person")
    if name != "person":
        with pytest.raises(NotCovered, match=f"{name} does not imply person: a person may have"):
            other.weaken("person")


def test_each_row_has_a_part_and_all_of_them_the_whole() -> None:
    each = PERSON.for_each_row(10)
    assert each == Guarantee("worker", None, Fraction(2, 5))
    assert each.for_person(10) == PERSON
    assert Guarantee("strong", "0.1", 1).for_person(3) == Guarantee("person", None, 3)
    rho = Guarantee("person", None, 0, 0, Fraction(1, 2))
    assert rho.for_each_row(3).for_person(3) == rho
    assert PERSON.for_jobs(7) == PERSON
    with pytest.raises(NotCovered, match="person policy protects single people"):
        PERSON.for_firm(2)


def test_losses_of_people_add_up_over_cells_and_periods() -> None:
    """A person may have rows in all cells: nothing composes in parallel."""
    for composed in (sequential, over_workplaces, over_workers):
        assert composed(PERSON, PERSON) == Guarantee("person", None, 8)
    with pytest.raises(CannotCompose, match="must protect the same thing"):
        sequential(PERSON, Guarantee("worker", None, 1))


def test_rows_that_a_table_counts() -> None:
    two = Dimension(YEARS, (0, 2))
    tables = (Marginal("t", (), ()), Marginal("t", (), (two,)), Marginal("t", (), (), (two,)))
    per = BoundedJobs(5, "years")
    assert [most_rows(per, table, YEARS) for table in tables] == [15, 10, 10]
    for rule, rows in ((BoundedJobs(5), 5), (PrimaryJob("pay"), 1), (SingleJob(), 1)):
        assert [most_rows(rule, table) for table in tables] == [rows] * 3
    assert most_rows(EveryJob(), tables[0]) is None
    renamed = Attribute("years", "jobs", "years", ("1", "2"), ("", ""), False, {})  # other classes
    assert most_rows(per, Marginal("t", (), (Dimension(renamed, (0,)),)), YEARS) == 15
    with pytest.raises(TypeError, match="years"):
        most_rows(per, tables[0])
