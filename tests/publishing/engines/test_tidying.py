"""Every row of workers and jobs counts by a rule, wherever it lies, and none refuses anything."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import EVERY_STEP, BoundedJobs, EveryJob, JobsRule, Marginal, PrimaryJob
from leeward.publishing.engines import connect, counted_rows
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.small import (
    WRITERS,
    Economy,
    Row,
    codebook,
    economy,
    marginal,
    parquet,
    plain_csv,
    soiled,
    whole,
)
from tests.publishing.engines.truth import counts, read, tidy, truth

RULES: tuple[JobsRule, ...] = (
    *(EveryJob(), PrimaryJob("pay"), BoundedJobs(2)),
    BoundedJobs(1, "contract"),
)


def dirty(seed: int) -> Economy:
    return soiled(economy(seed, single=False, text_ids=seed % 2 == 0), seed)


@pytest.mark.parametrize("seed", range(8))  # four rules, with ids of both kinds
def test_all_steps_and_the_needed_ones_give_the_slow_truth(seed: int, tmp_path: Path) -> None:
    made, rule, book = dirty(seed), RULES[seed // 2 % 4], codebook(tmp_path)
    tables = [marginal(100 * seed + k, book) for k in range(2)]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        assert engine.check_headers(book, rule) == ()
        found = engine.check(book, rule)
        assert not any(one.refuses for one in found)
        for steps in (EVERY_STEP, needed_steps(found)):
            engine.prepare(book, rule, tables, tables, steps=steps)
            for table in tables:
                assert read(engine, table, batch=4) == truth(made, rule, table)


@pytest.mark.parametrize("seed", range(2))  # ids of both kinds
def test_impossible_combinations_are_counted_as_a_release_counts(seed: int, tmp_path: Path) -> None:
    made, rule, book = dirty(seed), RULES[seed // 2 % 4], codebook(tmp_path)
    names = [("sex", "contract"), ("education", "age"), ("young", "sex", "contract")]
    filters = [tuple(replace(one, kept=one.kept[-1:]) for one in whole(book, *n)) for n in names]
    book = replace(book, impossible=tuple({d.name: d.codes[0] for d in one} for one in filters))
    tables = [Marginal("t", (), (), one) for one in filters]
    expected = tuple(truth(made, rule, one)[0].counts[0] for one in tables)
    assert max(expected) > 0
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        steps = needed_steps(engine.check(book, rule))
        assert engine.count_impossible(book, rule, steps) == expected
        assert engine.count_impossible(book, rule) == expected
        assert engine.count_impossible(replace(book, impossible=()), rule) == ()


def test_each_step_is_needed_by_some_economy(tmp_path: Path) -> None:
    """Known bad: without any one of the steps that are needed, something is counted otherwise."""
    book = codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex", "contract"))
    wrong: set[str] = set()
    for seed in (4, 6):
        made, rule = dirty(seed), EveryJob()
        expected = {key: cell.counts for key, cell in truth(made, rule, table).items()}
        with connect(parquet(made, tmp_path), tmp_path) as engine:
            needed = needed_steps(engine.check(book, rule))
            for step in needed:
                try:
                    engine.prepare(book, rule, [table], [], steps=needed - {step})
                    same = counts(engine, table) == expected
                except Exception:  # noqa: BLE001 (sums that do not agree are refused)
                    same = False
                wrong |= set() if same else {step}
    assert wrong == EVERY_STEP - {"ambiguous_code"}


@pytest.mark.parametrize("place", sorted(set(WRITERS) - {"parquet"}))
def test_dirty_rows_are_the_same_in_every_place(place: str, tmp_path: Path) -> None:
    made, rule, book = _no_empty_texts(dirty(6)), RULES[len(place) % 4], codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex", "education", "contract"))
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        engine.prepare(book, rule, [table], [table])
        assert read(engine, table, batch=4) == truth(made, rule, table)


def _no_empty_texts(made: Economy) -> Economy:
    """An empty text is a null in a CSV file."""
    workers = [row | {"sex": row["sex"] or None} for row in made.workers]
    return Economy(made.workplaces, workers, made.jobs)


def test_clean_rows_need_no_step_and_are_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, book = economy(3), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        steps = needed_steps(engine.check(book, EveryJob()))
        assert steps == frozenset()
        given: list[bool] = []
        first = counted_rows.tidied

        def looked(scratch: object, tables: dict[str, object], *rest: object) -> object:
            found = first(scratch, tables, *rest)  # type: ignore[arg-type]
            given.append(all(found[name] is tables[name] for name in tables))
            return found

        monkeypatch.setattr("leeward.publishing.engines.tabulation.tidied", looked)
        engine.prepare(book, EveryJob(), [table], [], steps=steps)
    assert given == [True]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.words)
def test_the_order_of_rows_is_nothing(rule: JobsRule, tmp_path: Path) -> None:
    made, book = dirty(4), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex", "contract", "education"))
    seen = []
    for order in range(2):
        rng = np.random.default_rng(order)
        shuffled = Economy(
            made.workplaces,
            [made.workers[i] for i in rng.permutation(len(made.workers))],
            [made.jobs[i] for i in rng.permutation(len(made.jobs))],
        )
        with connect(parquet(shuffled, tmp_path), tmp_path) as engine:
            engine.prepare(book, rule, [table], [table])
            seen.append(read(engine, table, batch=9))
    assert seen[0] == seen[1]


def test_a_job_that_no_cell_counts_still_counts_in_the_size(tmp_path: Path) -> None:
    made, book = economy(3), codebook(tmp_path)
    spoilt = [row | {"sex": [None, "Q"][i % 2]} for i, row in enumerate(made.workers)]
    table = Marginal("t", (), whole(book, "sex"))
    with connect(
        parquet(Economy(made.workplaces, spoilt, made.jobs), tmp_path), tmp_path
    ) as engine:
        engine.prepare(book, EveryJob(), [table], [table])
        (batch,) = engine.cells(table, batch=1)
        (each,) = engine.establishments(table, batch=1)
    assert batch.cells.opened().counts.tolist() == [[0, 0]]
    assert batch.cells.opened().largest > 0
    assert each.cells.opened().sizes.sum() == len(made.jobs)


Write = Callable[[Economy, Path], dict[str, str]]


@pytest.mark.parametrize(
    ("write", "empty"),
    [(parquet, "workers"), (parquet, "jobs"), (parquet, "both"), (plain_csv, "both")],
)
def test_empty_tables_are_tables(write: Write, empty: str, tmp_path: Path) -> None:
    made, book = economy(3), codebook(tmp_path)
    none: list[Row] = []
    workers = made.workers if empty == "jobs" else none
    bare = Economy(made.workplaces, workers, made.jobs if empty == "workers" else none)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    with connect(write(bare, tmp_path), tmp_path) as engine:
        found = engine.check(book, EveryJob())
        assert not any(one.refuses for one in found)
        assert "empty_table" in {one.rule for one in found}
        for steps in (EVERY_STEP, needed_steps(found)):
            engine.prepare(book, EveryJob(), [table], [table], steps=steps)
            cells = read(engine, table, batch=4)
            assert cells.keys() == truth(made, EveryJob(), table).keys()
            assert {(cell.largest, cell.establishments) for cell in cells.values()} == {(0, ())}


@pytest.mark.parametrize("empty", [False, True])
def test_columns_without_a_type_hold_nulls(empty: bool, tmp_path: Path) -> None:
    """What some tools write of a column in which there is nothing."""
    made, book = economy(3), codebook(tmp_path)
    sources = parquet(made, tmp_path)
    for name, columns in (("workers", ("sex", "education")), ("jobs", ("contract", "pay"))):
        held = pq.read_table(tmp_path / f"{name}.parquet")
        held = held.slice(0, 0) if empty else held
        for column in held.column_names if empty else columns:
            at = held.column_names.index(column)
            held = held.set_column(at, column, pa.nulls(held.num_rows))
        pq.write_table(held, tmp_path / f"{name}.parquet")
    bare = [row | {"sex": None, "education": None} for row in made.workers]
    jobs = [row | {"contract": None, "pay": None} for row in made.jobs]
    left = Economy(made.workplaces, [], []) if empty else Economy(made.workplaces, bare, jobs)
    table = Marginal("t", whole(book, "place"), whole(book, "education", "contract"))
    for rule in RULES:
        with connect(sources, tmp_path) as engine:
            assert engine.check_headers(book, rule) == ()
            assert not any(one.refuses for one in engine.check(book, rule))
            engine.prepare(book, rule, [table], [table])
            assert read(engine, table, batch=4) == truth(left, rule, table)


def test_whole_floats_are_whole_numbers_and_fractions_are_unlisted(tmp_path: Path) -> None:
    """One null makes floats of whole numbers in some tools: the type must not decide."""
    made, book = economy(5, single=False), codebook(tmp_path)
    odd = [1.0, 2.0, 77.0, 1.5, -0.0, float("nan"), float("inf"), 1e300, None]
    ages = [row | {"age_group": odd[i % len(odd)]} for i, row in enumerate(made.workers)]
    sources = parquet(made, tmp_path)
    for name, rows in (("workers", ages), ("jobs", made.jobs)):
        columns = {column: [row[column] for row in rows] for column in rows[0]}
        for column in {"worker_id", "workplace_id", "age_group"} & set(columns):
            columns[column] = pa.array(columns[column], pa.float64())
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    jobs = pq.read_table(tmp_path / "jobs.parquet")
    lost = pa.array([0.5, float("nan"), 1e300, None], pa.float64())
    extra = jobs.slice(0, 4).set_column(0, "worker_id", lost)
    pq.write_table(pa.concat_tables([jobs, extra]), tmp_path / "jobs.parquet")
    texts = {1.0: 1, 2.0: 2, 77.0: 77}
    meant = [
        row | {"age_group": None if row["age_group"] is None or row["age_group"] != row["age_group"]
               else texts.get(row["age_group"], 99)}
        for row in ages
    ]  # fmt: skip
    table = Marginal("t", whole(book, "place"), whole(book, "age"))
    with connect(sources, tmp_path) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        found = {(one.rule, one.rows) for one in engine.check(book, EveryJob()) if one.rule}
        engine.prepare(book, EveryJob(), [table], [table])
        assert read(engine, table, batch=4) == truth(
            Economy(made.workplaces, meant, made.jobs), EveryJob(), table
        )
    assert ("missing_id", 4) in found
    assert {rule for rule, _ in found} >= {"missing_id", "missing_code", "unlisted_code"}


def test_a_scale_that_follows_from_one_value_does_not_decide(tmp_path: Path) -> None:
    """Decimals get their scale from the values: one fraction must not refuse a release."""
    made, book = economy(5, single=False), codebook(tmp_path)
    odd = [Decimal("1"), Decimal("2"), Decimal("77"), Decimal("1.5"), None]
    ages = [row | {"age_group": odd[i % len(odd)]} for i, row in enumerate(made.workers)]
    sources = parquet(made, tmp_path)
    columns = {column: [row[column] for row in ages] for column in ages[0]}
    columns["worker_id"] = pa.array([Decimal(f"{n}.0") for n in columns["worker_id"]])
    pq.write_table(pa.table(columns), tmp_path / "workers.parquet")
    meant = [row | {"age_group": {None: None, odd[3]: 99}.get(row["age_group"], row["age_group"])}
             for row in ages]  # fmt: skip
    meant = [row | {"age_group": None if (age := row["age_group"]) is None else int(age)}
             for row in meant]  # fmt: skip
    table = Marginal("t", whole(book, "place"), whole(book, "age"))
    with connect(sources, tmp_path) as engine:
        assert engine.check_headers(book, EveryJob()) == ()
        engine.prepare(book, EveryJob(), [table], [table])
        assert read(engine, table, batch=4) == truth(
            Economy(made.workplaces, meant, made.jobs), EveryJob(), table
        )


def test_the_slow_truth_by_hand() -> None:
    """Of two rows the first in the order of all columns, a null last; equal jobs are one."""
    workers: list[Row] = [
        {"worker_id": 1, "sex": None, "education": "E1", "age_group": 1},
        {"worker_id": 1, "sex": "M", "education": "E1", "age_group": 1},
        {"worker_id": None, "sex": "F", "education": "E1", "age_group": 1},
    ]
    job = {"worker_id": 1, "workplace_id": 7, "contract": "T", "pay": 1.0}
    lost = [job | {"workplace_id": 8}, job | {"worker_id": 2}, job | {"worker_id": None}]
    ranked = [job | {"workplace_id": 6, "pay": None}, job | {"workplace_id": 6, "pay": 0.5}]
    place = {"place": "01", "sector": "A", "state_owned": True}
    made = Economy([{"workplace_id": e, **place} for e in (6, 7)], workers, [job, job, *lost])
    left = tidy(made, EveryJob())
    assert (left.workers, left.jobs) == ([workers[1]], [job])
    more = Economy(made.workplaces, workers, [*ranked, job])
    assert tidy(more, PrimaryJob("pay")).jobs == [job]
    assert tidy(more, EveryJob()).jobs == [ranked[1], job]
    assert tidy(more, BoundedJobs(1)).jobs == [ranked[1]]
    other = job | {"contract": "P"}
    both = Economy(made.workplaces, workers, [*ranked, job, other, job | {"contract": None}])
    assert tidy(both, BoundedJobs(1, "contract")).jobs == [ranked[1], other]
