"""Drafting: a first plan from the tables of a folder, written by `leeward init`.

`init` runs as a process of its own and reads headers alone; the page loads no engine and opens no
table. Names of files come from a listing of the folder that the page was started with.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response

from leeward.core.errors import BadFile, InvalidParameter, LeewardError, shown
from leeward.interface.web.site import Site, listed, read_form, render, site_of

TABLES = ("workplaces", "workers", "jobs")
WORDS = {
    "workplaces": ("workplace", "establishment", "estab", "firm", "employer", "betrieb"),
    "workers": ("worker", "person", "people", "employee", "individual"),
    "jobs": ("job", "employment", "spell", "wage", "match"),
}
"""What names of files say of their tables."""

STATED = ("account", "period")
"""What a plan needs beside its tables; a draft without them is rejected."""

KINDS = (".parquet", ".csv", ".tsv", ".txt", ".xlsx", ".sas7bdat", ".dta", ".sav")
MOST_FILES = 500
PATIENCE = 120
"""Seconds that `init` may take."""

MOST_WORDS = 4000
"""Maximum length of what is shown of its answer, in characters."""

MARKS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
DRAFTING = Lock()


@dataclass(frozen=True)
class DraftingDesk:
    """The tables to choose from, the choice, and what became of it."""

    files: tuple[str, ...]
    chosen: dict[str, str] = field(hash=False)
    """By table its file; and account and period."""
    refusals: tuple[LeewardError, ...] = ()
    said: str = ""
    written: bool = False


def desk_of(site: Site) -> DraftingDesk | None:
    """The tables of the folder with a first choice by their names; None without a folder."""
    if site.tables is None:
        return None
    files = files_of(site.tables)
    likely = {
        table: next((name for word in WORDS[table] for name in files if word in name.lower()), "")
        for table in TABLES
    }
    return DraftingDesk(files, likely | dict.fromkeys(STATED, ""))


def files_of(folder: Path) -> tuple[str, ...]:
    """The names of plain files that may be tables."""
    try:
        with os.scandir(folder) as entries:
            plain = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError as error:
        raise BadFile(
            "--tables",
            rule=f"must be a folder that can be read ({error.strerror})",
            value=repr(str(folder)),
            next_step="Start the page with another folder.",
        ) from None
    named = (name for name in sorted(plain) if not name.startswith((".", "-")))
    return tuple(name for name in named if Path(name).suffix.lower() in KINDS)[:MOST_FILES]


def draft_plan(request: Request) -> Response:
    """Let `init` write codebook and plan, and show what it says."""
    site, said = site_of(request), dict(read_form(request.state.body))
    desk = desk_of(site)
    if desk is None or site.plan is None or os.path.lexists(site.plan):
        raise InvalidParameter(
            "plan",
            rule="must not be there yet, and a folder of tables given, to be drafted",
            value="no folder of tables" if desk is None else "a plan that is there",
            next_step="Start `leeward serve NEW/plan.yaml --tables DIR`.",
        )
    chosen = {key: said.get(key, "").strip() for key in (*TABLES, *STATED)}
    try:
        written, words = _initialised(site, desk.files, chosen)
        answer = DraftingDesk(desk.files, chosen, said=words, written=written)
    except LeewardError as refusal:
        answer = DraftingDesk(desk.files, chosen, listed(refusal))
    status = 200 if answer.written else 422
    return render(request, "plan_none.html.j2", status=status, refusals=(), desk=answer)


def _initialised(site: Site, files: tuple[str, ...], chosen: dict[str, str]) -> tuple[bool, str]:
    """Whether `init` wrote a plan, and what it said."""
    for table in TABLES:
        if (name := chosen[table]) not in files:
            raise InvalidParameter(
                table,
                rule="must be a file of the folder of tables",
                value=shown(name) if name else "nothing",
                next_step="Choose one of the list.",
            )
    if site.tables is None or site.plan is None:
        raise AssertionError("a draft was asked for without a folder or a plan")
    command = [sys.executable, "-P", "-m", "leeward", "init", "--out", str(site.plan.parent)]
    for key in STATED:
        if not chosen[key]:
            raise InvalidParameter(
                key,
                rule="must be given: a plan names its account and its period",
                value="nothing",
                next_step="Type the account of the ledger, and a period such as 2026Q2.",
            )
        command.append(f"--{key}={chosen[key]}")
    for table in TABLES:
        command += [f"--{table}", str(site.tables / chosen[table])]
    with DRAFTING:
        ended = _run(command)
    written = ended.returncode == 0 and site.plan.is_file()
    said = ended.stdout if written else ended.stderr
    return written, MARKS.sub("", said)[:MOST_WORDS]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 (our own command, with names of a listing)
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        raise BadFile(
            "init",
            rule=f"must end within {PATIENCE} seconds",
            value="an `init` that did not",
            next_step="Run `leeward init` on the command line.",
        ) from None
