"""Reading a table with other programs: its description (CSVW), and lines of R and Stata."""

from hashlib import sha256
from stat import S_ISREG

from leeward.core.errors import InvalidParameter
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.bundle_files import metadata_path
from leeward.publishing.bundle.certificate import damaged

MOST_BYTES = 16 << 20
"""Maximum size of a description in bytes."""


def has_metadata(bundle: Bundle, table: CertifiedTable) -> bool:
    """Whether the bundle describes the columns of the table for programs (CSVW)."""
    return metadata_path(table.name) in bundle.certificate.files


def metadata(bundle: Bundle, table: CertifiedTable) -> bytes:
    """The description of the columns, as it was published."""
    stamp = bundle.certificate.files.get(metadata_path(table.name))
    if stamp is None:
        raise InvalidParameter(
            "metadata",
            rule="must be in the bundle",
            value=f"no description of {table.name}",
            next_step="Read the certificate, which lists columns and codes.",
        )
    path = bundle.path / metadata_path(table.name)
    try:
        plain = S_ISREG(path.lstat().st_mode) and not path.parent.is_symlink()
        if not plain or stamp.bytes > MOST_BYTES or path.stat().st_size != stamp.bytes:
            raise damaged(path, "must be the file that was published")
        content = path.read_bytes()
    except OSError:
        raise damaged(path, "must be readable") from None
    if sha256(content).hexdigest() != stamp.sha256:
        raise damaged(path, "must be the file that was published")
    return content


def reading_lines(table: CertifiedTable) -> dict[str, str]:
    """Lines that read the CSV file, by program; codes are texts, which keep their zeros."""
    texts, others = 2 * len(table.identifiers), len(table.columns) - len(table.identifiers)
    file = f"{table.name}.csv"
    kinds = f'c(rep("character", {texts}), rep("numeric", {others}))'
    strings = f"stringcols(1/{texts}) " if texts else ""
    return {
        "R": f'rows <- read.csv("{file}", colClasses = {kinds}, fileEncoding = "UTF-8", '
        "check.names = FALSE)",
        "Stata": f'import delimited using "{file}", clear varnames(1) {strings}'
        'encoding("UTF-8") bindquote(strict)',
    }
