"""Registry: the attacks by name; a module is imported when its attack is run."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from leeward.attacks.finding import Finding
from leeward.attacks.world import World


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


def run(name: str, world: World | None = None, **parameters: Any) -> Finding:  # noqa: ANN401
    """Run an attack by name; one with tables needs a world."""
    chosen = ATTACKS[name]
    attack = import_module(f"leeward.attacks.{chosen.module}").attack
    found: Finding = attack(world, **parameters) if chosen.tables else attack(**parameters)
    return found
