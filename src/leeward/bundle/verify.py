"""Verify: everything that can be checked about a bundle without the data it came from."""

import os
from collections.abc import Iterator
from pathlib import Path

from leeward.bundle.certificate import Certificate
from leeward.bundle.checksums import read_list, sha256
from leeward.bundle.layout import (
    CERTIFICATE,
    CHECKSUMS,
    PARTIAL,
    REPORT,
    SCHEMA,
    TABLES,
    csv_path,
    parquet_path,
    stamped_files,
    version_path,
)
from leeward.bundle.reader import read_certificate
from leeward.bundle.row_check import table_findings
from leeward.bundle.schema import is_published
from leeward.bundle.version import version_line
from leeward.errors import Damaged, shown

MOST_TEXT = 64 << 20


def verify_bundle(path: Path | str) -> tuple[str, ...]:
    """Findings in plain words; none if the bundle is sound."""
    try:
        return tuple(_findings(Path(path)))
    except OSError:
        return ("the folder cannot be read",)


def _findings(path: Path) -> Iterator[str]:
    if not path.is_dir():
        yield "it is not a folder"
        return
    if any(PARTIAL.match(part) for part in path.resolve().parts[-2:]):
        yield "it is what a release left behind that broke off before it was finished"
    present, strange = _listing(path)
    yield from strange
    sums = _read_sums(path) if CHECKSUMS in present else None
    if CHECKSUMS in present and sums is None:
        yield f"{CHECKSUMS} is not a list of checksums"
    if CERTIFICATE not in present:
        yield f"{CERTIFICATE} is missing"
        return
    try:
        certificate = read_certificate(path / CERTIFICATE)
    except Damaged as refusal:
        yield refusal.rule
        return
    yield from _files(path, certificate, present, sums or {})


def _listing(path: Path) -> tuple[set[str], list[str]]:
    """The plain files of a folder and of its tables folder, and everything else there is."""
    files: set[str] = set()
    strange: list[str] = []
    folders = [""]
    for folder in folders:
        for entry in sorted(os.scandir(path / folder), key=lambda entry: entry.name):
            name = f"{folder}{entry.name}"
            if entry.is_file(follow_symlinks=False):
                files.add(name)
            elif name == TABLES and entry.is_dir(follow_symlinks=False):
                folders.append(f"{TABLES}/")
            else:
                strange.append(f"{shown(name)} is a link or a folder that does not belong there")
    return files, strange


def _read_sums(path: Path) -> dict[str, str] | None:
    file = path / CHECKSUMS
    return read_list(file.read_bytes()) if file.stat().st_size <= MOST_TEXT else None


def _files(
    path: Path, certificate: Certificate, present: set[str], sums: dict[str, str]
) -> Iterator[str]:
    names = [table.name for table in certificate.tables]
    stamped = {*stamped_files(certificate.name, names)}
    expected = {*stamped, CERTIFICATE, CHECKSUMS}
    yield from (f"{name} is missing" for name in sorted(expected - present))
    extra = sorted(present - expected - {REPORT})
    yield from (f"{shown(name)} does not belong to the bundle" for name in extra)
    if set(sums) != expected - {CHECKSUMS}:
        yield f"{CHECKSUMS} does not list exactly the files of the bundle"
    changed = set(_changed(path, certificate, sorted(expected & present - {CHECKSUMS}), sums))
    yield from (f"{name} is not the file that was published" for name in sorted(changed))
    yield from _contents(path, certificate, (stamped & present) - changed)


def _changed(
    path: Path, certificate: Certificate, names: list[str], sums: dict[str, str]
) -> Iterator[str]:
    """Files that are not what the list, or the certificate, says they are."""
    for name in names:
        stamp = certificate.files.get(name)
        # The size first: a file that was made endless is not read to its end.
        if name != CERTIFICATE and (stamp is None or (path / name).stat().st_size != stamp.bytes):
            yield name
            continue
        found = sha256(path / name)
        if sums.get(name) != found or (stamp is not None and found != stamp.sha256):
            yield name


def _contents(path: Path, certificate: Certificate, sound: set[str]) -> Iterator[str]:
    """What the unchanged files hold: somebody may have made the checksums anew."""
    schema = path / SCHEMA
    if SCHEMA in sound and not is_published(schema.read_bytes(), certificate.format):
        yield f"{SCHEMA} is not the published schema"
    version = version_path(certificate.name)
    if version in sound and (path / version).read_bytes() != version_line(certificate).encode():
        yield f"{version} does not agree with the certificate"
    for table in certificate.tables:
        if {csv_path(table.name), parquet_path(table.name)} <= sound:
            yield from table_findings(path, table)
