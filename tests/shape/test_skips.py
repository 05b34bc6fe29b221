"""Tests are skipped for want of a program, and counted in one line, or fail: `--no-skips`."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.publishing.engines import cluster
from tests.shape.source import ROOT

SKIPS_TWO_WAYS = {
    "test_body": "import pytest\ndef test_a(): pytest.skip('no java')\ndef test_b(): pass",
    "test_module": "import pytest\npytest.importorskip('no_such_module')",
}
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False"


def test_skips_are_counted_in_one_line(inner: pytest.Pytester) -> None:
    inner.makepyfile(**SKIPS_TWO_WAYS)
    result = inner.runpytest()
    result.assert_outcomes(passed=1, skipped=2)
    assert [line for line in result.outlines if "make system-deps" in line] == [
        "2 skipped: `make system-deps` (as root) enables them"
    ]


def test_no_skips_fails_a_skipped_test(inner: pytest.Pytester) -> None:
    inner.makepyfile(SKIPS_TWO_WAYS["test_body"])
    result = inner.runpytest("--no-skips")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines("*--no-skips: *no java*")
    result.stdout.no_fnmatch_line("*make system-deps*")


def test_no_skips_fails_a_skipped_module(inner: pytest.Pytester) -> None:
    inner.makepyfile(SKIPS_TWO_WAYS["test_module"])
    result = inner.runpytest("--no-skips")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*--no-skips: *no_such_module*")


@pytest.mark.parametrize("options", [(), ("--no-skips",)])
def test_an_expected_failure_is_not_a_skip(
    inner: pytest.Pytester, options: tuple[str, ...]
) -> None:
    inner.makepyfile(EXPECTED_FAILURE)
    result = inner.runpytest(*options)
    result.assert_outcomes(xfailed=1)
    result.stdout.no_fnmatch_line("*make system-deps*")


@pytest.mark.slow
def test_two_workers_count_a_skip_once_and_fail_it(inner: pytest.Pytester) -> None:
    """Both find that a module is skipped."""
    inner.makepyfile(**SKIPS_TWO_WAYS)
    result = inner.runpytest("-n", "2")
    result.assert_outcomes(passed=1, skipped=2)
    assert [line for line in result.outlines if "make system-deps" in line] == [
        "2 skipped: `make system-deps` (as root) enables them"
    ]
    result = inner.runpytest("-n", "2", "--no-skips")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines_random(["*--no-skips: *no java*", "*--no-skips: *no_such_module*"])
    result.stdout.no_fnmatch_line("*make system-deps*")


def test_a_test_that_needs_postgresql_is_skipped_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="no PostgreSQL"), cluster.cluster():
        pass


PROGRAMS = {"postgresql": "initdb", "default-jre-headless": "java", "chromium": "chromium"}


def prepared(folder: Path, there: set[str], user: int, apt_get: str) -> str:
    """What `make test-system` says where PATH holds these programs alone; `log` has apt-get's."""
    bodies = dict.fromkeys(there, "") | {"id": f"echo {user}"}
    bodies |= {"apt-get": f'echo "$@" >> {folder}/log\n{apt_get}'} if apt_get else {}
    for name, body in bodies.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    for name in ("make", "ls"):
        (folder / name).symlink_to(str(shutil.which(name)))
    command = ["make", "-s", "test-system", f"POSTGRESQL={folder}"]
    alone = {"PATH": str(folder)}
    return subprocess.run(
        command, cwd=ROOT, env=alone, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("missing", PROGRAMS)
@pytest.mark.parametrize("root", [True, False])
def test_what_the_system_lacks_is_installed_or_named(
    missing: str, root: bool, tmp_path: Path
) -> None:
    there = set(PROGRAMS.values()) - {PROGRAMS[missing]}
    (line,) = prepared(tmp_path, there, user=0 if root else 1000, apt_get="true").splitlines()
    named = f"{missing} fonts-liberation" if missing == "chromium" else missing
    if root:
        assert line == f"Installing {named}"
        asked = (tmp_path / "log").read_text().splitlines()
        assert asked[0].split()[0] == "update"
        assert asked[1].startswith("install ")
        assert asked[1].endswith(f" {named}")
    else:
        assert line.startswith(f"Not installed: {named} (")
        assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("apt_get", ["exit 100", ""])
def test_what_cannot_be_installed_is_named(apt_get: str, tmp_path: Path) -> None:
    *_, line = prepared(tmp_path, {"initdb", "java"}, user=0, apt_get=apt_get).splitlines()
    assert line.startswith("Not installed: chromium fonts-liberation (")


def test_where_nothing_is_missing_nothing_is_said(tmp_path: Path) -> None:
    there = {"java", "google-chrome", "initdb"}
    assert prepared(tmp_path, there, user=0, apt_get="true") == ""
    assert not (tmp_path / "log").exists()
