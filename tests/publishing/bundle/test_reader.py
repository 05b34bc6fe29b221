"""Tables of a bundle read a part at a time."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Marginal
from leeward.core.errors import Damaged, InvalidParameter
from leeward.publishing.bundle import Bundle, BundleWriter, read_bundle
from leeward.publishing.bundle.rows import ROW_GROUP
from tests.publishing.bundle.made_up import cells, certificate, certified, dimension
from tests.publishing.bundle.tampering import reseal

ROWS = 2 * ROW_GROUP + 1000
LONG = Marginal("long", (dimension("place", [f"{n:06d}" for n in range(ROWS)]),), ())


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A table of three row groups."""
    target = tmp_path_factory.mktemp("reader") / "long"
    with BundleWriter(target) as bundle:
        with bundle.table(LONG, margins=("margin",)) as writer:
            writer.write(cells(LONG, range(ROWS), margins=True))
        bundle.seal(certificate("long", [certified(writer)]))
    return read_bundle(target)


def test_batches_are_the_table_a_row_group_at_a_time(long: Bundle) -> None:
    batches = list(long.batches("long"))
    assert [len(batch) for batch in batches] == [ROW_GROUP, ROW_GROUP, 1000]
    assert pa.Table.from_batches(batches).to_pylist() == long.table("long").to_pylist()


def test_batches_hold_the_columns_asked_for(long: Bundle) -> None:
    batch = next(long.batches("long", ("margin", "value")))
    assert batch.schema.names == ["margin", "value"]


def test_rows_are_found_by_their_numbers_in_every_row_group(long: Bundle) -> None:
    numbers = [0, 7, ROW_GROUP - 1, ROW_GROUP, ROWS - 1]
    found = long.rows("long", numbers)
    assert found["place"].to_pylist() == [f"{number:06d}" for number in numbers]
    assert found.to_pylist() == long.table("long").take(numbers).to_pylist()
    assert long.rows("long", []).num_rows == 0


def test_only_row_groups_with_a_wanted_row_are_read(
    long: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def noted(file: pq.ParquetFile, group: int) -> pa.Table:
        read.append(group)
        return whole(file, group)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    long.rows("long", [ROW_GROUP + 5])
    assert read == [1]


def test_a_changed_file_is_refused_before_the_first_row(demo: Path) -> None:
    bundle, path = read_bundle(demo), demo / "tables" / "by_sex.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(Damaged, match=r"by_sex\.parquet must be the file that was published"):
        next(bundle.batches("by_sex"))
    with pytest.raises(Damaged, match=r"by_sex\.parquet must be the file that was published"):
        bundle.rows("by_sex", [0])


def test_other_columns_under_new_checksums_are_refused(demo: Path) -> None:
    path = demo / "tables" / "total.parquet"
    pq.write_table(pa.table({"value": ["many"], "status": ["1"]}), path)
    reseal(demo)
    with pytest.raises(Damaged, match="must have the columns that the certificate says"):
        next(read_bundle(demo).batches("total"))


def test_a_file_that_is_no_parquet_is_refused(demo: Path) -> None:
    (demo / "tables" / "total.parquet").write_bytes(b"junk")
    reseal(demo)
    with pytest.raises(Damaged, match=r"total\.parquet must be readable"):
        next(read_bundle(demo).batches("total"))


def test_a_table_that_is_not_there_is_refused(demo: Path) -> None:
    with pytest.raises(InvalidParameter, match="by_sex, by_place, total"):
        next(read_bundle(demo).batches("other"))
    (demo / "tables" / "total.parquet").unlink()
    with pytest.raises(Damaged, match=r"total\.parquet must be there"):
        next(read_bundle(demo).batches("total"))


@pytest.mark.parametrize("strange", ["link", "pipe", "linked folder"])
def test_a_link_is_not_followed_and_a_pipe_not_waited_for(demo: Path, strange: str) -> None:
    path = demo / "tables" / "by_sex.parquet"
    kept = demo.parent / "kept"
    if strange == "linked folder":
        path.parent.rename(kept)
        path.parent.symlink_to(kept)
    else:
        path.rename(kept)
        if strange == "link":
            path.symlink_to(kept)
        else:
            os.mkfifo(path)
    with pytest.raises(Damaged, match="must be a file, not a link"):
        read_bundle(demo).table("by_sex")
