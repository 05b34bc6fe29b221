"""The locks that the enclave page uses are what pip takes; the page itself needs a network."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.page import ROOT

PAGE = (ROOT / "docs" / "how-to" / "enclave.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PLAIN, FOLDER = ROOT / "requirements.lock", ROOT / "locks"
ALL = FOLDER / "all.lock"
LOCKS = [PLAIN, *sorted(FOLDER.glob("*.lock"))]
HASHES = r"(?:    --hash=sha256:\w{64}(?: \\)?\n)+"
LINE = re.compile(rf"^([a-z][\w.-]*)==([\w.+]+)(?: ;[^\\]*)? \\\n{HASHES}", re.M)


def pins(lock: Path) -> set[tuple[str, str]]:
    """Packages and versions: several of one package where markers tell them apart."""
    return set(LINE.findall(lock.read_text(encoding="utf-8")))


def asked(group: str) -> Iterator[str]:
    """The requirements of a group, those of groups inside it among them."""
    for one in PROJECT["dependency-groups"][group]:
        yield from asked(one["include-group"]) if isinstance(one, dict) else (one,)


def lacking(lock: Path, requirements: list[str]) -> list[str]:
    """Requirements that a lock does not list, or lists in a version that does not fit."""
    known: dict[str, set[str]] = {}
    for name, version in pins(lock):
        known.setdefault(canonicalize_name(name), set()).add(version)
    found = [Requirement(line) for line in requirements]
    versions = [(one, known.get(canonicalize_name(one.name), set())) for one in found]
    return [
        str(one) for one, held in versions if not held or any(v not in one.specifier for v in held)
    ]


EXTRAS = PROJECT["project"]["optional-dependencies"]
EVERYTHING = [
    *PROJECT["project"]["dependencies"],
    *(line for lines in EXTRAS.values() for line in lines),
    *PROJECT["build-system"]["requires"],
    *asked("build"),
]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.name))
def test_a_lock_names_every_package_with_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    named = [line for line in text.splitlines() if line[:1].isalpha()]
    assert len(LINE.findall(text)) == len(named) > 5
    assert not re.search(r"://|--(?:extra-)?index|--find-links|--trusted-host", text)


def test_the_locks_cover_every_requirement() -> None:
    assert {"web", "files", "postgres", "spark", "pictures", "attacks", "dev"} <= EXTRAS.keys()
    assert lacking(PLAIN, PROJECT["project"]["dependencies"]) == []
    assert lacking(ALL, EVERYTHING) == []
    assert lacking(PLAIN, EVERYTHING) != []  # known bad: the lock of the plain package
    for group in PROJECT["dependency-groups"]:
        assert lacking(FOLDER / f"{group}.lock", [*asked(group)]) == []
    assert {one.stem for one in FOLDER.iterdir()} == {"all", *PROJECT["dependency-groups"]}


def test_a_package_has_one_version_in_all_locks() -> None:
    everything = pins(ALL)
    names = {name for name, _ in everything}
    for lock in LOCKS:
        assert {pin for pin in pins(lock) if pin[0] in names} <= everything


def test_make_installs_what_the_locks_list_and_nothing_else() -> None:
    installs = [line for line in MAKEFILE.splitlines() if "/$(PIP)" in line or "/$(LOCKED)" in line]
    assert len(installs) > 5
    for line in installs:
        if "$(LOCKED)" in line:
            assert re.search(r" -r (requirements\.lock|locks/\w+\.lock)$", line), line
        else:  # this project itself
            assert re.search(r" --no-deps .*(-e \.|leeward-\*\.whl)$", line), line
    assert "LOCKED := $(PIP) --require-hashes" in MAKEFILE


def test_the_install_asks_no_network_and_takes_no_other_wheel() -> None:
    installs = [
        line for line in PAGE.splitlines() if line.startswith("leeward-env/bin/pip install")
    ]
    locked = [line for line in installs if ".lock" in line]
    assert len(locked) == 3
    assert all("--no-index --find-links wheels --require-hashes" in line for line in locked)
    assert all("--no-index" in line for line in installs)
    for lock in re.findall(r"(?:locks/\w+|requirements)\.lock", PAGE):
        assert (ROOT / lock).is_file()
