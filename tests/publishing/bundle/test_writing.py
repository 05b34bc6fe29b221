import csv
import os
import stat
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Dimension, Flag, Marginal, Published
from leeward.core.codebook.cells import EMPTY
from leeward.core.errors import BadFile, Damaged, Problems
from leeward.publishing.bundle import BundleWriter, read_bundle, verify_bundle
from leeward.publishing.bundle.rows import ROW_GROUP
from tests.publishing.bundle.made_up import (
    PLACE,
    TOTAL,
    WORKER_TABLE,
    WORKPLACE_TABLE,
    cells,
    certificate,
    certified,
    columns,
    dimension,
    write_demo,
)

BIG = Marginal(
    "big",
    (dimension("place", [f"{number:05d}" for number in range(600)]), dimension("own", ["A", "B"])),
    (
        dimension("age", [f"A{number:02d}" for number in range(60)], "workers"),
        dimension("sex", ["M", "F"], "workers"),
        dimension("school", ["x", "y"], "workers"),
    ),
)


def slow_rows(marginal: Marginal, published: Published) -> list[list[str]]:
    """Every row by itself: the truth that the quick way must equal."""
    found, names = [], columns(marginal)
    for at, key in enumerate(published.keys):
        for kind in range(marginal.worker_cells):
            codes = [*_codes(marginal.workplace, int(key)), *_codes(marginal.worker, kind)]
            exact = published.flags[at] == Flag.NO_ESTABLISHMENT
            numbers = [str(published.values[at, kind]), str(published.flags[at])]
            wide = [published.margins[name][at, kind] for name in names if published.margins]
            numbers += ["" if exact else str(one) for one in wide]
            found.append(codes + numbers)
    return found


def _codes(dimensions: Sequence[Dimension], number: int) -> list[str]:
    codes = []
    for one in reversed(dimensions):
        number, place = divmod(number, one.size)
        codes.append(one.codes[place])
    return codes[::-1]


@pytest.mark.parametrize("margins", [True, False])
@pytest.mark.parametrize("marginal", [WORKER_TABLE, WORKPLACE_TABLE, TOTAL], ids=lambda m: m.name)
def test_both_files_hold_exactly_the_published_cells(
    tmp_path: Path, marginal: Marginal, margins: bool
) -> None:
    published = cells(marginal, range(marginal.workplace_cells), margins=margins)
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(marginal, margins=columns(marginal, margins=margins)) as writer:
            writer.write(published)
        bundle.seal(certificate("demo", [certified(writer, margins=margins)]))
    path = tmp_path / "demo" / "tables" / f"{marginal.name}.csv"
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert rows == slow_rows(marginal, published)
    assert header == [one.name for one in marginal.dimensions] + (
        ["value", "status", *columns(marginal, margins=margins)]
    )
    table = read_bundle(tmp_path / "demo").table(marginal.name)
    texts = [["" if v is None else str(v) for v in row.values()] for row in table.to_pylist()]
    assert (table.column_names, texts, writer.rows) == (header, rows, len(rows))
    assert verify_bundle(tmp_path / "demo") == ()


def written(folder: Path, cuts: Sequence[int]) -> tuple[bytes, bytes]:
    """Both files of the big table, its workplace cells written in these batches."""
    folder.mkdir()
    with BundleWriter(folder / "demo") as bundle:
        with bundle.table(BIG, margins=("margin",)) as writer:
            for low, high in pairwise(cuts):
                writer.write(cells(BIG, range(low, high), margins=True))
        bundle.seal(certificate("demo", [certified(writer)]))
    tables = folder / "demo" / "tables"
    return (tables / "big.csv").read_bytes(), (tables / "big.parquet").read_bytes()


def test_bytes_do_not_depend_on_how_batches_were_cut(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole", [0, 1200])
    assert written(tmp_path / "again", [0, 1200]) == whole
    assert written(tmp_path / "uneven", [0, 0, 1, 7, 547, 548, 1100, 1200, 1200]) == whole
    assert written(tmp_path / "even", range(0, 1201, 100)) == whole
    file = pq.ParquetFile(tmp_path / "even" / "demo" / "tables" / "big.parquet")
    sizes = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert sizes == [ROW_GROUP, ROW_GROUP, 1200 * 240 - 2 * ROW_GROUP]
    assert verify_bundle(tmp_path / "even" / "demo") == ()


def test_the_same_bundle_is_the_same_bytes(tmp_path: Path) -> None:
    names = ("one", "two")
    for name in names:
        (tmp_path / name).mkdir()
    assert write_demo(tmp_path / "one" / "demo") == write_demo(tmp_path / "two" / "demo")
    contents = [
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in names
    ]
    assert contents[0] == contents[1]


def test_a_table_without_cells_has_a_header(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(WORKER_TABLE, margins=("margin",)) as writer:
            writer.write(cells(WORKER_TABLE, [], margins=True))
        bundle.seal(certificate("demo", [certified(writer)]))
    text = (tmp_path / "demo" / "tables" / "by_sex.csv").read_text()
    assert text == "place,sector,sex,school,value,status,margin\n"
    assert verify_bundle(tmp_path / "demo") == ()


def test_extreme_numbers_stay_exact(tmp_path: Path) -> None:
    far = np.array([[EMPTY + 1], [np.iinfo(np.int64).max]])
    marginal = Marginal("far", (PLACE,), ())
    published = Published(np.array([0, 3]), far, np.array([1, 1]))
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(marginal, margins=()) as writer:
            writer.write(published)
        bundle.seal(certificate("demo", [certified(writer, margins=False)]))
    assert read_bundle(tmp_path / "demo").table("far")["value"].to_pylist() == far.ravel().tolist()
    assert verify_bundle(tmp_path / "demo") == ()


@pytest.mark.parametrize(
    ("umask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)]
)
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, file: int, folder: int) -> None:
    before = os.umask(umask)
    try:
        write_demo(tmp_path / "demo")
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "demo").rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_file()} == {file}
    assert stat.S_IMODE((tmp_path / "demo").stat().st_mode) == folder
    assert modes[tmp_path / "demo" / "tables"] == folder


def test_what_is_not_sealed_is_hidden_private_and_removed(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle, bundle.table(TOTAL, margins=()):
        (hidden,) = tmp_path.iterdir()
        assert hidden.name.startswith(f".demo.partial-{os.getpid()}-")
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
        assert verify_bundle(hidden)
        assert verify_bundle(hidden / "demo")
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_discards_everything(tmp_path: Path) -> None:
    def broken() -> None:
        with BundleWriter(tmp_path / "demo") as bundle, bundle.table(TOTAL, margins=()) as table:
            table.write(cells(TOTAL, [0], margins=False))
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert list(tmp_path.iterdir()) == []


def test_sealing_alone_leaves_nothing_but_the_bundle(tmp_path: Path) -> None:
    bundle = BundleWriter(tmp_path / "demo")
    with bundle.table(TOTAL, margins=()) as writer:
        writer.write(cells(TOTAL, [0], margins=False))
    bundle.seal(certificate("demo", [certified(writer, margins=False)]))
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_two_writers_do_not_meet_in_the_hidden_folder(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo"), BundleWriter(tmp_path / "demo"):
        assert len(list(tmp_path.iterdir())) == 2


def refusals(target: Path) -> str:
    before = sorted(target.parent.rglob("*")) if target.parent.is_dir() else []
    found = BundleWriter.check_target(target)
    assert all(isinstance(one, BadFile) and one.parameter == "--out" for one in found)
    with pytest.raises((BadFile, Problems)):
        BundleWriter(target)
    if target.parent.is_dir():
        assert sorted(target.parent.rglob("*")) == before
    return " ".join(one.rule for one in found)


def test_a_target_that_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("file", "folder", "dangling"):
        assert refusals(tmp_path / name) == "must not exist"


def test_a_target_without_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusals(tmp_path / "none" / "demo") == "must lie in a folder that exists"


@pytest.mark.parametrize("name", ["two words", ".hidden", "a\n", "x" * 101])
def test_a_name_that_is_no_plain_word_is_refused(tmp_path: Path, name: str) -> None:
    assert "must end in a name" in refusals(tmp_path / name)


def test_a_path_that_cannot_be_looked_up_is_refused(tmp_path: Path) -> None:
    assert refusals(tmp_path / "a\0b")


def test_a_folder_that_may_not_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refusals(tmp_path / "demo") == "must lie in a folder that can be written"


def test_a_target_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(TOTAL, margins=()) as writer:
            writer.write(cells(TOTAL, [0], margins=False))
        (tmp_path / "demo").mkdir()
        (tmp_path / "demo" / "mine").write_text("mine")
        with pytest.raises(BadFile, match="must not exist"):
            bundle.seal(certificate("demo", [certified(writer, margins=False)]))
    assert [path.name for path in tmp_path.rglob("*")] == ["demo", "mine"]


def batch(keys: Sequence[int], values: Sequence[int], flags: Sequence[int]) -> Published:
    columns = [np.array(one, dtype=np.int64) for one in (keys, values, flags)]
    return Published(columns[0], columns[1].reshape(len(keys), -1), columns[2])


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (batch([1, 0], [5, 5], [1, 1]), "ascending"),
        (batch([1, 1], [5, 5], [1, 1]), "ascending"),
        (batch([-1], [5], [1]), "ascending"),
        (batch([15], [5], [1]), "keys of the table"),
        (batch([0], [5], [-2]), "zeros"),
        (batch([0], [5], [9]), "known flags"),
        (batch([0], [5, 6], [1]), "worker cell"),
    ],
)
def test_a_batch_that_is_not_the_next_rows_is_refused(
    tmp_path: Path, bad: Published, rule: str
) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(WORKPLACE_TABLE, margins=()) as writer:
            with pytest.raises(ValueError, match=rule):
                writer.write(bad)
            writer.write(batch([3], [1], [1]))
            with pytest.raises(ValueError, match="ascending"):
                writer.write(batch([3], [1], [1]))
        assert writer.rows == 1


def test_the_other_rules_for_batches(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(TOTAL, margins=("margin",)) as writer:
            with pytest.raises(ValueError, match="margins"):
                writer.write(batch([0], [5], [1]))
            with pytest.raises(ValueError, match="complete"):
                writer.write(batch([0], [0], [-2]))
        with pytest.raises(ValueError, match="name"):
            bundle.table(TOTAL, margins=())
        with pytest.raises(ValueError, match="name"):
            bundle.table(Marginal("../out", (), ()), margins=())


def test_rows_are_held_to_the_rules_by_which_they_are_verified(tmp_path: Path) -> None:
    good = cells(WORKER_TABLE, range(15), margins=True)
    last = np.arange(60).reshape(15, 4) == 59
    below = {"margin": np.where(last, -1, good.margins["margin"])}
    with BundleWriter(tmp_path / "demo") as bundle:
        with (
            pytest.raises(Damaged, match="by_sex, which has margins below 0"),
            bundle.table(WORKER_TABLE, margins=("margin",)) as writer,
        ):
            writer.write(replace(good, margins=below))
        assert not writer.finished


def test_a_complete_table_with_rows_missing_is_not_sealed(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(WORKPLACE_TABLE, margins=("margin",)) as writer:
            writer.write(cells(WORKPLACE_TABLE, range(14), margins=True))
        with pytest.raises(Damaged, match="cannot hold every combination"):
            bundle.seal(certificate("demo", [certified(writer)]))
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_of_something_else_is_not_sealed(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "demo") as bundle:
        with bundle.table(TOTAL, margins=()) as writer:
            early = certified(writer, margins=False)
            with pytest.raises(ValueError, match="what was written"):
                bundle.seal(certificate("demo", [early]))
            writer.write(cells(TOTAL, [0], margins=False))
        table = certified(writer, margins=False)
        with pytest.raises(ValueError, match="of this bundle"):
            bundle.seal(certificate("other", [table]))
        with pytest.raises(ValueError, match="all its tables"):
            bundle.seal(certificate("demo", [table, table.model_copy(update={"name": "more"})]))
        with pytest.raises(ValueError, match="what was written"):
            bundle.seal(certificate("demo", [early]))
        bundle.seal(certificate("demo", [table]))


def test_the_times_of_files_do_not_tell_how_long_the_work_took(tmp_path: Path) -> None:
    bundle = tmp_path / "demo"
    write_demo(bundle)
    times = {path.stat().st_mtime for path in (bundle, *bundle.rglob("*"))}
    assert len(times) == 1


@pytest.mark.parametrize(
    ("wide", "finding"),
    [
        ({"low": 0, "high": 9}, None),
        ({"low": 6, "high": 9}, "values that are not between low and high"),
        ({"low": 0, "high": 4}, "values that are not between low and high"),
        ({"margin": 3, "block_margin": 3}, None),
        ({"margin": 3, "block_margin": 2}, "narrower than those of its cells"),
        ({"low": 4, "high": 6, "block_low": 3, "block_high": 6}, None),
        ({"low": 4, "high": 6, "block_low": 5, "block_high": 7}, "narrower than"),
        ({"low": 4, "high": 6, "block_low": 3, "block_high": 5}, "narrower than"),
        ({"low": -(2**62), "high": 2**62}, None),
    ],
)
def test_margins_hold_their_value_and_those_of_blocks_are_wider(
    tmp_path: Path, wide: dict[str, int], finding: str | None
) -> None:
    margins = {name: np.array([[one]]) for name, one in wide.items()}
    published = replace(batch([0], [5], [1]), margins=margins)
    broken = nullcontext() if finding is None else pytest.raises(Damaged, match=finding)
    with BundleWriter(tmp_path / "demo") as bundle:
        with broken, bundle.table(TOTAL, margins=tuple(wide)) as writer:
            writer.write(published)
        assert writer.finished == (finding is None)
