"""The economy over time: wage records of quarters, and cohorts of people."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from leeward.lab.economy import Economy, EconomyFiles, made_up_codes, write_economy
from leeward.lab.economy.job_batches import MadeUpWorld
from tests.lab.economy.conftest import Written, column, positions, write

PLAIN = Economy(6_000, 300, seed=5, several_jobs="1/3")
LIVED = replace(PLAIN, quarters=6, cohorts=True)
FIRST = "2025Q3"


@dataclass(frozen=True)
class Quarters:
    """The wage records of an economy without second jobs, and whether pay goes on."""

    made: Written

    @cached_property
    def wages(self) -> pa.Table:
        assert self.made.files.wages is not None
        return pq.read_table(self.made.files.wages)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        return positions(self.wages, "quarter")

    def paid(self, shift: int) -> NDArray[np.bool_]:
        """Whether each job is also paid `shift` quarters later."""
        pair = column(self.wages, "worker_id") * 10**6 + column(self.wages, "workplace_id")
        key = pair * 1_000 + self.number
        ordered, wanted = np.sort(key), key + shift
        found: NDArray[np.bool_] = ordered[np.searchsorted(ordered[:-1], wanted)] == wanted
        return found

    @cached_property
    def before(self) -> NDArray[np.bool_]:
        return self.paid(-1)

    @cached_property
    def after(self) -> NDArray[np.bool_]:
        return self.paid(1)

    def by_establishment(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        places = column(self.wages, "workplace_id")[rows]
        return np.bincount(places, minlength=self.made.economy.establishments + 1)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> EconomyFiles:
    return write_economy(PLAIN, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> EconomyFiles:
    return write_economy(LIVED, tmp_path_factory.mktemp("lived"))


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Quarters:
    economy = Economy(20_000, 1_000, quarters=16, cohorts=True)
    return Quarters(write(tmp_path_factory.mktemp("years"), economy))


def test_time_leaves_all_other_files_as_they_are(plain: EconomyFiles, lived: EconomyFiles) -> None:
    assert {path.name: path.read_bytes() for path in plain}.items() <= {
        path.name: path.read_bytes() for path in lived
    }.items()
    assert len(list(lived)) == len(list(plain)) + 2


def test_the_same_request_gives_the_same_time(lived: EconomyFiles, tmp_path: Path) -> None:
    again = write_economy(LIVED, tmp_path)
    assert [path.name for path in again][-2:] == ["wages.parquet", "cohorts.parquet"]
    for first, second in zip(lived, again, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_the_first_quarter_has_the_jobs_paid_three_months(lived: EconomyFiles) -> None:
    assert lived.wages is not None
    wages = pq.read_table(lived.wages)
    whole = pa.int64()
    assert [(each.name, each.type) for each in wages.schema] == [
        ("worker_id", whole),
        ("workplace_id", whole),
        ("quarter", pa.string()),
        ("earnings", whole),
    ]
    first = wages.filter(pc.field("quarter") == FIRST).drop_columns("quarter")
    jobs = pq.read_table(lived.jobs)
    tripled = pc.multiply(jobs.column("earnings"), 3)
    assert first.equals(jobs.set_column(2, "earnings", tripled))
    quarters = wages.column("quarter").unique().to_pylist()
    assert quarters == [FIRST, "2025Q4", "2026Q1", "2026Q2", "2026Q3", "2026Q4"]


def test_nobody_is_paid_twice_by_one_workplace_in_a_quarter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Batches so small that second jobs lie in others than first ones; few establishments, so that
    # without care people would move to where they have their second job.
    monkeypatch.setattr("leeward.lab.economy.job_batches.BATCH", 700)
    asked = Economy(3_000, 20, places=1, several_jobs=1, quarters=6)
    wages = pq.read_table(write_economy(asked, tmp_path).wages)
    assert len(wages.group_by(["worker_id", "workplace_id", "quarter"]).aggregate([])) == len(wages)
    assert column(wages, "earnings").min() >= 1


@pytest.mark.parametrize("share", [0, "1/7", "2/3", 1])
def test_second_jobs_are_found_again(share: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leeward.lab.economy.job_batches.BATCH", 700)
    world = MadeUpWorld.build(Economy(2_500, 40, several_jobs=share))
    batches = list(world.batches())
    second = {
        worker: place
        for one in batches
        for worker, place in zip(one.worker[one.second], one.workplace[one.second], strict=True)
    }
    assert len(second) == world.economy.second_jobs
    for one in batches:
        expected = [second.get(worker, 0) for worker in one.worker]
        found = world.second_workplaces(one)
        assert found[~one.second].tolist() == np.array(expected)[~one.second].tolist()
        assert not found[one.second].any()


def test_rates_are_as_large_as_real_ones(years: Quarters) -> None:
    for number in range(2, 15):
        rows = years.number == number
        begin, end = years.before[rows], years.after[rows]
        assert 0.83 < begin.mean() < 0.90
        assert 0.13 < (~begin).sum() / begin.sum() < 0.21
        assert 0.13 < (~end).sum() / begin.sum() < 0.21
        change = years.by_establishment(rows & years.after) - years.by_establishment(
            rows & years.before
        )
        for moved in (change[change > 0].sum(), -change[change < 0].sum()):
            assert 0.045 < moved / begin.sum() < 0.08
        assert 0.01 < (~begin & ~end).mean() < 0.04


def test_large_establishments_are_steadier(years: Quarters) -> None:
    rows = years.number == 8
    start = years.by_establishment(rows & years.before)
    change = abs(years.by_establishment(rows & years.after) - start)
    small, large = (start > 0) & (start < 20), start >= 100
    assert change[large].sum() / start[large].sum() < change[small].sum() / start[small].sum() / 2
    # Beyond the chance of single hires and separations they grow as a whole.
    assert np.mean(change[large] ** 2 / start[large]) > 0.5


def test_the_young_leave_more_often_and_people_come_back(years: Quarters) -> None:
    workers = years.made.workers
    young = column(workers, "worker_id")[column(workers, "age") == "A01"]
    holder = column(years.wages, "worker_id")
    of_young, ends = np.isin(holder, young), ~years.after & (years.number < 15)
    assert ends[of_young].mean() > 1.4 * ends[~of_young].mean()
    held = np.zeros((years.made.economy.workers + 1, 16), dtype=np.int64)
    np.add.at(held, (holder, years.number), 1)
    assert 0.05 < (held[1:, 8] == 0).mean() < 0.15
    away = (held[1:, 8] == 0) & (held[1:, 9] == 0)
    assert (held[1:, 12][away] > 0).mean() > 0.8
    assert 0.05 < (held[1:, 8] == 2).mean() < 0.2
    assert held.max() == 2  # one job and, in the quarter of a move, the next one


def test_pay_is_partial_at_both_ends_and_rises(years: Quarters) -> None:
    pay, rows = column(years.wages, "earnings"), years.number == 8
    full = rows & years.before & years.after
    for part in (years.before & ~years.after, ~years.before & years.after):
        assert 0.3 < np.mean(pay[rows & part]) / np.mean(pay[full]) < 0.65
    cohort = column(_cohorts(years.made.files), "worker_id")
    others = ~np.isin(column(years.wages, "worker_id"), cohort)
    at = [
        np.median(pay[others & (years.number == n) & years.before & years.after]) for n in (2, 14)
    ]
    assert 1.02**3 < at[1] / at[0] < 1.07**3


def _cohorts(files: EconomyFiles) -> pa.Table:
    assert files.cohorts is not None
    return pq.read_table(files.cohorts)


def test_cohorts_have_the_columns_of_their_kind(years: Quarters) -> None:
    table = _cohorts(years.made.files)
    lists = {
        "institution": made_up_codes.INSTITUTIONS,
        "degree": made_up_codes.DEGREES,
        "cip": made_up_codes.CIPS,
        "title": made_up_codes.TITLES,
        "occupation": made_up_codes.OCCUPATIONS,
        "pay_grade": made_up_codes.PAY_GRADES,
        "afqt": made_up_codes.AFQT,
    }
    names = ["worker_id", "kind", "institution", "year", *list(lists)[1:]]
    assert table.column_names == names
    has = {
        "graduate": {"institution", "degree", "cip"},
        "leaver": {"institution", "title"},
        "veteran": {"occupation", "pay_grade", "afqt"},
    }
    for kind, own in has.items():
        rows = table.filter(pc.field("kind") == kind)
        for name, codes in lists.items():
            found = set(rows.column(name).unique().to_pylist())
            assert found == (set(codes) if name in own else {None})
        assert rows.column("year").unique().sort().to_pylist() == [2023, 2024, 2025, 2026]
    assert {len(code) for code in made_up_codes.INSTITUTIONS} == {8}


def test_cohorts_have_their_shares_and_some_people_two_rows(years: Quarters) -> None:
    table, workers = _cohorts(years.made.files), column(years.made.workers, "worker_id")
    people, rows = np.unique(column(table, "worker_id"), return_counts=True)
    assert np.isin(people, workers).all()
    for kind, share in (("graduate", 0.15), ("leaver", 0.05), ("veteran", 0.03)):
        members = table.filter(pc.field("kind") == kind).column("worker_id").unique()
        assert abs(len(members) / len(workers) - share) < 0.2 * share
    assert rows.max() == 2
    assert 0.012 < (rows == 2).mean() < 0.03
    without_year = table.drop_columns("year")
    assert len(without_year.group_by(without_year.column_names).aggregate([])) == len(table)


def test_pay_rises_with_graduation_degree_and_years(years: Quarters) -> None:
    table = _cohorts(years.made.files)
    once = table.group_by("worker_id").aggregate([("kind", "count")])
    once = once.filter(pc.field("kind_count") == 1)
    joined = years.wages.append_column("full", pa.array(years.before & years.after)).join(
        table.filter(pc.is_in(table.column("worker_id"), once.column("worker_id"))),
        "worker_id",
        join_type="inner",
    )
    joined = joined.filter(pc.field("full") & (pc.field("kind") == "graduate"))
    since = column(joined, "quarter").astype("U4").astype(int) - column(joined, "year")
    pay, degree = column(joined, "earnings"), column(joined, "degree")
    usual = {
        n: [np.median(pay[(degree == d) & (since == n)]) for d in ("03", "05", "07")]
        for n in (-1, 1, 3)
    }
    assert (np.divide(usual[1], usual[-1]) > 1.4).all()
    assert (np.diff(usual[1]) > 0).all()
    assert np.divide(usual[3], usual[1]).mean() > 1.1  # pay of everyone rises by 1.06
