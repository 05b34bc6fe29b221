"""Software: which program made a bundle: versions, commit, a digest of its source, version line.

The version line is modelled on the version files of the LEHD public-use data. Words differ between
versions, so only those of this version are made again and compared.
"""

import platform
import re
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from leeward.publishing.bundle.certificate import FORMAT, Certificate
from leeward.publishing.bundle.statements import SoftwareStatement

PACKAGE = Path(__file__).resolve().parents[2]
REFERENCE, WORKTREE = "ref: ", "gitdir: "
COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")

VERSION_FIELDS = (
    ("LEEWARD", "the product"),
    ("NAME", "the name of this bundle"),
    ("PERIOD", "the period that the numbers are about"),
    ("V…", "the version of Leeward that made it"),
    ("C…", "the format of certificate.json"),
    ("YYYYMMDD", "the day on which it was made (UTC)"),
    ("entry N", "the entry of the ledger that was charged for it"),
    ("HEAD", "the state of the ledger with that entry"),
)
"""The words of the version line, and what they mean."""


def software() -> SoftwareStatement:
    """The versions and the digest of the running program."""
    return SoftwareStatement(
        leeward=version("leeward"),
        commit=commit(),
        wheel=package_digest(),
        numpy=version("numpy"),
        duckdb=version("duckdb"),
        python_flint=version("python-flint"),
        python=platform.python_version(),
    )


def wrote_texts(certificate: Certificate) -> bool:
    """Whether this version wrote the texts of a bundle: README.txt, descriptions, report."""
    return (certificate.format, certificate.leeward) == (FORMAT, version("leeward"))


def wrote_words(certificate: Certificate) -> bool:
    """Whether this version worded a certificate; of a bundle made of a release, both of them."""
    source = certificate.made_from
    own = source is None or source.leeward == version("leeward")
    return own and wrote_texts(certificate)


def not_compared(certificate: Certificate) -> str | None:
    """What this version cannot compare of a bundle, for its reader; None where that is nothing."""
    if wrote_words(certificate):
        return None
    source = certificate.made_from
    other = certificate.leeward if source is None or not wrote_texts(certificate) else (
        source.leeward
    )  # fmt: skip
    return other_version(other, "sentences, README.txt and report.html")


def other_version(leeward: str, parts: str) -> str:
    """What is not compared of a folder that another version says to have made."""
    return (
        f"It says that Leeward {leeward} made it. This is {version('leeward')}, which words things "
        f"differently: its {parts} were NOT compared with its numbers. Verify it with that version."
    )


@cache
def package_digest(package: Path = PACKAGE) -> str:
    """SHA-256 over names and contents of all files of the package, however it was installed."""
    whole = sha256()
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*")}
    for name in sorted(files):
        if files[name].is_file() and "__pycache__" not in files[name].parts:
            content = sha256(files[name].read_bytes()).hexdigest()
            whole.update(f"{content}  {name}\n".encode())
    return whole.hexdigest()


@cache
def commit(package: Path = PACKAGE) -> str | None:
    """The commit that is checked out, if the package is `src/leeward` of its own checkout.

    The commit of any other checkout around the package would not be that of this program.
    """
    try:
        folder = package.parents[1] / ".git"
        if package.parent.name != "src" or not folder.exists():
            return None
        if folder.is_file():  # of a second working tree
            folder = package.parents[1] / _after(folder.read_text(), WORKTREE)
        head = (folder / "HEAD").read_text().strip()
        written = _named(folder, _after(head, REFERENCE)) if head.startswith(REFERENCE) else head
    except (OSError, ValueError):
        return None
    return written if COMMIT.fullmatch(written) else None


def _named(folder: Path, name: str) -> str:
    """The commit of a branch, from its own file or from packed-refs."""
    shared = folder / "commondir"
    places = [folder, *([folder / shared.read_text().strip()] if shared.exists() else [])]
    for place in places:
        if (place / name).is_file():
            return (place / name).read_text().strip()
    lines = (places[-1] / "packed-refs").read_text().splitlines()
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")


def _after(text: str, what: str) -> str:
    return text.strip().removeprefix(what)


def version_line(certificate: Certificate) -> str:
    """The line of `version_NAME.txt`; blanks inside a word are written as underscores."""
    day = certificate.created[:10].replace("-", "")
    words = [
        *("LEEWARD", certificate.name, certificate.period),
        *(f"V{certificate.leeward}", f"C{certificate.format}", day),
        *("entry", str(certificate.ledger.entry), certificate.ledger.head),
    ]
    return " ".join("_".join(word.split()) for word in words) + "\n"
