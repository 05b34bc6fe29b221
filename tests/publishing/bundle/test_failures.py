"""Processes that die and devices that are full: the target is whole or not there."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from leeward.core.errors import BadFile
from leeward.publishing.bundle import BundleWriter, disk, verify_bundle
from leeward.publishing.bundle.disk import writing
from tests.publishing.bundle.made_up import TOTAL, cells, certificate, certified, write_demo

ROOT = Path(__file__).parents[3]
KILLS = 12


def started(target: Path, most_bytes: int = 0) -> "subprocess.Popen[str]":
    """The process; it says when it is ready, and writes when it is told to."""
    target.parent.mkdir(exist_ok=True)
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.publishing.bundle.release_once",
            str(target),
            str(most_bytes),
        ],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def undisturbed(target: Path) -> float:
    """How long a whole release takes."""
    process = started(target)
    go(process)
    begin = time.perf_counter()
    assert process.communicate() == ("", "")
    return time.perf_counter() - begin


def test_a_killed_release_leaves_a_sound_bundle_or_none(tmp_path: Path) -> None:
    longest = undisturbed(tmp_path / "whole")
    assert verify_bundle(tmp_path / "whole") == ()
    folders = [tmp_path / str(number) for number in range(KILLS)]
    processes = [started(folder / "demo") for folder in folders]
    seen = set()
    for number, process in enumerate(processes):
        go(process)
        time.sleep(longest * number / (KILLS - 1))
        process.kill()
        process.communicate()
        seen.add(judged(folders[number]))
    assert "nothing" in seen or "partial" in seen  # at least the first one died early


def judged(folder: Path) -> str:
    """What a killed process left; anything but these is a failure."""
    target = folder / "demo"
    left = [path for path in folder.iterdir() if path != target]
    assert all(path.name.startswith(".demo.partial-") for path in left)
    for path in [*left, *(path / "demo" for path in left if (path / "demo").exists())]:
        assert verify_bundle(path)
    if target.exists():
        assert verify_bundle(target) == ()
        return "whole"
    return "partial" if left else "nothing"


@pytest.mark.parametrize("most_bytes", [100, 20_000, 200_000])
def test_a_file_that_cannot_grow_is_refused_and_nothing_is_left(
    tmp_path: Path, most_bytes: int
) -> None:
    process = started(tmp_path / "demo", most_bytes)
    go(process)
    _, said = process.communicate()
    assert process.returncode == 1
    assert said.startswith("--out: must be writable: a file became larger than the system allows")
    assert "Traceback" not in said
    assert "Exception" not in said
    assert list(tmp_path.iterdir()) == []


CALLS = ["new_file", "write_file", "flush"]


@pytest.mark.parametrize("nth", range(4))
@pytest.mark.parametrize("call", CALLS)
def test_a_full_device_is_refused_wherever_it_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, nth: int
) -> None:
    honest = getattr(disk, call)
    left = [nth]

    def failing(*given: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return honest(*given)

    for module in ("disk", "sealed_folder", "table_writer", "writer"):
        monkeypatch.setattr(f"leeward.publishing.bundle.{module}.{call}", failing, raising=False)
    with pytest.raises(BadFile, match="no space is left on the device") as refusal:
        write_demo(tmp_path / "demo")
    assert refusal.value.parameter == "--out"
    assert refusal.value.next_step.startswith("Free some space")
    assert list(tmp_path.iterdir()) == []


def test_a_rename_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(TOTAL, margins=()) as writer:
            writer.write(cells(TOTAL, [0], margins=False))
        monkeypatch.setattr(Path, "rename", failing)
        with pytest.raises(BadFile, match="the system refused to write it"):
            bundle.seal(certificate("demo", [certified(writer, margins=False)]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [pa.ArrowInvalid("inside"), pa.ArrowIOError("inside")])
def test_what_arrow_says_is_told_in_fixed_words(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(BadFile) as refusal, writing(tmp_path):
        raise error
    assert "inside" not in str(refusal.value)


def test_space_is_looked_at_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.statvfs(tmp_path)

    def pretend(**fields: int) -> None:
        shown = {name: getattr(real, name) for name in ("f_flag", "f_bavail", "f_files")}
        device = type("Device", (), {**shown, "f_favail": 9, "f_bavail": 9, "f_files": 9} | fields)
        monkeypatch.setattr(os, "statvfs", lambda _: device)

    pretend()
    assert BundleWriter.check_target(tmp_path / "demo") == ()
    for fields, rule in [
        ({"f_bavail": 0}, "space is left"),
        ({"f_favail": 0}, "space is left"),
        ({"f_flag": real.f_flag | os.ST_RDONLY}, "read-only"),
    ]:
        pretend(**fields)
        (refusal,) = BundleWriter.check_target(tmp_path / "demo")
        assert rule in str(refusal)
