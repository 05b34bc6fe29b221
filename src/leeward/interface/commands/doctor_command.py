"""`leeward doctor`: whether this machine and installation can keep the promises."""

import os
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from typing import Annotated

import numpy as np
import typer

from leeward.core.installation import hint
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import secret
from leeward.core.noise.scales import Scales
from leeward.core.noise.tabulated import require_accuracy
from leeward.core.privacy import Guarantee
from leeward.core.randomness import SecretBits
from leeward.interface.commands.screen import REFUSED, say, say_json
from leeward.publishing.bundle.bundle_files import LEFT_BEHIND
from leeward.publishing.engines import connect
from leeward.publishing.ledger import Ledger

PARTS = ("leeward", "numpy", "python-flint", "duckdb", "ibis-framework", "sqlglot", "pyarrow")


def doctor_command(
    ledger: Annotated[Path | None, typer.Option("--ledger", help="Also look at a ledger.")] = None,
    bundles: Annotated[
        Path, typer.Option("--bundles", help="Where to look for what killed releases left.")
    ] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="What was found as JSON.")] = False,
) -> None:
    """Look at the machine and the installation; nothing confidential is touched.

    Example: leeward doctor --ledger ledger.sqlite
    """
    findings = []
    for name, look in checks(ledger, bundles):
        try:
            words, fine = look(), True
        except Exception as error:  # noqa: BLE001 (every failure is reported)
            words, fine = f"{error}", False
        findings.append({"check": name, "ok": fine, "found": words})
        if not as_json:
            say(f"{'ok ' if fine else 'BAD'}  {name}: {words}")
    well = all(finding["ok"] for finding in findings)
    if as_json:
        say_json({"ok": well, "checks": findings})
    if not well:
        raise typer.Exit(REFUSED)


def checks(ledger: Path | None, bundles: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """What is looked at, in order."""
    yield "Python", lambda: f"{platform.python_version()} on {platform.system()}"
    yield "parts", lambda: ", ".join(f"{part} {version(part)}" for part in PARTS)
    yield "random bits", _random_bits
    yield "arithmetic", _arithmetic
    yield "exact noise", _noise
    yield "tables", _tables
    yield "Spark", _spark
    yield "ledger file", _durable
    yield f"leftovers in {bundles}", lambda: _leftovers(bundles)
    if ledger is not None:
        yield f"ledger {ledger}", lambda: _ledger(ledger)


def _random_bits() -> str:
    bits = SecretBits()
    if bits.word(256) == bits.word(256):
        raise OSError("the system's generator repeats itself")
    return "the system's generator answers"


def _arithmetic() -> str:
    require_accuracy()
    return "NumPy is as accurate here as the proofs assume"


def _noise() -> str:
    jobs = np.array([100])
    secret().rounded(jobs, laplace(), Scales(jobs))
    return "draws"


def _tables() -> str:
    """The embedded database reads three tiny tables."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "workplaces.csv").write_text("workplace_id\n1\n")
        (place / "workers.csv").write_text("worker_id\n1\n")
        (place / "jobs.csv").write_text("worker_id,workplace_id\n1,1\n")
        names = ("workplaces", "workers", "jobs")
        with connect({name: f"{name}.csv" for name in names}, place) as engine:
            engine.describe()
    return "the embedded database reads files"


def _spark() -> str:
    """What `engine: spark` would find; a missing Spark is not an error."""
    try:
        pyspark = f"PySpark {version('pyspark')}"
    except PackageNotFoundError:
        return f"not installed, needed for `engine: spark` only. {hint('spark')}"
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    return f"{pyspark}, {'Java found' if java else 'no Java: Spark Connect only'}"


def _durable() -> str:
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.new(Path(folder) / "ledger.sqlite") as book,
    ):
        book.open_account("doctor", Guarantee("strong", "0.1", "1"))
        findings = book.verify()
    if findings:
        raise OSError(findings[0])
    return f"SQLite {sqlite3.sqlite_version} keeps entries"


def _leftovers(folder: Path) -> str:
    """What killed releases left: noisy values that were paid for, without a certificate."""
    names = sorted(path.name for path in folder.iterdir() if LEFT_BEHIND.match(path.name))
    if not names:
        return "none"
    return (
        f"{', '.join(names)}. A release that was killed left them; they may hold noisy values that "
        f"were paid for, and must not be published. If no release is running, remove them: in "
        f"that folder, `rm -r {' '.join(map(quote, names))}`"
    )


def _ledger(path: Path) -> str:
    with Ledger.open(path) as book:
        findings = book.verify()
        count = len(book.entries())
    if findings:
        raise OSError("; ".join(findings))
    return f"sound, {count} entries"
