"""Stopwatch: what a process did with its time, part by part; the last line that it prints."""

import json
import time
from collections.abc import Mapping

MARK = "parts: "
SHARED = "query and noise"
"""The part that Leeward and a library behind DuckDB have in common, after imports."""

ROWS = "writing rows"
"""What Leeward writes as CSV and Parquet, and others as Parquet."""


class Stopwatch:
    """Seconds since the last part ended, under the name of the part that ends now."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._parts: dict[str, float] = {}

    def end(self, part: str) -> None:
        """A part ends; time of the same name is added."""
        now = time.perf_counter()
        self._parts[part] = self._parts.get(part, 0.0) + now - self._last
        self._last = now

    def tell(self) -> None:
        """Print the parts."""
        print(f"{MARK}{json.dumps(self._parts)}")


def read_parts(said: str) -> Mapping[str, float]:
    """The parts that a process printed; none if it has no stopwatch."""
    told = [line for line in said.splitlines() if line.startswith(MARK)]
    found: dict[str, float] = json.loads(told[-1].removeprefix(MARK)) if told else {}
    return found


def in_words(parts: Mapping[str, float]) -> str:
    """Each part with its seconds."""
    return "; ".join(f"{name} {seconds:,.2f} s" for name, seconds in parts.items())
