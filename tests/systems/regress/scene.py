"""A made-up file of jobs with tenure and pay, its codebook, and the command."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from leeward.core.randomness import SeededBits
from leeward.interface.commands.app import build

CODEBOOK = """\
attributes:
  county: {table: workplaces, public: true, codes: [A, B, C]}
  sex: {table: workers, codes: [F, M]}
  tenure: {table: jobs, type: number, low: 0, high: 40}
  pay: {table: jobs, type: number, low: 0, high: 8000}
"""

PRIVATE = ("--method", "moments", "--epsilon", "8", "--codebook", "codebook.yaml")


def write(folder: Path, rows: int = 600) -> None:
    """Pay is 2,000 and 60 for each year, give or take 600; nobody works in county C."""
    generator = SeededBits(1).generator
    years = generator.uniform(0, 40, rows).round(1)
    pay = (2000 + 60 * years + generator.normal(0, 600, rows)).round()
    lines = [
        f"{t},{p},{'AB'[n % 20 > 12]},{'FM'[n % 2]},w{n % 20}"
        for n, (t, p) in enumerate(zip(years.tolist(), pay.tolist(), strict=True))
    ]
    (folder / "jobs.csv").write_text("\n".join(["tenure,pay,county,sex,plant", *lines, ""]))
    (folder / "codebook.yaml").write_text(CODEBOOK)
    (folder / "counts.csv").write_text("county,count\nA,390\nB,210\nC,0\n")


def run(*options: str, x: str = "tenure", y: str = "pay", by: str = "county") -> Result:
    """The command in the present folder."""
    given = ["regress", "jobs.csv", "--x", x, "--y", y, "--by", by, *options]
    return CliRunner().invoke(build(), given)


def answer(*options: str, by: str = "county") -> dict[str, Any]:
    """What it says as JSON."""
    result = run(*options, "--json", by=by)
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told
