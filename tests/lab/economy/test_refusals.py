import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from leeward.core.errors import BadFile, InvalidParameter
from leeward.lab.economy import Economy, write_economy

SMALL = Economy(jobs=100, establishments=10)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"jobs": -1},
            "jobs: must be a whole number from 0 to 2000000000; got -1. "
            "Give jobs as an int in this range.",
        ),
        (
            {"jobs": 2 * 10**9 + 1},
            "jobs: must be a whole number from 0 to 2000000000; got 2000000001. "
            "Give jobs as an int in this range.",
        ),
        (
            {"jobs": 1e6},
            "jobs: must be a whole number from 0 to 2000000000; got 1000000.0. "
            "Give jobs as an int in this range.",
        ),
        (
            {"establishments": 0},
            "establishments: must be a whole number from 1 to 100000000; got 0. "
            "Give establishments as an int in this range.",
        ),
        (
            {"establishments": True},
            "establishments: must be a whole number from 1 to 100000000; got True. "
            "Give establishments as an int in this range.",
        ),
        (
            {"places": 0},
            "places: must be a whole number from 1 to 20000; got 0. "
            "Give places as an int in this range.",
        ),
        (
            {"places": 20_001},
            "places: must be a whole number from 1 to 20000; got 20001. "
            "Give places as an int in this range.",
        ),
        (
            {"seed": -1},
            "seed: must be a whole number from 0 to 18446744073709551615; got -1. "
            "Give seed as an int in this range.",
        ),
        (
            {"geography": "parishes"},
            "geography: must be one of: places, tracts, blocks; got 'parishes'. "
            "Take one of them, or leave it out for places.",
        ),
        (
            {"quarters": 201},
            "quarters: must be a whole number from 0 to 200; got 201. "
            "Give quarters as an int in this range.",
        ),
        (
            {"cohorts": True},
            "cohorts: needs quarters: a cohort is followed through wage records; got 0 quarters. "
            "Ask for quarters too, such as 8, or leave cohorts out.",
        ),
        (
            {"several_jobs": "1.01"},
            "several_jobs: must be a share from 0 to 1; got 101/100. "
            "Give the share of workers with a second job, such as '0.05'.",
        ),
        (
            {"several_jobs": 0.05},
            "several_jobs: must be an exact number: text such as '0.1' or '1/10', an int or a "
            "Fraction; got 0.05 (float). Write several_jobs as text.",
        ),
        (
            {"several_jobs": "0.1", "jobs": 999},
            "several_jobs: needs at least 1000 jobs in 20 establishments; "
            "got 999 jobs in 1000 establishments. "
            "Ask for a larger economy, or leave several_jobs at 0.",
        ),
        (
            {"several_jobs": "0.1", "establishments": 19},
            "several_jobs: needs at least 1000 jobs in 20 establishments; "
            "got 20000 jobs in 19 establishments. "
            "Ask for a larger economy, or leave several_jobs at 0.",
        ),
    ],
)
def test_an_impossible_economy_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        Economy(**given)
    assert str(refusal.value) == message


def test_a_share_is_kept_exactly() -> None:
    assert Economy(several_jobs="0.05").several_jobs == Fraction(1, 20)
    assert Economy(several_jobs=0).second_jobs == 0
    assert Economy(several_jobs=1).second_jobs == Economy(several_jobs=1).workers == 10_000


@pytest.mark.parametrize(
    ("establishments", "places"), [(1, 1), (1_000, 12), (527_000, 965), (10**8, 20_000)]
)
def test_places_follow_from_the_establishments(establishments: int, places: int) -> None:
    assert Economy(establishments=establishments).place_count == places
    assert Economy(establishments=establishments, places=7).place_count == 7


@pytest.mark.parametrize(
    ("establishments", "tracts"), [(1, 1), (1_000, 10), (527_000, 5_117), (10**8, 20_000)]
)
def test_so_do_tracts(establishments: int, tracts: int) -> None:
    economy = Economy(establishments=establishments, geography="tracts")
    assert economy.place_count == tracts
    assert Economy(establishments=7, places=3, geography="tracts").place_count == 3


@pytest.mark.parametrize(("jobs", "establishments"), [(1_000, 20), (1_001, 20), (5_000, 4_000)])
def test_the_least_room_for_second_jobs_is_enough(
    tmp_path: Path, jobs: int, establishments: int
) -> None:
    economy = Economy(jobs=jobs, establishments=establishments, several_jobs=1)
    table = pq.read_table(write_economy(economy, tmp_path).jobs)
    pairs = table.group_by(["worker_id", "workplace_id"]).aggregate([])
    assert len(pairs) == jobs


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    files = write_economy(SMALL, tmp_path / "new" / "economy")
    assert all(path.is_file() for path in files)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    taken = tmp_path / "workers.parquet"
    taken.write_text("mine")
    with pytest.raises(BadFile) as refusal:
        write_economy(SMALL, tmp_path)
    assert str(refusal.value) == (
        "folder: must not hold workers.parquet: nothing is overwritten; "
        f"got {shortened(tmp_path)} (File exists). Name a new folder."
    )
    assert {path.name for path in tmp_path.iterdir()} == {"workers.parquet"}
    assert taken.read_text() == "mine"


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("mine")
    with pytest.raises(BadFile) as refusal:
        write_economy(SMALL, target)
    assert str(refusal.value) == (
        f"folder: must be a folder; got {shortened(target)} (File exists). Name a new folder."
    )
    with pytest.raises(BadFile, match=r"\(Not a directory\)"):
        write_economy(SMALL, target / "below")
    assert target.read_text() == "mine"


def shortened(path: Path) -> str:
    text = repr(str(path))
    return text if len(text) <= 60 else text[:60] + "…"


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_economy(SMALL, tmp_path, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


FULL_DISK = """
import resource, sys
from pathlib import Path
from leeward.lab.economy import Economy, write_economy
from leeward.core.errors import BadFile
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write_economy(Economy(jobs=600_000, establishments=1_000), Path(sys.argv[1]))
except BadFile as refusal:
    print(refusal)
"""

PEAK = """
import sys
from pathlib import Path
from leeward.lab.economy import Economy, write_economy
write_economy(Economy(jobs=int(sys.argv[2]), establishments=50_000), Path(sys.argv[1]))
lines = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024)
"""
# Not ru_maxrss: after a fork it also knows the memory of the process that runs the tests.


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    return done.stdout


def test_a_disk_without_room_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    said = run(FULL_DISK, tmp_path)
    assert said.startswith(
        "folder: must be a folder that can be written, with room for the tables; got "
    )
    assert said.endswith("Name another folder, or make room.\n")
    assert list(tmp_path.iterdir()) == []


def test_memory_is_bounded_by_the_batch(tmp_path: Path) -> None:
    one, four = (int(run(PEAK, tmp_path / str(jobs), jobs)) for jobs in (600_000, 2_400_000))
    assert four < 600
    assert four < one + 100
