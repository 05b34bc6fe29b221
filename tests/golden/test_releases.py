"""Golden releases: with fixed bits plans of every kind release the same numbers as before."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

import leeward
from tests.golden.net import digest, fix_bits, keep, kept, numbers
from tests.golden.tables import write_tables

WRITTEN = Path(__file__).with_name("releases.yaml").read_text()
PLANS: dict[str, dict[str, Any]] = yaml.load(WRITTEN, yaml.BaseLoader)  # noqa: S506 (texts only)


def write_plan(folder: Path, name: str) -> Path:
    """The plan of a case, with what all of them have in common."""
    written = PLANS[name]
    rough = "rough_" if written.get("rough") else ""
    tables = [{"name": f"t{n}", **table} for n, table in enumerate(written["tables"])]
    plan = {
        "data": {
            "workplaces": "workplaces.csv",
            "workers": f"{rough}workers.csv",
            "jobs": f"{rough}jobs.csv",
        },
        "codebook": "small.yaml",
        "account": "golden",
        "period": "2026Q2",
        **{key: value for key, value in written.items() if key != "rough"},
        "tables": tables,
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    return path


def cap(protect: dict[str, str]) -> dict[str, Any]:
    """What the account of a plan may lose, which its certificate states."""
    loss = {"rho": 100} if "rho" in protect else {"epsilon": 100}
    delta = Fraction(protect.get("delta", 0)) * (1 if "rho" in protect else 2)
    plus = {"plus": int(protect["plus"])} if "plus" in protect else {}
    return {**protect, **loss, "delta": delta, **plus}


def released(folder: Path, name: str) -> dict[str, str]:
    """Digests of each table and of the certificate's numbers."""
    plan, bundle = leeward.read_plan(write_plan(folder, name)), folder / name
    with leeward.Ledger(folder / f"{name}.sqlite") as ledger:
        ledger.create("golden", **cap(PLANS[name]["protect"]))
        leeward.release(plan, out=bundle, ledger=ledger, unchecked="golden", report=False)
    files = sorted((bundle / "tables").glob("*.csv"))
    digests = {path.name: digest(path.read_bytes()) for path in files}
    return {
        **digests,
        "parquet": _parquet(bundle),
        "certificate": numbers(bundle / "certificate.json"),
    }


def _parquet(bundle: Path) -> str:
    """A digest of what all Parquet files say; their bytes have the version of the library."""
    files = sorted((bundle / "tables").glob("*.parquet"))
    tables = [(path.name, pq.read_table(path)) for path in files]
    said = [
        (name, str(table.schema.remove_metadata()), table.to_pylist()) for name, table in tables
    ]
    return digest(repr(said).encode())


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables."""
    folder = tmp_path_factory.mktemp("golden")
    write_tables(folder)
    return folder


@pytest.mark.parametrize("name", PLANS)
def test_the_same_bits_give_the_same_tables(
    office: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fix_bits(monkeypatch)
    assert released(office, name) == kept("releases")[name]


def write(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Keep what this tree releases."""
    write_tables(folder)
    digests = {}
    for name in PLANS:
        fix_bits(patch)
        digests[name] = released(folder, name)
    keep("releases", digests)
