"""`leeward report`, and the report that a release adds."""

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from leeward.core.errors import BadFile
from leeward.interface.report import writing
from leeward.interface.report.writing import add_report
from leeward.publishing.bundle import Bundle, verify_bundle
from tests.interface.commands.scene import Office

LOADED = """\
import sys
import leeward.interface.commands.{command}_command
print("jinja2" in sys.modules, "leeward.interface.report.document" in sys.modules)
"""


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.chdir(tmp_path)
    made = Office(tmp_path)
    made.write()
    made.open_account()
    return made


def test_a_release_adds_the_report_and_says_nothing_more(office: Office) -> None:
    result = office.release()
    assert result.exit_code == 0
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == 2
    added = Path("bundle/report.html").read_bytes()
    assert verify_bundle("bundle") == ()
    assert add_report(Path("bundle")).read_bytes() == added
    assert len({path.stat().st_mtime for path in (Path("bundle"), *Path("bundle").rglob("*"))}) == 1


def test_the_command_says_where_the_report_lies(office: Office) -> None:
    office.released()
    Path("bundle/report.html").unlink()
    result = office.run("report", "bundle")
    assert (result.exit_code, result.stdout) == (0, "Report: bundle/report.html\n")
    assert Path("bundle/report.html").is_file()


def test_the_command_refuses_what_is_no_sound_bundle(office: Office) -> None:
    office.released()
    Path("bundle/tables/by_sex.csv").write_text("x")
    before = Path("bundle/report.html").read_bytes()
    result = office.run("report", "bundle")
    assert result.exit_code == 1
    assert result.stderr.startswith("leeward: bundle: must be sound: tables/by_sex.csv is not the ")
    assert Path("bundle/report.html").read_bytes() == before
    assert "it is not a folder" in office.run("report", "nowhere").stderr


REFUSAL = BadFile("report", rule="must be writable", value="'x'", next_step="Mend that.")


@pytest.mark.parametrize(
    ("error", "told"),
    [(REFUSAL, f"{REFUSAL}"), (MemoryError("SECRET"), "MemoryError."), (OSError(), "OSError.")],
    ids=["refusal", "memory", "system"],
)
def test_a_release_stands_without_its_report(
    office: Office, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def fail(_: Bundle) -> NoReturn:
        raise error

    monkeypatch.setattr(writing, "write_report", fail)
    result = office.release()
    assert result.exit_code == 0
    assert result.stdout.startswith("Published: bundle\nCharged:")
    assert result.stderr == (
        f"bundle is published without a report: {told} `leeward report` adds it.\n"
    )
    assert verify_bundle("bundle") == ()
    monkeypatch.undo()
    confirmed = office.run("verify", str(office.folder / "bundle"), "--ledger", str(ledger(office)))
    assert confirmed.stdout.endswith("is sound and the ledger confirms it.\n")


def ledger(office: Office) -> Path:
    return office.folder / "ledger.sqlite"


def test_the_demo_names_its_report(office: Office) -> None:
    result = office.run("demo", "--out", "demo", "--jobs", "2000", "--establishments", "100")
    assert result.exit_code == 0
    last = result.stdout.splitlines()[-1]
    assert last == "   What a review board reads: demo/bundle/report.html (open it in a browser)"
    assert Path("demo/bundle/report.html").is_file()


@pytest.mark.parametrize("command", ["release", "report", "verify", "plan", "demo"])
def test_commands_start_without_the_templates(command: str) -> None:
    code = LOADED.format(command=command)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False False\n"
