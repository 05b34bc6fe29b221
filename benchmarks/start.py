"""Where the time of a small release goes: CPU seconds of its main thread, by part.

    python -m benchmarks.start

A small economy is released by the command in new processes; the part of an import is its package,
and a part does not contain the parts inside it. Start, ledger, certificate and report together
have a bound, since a database and its noise are not needed for them.
"""

import importlib._bootstrap as bootstrap
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

ROUNDS = 5
BOUND = 0.5
"""Seconds for start, ledger, certificate and report together."""

LIBRARIES = {"ibis": "database", "sqlglot": "database", "duckdb": "database", "_duckdb": "database",
             "numpy": "numpy and pyarrow", "pyarrow": "numpy and pyarrow"}  # fmt: skip
"""The part of a library's import; that of every other one is `start`."""

BOUNDED = ("start", "ledger", "certificate", "report")
RUN = "leeward.publishing.release.run"
PARTS = {
    "plan": ("leeward.interface.commands.release_command:read_plan",),
    "database": (
        *(f"leeward.publishing.engines.engine:Engine.{name}"
          for name in ("digest", "frame_sketch", "check", "prepare", "unchanged")),
        f"{RUN}:open_data",
    ),
    "certificate": (f"{RUN}:Draft.of", f"{RUN}:certificate"),
    "ledger": tuple(
        f"{RUN}:{name}" for name in ("open_ledger", "reserve", "payment", "commit")
    ),
    "noise": (f"{RUN}:measured_cells", f"{RUN}:require_accuracy"),
    "report": ("leeward.api:add_report",),
}  # fmt: skip

spent: defaultdict[str, float] = defaultdict(float)
inside: list[str] = []
since = [0.0]


@contextmanager
def part(name: str) -> Iterator[None]:
    """Add what runs here to a part, and not to the one around it."""
    _add()
    inside.append(name)
    try:
        yield
    finally:
        _add()
        inside.pop()


def _add() -> None:
    now = thread_time()
    spent[inside[-1] if inside else "start"] += now - since[0]
    since[0] = now


def timed(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function, its time added to a part; also that of entering a context or of iterating."""

    def run(*arguments: object, **named: object) -> Any:  # noqa: ANN401 (whatever it returns)
        with part(name):
            found = function(*arguments, **named)
        if isinstance(found, AbstractContextManager):
            return _entered(found, name)
        return _items(found, name) if isinstance(found, Iterator) else found

    return run


@contextmanager
def _entered(opened: AbstractContextManager[object], name: str) -> Iterator[object]:
    with part(name):
        found = opened.__enter__()
    try:
        yield found
    finally:
        opened.__exit__(None, None, None)


def _items(found: Iterator[object], name: str) -> Iterator[object]:
    while True:
        with part(name):
            one = next(found, None)
        if one is None:
            return
        yield one


def watch_imports() -> None:
    """Add the imports of the main thread to their parts."""
    load, main = bootstrap._load_unlocked, threading.get_ident()  # type: ignore[attr-defined]

    def watched(spec: Any) -> object:  # noqa: ANN401 (private to Python)
        if threading.get_ident() != main:
            return load(spec)
        top = spec.name.partition(".")[0]
        with part(LIBRARIES.get(top, inside[-1] if inside and top != "leeward" else "start")):
            return load(spec)

    bootstrap._load_unlocked = watched  # type: ignore[attr-defined]


def watch_parts() -> None:
    """Add the functions of a release to their parts."""
    for name, places in PARTS.items():
        for place in places:
            module, _, path = place.partition(":")
            *above, last = path.split(".")
            owner: Any = import_module(module)
            for one in above:
                owner = getattr(owner, one)
            setattr(owner, last, timed(getattr(owner, last), name))


def measured(target: Path) -> None:
    """In a new process: release, and write down what each part took."""
    watch_imports()
    from leeward.interface.commands import app, start  # noqa: PLC0415 (its import is measured)

    imported = app._imported

    def then_watch(name: str) -> Any:  # noqa: ANN401 (a module)
        found = imported(name)
        import_module("leeward.publishing.release.run")
        watch_parts()
        return found

    app._imported = then_watch

    def leave(code: int) -> None:
        _add()
        target.write_text(json.dumps(spent))
        sys.exit(code)

    os._exit = leave  # type: ignore[assignment]
    start()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run(["-m", "leeward", "demo", "--out", "demo"], folder)
        found = [_round(folder, number) for number in range(ROUNDS)]
    middle = {one: median(times.get(one, 0.0) for times in found) for one in found[0]}
    for one, seconds in sorted(middle.items(), key=lambda pair: -pair[1]):
        print(f"{seconds:6.3f} s  {one}")
    together = sum(middle.get(one, 0.0) for one in BOUNDED)
    print(f"{sum(middle.values()):6.3f} s  in all; {' + '.join(BOUNDED)}: {together:.3f} s, "
          f"bound {BOUND} s: {'met' if together <= BOUND else 'NOT met'}")  # fmt: skip


def _round(folder: Path, number: int) -> dict[str, float]:
    """What each part of one release took, on a ledger of its own."""
    ledger, target = f"{number}.sqlite", folder / f"{number}.json"
    account = ["--account", "demo", "--policy", "strong", "--alpha", "0.1", "--epsilon", "4"]
    _run(["-m", "leeward", "ledger", "create", *account, "--ledger", ledger], folder)
    words = ["release", "demo/plan.yaml", "--out", f"bundle{number}", "--ledger", ledger]
    program = f"import pathlib, benchmarks.start as s; s.measured(pathlib.Path({str(target)!r}))"
    _run(["-c", program, *words], folder)
    read: dict[str, float] = json.loads(target.read_text())
    return read


def _run(words: list[str], folder: Path) -> None:
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=here)


if __name__ == "__main__":
    main()
