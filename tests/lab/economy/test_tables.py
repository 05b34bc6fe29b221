from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Codebook, read_codebook
from leeward.lab.economy import Economy, write_economy
from tests.lab.economy.conftest import Written, column, write

TEXT = {
    "workplaces": ("place", "sector", "ownership"),
    "workers": ("age", "sex", "race", "ethnicity", "education", "schooling"),
}
KEPT = {
    "workplaces": {
        "workplace_id": "4187fe63fa78d8b4",
        "employer_id": "98f039da3c4ee747",
        "place": "1bfc2da345a39812",
        "block": "41d0d0072aec2cc1",
        "sector": "1c67fdfe641c55fc",
        "ownership": "08e7db3a5646394b",
    },
    "workers": {
        "worker_id": "d9f4c813041c3ca9",
        "age": "d97b4a3db1ad5c41",
        "sex": "0541418fab6d5b0a",
        "race": "b92aae83bdc2223e",
        "ethnicity": "e7d25077979f0b42",
        "education": "1c2bdd5032ddce90",
        "schooling": "ca4a590881c1e7cd",
    },
    "jobs": {
        "worker_id": "dee9690c64940689",
        "workplace_id": "f23f90a7ed00683b",
        "earnings": "2c17d37bf6caddfa",
    },
}
"""SHA-256 of each column's values; all but schooling are of the code before it had schooling."""


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
    assert set(codebook.attributes) == public | set(TEXT["workers"]) | {"earnings"}
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


def test_columns_have_the_values_that_they_always_had(tmp_path: Path) -> None:
    asked = Economy(2_000, 100, seed=7, several_jobs="1/10", geography="blocks")
    made = write(tmp_path, asked)
    for name, kept in KEPT.items():
        table = getattr(made, name)
        texts = {one: "\n".join(map(str, table.column(one).to_pylist())) for one in kept}
        assert {one: sha256(text.encode()).hexdigest()[:16] for one, text in texts.items()} == kept
        assert table.column_names == list(kept)


def test_no_job_is_ever_left_out(town: Written) -> None:
    codebook = read_codebook(town.files.codebook)
    usual = {}
    for one in codebook.attributes.values():
        if not one.of_workplaces:
            assert one.missing is not None
            assert one.missing == one.unlisted
            assert not one.leaves_out
            usual[one.name] = one.codes[one.missing]
    assert usual["age"] == "A02"
    # Who has nothing but missing codes is a possible worker.
    assert not any(rule.items() <= usual.items() for rule in codebook.impossible)


def test_earnings_have_the_classes_of_lodes(country: Written) -> None:
    numbers = read_codebook(country.files.codebook).attributes["earnings"].numbers
    assert numbers is not None
    assert (numbers.unit, numbers.period, numbers.low) == ("cent", "month", 0)
    dollars = {code: bound / 100 for code, bound in numbers.bounds}
    assert (dollars["CE01"], dollars["CE02"]) == (1_250, 3_333)
    paid = column(country.jobs, "earnings")
    held = np.searchsorted([bound for _, bound in numbers.bounds], paid)
    assert np.bincount(held, minlength=4).tolist()[3:] == [0]  # nobody is above the cap
    assert np.bincount(held).min() > 0.05 * len(paid)


def test_only_workers_from_30_on_are_asked_and_the_codebook_says_so(country: Written) -> None:
    workers = country.workers
    age, education, school = (column(workers, one) for one in ("age", "education", "schooling"))
    assert set(school[age == "A01"]) == {"E5"}
    assert (school == education)[age != "A01"].all()
    pairs = workers.group_by(["age", "schooling"]).aggregate([]).to_pylist()
    book = read_codebook(country.files.codebook)
    possible = [pair for pair in _all_pairs(book) if pair not in map(dict, book.impossible)]
    assert sorted(map(str, possible)) == sorted(map(str, pairs))


def _all_pairs(book: Codebook) -> list[dict[str, str]]:
    codes = (book.attributes[name].codes for name in ("age", "schooling"))
    return [{"age": age, "schooling": school} for age, school in product(*codes)]


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
