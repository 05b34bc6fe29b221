"""Check of a source: whether a bundle was made of this release, and repeats what it said."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from leeward.core.codebook.marginal import RELEASED
from leeward.core.errors import LeewardError
from leeward.publishing.bundle.bundle_files import CERTIFICATE, sha256
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.certified_table import CertifiedTable
from leeward.publishing.bundle.reader import Bundle, read_bundle
from leeward.publishing.bundle.verify import verify_bundle

OWN = {"name", "leeward", "software", "created", "made_from", "tables", "files"}
"""Parts of a certificate that are those of the new bundle."""


def source_findings(bundle: Path, source: Path) -> tuple[str, ...]:
    """What is wrong, in plain words; both must be sound. How values were made is not done again."""
    found = verify_bundle(source)
    if found:
        return (f"the source is not sound: {found[0]}",)
    try:
        return tuple(_findings(read_bundle(bundle), read_bundle(source)))
    except LeewardError as refusal:
        return (refusal.rule,)


def _findings(bundle: Bundle, source: Bundle) -> Iterator[str]:
    stated = bundle.certificate.made_from
    if stated is None:
        yield "it is a release, which has no source"
    elif stated.certificate != sha256(source.path / CERTIFICATE):
        yield f"it was made from another release than {source.path.name}"
    else:
        yield from _certificates(bundle.certificate, source.certificate)
        yield from _tables(bundle, source)


def _certificates(certificate: Certificate, source: Certificate) -> Iterator[str]:
    for name in sorted({*Certificate.model_fields} - OWN):
        if getattr(certificate, name) != getattr(source, name):
            yield f"its certificate says something else of {name} than its source"
    counts = [table for table in source.tables if table.disjoint]  # others are left out
    if [as_released(certified_table) for certified_table in certificate.tables] != counts:
        yield "its certificate says something else of tables than its source"


def as_released(table: CertifiedTable) -> CertifiedTable:
    """What the source of a tidy table said of it; of a released table, the same."""
    columns = tuple(name for name in table.columns if name != RELEASED)
    return table.model_copy(update={"tidied": None, "columns": columns})


def _tables(bundle: Bundle, source: Bundle) -> Iterator[str]:
    for name in (table.name for table in source.certificate.tables if table.disjoint):
        released = _released(bundle.table(name)) if name in bundle else None
        if released is None or not released.equals(_plain(source.table(name))):
            yield f"the table {name} does not hold what its source released"


def _released(rows: pa.Table) -> pa.Table:
    """The rows with the number that had noise in its place."""
    column = rows[RELEASED].fill_null(0)
    kept = rows.set_column(rows.schema.get_field_index("value"), "value", column)
    return _plain(kept.drop_columns([RELEASED]))


def _plain(rows: pa.Table) -> pa.Table:
    """Codes as texts: dictionaries are read in several ways."""
    kinds = [
        pa.field(one.name, pa.string() if pa.types.is_dictionary(one.type) else one.type)
        for one in rows.schema
    ]
    return rows.cast(pa.schema(kinds)).combine_chunks()
