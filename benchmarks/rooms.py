"""The way of one release through the rooms: `python -m benchmarks.rooms`.

A small made-up economy is released as two tables, in this process, under `sys.setprofile`. Printed
are the modules in the order in which the release first calls one of their functions, one line for
each visit of a room, and the number of changes of room between them: fewer changes mean fewer
rooms to look at in turn for whoever follows a release.

A room is the second package below `leeward`. Not counted are the modules beside the rooms of a
floor (`leeward.core.errors`, `exact`, `interruption`, `randomness`) and `show`, which every room
may call as it calls `exact`, the `__init__` of packages, templates, and what runs when a module is
imported: all modules are imported before the release begins.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType

from typer.testing import CliRunner

import leeward
from leeward.interface.commands.app import build

SOURCE = Path(leeward.__file__).parent

PLAN = """\
data: {workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}
codebook: codebook.yaml
account: traced
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: industry, by: [place, sector, ownership], share: 1/2}
  - {name: education, by: [place, sex, education], share: 1/2}
"""

SHOWN = "core.show."
"""Numbers as text and charts, for every room."""


def touched(action: Callable[[], object]) -> list[str]:
    """The modules below `leeward` in the order in which the action first calls their functions."""
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.setdefault(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    paths = [Path(file) for file in files if file.endswith(".py")]
    inside = [path.relative_to(SOURCE) for path in paths if path.is_relative_to(SOURCE)]
    return [".".join(path.with_suffix("").parts) for path in inside]


def visits(modules: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Each stay in a room, with the modules that are new in it."""
    inside = (name for name in modules if name.count(".") > 1 and not name.startswith(SHOWN))
    counted = [name for name in inside if not name.endswith("__init__")]
    return [(room, list(names)) for room, names in groupby(counted, lambda n: n.split(".")[1])]


def import_all() -> None:
    """Import every module, so that no import happens during the release."""
    for module in walk_packages(leeward.__path__, "leeward."):
        import_module(module.name)


def run(*words: str) -> None:
    """One command in this process."""
    result = CliRunner().invoke(build(), words)
    if result.exit_code:
        sys.exit(result.output)


def released(folder: Path) -> list[tuple[str, list[str]]]:
    """The visits of a release of two tables."""
    plan, ledger, out = folder / "plan.yaml", folder / "ledger.sqlite", folder / "bundle"
    plan.write_text(PLAN, encoding="utf-8")
    run("economy", "--out", str(folder), "--jobs", "20000", "--establishments", "1000")
    budget = ("--account", "traced", "--policy", "strong", "--alpha", "0.1", "--epsilon", "8")
    run("ledger", "create", "--ledger", str(ledger), *budget)
    paid = ("--out", str(out), "--ledger", str(ledger))
    words = ("release", str(plan), *paid, "--unchecked", "a trace, in which the rows are checked")
    import_all()
    return visits(touched(lambda: run(*words)))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        found = released(Path(name))
    for room, modules in found:
        inside = [module.split(".", 2)[2] for module in modules]
        print(f"{room:12} {' '.join(inside)}")
    rooms, number = {room for room, _ in found}, sum(len(names) for _, names in found)
    print(f"\n{number} modules in {len(rooms)} rooms, {len(found) - 1} changes of room")


if __name__ == "__main__":
    main()
