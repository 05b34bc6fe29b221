"""A real release of nested tables: every sum agrees, and the ledger knows its source."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward import tidy
from leeward.core.errors import InvalidParameter
from leeward.derived.settle.noisy_table import read_table
from leeward.derived.settle.tidying import settled
from leeward.interface.commands.ledger_command import commit_command
from leeward.publishing.bundle import Bundle, read_bundle
from tests.unchecked import unchecked_release

PLACES = [f"{one:02}" for one in range(12)]
SEX = {"table": "workers", "codes": ["F", "M"], "other": "F", "null_as": "F"}
REQUEST: dict[str, Any] = {
    "codebook": {
        "attributes": {
            "place": {"table": "workplaces", "public": True, "codes": PLACES, "total": "99"},
            "region": {
                "table": "workplaces",
                "public": True,
                "codes": ["N", "S"],
                "from": "place",
                "map": {one: "NS"[number % 2] for number, one in enumerate(PLACES)},
            },
            "kind": {"table": "workplaces", "public": True, "codes": ["a", "b", "c"]},
            "sex": SEX,
            "old": {"table": "workers", "codes": ["no", "yes"]},
        },
        "impossible": [{"sex": "M", "old": "yes"}],
    },
    "account": "office",
    "period": "2026Q2",
    "protect": {"policy": "strong", "alpha": 0.1, "epsilon": 80},
    "tables": [
        {"name": "cells", "by": ["place", "kind"], "complete": True},
        {"name": "sexes", "by": ["place", "kind", "sex"]},
        {"name": "ages", "by": ["place", "kind", "old"]},
        {"name": "both", "by": ["kind", "sex", "old"]},
        {"name": "places", "by": ["place"], "totals": ["place"]},
        {"name": "kinds", "by": ["kind"]},
        {"name": "regions", "by": ["region", "sex"]},
        {"name": "all", "by": []},
    ],
}


def frames() -> dict[str, pd.DataFrame]:
    homes = [(PLACES[i % 12], "abc"[i % 7 % 3]) for i in range(60)]
    jobs = [(f"{i}-{n}", i) for i in range(60) for n in range(1 + 13 * i % 50)]
    return {
        "workplaces": pd.DataFrame(
            [(i, *one) for i, one in enumerate(homes)], columns=["workplace_id", "place", "kind"]
        ),
        "workers": pd.DataFrame(
            [(name, "FM"[n % 2], ["no", "yes"][n % 3 > 0]) for n, (name, _) in enumerate(jobs)],
            columns=["worker_id", "sex", "old"],
        ),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id"]),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("office", policy="strong", alpha="0.1", epsilon=100)
    plan = leeward.read_plan(REQUEST)
    unchecked_release(plan, out=folder / "bundle", ledger=ledger, **frames())
    tidy(folder / "bundle", folder / "tidy")
    return folder


@pytest.fixture
def made(folder: Path) -> Bundle:
    return read_bundle(folder / "tidy")


def sums(made: Bundle, table: str, by: list[str]) -> dict[tuple[str, ...], int]:
    """The sums of a table's cells, empty ones left out."""
    rows = made[table].to_pandas(totals=False)
    if "place" in rows:
        rows["region"] = rows.place.astype(int).map(lambda one: "NS"[one % 2])
    kept = rows[rows.status == 1]
    if not by:
        return {(): int(kept.value.sum())}
    found = kept.groupby(by, observed=True).value.sum()
    return {key if isinstance(key, tuple) else (key,): int(one) for key, one in found.items()}


@pytest.mark.parametrize(
    ("fine", "coarse", "by"),
    [
        ("sexes", "cells", ["place", "kind"]),
        ("sexes", "regions", ["region", "sex"]),
        ("cells", "places", ["place"]),
        ("cells", "kinds", ["kind"]),
        ("places", "all", []),
    ],
)
def test_sums_agree_to_the_unit(made: Bundle, fine: str, coarse: str, by: list[str]) -> None:
    assert sums(made, fine, by) == sums(made, coarse, by)


def test_a_table_that_leaves_jobs_out_stays_below_the_total(made: Bundle) -> None:
    assert made.certificate.table("ages").partial == ("old",)  # type: ignore[union-attr]
    parts, whole = (sums(made, one, ["place", "kind"]) for one in ("ages", "cells"))
    assert all(jobs <= whole[key] for key, jobs in parts.items())


def test_tables_that_leave_jobs_out_are_named(made: Bundle) -> None:
    stated = made.certificate.made_from
    assert stated is not None
    assert "add up to at most what the others count: ages, both. " in stated.sentence


def test_impossible_cells_are_empty_in_tidy_tables_alone(made: Bundle) -> None:
    rows = made["both"].to_pandas()
    nobody = (rows.sex == "M") & (rows.old == "yes")
    assert rows[nobody].value.eq(0).all()
    assert rows[nobody].released.ne(0).all()


def test_tables_are_sound_with_margins_totals_and_empty_cells(folder: Path, made: Bundle) -> None:
    rows = made["cells"].to_pandas()
    empty = rows.status == -2
    assert leeward.verify(made.path, source=folder / "bundle").problems == ()
    assert rows[empty].value.eq(0).all()
    assert rows[empty].released.isna().all()
    last = made["places"].to_pandas().iloc[-1]
    assert (last.place, last.value) == ("99", sums(made, "places", [])[()])


def test_the_ledger_confirms_the_source_and_pays_for_no_tidy_bundle(folder: Path) -> None:
    ledger = folder / "ledger.sqlite"
    assert leeward.verify(folder / "tidy", ledger=ledger).problems == ()
    with pytest.raises(InvalidParameter, match=r"Commit bundle\."):
        commit_command(folder / "tidy", ledger=ledger)


def test_more_is_known_of_a_total_than_of_its_rows(folder: Path) -> None:
    """Least squares: the exact number of a coarse table reaches the rows of the fine one."""
    bundle = read_bundle(folder / "bundle")
    tables = {one.name: read_table(bundle, one)[1] for one in bundle.certificate.tables}
    sharp = tables["cells"]
    object.__setattr__(sharp, "variances", np.full(len(sharp.values), 1e-9))
    found = settled(bundle.certificate, tables, shrink=False)
    assert np.array_equal(found["cells"], np.maximum(sharp.values, 0))
