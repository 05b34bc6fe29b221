"""The test of the layout: a mechanism is one file, one proof, one registry line, one audit line.

A toy is added to a copy of the source by these four and nothing else. It is then planned, released,
reported, compared, evaluated and audited.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shape.source import SRC

TOY = '''
"""Toy: edge noise of twice the scale. Proof in toy.proof.md."""

from dataclasses import dataclass
from typing import ClassVar

from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims
from leeward.core.mechanisms.calibrated import Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import Guarantee, WorkerOnly


@dataclass(frozen=True)
class Toy(Additive):
    """Twice the noise that hides one job."""

    name: ClassVar[str] = "toy"
    words: ClassVar[Words] = Words(label="toy", noise="Each cell gets a toy number.")
    claims: ClassVar[Claims] = {"workplace": (WorkerOnly(),), "worker": (WorkerOnly(),)}
    free_margins: ClassVar[bool] = True
    follows: ClassVar[str] = "either"

    parameters: Parameters
    law: PiecewiseLaw

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "Toy":
        """P(j) ∝ exp(−ε|j|/2)."""
        return cls(parameters, discrete_laplace(2 / parameters.aimed))

    def price(self) -> Guarantee:
        """ε for a job."""
        return Guarantee(WorkerOnly(), None, self.parameters.epsilon)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """The same for every cell."""
        return Scales(counts * 0 + 1)
'''
PLAN = """\
data:
  {workplaces: economy/workplaces.parquet, workers: economy/workers.parquet, \
jobs: economy/jobs.parquet}
codebook: economy/codebook.yaml
account: toys
period: 2026Q2
protect: {policy: worker, epsilon: 4}
tables:
  - {name: a, by: [place, sector], mechanism: toy}
  - {name: b, by: [place, sex], mechanism: toy, margins: none}
"""
AUDITED = """\
from leeward.lab.audit import LINES
from leeward.lab.audit.audit_line import QUICK_GRID
from leeward.lab.audit.neighbours import QUICK
(line,) = [one for one in LINES if one.mechanism == "toy"]
print(*(row.verdict for row in line.rows(QUICK_GRID, QUICK)))
"""


def inserted(path: Path, before: str, line: str) -> None:
    """Add one line before the first line that begins so."""
    lines = path.read_text().splitlines(keepends=True)
    at = next(n for n, one in enumerate(lines) if one.startswith(before))
    path.write_text("".join([*lines[:at], line, *lines[at:]]))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with a toy in it."""
    folder = tmp_path_factory.mktemp("house")
    copy = folder / "src" / "leeward"
    shutil.copytree(SRC / "leeward", copy, ignore=shutil.ignore_patterns("__pycache__"))
    room = copy / "core" / "mechanisms"
    (room / "toy.py").write_text(TOY.lstrip())
    (room / "toy.proof.md").write_text("Precondition: none. Claim: ε. Proof: as edge_laplace.\n")
    inserted(room / "registry.py", "Calibrated =", "from leeward.core.mechanisms.toy import Toy\n")
    inserted(room / "registry.py", '    "scale"', '    "toy": Toy,\n')
    line = '    AuditLine("toy", examine_scalar, ("worker",), at=ONE),\n'
    inserted(copy / "lab" / "audit" / "lines.py", '    AuditLine("edge_laplace"', line)
    return folder


def run(house: Path, *words: str) -> str:
    """A process that imports the copy."""
    place = {**os.environ, "PYTHONPATH": str(house / "src")}
    ended = subprocess.run(
        [sys.executable, *words],
        check=False,
        cwd=house,
        env=place,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def leeward(house: Path, *words: str) -> str:
    """A command of the copy."""
    return run(house, "-c", "from leeward.interface.commands import main; main()", *words)


def test_a_toy_is_planned_released_and_reported(house: Path) -> None:
    (house / "plan.yaml").write_text(PLAN)
    leeward(house, "economy", "--out", "economy", "--jobs", "3000", "--establishments", "200")
    leeward(house, "ledger", "create", "--account", "toys", "--policy", "worker", "--epsilon", "9")
    first, _ = json.loads(leeward(house, "plan", "plan.yaml", "--json"))["tables"]
    assert first["mechanism"] == "toy"
    assert first["predicted_error"]["mean"] > 0
    leeward(house, "check", "plan.yaml")
    leeward(house, "release", "plan.yaml", "--out", "bundle", "--ledger", "ledger.sqlite")
    certificate = json.loads((house / "bundle" / "certificate.json").read_text())
    assert [table["mechanism"] for table in certificate["tables"]] == ["toy", "toy"]
    assert "Each cell gets a toy number." in (house / "bundle" / "report.html").read_text()
    leeward(house, "verify", "bundle")


def test_a_toy_is_compared(house: Path) -> None:
    program = (
        "from leeward.lab.evaluate.contender import OURS\n"
        "from leeward.lab.evaluate.line import label\n"
        "print('toy' in OURS, label('toy'))"
    )
    assert run(house, "-c", program).split() == ["True", "toy", "(ours)"]


def test_a_toy_is_audited(house: Path) -> None:
    assert "confirmed" in run(house, "-c", AUDITED)
