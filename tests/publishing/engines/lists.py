"""Economies with long code lists, whose rows hold the first and the last codes."""

from pathlib import Path

import numpy as np

from leeward.core.codebook import Codebook, Marginal
from tests.publishing.engines.small import Economy, Row, codebook, whole

Lists = dict[str, dict[str, int]]
"""For each table of the data, how many codes each of its attributes has."""

Table = tuple[str, ...]
"""The attributes of a table."""

FRAMES: dict[str, tuple[dict[str, int], list[Table]]] = {
    "above 2^31": ({"a": 46_341, "b": 46_342}, [("a", "b")]),
    "below 2^40": ({"a": 10_321, "b": 10_321, "c": 10_321}, [("a", "b", "c"), ("c",)]),
    "two geographies": ({"a": 20_000, "b": 60_000, "c": 1_000}, [("a", "c"), ("b", "c")]),
    "near 2^53": ({"a": 9_000, "b": 9_000, "c": 9_000, "d": 12_000}, [("a", "b", "c"), ("d", "a")]),
    "above 2^63": (dict.fromkeys("abcdef", 1_500), [("a", "b", "c"), ("d", "e", "f"), ("f", "a")]),
}
"""Products of list sizes that leave one kind of integer after the other."""


def listed(folder: Path, lists: Lists) -> Codebook:
    """A codebook with these lists; codes are c0, c1, …"""
    lines = ["attributes:"]
    for table, sizes in lists.items():
        for name, size in sizes.items():
            codes = "\n".join(f"c{k},c{k}" for k in range(size))
            (folder / f"{name}.csv").write_text(f"code,label\n{codes}\n")
            public = ", public: true" if table == "workplaces" else ""
            lines.append(f"  {name}: {{table: {table}, codes: {name}.csv{public}}}")
    return codebook(folder, "\n".join(lines))


def filled(seed: int, lists: Lists, workplaces: int = 8, workers: int = 60) -> Economy:
    """Each code is the first, the last or any; one row of each table has last codes alone."""
    rng = np.random.default_rng(seed)

    def codes(table: str, row: int) -> Row:
        sizes = lists.get(table, {})
        chosen = {name: (0, size - 1, rng.integers(size)) for name, size in sizes.items()}
        return {
            name: f"c{ends[1] if row == 0 else ends[rng.integers(3)]}"
            for name, ends in chosen.items()
        }

    return Economy(
        [{"workplace_id": i, **codes("workplaces", i)} for i in range(workplaces)],
        [{"worker_id": i, **codes("workers", i)} for i in range(workers)],
        [
            {"worker_id": i, "workplace_id": i % (workplaces - 1), **codes("jobs", i)}
            for i in range(workers)
        ],
    )


def by(book: Codebook, *names: str) -> Marginal:
    """A table by whole attributes."""
    dimensions = whole(book, *names)
    return Marginal(
        "_".join(names),
        tuple(one for one in dimensions if one.attribute.of_workplaces),
        tuple(one for one in dimensions if not one.attribute.of_workplaces),
    )
