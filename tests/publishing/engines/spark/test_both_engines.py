"""DuckDB and Spark give the same confidential cells, which are the true ones."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leeward
from leeward.core.codebook import (
    EVERY_STEP,
    BoundedJobs,
    EveryJob,
    JobsRule,
    Marginal,
    PrimaryJob,
    SingleJob,
    Steps,
)
from leeward.core.codebook.resources import Resources
from leeward.core.errors import InvalidParameter
from leeward.publishing.engines import Engine, connect
from leeward.publishing.engines.spark.cluster import Spark
from leeward.publishing.release.check import needed_steps, open_data
from tests.publishing.engines.lists import Lists, by, filled, listed
from tests.publishing.engines.small import (
    CODEBOOK,
    NULLED,
    OWNED,
    REQUEST,
    WAGED,
    Economy,
    Sources,
    codebook,
    economy,
    marginal,
    marked,
    owned,
    parquet,
    product,
    soiled,
    whole,
)
from tests.publishing.engines.test_lost_jobs import is_true
from tests.publishing.engines.test_nulls import asked
from tests.publishing.engines.test_workplaces import true_sketch
from tests.publishing.engines.truth import (
    counts,
    plan_is_true,
    product_is_true,
    read,
    read_holdings,
    read_largest,
    true_holdings,
    truth,
)

pytestmark = pytest.mark.usefixtures("spark")

Answer = TypeVar("Answer")
ENGINES = (Resources(engine="duckdb"), Resources(engine="spark"))
TIDY: Steps = frozenset()
"""For tidy rows, where no rule about rows is what a test looks at."""
IDS_MEET: Steps = frozenset({"lost_job"})
"""Jobs are looked up in both other tables."""
WHOLE = 1000
"""Workplace cells of a batch: all of them, since each batch is a job of Spark."""
BATCHES = (WHOLE, 2, 7)
"""Those of random tables: what a batch ends with is looked at where there are several."""
RULES: tuple[JobsRule, ...] = (SingleJob(), PrimaryJob("pay"), BoundedJobs(1, "contract"))


def same(sources: Sources, folder: Path, ask: Callable[[Engine], Answer]) -> Answer:
    """The one answer that both engines give."""
    answers = []
    for resources in ENGINES:
        with connect(sources, folder, resources) as engine:
            answers.append(ask(engine))
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_of_random_economies(seed: int, tmp_path: Path) -> None:
    rule = RULES[seed % 3]
    made = economy(seed + 5, single=seed % 3 == 0, text_ids=seed % 2 == 0)
    book = codebook(tmp_path)
    tables = [marginal(100 * seed + k, book) for k in range(1 + seed % 2)]

    def cells(engine: Engine) -> object:
        assert engine.check_headers(book, rule) == ()
        engine.prepare(book, rule, tables, tables)
        assert engine.workplaces() == len(made.workplaces)
        frames = [engine.frame_cells(one) for one in tables]
        return frames, [read(engine, one, batch=BATCHES[seed]) for one in tables]

    expected = [truth(made, rule, one) for one in tables]
    assert same(parquet(made, tmp_path), tmp_path, cells) == (list(map(len, expected)), expected)


def test_products_are_their_tables_side_by_side(tmp_path: Path) -> None:
    made, book = economy(6, single=False), codebook(tmp_path)
    table, rule = product(book), PrimaryJob("pay")

    def cells(engine: Engine) -> None:
        engine.prepare(book, rule, [table], [table])
        product_is_true(engine, made, rule, table)

    same(parquet(made, tmp_path), tmp_path, cells)


def test_texts_that_mean_missing_are_nulls(tmp_path: Path) -> None:
    made = soiled(economy(7, single=False, text_ids=True), 1)
    answers = []
    for name, rows, text in (("plain", made, WAGED), ("marked", marked(made), NULLED)):
        (tmp_path / name).mkdir()
        with connect(parquet(rows, tmp_path / name), tmp_path / name, ENGINES[1]) as engine:
            ask = asked(codebook(tmp_path, text), PrimaryJob("pay"), batch=WHOLE)
            answers.append(ask(engine))
    assert answers[0] == answers[1]


def test_every_row_falls_under_the_same_rules(tmp_path: Path) -> None:
    made, book = soiled(economy(7, single=False, text_ids=True), 1), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex", "contract"))
    rules: tuple[JobsRule, ...] = (PrimaryJob("pay"), EveryJob())

    def cells(engine: Engine) -> object:
        needed = needed_steps(engine.check(book, rules[0]))
        assert len(needed) == 4
        found = []
        for rule, steps in zip(rules, (EVERY_STEP, needed), strict=True):
            engine.prepare(book, rule, [table], [table], steps=steps)
            found.append(read(engine, table, batch=WHOLE))
        return found

    true = [truth(made, rule, table) for rule in rules]
    assert same(parquet(made, tmp_path), tmp_path, cells) == true


def test_counts_shared_by_combination(tmp_path: Path) -> None:
    made, book = economy(2), codebook(tmp_path)
    tables = [marginal(200 + k, book) for k in range(2)]

    def cells(engine: Engine) -> object:
        engine.prepare(book, SingleJob(), tables, [], steps=TIDY)
        return [counts(engine, one) for one in tables]

    expected = [
        {key: cell.counts for key, cell in truth(made, SingleJob(), one).items()} for one in tables
    ]
    assert same(parquet(made, tmp_path), tmp_path, cells) == expected


@pytest.mark.parametrize("declared", [False, True])
def test_owners(declared: bool, tmp_path: Path) -> None:
    made = economy(8, text_ids=declared)
    made = owned(made, 1, text_ids=declared) if declared else made
    book = codebook(tmp_path, OWNED if declared else CODEBOOK)
    tables = [marginal(seed, book) for seed in (12, 13)]

    def holdings(engine: Engine) -> object:
        engine.prepare(book, SingleJob(), [], tables, owners="named", steps=TIDY)
        held = read_holdings(engine, tables, batch=3 if declared else WHOLE)
        engine.prepare(book, SingleJob(), tables[:1], [], owners="merged", steps=TIDY)
        return held, read_largest(engine, tables[0])

    held = true_holdings(made, SingleJob(), tables)
    merged = truth(made, SingleJob(), tables[0], merged=True)
    parts = {key: (one.counts, one.largest) for key, one in merged.items()}
    assert same(parquet(made, tmp_path), tmp_path, holdings) == (held, parts)


LISTS = {"above 2^31": ("abc", "abc", 1_291), "above 2^63": ("abc", "def", 1_500)}
"""The attributes of two tables, and how many codes each has."""


@pytest.mark.parametrize("case", LISTS)
def test_long_lists(case: str, tmp_path: Path) -> None:
    first, second, size = LISTS[case]
    places = dict.fromkeys(first + second, size)
    lists: Lists = {"workplaces": places, "workers": {"p": 30}, "jobs": {"x": 30}}
    book, made = listed(tmp_path, lists), filled(1, lists)
    tables = [by(book, *first, "p"), by(book, *second, "x")]

    def cells(engine: Engine) -> object:
        engine.prepare(book, SingleJob(), tables, [], steps=TIDY)
        return [counts(engine, one) for one in tables]

    expected = [
        {key: cell.counts for key, cell in truth(made, SingleJob(), one).items()} for one in tables
    ]
    assert same(parquet(made, tmp_path), tmp_path, cells) == expected


def test_numbers_and_texts_meet_as_texts_and_an_empty_table_has_no_jobs(tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    texts = [row | {"worker_id": str(row["worker_id"])} for row in made.workers]
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))

    def cells(engine: Engine) -> object:
        engine.prepare(book, SingleJob(), [table], [], steps=IDS_MEET)
        return counts(engine, table)

    for jobs in (made.jobs, []):
        true = truth(Economy(made.workplaces, made.workers, jobs), SingleJob(), table)
        sources = parquet(Economy(made.workplaces, texts, jobs), tmp_path)
        expected = {key: cell.counts for key, cell in true.items()}
        assert same(sources, tmp_path, cells) == expected


def spoiled_ids() -> Economy:
    made = economy(8)
    made.workplaces.append(made.workplaces[0] | {"sector": "B"})
    made.workplaces.append(made.workplaces[0] | {"workplace_id": None})
    made.workers.append(made.workers[0])
    made.workers.append(made.workers[0] | {"worker_id": None})
    made.jobs.append(made.jobs[0])
    made.jobs.append(made.jobs[1] | {"worker_id": 700, "workplace_id": 800})
    made.jobs.append(made.jobs[2] | {"workplace_id": None, "pay": None})
    made.jobs.append(made.jobs[3] | {"worker_id": None, "pay": float("nan")})
    return made


def spoiled_codes() -> Economy:
    made = economy(8)
    texts = ("", " F", "f", "\tM", "Ä", "x" * 50, None, "é", "e\u0301")
    for worker, text in zip(made.workers, texts, strict=False):
        worker["sex"] = text
    made.workplaces[0] |= {"state_owned": None, "place": "1"}
    made.jobs[0]["contract"] = "\x1f"
    made.jobs.append(made.jobs[1] | {"workplace_id": 1 - made.jobs[1]["workplace_id"]})
    return made


@pytest.mark.parametrize(
    ("spoil", "rule"), [(spoiled_ids, PrimaryJob("pay")), (spoiled_codes, SingleJob())]
)
def test_every_finding(spoil: Callable[[], Economy], rule: JobsRule, tmp_path: Path) -> None:
    book = codebook(tmp_path)
    found = same(parquet(spoil(), tmp_path), tmp_path, lambda engine: engine.check(book, rule))
    assert len({one.problem for one in found}) >= 4


def test_empty_tables_are_found(tmp_path: Path) -> None:
    book, bare = codebook(tmp_path), Economy([], [], [])
    found = same(parquet(bare, tmp_path), tmp_path, lambda one: one.check(book, SingleJob()))
    assert [one.problem for one in found] == ["empty table"] * 3


RANKS = ("5", "7.5", " 6 ", "1e3", "5d", "5F", "0x1p3", "much", "", "nan", "-inf", None)


def test_texts_that_rank_jobs_are_the_same_numbers(tmp_path: Path) -> None:
    """Known bad: Java takes 5d and 0x1p3 for numbers."""
    made, book = economy(8), codebook(tmp_path)
    first = made.jobs[0]
    jobs = [first | {"workplace_id": n, "pay": text} for n, text in enumerate(RANKS)]
    sources = parquet(Economy(made.workplaces, made.workers, []), tmp_path)
    write_texts(jobs, tmp_path / "jobs.parquet")
    found = same(sources, tmp_path, lambda engine: engine.check(book, PrimaryJob("pay")))
    (ranks,) = (one for one in found if one.problem == "missing rank")
    assert ranks.rows == 7


def write_texts(rows: list[dict[str, object]], path: Path) -> None:
    ids = {name: pa.array([row[name] for row in rows]) for name in ("worker_id", "workplace_id")}
    texts = {n: pa.array([row[n] for row in rows], pa.string()) for n in ("contract", "pay")}
    pq.write_table(pa.table(ids | texts), path)


Ids = tuple[pa.DataType, pa.DataType, Callable[[int], object]]
"""The type in workplaces or workers, the type in jobs, and an id for each number."""
ALIKE = ("A", "A ", "a", " A", "\u00c5", "A\u030a")
IDS: dict[str, tuple[Ids, Ids]] = {
    "numbers": (
        (pa.uint64(), pa.uint64(), lambda n: 2**63 + n),
        (pa.int8(), pa.int64(), lambda n: n),
    ),
    "decimals and texts": (
        (pa.string(), pa.string(), lambda n: ALIKE[n % 6] * (n // 6 + 1)),
        (pa.decimal128(20), pa.decimal128(20), lambda n: Decimal(10**19 + n)),
    ),
}


@pytest.mark.parametrize("case", IDS)
def test_ids_of_many_kinds_are_told_apart_and_met(case: str, tmp_path: Path) -> None:
    made, book = economy(8), codebook(tmp_path)
    table = Marginal("t", whole(book, "place"), whole(book, "sex"))
    sources, (places, people) = parquet(made, tmp_path), IDS[case]
    for name, column, kind, named in (
        ("workplaces", "workplace_id", places[0], places[2]),
        ("workers", "worker_id", people[0], people[2]),
        ("jobs", "workplace_id", places[1], places[2]),
        ("jobs", "worker_id", people[1], people[2]),
    ):
        rows = pq.read_table(tmp_path / f"{name}.parquet")
        ids = pa.array([named(n) for n in rows[column].to_pylist()], kind)
        rows = rows.set_column(rows.column_names.index(column), column, ids)
        pq.write_table(rows, tmp_path / f"{name}.parquet")

    def cells(engine: Engine) -> object:
        engine.prepare(book, SingleJob(), [table], [], steps=IDS_MEET)
        return counts(engine, table)

    true = truth(made, SingleJob(), table)
    expected = {key: cell.counts for key, cell in true.items()}
    assert same(sources, tmp_path, cells) == expected


def test_codes_are_listed_alike(tmp_path: Path) -> None:
    made = economy(8)
    places = same(parquet(made, tmp_path), tmp_path, lambda engine: engine.codes("place"))
    assert places == tuple(sorted({row["place"] for row in made.workplaces}))


def test_the_sketch_of_a_frame(tmp_path: Path) -> None:
    made, book = economy(5), codebook(tmp_path)
    sketch = same(
        parquet(made, tmp_path), tmp_path, lambda engine: engine.frame_sketch(book, "5eed" * 8, 5)
    )
    assert len(sketch) == 5
    padded = [row | {"workplace_id": f" 0{k}.0"} for k, row in enumerate(made.workplaces)]
    plain = same(
        parquet(Economy(padded, made.workers, []), tmp_path),
        tmp_path,
        lambda engine: engine.frame_sketch(book, "5eed" * 8, 1024, plain=True),
    )
    assert plain == true_sketch([*range(len(padded))], 1024)


@pytest.mark.parametrize("seed", [2, 5])
def test_lost_jobs(seed: int, tmp_path: Path) -> None:
    made, book = soiled(economy(seed, single=False, text_ids=seed == 2), seed), codebook(tmp_path)
    rule = BoundedJobs(1, "contract") if seed == 2 else EveryJob()
    same(parquet(made, tmp_path), tmp_path, lambda engine: is_true(engine, book, made, rule))


def test_one_plan_reads_files_frames_and_spark(tmp_path: Path) -> None:
    made, plan = economy(5), leeward.read_plan(REQUEST)
    files: dict[str, Any] = {n: tmp_path / one for n, one in parquet(made, tmp_path).items()}
    plan_is_true(plan.reading(**files), made)
    plan_is_true(plan.reading(**{name: pq.read_table(one) for name, one in files.items()}), made)
    there = plan.reading(engine="spark", **files)
    with open_data(there) as engine:
        assert isinstance(engine, Engine)
        assert isinstance(engine._database, Spark)
    plan_is_true(there, made)
    with pytest.raises(InvalidParameter, match=r"data.engine: must be one of duckdb, spark"):
        plan.reading(engine="polars")
