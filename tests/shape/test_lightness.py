"""What each piece of work loads: help no libraries, a plan no database and nothing that draws."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PLAN = """\
data: {workplaces: no.csv, workers: no.csv, jobs: no.csv}
codebook: codebook.yaml
account: office
period: 2026Q2
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: t, by: [place]}
"""
CODEBOOK = 'attributes: {place: {table: workplaces, public: true, codes: ["01", "02"]}}\n'

WORK = {
    "leeward": "import leeward",
    "engines": "import leeward.publishing.engines",
    "plan": "from leeward.publishing.plan.plan import read_plan; read_plan(Path('plan.yaml'))",
    "web": "import leeward.interface.web.application",
    "engine": "from leeward.publishing.engines import connect",
}
HEAVY = [
    *("ibis", "duckdb", "pandas", "sqlglot", "leeward.publishing.engines.*"),
    *("leeward.core.noise.sampling", "leeward.core.noise.draws", "leeward.core.randomness"),
]
HELP = (
    "sys.argv[1:] = ['--help']; from leeward.interface.commands import main\n"
    "try: main()\nexcept SystemExit: pass"
)
LIBRARIES = ["numpy", "pyarrow", "pydantic", "flint", "rich", "yaml", "jinja2", "sqlite3"]
LIST = "print(*(name for name in sys.modules if sys.modules[name] is not None), sep='\\n')"


@cache
def loaded(folder: Path, work: str) -> frozenset[str]:
    """The modules that a new process has loaded after some work."""
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "codebook.yaml").write_text(CODEBOOK)
    program = f"import sys; from pathlib import Path\n{(WORK | {'help': HELP})[work]}\n{LIST}"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return frozenset(ended.stdout.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plan")


def of(names: frozenset[str], package: str) -> set[str]:
    """Those of the modules that are the package or are inside it; `.*` means inside it only."""
    inside = package.removesuffix("*").removesuffix(".") + "."
    return {name for name in names if name == package or name.startswith(inside)}


@pytest.mark.parametrize("module", HEAVY)
@pytest.mark.parametrize("work", [one for one in WORK if one != "engine"])
def test_it_is_not_loaded(folder: Path, work: str, module: str) -> None:
    assert of(loaded(folder, work), module) == set()


@pytest.mark.parametrize("module", LIBRARIES)
def test_help_loads_no_library(folder: Path, module: str) -> None:
    assert of(loaded(folder, "help"), module) == set()


@pytest.mark.parametrize("module", ["ibis", "leeward.publishing.engines.*"])
def test_an_engine_that_is_loaded_is_seen(folder: Path, module: str) -> None:
    assert of(loaded(folder, "engine"), module)
