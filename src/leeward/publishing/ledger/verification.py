"""Verification: every fault of a ledger, without stopping at the first."""

from collections.abc import Iterator

from leeward.core.errors import Damaged, LeewardError
from leeward.publishing.ledger.book import Book
from leeward.publishing.ledger.contents import Contents
from leeward.publishing.ledger.entry import Anchor
from leeward.publishing.ledger.store import PRIVATE, Store


def findings(store: Store, anchors: tuple[Anchor, ...]) -> Iterator[str]:
    """Faults of the file, its hash chain and its entries, and contradictions to bundles."""
    mode = store.permissions()
    if mode != PRIVATE:
        yield f"the file has mode {mode:o}, not {PRIVATE:o}"
    try:
        with store.reading() as connection:
            pages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
            contents = Contents.read(connection)
    except Damaged as error:
        yield str(error.value)
        return
    yield from (f"the database is broken: {fault}" for fault in pages if fault != "ok")
    book, found = contents.examined()
    yield from found
    yield from _subjects(book)
    yield from _against(contents, anchors)


def _subjects(book: Book) -> Iterator[str]:
    """Charges whose subject cannot be read. Later charges compare only its text."""
    for entry in book.reserved.values():
        try:
            _ = entry.subject
        except LeewardError as error:
            yield f"entry {entry.number}: {error.parameter} {error.rule}; got {error.value}"


def _against(contents: Contents, anchors: tuple[Anchor, ...]) -> Iterator[str]:
    try:
        birth = contents.birth
    except Damaged:  # reported by `examined`
        return
    hashes = {row[0]: row[3] for row in contents.rows} | {0: birth.hash}
    for anchor in dict.fromkeys(anchors):
        if anchor.ledger != birth.ledger:
            yield f"entry {anchor.number} of a bundle: it belongs to ledger {anchor.ledger}"
        elif anchor.number not in hashes:
            yield (
                f"entry {anchor.number} of a bundle: the ledger has no such entry; its end was cut "
                "off or an old copy was put back"
            )
        elif hashes[anchor.number] != anchor.hash:
            yield (
                f"entry {anchor.number} of a bundle: the ledger has another one; it was rewritten, "
                "or an old copy was put back and used"
            )
