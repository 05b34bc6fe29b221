"""Ids compared by bits: what is called sound is so, and what is wrong or not known is not."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from leeward.core.codebook import TABLES
from leeward.core.codebook.resources import Resources
from leeward.publishing.engines.address import FrameAddress
from leeward.publishing.engines.table_files import Files
from leeward.publishing.engines.validation import (
    BITS_EACH,
    LARGEST,
    NOTHING_KNOWN,
    SoundIds,
    sound_ids,
)

Ids = Sequence[int | str | None]
SPAN = 2 * BITS_EACH


def compared(own: Ids, given: Ids, folder: Path) -> SoundIds:
    """The ids of workers and those that jobs give, as tables of one column."""
    held = {"workers": pa.array(own), "jobs": pa.array(given)}
    tables = {name: pa.table({"id": held.get(name, held["workers"])}) for name in TABLES}
    addresses = tuple(FrameAddress(name, frame) for name, frame in tables.items())
    database = Files(addresses, Resources(spill=folder))
    try:
        opened = database.tables()
        return sound_ids(database, opened["workers"]["id"], opened["jobs"]["id"])
    finally:
        database.close()


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        ([3, -1, 2, None, None], [2, None, -1, None], (True, True, True)),
        ([1, 2, 2], [1, 2], (False, True, True)),
        ([1, 2], [2, 1, 2], (True, False, True)),
        ([1, 2], [2, 3], (True, True, False)),
        ([1, 2], [2, 0], (True, True, False)),
        ([1, SPAN], [1, SPAN], (True, True, True)),
    ],
    ids=["sound", "duplicate", "two jobs", "lost above", "lost below", "gaps as large as allowed"],
)
def test_each_fault_is_seen(
    own: Ids, given: Ids, expected: tuple[bool, bool, bool], tmp_path: Path
) -> None:
    assert compared(own, given, tmp_path) == SoundIds(*expected)


@pytest.mark.parametrize(
    ("own", "given"),
    [
        ([], [1]),
        ([1], [None, None]),
        ([1, SPAN + 1], [1, SPAN + 1]),
        ([LARGEST, LARGEST - 1], [LARGEST, LARGEST]),
        (["1", "2"], ["1", "2"]),
    ],
    ids=["no row", "no id", "large gaps", "large numbers", "texts"],
)
def test_elsewhere_nothing_is_known(own: Ids, given: Ids, tmp_path: Path) -> None:
    assert compared(own, given, tmp_path) == NOTHING_KNOWN
