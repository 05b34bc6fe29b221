"""Long lists and many filters are counted exactly, however large the products of their sizes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from leeward.core.codebook import Dimension, Marginal, SingleJob
from leeward.publishing.engines import connect
from tests.publishing.engines.lists import FRAMES, Lists, Table, by, filled, listed
from tests.publishing.engines.small import WRITERS, parquet
from tests.publishing.engines.truth import counts, read, truth

PEOPLE: dict[str, dict[str, int]] = {
    "above 2^31": dict.fromkeys("pqrs", 300),
    "near 2^53": dict.fromkeys("pqrst", 1_550),
    "above 2^63": dict.fromkeys("pqrstuv", 600),
}


@pytest.mark.parametrize(
    ("case", "place"),
    [*((case, "parquet") for case in FRAMES), ("above 2^31", "sqlite"), ("above 2^63", "sqlite")],
)
def test_frames_of_long_lists(case: str, place: str, tmp_path: Path) -> None:
    sizes, tables = FRAMES[case]
    check(tmp_path, place, {"workplaces": sizes}, tables)


def test_establishments_of_long_lists(tmp_path: Path) -> None:
    sizes, tables = FRAMES["two geographies"]
    lists = {"workplaces": sizes, "workers": {"p": 300}}
    check(tmp_path, "parquet", lists, [(*names, "p") for names in tables], each=True)


@pytest.mark.parametrize(
    ("place", "case"), [*(("parquet", case) for case in PEOPLE), ("sqlite", "above 2^63")]
)
def test_people_of_long_lists(case: str, place: str, tmp_path: Path) -> None:
    lists = {"workplaces": {"a": 9_000}, "workers": PEOPLE[case], "jobs": {"x": 1_200}}
    check(tmp_path, place, lists, [("a", name) for name in (*PEOPLE[case], "x")])


def check(
    folder: Path, place: str, lists: Lists, tables: Sequence[Table], *, each: bool = False
) -> None:
    book, made = listed(folder, lists), filled(1, lists)
    marginals = [by(book, *names) for names in tables]
    with connect(WRITERS[place](made, folder), folder) as engine:
        engine.prepare(book, SingleJob(), marginals, marginals if each else [])
        for one in marginals:
            expected = truth(made, SingleJob(), one)
            assert counts(engine, one) == {key: cell.counts for key, cell in expected.items()}
            assert not each or read(engine, one, batch=3) == expected


def test_a_filter_for_every_code_of_two_lists(tmp_path: Path) -> None:
    """Known bad: one digit for each filter makes 2^60 combinations, and exact zeros."""
    lists = {"workers": {"p": 30, "q": 30, "sex": 2}}
    book, made = listed(tmp_path, lists), filled(2, lists, workers=300)
    chosen = [Dimension(book.attributes[name], (k,)) for name in "pq" for k in range(30)]
    female = Dimension(book.attributes["sex"], (1,))
    tables = [Marginal(f"t{k}", (), (female,), (one,)) for k, one in enumerate(chosen)]
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), tables, [])
        for one in tables:
            expected = truth(made, SingleJob(), one)
            assert counts(engine, one) == {key: cell.counts for key, cell in expected.items()}


def test_many_wide_filters_on_one_list(tmp_path: Path) -> None:
    """Known bad: one digit for each filter makes 2^70 combinations."""
    rng = np.random.default_rng(3)
    lists = {"workplaces": {"a": 100}, "workers": {"p": 100, "sex": 2}}
    book, made = listed(tmp_path, lists), filled(3, lists, workers=300)
    sex = by(book, "sex").worker
    tables = []
    for k in range(12):
        kept = [np.sort(rng.choice(100, 50, replace=False)).tolist() for _ in range(2)]
        where = [
            Dimension(book.attributes[n], tuple(one)) for n, one in zip("ap", kept, strict=True)
        ]
        tables.append(Marginal(f"t{k}", (), sex, tuple(where)))
    with connect(parquet(made, tmp_path), tmp_path) as engine:
        engine.prepare(book, SingleJob(), tables, tables)
        for one in tables:
            assert read(engine, one, batch=1) == truth(made, SingleJob(), one)
