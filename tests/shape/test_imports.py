"""Which room may import which: the table of the architecture, enforced."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import Module, modules


def rooms(names: str = "") -> set[str]:
    return {f"leeward.{name}" for name in names.split()}


EVERYWHERE = rooms("errors exact installation show")
EVERYTHING = {"leeward"}

MAY_IMPORT = {
    "errors": set[str](),
    "exact": rooms("errors"),
    "installation": set[str](),
    "interruption": set[str](),
    "processes": rooms("errors"),
    "state": rooms("randomness"),
    "show": rooms("errors exact"),
    "randomness": EVERYWHERE,
    "model": EVERYWHERE | rooms("randomness"),
    "privacy": EVERYWHERE | rooms("model"),
    "noise": EVERYWHERE | rooms("randomness"),
    "mechanisms": EVERYWHERE | rooms("privacy model noise"),
    "engines": EVERYWHERE | rooms("model"),
    "ledger": EVERYWHERE | rooms("privacy randomness"),
    "bundle": EVERYWHERE | rooms("model privacy"),
    "tidy": EVERYWHERE | rooms("bundle model noise"),
    "publishing": EVERYWHERE
    | rooms("model privacy mechanisms engines ledger bundle noise randomness interruption state")
    | rooms("tidy"),
    "baselines": EVERYWHERE | rooms("model noise randomness engines.without_pandas"),
    "audit": EVERYWHERE | rooms("privacy model mechanisms noise baselines local processes"),
    "economy": EVERYWHERE | rooms("model randomness"),
    "evaluate": EVERYWHERE
    | rooms("model privacy mechanisms noise engines economy baselines pictures randomness")
    | rooms("publishing.check publishing.plan publishing.receipt regress processes"),
    "attacks": EVERYWHERE
    | rooms("model privacy noise mechanisms economy engines baselines synth audit randomness")
    | rooms("evaluate local publishing.check publishing.plan publishing.receipt"),
    "local": EVERYWHERE | rooms("model privacy noise randomness bundle state"),
    "pictures": EVERYWHERE,
    "regress": EVERYWHERE
    | rooms("model privacy mechanisms noise engines ledger bundle baselines interruption")
    | rooms("publishing.account publishing.check"),
    "synth": EVERYWHERE
    | rooms("model privacy mechanisms noise engines ledger bundle tidy randomness")
    | rooms("publishing.account publishing.certify publishing.check publishing.plan")
    | rooms("publishing.run"),
    "report": EVERYWHERE | rooms("bundle model privacy tidy state mechanisms.registry"),
    "web": EVERYWHERE
    | rooms("publishing.plan publishing.predicted publishing.prediction publishing.request")
    | rooms("publishing.target publishing.frontier")
    | rooms("publishing.ledger_check publishing.restatement publishing.gap")
    | rooms("model privacy ledger bundle report tidy"),
    "front": EVERYTHING,
    "cli": EVERYTHING,
    "__main__": rooms("cli"),
}
FRONT = rooms("privacy mechanisms errors front ledger bundle publishing.plan")
"""What `leeward/__init__.py` may import."""


def violations(module: Module) -> Iterator[str]:
    _, _, inside = module.name.partition(".")
    room = inside.partition(".")[0]
    if room and room not in MAY_IMPORT:
        yield f"{module.name}: the room {room} is not in the table"
        return
    allowed = MAY_IMPORT[room] | rooms(room) if room else FRONT
    for line, target in module.imports():
        if within(target, EVERYTHING) and not within(target, allowed):
            yield f"{module.name}:{line} may not import {target}"


def within(target: str, allowed: set[str]) -> bool:
    return any(f"{target}.".startswith(f"{name}.") for name in allowed)


def test_every_room_imports_only_what_the_table_allows() -> None:
    assert [line for module in modules() for line in violations(module)] == []


def judge(src: Path, name: str, text: str) -> list[str]:
    path = src / "leeward" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return [line for module in modules(src) for line in violations(module)]


@pytest.mark.parametrize(
    ("name", "text", "target"),
    [
        (
            "engines/duck.py",
            "from leeward.core.mechanisms import slope",
            "leeward.core.mechanisms.slope",
        ),
        ("engines/duck.py", "from leeward import mechanisms", "leeward.core.mechanisms"),
        (
            "engines/duck.py",
            "import numpy, leeward.publishing.ledger.book as b",
            "leeward.publishing.ledger.book",
        ),
        ("engines/duck.py", "import leeward", "leeward"),
        ("engines/duck.py", "from leeward import mechanism", "leeward.mechanism"),
        ("engines/duck.py", "from ..privacy import Guarantee", "leeward.core.privacy.Guarantee"),
        ("engines/__init__.py", "from .. import privacy", "leeward.core.privacy"),
        ("engines/sql/text.py", "from ...ledger import book", "leeward.publishing.ledger.book"),
        (
            "engines/duck.py",
            "def f():\n    import leeward.interface.commands",
            "leeward.interface.commands",
        ),
        (
            "engines/duck.py",
            "if TYPE_CHECKING:\n    from leeward.interface.commands import x",
            "leeward.interface.commands.x",
        ),
        ("audit/loss.py", "from leeward import randomness", "leeward.core.randomness"),
        ("web/page.py", "from leeward.publishing import run", "leeward.publishing.release.run"),
        ("web/page.py", "import leeward.publishing", "leeward.publishing"),
        ("web/page.py", "from leeward.publishing import *", "leeward.publishing.*"),
        ("web/page.py", "from leeward.publishing.planner import x", "leeward.publishing.planner.x"),
        ("errors.py", "from leeward import exact", "leeward.core.exact"),
        ("exact.py", "from leeward import randomness", "leeward.core.randomness"),
        (
            "__init__.py",
            "from leeward.interface.commands import main",
            "leeward.interface.commands.main",
        ),
    ],
)
def test_a_forbidden_import_is_reported(tmp_path: Path, name: str, text: str, target: str) -> None:
    (found,) = judge(tmp_path, name, text)
    assert found.endswith(f"may not import {target}")


def test_a_room_outside_the_table_is_reported(tmp_path: Path) -> None:
    assert judge(tmp_path, "shed/rake.py", "") == [
        "leeward.shed.rake: the room shed is not in the table"
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "web/page.py",
            "from leeward.publishing import plan\nimport leeward.publishing.plan.plan",
        ),
        ("noise/law.py", "from leeward.core.randomness import SecretBits\nfrom . import piece"),
        ("engines/duck.py", "import leewardish\nfrom leeward import errors, exact"),
        ("cli/audit.py", "import leeward\nfrom leeward.publishing import run"),
        ("__init__.py", "from leeward.core.errors import LeewardError"),
    ],
)
def test_an_allowed_import_is_not_reported(tmp_path: Path, name: str, text: str) -> None:
    assert judge(tmp_path, name, text) == []
