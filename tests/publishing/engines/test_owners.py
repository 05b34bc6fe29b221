"""Who owns which establishment: the same number for the same employer, in every table."""

from pathlib import Path

import pytest

from leeward.core.codebook import BoundedJobs, Marginal, SingleJob
from leeward.core.errors import InvalidParameter, Undisclosed
from leeward.publishing.engines import connect
from tests.publishing.engines.small import (
    OWNED,
    WRITERS,
    Economy,
    codebook,
    economy,
    marginal,
    owned,
    parquet,
    unfolded,
    whole,
)
from tests.publishing.engines.truth import read, read_holdings, read_largest, true_holdings, truth

SHARING = (7, 13)
"""Economies in which the largest part of an employer is larger than any establishment."""


def tables(folder: Path, text: str = OWNED) -> list[Marginal]:
    book = codebook(folder, text)
    fine = Marginal("fine", whole(book, "place", "sector"), whole(book, "age", "contract"))
    return [fine, marginal(12, book), Marginal("places", whole(book, "place"), ())]


@pytest.mark.parametrize("place", WRITERS)
def test_every_place_knows_the_owners(place: str, tmp_path: Path) -> None:
    text_ids = place in ("csv.gz", "mixture", "sqlite")
    made = owned(economy(8, text_ids=text_ids), 1, text_ids=text_ids)
    asked, book = tables(tmp_path), codebook(tmp_path, OWNED)
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        assert unfolded(engine.check(book, SingleJob(), strict=True)) == ()
        engine.prepare(book, SingleJob(), asked, asked, owners="named")
        held = read_holdings(engine, asked, batch=3)
        assert held == true_holdings(made, SingleJob(), asked)
        assert 1 < len(held) < sum(map(len, held))
        for table in asked:  # and nothing else has changed
            assert read(engine, table, batch=3) == truth(made, SingleJob(), table)


@pytest.mark.parametrize("seed", range(5))
def test_random_owners(seed: int, tmp_path: Path) -> None:
    rule = BoundedJobs(2)
    made = owned(economy(seed, single=False), seed, text_ids=seed % 2 == 0)
    asked = tables(tmp_path)
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(codebook(tmp_path, OWNED), rule, [], asked, owners="named")
        assert read_holdings(engine, asked, batch=2) == true_holdings(made, rule, asked)


@pytest.mark.parametrize("seed", SHARING)
def test_what_an_owner_has_in_a_cell_counts_as_one(seed: int, tmp_path: Path) -> None:
    rule, book = BoundedJobs(2), codebook(tmp_path, OWNED)
    made = owned(economy(seed, single=False), seed, text_ids=seed % 2 == 0)
    fine, by_sex, county = (
        Marginal(f"by {' '.join(by)}", whole(book, *by), whole(book, *workers))
        for by, workers in ((["place", "sector"], ["age"]), (["county"], ["sex"]), (["county"], []))
    )
    parts = {one: truth(made, rule, one, merged=True) for one in (fine, by_sex, county)}
    assert max(one.largest for one in parts[county].values()) > max(
        one.largest for one in truth(made, rule, county).values()
    )
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, rule, [], list(parts), owners="merged")
        assert {one: read(engine, one, batch=1) for one in parts} == parts
        for alone in (list(parts), [county]):  # cells alone, and a frame that is read once
            engine.prepare(book, rule, alone, [], owners="merged")
            for table in alone:
                true = {key: (one.counts, one.largest) for key, one in parts[table].items()}
                assert read_largest(engine, table) == true


@pytest.mark.parametrize("place", ["parquet", "csv", "sqlite"])
def test_without_a_known_employer_each_is_its_own(place: str, tmp_path: Path) -> None:
    made = economy(8)
    rows = [row | {"employer_id": None} for row in made.workplaces]
    unknown = Economy(rows, made.workers, made.jobs)
    asked = tables(tmp_path)
    with connect(WRITERS[place](unknown, tmp_path), tmp_path) as engine:
        engine.prepare(codebook(tmp_path, OWNED), SingleJob(), [], asked, owners="named")
        held = read_holdings(engine, asked, batch=3)
    assert held == true_holdings(unknown, SingleJob(), asked)
    assert {len(one) for one in held} == {1}


@pytest.mark.parametrize("place", ["parquet", "sqlite"])
def test_so_it_is_where_no_column_is_declared(place: str, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [], [table], owners="named")
        held = read_holdings(engine, [table], batch=3)
    assert held == true_holdings(made, SingleJob(), [table])
    assert {len(one) for one in held} == {1}


def test_owners_that_were_not_prepared_are_refused(tmp_path: Path) -> None:
    made = owned(economy(8), 1)
    table = tables(tmp_path)[0]
    book = codebook(tmp_path, OWNED)
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        with pytest.raises(InvalidParameter) as caught:
            list(engine.establishments(table, batch=1, owners=True))
        assert str(caught.value) == (
            "owners: must be prepared first; got tables that were prepared without. "
            "Give owners='named' to prepare."
        )
        engine.prepare(book, SingleJob(), [table], [], owners="named")
        with pytest.raises(InvalidParameter, match="prepared first with its establishments; got"):
            list(engine.establishments(table, batch=1, owners=True))


def test_no_owner_is_read_unless_asked(tmp_path: Path) -> None:
    """Known bad: a column of owners that is not there would end a tabulation that reads it."""
    made = economy(8)
    table = tables(tmp_path)[0]
    book = codebook(tmp_path, OWNED)
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert read(engine, table, batch=3) == truth(made, SingleJob(), table)
        with pytest.raises(Undisclosed):
            engine.prepare(book, SingleJob(), [table], [table], owners="named")


def test_nulls_among_employers_are_no_finding(tmp_path: Path) -> None:
    made = owned(economy(8), 1)
    assert None in {row["employer_id"] for row in made.workplaces}
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        assert engine.check_headers(codebook(tmp_path, OWNED), SingleJob()) == ()
        assert unfolded(engine.check(codebook(tmp_path, OWNED), SingleJob(), strict=True)) == ()
