"""What every synthesizer is given: a table of codes, the size of its columns, the same promise."""

import json
import sys
from pathlib import Path

EPSILON, DELTA = 1.0, 1e-9


def arguments() -> tuple[Path, Path, Path]:
    """The table, the sizes of its columns, and the CSV file to write."""
    data, domain, out = map(Path, sys.argv[1:4])
    return data, domain, out


def sizes(domain: Path) -> dict[str, int]:
    """The number of codes 0, 1, … of each column, from a JSON object."""
    found: dict[str, int] = json.loads(domain.read_text())
    return found
