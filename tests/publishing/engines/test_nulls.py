"""Texts that the codebook names with `nulls` count as nulls, wherever the rows lie."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # has no types
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.codebook import TABLES, Codebook, EveryJob, JobsRule, Marginal, PrimaryJob
from leeward.publishing.engines import Engine, connect, counted_rows
from leeward.publishing.engines.database import Table, ibis
from leeward.publishing.engines.recoding import code_text
from tests.publishing.engines.one_row import Reader, drawn, one_row_changes_no_other
from tests.publishing.engines.small import (
    NULLED,
    WAGED,
    WRITERS,
    Economy,
    codebook,
    economy,
    marked,
    owned,
    soiled,
    whole,
)
from tests.publishing.engines.test_one_row import arrow_frames
from tests.publishing.engines.truth import read, truth


def tables(book: Codebook) -> list[Marginal]:
    """Codes of all three tables, and the classes of a numeric column."""
    return [
        Marginal("coded", whole(book, "place", "sector"), whole(book, "education", "contract")),
        Marginal("ages", whole(book, "county"), whole(book, "age", "sex")),
        Marginal("wages", whole(book, "place"), whole(book, "wage")),
    ]


def asked(
    book: Codebook, rule: JobsRule, *, owners: bool = False, batch: int = 3
) -> Callable[[Engine], tuple[Any, ...]]:
    """What a check finds, and the cells of every table."""

    def ask(engine: Engine) -> tuple[Any, ...]:
        assert engine.check_headers(book, rule) == ()
        wrong = engine.check(book, rule)
        found = [(one.problem, one.table, one.column, one.rows, one.rule) for one in wrong]
        asked = tables(book)
        merged = {"owners": "merged"} if owners else {}
        engine.prepare(book, rule, [] if owners else asked, asked, **merged)  # type: ignore[arg-type]
        frame = engine.frame_sketch(book, "key", 100)
        return found, frame, [read(engine, one, batch=batch) for one in asked]

    return ask


def frames(made: Economy, _: Path) -> dict[str, object]:
    """Frames of pandas, Polars and Arrow in one plan."""
    workplaces, workers, jobs = (made.arrow(name) for name in TABLES)
    people = pl.from_arrow(workers)
    return {"workplaces": pd.DataFrame(workplaces.to_pylist()), "workers": people, "jobs": jobs}


PLACES: dict[str, Callable[[Economy, Path], Mapping[str, object]]] = {**WRITERS, "frames": frames}


@pytest.mark.parametrize(
    ("place", "text_ids"), [(place, n % 2 == 0) for n, place in enumerate(PLACES)]
)
def test_such_texts_are_nulls(place: str, text_ids: bool, tmp_path: Path) -> None:
    rule = PrimaryJob("pay")
    made = soiled(economy(7, single=False, text_ids=text_ids), 1)
    with_nulls, with_texts = codebook(tmp_path, WAGED), codebook(tmp_path, NULLED)
    answers = []
    for name, rows, book in (("a", made, with_nulls), ("b", marked(made), with_texts)):
        folder = tmp_path / name
        folder.mkdir()
        sources = PLACES[place](rows, folder)
        with connect(sources, folder) as engine:
            answers.append(asked(book, rule)(engine))
    assert answers[0] == answers[1]
    if place == "parquet":
        *_, cells = answers[1]
        assert cells[:2] == [truth(made, rule, one) for one in tables(with_nulls)[:2]]


def test_an_employer_may_be_missing_by_a_text(tmp_path: Path) -> None:
    rule = EveryJob()
    made = owned(economy(8, text_ids=True), 1, text_ids=True)
    employer = "workplaces: {id: workplace_id, employer: employer_id}"
    alone, texts = (
        codebook(tmp_path, f"tables: {{{employer}}}" + WAGED),
        codebook(tmp_path, NULLED.replace("tables: {", f"tables: {{{employer}, ")),
    )
    found = []
    for name, rows, book in (("a", made, alone), ("b", marked(made), texts)):
        folder = tmp_path / name
        folder.mkdir()
        with connect(WRITERS["csv"](rows, folder), folder) as engine:
            found.append(asked(book, rule, owners=True)(engine))
    assert found[0] == found[1]


TEXTS = ("?", "9.0", "27", None)
"""Texts that mean missing in some columns of `one_row`, and a null."""


def test_a_text_is_missing_whatever_other_rows_have(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(arrow_frames, ("text",), {"text": TEXTS}, examples=12)

    @drawn(reader)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        one_row_changes_no_other(reader, data)

    holds()

    def repeated(table: Table, nulls: dict[str, tuple[str, ...]]) -> Table:
        """Known bad: such a text means missing only where several rows have one."""
        found = {name: code_text(table[name]).isin([*texts]) for name, texts in nulls.items()}
        several = {name: one & (one.sum().over(ibis.window()) > 1) for name, one in found.items()}
        kept = {k: ibis.cases((one, ibis.null()), else_=table[k]) for k, one in several.items()}
        return table.mutate(**kept)

    monkeypatch.setattr(counted_rows, "with_nulls", repeated)
    with pytest.raises(AssertionError):
        holds()
