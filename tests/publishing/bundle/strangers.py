"""Certificates that a stranger might send, of many shapes and as large as one wants."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Json = dict[str, Any]


def written(content: Json) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def among(sound: Json, *keys: str | int) -> tuple[Json, Any]:
    """A copy of a sound certificate, and a part of it."""
    copy = deepcopy(sound)
    part: Any = copy
    for key in keys:
        part = part[key]
    return copy, part


def of_one_line(size: int) -> dict[str, str]:
    """JSON of another hand, which no certificate is."""
    return {
        "a known list": '{"tables":[' + "0," * (size // 2) + "0]}",
        "an unknown list": '{"x":[' + "0," * (size // 2) + "0]}",
        "empty mappings": '{"x":[' + "{}," * (size // 3) + "0]}",
        "deep": '{"x":' + "[" * (size // 2) + "]" * (size // 2) + "}",
        "a long text": '{"period":"' + "a" * size + '"}',
        "a long number": '{"format":' + "1" * size + "}",
        "a key again and again": "{" + '"format":3,' * (size // 11) + '"format":3}',
        "many files": '{"files":{' + ",".join(f'"{n}":0' for n in range(size // 11)) + "}}",
    }


def in_our_hand(sound: Json, size: int) -> dict[str, Callable[[], str]]:
    """The same line by line, around a sound certificate: what a first look lets pass, or not."""

    def grown(*keys: str | int, by: object) -> str:
        content, part = among(sound, *keys)
        if isinstance(part, list) and isinstance(by, list):
            part += by
        elif isinstance(by, dict):
            part.update(by)
        return written(content)

    def ids(each: int) -> list[str]:
        return [f"{number:x}" for number in range(size // each)]

    stamp = {"sha256": "a" * 64, "bytes": 1}
    return {
        "a plan of numbers": lambda: grown("plan", by={"x": [0] * (size // 6)}),
        "a plan of lists": lambda: grown("plan", by={"x": [[0]] * (size // 18)}),
        "a plan of texts": lambda: grown("plan", by={"x": ids(12)}),
        "tables of numbers": lambda: grown("tables", by=[0] * (size // 5)),
        "codes": lambda: grown("tables", 0, "codes", "place", by=dict.fromkeys(ids(20), "a")),
        "identifiers": lambda: grown("tables", 0, "codes", by={one: {"a": "b"} for one in ids(36)}),
        "attributes": lambda: grown(
            "tables", 0, by={"attributes": {one: {"label": "x"} for one in ids(45)}}
        ),
        "impossible": lambda: grown("tables", 0, by={"impossible": [{"a": "b"}] * (size // 27)}),
        "tables again": lambda: grown("tables", by=[sound["tables"][0]] * (size // 2500)),
        "files": lambda: grown("files", by={f"tables/{one}.csv": stamp for one in ids(150)}),
        "a long sentence": lambda: grown("guarantee", by={"sentence": "x" * size}),
        "nothing else": lambda: written({"plan": {"x": [[0]] * (size // 18)}}),
    }
