"""Bad output folders: refused before the charge where that can be known, else what was charged."""

import ctypes
import errno
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from leeward.publishing.ledger import Ledger
from tests.interface.commands.scene import RELEASE, Office

CAPABILITIES = 0x20080522
"""The version of the structures that `capset` of Linux takes."""

LONG = "x" * 101
PLAIN = "must end in a name of letters, digits, '.', '_' and '-', at most 100"
FREE = "must not exist; got 'bundle'. Choose a name that is free."

FOLDERS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "a file": (lambda path: path.write_text(""), "bundle", f"--out: {FREE}"),
    "a folder": (Path.mkdir, "bundle", f"--out: {FREE}"),
    "a link to nowhere": (lambda path: path.symlink_to("no"), "bundle", f"--out: {FREE}"),
    "in no folder": (
        Path.mkdir,
        "no/bundle",
        "--out: must lie in a folder that exists; got 'no/bundle'. Make the folder first.",
    ),
    "under a file": (
        Path.mkdir,
        "plan.yaml/bundle",
        "--out: must lie in a folder that exists; got 'plan.yaml/bundle'. Make the folder first.",
    ),
    "a blank": (Path.mkdir, "my bundle", f"--out: {PLAIN}; got 'my bundle'. Choose another name."),
    "a dot first": (Path.mkdir, ".b", f"--out: {PLAIN}; got '.b'. Choose another name."),
    "too long": (
        Path.mkdir,
        LONG,
        f"--out: {PLAIN}; got '{LONG}'. Choose another name.",
    ),
    "a device": (
        Path.mkdir,
        "/dev/null/bundle",
        "--out: must lie in a folder that exists; got '/dev/null/bundle'. Make the folder first.",
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_cannot_be_written_is_refused_in_these_words(
    office: Office, name: str
) -> None:
    prepare, out, says = FOLDERS[name]
    prepare(office.folder / "bundle")
    office.refuse_release(out=out, says=says)


def test_the_folder_and_the_budget_are_refused_together(office: Office) -> None:
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 17"))
    (office.folder / "bundle").mkdir()
    said = office.release().stderr
    assert said.startswith("leeward: 2 problems:\n  1. --out: must not exist; ")
    assert "\n  2. charge: must keep account 'office' within its cap of epsilon 16; " in said


def obey_permissions() -> None:
    """Let root be a user like others, who can still read this installation wherever it is."""
    header, none = struct.pack("Ii", CAPABILITIES, 0), bytes(24)
    if ctypes.CDLL(None, use_errno=True).capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def in_child(work: Callable[[], str]) -> str:
    """What some work says in a process that may write only where permissions let it."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                obey_permissions()
            os.write(send, work().encode())
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


def test_a_folder_that_may_not_be_written_is_refused(office: Office) -> None:
    locked = office.folder / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    before = office.ledger
    assert in_child(lambda: office.release(out="locked/bundle").output) == (
        "leeward: --out: must lie in a folder that can be written; got 'locked/bundle'. "
        "Choose another folder.\n"
    )
    assert office.ledger == before


def entries(office: Office) -> list[str]:
    with Ledger.open(office.folder / "ledger.sqlite") as book:
        return [entry.kind for entry in book.entries()]


CHARGED = "Entry 2 of the ledger stays: epsilon 4 of account office."
NOTHING = "No bundle was written; releasing again costs again."


def test_a_full_disk_ends_with_three_and_says_what_was_charged(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("leeward.publishing.bundle.table_writer.new_file", full)
    before = sorted(office.folder.iterdir())
    result = office.release()
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith(
        "leeward: release: broke off after the charge; got --out: must be writable: no space is "
        "left on the device; got '.bundle.partial-"
    )
    assert "Free some space, or choose another folder, and release again." in result.stderr
    assert result.stderr.endswith(f" {CHARGED} {NOTHING}\n")
    assert sorted(office.folder.iterdir()) == before
    assert entries(office) == ["opened", "reserved", "failed"]


CHILD = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
from leeward.interface.commands import main
main()
"""


def test_a_file_that_cannot_grow_ends_with_three(office: Office) -> None:
    many = ", ".join(f'"{n:02}"' for n in range(1, 8000))
    office.edit("codebook.yaml", ('"01", "02", "03"', many))
    office.edit("plan.yaml", ("[place, sector]", "[place, sector], complete: true"))
    before = sorted(office.folder.iterdir())
    result = subprocess.run(
        [
            sys.executable,
            "-B",
            "-c",
            CHILD,
            *RELEASE,
            "--out",
            "bundle",
            "--ledger",
            "ledger.sqlite",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 3, result.stderr
    assert "must be writable: a file became larger than the system allows" in result.stderr
    assert f"{CHARGED} {NOTHING}" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert sorted(office.folder.iterdir()) == before
    assert entries(office) == ["opened", "reserved", "failed"]


def test_after_a_failure_again_releases_and_pays_once_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("leeward.publishing.release.measuring.publish", None)
        assert office.release().exit_code == 3
    office.refuse_release(
        says="plan: must not have been charged to this account before; got entry 2 of account "
        "'office', bundle 'bundle', which failed: its budget is spent, there is no bundle. "
        "Release with --again, which pays once more for new noise."
    )
    office.released("--again")
    assert entries(office) == ["opened", "reserved", "failed", "reserved", "committed"]


def test_rows_that_verify_would_refuse_are_not_sealed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    monkeypatch.setattr(
        "leeward.core.mechanisms.error_margins.whole_margins", lambda wide: -wide.astype("int64")
    )
    before = sorted(office.folder.iterdir())
    result = office.release()
    assert result.exit_code == 3
    assert result.stderr == (
        "leeward: release: broke off after the charge; got bundle: must be sound by the rules of "
        "`leeward verify` before it is sealed; got the table by_place, which has margins below 0. "
        f"Report it; this is a fault of the program. {CHARGED} {NOTHING}\n"
    )
    assert sorted(office.folder.iterdir()) == before
    assert entries(office) == ["opened", "reserved", "failed"]


def test_an_unexpected_failure_after_the_charge_hides_its_words(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError("SECRET")

    monkeypatch.setattr("leeward.publishing.release.measuring.publish", fail)
    result = office.release()
    assert result.exit_code == 3
    assert result.stderr == (
        "leeward: release: broke off after the charge; got an unexpected error (see --debug). "
        f"{CHARGED} {NOTHING}\n"
    )


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("plan.yaml", "--out: must not exist yet; got 'plan.yaml'. Choose another folder."),
        (
            "plan.yaml/demo",
            "--out: must be a folder that can be made (Not a directory); got 'plan.yaml/demo'. "
            "Choose another folder.",
        ),
    ],
)
def test_demo_refuses_a_folder_that_exists_or_cannot_be_made(
    office: Office, out: str, says: str
) -> None:
    office.refuse("demo", "--out", out, says=says)


def test_init_overwrites_nothing(office: Office) -> None:
    tables = [
        part for name in ("workplaces", "workers", "jobs") for part in (f"--{name}", f"{name}.csv")
    ]
    said = office.run("init", *tables)
    assert said.exit_code == 1
    assert said.stderr.startswith(
        "leeward: 2 problems:\n  1. --out: must not hold the file already; got 'codebook.yaml'. "
        "Choose another folder, or remove the file.\n  2. "
    )
    office.refuse(
        *("init", *tables, "--out", "plan.yaml/new"),
        says="--out: must be a folder that can be written (Not a directory); got "
        "'plan.yaml/new/codebook.yaml'. Choose another folder.",
    )


def test_economy_refuses_a_folder_that_cannot_be_made(office: Office) -> None:
    result = office.run("economy", "--out", "plan.yaml/e", "--jobs", "100", "--establishments", "9")
    assert result.exit_code == 1
    assert "unexpected" not in result.stderr
    assert "Traceback" not in result.stderr
