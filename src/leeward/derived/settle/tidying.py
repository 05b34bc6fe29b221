"""Tidying: a bundle whose tables add up, are not negative and are whole, made of a sealed one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import numpy as np

from leeward.core.codebook import Marginal, Published
from leeward.core.codebook.marginal import BOUND, RELEASED
from leeward.core.codebook.totals import Totals
from leeward.core.errors import Damaged, InvalidParameter, LeewardError
from leeward.core.show.progress import Silent
from leeward.derived.settle.adding_up import Settlement
from leeward.derived.settle.noisy_table import Integers, NoisyTable, bounds, numbered, read_table
from leeward.derived.settle.shrinkage import shrunk
from leeward.derived.settle.tidy_statements import SHRUNK_METHOD, at_most, change, origin_sentence
from leeward.publishing.bundle import (
    FORMAT,
    Bundle,
    BundleWriter,
    Certificate,
    CertifiedTable,
    read_bundle,
    verify_bundle,
)
from leeward.publishing.bundle.blocks import Block
from leeward.publishing.bundle.bundle_files import table_columns
from leeward.publishing.bundle.software import software
from leeward.publishing.bundle.statements import MadeFromStatement
from leeward.publishing.bundle.table_writer import TableWriter
from leeward.publishing.bundle.total_check import stated_marginal


class TidyingProgress(Protocol):
    """What is told of the progress."""

    def part(self, words: str, done: int, of: int) -> None:
        """`done` of `of` parts are finished."""


def tidy(
    source: Path | str,
    out: Path | str,
    *,
    shrink: bool = False,
    progress: TidyingProgress | None = None,
) -> Bundle:
    """Write a bundle of the same tables whose values add up, are not negative and are whole.

    Tables of pay are left out: they do not add up. The certificate says which.

    Parameters
    ----------
    source
        The folder of a release. Nothing else is read, so nothing is paid.
    out
        The folder to write; it must not exist.
    shrink
        Whether shares of small workplace cells are moved towards those of cells alike. Tables must
        have been drawn together, with noise of public size.
    progress
        Is told which table is written.

    Returns
    -------
    Bundle
        The new bundle; its certificate names the source.

    Raises
    ------
    BadFile, Damaged
        If the source is not sound, or the new bundle cannot be written.
    InvalidParameter
        If the source cannot be tidied.

    Examples
    --------
    >>> leeward.tidy(bundle.path, bundle.path.parent / "tidy")["by_place"].columns
    ('place', 'value', 'status', 'released', 'margin')
    """
    bundle = _tidiable(Path(source), shrink=shrink)
    shown = progress or Silent()
    writer = BundleWriter(Path(out))
    counts = [table for table in bundle.certificate.tables if table.disjoint]
    read = {table.name: read_table(bundle, table) for table in counts}
    noisy = {name: table for name, (_, table) in read.items()}
    values = settled(bundle.certificate, noisy, shrink)
    with writer:
        tables = []
        for number, about in enumerate(counts):
            shown.part("tidying", number, len(counts))
            block, _ = read[about.name]
            off = values[about.name] - block.values[: about.cell_rows]
            stated = about.model_copy(update={"tidied": change(about, off, shrink)})
            columns = table_columns(
                stated.identifiers,
                stated.noise_columns,
                establishments=stated.establishments is not None,
            )
            stated = stated.model_copy(update={"columns": columns})
            rows = TidyRows(bundle, stated, block, values[about.name])
            with writer.table(rows.marginal, margins=stated.noise_columns) as written:
                rows.write(written)
            tables.append(stated)
        writer.seal(_certificate(bundle.certificate, Path(out).name, tables, shrink=shrink))
    return read_bundle(out)


def settled(
    certificate: Certificate, tables: Mapping[str, NoisyTable], shrink: bool
) -> dict[str, Integers]:
    """The tidy values of every table; tables of the same jobs are settled together."""
    populations: dict[str, list[NoisyTable]] = {}
    for table in certificate.tables:
        if table.disjoint:
            jobs = json.dumps(table.where, sort_keys=True)
            populations.setdefault(jobs, []).append(tables[table.name])
    estimate = shrunk if shrink else None
    values: dict[str, Integers] = {}
    for several in populations.values():
        values |= Settlement(several, estimate).settle()
    return values


def _tidiable(source: Path, *, shrink: bool) -> Bundle:
    """A sound release that can be tidied, and shrunk if that is asked."""
    bundle = read_bundle(source)
    findings = verify_bundle(source)
    if findings:
        raise Damaged(
            "bundle",
            rule="must be sound",
            value=f"{str(source)!r}, of which {findings[0]}",
            next_step="Ask for the bundle again, or see what `leeward verify` finds.",
        )
    certificate = bundle.certificate
    if certificate.made_from is not None:
        raise _refused(
            "must be a release",
            f"{certificate.name}, which was made from {certificate.made_from.name}",
            f"Give the folder {certificate.made_from.name}.",
        )
    if certificate.format < FORMAT:
        raise _refused(
            f"must have a certificate of format {FORMAT}: older ones do not say which attributes "
            "leave jobs out, so whether tables should add up is not known",
            f"format {certificate.format}",
            "Use the released values.",
        )
    if not any(table.disjoint for table in certificate.tables):
        raise _refused(
            "must have a table of counts: pay, flows and gains do not add up",
            f"{certificate.name}, which has none",
            "Use the released values.",
        )
    if shrink:
        for problem in not_shrinkable(certificate.tables):
            raise problem
    return bundle


def not_shrinkable(tables: Sequence[CertifiedTable]) -> Iterator[LeewardError]:
    """Why the shares of some tables cannot be moved."""
    joint = [table for table in tables if table.joint is not None and not table.is_total]
    if not joint:
        yield InvalidParameter(
            "--shrink",
            rule="needs tables that were drawn together with the total of their workplaces",
            value=", ".join(table.name for table in tables),
            next_step="Leave out --shrink, or release with breakdowns: in place of single tables.",
        )
    for table in joint:
        if table.joint is not None and table.joint.unit is None:
            yield InvalidParameter(
                "--shrink",
                rule="needs noise whose size is public: a column bound, or margins",
                value=f"the table {table.name} of {table.mechanism}, without either",
                next_step="Leave out --shrink, or release with joint_clipped or with margins.",
            )


def _refused(rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter("bundle", rule=rule, value=value, next_step=next_step)


def _certificate(
    source: Certificate, name: str, tables: list[CertifiedTable], *, shrink: bool
) -> Certificate:
    """The certificate of the source, with its promises, charge and data, and where it came from."""
    origin, digest = source.origin
    left_out = [table.name for table in source.tables if not table.disjoint]
    made_from = MadeFromStatement(
        name=origin,
        certificate=digest,
        created=source.created,
        leeward=source.leeward,
        method=SHRUNK_METHOD if shrink else "tidy",
        sentence=origin_sentence(origin, left_out, at_most(tables), shrink=shrink),
    )
    return source.model_copy(
        update={
            "name": name,
            "leeward": version("leeward"),
            "software": software(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "made_from": made_from,
            "tables": tuple(tables),
            "files": {},
        }
    )


@dataclass(frozen=True)
class TidyRows:
    """The rows of a tidy table: new values beside what was released."""

    bundle: Bundle
    about: CertifiedTable
    block: Block
    values: Integers

    @property
    def marginal(self) -> Marginal:
        """The table that is written."""
        return stated_marginal(self.about)

    def write(self, writer: TableWriter) -> None:
        """Cells, then totals as sums of the tidy ones, in the order of the release."""
        about, block = self.about, self.block
        done, each = about.cell_rows, about.worker_cells
        first = slice(0, done, each)
        names = about.workplace_identifiers
        positions = dict(zip(about.identifiers, block.positions, strict=True))
        keys = numbered(
            {name: about.codes[name] for name in names},
            {name: positions[name][first] for name in names},
            done // each,
        )
        values = self.values.reshape(done // each, each)
        columns = self._released(slice(0, done), values.shape)
        frame = None if block.establishments is None else block.establishments[first]
        cells = Published(keys, values, block.status[first], columns, frame)
        writer.write(cells)
        totals = Totals(self.marginal)
        totals.add(cells)
        for family, sums in totals.rows():
            rows = slice(done, done + sums.values.size)
            released = self._released(rows, sums.values.shape)
            writer.write_totals(
                family,
                Published(sums.keys, sums.values, sums.flags, released, sums.establishments),
            )
            done = rows.stop

    def _released(self, rows: slice, shape: tuple[int, ...]) -> dict[str, Integers]:
        """The released numbers of some rows, and all that is said of their noise."""
        columns = {RELEASED: self.block.values, **self.block.margins}
        released = {name: column[rows].reshape(shape) for name, column in columns.items()}
        if BOUND in self.about.noise_columns:
            known = bounds(self.bundle, self.about)
            size = np.zeros(shape) if known is None or rows.start else known.reshape(shape)
            released[BOUND] = size.astype(np.int64)
        return released
