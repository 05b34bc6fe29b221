"""Which program made a bundle."""

import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from leeward.publishing.bundle.software import PACKAGE, commit, package_digest, software

LEDGER = PACKAGE / "publishing" / "ledger"
HASH = "0123456789abcdef0123456789abcdef01234567"


def test_it_is_the_program_that_runs() -> None:
    told = software()
    assert (told.leeward, told.numpy) == (version("leeward"), version("numpy"))
    assert (told.duckdb, told.python_flint) == (version("duckdb"), version("python-flint"))
    assert told.wheel == package_digest(PACKAGE)


def test_every_byte_of_the_package_counts(tmp_path: Path) -> None:
    def changed(name: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(LEDGER, folder)
        return folder

    same, other, renamed, more = map(changed, ("same", "other", "renamed", "more"))
    (same / "__pycache__").mkdir(exist_ok=True)
    (same / "__pycache__" / "book.pyc").write_bytes(b"compiled")
    (other / "book.py").write_text((other / "book.py").read_text() + "\n")
    (renamed / "book.py").rename(renamed / "look.py")
    (more / "empty.py").touch()
    digests = [package_digest(one) for one in (LEDGER, same, other, renamed, more)]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in a checkout on the branch `main`."""
    made = tmp_path / "top" / "src" / "leeward"
    made.mkdir(parents=True)
    (tmp_path / "top" / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / "top" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return made


def test_a_commit_is_read_from_its_branch(package: Path) -> None:
    (package.parents[1] / ".git" / "refs" / "heads" / "main").write_text(f"{HASH}\n")
    assert commit(package) == HASH


def test_a_packed_branch_and_a_bare_commit(package: Path, tmp_path: Path) -> None:
    git = package.parents[1] / ".git"
    (git / "packed-refs").write_text(
        f"# pack-refs\n{'f' * 40} refs/heads/x/main\n{HASH} refs/heads/main\n"
    )
    assert commit(package) == HASH
    tree = tmp_path / "tree" / "src" / "leeward"
    tree.mkdir(parents=True)
    own = git / "worktrees" / "tree"
    own.mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {own}\n")
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    (own / "commondir").write_text("../..\n")
    assert commit(tree) == HASH
    (own / "HEAD").write_text(f"{'e' * 40}\n")
    commit.cache_clear()
    assert commit(tree) == "e" * 40


def test_somebody_elses_checkout_says_nothing(package: Path) -> None:
    (package.parents[1] / ".git" / "refs" / "heads" / "main").write_text(f"{HASH}\n")
    installed = package.parents[1] / "lib" / "leeward"
    installed.mkdir(parents=True)
    assert commit(installed) is None


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none", "ref: ../../secret", "nonsense"])
def test_what_is_no_commit_is_none(package: Path, head: str) -> None:
    (package.parents[1] / ".git" / "HEAD").write_text(head)
    assert commit(package) is None
