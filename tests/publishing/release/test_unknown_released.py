"""Unknown codes and texts that mean missing, from the codebook to tables that add up."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward
from leeward import tidy
from leeward.core.codebook.row_rules import NULL_RULES
from leeward.core.noise import draws
from leeward.publishing.plan.gap import gaps
from tests.publishing.plan.test_plus import opened
from tests.publishing.release.test_product import Unnoised
from tests.unchecked import unchecked_release

CODEBOOK: dict[str, Any] = {
    "nulls": ["-", "."],
    "attributes": {
        "place": {"table": "workplaces", "public": True, "codes": ["1", "2"], "unknown": "9"},
        "sex": {"table": "workers", "codes": "standard:lehd/sex", "unknown": "9", "total": "0"},
        "job": {"table": "workers", "codes": ["11", "12", "91"], "unknown": {"99": "Not told"}},
        "group": {"table": "workers", "from": "job", "prefix": "1"},
    },
    "impossible": [{"sex": "9", "group": "99"}],
}
SQL = "SELECT place, sex, COUNT(*) FROM jobs GROUP BY place, sex"


def plan(*tables: dict[str, Any]) -> leeward.Plan:
    return leeward.read_plan(
        {
            "codebook": CODEBOOK,
            "account": "office",
            "period": "2026Q2",
            "protect": {"policy": "strong", "alpha": "0.1", "epsilon": "8"},
            "tables": list(tables),
        }
    )


def frames() -> dict[str, pd.DataFrame]:
    generator = np.random.default_rng(4)
    at = np.repeat(np.arange(20), generator.integers(1, 40, 20))
    people = {
        "worker_id": range(len(at)),
        "sex": generator.choice(np.array(["1", "2", "9", "X", "-", None], object), len(at)),
        "job": generator.choice(np.array(["11", "12", "91", "99", "7", "."], object), len(at)),
    }
    places = generator.choice(["1", "2", "3", "-"], 20)
    return {
        "workplaces": pd.DataFrame({"workplace_id": range(20), "place": places}),
        "workers": pd.DataFrame(people),
        "jobs": pd.DataFrame({"worker_id": range(len(at)), "workplace_id": at}),
    }


PRODUCT = {"name": "wac", "by": ["place"], "breakdowns": ["sex", "group"], "share": "1/2"}
BY_SQL = {"name": "sexes", "sql": SQL, "totals": ["sex"], "share": "1/2", "margins": "none"}
COLUMN = {"group": "job", "sex": "sex", "place": "place"}


def true(*by: str) -> dict[tuple[str, ...], int]:
    """Counts by pandas."""
    held = frames()
    rows = held["jobs"].merge(held["workers"], on="worker_id")
    rows = rows.merge(held["workplaces"], on="workplace_id")
    groups = {"11": "1", "12": "1", "91": "9"}
    made = {
        "place": rows.place.where(rows.place.isin(["1", "2"]), "9"),
        "sex": rows.sex.where(rows.sex.isin(["1", "2"]), "9"),
        "group": rows.job.map(groups).fillna("99"),
    }
    found = pd.DataFrame(made).groupby(list(by)).size()
    return {key if isinstance(key, tuple) else (key,): int(n) for key, n in found.items()}


@pytest.mark.parametrize("mechanism", ["joint_clipped", "joint_pareto"])
def test_every_job_has_a_code_and_tables_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    monkeypatch.setattr(draws, "SECRET", Unnoised())
    made = plan({**PRODUCT, "mechanism": mechanism, "margins": "none", "share": "1"})
    assert gaps(made) == ()
    bundle = unchecked_release(made, out=tmp_path / "b", ledger=opened(tmp_path, 1), **frames())
    for name, by in {
        "total": ["place"],
        "sex": ["place", "sex"],
        "group": ["place", "group"],
    }.items():
        rows = bundle[f"wac_{name}"].to_pandas()
        shown = {tuple(row[key] for key in by): row["value"] for _, row in rows.iterrows()}
        assert {key: n for key, n in shown.items() if n} == true(*by)
    assert {"9"} < {*bundle["wac_sex"].to_pandas().sex}


def test_the_bundle_is_sound_and_states_the_rule(tmp_path: Path) -> None:
    ledger = opened(tmp_path, 1)
    made = plan(PRODUCT, BY_SQL)
    unchecked_release(made, out=tmp_path / "b", ledger=ledger, **frames())
    assert leeward.verify(tmp_path / "b", ledger=ledger).sound
    stated = json.loads((tmp_path / "b" / "certificate.json").read_text())
    assert stated["rows"]["rules"][-1] == NULL_RULES[0].sentence
    tables = {one["name"]: one for one in stated["tables"]}
    assert tables["wac_sex"]["codes"]["sex"]["9"] == "Unknown"
    assert tables["wac_group"]["codes"]["group"] == {"1": "1", "9": "9", "99": "Not told"}
    assert all(one["joint"]["covers"] for name, one in tables.items() if name != "sexes")
    assert not any(one.get("partial") for one in tables.values())
    made_of_it = tidy(tmp_path / "b", tmp_path / "tidy")
    assert "may leave jobs out" not in made_of_it.certificate.made_from.sentence  # type: ignore[union-attr]
    assert leeward.verify(tmp_path / "tidy").sound
