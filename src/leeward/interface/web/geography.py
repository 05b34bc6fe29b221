"""Geography: the areas of a GeoJSON file, whose outlines become paths once, when the page starts.

A stranger may have written the file: its size, its depth and its numbers are checked before
anything is drawn, and nothing but outlines and short texts is kept of it.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import cos, radians
from pathlib import Path
from stat import S_ISREG
from typing import Any, NoReturn

from leeward.core.errors import BadFile
from leeward.core.show.heat import WIDE
from leeward.publishing.bundle import CertifiedTable

MOST_BYTES = 64 << 20
MOST_AREAS, MOST_POINTS = 10_000, 300_000
"""Maximum number of areas, and of points of all outlines as they are drawn."""

MOST_KEYS, MOST_LETTERS = 40, 200
"""Maximum number of properties of an area, and of characters of a code."""

FARTHEST = 1e9
TALLEST = 2 * WIDE
"""Maximum height of a map, whose width is 1000."""

Point = tuple[float, float]
Rings = list[list[Point]]


@dataclass(frozen=True)
class AreaOutline:
    """One area: its texts by the name of their property (`id` is its own), and its path."""

    texts: Mapping[str, str]
    path: str


@dataclass(frozen=True)
class Geography:
    """The areas of a map, `height` units high where they are 1000 wide; made by `read_map`."""

    outlines: tuple[AreaOutline, ...]
    height: int
    texts: Mapping[str, frozenset[str]]
    """All texts of a property, of those that most areas have."""

    def fits(self, table: CertifiedTable) -> tuple[str, str] | None:
        """The attribute and the property that share the most codes; None where none are shared."""
        best, fit = 0, None
        for name in table.identifiers:
            for key, texts in self.texts.items():
                shared = len(texts & table.codes[name].keys())
                if shared > best:
                    best, fit = shared, (name, key)
        return fit


def read_map(path: Path) -> Geography:
    """The areas of a GeoJSON file; refuses what is none, or too much to draw."""
    drawn = list[tuple[dict[str, str], Rings]]()
    for feature in _features(path):
        properties = feature.get("properties")
        named = {"id": feature.get("id"), **(properties if isinstance(properties, dict) else {})}
        # Short texts and whole numbers may be codes.
        codes = {key: str(value) for key, value in named.items() if type(value) in (str, int)}
        short = [key for key, text in codes.items() if max(len(key), len(text)) <= MOST_LETTERS]
        rings = list(_rings(feature.get("geometry"), path))
        if rings:
            drawn.append(({key: codes[key] for key in short[:MOST_KEYS]}, rings))
    points = [point for _, rings in drawn for ring in rings for point in ring]
    if not points:
        raise _refused(path, "must hold areas: features with a Polygon or a MultiPolygon")
    frame = _MapFrame.around(points)
    outlines = tuple(AreaOutline(texts, frame.path(rings)) for texts, rings in drawn)
    if sum(outline.path.count(" ") for outline in outlines) > MOST_POINTS:
        raise _refused(path, f"must have outlines of at most {MOST_POINTS:,} points as drawn")
    keys = Counter(key for outline in outlines for key in outline.texts).most_common(MOST_KEYS)
    texts = {
        key: frozenset(outline.texts[key] for outline in outlines if key in outline.texts)
        for key, _ in keys
    }
    return Geography(outlines, frame.height, texts)


@dataclass(frozen=True)
class _MapFrame:
    """How coordinates become units of the map; degrees keep their ratio in the middle of it."""

    left: float
    top: float
    across: float
    up: float
    height: int

    @classmethod
    def around(cls, points: list[Point]) -> "_MapFrame":
        xs, ys = zip(*points, strict=True)
        degrees = max(map(abs, xs)) <= 180 and max(map(abs, ys)) <= 90
        narrow = max(cos(radians((min(ys) + max(ys)) / 2)), 0.05) if degrees else 1.0
        width, height = (max(xs) - min(xs)) * narrow, max(ys) - min(ys)
        scale = min(WIDE / max(width, 1e-9), TALLEST / max(height, 1e-9))
        tall = max(1, round(height * scale))
        return cls(min(xs), max(ys), narrow * scale, scale, tall)

    def path(self, rings: Rings) -> str:
        """Outlines as a path, to a tenth of a unit; points that fall together are one."""
        path = ""
        for ring in rings:
            placed = [
                (round((x - self.left) * self.across, 1), round((self.top - y) * self.up, 1))
                for x, y in ring
            ]
            kept = [*placed[:1], *(two for point, two in pairwise(placed) if point != two)]
            if len(kept) > 3:
                path += "M" + "L".join(f"{x:g} {y:g}" for x, y in kept) + "Z"
        return path


def _features(path: Path) -> list[dict[str, Any]]:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise _refused(path, f"must be a file of at most {MOST_BYTES >> 20} MB")
        content = json.loads(path.read_bytes(), parse_constant=_no_number)
    except OSError:
        raise _refused(path, "must be a file that can be read") from None
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise _refused(path, "must be GeoJSON") from None
    features = content.get("features") if isinstance(content, dict) else None
    if not isinstance(features, list) or not all(isinstance(feature, dict) for feature in features):
        raise _refused(path, "must be GeoJSON with a list of features")
    if len(features) > MOST_AREAS:
        raise _refused(path, f"must have at most {MOST_AREAS:,} features")
    return features


def _no_number(_: str) -> NoReturn:
    raise ValueError


def _rings(geometry: object, path: Path) -> Iterator[list[Point]]:
    """The rings of an area; points and lines are none."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if not isinstance(geometry, dict) or kind not in ("Polygon", "MultiPolygon"):
        return
    coordinates = geometry.get("coordinates")
    polygons: Any = [coordinates] if kind == "Polygon" else coordinates
    try:
        for polygon in polygons:
            for ring in polygon:
                yield [_point(pair) for pair in ring]
    except (TypeError, ValueError, KeyError, IndexError, OverflowError):
        raise _refused(path, "must have outlines as lists of pairs of numbers") from None


def _point(pair: Any) -> Point:  # noqa: ANN401 (JSON of a stranger)
    if not isinstance(pair, list) or {type(pair[0]), type(pair[1])} - {int, float}:
        raise TypeError
    x, y = float(pair[0]), float(pair[1])
    if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST):
        raise ValueError
    return x, y


def _refused(path: Path, rule: str) -> BadFile:
    return BadFile(
        "--map",
        rule=rule,
        value=repr(str(path)),
        next_step="Give a GeoJSON file of areas whose id, or one of whose properties, is the code; "
        "programs for maps make its outlines simpler.",
    )
