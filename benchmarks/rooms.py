"""Walks through the rooms: `python -m benchmarks.rooms`, or with the names of some of `WALKS`.

Releases of a made-up economy, a synthetic table and a page are made in this process, under
`sys.setprofile`. Printed are the modules in the order in which a walk first calls one of their
functions, one line for each visit of a room, and the number of changes of room between them: fewer
changes mean fewer rooms to open in turn for a reader who follows the walk.

A room is the second package below `leeward`. Not counted are the modules beside the rooms of a
floor (`leeward.core.errors`, `exact`, `interruption`, `randomness`) and `show`, which every room
may call as it calls `exact`, the `__init__` of packages, templates, and what runs when a module is
imported: all modules are imported before a walk begins. Each walk has a process of its own, since
a second one would find computed what the first one computes.
"""

import asyncio
import multiprocessing
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType

from starlette.types import Message
from typer.testing import CliRunner

import leeward
from leeward.interface.commands.app import build
from leeward.interface.web.application import make_app
from leeward.interface.web.site import ADDRESS, Site

SOURCE = Path(leeward.__file__).parent

PLAN = """\
data: {{workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}}
codebook: codebook.yaml
account: traced
period: 2026Q2
protect: {{policy: strong, alpha: 0.1, epsilon: 4}}
tables:
{tables}
"""

COUNTS = """\
  - {name: industry, by: [place, sector, ownership], share: 1/2}
  - {name: education, by: [place, sex, education], share: 1/2}"""
PRODUCT = "  - {name: product, by: [place, sector], breakdowns: [age, sex, race, education]}"
EARNINGS = "  - {name: pay, by: [sector], statistic: mean, of: earnings}"

SHOWN = "core.show."
"""Numbers as text and charts, for every room."""

TOKEN, PORT = "0" * 60, 8000
"""The address of the page, which no other process can ask for."""


def touched(action: Callable[[], object], *, threads: bool = False) -> list[str]:
    """The modules below `leeward` in the order in which the action first calls their functions.

    A page is answered in threads of the server; a release loads its report in one, at any time.
    """
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.setdefault(frame.f_code.co_filename)

    if threads:
        threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    paths = [Path(file) for file in files if file.endswith(".py")]
    inside = [path.relative_to(SOURCE) for path in paths if path.is_relative_to(SOURCE)]
    return [".".join(path.with_suffix("").parts) for path in inside]


def visits(modules: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Each stay in a room, with the modules that are new in it."""
    inside = (name for name in modules if name.count(".") > 1 and not name.startswith(SHOWN))
    counted = [name for name in inside if not name.endswith("__init__")]
    return [(room, list(names)) for room, names in groupby(counted, lambda n: n.split(".")[1])]


def import_all() -> None:
    """Import every module, so that no import happens during a walk."""
    for module in walk_packages(leeward.__path__, "leeward."):
        import_module(module.name)


def run(*words: str) -> None:
    """One command in this process."""
    result = CliRunner().invoke(build(), words)
    if result.exit_code:
        sys.exit(result.output)


def release(folder: Path, tables: str) -> None:
    """`leeward release` of these tables, whose rows are checked in the walk."""
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.format(tables=tables), encoding="utf-8")
    paid = ("--ledger", str(folder / "ledger.sqlite"), "--out", str(folder / "bundle"))
    run("release", str(plan), *paid, "--unchecked", "a trace, in which the rows are checked")


def synthesis(folder: Path) -> None:
    """`leeward synth table` of the workers."""
    file = (str(folder / "workers.parquet"), "--codebook", str(folder / "codebook.yaml"))
    paid = ("--epsilon", "1", "--delta", "1e-9", "--uncharged", "a trace of made-up workers")
    run("synth", "table", *file, *paid, "--out", str(folder / "rows"))


def page(folder: Path) -> None:
    """`GET /plan`, answered to a caller in this process."""
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.format(tables=COUNTS), encoding="utf-8")
    site = Site(TOKEN, PORT, plan, folder, folder / "ledger.sqlite")
    head = {"type": "http", "method": "GET", "path": f"{site.base}/plan", "query_string": b""}
    headers = [(b"host", f"{ADDRESS}:{PORT}".encode())]
    answers: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        answers.append(message)

    asyncio.run(make_app(site)({**head, "headers": headers}, receive, send))
    if answers[0]["status"] != 200:
        sys.exit(f"GET /plan: {answers[0]['status']}")


WALKS: dict[str, Callable[[Path], None]] = {
    "count": lambda folder: release(folder, COUNTS),
    "product": lambda folder: release(folder, PRODUCT),
    "earnings": lambda folder: release(folder, EARNINGS),
    "synthesis": synthesis,
    "page": page,
}


def prepared(folder: Path) -> None:
    """A made-up economy, and an account that pays for one walk."""
    run("economy", "--out", str(folder), "--jobs", "20000", "--establishments", "1000")
    budget = ("--account", "traced", "--policy", "strong", "--alpha", "0.1", "--epsilon", "8")
    run("ledger", "create", "--ledger", str(folder / "ledger.sqlite"), *budget)


def show(name: str) -> None:
    """The visits of one walk, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        walk = visits(touched(lambda: WALKS[name](Path(folder)), threads=name == "page"))
    for room, modules in walk:
        print(f"{room:12} {' '.join(module.split('.', 2)[2] for module in modules)}")
    rooms, number = {room for room, _ in walk}, sum(len(names) for _, names in walk)
    print(f"{name}: {number} modules in {len(rooms)} rooms, {len(walk) - 1} changes of room\n")


def main(names: list[str]) -> None:
    import_all()
    forking = multiprocessing.get_context("fork")
    for name in names or WALKS:
        process = forking.Process(target=show, args=(name,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)


if __name__ == "__main__":
    main(sys.argv[1:])
