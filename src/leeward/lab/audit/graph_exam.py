"""Exam of a policy graph: Laplace noise that is calibrated to a query's sensitivity over it.

The code of `edge_laplace` draws for each number of the query; the auditor notes what it asks for
and computes the loss over any neighbouring pairs that it is given.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar, cast

from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number, positive
from leeward.core.mechanisms import mechanism
from leeward.core.privacy.graph import PolicyGraph, Query
from leeward.lab.audit.loss import NONE, PrivacyLoss, pure_loss, worst
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.recording import CountMechanism, released
from leeward.lab.audit.row import Claim, Row

Node = TypeVar("Node", bound=Hashable)


def loss_over(
    pairs: Iterable[tuple[Node, Node]],
    released_of: Callable[[Node], Sequence[Rounded]],
    claimed: Fraction,
) -> PrivacyLoss:
    """The worst loss over neighbouring pairs of anything, of numbers with independent noise.

    Only distances between the numbers matter for additive noise of one scale, so pairs that agree
    in these are examined once.
    """
    seen: dict[tuple[Any, ...], tuple[Sequence[Rounded], Sequence[Rounded]]] = {}
    for node, other in pairs:
        before, after = released_of(node), released_of(other)
        moved = ((a.true - b.true, a.scale, b.scale) for a, b in zip(after, before, strict=True))
        seen[tuple(sorted(moved))] = before, after
    return worst(_together(before, after, claimed) for before, after in seen.values())


def _together(
    before: Sequence[Rounded], after: Sequence[Rounded], claimed: Fraction
) -> PrivacyLoss:
    parts = (pure_loss(a, b, claimed) for a, b in zip(before, after, strict=True)
             if a != b)  # fmt: skip
    return reduce(PrivacyLoss.plus, parts, NONE)


@dataclass(frozen=True)
class GraphExam:
    """A query of a graph, released for ε, and for twice of it by half the noise (the control)."""

    graph: PolicyGraph
    query: Query
    epsilon: Fraction

    @classmethod
    def of(cls, graph: PolicyGraph, query: Query, epsilon: Number) -> "GraphExam":
        """Refuses a query that no edge changes: it needs no noise."""
        if graph.sensitivity(query) == 0:
            raise InvalidParameter(
                "query",
                rule="must differ between some neighbours: else it is public and needs no noise",
                value="equal answers on every edge",
                next_step="Publish it as it is, or add edges.",
            )
        return cls(graph, query, positive(epsilon, "epsilon"))

    @property
    def sensitivity(self) -> int:
        """The largest L1 distance over the edges."""
        return self.graph.sensitivity(self.query)

    def rows(self) -> tuple[Row, Row]:
        """Calibrated to the sensitivity; and to half of it, which must be rejected."""
        return self._row(Fraction(1), ""), self._row(Fraction(2), "half the sensitivity")

    def _row(self, factor: Fraction, control: str) -> Row:
        loss = loss_over(self.graph.pairs(), self._released(factor), self.epsilon)
        claim = Claim("edge_laplace", "tight", f"graph {self.graph.name}", None, self.epsilon,
                      control=control)  # fmt: skip
        return Row(claim, loss)

    def _released(self, factor: Fraction) -> Callable[[str], tuple[Rounded, ...]]:
        """The distribution of what is released of a node."""
        epsilon = factor * self.epsilon / self.sensitivity
        laplace = cast(CountMechanism, mechanism("edge_laplace", epsilon=epsilon))
        return lambda node: tuple(released(laplace, number, 0) for number in self.query[node])

    def between(self, node: str, other: str) -> PrivacyLoss:
        """The loss between two nodes, neighbours or not."""
        view = self._released(Fraction(1))
        return _together(view(node), view(other), self.epsilon)
