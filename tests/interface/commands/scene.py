"""A small office: three tables, a codebook, a plan and a ledger in one folder."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from leeward.core.errors import LeewardError
from leeward.interface.commands.app import build
from leeward.publishing.plan.plan import read_plan
from tests.unchecked import UNCHECKED

MARKER = "SECRET"
"""What must never be seen outside."""

NOTE = "Confidential: what follows may hold facts about the data. It stays inside.\n"
ONE_ANSWER = (
    "data: must be readable and agree with the codebook in every row; got files or rows that do "
    "not (not shown). Run `leeward check`, whose output is confidential."
)

PLAN = """\
data:
  workplaces: workplaces.csv
  workers: workers.csv
  jobs: jobs.csv
codebook: codebook.yaml
account: office
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: by_place, by: [place, sector], share: 1/2}
  - {name: by_sex, by: [place, sex], share: 1/2}
"""

CODEBOOK = """\
attributes:
  place: {table: workplaces, public: true, codes: ["01", "02", "03"]}
  sector: {table: workplaces, public: true, codes: [A, B]}
  owner: {table: workplaces, public: false, codes: [P, G]}
  sex: {table: workers, codes: [F, M]}
  education: {table: workers, codes: [E1, E2, E3, E4]}
"""

RELEASE = ("release", "plan.yaml", *UNCHECKED)
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Bad:
    """One row of a table of bad input: what is changed, and what a user is told."""

    bad: str
    new: str
    says: str
    old: str | None = None

    def __str__(self) -> str:
        return self.bad


def table(name: str) -> list[Bad]:
    """The rows of a table that lies beside the tests."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [Bad(**row) for row in yaml.safe_load(text)]


def workplaces() -> Rows:
    places, sectors = ["01", "01", "02", "02", "03", "03"], "ABABAB"
    pairs = enumerate(zip(places, sectors, strict=True))
    return [
        {"workplace_id": f"e{n}", "place": place, "sector": sector, "owner": "PG"[n % 2]}
        for n, (place, sector) in pairs
    ]


def workers() -> Rows:
    return [
        {"worker_id": f"w{n:02}", "sex": "FM"[n % 2], "education": f"E{1 + n % 4}"}
        for n in range(40)
    ]


def jobs() -> Rows:
    return [{"worker_id": f"w{n:02}", "workplace_id": f"e{n % 5}"} for n in range(40)]


def write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@dataclass(frozen=True)
class Office:
    """The folder, in which every command is run."""

    folder: Path

    def write(self) -> None:
        write_csv(self.folder / "workplaces.csv", workplaces())
        write_csv(self.folder / "workers.csv", workers())
        write_csv(self.folder / "jobs.csv", jobs())
        (self.folder / "codebook.yaml").write_text(CODEBOOK)
        (self.folder / "plan.yaml").write_text(PLAN)

    def spoil(self, name: str, row: Bad) -> None:
        """Change a good file as a row says: in one place, or altogether."""
        if row.old is None:
            (self.folder / name).write_text(row.new)
        else:
            self.edit(name, (row.old, row.new))

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """Put another text in the place of one that must be there."""
        text = (self.folder / name).read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        (self.folder / name).write_text(text)

    def refuse_plan(self, *, says: str, name: str = "plan.yaml") -> None:
        """Read a plan that must be refused in these words, without a command around it."""
        with pytest.raises(LeewardError) as refusal:
            read_plan(Path(name))
        assert str(refusal.value) == says

    def open_account(self, name: str = "office", epsilon: str = "16") -> None:
        made = self.run(
            *("ledger", "create", "--account", name, "--policy", "strong"),
            *("--alpha", "0.1", "--epsilon", epsilon),
        )
        assert made.exit_code == 0, made.output

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(build(), arguments, prog_name="leeward")

    def release(self, *more: str, out: str = "bundle") -> Result:
        return self.run(*RELEASE, "--out", out, "--ledger", "ledger.sqlite", *more)

    def released(self, *more: str, out: str = "bundle") -> None:
        result = self.release(*more, out=out)
        assert result.exit_code == 0, result.output

    def refuse(self, *arguments: str, says: str, code: int = 1) -> None:
        """Run a command that must end in this message and change nothing."""
        before, files = self.ledger, sorted(self.folder.iterdir())
        result = self.run(*arguments)
        assert result.stderr == f"leeward: {says}\n"
        assert result.stdout == ""
        assert result.exit_code == code
        assert self.ledger == before
        assert sorted(self.folder.iterdir()) == files

    def refuse_release(self, *more: str, says: str, out: str = "bundle") -> None:
        self.refuse(*RELEASE, "--out", out, "--ledger", "ledger.sqlite", *more, says=says)

    @property
    def ledger(self) -> bytes:
        """Every byte of the ledger: nothing was noted if they are the same."""
        path = self.folder / "ledger.sqlite"
        return path.read_bytes() if path.is_file() else b""


def answer(office: Office, *arguments: str) -> Any:  # noqa: ANN401 (JSON)
    """The JSON that a command prints."""
    result = office.run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
