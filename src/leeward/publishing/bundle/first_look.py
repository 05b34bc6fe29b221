"""First look: whether a stranger's JSON has the outline of its schema, line by line.

Leeward writes one value on each line. So a file of any size is looked through with the memory of
one line, and only up to the first line that no file of this schema has.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

SMALL = 1 << 15
"""Size in bytes up to which a file needs no first look: each error of the parser holds a copy."""

LONGEST_LINE = 2 << 20
DEEPEST = 32
MOST_PARTS = 50_000
"""Maximum number of lines of a file by itself that are not plain values of lists and free mappings.

Such lines take up to 600 bytes of memory, plain values 20 times their length.
"""

KINDS = {
    b'"': "string",
    b"{": "object",
    b"[": "array",
    b"t": "boolean",
    b"f": "boolean",
    b"n": "null",
    **dict.fromkeys((b"-", *(str(digit).encode() for digit in range(10))), "number"),
}
"""The kind of a value by its first letter."""

ENTRY = re.compile(rb' *(?:"((?:[^"\\]|\\.)*)": )?(.+?),?\n')
"""A line: a key if it is in a mapping, and a value, or what begins or ends one."""

Schema = Mapping[str, Any]


class Outline:
    """Which kinds of values a schema allows at a place, and which keys and items inside.

    Alternatives are taken together: what none of them allows is found, and nothing else.
    """

    def __init__(self, schema: Schema, definitions: Schema) -> None:
        self._definitions = definitions
        self._parts = [*_resolved(schema, definitions)]
        self._inside: dict[str, Outline | None] = {}
        listed = [part.get("type") for part in self._parts]
        self.kinds = {*KINDS.values()} if None in listed else {*map(str, listed)}
        self.kinds |= {"number"} if "integer" in self.kinds else set()
        named = [part.get("properties", {}) for part in self._parts]
        self._keys = {key: value for properties in named for key, value in properties.items()}
        self.free = any(_others(part) is not None for part in self._parts)
        """Whether its keys may be any."""

        texts = [part for part in self._parts if part.get("type") == "string"]
        text = texts[0] if len(texts) == 1 else {}
        self._pattern = re.compile(text["pattern"]) if "pattern" in text else None
        self._empty_text = not text.get("minLength")
        required = [{*part.get("required", ())} for part in self._parts if "properties" in part]
        self.required = set[str].intersection(*required) if required else set[str]()

    def key(self, name: str) -> "Outline | None":
        """What the value of a key may be; None if there is no such key."""
        place = name if name in self._keys else "*"
        if place not in self._inside:
            others = [other for part in self._parts if (other := _others(part)) is not None]
            schemas = [self._keys[name]] if place == name else others
            self._inside[place] = self._outline(schemas)
        return self._inside[place]

    def takes_text(self, value: bytes) -> bool:
        """Whether a text fits; of several alternatives, whatever it is."""
        if self._pattern is None:
            return self._empty_text or value != b'""'
        try:
            text = json.loads(value) if b"\\" in value else value[1:-1].decode()
        except ValueError:
            return False
        return self._pattern.search(text) is not None

    def item(self) -> "Outline | None":
        """What an item of a list may be; None if there is no list here."""
        if "[" not in self._inside:
            free: Schema = {}
            lists = (part for part in self._parts if part.get("type", "array") == "array")
            items = [part.get("items", free) for part in lists]
            self._inside["["] = self._outline(items)
        return self._inside["["]

    def _outline(self, schemas: list[Schema]) -> "Outline | None":
        return Outline({"anyOf": schemas}, self._definitions) if schemas else None


def _resolved(schema: Schema, definitions: Schema) -> Iterator[Schema]:
    """The alternatives of a schema."""
    if "$ref" in schema:
        yield from _resolved(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    elif "anyOf" in schema:
        for alternative in schema["anyOf"]:
            yield from _resolved(alternative, definitions)
    else:
        yield schema


def _others(part: Schema) -> Schema | None:
    """The schema of keys that are not named; None where there are no others."""
    free = "type" not in part or (part["type"] == "object" and "properties" not in part)
    others = part.get("additionalProperties", free)
    if isinstance(others, bool):
        return {} if others else None
    return dict(others)


@dataclass
class _Frame:
    """A list or mapping that is being read; `seen` are the keys so far, unless they are free."""

    outline: Outline
    closed_by: bytes
    seen: set[str] | None

    @classmethod
    def of(cls, outline: Outline, kind: str) -> "_Frame":
        """A new one; lists have no keys."""
        if kind == "array":
            return cls(outline, b"]", None)
        return cls(outline, b"}", None if outline.free else set())

    @property
    def whole(self) -> bool:
        """Whether no key is missing."""
        return self.seen is None or self.outline.required <= self.seen

    def inside(self, key: bytes | None) -> Outline | None:
        """What may be on a line with this key, or without one."""
        if self.closed_by == b"]":
            return self.outline.item() if key is None else None
        if key is None:
            return None
        name = key.decode(errors="replace")
        if self.seen is not None:
            if name in self.seen:
                return None
            self.seen.add(name)
        return self.outline.key(name)


class _Reading:
    """What has been opened so far."""

    def __init__(self, outline: Outline, parts: int) -> None:
        self._whole = outline
        self._frames: list[_Frame] = []
        self._left = parts
        self.done = False

    def takes(self, line: bytes) -> bool:
        """Whether the line may follow."""
        entry = ENTRY.fullmatch(line)
        if entry is None or self.done:
            return False
        key, value = entry.groups()
        if key is None and self._frames and value == self._frames[-1].closed_by:
            self.done = len(self._frames) == 1
            return self._frames.pop().whole
        if not self._frames:  # the whole is a mapping
            place = self._whole if (key, value) == (None, b"{") else None
        else:
            place = self._frames[-1].inside(key)
        return place is not None and self._takes(value, place)

    def _takes(self, value: bytes, place: Outline) -> bool:
        kind = KINDS.get(value[:1])
        whole = kind in ("object", "array")
        if whole or self._frames[-1].seen is not None:
            self._left -= 1
        if kind is None or kind not in place.kinds or self._left < 0:
            return False
        if value in (b"{}", b"[]"):
            return not (kind == "object" and place.required)
        if whole:
            self._frames.append(_Frame.of(place, kind))
            return value in (b"{", b"[") and len(self._frames) <= DEEPEST
        return kind != "string" or place.takes_text(value)


def first_wrong_line(path: Path, schema: Schema, parts: int = MOST_PARTS) -> int | None:
    """The number of the first line that a file of this schema does not have; None without one.

    `parts` is how many lines may be other than plain values of lists and free mappings.
    """
    reading = _Reading(Outline(schema, schema.get("$defs", {})), parts)
    with path.open("rb") as file:
        for number in count(1):
            line = file.readline(LONGEST_LINE)
            if not line:
                return None if reading.done else number
            if not reading.takes(line):
                return number
    raise AssertionError("count never ends")
