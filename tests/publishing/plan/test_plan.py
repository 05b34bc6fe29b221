"""Plans: shares, digests, kinds of tables, and rules for jobs, without any data."""

from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.codebook import BoundedJobs, EveryJob, PrimaryJob, SingleJob
from leeward.core.errors import InvalidParameter, Problems
from leeward.core.mechanisms.parameters import AUTO, Share
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.reading import read_margins, read_number
from tests.publishing.plans import STRONG, WEAK, WORKER, planned

PLACE, SEX = "{name: a, by: [place, sector]}", "{name: b, by: [place, sex]}"


def test_shares_that_are_not_written_are_equal(tmp_path: Path) -> None:
    plan = planned(tmp_path, PLACE, SEX, "{name: c, by: [place]}")
    assert [table.charge.epsilon for table in plan.tables] == [Fraction(4, 3)] * 3


def test_all_tables_cost_together_what_the_plan_says(tmp_path: Path) -> None:
    plan = planned(tmp_path, PLACE, SEX, "{name: c, by: [sex], margins: none}")
    assert plan.charge == plan.asked
    assert plan.charge.epsilon == 4


def test_a_share_that_is_not_given_away_is_not_charged(tmp_path: Path) -> None:
    plan = planned(
        tmp_path, "{name: a, by: [place], share: 1/4}", "{name: b, by: [sex], share: 1/4}"
    )
    assert plan.charge.epsilon == 2


def test_the_same_plan_has_the_same_digest_wherever_the_data_lie(tmp_path: Path) -> None:
    first = planned(tmp_path, PLACE)
    (tmp_path / "elsewhere").mkdir()
    second = planned(tmp_path / "elsewhere", PLACE)
    moved = first.request.data.model_copy(update={"jobs": "other.parquet"})
    third = first.request.model_copy(update={"data": moved})
    assert first.digest == second.digest
    assert first.request.public() == third.public()
    assert "data" not in first.request.public()


@pytest.mark.parametrize(
    "changed",
    [
        {"protect": "{policy: strong, alpha: 0.1, epsilon: 5}"},
        {"protect": "{policy: strong, alpha: 0.2, epsilon: 4}"},
        {"protect": WEAK},
        {"more": "jobs: {max_per_worker: 2}\n"},
    ],
)
def test_another_plan_has_another_digest(tmp_path: Path, changed: dict[str, str]) -> None:
    assert planned(tmp_path, PLACE).digest != planned(tmp_path, PLACE, **changed).digest


def test_the_digest_depends_on_the_codebook(tmp_path: Path) -> None:
    before = planned(tmp_path, PLACE)
    path = tmp_path / "codebook.yaml"
    path.write_text(path.read_text().replace("[A, B]", "[A, B, C]"))
    after = read_plan(tmp_path / "plan.yaml")
    assert before.codebook_digest != after.codebook_digest
    assert before.digest != after.digest


def test_the_kind_of_a_table_follows_from_by_and_where(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        PLACE,
        SEX,
        "{name: c, by: [place], where: {sex: F}}",
        "{name: d, by: [place], where: {sector: [A]}}",
        "{name: e, by: [place], where: {contract: [T]}}",
        "{name: f, by: [place, sex], where: {sex: F}}",
    )
    kinds = [table.marginal.kind for table in plan.tables]
    assert kinds == ["workplace", "worker", "worker", "workplace", "worker", "worker"]
    assert plan.tables[5].marginal.worker_cells == 1
    assert plan.tables[5].marginal.filters == ()


def test_codes_of_where_keep_the_order_of_the_list(tmp_path: Path) -> None:
    plan = planned(tmp_path, "{name: a, by: [place], where: {place: ['03', '01', '03']}}")
    (dimension,) = plan.tables[0].marginal.workplace
    assert dimension.codes == ("01", "03")


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("", EveryJob()),
        ("rows: strict\n", SingleJob()),
        ("rows: strict\njobs: {primary: pay}\n", PrimaryJob("pay")),
        ("jobs: {primary: pay}\n", PrimaryJob("pay")),
        ("jobs: {max_per_worker: 3}\n", BoundedJobs(3)),
    ],
)
def test_rules_for_jobs_are_read(tmp_path: Path, written: str, rule: object) -> None:
    assert planned(tmp_path, PLACE, more=written).jobs == rule


def test_weak_attributes_are_those_of_workers_and_jobs(tmp_path: Path) -> None:
    assert planned(tmp_path, PLACE, protect=WEAK).weak_attributes == (
        *("sex", "education", "contract"),
    )
    assert planned(tmp_path, PLACE, protect=STRONG).weak_attributes is None
    assert planned(tmp_path, PLACE, protect=WORKER).weak_attributes is None


@pytest.mark.parametrize(
    ("written", "share"), [(None, AUTO), ("none", None), ("free", 0), ("1/5", Fraction(1, 5))]
)
def test_the_share_for_margins_is_chosen_unless_said_otherwise(
    written: str | None, share: Share
) -> None:
    assert read_margins(written) == share


@pytest.mark.parametrize("written", ["4", "0.1", "1/10", "1e-3", "+2"])
def test_numbers_are_read_exactly(written: str) -> None:
    assert read_number(written, "x") == Fraction(written)


@pytest.mark.parametrize("written", ["", " 4", "4 ", "four", "1/0", "1,5", "½", "4%", "inf"])
def test_what_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(InvalidParameter, match="must be a number such as 4"):
        read_number(written, "x")


@pytest.mark.parametrize(
    ("written", "step"),
    [
        ("2,5", "Write a decimal point in place of the comma."),
        ("2.5.", "Write it in plain digits."),
    ],
)
def test_whoever_writes_a_comma_is_told_of_the_point(written: str, step: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        read_number(written, "x")
    assert refusal.value.next_step == step


def test_problems_of_all_parts_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(Problems) as refusal:
        planned(
            tmp_path,
            "{name: a b, by: [plce], margins: 0}",
            "{name: b, by: [sx, place], where: {sex: X}}",
            protect="{policy: strong, epsilon: 4}",
            more="jobs: {}\nsizes: no.csv\n",
        )
    told = [problem.parameter for problem in refusal.value.problems]
    assert told == [
        *("protect.alpha", "sizes", "jobs", "tables[0].name", "tables[0].margins"),
        *("tables[1].by", "tables[1].where.sex"),
    ]
