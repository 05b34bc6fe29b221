"""A made-up file of people, its codebook, counts of rows in memory, and the command."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner, Result

from leeward.core.codebook import read_codebook
from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.interface.commands.app import build
from leeward.systems.synth.counting import Groups
from leeward.systems.synth.domain import Domain

CODEBOOK: dict[str, object] = {
    "attributes": {
        "sex": {"table": "workers", "codes": ["F", "M"], "null_as": "F", "other": "M"},
        "age": {"table": "workers", "codes": ["young", "old"], "omit": ["unborn"]},
        "school": {"table": "workers", "codes": ["none", "basic", "degree"]},
        "schooled": {
            "table": "workers",
            "codes": ["no", "yes"],
            "from": "school",
            "map": {"none": "no", "basic": "yes", "degree": "yes"},
        },
        "pay": {
            "table": "workers",
            "type": "integer",
            "unit": "euro",
            "cap": 999,
            "classes": {"low": 99, "high": 999},
        },
        "height": {"table": "workers", "type": "number", "low": 1, "high": 2},
        "since": {"table": "workers", "codes": ["2025-01-31", "2026-01-31"]},
        "town": {"table": "workplaces", "public": True, "codes": ["A"]},
    },
    "impossible": [{"age": "young", "school": "degree"}, {"schooled": "no", "pay": "high"}],
}
NAMES = ("sex", "age", "school", "pay", "since", "height")


def domain(ranges: int = 4) -> Domain:
    """The columns of the codebook."""
    return Domain.of(read_codebook(CODEBOOK), ranges)


def write(folder: Path, rows: int = 600) -> Path:
    """The old earn much and have degrees; one in ten has no school, date or height."""
    generator = SeededBits(1).generator
    lines = []
    for n, (old, luck) in enumerate(zip(*generator.random((2, rows)), strict=True)):
        aged = old < 0.5
        school = "" if n % 10 == 0 else "degree" if aged and luck < 0.9 else "basic"
        pay, height = (100 + n % 900 if aged else n % 100), "" if n % 10 == 1 else 1 + luck
        since = "" if n % 10 == 2 else "2025-01-31"
        lines.append(f"{'FM'[n % 2]},{'old' if aged else 'young'},{school},{pay},{height},{since}")
    folder.mkdir(exist_ok=True)
    path = folder / "people.csv"
    path.write_text("\n".join(["sex,age,school,pay,height,since", *lines, ""]))
    (folder / "codebook.yaml").write_text(json.dumps(CODEBOOK))
    return path


INSIDE = ("--uncharged", "a test")


def run(*options: str, file: str = "people.csv", out: str = "out") -> Result:
    """The command in the present folder; without an account or a reason nothing is charged."""
    if not {"--ledger", "--uncharged", "random"} & {*options}:
        options += INSIDE
    given = ["synth", "table", file, "--codebook", "codebook.yaml", "--out", out, *options]
    return CliRunner().invoke(build(), given)


def answer(*options: str, **named: str) -> dict[str, Any]:
    """What it says as JSON."""
    result = run(*options, "--json", **named)
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@dataclass(frozen=True)
class ArrayCounts:
    """Counts of rows of positions in memory."""

    rows: Integers

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """By adding up."""
        counts = np.zeros([int(groups[at].max()) + 1 for at in columns], dtype=np.int64)
        np.add.at(counts, tuple(groups[at][self.rows[:, at]] for at in columns), 1)
        return counts
