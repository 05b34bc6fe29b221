"""What a database spills is private and does not outlive the process, not even a killed one."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from leeward.core.errors import BadFile
from leeward.publishing.engines.private_file import SpillFolder, remove_abandoned

KILLED = """
import os, signal
from leeward.publishing.engines.private_file import SpillFolder
folder = SpillFolder()
(folder.path / "rows").mkdir()
(folder.path / "rows" / "block").write_text("rows")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def age(folder: Path) -> None:
    long_ago = time.time() - 3600
    os.utime(folder, (long_ago, long_ago))


def test_it_is_private_and_goes(home: Path) -> None:
    spill = SpillFolder()
    assert spill.path.parent == home
    assert spill.path.stat().st_mode & 0o777 == 0o700
    spill.remove()
    assert list(home.iterdir()) == []


def test_it_goes_with_its_owner(home: Path) -> None:
    spill = SpillFolder()
    del spill
    assert list(home.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED],
        capture_output=True,
        text=True,
        env=os.environ | {"TMPDIR": str(home)},
        check=False,
    )
    left = Path(done.stdout.strip())
    assert (left / "rows" / "block").exists()
    remove_abandoned(home)
    assert not left.exists()


def test_the_next_start_clears_the_folder_that_a_plan_names_and_the_usual_one(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    named = tmp_path_factory.mktemp("named")
    for place in (home, named):
        (place / "leeward-spill-left" / "rows").mkdir(parents=True)
        (place / "leeward-spill-left" / "rows" / "block").write_text("rows")
        (place / "leeward-spill-left" / "lock").touch()
    spill = SpillFolder(named)
    assert list(home.iterdir()) == []
    assert list(named.iterdir()) == [spill.path]
    assert spill.path.stat().st_mode & 0o777 == 0o700


def test_one_that_is_being_made_stays_for_a_while(home: Path) -> None:
    making = home / "leeward-making-x"
    making.mkdir()
    remove_abandoned(home)
    assert making.exists()
    age(making)
    remove_abandoned(home)
    assert not making.exists()


def test_a_folder_that_cannot_be_used_is_refused(home: Path) -> None:
    with pytest.raises(BadFile, match=r"folders can be made .*; got .*missing.*--spill"):
        SpillFolder(home / "missing")


def test_a_folder_in_use_stays(home: Path) -> None:
    spill = SpillFolder()
    age(spill.path)
    remove_abandoned(home)
    assert list(home.iterdir()) == [spill.path]


def test_what_is_not_ours_stays(home: Path) -> None:
    for name in ("leeward-spill-file", "leeward-other"):
        (home / name).write_text("something")
        age(home / name)
    (home / "leeward-spill-link").symlink_to(home / "leeward-other")
    (home / "leeward-spill-without-lock").mkdir()
    remove_abandoned(home)
    assert len(list(home.iterdir())) == 4


def test_a_folder_that_everyone_may_change_is_refused(home: Path) -> None:
    home.chmod(0o777)
    with pytest.raises(BadFile, match=r"everyone may rename everything; .* sticky bit"):
        SpillFolder(home)
    home.chmod(0o1777)
    SpillFolder(home).remove()
