"""Registry: the attacks by name; a module is imported when its attack is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from leeward.core.errors import InvalidParameter, did_you_mean, shown
from leeward.lab.attacks.finding import AttackFinding
from leeward.lab.attacks.world import AttackedWorld


@dataclass(frozen=True)
class Attack:
    """An attack: its module, its first line, and what it needs.

    With `tables` its function is `attack(world, *, …)`, without `attack(*, …)`: it has numbers of
    its own. Those of `own` also run on the tables of a plan.
    """

    module: str
    line: str
    tables: bool = False
    own: bool = False
    solver: bool = False


ATTACKS = {
    "differencing": Attack("differencing", "Two exact tables and one known leaver.", True, True),
    "block": Attack("block", "All people of a block of seven, from its published table."),
    "reconstruct": Attack("reconstruct", "Secret bits from many noisy counts (Dinur and Nissim)."),
    "linkage": Attack("linkage", "People who are alone with what a neighbour knows.", True, True),
    "audit-queries": Attack("audit_queries", "Exact sums, and denials that disclose.", solver=True),
    "infusion": Attack("infusion", "Undo the factors of noise infusion.", True, True),
    "edge": Attack("edge", "The size of an establishment under edge privacy."),
    "margins": Attack("margins", "Counts from margins of error of the true scale.", True, True),
    "odds": Attack("odds", "Three requirements of law, before and after a release."),
    "floats": Attack("floats", "Outputs that floating-point noise cannot reach (Mironov)."),
    "blackbox": Attack("blackbox", "A lower bound of the epsilon of any sampler."),
    "membership": Attack("membership", "Whether a person was in a synthesised table."),
    "interval": Attack("interval", "What sums say of withheld cells.", True, True, solver=True),
}
"""What `leeward attack` lists."""

ATTACK, OF_FILES = "attack", "of_files"
"""Functions of an attack's module: on a world, and on files that somebody published."""


def attack_named(name: str) -> Attack:
    """The attack of this name; another one is refused."""
    if name not in ATTACKS:
        raise InvalidParameter(
            "attack",
            rule="must be one that `leeward attack` lists, or all",
            value=shown(name),
            next_step=did_you_mean(name, ATTACKS, "Type: leeward attack"),
        )
    return ATTACKS[name]


def has_solver() -> bool:
    """Whether OR-Tools is installed."""
    return find_spec("ortools") is not None


def story(name: str) -> Sequence[str]:
    """What the attacker has and does: the module's own words below its first line."""
    said = cleandoc(_module(name).__doc__ or "")
    return [" ".join(paragraph.split()) for paragraph in said.split("\n\n")[1:]] or [
        ATTACKS[name].line
    ]


def parameters(name: str, written: Sequence[str], function: str = ATTACK) -> Mapping[str, Any]:
    """Parameters of an attack, each written as KEY=VALUE and read as its default is."""
    known = {
        option.name: option.default
        for option in signature(getattr(_module(name), function)).parameters.values()
        if option.kind is Parameter.KEYWORD_ONLY and isinstance(option.default, (int, float, str))
    }
    given: dict[str, Any] = {}
    for words in written:
        key, _, value = words.partition("=")
        if key not in known:
            listed = ", ".join(known) or "none"
            raise InvalidParameter(
                "--with",
                rule=f"must set a parameter of {name} as KEY=VALUE; it has {listed}",
                value=shown(words),
                next_step=did_you_mean(key, known, "Set one of these, or leave it out."),
            )
        kind = type(known[key])
        try:
            given[key] = kind(value)
        except ValueError:
            raise InvalidParameter(
                f"--with {key}",
                rule=f"must be {'a whole number' if kind is int else 'a number'}",
                value=shown(value),
                next_step=f"Give for example {key}={known[key]}.",
            ) from None
    return given


def run(name: str, world: AttackedWorld | None = None, **given: Any) -> AttackFinding:  # noqa: ANN401
    """Run an attack by name; one with tables needs a world.

    What is found in an internal world is internal, whatever the attack says of itself.
    """
    attack = _module(name).attack
    finding: AttackFinding = attack(world, **given) if ATTACKS[name].tables else attack(**given)
    return replace(finding, internal=True) if world is not None and world.internal else finding


def run_on_files(name: str, files: Sequence[Path], **given: Any) -> AttackFinding:  # noqa: ANN401
    """Run an attack on published tables; only some have such a function."""
    finding: AttackFinding = getattr(_module(name), OF_FILES)(files, **given)
    return finding


def _module(name: str) -> ModuleType:
    return import_module(f"leeward.lab.attacks.{ATTACKS[name].module}")
