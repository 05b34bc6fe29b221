"""The golden net: with fixed bits, what a release of any kind writes has the digests that are kept.

`python -m tests.golden` writes tests/kept/golden/ again, after a change that is meant to change
numbers; its CHANGELOG entry says which and why.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256, shake_128
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leeward.core import randomness

KEPT = Path(__file__).parents[1] / "kept" / "golden"

NUMBER = re.compile(r"[-+]?[0-9][0-9./e+-]*")
OF_THE_MOMENT = ("software", "leeward", "created", "files", "ledger", "data")
"""Parts of a certificate that have versions, times and keys."""

FLOATS = "noise"
"""Numbers in double precision, whose last bit may differ on another processor."""


def fix_bits(patch: pytest.MonkeyPatch) -> None:
    """From now on the system's random bits repeat themselves."""
    patch.setattr(randomness, "os", SimpleNamespace(urandom=fixed_bits()))


def fixed_bits() -> Callable[[int], bytes]:
    """A source of bits that repeats itself."""
    calls = 0

    def read(size: int) -> bytes:
        nonlocal calls
        calls += 1
        return shake_128(f"golden {calls}".encode()).digest(size)

    return read


def kept(part: str) -> dict[str, Any]:
    """The digests of all cases of a part of the net."""
    digests: dict[str, Any] = json.loads((KEPT / f"{part}.json").read_text())
    return digests


def keep(part: str, digests: dict[str, Any]) -> None:
    """Write the digests of a part of the net."""
    (KEPT / f"{part}.json").write_text(json.dumps(digests, indent=1) + "\n")


def digest(content: bytes) -> str:
    """A short digest of a file."""
    return sha256(content).hexdigest()[:16]


def numbers(path: Path) -> str:
    """A digest of the numbers of a JSON file and of their places; sentences may become better."""
    content: dict[str, Any] = json.loads(path.read_text())
    lasting = {key: value for key, value in content.items() if key not in OF_THE_MOMENT}
    return digest(json.dumps(list(_leaves(lasting))).encode())


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Numbers, and texts that are numbers, with their places."""
    inside: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        inside = sorted(item for item in value.items() if item[0] != FLOATS)
    elif isinstance(value, list):
        inside = enumerate(value)
    elif NUMBER.fullmatch(str(value)):
        yield place, str(value)
    for key, part in inside:
        yield from _leaves(part, f"{place}/{key}")
