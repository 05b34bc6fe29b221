"""A PostgreSQL cluster for the time of a test: no network, one folder, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder with the newest installed initdb and pg_ctl."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def cluster(folder_of_programs: Path) -> Iterator[Path]:
    """The folder of the socket of a running cluster."""
    home = Path(tempfile.mkdtemp(prefix="pg-"))  # short: a socket's path has at most 107 bytes
    as_postgres: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(home, "postgres")
        as_postgres = ["runuser", "-u", "postgres", "--"]
    control = [*as_postgres, str(folder_of_programs / "pg_ctl"), "-D", str(home / "data"), "-s"]
    try:
        _run([*control, "init", "-o", "-U postgres -A trust --locale=C -E UTF8 --no-sync"], home)
        socket = f"-k {home} -c listen_addresses= -c fsync=off"
        _run([*control, "-w", "-l", str(home / "log"), "-o", socket, "start"], home)
        try:
            yield home
        finally:
            _run([*control, "-m", "immediate", "stop"], home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=60)
