"""Plans with filters: one price everywhere, shares above 1, and the error that names the codes."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.codebook import Marginal
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.mechanisms.parameters import AUTO
from leeward.core.mechanisms.registry import IN_PLANS
from leeward.core.mechanisms.table_measurement import named
from leeward.core.privacy import Guarantee
from leeward.publishing.plan.predicted import Prediction
from tests.publishing.plans import CODEBOOK, WORKER, planned

LECTURE = (
    "{name: all, by: [], share: 0.5}",
    "{name: men, by: [], where: {sex: M}, share: 0.2}",
    "{name: women, by: [], where: {sex: F}, share: 0.25}",
    "{name: older, by: [], where: {education: [E3, E4]}, share: 0.25}",
)
PLACES = (
    "{name: all, by: [sector], share: 1/2}",
    "{name: first, by: [place, sex], where: {place: ['01', '02']}, share: 1/2}",
    '{name: third, sql: "SELECT sector, COUNT(*) FROM jobs JOIN workplaces USING (workplace_id) '
    "WHERE place = '03' GROUP BY sector\", share: 1/2}",
)


def test_the_four_statements_of_the_lecture_cost_1_for_one_job(tmp_path: Path) -> None:
    plan = planned(tmp_path, *LECTURE, protect=WORKER)
    assert plan.charge.epsilon == 1
    assert plan.priced.sentence == (
        "Each job has one code of sex, so the price is the largest sum over tables that count the "
        "same codes: epsilon 1 for sex F (all, women and older). All tables together would add up "
        "to 1.2."
    )


def test_an_establishment_has_men_and_women(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter) as told:
        planned(tmp_path, *LECTURE, protect="{policy: strong, alpha: 0.1, epsilon: 40}")
    assert str(told.value) == "tables.share: must add up to at most 1; got 6/5. Lower some shares."


def test_shares_of_places_may_add_up_to_more_than_1(tmp_path: Path) -> None:
    plan = planned(tmp_path, *PLACES)
    assert plan.charge.epsilon == 4
    assert [part.tables for part in plan.priced.parts.parts] == [(0, 1), (0, 2)]
    lines = " ".join(Prediction(plan).lines())
    assert "Cost: epsilon 4 of account office. Each establishment has one code of place" in lines
    stated = Prediction(plan).to_dict()["parts"]
    assert isinstance(stated, dict)
    assert (stated["attributes"], stated["added"]) == (("place",), "6")


def test_too_large_shares_are_told_with_the_codes_where_they_meet(tmp_path: Path) -> None:
    more = PLACES[1].replace("1/2", "3/4")
    with pytest.raises(InvalidParameter) as told:
        planned(tmp_path, PLACES[0], more, PLACES[2])
    assert str(told.value) == (
        "tables.share: must add up to at most 1 over tables that count the same establishment; "
        "got 5/4 for place 01 (all, first). Lower some shares."
    )


def test_one_share_above_1_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="must add up to at most 1; got 3/2"):
        planned(tmp_path, "{name: t, by: [place], share: 3/2}")


def test_parts_of_one_employer_add_up(tmp_path: Path) -> None:
    """What is said of an employer counts the cells of each table, not of all tables together."""
    employer = "{policy: strong, alpha: 0.1, epsilon: 4, unit: employer}"
    book = f"tables: {{workplaces: {{employer: firm}}}}\n{CODEBOOK}"
    with pytest.raises(InvalidParameter, match="must add up to at most 1; got 3/2"):
        planned(tmp_path, *PLACES, protect=employer, codebook=book)


def test_an_attribute_that_was_derived_is_taken_to_be_free(tmp_path: Path) -> None:
    """No establishment is in place 01 of region S; their sum is charged, which is only dearer."""
    derived = CODEBOOK + (
        "  region: {table: workplaces, public: true, column: region, codes: [N, S]}\n"
    )
    tables = ["{name: a, by: [], where: {place: '01'}}", "{name: b, by: [], where: {region: S}}"]
    assert planned(tmp_path, *tables, codebook=derived).charge.epsilon == 4


def test_under_the_worker_policy_no_noise_follows_a_size() -> None:
    """Filters on workers may separate there: every mechanism has a fixed scale."""
    part, usable = Guarantee("worker", None, 1), []
    for name in IN_PLANS:
        try:
            usable.append(named(name, Marginal("t", (), ()), part, AUTO))
        except LeewardError:
            continue
    assert [made.name for made in usable] == ["edge_laplace"]
    assert all(made.expected_error(10, 1) == made.expected_error(1000, 1) for made in usable)


def test_equal_shares_stay_as_they_were(tmp_path: Path) -> None:
    tables = ["{name: a, by: [], where: {place: '01'}}", "{name: b, by: [], where: {place: '02'}}"]
    plan = planned(tmp_path, *tables)
    assert plan.charge.epsilon == 2
    assert [table.charge.epsilon for table in plan.tables] == [Fraction(2)] * 2
