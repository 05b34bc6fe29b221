"""The lock file that the enclave page uses is what pip takes; the page itself needs a network."""

import re
import tomllib

from packaging.requirements import Requirement

from tests.docs.page import ROOT

PAGE = ROOT / "docs" / "how-to" / "enclave.md"
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
HASHES = r"(?:    --hash=sha256:\w{64}(?: \\)?\n)+"
LINE = re.compile(rf"^([a-z][\w.-]*)==([\w.]+)(?: ;[^\\]*)? \\\n{HASHES}", re.M)


def test_the_lock_file_names_every_package_with_hashes_and_no_address() -> None:
    named = [line for line in LOCK.splitlines() if line[:1].isalpha()]
    assert len(LINE.findall(LOCK)) == len(named) > 20
    assert not re.search(r"://|--(?:extra-)?index|--find-links", LOCK)


def test_the_lock_file_fits_the_requirements_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = dict(LINE.findall(LOCK))
    asked = [Requirement(line) for line in project["dependencies"]]
    assert [one.name for one in asked if locked[one.name] not in one.specifier] == []


def test_the_install_asks_no_network_and_takes_no_other_wheel() -> None:
    assert "--no-index --find-links wheels --require-hashes" in PAGE.read_text()
