"""An office with made-up tables in every kind of storage, and what each plan of the matrix made."""

import json
import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import chdir, closing
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import yaml
from typer.testing import CliRunner, Result

import leeward
from leeward.core.codebook import TABLES
from leeward.interface.commands.app import build
from leeward.lab.economy import Economy, write_economy

PLANS = Path(__file__).with_name("plans.yaml")
FLOWS, SHARES = ("11", "10", "01", "00"), (0.7, 0.15, 0.1, 0.05)
CONTRACTS = tuple(f"C{number:02}" for number in range(1, 41))
"""Kinds of contract, of which nearly all jobs have the first and most are of no job."""

PERMANENT, MISSING, NOT_KNOWN = "permanent", "-", "C99"
"""What the column has for the first kind and for a missing one, and the code of unknown kinds."""

RELEASES = 3
"""The cap of an account, in prices of one release."""

TOTAL = "00"
"""The code of rows of totals."""

FIRST, SECOND = "2026Q2", "2026Q3"
"""The periods of the two releases of each plan."""


@dataclass(frozen=True)
class Row:
    """One plan of the matrix: its protection, tables and other keys, and where its data are."""

    name: str
    written: Mapping[str, Any]
    engine: str = "files"

    @property
    def protect(self) -> Mapping[str, str]:
        """What it pays, for the account."""
        protect: Mapping[str, str] = self.written["protect"]
        return protect

    def plan(self, data: Mapping[str, str], period: str) -> str:
        """The text of its plan."""
        head = {"data": data, "codebook": "../economy/codebook.yaml"}
        shared = {**head, "account": "office", "period": period}
        return yaml.safe_dump({**shared, **self.written}, sort_keys=False, allow_unicode=True)


def rows() -> Iterator[Row]:
    """The plans of `plans.yaml`, whose values are texts as in a plan."""
    for name, written in yaml.load(PLANS.read_text(), yaml.BaseLoader).items():  # noqa: S506 (texts only)
        engine = written.pop("engine", "files")
        yield Row(name, written, engine)


ROWS = {row.name: row for row in rows()}


@dataclass(frozen=True)
class Made:
    """What a plan made in its folder: two bundles, a ledger, a settled bundle where there is one.

    `printed` has what each command printed.
    """

    row: str
    folder: Path
    plan: Path
    bundle: Path
    second: Path
    ledger: Path
    printed: dict[str, Result] = field(default_factory=dict)

    @property
    def tidied(self) -> Path:
        """The bundle that `leeward tidy` makes."""
        return self.folder / "releases" / "tidied"

    def run(self, *words: object) -> Result:
        """Run a command in the folder of the plan; its result is kept by its words."""
        result = run(self.folder, *words)
        self.printed[" ".join(map(str, words))] = result
        return result


def cap(protect: Mapping[str, str]) -> dict[str, str]:
    """What an account needs for several releases; the δ at which ρ is read is not spent."""
    several = {"epsilon", "epsilon_job", "rho", *([] if "rho" in protect else ["delta"])}
    return {
        key: str(RELEASES * Fraction(value)) if key in several else value
        for key, value in protect.items()
    }


def square(number: int) -> dict[str, Any]:
    """The outline of an area."""
    left, right = float(number), number + 0.9
    corners = [[left, 0.0], [right, 0.0], [right, 1.0], [left, 1.0], [left, 0.0]]
    return {"type": "Polygon", "coordinates": [corners]}


def run(folder: Path, *words: object) -> Result:
    """Run a command in a folder."""
    with chdir(folder):
        return CliRunner().invoke(build(), [str(word) for word in words])


def succeed(result: Result) -> str:
    """What a command printed, which must have ended well."""
    assert result.exit_code == 0, result.output
    return result.output


@dataclass(frozen=True)
class Office:
    """A folder with an economy, and one folder for each plan."""

    folder: Path
    postgres: Path | None = None

    @property
    def economy(self) -> Path:
        """The folder of the made-up tables."""
        return self.folder / "economy"

    def write(self) -> None:
        """Tables with homes, pay and classes of flows, as Parquet, CSV, DuckDB and SQLite."""
        files = write_economy(
            Economy(jobs=3000, establishments=150, seed=1, homes=True), self.economy
        )
        jobs, drawn = pq.read_table(files.jobs), random.Random(1)  # noqa: S311
        flow = pa.array(drawn.choices(FLOWS, SHARES, k=len(jobs)))
        written = (PERMANENT, MISSING, *CONTRACTS[1:5])
        contract = pa.array(drawn.choices(written, (95, 1, 1, 1, 1, 1), k=len(jobs)))
        jobs = jobs.append_column("flow", flow).append_column("contract", contract)
        pq.write_table(jobs, files.jobs)
        codebook = yaml.load(files.codebook.read_text(), yaml.BaseLoader)  # noqa: S506 (texts only)
        for name, codes in (("flow", FLOWS), ("contract", CONTRACTS)):
            codebook["attributes"][name] = {"table": "jobs", "codes": list(codes)}
        codebook["attributes"]["contract"] |= {
            "spelled": {PERMANENT: CONTRACTS[0]},
            "nulls": [MISSING],
            "unknown": {NOT_KNOWN: "Not known"},
        }
        for name in ("region", "sector"):
            codebook["attributes"][name]["total"] = TOTAL
        files.codebook.write_text(yaml.safe_dump(codebook, sort_keys=False))
        for name in TABLES:
            self._store(name, pq.read_table(self.economy / f"{name}.parquet"))

    def _store(self, name: str, table: pa.Table) -> None:
        pa.csv.write_csv(table, self.economy / f"{name}.csv")
        with duckdb.connect(str(self.economy / "office.duckdb")) as database:
            database.register("arrow", table)
            database.execute(f"CREATE TABLE {name} AS FROM arrow")
        kinds = ["INTEGER" if pa.types.is_integer(one.type) else "TEXT" for one in table.schema]
        columns = ", ".join(map(" ".join, zip(table.column_names, kinds, strict=True)))
        places = ", ".join("?" * len(kinds))
        with closing(sqlite3.connect(self.economy / "office.sqlite")) as rows, rows:
            rows.execute(f"CREATE TABLE {name} ({columns}) STRICT")
            lines = (tuple(line.values()) for line in table.to_pylist())
            rows.executemany(f"INSERT INTO {name} VALUES ({places})", lines)  # noqa: S608

    def map(self) -> Path:
        """A map with a square for each region."""
        codes = yaml.safe_load((self.economy / "codebook.yaml").read_text())["attributes"]["region"]
        areas = [
            {"type": "Feature", "properties": {"code": code}, "geometry": square(number)}
            for number, code in enumerate(codes["codes"])
        ]
        path = self.folder / "map.geojson"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": areas}))
        return path

    def data(self, engine: str) -> dict[str, str]:
        """Where a plan of this engine finds its tables."""
        at = {
            "files": "../economy/{}.parquet",
            "csv": "../economy/{}.csv",
            "duckdb": "duckdb://../economy/office.duckdb#{}",
            "sqlite": "sqlite://../economy/office.sqlite#{}",
            "spark": "../economy/{}.parquet",
            "postgres": f"postgres://postgres@/postgres?host={self.postgres}#matrix.{{}}",
        }[engine]
        spark = {"engine": "spark"} if engine == "spark" else {}
        return {**spark, **{name: at.format(name) for name in TABLES}}

    def make(self, row: Row) -> Made:
        """Take a plan all the way to two verified bundles, as a person does."""
        folder = self.folder / row.name
        (folder / "releases").mkdir(parents=True)
        releases, data = folder / "releases", self.data(row.engine)
        (folder / "plan.yaml").write_text(row.plan(data, FIRST))
        (folder / "second.yaml").write_text(row.plan(data, SECOND))
        paths = (folder / "plan.yaml", releases / "first", releases / "second")
        made = Made(row.name, folder, *paths, folder / "ledger.sqlite")
        self._release(made, row.protect)
        self._release_from_python(made, frames=row.engine == "files")
        return made

    def _release(self, made: Made, protect: Mapping[str, str]) -> None:
        succeed(made.run("plan", "plan.yaml"))
        named = {f"--{key.replace('_', '-')}": value for key, value in cap(protect).items()}
        options = [word for option in named.items() for word in option]
        part = ROWS[made.row].written.get("part", {})
        options += [word for name in part for word in ("--parts", name)]
        succeed(made.run("ledger", "create", "--account", "office", *options))
        for plan, bundle in (("plan.yaml", made.bundle), ("second.yaml", made.second)):
            succeed(made.run("check", plan))
            succeed(made.run("release", plan, "--out", bundle, "--ledger", "ledger.sqlite"))

    def _release_from_python(self, made: Made, *, frames: bool) -> None:
        """The same from Python; what files hold is given as frames."""
        tables = {name: pq.read_table(self.economy / f"{name}.parquet") for name in TABLES}
        given: Any = tables if frames else {}
        with chdir(made.folder):
            plan = leeward.read_plan("plan.yaml")
            assert leeward.check(plan, **given).refused == ()
            bundle = leeward.release(
                plan, out=made.folder / "python", ledger=made.ledger, again=True, **given
            )
        assert leeward.verify(bundle.path, ledger=made.ledger).problems == ()
