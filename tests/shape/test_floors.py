"""A floor imports only floors above it, and a room only rooms left of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.house import FLOORS, ORDER, TRUSTED, room_of
from tests.shape.source import SRC, Module, modules

LEEWARD = "leeward"
BITS = "leeward.core.randomness"

APART = {
    "core.privacy": (BITS,),
    "core.mechanisms": (BITS,),
    "publishing.engines": (BITS,),
    "publishing.bundle": (BITS,),
    "derived.settle": (BITS,),
    "derived.derive": (BITS,),
    "derived.products": (BITS,),
    "systems.regress": (BITS,),
    "lab.audit": (BITS,),
    "interface.report": (BITS, "leeward.publishing.release"),
    "interface.web": (
        BITS,
        *(f"leeward.publishing.release.{name}" for name in ("account", "charge", "check")),
        *(f"leeward.publishing.release.{name}" for name in ("certify", "measuring", "run")),
    ),
}
"""What a room may not reach although it is above: random bits, and from a page the way to pay."""


def violations(module: Module) -> Iterator[str]:
    """Imports of a room that is below or to the right, or that this room may never reach."""
    room = room_of(module.name)
    if not room and module.name != LEEWARD:
        yield f"{module.name}: its room is not in the house"
        return
    for line, target in module.imports():
        if not within(target, LEEWARD):
            continue
        below = ORDER.index(room_of(target)) > ORDER.index(room)
        if (below and not facade(module, target)) or any(
            within(target, name) for name in APART.get(room, ())
        ):
            yield f"{module.name}:{line} may not import {target}"


def facade(module: Module, target: str) -> bool:
    """The package itself has the version, which needs nothing else."""
    return target == "leeward.__version__" and module.name != LEEWARD


def within(target: str, name: str) -> bool:
    return f"{target}.".startswith(f"{name}.")


def test_imports_go_upwards_and_to_the_left() -> None:
    assert [line for module in modules() for line in violations(module)] == []


def judge(src: Path, name: str, text: str) -> list[str]:
    path = src / "leeward" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return [line for module in modules(src) for line in violations(module)]


DUCK = "publishing/engines/duck.py"
PAGE = "interface/web/page.py"


@pytest.mark.parametrize(
    ("name", "text", "target"),
    [
        (DUCK, "from leeward.publishing import ledger", "leeward.publishing.ledger"),
        (DUCK, "import re, leeward.publishing.ledger.book as b", "leeward.publishing.ledger.book"),
        (DUCK, "import leeward", "leeward"),
        (DUCK, "from leeward import mechanism", "leeward.mechanism"),
        (DUCK, "from ..bundle import Bundle", "leeward.publishing.bundle.Bundle"),
        ("publishing/engines/a/b.py", "from ...ledger import c", "leeward.publishing.ledger.c"),
        (DUCK, "def f():\n    import leeward.interface", "leeward.interface"),
        (DUCK, "if TYPE_CHECKING:\n    from leeward.lab import x", "leeward.lab.x"),
        ("core/noise/law.py", "from leeward.core import mechanisms", "leeward.core.mechanisms"),
        ("core/exact.py", "from leeward.core.show import numbers", "leeward.core.show.numbers"),
        ("lab/audit/loss.py", "from leeward.core import randomness", BITS),
        (PAGE, "from leeward.publishing.release import run", "leeward.publishing.release.run"),
        ("derived/x.py", "from leeward.derived import settle", "leeward.derived.settle"),
        ("api.py", "from leeward.interface import web", "leeward.interface.web"),
        ("__init__.py", "from leeward.interface.commands import main",
         "leeward.interface.commands.main"),
    ],
)  # fmt: skip
def test_a_forbidden_import_is_reported(tmp_path: Path, name: str, text: str, target: str) -> None:
    (finding,) = judge(tmp_path, name, text)
    assert finding.endswith(f"may not import {target}")


def test_a_room_outside_the_house_is_reported(tmp_path: Path) -> None:
    assert judge(tmp_path, "shed/rake.py", "") == [
        "leeward.shed.rake: its room is not in the house"
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (PAGE, "from leeward.publishing import plan\nimport leeward.publishing.plan.plan"),
        (
            "core/noise/law.py",
            "from leeward.core.randomness import SecretBits\nfrom . import piece",
        ),
        (DUCK, "import leewardish\nfrom leeward.core import errors, exact"),
        (
            "interface/commands/audit_command.py",
            "import leeward\nfrom leeward.publishing.release import run",
        ),
        ("__init__.py", "from leeward.core.errors import LeewardError"),
    ],
)
def test_an_allowed_import_is_not_reported(tmp_path: Path, name: str, text: str) -> None:
    assert judge(tmp_path, name, text) == []


def test_every_folder_is_a_room_with_its_readme() -> None:
    house = SRC / "leeward"
    floors = {path.name for path in house.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert floors == {*FLOORS}
    for floor, names in FLOORS.items():
        inside = {
            path.name for path in (house / floor).iterdir() if (path / "__init__.py").exists()
        }
        assert inside == {*names}
        assert len((house / floor / "README.md").read_text().splitlines()) <= 50


def lines(floor: str) -> int:
    """The lines of a floor."""
    return sum(
        len(path.read_text().splitlines()) for path in (SRC / "leeward" / floor).rglob("*.py")
    )


def test_the_size_of_the_trusted_part_is_known() -> None:
    """Printed with `pytest -rP`; ARCHITECTURE.md states it to the nearest thousand."""
    size = sum(map(lines, TRUSTED))
    print(f"\nThe trusted part ({' and '.join(TRUSTED)}): {size:,} lines")  # noqa: T201 (a number to read)
    stated = (SRC.parent / "ARCHITECTURE.md").read_text()
    assert f"{size / 1000:.0f},000 lines" in stated
