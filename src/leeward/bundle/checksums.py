"""Checksums: the list that `sha256sum --check` reads."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9_][A-Za-z0-9_./-]*)")


def sha256(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_list(sums: Mapping[str, str]) -> bytes:
    """The list in the order of the names."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()


def read_list(content: bytes) -> dict[str, str] | None:
    """Checksum by name; None if it is not exactly such a list."""
    text = content.decode("utf-8", errors="replace")
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    sums = {match[2]: match[1] for match in found if match}
    return sums if write_list(sums) == content else None
