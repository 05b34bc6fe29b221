"""Everything that can be wrong with rows is found, counted and exemplified."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from leeward.core.codebook import (
    TABLES,
    BoundedJobs,
    EveryJob,
    Finding,
    JobsRule,
    PrimaryJob,
    SingleJob,
)
from leeward.publishing.engines import connect
from tests.publishing.engines.small import (
    WRITERS,
    Economy,
    Row,
    codebook,
    duck_file,
    parquet,
    plain_csv,
)


def sound() -> Economy:
    """An economy in which nothing is wrong, so that one thing can be spoiled."""
    return Economy(
        [{"workplace_id": e, "place": "01", "sector": "A", "state_owned": True} for e in range(3)],
        [{"worker_id": w, "sex": "F", "education": "E1", "age_group": 2} for w in range(100, 106)],
        [
            {"worker_id": w, "workplace_id": w % 3, "contract": "T", "pay": 5.0}
            for w in range(100, 106)
        ],
    )


def found(
    made: Economy, folder: Path, rule: JobsRule, *, strict: bool = True
) -> tuple[Finding, ...]:
    with connect(parquet(made, folder), folder) as engine:
        return engine.check(codebook(folder), rule, strict=strict)


FEW = """
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02"]}
  sex: {table: workers, codes: [F, M]}
"""
"""A codebook with a column of each kind that is spoiled: each further one takes time."""


def changed(table: str, row: int, **values: object) -> Callable[[Economy], None]:
    def spoil(made: Economy) -> None:
        made.table(table)[row].update(values)

    return spoil


def added(table: str, **values: object) -> Callable[[Economy], None]:
    """One more row, like the first but for these values."""

    def spoil(made: Economy) -> None:
        made.table(table).append(made.table(table)[0] | values)

    return spoil


def emptied(table: str) -> Callable[[Economy], None]:
    return lambda made: made.table(table).clear()


ONE_ROW = "Keep one row for each id."
IDS = (
    "Give every row an id, or remove the rows without. A line of a CSV file with too many or too "
    "few values has none: row names of R (row.names = FALSE), or the separator in a value without "
    "quotes."
)
LIST = "List or omit the codes in the codebook, or name a code with `other`."
FILL = "Fill the rows, or name a code with `null_as` in the codebook."
FRAME = "List the codes in the codebook, or fold them into a listed one with `other`."
ZEROS = (
    "'1' differs from '01' by leading zeros or .0: a program read codes as numbers. Write the "
    'column as text (dtype=str in pandas, colClasses = "character" in R, a column of text in a '
    "spreadsheet), or list the codes as it has them."
)
SEVERAL = (
    "Reduce the table, or write `jobs: {primary: COLUMN}` or `jobs: {max_per_worker: 2}` in the "
    "plan."
)
PAIRS = "Keep one row for each worker at each workplace."
RANK = "Give every job a number by which the primary job is chosen."
LOST = "Add the missing rows to {}, or remove the jobs."


RULED = {
    "duplicate id": "worker_rows",
    "duplicate job": "repeated_job",
    "worker with several jobs": "",
    "missing id": "missing_id",
    "not in workers": "lost_job",
    "not in workplaces": "lost_job",
    "missing rank": "missing_rank",
    "missing code": "missing_code",
    "unlisted code": "unlisted_code",
}
"""The rule that counts such rows where the plan is not strict."""

UNSEEN = "worker with several jobs"
"""What is nothing in such a plan."""


@pytest.mark.parametrize(
    ("spoil", "rule", "expected"),
    [
        (
            added("workplaces", sector="B"),
            SingleJob(),
            Finding("duplicate id", "workplaces", "workplace_id", 1, ("0",), ONE_ROW),
        ),
        (
            added("workers"),
            SingleJob(),
            Finding("duplicate id", "workers", "worker_id", 1, ("100",), ONE_ROW),
        ),
        (
            added("jobs", pay=4.0),
            BoundedJobs(3),
            Finding("duplicate job", "jobs", "worker_id", 1, ("100, 1",), PAIRS),
        ),
        (
            added("jobs", workplace_id=2),
            SingleJob(),
            Finding("worker with several jobs", "jobs", "worker_id", 2, ("100",), SEVERAL),
        ),
        (
            added("workplaces", workplace_id=None),
            SingleJob(),
            Finding("missing id", "workplaces", "workplace_id", 1, (), IDS),
        ),
        (
            added("workers", worker_id=None),
            SingleJob(),
            Finding("missing id", "workers", "worker_id", 1, (), IDS),
        ),
        (
            added("jobs", worker_id=None),
            SingleJob(),
            Finding("missing id", "jobs", "worker_id", 1, (), IDS),
        ),
        (
            changed("jobs", 0, workplace_id=None),
            SingleJob(),
            Finding("missing id", "jobs", "workplace_id", 1, (), IDS),
        ),
        (
            added("jobs", worker_id=7),
            SingleJob(),
            Finding("not in workers", "jobs", "worker_id", 1, ("7",), LOST.format("workers")),
        ),
        (
            changed("jobs", 1, workplace_id=8),
            SingleJob(),
            Finding(
                "not in workplaces", "jobs", "workplace_id", 1, ("8",), LOST.format("workplaces")
            ),
        ),
        (
            changed("jobs", 1, pay=None),
            PrimaryJob("pay"),
            Finding("missing rank", "jobs", "pay", 1, (), RANK),
        ),
        (
            changed("jobs", 1, pay=float("nan")),
            PrimaryJob("pay"),
            Finding("missing rank", "jobs", "pay", 1, (), RANK),
        ),
        (
            changed("workers", 1, sex=None),
            SingleJob(),
            Finding("missing code", "workers", "sex", 1, (), FILL),
        ),
        (
            changed("workers", 1, sex="X"),
            SingleJob(),
            Finding("unlisted code", "workers", "sex", 1, ("X",), LIST),
        ),
        (
            changed("workplaces", 1, place=" 01"),
            SingleJob(),
            Finding(
                "unlisted code",
                "workplaces",
                "place",
                1,
                (" 01",),
                "' 01' differs from '01' by blanks: remove them.",
            ),
        ),
        (
            changed("workplaces", 1, place="1"),
            SingleJob(),
            Finding("unlisted code", "workplaces", "place", 1, ("1",), ZEROS),
        ),
        (
            changed("workplaces", 1, place="9"),
            SingleJob(),
            Finding("unlisted code", "workplaces", "place", 1, ("9",), FRAME),
        ),
        (
            changed("workers", 1, sex="f"),
            SingleJob(),
            Finding(
                "unlisted code",
                "workers",
                "sex",
                1,
                ("f",),
                "'f' differs from 'F' by upper and lower case: write it as the codebook.",
            ),
        ),
        (
            changed("workers", 1, sex=""),
            SingleJob(),
            Finding(
                "unlisted code",
                "workers",
                "sex",
                1,
                ("",),
                "'' is empty but no null: fill it, or make it a null and give `null_as`.",
            ),
        ),
    ],
)
def test_one_thing_wrong(
    spoil: Callable[[Economy], None], rule: JobsRule, expected: Finding, tmp_path: Path
) -> None:
    made = sound()
    spoil(made)
    total, book = EveryJob() if isinstance(rule, SingleJob) else rule, codebook(tmp_path, FEW)
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        strict = engine.check(book, rule, strict=True)
        lenient = engine.check(book, total, strict=False)
    expected = replace(expected, of=len(made.table(expected.table)))
    assert strict == (expected,)
    public = expected.table == "workplaces"
    none = expected.problem == UNSEEN
    ruled = expected if public else replace(expected, rule=RULED[expected.problem], refuses=False)
    assert lenient == (() if none else (ruled,))


def test_every_text_that_is_almost_a_code_has_its_hint(tmp_path: Path) -> None:
    made = sound()
    for worker, text in zip(made.workers, ("", " F", "f"), strict=False):
        worker["sex"] = text
    (one,) = found(made, tmp_path, SingleJob())
    assert (one.rows, one.examples) == (3, ("", " F", "f"))
    assert one.remedy == (
        "'' is empty but no null: fill it, or make it a null and give `null_as`. "
        "' F' differs from 'F' by blanks: remove them. "
        "'f' differs from 'F' by upper and lower case: write it as the codebook."
    )
    made.workers[1]["sex"] = "Q"
    (one,) = found(made, tmp_path, SingleJob())
    assert one.remedy.endswith(f"write it as the codebook. {LIST}")


def test_all_rows_of_workers_with_several_jobs_are_counted(tmp_path: Path) -> None:
    made = sound()
    made.jobs.extend(made.jobs[0] | {"workplace_id": place} for place in (0, 2))
    made.jobs.append(made.jobs[1] | {"workplace_id": 0})
    (one,) = found(made, tmp_path, SingleJob())
    assert (one.problem, one.rows) == ("worker with several jobs", 5)
    assert one.examples == ("100", "101")


def test_what_the_codebook_folds_is_found_and_refuses_nothing(tmp_path: Path) -> None:
    made = sound()
    assert found(made, tmp_path, SingleJob()) == ()
    made.workers[0] |= {"education": None}
    made.workers[1] |= {"education": "E0", "age_group": 12}
    made.workplaces[0] |= {"sector": None}
    made.jobs[0] |= {"contract": None, "pay": None}
    for rule, strict in ((SingleJob(), True), (BoundedJobs(2), True), (EveryJob(), False)):
        folded = found(made, tmp_path, rule, strict=strict)
        assert [(one.rule, one.column, one.rows, one.into, one.refuses) for one in folded] == [
            ("missing_code", "sector", 1, "B", False),
            ("missing_code", "education", 1, "E3", False),
            ("unlisted_code", "age_group", 1, "4", False),
            ("missing_code", "contract", 1, "P", False),
        ]
        assert folded[2].remedy == "They count as the code that the codebook names with `other`."


@pytest.mark.parametrize("strict", [True, False])
def test_a_code_for_all_others_that_most_rows_have_is_found_everywhere(
    strict: bool, tmp_path: Path
) -> None:
    made = sound()
    made.workplaces[0] |= {"sector": None}
    made.workplaces[1] |= {"sector": "Z"}
    one, other = found(made, tmp_path, EveryJob(), strict=strict)
    assert [(each.rule, each.rows, each.of, each.into) for each in (one, other)] == [
        ("missing_code", 1, 3, "B"),
        ("unlisted_code", 1, 3, "C"),
    ]
    assert not one.refuses
    assert not other.refuses


def test_jobs_are_repeated_if_they_agree_in_all_that_is_read(tmp_path: Path) -> None:
    made = sound()
    made.jobs.extend([made.jobs[0] | {"contract": None}, made.jobs[1] | {"pay": 9.0}])
    several = [("repeated_job", 1), ("as_they_are", 1)]
    for rule, expected in ((EveryJob(), several), (PrimaryJob("pay"), [])):
        ruled = [(one.rule, one.rows) for one in found(made, tmp_path, rule, strict=False)]
        assert ruled == [*expected, ("missing_code", 1)]


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_table(table: str, tmp_path: Path) -> None:
    made = sound()
    emptied(table)(made)
    first, *_ = found(made, tmp_path, SingleJob())
    expected = Finding("empty table", table, "", 0, (), "Give a table with rows.")
    assert first == expected
    first, *others = found(made, tmp_path, EveryJob(), strict=False)
    ruled = replace(expected, rule="empty_table", refuses=False)
    assert first == (expected if table == "workplaces" else ruled)
    assert not any(one.refuses for one in others)


def test_examples_are_few_and_short(tmp_path: Path) -> None:
    made = sound()
    for n, worker in enumerate(made.workers):
        worker["sex"] = f"{n}" * 100
    (one,) = found(made, tmp_path, SingleJob())
    assert (one.rows, len(one.examples), {len(text) for text in one.examples}) == (6, 3, {40})


def test_a_rank_in_csv_must_be_a_number(tmp_path: Path) -> None:
    made = sound()
    sources = plain_csv(made, tmp_path)
    text = (tmp_path / "jobs.csv").read_text().replace("5.0", "much", 1)
    (tmp_path / "jobs.csv").write_text(text)
    with connect(sources, tmp_path) as engine:
        (one,) = engine.check(codebook(tmp_path), PrimaryJob("pay"), strict=True)
    assert one == Finding("missing rank", "jobs", "pay", 1, (), RANK, of=6)


@pytest.mark.parametrize("place", WRITERS)
def test_several_things_at_once_in_every_place(place: str, tmp_path: Path) -> None:
    made = sound()
    more: Row = {"worker_id": 7, "workplace_id": 8, "contract": "Q", "pay": 1.0}
    made.jobs.extend([more, made.jobs[0] | {"workplace_id": 2}])
    made.workers.append(made.workers[0] | {"sex": " F", "age_group": None})
    made.workplaces.append(made.workplaces[0] | {"state_owned": None})
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        problems = [
            (one.problem, one.table)
            for one in engine.check(codebook(tmp_path), SingleJob(), strict=True)
        ]
    assert problems == [
        ("duplicate id", "workplaces"),
        ("duplicate id", "workers"),
        ("worker with several jobs", "jobs"),
        ("not in workers", "jobs"),
        ("not in workplaces", "jobs"),
        ("missing code", "workplaces"),
        ("unlisted code", "workers"),
        ("missing code", "workers"),
        ("unlisted code", "jobs"),
    ]


LENIENT = "a: {table: workers, column: sex, codes: [F, M], other: M, null_as: M}"
STRICT = "b: {table: workers, column: sex, codes: [F, M]}"


@pytest.mark.parametrize("order", [(LENIENT, STRICT), (STRICT, LENIENT), (STRICT, STRICT)])
def test_a_lenient_attribute_excuses_no_strict_one(order: tuple[str, str], tmp_path: Path) -> None:
    made = sound()
    made.workers[0]["sex"], made.workers[1]["sex"] = "Q", None
    first, second = order
    text = f"attributes:\n  {first}\n  {second.replace('b:', 'c:')}\n"
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        all_found = engine.check(codebook(tmp_path, text), SingleJob(), strict=True)
    assert tuple(one for one in all_found if one.refuses) == (
        Finding("missing code", "workers", "sex", 1, (), FILL, of=6),
        Finding("unlisted code", "workers", "sex", 1, ("Q",), LIST, of=6),
    )
    folded = {"M"} if LENIENT in order else set()
    assert {one.into for one in all_found if not one.refuses} == folded


def test_progress_is_told_in_fixed_words(tmp_path: Path) -> None:
    told: list[str] = []
    with connect(duck_file(sound(), tmp_path), tmp_path) as engine:
        engine.check(codebook(tmp_path), SingleJob(), told.append)
    assert told == [
        "comparing ids",
        "looking for empty tables",
        "looking for missing ids",
        "looking for duplicate ids",
        "looking for repeated jobs",
        "looking for jobs without a worker or workplace",
        "looking for values that rank no jobs",
        "comparing codes with the codebook",
    ]


def test_a_frame_without_idle_establishments_is_noticed(tmp_path: Path) -> None:
    made = sound()
    for expected, frame in ((True, made.workplaces), (False, [])):
        with connect(parquet(Economy(frame, made.workers, made.jobs), tmp_path), tmp_path) as one:
            assert one.is_staffed(codebook(tmp_path)) is expected
    made.jobs[:] = [job for job in made.jobs if job["workplace_id"] != 1]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        assert not engine.is_staffed(codebook(tmp_path))
