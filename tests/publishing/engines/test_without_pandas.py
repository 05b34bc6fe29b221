"""The program does without pandas where it can, and only there."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.publishing.engines.small import WRITERS, economy

USE = """
import sys
from pathlib import Path
from leeward.publishing.engines import connect
from leeward.publishing.engines.import_hooks import block_pandas
block_pandas()
sources = dict(zip(("workplaces", "workers", "jobs"), sys.argv[2:]))
with connect(sources, Path(sys.argv[1])) as engine:
    engine.digest()
    print(len(engine.codes("place")), "pandas" in sys.modules)
"""


@pytest.mark.parametrize(
    ("place", "loaded"), [("parquet", False), ("csv", False), ("sqlite", True)]
)
def test_pandas_is_loaded_for_drivers_that_need_it(
    place: str, loaded: bool, tmp_path: Path
) -> None:
    sources = WRITERS[place](economy(3), tmp_path)
    words = [sys.executable, "-c", USE, str(tmp_path)]
    words += [sources[name] for name in ("workplaces", "workers", "jobs")]
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    assert int(told[0]) > 0
    assert told[1] == str(loaded)
