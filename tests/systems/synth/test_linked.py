"""Linked rows: they reproduce every tidy table, can be read back, and cost one release."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped] # ships no types
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from typer.testing import CliRunner

import leeward
from leeward.core.codebook.yaml_document import read_document
from leeward.core.errors import BadFile, LeewardError
from leeward.interface.commands.app import build
from leeward.lab.economy import Economy, write_economy
from leeward.systems.synth import linked, linking
from leeward.systems.synth.linking import Synthetic
from tests.unchecked import REASON

TableOf = dict[str, object]

BASE: TableOf = {
    "name": "wac",
    "by": ["place", "sector"],
    "breakdowns": [
        ["age", "schooling"],
        "race",
        ["race", "ethnicity"],
        ["race", "sex"],
        "earnings",
    ],
    "mechanism": "joint_clipped",
    "share": "3/5",
}
GUIDE: TableOf = {
    "name": "pairs",
    "by": ["region"],
    "breakdowns": [["age", "earnings"], ["sex", "earnings"]],
    "mechanism": "joint_clipped",
    "share": "1/5",
}
COARSE: TableOf = {"name": "coarse", "by": ["region", "race"], "share": "1/5"}


@dataclass(frozen=True)
class Office:
    """An economy whose sexes are not all known, its ledger, and rows made of one release."""

    folder: Path
    made: Synthetic

    @property
    def ledger(self) -> leeward.Ledger:
        return leeward.Ledger(self.folder / "ledger.sqlite")

    def plan(self, *tables: TableOf) -> leeward.Plan:
        return planned(self.folder, *tables)


def planned(folder: Path, *tables: TableOf) -> leeward.Plan:
    data = {one: f"{folder}/economy/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    protect = {"policy": "strong", "alpha": "0.1", "epsilon": "8"}
    request = {"data": data, "codebook": f"{folder}/economy/codebook.yaml", "account": "rows",
               "period": "2026", "protect": protect, "tables": [*tables]}  # fmt: skip
    (folder / "plan.yaml").write_text(yaml.safe_dump(request))
    return leeward.read_plan(folder / "plan.yaml")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    folder = tmp_path_factory.mktemp("linked")
    write_economy(Economy(jobs=1500, establishments=80, seed=7), folder / "economy")
    codebook = folder / "economy" / "codebook.yaml"
    held: Any = read_document(codebook, "codebook")
    del held["attributes"]["sex"]["other"], held["attributes"]["sex"]["null_as"]
    codebook.write_text(yaml.safe_dump(held))
    ledger = leeward.Ledger(folder / "ledger.sqlite")
    ledger.create("rows", policy="strong", alpha="0.1", epsilon=80)
    made = linked(planned(folder, BASE, GUIDE, COARSE), folder / "rows", ledger, unchecked=REASON)
    return Office(folder, made)


def rows(folder: Path) -> pd.DataFrame:
    """The three tables, joined by pandas; regions begin the codes of places."""
    jobs, workers, workplaces = (
        pd.read_parquet(folder / f"{one}.parquet") for one in ("jobs", "workers", "workplaces")
    )
    held = jobs.merge(workers, on="worker_id").merge(workplaces, on="workplace_id")
    return held.assign(region=held.place.astype(str).str[:2])


def test_rows_reproduce_every_tidy_table_to_the_last_job(office: Office) -> None:
    held, stated = rows(office.made.path), office.made.statement
    assert stated.reproduced == (
        *("wac_total", "wac_age_schooling", "wac_race", "wac_race_ethnicity", "wac_race_sex"),
        *("wac_earnings", "pairs_total", "coarse"),
    )
    for name in stated.reproduced:
        table = office.made.tidy[name].to_pandas()
        keys = [*office.made.tidy.certificate.table(name).identifiers]  # type: ignore[union-attr]
        found = held.groupby(keys, observed=True).size()
        wanted = table.set_index(keys)["value"]
        assert wanted.sum() > 500, name
        assert (found.reindex(wanted.index, fill_value=0) == wanted).all(), name
        assert found.sum() == wanted.sum(), name
    assert 0 < held.sex.isna().mean() < 0.5  # a table that leaves jobs out
    impossible = (held.age == "A01") != (held.schooling == "E5")
    assert len(held) == stated.jobs
    assert not impossible.any()
    assert not held.worker_id.duplicated().any()


def test_jobs_are_spread_evenly_and_no_id_of_the_frame_is_kept(office: Office) -> None:
    held = rows(office.made.path)
    frame = pd.read_parquet(office.made.path / "workplaces.parquet")
    sizes = held.groupby("workplace_id").size().reindex(frame.workplace_id, fill_value=0)
    cells = frame.assign(jobs=sizes.to_numpy()).groupby(["place", "sector"], observed=True).jobs
    assert (cells.max() - cells.min()).max() == 1
    assert list(frame.workplace_id) == list(range(1, 81))
    assert {*frame.columns} == {"workplace_id", "place", "sector", "ownership"}


def test_leeward_reads_its_rows_and_verify_counts_them(office: Office) -> None:
    plan = leeward.read_plan(office.made.path / "plan.yaml")
    assert leeward.check(plan).refused == ()
    assert leeward.verify(office.made.path, ledger=office.ledger).problems == ()
    kept = {one.table: one.kept for one in office.made.statement.guides}
    assert kept["pairs_sex_earnings"] is None  # sex leaves jobs out
    assert kept["pairs_age_earnings"] is not None


def test_a_plan_that_protects_persons_can_be_read_back(tmp_path: Path) -> None:
    """Persons had a job in each of three years; a synthetic one has a single job."""
    jobs = [(one, one % 2, str(year), "AB"[one % 2]) for one in range(40) for year in (1, 2, 3)]
    data = {
        "workplaces": pd.DataFrame({"workplace_id": [0, 1], "place": ["01", "02"]}),
        "workers": pd.DataFrame({"worker_id": range(40)}),
        "jobs": pd.DataFrame(jobs, columns=["worker_id", "workplace_id", "years", "sector"]),
    }
    attributes = {
        "place": {"table": "workplaces", "public": True, "codes": ["01", "02"]},
        "years": {"table": "jobs", "codes": ["1", "2", "3"]},
        "sector": {"table": "jobs", "codes": ["A", "B"], "other": "B", "null_as": "B"},
    }
    request = {"codebook": {"attributes": attributes}, "account": "rows", "period": "2026",
               "protect": {"policy": "person", "epsilon": 30},
               "jobs": {"max_per_worker": 1, "per": "years"},
               "tables": [{"name": "sectors", "by": ["place", "sector"]}]}  # fmt: skip
    ledger = leeward.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("rows", policy="person", epsilon=30)
    made = linked(leeward.read_plan(request), tmp_path / "rows", ledger, unchecked=REASON, **data)
    plan = leeward.read_plan(made.path / "plan.yaml")
    assert leeward.check(plan).refused == ()
    assert plan.request.public()["jobs"] == {"max_per_worker": "1"}


def test_a_release_that_is_paid_gives_the_same_rows_for_nothing(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Confidential tables are not even there; by the command, with its words."""
    plan = office.plan(BASE, GUIDE, COARSE)
    text = plan.path.read_text().replace("economy/workers", "gone/workers")
    (tmp_path / "plan.yaml").write_text(text.replace("economy/jobs", "gone/jobs"))
    monkeypatch.chdir(tmp_path)
    words = ["synth", "linked", "plan.yaml", "--out", "again", "--measured"]
    entries = len(office.ledger.entries())
    done = CliRunner().invoke(build(), [*words, str(office.made.measured.path)])
    assert done.exit_code == 0, done.output
    assert "Nothing was charged: entry 2 of account rows paid" in done.output
    assert "Sizes of single synthetic establishments carry no information" in done.output
    assert len(office.ledger.entries()) == entries
    for name in ("workplaces.parquet", "workers.parquet", "jobs.parquet", "codebook.yaml"):
        assert (tmp_path / "again" / name).read_bytes() == (office.made.path / name).read_bytes()


def stamped(folder: Path, name: str, content: bytes) -> None:
    """A changed file whose checksum was changed with it."""
    (folder / name).write_bytes(content)
    stated = json.loads((folder / "synthetic.json").read_text())
    stated["files"][name] = {"sha256": sha256(content).hexdigest(), "bytes": len(content)}
    write(folder, stated)


def write(folder: Path, stated: dict[str, Any]) -> None:
    text = json.dumps(stated, indent=1, ensure_ascii=False) + "\n"
    (folder / "synthetic.json").write_text(text)


def another_code(folder: Path) -> None:
    table = pq.read_table(folder / "workers.parquet")
    first, *rest = table["ethnicity"].to_pylist()
    column = pa.array(["A1" if first == "A2" else "A2", *rest])
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.set_column(table.column_names.index("ethnicity"), "ethnicity", column), sink
    )
    stamped(folder, "workers.parquet", sink.getvalue().to_pybytes())


def another_worker(folder: Path) -> None:
    table = pq.read_table(folder / "jobs.parquet")
    ids = table["worker_id"].to_pylist()
    sink = pa.BufferOutputStream()
    pq.write_table(table.set_column(0, "worker_id", pa.array([ids[1], *ids[1:]])), sink)
    stamped(folder, "jobs.parquet", sink.getvalue().to_pybytes())


def other_words(folder: Path) -> None:
    stated = json.loads((folder / "synthetic.json").read_text())
    promise = {"guarantee": stated["guarantee"] | {"epsilon": "1"}}
    write(folder, stated | promise | {"reproduced": stated["reproduced"][1:]})


def another_file(folder: Path) -> None:
    (folder / "notes.txt").write_text("")


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (another_code, "rows do not reproduce wac_race_ethnicity: its cells are off by 2 jobs"),
        (another_worker, "jobs do not have"),
        (
            other_words,
            "else than the release synthetic.json does not name every table",
        ),
        (another_file, "'notes.txt' does not belong to the folder"),
        (lambda at: (at / "README.txt").unlink(), "README.txt is missing"),
    ],
)
def test_verify_finds_what_was_changed(
    office: Office, tmp_path: Path, change: Callable[[Path], None], finding: str
) -> None:
    shutil.copytree(office.made.path, tmp_path / "rows")
    change(tmp_path / "rows")
    assert finding in " ".join(leeward.verify(tmp_path / "rows").problems)


SEX: TableOf = {"by": ["place", "sector"], "mechanism": "joint_clipped", "name": "wac"}


@pytest.mark.parametrize(
    ("tables", "refusal"),
    [
        ([SEX | {"breakdowns": ["age", "schooling"]}], r"Write \[age, schooling\] in place"),
        (
            [SEX | {"breakdowns": [["age", "schooling"], ["age", "race"]]}],
            r"Add \[age\] to the breakdowns",
        ),
        (
            [SEX | {"breakdowns": [["age", "schooling"]]}, {"name": "own", "by": ["ownership"]}],
            "must have one that counts every job by workplace attributes",
        ),
        (
            [
                SEX | {"breakdowns": ["race"]},
                {"name": "old", "by": ["place"], "where": {"age": ["A03"]}},
            ],
            "must be counts of all jobs: no filter",
        ),
        ([{"name": "all", "by": ["place"]}], "must have attributes of workers or jobs"),
    ],
)
def test_what_rows_could_not_reproduce_is_refused_before_the_charge(
    office: Office, tmp_path: Path, tables: list[TableOf], refusal: str
) -> None:
    entries = len(office.ledger.entries())
    with pytest.raises(LeewardError, match=refusal):
        linked(office.plan(*tables), tmp_path / "rows", office.ledger, unchecked=REASON)
    assert len(office.ledger.entries()) == entries
    assert not (tmp_path / "rows").exists()


def test_a_release_without_who_pays_is_refused(office: Office, tmp_path: Path) -> None:
    with pytest.raises(LeewardError, match="must be given, one of the two"):
        linked(office.plan(BASE), tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


def test_what_breaks_off_after_the_charge_says_how_to_go_on(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> Iterator[object]:
        raise OSError(28, "no space")

    monkeypatch.setattr(linking, "write_jobs", full)
    paid = office.made.measured.path
    with pytest.raises(BadFile, match=r"--measured .*rows-measured in place of --ledger"):
        linked(office.plan(BASE, GUIDE, COARSE), tmp_path / "rows", measured=paid)
    assert leeward.verify(tmp_path / "rows" / "rows-measured", ledger=office.ledger).sound
    assert "certificate.json is missing" in leeward.verify(tmp_path / "rows").problems
