"""The jobs that tables lose are counted as one would count them by hand, on every engine."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from leeward.core.codebook import (
    EVERY_STEP,
    Attribute,
    BoundedJobs,
    Codebook,
    EveryJob,
    JobsRule,
    PrimaryJob,
    read_codebook,
)
from leeward.publishing.engines import Engine, connect
from leeward.publishing.release.check import needed_steps
from tests.publishing.engines.small import WRITERS, Economy, codebook, economy, parquet, soiled
from tests.publishing.engines.truth import lost

RULES: tuple[JobsRule, ...] = (
    *(EveryJob(), PrimaryJob("pay"), BoundedJobs(2)),
    BoundedJobs(1, "contract"),
)


def sets_of(book: Codebook) -> list[frozenset[Attribute]]:
    """No attribute, each by itself, and pairs."""
    known = [one for one in book.attributes.values() if not one.of_workplaces]
    numbers: Iterator[int] = iter((0, 1, 2))
    return [frozenset(one) for number in numbers for one in combinations(known, number)]


def is_true(engine: Engine, book: Codebook, made: Economy, rule: JobsRule) -> None:
    sets = sets_of(book)
    expected = [lost(made, rule, one) for one in sets]
    for steps in (EVERY_STEP, needed_steps(engine.check(book, rule))):
        found, jobs = engine.count_lost(book, rule, steps, sets)
        assert [(one, jobs) for one in found] == expected
    assert max(expected) > (0, 0)


@pytest.mark.parametrize("seed", range(8))  # four rules, with ids of both kinds
def test_they_are_counted_as_by_hand(seed: int, tmp_path: Path) -> None:
    made = soiled(economy(seed, single=False, text_ids=seed % 2 == 0), seed)
    book, rule = codebook(tmp_path), RULES[seed // 2 % 4]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        is_true(engine, book, made, rule)


@pytest.mark.parametrize("place", sorted(set(WRITERS) - {"parquet"}))
def test_they_are_the_same_in_every_place(place: str, tmp_path: Path) -> None:
    made = soiled(economy(6, single=False, text_ids=True), 6)
    workers = [row | {"sex": row["sex"] or None} for row in made.workers]
    made = Economy(made.workplaces, workers, made.jobs)  # an empty text is a null in a CSV file
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        is_true(engine, codebook(tmp_path), made, RULES[len(place) % 4])


NUMERIC = {
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": ["01", "02", "03", "05"]},
        "pay": {"table": "jobs", "type": "integer", "unit": "cent", "cap": "9",
                "classes": {"a": "4", "b": "9"}},
        "folded": {"table": "jobs", "column": "pay", "type": "integer", "unit": "cent",
                   "cap": "9", "classes": {"a": "4", "b": "9"}, "null_as": "a"},
    }
}  # fmt: skip


def test_what_is_no_number_is_lost_to_sums_whatever_the_codebook_folds(tmp_path: Path) -> None:
    made, book = economy(4, single=False), read_codebook(NUMERIC)
    jobs = [row | {"pay": None if k % 3 else row["pay"]} for k, row in enumerate(made.jobs)]
    attributes = book.attributes
    sets = [frozenset({one}) for one in (attributes["pay"], attributes["folded"])]
    sets.append(frozenset({attributes["folded"].unfolded}))
    gone = sum(row["pay"] is None for row in jobs)
    assert gone > 1
    sources = parquet(Economy(made.workplaces, made.workers, jobs), tmp_path)
    with connect(sources, tmp_path) as engine:
        found = engine.count_lost(book, EveryJob(), frozenset(), sets)
    assert found == ((gone, 0, gone), len(jobs))
