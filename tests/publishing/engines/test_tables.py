"""Every number an engine gives equals the slow truth."""

from pathlib import Path

import pytest

from leeward.core.codebook import BoundedJobs, JobsRule, Marginal, PrimaryJob, SingleJob
from leeward.publishing.engines import connect, frame
from tests.publishing.engines.small import (
    Economy,
    codebook,
    economy,
    marginal,
    parquet,
    product,
    whole,
)
from tests.publishing.engines.truth import product_is_true, read, truth

RULES: tuple[JobsRule, ...] = (SingleJob(), PrimaryJob("pay"), BoundedJobs(2))


@pytest.mark.parametrize("seed", range(9))
def test_random_tables_of_random_economies(seed: int, tmp_path: Path) -> None:
    rule = RULES[seed % 3]
    made = economy(seed, single=seed % 3 == 0, text_ids=seed % 2 == 0)
    book = codebook(tmp_path)
    tables = [marginal(100 * seed + k, book) for k in range(4)]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        assert engine.check_headers(book, rule) == ()
        assert engine.workplaces() == len(made.workplaces)
        engine.prepare(book, rule, tables, tables)
        for k, table in enumerate(tables):
            expected = truth(made, rule, table)
            assert read(engine, table, batch=1 + (seed + 3 * k) % 7) == expected
            assert engine.frame_cells(table) == len(expected)


@pytest.mark.parametrize("seed", range(6))
def test_counts_shared_by_combination_are_the_same(seed: int, tmp_path: Path) -> None:
    rule = RULES[seed % 3]
    made = economy(seed, single=seed % 3 == 0)
    book = codebook(tmp_path)
    tables = [marginal(100 * seed + k, book) for k in range(1 + seed % 4)]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, rule, tables, [])
        for table in tables:
            expected = truth(made, rule, table)
            found = {}
            for one in engine.cells(table, batch=3):
                opened = one.cells.opened()
                for k, key in enumerate(one.keys):
                    found[int(key)] = (tuple(opened.counts[k]), opened.largest[k])
            assert found == {key: (cell.counts, cell.largest) for key, cell in expected.items()}
            assert list(found) == list(expected)


@pytest.mark.parametrize("seed", range(2))
def test_products_are_their_tables_side_by_side(seed: int, tmp_path: Path) -> None:
    made, book = economy(seed + 3, single=False), codebook(tmp_path)
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        table = product(book)
        engine.prepare(book, RULES[1], [table], [table])
        product_is_true(engine, made, RULES[1], table)


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_a_batch_is_as_long_as_asked_but_the_last(batch: int, tmp_path: Path) -> None:
    made, book = economy(3), codebook(tmp_path)
    table = Marginal("t", whole(book, "place", "sector"), whole(book, "sex"))
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        cells = engine.frame_cells(table)
        for batches in (engine.cells, engine.establishments):
            lengths = [len(one.keys) for one in batches(table, batch=batch)]
            assert lengths == [min(batch, cells - at) for at in range(0, cells, batch)]


def test_the_frame_does_not_depend_on_jobs(tmp_path: Path) -> None:
    book = codebook(tmp_path)
    table = Marginal("t", whole(book, "place", "sector"), whole(book, "sex", "education"))
    keys = []
    made = economy(5)
    for n, jobs in enumerate((made.jobs, [], made.jobs[:1])):
        folder = tmp_path / str(n)
        folder.mkdir()
        with connect(
            parquet(Economy(made.workplaces, made.workers, jobs), folder), folder
        ) as engine:
            engine.prepare(book, SingleJob(), [table], [table])
            keys.append([tuple(one.keys) for one in engine.cells(table, batch=4)])
            rows = [tuple(one.keys) for one in engine.establishments(table, batch=4)]
            assert rows == keys[-1]
    assert len(keys[0]) > 1
    assert keys[0] == keys[1] == keys[2]


def test_an_establishment_size_counts_jobs_that_no_cell_counts(tmp_path: Path) -> None:
    """Known bad: sizes of the counted jobs alone would be 1, and noise far too small."""
    made = Economy(
        [{"workplace_id": 1, "place": "01", "sector": "A", "state_owned": True}],
        [{"worker_id": i, "sex": "F", "education": "E0", "age_group": 1} for i in range(5)]
        + [{"worker_id": 9, "sex": "M", "education": "E1", "age_group": 1}],
        [
            {"worker_id": i, "workplace_id": 1, "contract": "T", "pay": 1.0}
            for i in (0, 1, 2, 3, 4, 9)
        ],
    )
    book = codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "education"), whole(book, "sex")[:1])
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        (cells,) = engine.cells(table, batch=10)
        (rows,) = engine.establishments(table, batch=10)
    assert cells.cells.opened().largest.tolist() == [6]
    assert cells.cells.opened().counts.sum() == 1
    assert rows.cells.opened().sizes.tolist() == [6]


def test_an_empty_frame_has_no_batches(tmp_path: Path) -> None:
    made, book = economy(1), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), ())
    bare = Economy([], made.workers, [])
    with connect(parquet(bare, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        assert engine.frame_cells(table) == 0
        assert list(engine.cells(table, batch=5)) == []
        assert list(engine.establishments(table, batch=5)) == []


def test_streams_of_two_tables_may_be_read_by_turns(tmp_path: Path) -> None:
    made, book = economy(3), codebook(tmp_path)
    first = Marginal("a", whole(book, "place", "sector"), whole(book, "sex"))
    second = Marginal("b", whole(book, "place", "sector"), whole(book, "age"))
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [first, second], [first])
        one_by_one = [
            [tuple(batch.keys) for batch in engine.cells(table, batch=1)]
            for table in (first, second)
        ]
        streams = zip(
            engine.cells(first, batch=1),
            engine.cells(second, batch=1),
            engine.establishments(first, batch=1),
            strict=True,
        )
        by_turns = [(tuple(a.keys), tuple(b.keys), tuple(c.keys)) for a, b, c in streams]
    assert [list(keys) for keys in zip(*by_turns, strict=True)][:2] == one_by_one


def test_a_second_preparation_replaces_the_first(tmp_path: Path) -> None:
    made, book = economy(3), codebook(tmp_path)
    first = Marginal("a", whole(book, "place"), whole(book, "sex"))
    second = Marginal("b", whole(book, "sector"), whole(book, "age"))
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), [first], [])
        engine.prepare(book, SingleJob(), [second], [second])
        assert read(engine, second, 2) == truth(made, SingleJob(), second)


@pytest.mark.parametrize("seed", [2, 7])
def test_combinations_that_outnumber_the_integers_are_ranked(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame, "MOST_NUMBERS", 1)
    made, book = economy(seed), codebook(tmp_path)
    tables = [marginal(100 * seed + k, book) for k in range(3)]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), tables, [])
        for table in tables:
            found = [one.cells.opened().counts.tolist() for one in engine.cells(table, batch=99)]
            counts = [list(cell.counts) for cell in truth(made, SingleJob(), table).values()]
            assert found == ([counts] if counts else [])
