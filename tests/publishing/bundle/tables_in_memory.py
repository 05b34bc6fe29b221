"""Tables that lie in memory, cut into batches of any size: what a bundle's files cannot be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import Bundle, CertifiedTable, MarginStatement, TableGuarantee
from leeward.publishing.bundle.bundle_files import table_columns
from tests.publishing.bundle.made_up import certificate

Line = tuple[tuple[str, ...], int, int, int | None]
"""Codes, value, status, margin."""

Codes = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class InMemory(Bundle):
    """A bundle of one table whose rows come in batches of `each`."""

    rows: pa.Table = field(kw_only=True)
    each: int = field(kw_only=True)

    def batches(
        self, name: str, columns: Sequence[str] | None = None, *, totals: bool = True
    ) -> Iterator[pa.RecordBatch]:
        assert columns is None, "the columns are read by their place"
        return iter(self.rows.to_batches(max_chunksize=self.each))


def in_memory(
    lines: Sequence[Line], codes: Codes, *, margins: bool = True, each: int = 3, **changes: object
) -> InMemory:
    """A bundle named `made-up` whose only table is `t`."""
    certified = CertifiedTable(
        name="t",
        kind="workplace",
        identifiers=tuple(codes),
        worker_identifiers=(),
        codes={name: dict(listed) for name, listed in codes.items()},
        where=None,
        complete=False,
        rows=len(lines),
        mechanism="slope",
        parameters={},
        guarantee=TableGuarantee.of(Guarantee("strong", "1/10", 4)),
        margins=MarginStatement(
            method="spent" if margins else "none",
            coverage="9/10" if margins else None,
            epsilon="1/10" if margins else None,
            note="Made up.",
        ),
        bias=None,
        columns=table_columns(codes, ("margin",) if margins else (), establishments=False),
    )
    stated = certificate("made-up", [certified.model_copy(update=changes)])
    rows = _rows(lines, list(codes), certified.columns)
    return InMemory(Path("made-up"), stated, rows=rows, each=each)


def _rows(lines: Sequence[Line], names: list[str], columns: tuple[str, ...]) -> pa.Table:
    # Each column has a dictionary of its own, in the order in which its codes appear.
    coded = [
        pa.array([line[0][number] for line in lines], pa.string()).dictionary_encode()
        for number in range(len(names))
    ]
    numbers = [
        pa.array([line[1] for line in lines], pa.int64()),
        pa.array([line[2] for line in lines], pa.int8()),
        pa.array([line[3] for line in lines], pa.int64()),
    ]
    arrays = [*coded, *numbers][: len(columns)]
    return pa.Table.from_arrays(arrays, names=list(columns))
