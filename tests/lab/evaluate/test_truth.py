"""The truth of a table against jobs counted one by one, and what must not be done with it."""

import copy
import pickle
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leeward.core.codebook import Dimension, EveryJob, Marginal, SingleJob
from leeward.core.codebook.cells import columns
from leeward.core.errors import InvalidParameter
from leeward.lab.baselines.noise_infusion import owners
from leeward.lab.evaluate.truth import Truth, place_position, read_truths, stratum
from leeward.publishing.engines import connect
from tests.lab.evaluate.by_hand import Site, truth
from tests.publishing.engines.paid import BOOK as PAID
from tests.publishing.engines.paid import paid_marginals, paid_tables, slow_payrolls
from tests.publishing.engines.small import (
    OWNED,
    Economy,
    Row,
    codebook,
    economy,
    marginal,
    owned,
    parquet,
    whole,
)
from tests.publishing.engines.test_numbers import in_files
from tests.publishing.engines.truth import index, sites
from tests.publishing.engines.truth import truth as counted

RULE = SingleJob()


def town(seed: int) -> Economy:
    """Small places and one of a few hundred jobs, an employer in both, sites without jobs."""
    rng = np.random.default_rng(seed)
    staff = [90, 60, 40, 3, 2, 1, 1, 0, 30, 0]
    places = ["02", "02", "02", "01", "01", "01", "05", "05", "03", "04"]
    employers: list[int | None] = [7, 8, 8, 7, None, 9, 9, None, 8, 9]
    workplaces: list[Row] = [
        {
            "workplace_id": n,
            "place": place,
            "sector": "ABX"[n % 3],
            "state_owned": n % 2 == 0,
            "employer_id": employer,
        }
        for n, (place, employer) in enumerate(zip(places, employers, strict=True))
    ]
    held = [n for n, size in enumerate(staff) for _ in range(size)]
    workers: list[Row] = [
        {
            "worker_id": n,
            "sex": "FM"[rng.integers(2)],
            "education": ["E0", "E1", "E2", "E3", None][rng.integers(5)],
            "age_group": int(rng.integers(1, 6)),
        }
        for n in range(len(held))
    ]
    jobs: list[Row] = [
        {"worker_id": n, "workplace_id": at, "contract": "TP"[n % 2], "pay": 1.0}
        for n, at in enumerate(held)
    ]
    return Economy(workplaces, workers, jobs)


def read(made: Economy, tables: list[Marginal], folder: Path) -> Mapping[Marginal, Truth]:
    with connect(parquet(made, folder), folder) as engine:
        return read_truths(engine, codebook(folder, OWNED), RULE, tables, "place")


def plain(made: Economy, table: Marginal) -> dict[str, Any]:
    """Everything that a truth tells, as lists, from the rows; in the order of the strata."""
    cells = counted(made, RULE, table)
    rows = {row["workplace_id"]: row for row in made.workplaces}
    at = place_position(table, "place")
    jobs: dict[int, int] = defaultdict(int)
    place: dict[int, int] = {}
    who: dict[tuple[int, int], set[object]] = defaultdict(set)
    for key, (cell, size, counts) in sites(made, RULE, table).items():
        place[cell] = index(table.workplace[at], rows[key]) if table.workplace else 0
        jobs[place[cell]] += size
        employer = rows[key]["employer_id"]
        for k, count in enumerate(counts):
            if count:
                who[cell, k].add(("alone", key) if employer is None else employer)
    of = {key: sum(jobs[place[key]] >= bound for bound in (100, 10_000, 100_000)) for key in cells}
    order = sorted(cells, key=lambda key: (of[key], key))
    return {
        "counts": [list(cells[key].counts) for key in order],
        "largest": [cells[key].largest for key in order],
        "cell_largest": [list(cells[key].cell_largest) for key in order],
        "in_frame": [cells[key].in_frame for key in order],
        "strata": [of[key] for key in order],
        "employers": [[len(who[key, k]) for k in range(table.worker_cells)] for key in order],
    }


def told(found: Truth) -> dict[str, Any]:
    assert found.cells.in_frame is not None
    columns = {
        "counts": found.counts,
        "largest": found.cells.largest,
        "cell_largest": found.cells.own_largest(),
        "in_frame": found.cells.in_frame,
        "strata": found.strata,
        "employers": found.employers,
    }
    return {name: column.tolist() for name, column in columns.items()}


def tables(folder: Path) -> list[Marginal]:
    book = codebook(folder, OWNED)
    place, sector, education = whole(book, "place", "sector", "education")
    young = Dimension(book.attributes["age"], (0, 1))
    return [
        Marginal("places", (place,), ()),
        Marginal("second", (sector, place), ()),
        Marginal("fine", (place, sector), whole(book, "sex", "age")),
        Marginal("incomplete", (place,), (education,)),
        Marginal("filtered", (place, sector), (), (young,)),
        Marginal("some", (place,), (Dimension(education.attribute, (1,)),), (young,)),
        Marginal("all", (), whole(book, "sex")),
        Marginal("sectors", (sector,), ()),
    ]


@pytest.mark.parametrize("seed", range(2))
def test_a_truth_is_what_counting_one_by_one_gives(seed: int, tmp_path: Path) -> None:
    made, asked = town(seed), tables(tmp_path)
    found = read(made, asked, tmp_path)
    for table in asked:
        assert told(found[table]) == plain(made, table), table.name
    strata = {table.name: set(found[table].strata.tolist()) for table in asked}
    assert strata["places"] == strata["second"] == strata["fine"] == {0, 1}
    employers = found[asked[0]].employers.ravel().tolist()
    assert max(employers) < found[asked[0]].entries.sizes.size  # some own several


@pytest.mark.parametrize("seed", range(5))
def test_random_tables_of_random_economies(seed: int, tmp_path: Path) -> None:
    made = owned(economy(seed + 20), seed)
    table = marginal(seed, codebook(tmp_path, OWNED))
    (found,) = read(made, [table], tmp_path).values()
    assert told(found) == plain(made, table)


def test_a_table_without_workplaces_is_refused(tmp_path: Path) -> None:
    book = codebook(tmp_path, OWNED)
    elsewhere = Dimension(book.attributes["place"], (1,))
    made = Economy([row | {"place": "01"} for row in town(0).workplaces], [], [])
    table = Marginal("nowhere", whole(book, "sector"), (), (elsewhere,))
    with pytest.raises(InvalidParameter) as caught:
        read(made, [table], tmp_path)
    assert str(caught.value) == (
        "tables: must have workplaces in the frame to be evaluated; got none for table 'nowhere'. "
        "Leave the table out, or widen its filter."
    )


def test_numbers_of_establishments_mean_the_same_in_all_tables(tmp_path: Path) -> None:
    made, asked = town(0), tables(tmp_path)
    found = read(made, asked, tmp_path)
    size: dict[int, int] = {}
    for one in found.values():
        held = one.entries
        assert held.establishment is not None
        pairs = zip(held.establishment.tolist(), held.sizes.tolist(), strict=True)
        for number, jobs in pairs:
            assert size.setdefault(number, jobs) == jobs
    assert sorted(size.values()) == [1, 1, 2, 3, 30, 40, 60, 90]
    owner = owners(one.entries for one in found.values())
    groups: dict[int, list[int]] = defaultdict(list)
    for number, jobs in size.items():
        groups[int(owner[number])].append(jobs)
    assert sorted(map(sorted, groups.values())) == [[1, 1], [2], [3, 90], [30, 40, 60]]


def test_a_bound_belongs_to_the_class_above_it() -> None:
    jobs = [0, 99, 100, 9_999, 10_000, 99_999, 100_000, 10**9]
    assert stratum(np.array(jobs)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


SMALL = truth(
    [Site(0, (3, 0), 4, employer=1), Site(0, (50, 60), employer=1), Site(2, (1, 2), employer=2)]
)


def test_a_truth_is_not_shown() -> None:
    assert repr(SMALL) == str(SMALL) == f"{SMALL}" == "Truth(not shown)"
    assert str([SMALL]) == "[Truth(not shown)]"


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_truth_is_not_copied_or_stored(take: Any) -> None:  # noqa: ANN401 (as above)
    with pytest.raises(TypeError, match="the truth is not copied or stored"):
        take(SMALL)


def test_what_holds_a_truth_is_not_stored_either() -> None:
    with pytest.raises(TypeError, match="the truth is not copied or stored"):
        pickle.dumps({"tables": (SMALL,)})


def test_establishments_above_the_bound_are_left_out_with_all_their_jobs() -> None:
    assert SMALL.entries.up_to(6).tolist() == [[0, 0], [0, 0], [1, 2]]
    assert SMALL.entries.up_to(7).tolist() == [[3, 0], [0, 0], [1, 2]]
    assert SMALL.entries.up_to(109).tolist() == [[3, 0], [0, 0], [1, 2]]
    assert SMALL.entries.up_to(110).tolist() == SMALL.counts.tolist()


def test_employers_count_once_in_a_cell() -> None:
    assert SMALL.employers.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_thinning_keeps_every_so_manieth_workplace() -> None:
    many = truth([Site(n, (n, 1)) for n in range(10)], strata=range(10))
    assert many.thinned(20).cells.shape == (10, 2)
    few = many.thinned(7)
    assert few.counts.tolist() == [[n, 1] for n in (0, 3, 6, 9)]
    assert few.cells.largest.tolist() == [1, 4, 7, 10]
    assert few.cells.own_largest().tolist() == few.counts.tolist()
    assert few.strata.tolist() == [0, 3, 6, 9]


def test_the_truth_of_a_table_of_pay_has_its_payrolls(tmp_path: Path) -> None:
    book = codebook(tmp_path, PAID)
    *_, table = paid_marginals(book)
    with connect(in_files(paid_tables(), tmp_path), tmp_path) as engine:
        held = read_truths(engine, book, EveryJob(), [table], "place")[table]
    true = slow_payrolls(table, EveryJob(), merged=False)
    found = columns(held.every(1).cells)
    assert found["payroll"].tolist() == [true[key][3] for key in held.numbered().tolist()]
    assert found["largest_payroll"].tolist() == [true[key][4] for key in held.numbered().tolist()]
