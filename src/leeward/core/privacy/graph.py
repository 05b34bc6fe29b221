"""Policy graphs: a policy as data, for auditing and teaching; plans have policies with a proof.

A node is a value that one record may have, or the workforce of an establishment; two nodes that
an edge joins must not be told apart ([H15] §4, after the Blowfish policies of He et al. 2014). One
node may stand for no record at all, ⊥. Nodes without a path between them are not protected from
being told apart: what differs between them is public.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import TypeAlias

from leeward.core.errors import InvalidParameter, did_you_mean, shown
from leeward.core.exact import Number, positive
from leeward.core.privacy.policy import StrongAlpha, WeakAlpha
from leeward.core.privacy.words import steps_apart
from leeward.core.privacy.workforces import Counts, Database

MOST_NODES, MOST_EDGES = 2_000, 200_000
ABSENT = "⊥"
"""The name of the node for no record in graphs that are built in."""

Query: TypeAlias = Mapping[str, tuple[int, ...]]
"""A linear query: what a record with the value of a node adds to each released number."""


@dataclass(frozen=True)
class PolicyGraph:
    """Nodes and the pairs of them that are neighbours; `absent` is the node for no record."""

    name: str
    nodes: tuple[str, ...]
    edges: frozenset[frozenset[str]]
    absent: str | None = None
    workforces: Mapping[str, Counts] = field(default_factory=dict, hash=False)
    """Of graphs of workforces, the jobs by kind of each node."""

    def __post_init__(self) -> None:
        _require(len(set(self.nodes)) == len(self.nodes), "must have each node once", "one twice")
        _require(1 < len(self.nodes) <= MOST_NODES, f"must have 2 to {MOST_NODES} nodes",
                 f"{len(self.nodes)} nodes")  # fmt: skip
        _require(len(self.edges) <= MOST_EDGES, f"must have at most {MOST_EDGES} edges",
                 f"{len(self.edges)} edges")  # fmt: skip
        _require(all(len(edge) == 2 for edge in self.edges), "must join two different nodes by an "
                 "edge", "an edge from a node to itself")  # fmt: skip
        ends = frozenset[str]().union(*self.edges)
        _require(ends <= set(self.nodes), "must have edges between its nodes", "another node")
        if self.absent is not None:
            _require(self.absent in self.nodes, "must have the absent node", shown(self.absent))

    @cached_property
    def neighbours(self) -> Mapping[str, frozenset[str]]:
        joined: dict[str, set[str]] = {node: set() for node in self.nodes}
        for edge in self.edges:
            left, right = edge
            joined[left].add(right)
            joined[right].add(left)
        return {node: frozenset(few) for node, few in joined.items()}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The edges, each once, in the order of the nodes."""
        place = {node: number for number, node in enumerate(self.nodes)}
        ordered = (sorted(place[node] for node in edge) for edge in self.edges)
        return ((self.nodes[left], self.nodes[right]) for left, right in sorted(ordered))

    def distances(self, start: str) -> dict[str, int]:
        """Steps from a node to each node that it has a path to (breadth-first search)."""
        self._require_node(start)
        steps, waiting = {start: 0}, deque([start])
        while waiting:
            here = waiting.popleft()
            for node in sorted(self.neighbours[here] - steps.keys()):
                steps[node] = steps[here] + 1
                waiting.append(node)
        return steps

    def distance(self, one: str, other: str) -> int | None:
        """The steps between two nodes; None where there is no path."""
        self._require_node(other)
        return self.distances(one).get(other)

    @cached_property
    def components(self) -> tuple[frozenset[str], ...]:
        """Sets of nodes with paths between them; which of the sets a record is in is public."""
        found: list[frozenset[str]] = []
        seen = set[str]()
        for node in self.nodes:
            if node not in seen:
                found.append(frozenset(self.distances(node)))
                seen |= found[-1]
        return tuple(found)

    @cached_property
    def diameter(self) -> int:
        """The largest distance between two nodes with a path."""
        return max(max(self.distances(node).values()) for node in self.nodes)

    def sentence(self, one: str, other: str, epsilon: Number) -> str:
        """What is promised of two nodes where every edge is hidden by ε."""
        steps, loss = self.distance(one, other), positive(epsilon, "epsilon")
        if steps is None:
            return f"{one} and {other} have no path: which of the two it is, is not protected."
        if steps == 0:
            return f"{one} and {other} are the same node."
        return f"{one} and {other} are {steps_apart(steps, loss)}."

    def histogram(self) -> Query:
        """How many records have each value; no record adds nothing."""
        counted = [node for node in self.nodes if node != self.absent]
        none = (0,) * len(counted)
        ones = {node: (*none[:n], 1, *none[n + 1 :]) for n, node in enumerate(counted)}
        return ones if self.absent is None else {**ones, self.absent: none}

    def counts(self) -> Query:
        """Of workforces the jobs by kind; of other nodes the histogram."""
        return self.workforces or self.histogram()

    def sensitivity(self, query: Query) -> int:
        """The largest L1 distance of the query's answers over the edges."""
        widths = {len(query[node]) for node in self.nodes if node in query}
        _require(set(query) == set(self.nodes), "must have an answer for every node", "others")
        _require(len(widths) == 1 and 0 not in widths, "must have as many numbers for every node",
                 "several lengths")  # fmt: skip
        return max(
            (sum(abs(a - b) for a, b in zip(query[one], query[other], strict=True))
             for one, other in self.pairs()),
            default=0,
        )  # fmt: skip

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether the workforces of two databases of one establishment are neighbours."""
        named = {counts: node for node, counts in self.workforces.items()}
        nodes = [named.get(database.establishments[0].jobs) for database in (left, right)]
        return None not in nodes and frozenset(nodes) in self.edges

    def _require_node(self, node: str) -> None:
        if node not in self.nodes:
            raise InvalidParameter(
                "node",
                rule="must be a node of the graph",
                value=shown(node),
                next_step=did_you_mean(node, self.nodes, "Write a node's name."),
            )


def _require(holds: bool, rule: str, value: str) -> None:
    if not holds:
        raise InvalidParameter("graph", rule=rule, value=value, next_step="Change the graph.")


def _graph(name: str, nodes: Iterable[str], edges: Iterable[Iterable[str]], absent: str | None
           ) -> PolicyGraph:  # fmt: skip
    return PolicyGraph(name, tuple(nodes), frozenset(map(frozenset, edges)), absent)


# graphs that are built in


def star(values: int = 5) -> PolicyGraph:
    """Every value is joined to no record: differential privacy of adding or removing a record."""
    nodes = _values(values)
    return _graph("star", (ABSENT, *nodes), ((ABSENT, node) for node in nodes), ABSENT)


def complete(values: int = 5) -> PolicyGraph:
    """Every two values are joined: a record may be changed into any other."""
    nodes = _values(values)
    return _graph("complete", nodes, combinations(nodes, 2), None)


def line(values: int = 10, threshold: int = 1) -> PolicyGraph:
    """Ordered values are joined up to a threshold: near values are hidden, far ones less."""
    nodes = _values(values)
    near = ((nodes[i], nodes[j]) for i, j in combinations(range(len(nodes)), 2)
            if j - i <= threshold)  # fmt: skip
    return _graph("line", nodes, near, None)


def partition(values: int = 6, parts: int = 2) -> PolicyGraph:
    """Values are joined within their part alone: which part it is, is public."""
    nodes = _values(values)
    _require(1 <= parts <= values, "must have 1 to as many parts as values", str(parts))
    part = [n * parts // values for n in range(values)]
    inside = ((nodes[i], nodes[j]) for i, j in combinations(range(values), 2) if part[i] == part[j])
    return _graph("partition", nodes, inside, None)


def strong(jobs: int = 6, alpha: Number = "0.1") -> PolicyGraph:
    """Workforces of two kinds under the strong policy of one step ([H16] Def 7.1)."""
    growth = positive(alpha, "alpha")
    return _of_workforces("strong", jobs, lambda a, b: StrongAlpha().admits(*_both(a, b), growth))


def weak(jobs: int = 6, alpha: Number = "0.1") -> PolicyGraph:
    """Workforces of two kinds under the weak policy ([H16] Def 7.3, corrected)."""
    growth = positive(alpha, "alpha")
    return _of_workforces("weak", jobs, lambda a, b: WeakAlpha().admits(*_both(a, b), growth))


def h15(jobs: int = 6, alpha: Number = "0.1") -> PolicyGraph:
    """[H15] eq. 4 with S ⊆ S', as its proof assumes: one more job, or each kind within 1+α."""
    growth = positive(alpha, "alpha")

    def joined(few: Counts, many: Counts) -> bool:
        inside = all(a <= b for a, b in zip(few, many, strict=True))
        return inside and few != many and _printed(few, many, growth)

    return _of_workforces("h15", jobs, lambda a, b: joined(a, b) or joined(b, a))


def h15_printed(jobs: int = 6, alpha: Number = "0.1") -> PolicyGraph:
    """[H15] eq. 4 as printed: nothing bounds S' from below, so that ∅ is everyone's neighbour."""
    growth = positive(alpha, "alpha")
    return _of_workforces(
        "h15-printed", jobs, lambda a, b: _printed(a, b, growth) or _printed(b, a, growth)
    )


def _printed(few: Counts, many: Counts, growth: Fraction) -> bool:
    """|S'∖S| = 1, or every kind of S' is at most 1+α times that of S."""
    more = sum(max(0, b - a) for a, b in zip(few, many, strict=True))
    return more == 1 or all(b <= (1 + growth) * a for a, b in zip(few, many, strict=True))


BUILT_IN: Mapping[str, Callable[..., PolicyGraph]] = {
    "star": star,
    "complete": complete,
    "line": line,
    "partition": partition,
    "h15": h15,
    "h15-printed": h15_printed,
    "strong": strong,
    "weak": weak,
}
MOST_VALUES, MOST_WORKFORCE = 500, 40


def _values(number: int) -> tuple[str, ...]:
    _require(1 <= number <= MOST_VALUES, f"must have 1 to {MOST_VALUES} values", str(number))
    return tuple(f"v{n + 1}" for n in range(number))


def _both(one: Counts, other: Counts) -> tuple[Database, Database]:
    return Database.of(one), Database.of(other)


def _of_workforces(name: str, jobs: int, joined: Callable[[Counts, Counts], bool]) -> PolicyGraph:
    """All workforces of two kinds with at most `jobs` jobs; a node is named women+men."""
    _require(1 <= jobs <= MOST_WORKFORCE, f"must have 1 to {MOST_WORKFORCE} jobs", str(jobs))
    sizes = range(jobs + 1)
    small = (force for force in product(sizes, sizes) if sum(force) <= jobs)
    forces = sorted(small, key=lambda force: (sum(force), force))
    named = {force: "∅" if not any(force) else f"{force[0]}+{force[1]}" for force in forces}
    edges = ((named[a], named[b]) for a, b in combinations(forces, 2) if joined(a, b))
    nodes = tuple(named.values())
    return PolicyGraph(name, nodes, frozenset(map(frozenset, edges)), "∅",
                       {node: force for force, node in named.items()})  # fmt: skip
