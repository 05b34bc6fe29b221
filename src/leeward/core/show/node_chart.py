"""Network: a small graph as a picture: nodes on a circle, or in rows by their distance from one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import cos, dist, pi, sin
from typing import ClassVar

WIDTH = 120
"""Width of a picture in user units."""

MOST_DRAWN = 40
"""Maximum number of nodes of a picture."""


@dataclass(frozen=True)
class Spot:
    """A node: its place in a square of 100 by 100, its name, and whether it is no record."""

    x: float
    y: float
    name: str
    absent: bool = False


@dataclass(frozen=True)
class NodeChart:
    """Spots, and the lines between them."""

    kind: ClassVar[str] = "network"

    title: str
    spots: tuple[Spot, ...]
    lines: tuple[tuple[Spot, Spot], ...]

    @property
    def height(self) -> int:
        """Height of the picture in user units, by the number of rows."""
        return 100 if len({spot.y for spot in self.spots}) > 3 else 60

    @property
    def radius(self) -> float:
        """Radius of a spot in user units: at most a third of the way to the nearest spot."""
        places = [(spot.x * WIDTH / 100, spot.y * self.height / 100) for spot in self.spots]
        nearest = min(dist(*two) for two in combinations(places, 2))
        return round(min(5.5, nearest / 3), 2)


def network(
    title: str,
    nodes: Sequence[str],
    edges: Iterable[tuple[str, str]],
    distances: Mapping[str, int] | None = None,
) -> NodeChart:
    """Nodes in rows by their distance from the node at 0; on a circle without distances."""
    if distances is None:
        turn = 2 * pi / len(nodes)
        placed = {
            name: Spot(round(50 + 40 * sin(n * turn), 2), round(50 - 40 * cos(n * turn), 2), name)
            for n, name in enumerate(nodes)
        }
    else:
        placed = _rows(nodes, distances)
    lines = tuple((placed[start], placed[end]) for start, end in edges)
    return NodeChart(title, tuple(placed.values()), lines)


def _rows(nodes: Sequence[str], distances: Mapping[str, int]) -> dict[str, Spot]:
    """The node at 0 on top; nodes without a path are in a row of their own at the bottom."""
    far = 1 + max(distances.values())
    rows: dict[int, list[str]] = {}
    for name in nodes:
        rows.setdefault(distances.get(name, far), []).append(name)
    last = max(rows) or 1
    return {
        name: Spot(
            round(100 * (n + 0.5) / len(row), 2),
            round(12 + 76 * level / last, 2),
            name,
            absent=level == 0,
        )
        for level, row in rows.items()
        for n, name in enumerate(row)
    }
