from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.economy import Economy, write_economy
from leeward.model import read_codebook
from tests.economy.conftest import Written, column, write

TEXT = {
    "workplaces": ("place", "sector", "ownership"),
    "workers": ("age", "sex", "race", "ethnicity", "education"),
}


@pytest.mark.parametrize("name", ["town", "country", "tracts", "moonlighters"])
def test_totals_are_exactly_those_asked_for(name: str, request: pytest.FixtureRequest) -> None:
    written: Written = request.getfixturevalue(name)
    assert len(written.jobs) == written.economy.jobs
    assert len(written.workplaces) == written.economy.establishments
    assert len(written.workers) == written.economy.workers


@pytest.mark.parametrize(
    ("jobs", "establishments", "places", "geography"),
    [
        (0, 1, 1, "places"),
        (0, 7, 3, "places"),
        (1, 1, 1, "places"),
        (1, 50, 9, "places"),
        (3, 2, 1, "places"),
        (40, 50, 4, "places"),
        (50, 50, 60, "places"),
        (999, 1, 2, "places"),
        (0, 1, 1, "tracts"),
        (1, 50, 9, "tracts"),
        (50, 50, 60, "tracts"),
        (1, 50, 9, "blocks"),
    ],
)
def test_small_economies_have_their_totals_too(
    tmp_path: Path, jobs: int, establishments: int, places: int, geography: str
) -> None:
    written = write(tmp_path, Economy(jobs, establishments, places, geography=geography))
    assert (len(written.jobs), len(written.workers)) == (jobs, jobs)
    assert len(written.workplaces) == establishments
    assert written.sizes.sum() == jobs


def test_columns_have_the_promised_names_and_types(town: Written) -> None:
    whole, text = pa.int64(), pa.string()
    assert [(each.name, each.type) for each in town.workplaces.schema] == [
        ("workplace_id", whole),
        ("employer_id", whole),
        *((name, text) for name in TEXT["workplaces"]),
    ]
    assert [(each.name, each.type) for each in town.workers.schema] == [
        ("worker_id", whole),
        *((name, text) for name in TEXT["workers"]),
    ]
    assert [(each.name, each.type) for each in town.jobs.schema] == [
        ("worker_id", whole),
        ("workplace_id", whole),
        ("earnings", whole),
    ]


def test_text_is_stored_by_dictionary(town: Written) -> None:
    for table, names in TEXT.items():
        group = pq.ParquetFile(getattr(town.files, table)).metadata.row_group(0)
        chunks = [group.column(n) for n in range(group.num_columns)]
        found = {each.path_in_schema for each in chunks if each.has_dictionary_page}
        assert set(names) <= found


@pytest.mark.parametrize("name", ["town", "country", "tracts", "moonlighters"])
def test_identifiers_are_unique_and_references_exist(
    name: str, request: pytest.FixtureRequest
) -> None:
    written: Written = request.getfixturevalue(name)
    workplaces = column(written.workplaces, "workplace_id")
    workers = column(written.workers, "worker_id")
    assert len(np.unique(workplaces)) == len(workplaces)
    assert len(np.unique(workers)) == len(workers)
    assert np.isin(column(written.jobs, "workplace_id"), workplaces).all()
    assert np.array_equal(np.unique(column(written.jobs, "worker_id")), np.sort(workers))


def test_workers_are_listed_in_another_order_than_jobs(country: Written) -> None:
    workers, holders = column(country.workers, "worker_id"), column(country.jobs, "worker_id")
    assert (workers == holders).mean() < 0.001
    assert abs(np.corrcoef(holders, np.arange(len(holders)))[0, 1]) < 0.01


def test_every_code_is_in_the_codebook_and_the_other_way_round(country: Written) -> None:
    codebook = read_codebook(country.files.codebook)
    for table, names in TEXT.items():
        for name in names:
            found = set(getattr(country, table).column(name).unique().to_pylist())
            assert found == set(codebook.attributes[name].codes)


def test_the_codebook_declares_the_frame_public_and_people_not(town: Written) -> None:
    codebook = read_codebook(town.files.codebook)
    public = {name for name, each in codebook.attributes.items() if each.public}
    assert public == {"place", "region", "sector", "ownership"}
    assert set(codebook.attributes) == public | set(TEXT["workers"])
    assert codebook.keys.workplaces.employer == "employer_id"
    assert len(codebook.attributes["sector"].codes) == 20


def test_every_place_has_a_region(town: Written) -> None:
    codebook = read_codebook(town.files.codebook)
    region = codebook.attributes["region"]
    assert region.codes == ("03", "07", "14", "43")
    place = codebook.attributes["place"]
    assert [region.codes[region.recode[code]] for code in place.codes] == [
        code[:2] for code in place.codes
    ]


def test_a_single_place_has_a_single_region(tmp_path: Path) -> None:
    files = write_economy(Economy(jobs=10, establishments=2, places=1), tmp_path)
    codebook = read_codebook(files.codebook)
    assert codebook.attributes["region"].codes == ("03",)
    assert codebook.attributes["place"].codes == ("0300001",)


def test_the_same_request_gives_the_same_bytes(town: Written, tmp_path: Path) -> None:
    again = write_economy(Economy(), tmp_path)
    for first, second in zip(town.files, again, strict=True):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_another_seed_gives_another_economy(town: Written, tmp_path: Path, seed: int) -> None:
    other = write(tmp_path, Economy(seed=seed))
    assert not other.workplaces.equals(town.workplaces)
    assert not other.workers.equals(town.workers)
    assert not other.jobs.equals(town.jobs)
    assert other.files.codebook.read_text() == town.files.codebook.read_text()


def test_progress_rises_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    economy = Economy(jobs=1_200_000, establishments=5_000)
    write_economy(economy, tmp_path, progress=lambda *both: told.append(both))
    assert len(told) == 3
    assert told == sorted(set(told))
    assert {total for _, total in told} == {economy.jobs}
    assert told[-1][0] == economy.jobs
