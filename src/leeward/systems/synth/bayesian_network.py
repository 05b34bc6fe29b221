"""Network: columns in an order, each drawn given its parents; and further tables to agree with.

This is all that rows are drawn from, whatever method found it. Tables are of groups of values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.systems.synth.domain import Domain

DECIMALS = 3
"""Tables are kept to this part of a row."""


@dataclass(frozen=True)
class Fitted:
    """A fitted table of some columns, in rows; a node draws the last one given the others."""

    columns: tuple[int, ...]
    table: Floats

    def as_json(self, names: Sequence[str]) -> dict[str, object]:
        """Plain values, the last column fastest."""
        *parents, column = (names[at] for at in self.columns)
        return {"column": column, "parents": parents, "table": self.table.round(DECIMALS).tolist()}

    @classmethod
    def read(cls, told: Mapping[str, Any], names: Sequence[str]) -> "Fitted":
        """From plain values."""
        columns = (*told["parents"], told["column"])
        return cls(tuple(map(names.index, columns)), np.array(told["table"], dtype=np.float64))


@dataclass(frozen=True)
class BayesianNetwork:
    """`nodes` in the order of drawing; `targets` are tables that weights of rows are raked to.

    `groups` has the group of each value of each column, and `weights` how a group is divided.
    """

    groups: tuple[Integers, ...]
    weights: tuple[Floats, ...]
    nodes: tuple[Fitted, ...]
    targets: tuple[Fitted, ...] = ()

    @classmethod
    def alone(cls, tables: Sequence[Floats]) -> "BayesianNetwork":
        """Independent columns, each value its own group."""
        nodes = tuple(Fitted((at,), table) for at, table in enumerate(tables))
        groups = tuple(np.arange(table.size) for table in tables)
        return cls(groups, tuple(np.ones(table.size) for table in tables), nodes)

    def as_json(self, domain: Domain) -> dict[str, object]:
        """Plain values."""
        names = domain.names
        return {
            "groups": dict(zip(names, (group.tolist() for group in self.groups), strict=True)),
            "weights": dict(
                zip(
                    names, (weight.round(DECIMALS).tolist() for weight in self.weights), strict=True
                )
            ),
            "nodes": [node.as_json(names) for node in self.nodes],
            "targets": [target.as_json(names) for target in self.targets],
        }

    @classmethod
    def read(cls, told: Mapping[str, Any], domain: Domain) -> "BayesianNetwork":
        """From plain values."""
        names = domain.names
        return cls(
            tuple(np.array(told["groups"][name], dtype=np.int64) for name in names),
            tuple(np.array(told["weights"][name], dtype=np.float64) for name in names),
            tuple(Fitted.read(one, names) for one in told["nodes"]),
            tuple(Fitted.read(one, names) for one in told["targets"]),
        )
