"""Verify: everything that can be checked about a bundle without the data it came from."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leeward.core.codebook.marginal import RELEASED
from leeward.core.errors import Damaged, LeewardError, shown
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    CHECKSUMS,
    PARTIAL,
    README,
    REPORT,
    SCHEMA,
    TABLES,
    csv_path,
    has_content,
    metadata_path,
    parquet_path,
    read_checksums,
    sha256,
    version_path,
)
from leeward.publishing.bundle.certificate import Certificate, is_published, read_certificate
from leeward.publishing.bundle.certified_table import CertifiedTable
from leeward.publishing.bundle.csvw import agrees, metadata
from leeward.publishing.bundle.published_table import with_texts
from leeward.publishing.bundle.reader import Bundle, fits, read_bundle
from leeward.publishing.bundle.readme import readme
from leeward.publishing.bundle.rows import ROW_GROUP, Integers, RowRules, column_types
from leeward.publishing.bundle.sealed_folder import is_stamped, stamp
from leeward.publishing.bundle.software import version_line, wrote_texts
from leeward.publishing.bundle.table_writer import quoted
from leeward.publishing.bundle.total_check import TotalCheck, joint_findings

MOST_CHECKSUM_BYTES = 4 << 20
"""Maximum size of checksums.txt in bytes: a line for each of ten thousand tables' files."""

MOST_METADATA_BYTES = 2 << 20
"""Maximum size of the description of a table in bytes: some words for each of its columns."""

MOST_SCHEMA_BYTES = 1 << 20  # larger ones are not read

MOST_COMBINATIONS = 2**62
"""Maximum number of combinations of codes of a table: they are numbered in 64 bits."""


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
    checksums = path / CHECKSUMS
    small = CHECKSUMS in present and checksums.stat().st_size <= MOST_CHECKSUM_BYTES
    listed = read_checksums(checksums.read_bytes()) if small else None
    if CHECKSUMS in present and listed is None:
        yield f"{CHECKSUMS} is not a list of checksums"
    if CERTIFICATE not in present:
        yield f"{CERTIFICATE} is missing"
        return
    try:
        certificate = read_certificate(path / CERTIFICATE)
    except Damaged as refusal:
        yield refusal.rule
        return
    sums = listed or {}
    expected = {*certificate.stamped, CERTIFICATE, CHECKSUMS}
    yield from (f"{name} is missing" for name in sorted(expected - present))
    for name in sorted(present - expected - {REPORT}):
        yield f"{shown(name)} does not belong to the bundle"
    if set(sums) != expected - {CHECKSUMS}:
        yield f"{CHECKSUMS} does not list exactly the files of the bundle"
    sound = set[str]()
    stamps = {**certificate.files, CERTIFICATE: stamp(path / CERTIFICATE)}
    for name in sorted(expected & present - {CHECKSUMS}):
        of = stamps.get(name)
        if of is not None and is_stamped(path / name, of) and sums.get(name) == of.sha256:
            sound.add(name)
        else:
            yield f"{name} is not the file that was published"
    yield from _contents(path, certificate, sound)


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


def _contents(path: Path, certificate: Certificate, sound: set[str]) -> Iterator[str]:
    """Contents of the unchanged files, since checksums can be recomputed after a change."""
    if SCHEMA in sound:
        small = (path / SCHEMA).stat().st_size <= MOST_SCHEMA_BYTES
        if not small or not is_published((path / SCHEMA).read_bytes(), certificate.format):
            yield f"{SCHEMA} is not the published schema"
    texts = {version_path(certificate.name): version_line(certificate).encode()}
    if wrote_texts(certificate):  # another version has other words
        texts[README] = readme(certificate).encode()
    for name, text in texts.items():
        if name in sound and not has_content(path / name, text):
            yield f"{name} does not agree with the certificate"
    for table in certificate.tables:
        described = metadata_path(table.name)
        if described in sound:
            file = path / described
            if wrote_texts(certificate):
                fitting = has_content(file, metadata(certificate, table))
            else:
                small = file.stat().st_size <= MOST_METADATA_BYTES
                fitting = small and agrees(file.read_bytes(), table)
            if not fitting:
                yield f"{described} does not describe the table that the certificate states"
        if {csv_path(table.name), parquet_path(table.name)} <= sound:
            yield from _table_findings(path, table)
    if all(parquet_path(table.name) in sound for table in certificate.tables):
        yield from joint_findings(path, certificate)


def _table_findings(folder: Path, table: CertifiedTable) -> Iterator[str]:
    """Whether the rows are those that the certificate states, up to the first faulty batch.

    Rows are rendered again from the Parquet file, field by field, and must equal the CSV file
    byte for byte: a slow truth beside the fast way in which they were written.
    """
    name = f"the table {table.name}"
    try:
        with (folder / csv_path(table.name)).open("rb") as text:
            file = pq.ParquetFile(folder / parquet_path(table.name))
            rules = RowRules(
                {identifier: len(codes) for identifier, codes in table.codes.items()},
                len(table.worker_identifiers),
                complete=table.complete,
                columns=table.columns,
                counts=table.counts,
            )
            problems = [*_shape(file, table, rules)]
            if not problems and not fits(file.metadata, table):
                problems = ["has parts that are too large to be read"]
            problems = problems or [*_RowCheck(table, text, rules).run(file)]
        yield from (f"{name} {problem}" for problem in problems)
    except (OSError, ValueError, pa.ArrowException, MemoryError):
        yield f"{name} cannot be read"


def _shape(file: pq.ParquetFile, table: CertifiedTable, rules: RowRules) -> Iterator[str]:
    if table.workplace_cells * table.worker_cells > MOST_COMBINATIONS:
        yield "has more combinations of codes than can be counted"
    if file.schema_arrow.names != list(table.columns):
        yield "has other columns in Parquet than the certificate says"
    elif file.schema_arrow.remove_metadata() != column_types(table.identifiers, table.columns):
        yield "has columns of other types than text and whole numbers"
    if file.metadata.num_rows != table.rows:
        yield "has another number of rows than the certificate says"
    yield from rules.count(table.cell_rows)
    if table.totals is not None and 2 ** len(table.totals.codes) - 1 > max(table.total_rows, 1):
        yield "has fewer totals than its total codes ask for"


class _RowCheck:
    """Reads the CSV and the Parquet file of a table side by side."""

    def __init__(self, table: CertifiedTable, text: BinaryIO, rules: RowRules) -> None:
        self._table = table
        self._text = text
        self._codes = {name: pa.array(table.listed(name), pa.string()) for name in table.codes}
        self._rules = rules
        self._totals = None if table.totals is None else TotalCheck(table)
        self._cells = table.cell_rows

    def run(self, file: pq.ParquetFile) -> Iterator[str]:
        header = (",".join(self._table.columns) + "\n").encode()
        if self._text.read(len(header)) != header:
            yield "has another header in CSV than the certificate says"
            return
        for batch in file.iter_batches(batch_size=ROW_GROUP):
            problems = [*self._batch(pa.Table.from_batches([batch]).combine_chunks())]
            yield from problems
            if problems:
                return
        if self._totals is not None:
            yield from self._totals.missing()
        if self._text.read(1):
            yield "has other rows in CSV than in Parquet"

    def _batch(self, rows: pa.Table) -> Iterator[str]:
        required = [name for name in rows.column_names if name not in self._table.empty_columns]
        if any(rows[name].null_count for name in required):
            yield "has rows with an empty field"
            return
        positions = dict[str, Integers]()
        for name, codes in self._codes.items():
            place = pc.index_in(rows[name].combine_chunks().cast(pa.string()), codes)
            if place.null_count:
                yield "has codes that the certificate does not list"
                return
            positions[name] = place.to_numpy().astype(np.int64)
        yield from self._rows(positions, rows)
        expected = self._lines(rows)
        if self._text.read(len(expected)) != expected:
            yield "has other rows in CSV than in Parquet"

    def _rows(self, positions: dict[str, Integers], rows: pa.Table) -> Iterator[str]:
        """Cells come first, then totals."""
        border = min(self._cells, len(rows))
        self._cells -= border
        cells = {name: position[:border] for name, position in positions.items()}
        if any((cell >= len(self._table.codes[name])).any() for name, cell in cells.items()):
            yield "has totals before its last cell"
            return
        problems = [*self._rules.findings(cells, rows.slice(0, border))]
        yield from problems
        if self._totals is not None and not problems:
            self._totals.add(cells, rows.slice(0, border))
            totals = {name: position[border:] for name, position in positions.items()}
            yield from self._totals.findings(totals, rows.slice(border)) if not self._cells else ()

    def _lines(self, rows: pa.Table) -> bytes:
        fields = []
        for column in (rows[name].combine_chunks() for name in rows.column_names):
            if pa.types.is_dictionary(column.type):
                texts = [quoted(code) for code in column.dictionary.to_pylist()]
                fields.append(pa.array(texts, pa.string()).take(column.indices))
            else:
                fields.append(column.cast(pa.string()))
        lines = pc.binary_join_element_wise(
            *fields, ",", null_handling="replace", null_replacement=""
        )
        return ("\n".join(lines.to_pylist()) + "\n").encode() if len(lines) else b""


OWN = {"name", "leeward", "software", "created", "made_from", "tables", "files"}
"""Parts of a certificate that are those of a bundle made of a release."""


def source_findings(bundle: Path, source: Path) -> tuple[str, ...]:
    """Whether a bundle was made of this release and repeats what it said, in plain words.

    Both must be sound. How values were made is not done again.
    """
    unsound = verify_bundle(source)
    if unsound:
        return (f"the source is not sound: {unsound[0]}",)
    try:
        return tuple(_source_findings(read_bundle(bundle), read_bundle(source)))
    except LeewardError as refusal:
        return (refusal.rule,)


def _source_findings(bundle: Bundle, source: Bundle) -> Iterator[str]:
    own, theirs = bundle.certificate, source.certificate
    release = own.made_from
    if release is None or release.certificate != sha256(source.path / CERTIFICATE):
        other = f"it was made from another release than {source.path.name}"
        yield "it is a release, which has no source" if release is None else other
        return
    for name in sorted({*Certificate.model_fields} - OWN):
        if getattr(own, name) != getattr(theirs, name):
            yield f"its certificate says something else of {name} than its source"
    counts = [table for table in theirs.tables if table.disjoint]  # others are left out
    if [table.as_released for table in own.tables] != counts:
        yield "its certificate says something else of tables than its source"
    for table in counts:
        same = table.name in bundle
        if same:  # with the number that had noise in its place
            tidy = bundle.table(table.name)
            place, noisy = tidy.schema.get_field_index("value"), tidy[RELEASED].fill_null(0)
            rows = tidy.set_column(place, "value", noisy).drop_columns([RELEASED])
            released = with_texts(source.table(table.name)).combine_chunks()
            same = with_texts(rows).combine_chunks().equals(released)
        if not same:
            yield f"the table {table.name} does not hold what its source released"
