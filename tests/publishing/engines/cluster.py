"""A PostgreSQL cluster for the time of a test: no network, one folder, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 60
"""Seconds that any one step may take."""

DEBIAN = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of each version, outside PATH."""


def programs() -> Path:
    """The folder with the newest installed initdb and pg_ctl; without them the test is skipped."""
    newest = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name))
    named = shutil.which("initdb")
    if not newest and not named:
        pytest.skip("no PostgreSQL")
    return newest[-1].parent if newest else Path(str(named)).resolve().parent


WATCH = 'home="$1"; shift; read -r _; "$@"; rm -rf "$home"'
"""Waits for a line, or for the end of whoever would write it; then stops the cluster."""

GUARDED = "guarded"
"""The one role that needs a password."""


@contextmanager
def cluster() -> Iterator[Path]:
    """The folder of the socket of a running cluster."""
    found = programs()
    # Short, since a socket's path has at most 107 bytes, and open to the user it is given to.
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    with _watched(home, found / "pg_ctl") as control:
        made = "-U postgres -A trust --locale=C -E UTF8 --no-sync"
        _run([*control, "init", "-o", made], home)
        rules = home / "data" / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
        # Queries of a few rows: compiling them takes longer than running them.
        socket = f"-k {home} -c listen_addresses= -c fsync=off -c jit=off"
        _run([*control, "-w", "-l", str(home / "log"), "-o", socket, "start"], home)
        yield home


@contextmanager
def _watched(home: Path, program: Path) -> Iterator[list[str]]:
    """The command that controls a cluster; another process ends it, also if this one is killed."""
    control = [*_user(home), str(program), "-D", str(home / "data"), "-s"]
    command = ["sh", "-c", WATCH, "sh", str(home), *control, "-m", "immediate", "stop"]
    watcher = subprocess.Popen(
        command, cwd="/", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield control
    finally:
        watcher.communicate(b"\n", timeout=PATIENCE)


def _user(home: Path) -> list[str]:
    """How to run a command as somebody whom PostgreSQL lets run it: anybody but root."""
    if os.geteuid() != 0:
        return []
    users = {one.pw_name for one in pwd.getpwall()}
    name = "postgres" if "postgres" in users else "nobody"
    shutil.chown(home, name)
    return ["runuser", "-u", name, "--"]


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=PATIENCE)
