"""Whether the economy is believable: sizes, owners, people and pay."""

import numpy as np
import pyarrow.compute as pc
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from leeward.lab.economy.made_up_codes import SECTORS, WORKER_CODES
from tests.lab.economy.conftest import Written, column, counts


def dominance(written: Written) -> NDArray[np.float64]:
    """Share of the largest establishment in each cell of place, sector and ownership."""
    frame = written.workplaces.append_column("size", [written.sizes])
    cells = frame.group_by(["place", "sector", "ownership"])
    summed = cells.aggregate([("size", "max"), ("size", "sum")])
    total = column(summed, "size_sum")
    shares: NDArray[np.float64] = column(summed, "size_max")[total > 0] / total[total > 0]
    return shares


def test_sizes_have_a_heavy_right_tail(country: Written) -> None:
    sizes = country.sizes[country.sizes > 0]
    assert 5 <= np.median(sizes) <= 8
    assert 130 <= np.quantile(sizes, 0.99) <= 300
    assert 2_000 <= sizes.max() <= country.economy.jobs ** (2 / 3)
    top = np.sort(sizes)[-len(sizes) // 100 :]
    assert 0.2 <= top.sum() / sizes.sum() <= 0.5


def test_the_largest_sizes_are_not_piled_up_at_a_limit(country: Written) -> None:
    assert len(np.unique(np.sort(country.sizes)[-20:])) >= 18


def test_one_establishment_dominates_many_cells(country: Written) -> None:
    assert 0.4 <= np.median(dominance(country)) <= 0.8


def test_some_establishments_have_no_jobs(country: Written, town: Written) -> None:
    assert (country.sizes == 0).mean() == pytest.approx(0.03, abs=0.0001)
    assert (town.sizes == 0).sum() == 30


def test_places_follow_a_power_law(country: Written) -> None:
    per_place = np.sort(np.unique(column(country.workplaces, "place"), return_counts=True)[1])[::-1]
    assert len(per_place) == country.economy.place_count
    assert per_place[0] > 5 * np.median(per_place)
    slope = np.polyfit(np.log(np.arange(len(per_place)) + 3), np.log(per_place), 1)[0]
    assert -1.2 < slope < -0.8


def test_firms_own_several_establishments(country: Written) -> None:
    owned = np.bincount(column(country.workplaces, "employer_id"))[1:]
    assert owned.min() >= 1
    assert (owned > 1).sum() > 500
    assert owned.max() > 50
    assert 0.6 < (owned == 1).sum() / len(country.workplaces) < 0.9


def test_an_employer_has_one_sector_and_one_kind_of_owner(country: Written) -> None:
    firms = country.workplaces.group_by("employer_id")
    kinds = firms.aggregate([("sector", "count_distinct"), ("ownership", "count_distinct")])
    assert pc.max(kinds["sector_count_distinct"]).as_py() == 1
    assert pc.max(kinds["ownership_count_distinct"]).as_py() == 1


def test_public_administration_is_public_and_most_jobs_are_private(country: Written) -> None:
    sector, owner = (column(country.workplaces, name) for name in ("sector", "ownership"))
    assert "5" not in set(owner[sector == "92"])
    assert set(owner[sector == "42"]) == {"5"}
    assert 0.75 < country.sizes[owner == "5"].sum() / country.economy.jobs < 0.9


@pytest.mark.parametrize("frame", ["sector", "place"])
def test_people_depend_on_sector_and_place(country: Written, frame: str) -> None:
    for attribute in WORKER_CODES:
        found = chi2_contingency(counts(country.joined, frame, attribute))
        # Without dependence the statistic is about its degrees of freedom.
        assert found.statistic > 3 * found.dof, attribute


def test_independent_attributes_would_not_pass_for_dependent(country: Written) -> None:
    parity = column(country.joined, "worker_id") % 2
    table = country.joined.append_column("parity", [parity])
    found = chi2_contingency(counts(table, "parity", "sector"))
    assert found.statistic < 3 * found.dof


def test_older_workers_have_more_degrees_than_the_young(country: Written) -> None:
    age, school = (column(country.workers, name) for name in ("age", "education"))
    degree = school == "E4"
    assert degree[age == "A02"].mean() > degree[age == "A01"].mean() + 0.1


def test_earnings_are_positive_and_rise_with_education(country: Written) -> None:
    earnings, school = (column(country.joined, name) for name in ("earnings", "education"))
    assert earnings.min() >= 50_00
    usual = [np.median(earnings[school == code]) for code in ("E1", "E2", "E3", "E4")]
    assert usual == sorted(usual)
    assert usual[-1] > 1.8 * usual[0]


def test_earnings_differ_between_sectors(country: Written) -> None:
    earnings, sector = (column(country.joined, name) for name in ("earnings", "sector"))
    found = [np.median(earnings[sector == each.code]) / 100 for each in SECTORS]
    assert np.corrcoef(np.log(found), np.log([each.pay for each in SECTORS]))[0, 1] > 0.97


def test_shares_of_the_sectors_are_whole() -> None:
    assert len({sector.code for sector in SECTORS}) == 20
    for sector in SECTORS:
        assert sum(sector.ages) == sum(sector.education) == 100
        assert sum(sector.public) <= 100


def test_some_workers_hold_a_second_job_somewhere_else(moonlighters: Written) -> None:
    held = np.bincount(column(moonlighters.jobs, "worker_id"))[1:]
    assert set(held) == {1, 2}
    assert (held == 2).mean() == pytest.approx(0.1, abs=1e-4)
    pairs = moonlighters.jobs.group_by(["worker_id", "workplace_id"]).aggregate([])
    assert len(pairs) == moonlighters.economy.jobs


def test_second_jobs_are_spread_over_the_economy(moonlighters: Written) -> None:
    worker, at = (column(moonlighters.jobs, name) for name in ("worker_id", "workplace_id"))
    held = np.bincount(worker)[worker]
    assert len(np.unique(at[held == 2])) > 500


def test_the_second_job_usually_pays_less(moonlighters: Written) -> None:
    paid = moonlighters.jobs.group_by("worker_id")
    found = paid.aggregate([("earnings", "min"), ("earnings", "max"), ("earnings", "count")])
    two = found.filter(pc.equal(found["earnings_count"], 2))
    ratio = column(two, "earnings_min") / column(two, "earnings_max")
    assert np.median(ratio) < 0.5
