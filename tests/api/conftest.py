"""Three small tables as frames of pandas, and a request on them."""

from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # ships no types
import pytest

import leeward

CODES = {"01": "North", "02": "South", "03": "East"}
REQUEST: dict[str, Any] = {
    "codebook": {
        "attributes": {
            "place": {"table": "workplaces", "public": True, "codes": CODES},
            "sex": {"table": "workers", "codes": ["F", "M"]},
        }
    },
    "account": "office",
    "period": "2026Q2",
    "protect": {"policy": "strong", "alpha": 0.1, "epsilon": 4},
    "tables": [{"name": "by_place", "by": ["place"]}],
}


@pytest.fixture
def request_() -> dict[str, Any]:
    return REQUEST


def frames() -> dict[str, pd.DataFrame]:
    jobs = [(f"w{i}-{n}", i) for i in range(30) for n in range(1 + 11 * i % 40)]
    return {
        "workplaces": pd.DataFrame(
            {"workplace_id": range(30), "place": [f"0{1 + i % 3}" for i in range(30)]}
        ),
        "workers": pd.DataFrame(
            {
                "worker_id": [name for name, _ in jobs],
                "sex": ["FM"[n % 2] for n in range(len(jobs))],
            }
        ),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id"]),
    }


@pytest.fixture
def tables() -> dict[str, pd.DataFrame]:
    return frames()


@pytest.fixture
def plan() -> leeward.Plan:
    return leeward.read_plan(REQUEST)


@pytest.fixture
def ledger(tmp_path: Path) -> leeward.Ledger:
    made = leeward.Ledger(tmp_path / "ledger.sqlite")
    made.create("office", policy="strong", alpha="0.1", epsilon=16)
    return made
