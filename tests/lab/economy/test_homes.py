"""Homes of workers, and the public map that they follow from."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leeward.core.codebook import read_codebook
from leeward.core.randomness import SeededBits
from leeward.lab.economy import Economy
from leeward.lab.economy.homes import Homes
from tests.lab.economy.conftest import Written, column, write

PLAIN = Economy(6_000, 300, 30, seed=5, several_jobs="1/3", quarters=2, cohorts=True)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write(tmp_path_factory.mktemp("plain"), PLAIN)


@pytest.fixture(scope="module")
def housed(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write(tmp_path_factory.mktemp("housed"), replace(PLAIN, homes=True))


def test_homes_are_one_more_column_and_leave_all_else_as_it_is(
    plain: Written, housed: Written
) -> None:
    assert housed.workers.drop_columns(["home"]).equals(plain.workers)
    same = {path.name for path in plain.files} - {"workers.parquet", "codebook.yaml"}
    for path in housed.files:
        if path.name in same:
            assert path.read_bytes() == (plain.files.jobs.parent / path.name).read_bytes()
    assert {path.name for path in housed.files} - {path.name for path in plain.files} == {
        "home_zone.csv",
        "population.csv",
    }


def test_the_codebook_has_homes_and_zones_in_which_every_worker_counts(housed: Written) -> None:
    book = read_codebook(housed.files.codebook)
    home, zone = (book.attributes[name] for name in ("home", "home_zone"))
    assert home.codes == book.attributes["place"].codes
    assert set(column(housed.workers, "home")) <= set(home.codes)
    assert (home.complete, zone.complete, len(zone.codes)) == (True, True, 12)
    assert not home.public
    assert housed.files.population is not None
    with housed.files.population.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["place"] for row in rows] == list(home.codes)
    zones = [zone.codes[zone.recode[row["place"]]] for row in rows]
    assert [row["home_zone"] for row in rows] == zones
    assert min(int(row["people"]) for row in rows) > 0


def test_homes_are_drawn_by_people_and_distance() -> None:
    homes, jobs = Homes.of(replace(PLAIN, homes=True)), 40_000
    place = np.tile([3, 11], jobs)
    drawn = homes.draw(SeededBits(1), place)
    for work in (3, 11):
        expected = homes.attraction(work)
        expected *= jobs / expected.sum()
        found = np.bincount(drawn[place == work], minlength=30)
        assert (np.abs(found - expected) < 5 * np.sqrt(expected) + 5).all()
    closer = np.argsort(np.hypot(homes.x - homes.x[3], homes.y - homes.y[3]))
    per_head = homes.attraction(3) / homes.people
    assert (np.diff(per_head[closer]) <= 0).all()
    assert closer[0] == 3


def test_zones_are_of_neighbours(housed: Written) -> None:
    homes = Homes.of(housed.economy)
    for number in range(12):
        mine = homes.zone == number
        assert mine.sum() in (2, 3)
    assert np.ptp(homes.x[homes.zone < 3]) < np.ptp(homes.x) / 2


def test_workers_live_nearer_to_their_job_than_to_another(housed: Written) -> None:
    """Known bad: homes in the order of jobs in place of that of the worker table."""
    homes = Homes.of(housed.economy)
    codes = {code: at for at, code in enumerate(homes.places.codes)}
    work, home = (np.array([codes[c] for c in column(housed.joined, n)]) for n in ("place", "home"))
    near = np.hypot(homes.x[work] - homes.x[home], homes.y[work] - homes.y[home]).mean()
    other = np.random.default_rng(1).permutation(home)
    far = np.hypot(homes.x[work] - homes.x[other], homes.y[work] - homes.y[other]).mean()
    assert near < 0.7 * far


def test_a_single_place_is_a_zone_of_its_own(tmp_path: Path) -> None:
    made = write(tmp_path, Economy(3, 2, 1, homes=True))
    assert set(column(made.workers, "home")) == {"0300001"}
    assert read_codebook(made.files.codebook).attributes["home_zone"].codes == ("Z01",)
