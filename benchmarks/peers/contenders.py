"""Who takes part: bare DuckDB, Leeward under two policies, and the other libraries."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers.process import Place, timed
from benchmarks.peers.tabulations import EPSILON, KINDS
from benchmarks.process import Run, environment, leeward
from benchmarks.stopwatch import read_parts

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
THIS_TREE = os.pathsep.join((str(ROOT), str(ROOT / "src")))
"""Leeward is this one, whichever is installed."""

ALPHA = "0.1"
PLAN = """\
data: {{workplaces: workplaces.parquet, workers: workers.parquet, jobs: jobs.parquet}}
codebook: codebook.yaml
account: {account}
period: {period}
protect: {{{protect}}}
tables:
  - {{name: {kind}, by: [{names}]}}
"""


@dataclass(frozen=True)
class Workshop:
    """The folders of a run, and how long one process may take."""

    build: Path
    seconds: float
    economy: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "economy", self.build / "economy")

    def place(self, log: str, *, family: bool = False, python_path: str = "") -> Place:
        variables = environment() | {"PYTHONPATH": python_path}
        path = self.build / "logs" / f"{log}.txt"
        return Place(self.economy, path, variables, self.seconds, family)

    def python(self, requirements: str) -> Path:
        return self.build / "environments" / requirements / "bin" / "python"


def prepare_environment(shop: Workshop, requirements: str) -> None:
    """Make an environment, unless it is there with these very requirements."""
    wanted = HERE / "requirements" / f"{requirements}.txt"
    folder = shop.build / "environments" / requirements
    stamp = folder / "requirements.txt"
    if stamp.exists() and stamp.read_text() == wanted.read_text():
        return
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    words = ("install", "--quiet", "--disable-pip-version-check", "--requirement", str(wanted))
    timed(
        [str(shop.python(requirements)), "-m", "pip", *words],
        shop.place(f"install-{requirements}"),
    )
    stamp.write_text(wanted.read_text())


def pinned(requirements: str, package: str) -> str:
    """The version of a package in an environment."""
    listed = (HERE / "requirements" / f"{requirements}.txt").read_text().splitlines()
    pins = dict(line.split("==", 1) for line in listed if "==" in line)
    return pins[package]


@dataclass(frozen=True)
class Attempt:
    """One timed run: what it took, what it left, what was done before it, and its parts."""

    run: Run
    released: Path
    before: Run | None = None
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Script:
    """A library, called by its `peer_NAME.py`; without requirements in Leeward's environment."""

    name: str
    label: str
    package: str
    protects: str = "single jobs"
    requirements: str = ""
    family: bool = False
    column: str = "jobs"

    def version(self) -> str:
        if not self.requirements:
            return importlib.metadata.version(self.package)
        return pinned(self.requirements, self.package)

    def prepare(self, shop: Workshop) -> None:
        if self.requirements:
            prepare_environment(shop, self.requirements)

    def attempt(self, shop: Workshop, kind: str, number: int) -> Attempt:
        python = str(shop.python(self.requirements)) if self.requirements else sys.executable
        out = shop.build / "released" / f"{self.name}-{kind}-{number}.parquet"
        out.parent.mkdir(parents=True, exist_ok=True)
        command = [python, str(HERE / f"peer_{self.name}.py"), str(shop.economy), kind, str(out)]
        log = f"{self.name}-{kind}-{number}"
        place = shop.place(log, family=self.family, python_path=str(ROOT))
        run = timed(command, place)
        return Attempt(run, out, parts=read_parts(place.log.read_text(errors="replace")))


@dataclass(frozen=True)
class Leeward:
    """A release under one policy; validation is timed apart and leaves a receipt."""

    name: str
    label: str
    policy: str
    protects: str
    package: str = "leeward"
    column: str = "value"

    @property
    def ledger(self) -> str:
        """One for each policy: a ledger keeps the same data on one account."""
        return f"{self.name}.sqlite"

    @property
    def protection(self) -> Mapping[str, str]:
        alpha = {"alpha": ALPHA} if self.policy == "strong" else {}
        return {"policy": self.policy, **alpha, "epsilon": str(EPSILON)}

    def version(self) -> str:
        return importlib.metadata.version(self.package)

    def prepare(self, shop: Workshop) -> None:
        alpha = ("--alpha", ALPHA) if self.policy == "strong" else ()
        words = ("ledger", "create", "--ledger", self.ledger, "--account", self.name)
        capped = ("--policy", self.policy, *alpha, "--epsilon", "100")
        timed(leeward(*words, *capped), self._place(shop, f"{self.name}-ledger"))

    def attempt(self, shop: Workshop, kind: str, number: int) -> Attempt:
        period = f"{self.name}-{kind}-{number}"
        plan = self._plan(shop, kind, period)
        check = timed(leeward("check", plan), self._place(shop, f"{period}-check"))
        bundle = shop.build / "released" / period
        bundle.parent.mkdir(parents=True, exist_ok=True)
        words = ("release", plan, "--out", str(bundle), "--ledger", self.ledger)
        run = timed(leeward(*words), self._place(shop, period))
        parts = self._parts(shop, kind, f"{period}-parts")
        return Attempt(run, bundle / "tables" / f"{kind}.parquet", check, parts)

    def _place(self, shop: Workshop, log: str) -> Place:
        return shop.place(log, python_path=THIS_TREE)

    def _plan(self, shop: Workshop, kind: str, period: str) -> str:
        """Write the plan of a period; plans of other periods charge anew."""
        protect = ", ".join(f"{key}: {value}" for key, value in self.protection.items())
        text = PLAN.format(
            account=self.name,
            period=period,
            protect=protect,
            kind=kind,
            names=", ".join(KINDS[kind]),
        )
        (shop.economy / f"{period}.yaml").write_text(text)
        return f"{period}.yaml"

    def _parts(self, shop: Workshop, kind: str, period: str) -> Mapping[str, float]:
        """The parts of one more release, which is like the one that was timed as a whole."""
        plan = self._plan(shop, kind, period)
        timed(leeward("check", plan), self._place(shop, f"{period}-check"))
        bundle = shop.build / "released" / period
        script = str(ROOT / "benchmarks" / "parts_of_release.py")
        place = self._place(shop, period)
        timed([sys.executable, script, plan, str(bundle), self.ledger], place)
        return read_parts(place.log.read_text(errors="replace"))


Contender = Script | Leeward

CONTENDERS: Sequence[Contender] = (
    Script("duckdb", "DuckDB, bare", "duckdb", "nothing"),
    Script("duckdb_largest", "DuckDB, with largest establishment", "duckdb", "nothing"),
    Leeward("leeward_worker", "Leeward, policy worker", "worker", "single jobs"),
    Leeward(
        "leeward_strong",
        "Leeward, policy strong",
        "strong",
        f"single jobs and employers (α = {ALPHA})",
    ),
    Script("pydp", "PyDP, mechanism after DuckDB", "python-dp", requirements="pydp"),
    Script("opendp", "OpenDP, Polars context", "opendp", requirements="opendp"),
    Script("diffprivlib", "diffprivlib, histogram", "diffprivlib", requirements="diffprivlib"),
    Script("tumult", "Tumult Analytics", "tmlt.analytics", requirements="tumult", family=True),
    Script(
        "smartnoise",
        "SmartNoise SQL, after DuckDB",
        "smartnoise-sql",
        requirements="smartnoise",
    ),
    Script("pipelinedp", "PipelineDP, local", "pipeline-dp", requirements="pipelinedp"),
    Script(
        "pipelinedp_spark",
        "PipelineDP, Spark",
        "pipeline-dp",
        requirements="pipelinedp",
        family=True,
    ),
)
REQUIRED = ("opendp", "tumult")


def make_economy(shop: Workshop, jobs: int, establishments: int) -> Run:
    """Make up the three tables anew."""
    for stale in (shop.economy, shop.build / "released"):
        shutil.rmtree(stale, ignore_errors=True)
    shop.economy.mkdir(parents=True)
    sizes = ("--jobs", str(jobs), "--establishments", str(establishments))
    return timed(
        leeward("economy", "--out", ".", *sizes), shop.place("economy", python_path=THIS_TREE)
    )
