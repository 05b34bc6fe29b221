"""A PostgreSQL cluster for the time of a test: no network, one folder, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60
"""Seconds that any one step may take."""


def programs() -> Path:
    """The folder with the newest installed initdb and pg_ctl."""
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(found, key=lambda path: float(path.parent.parent.name))
    named = shutil.which("initdb")
    if not newest and not named:
        raise FileNotFoundError("PostgreSQL is not installed: `make system-deps` (as root)")
    return newest[-1].parent if newest else Path(str(named)).resolve().parent


@contextmanager
def cluster() -> Iterator[Path]:
    """The folder of the socket of a running cluster."""
    # Short, since a socket's path has at most 107 bytes, and open to the user it is given to.
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    try:
        control = [*_user(home), str(programs() / "pg_ctl"), "-D", str(home / "data"), "-s"]
        made = "-U postgres -A trust --locale=C -E UTF8 --no-sync"
        _run([*control, "init", "-o", made], home)
        socket = f"-k {home} -c listen_addresses= -c fsync=off"
        try:
            _run([*control, "-w", "-l", str(home / "log"), "-o", socket, "start"], home)
            yield home
        finally:
            _run([*control, "-m", "immediate", "stop"], home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


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
