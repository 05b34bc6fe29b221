"""A command whose output nobody can read still ends as it ended."""

import subprocess
import sys

import pytest

from leeward.publishing.bundle import verify_bundle
from tests.interface.commands.scene import Office

PROGRAM = "from leeward.interface.commands import start; start()"
RELEASE = "release plan.yaml --out bundle --ledger ledger.sqlite --unchecked test"


@pytest.mark.parametrize("stream", [">&-", "2>&-", ">&- 2>&-", ">/dev/full", "| true"])
def test_a_release_that_nobody_hears_of_is_a_release(office: Office, stream: str) -> None:
    line = f'"{sys.executable}" -c "{PROGRAM}" {RELEASE} {stream}'
    ended = subprocess.run(["/bin/sh", "-c", line], cwd=office.folder, check=False, timeout=100)
    assert ended.returncode == 0
    assert verify_bundle(office.folder / "bundle") == ()


def test_a_refusal_that_nobody_hears_of_is_a_refusal(office: Office) -> None:
    (office.folder / "bundle").mkdir()
    line = f'"{sys.executable}" -c "{PROGRAM}" {RELEASE} >&- 2>&-'
    ended = subprocess.run(["/bin/sh", "-c", line], cwd=office.folder, check=False, timeout=100)
    assert ended.returncode == 1
