"""A report put into a sealed bundle: whole or not at all, and without a trace of when."""

import errno
import os
import stat
from pathlib import Path
from typing import NoReturn

import pytest

from leeward.core.errors import BadFile, Damaged
from leeward.interface.report import writing
from leeward.interface.report.document import report
from leeward.interface.report.writing import add_report, report_findings, write_report
from leeward.publishing.bundle import read_bundle, software, verify_bundle
from tests.publishing.bundle.made_up import write_demo
from tests.publishing.bundle.tampering import reseal


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    write_demo(tmp_path / "demo")
    return tmp_path / "demo"


def test_a_report_is_added_and_the_bundle_stays_sound(demo: Path) -> None:
    before = {path: path.read_bytes() for path in demo.rglob("*") if path.is_file()}
    written = add_report(demo)
    assert written == demo / "report.html"
    assert written.read_text(encoding="utf-8") == report(read_bundle(demo))
    assert verify_bundle(demo) == ()
    assert {path: path.read_bytes() for path in before} == before
    assert [path.name for path in demo.parent.iterdir()] == ["demo"]
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(
        (demo / "README.txt").stat().st_mode
    )


def test_an_older_report_is_replaced(demo: Path) -> None:
    (demo / "report.html").write_text("<p>An older one, and longer" * 99_999)
    first = add_report(demo).read_bytes()
    assert add_report(demo).read_bytes() == first
    assert first.startswith(b"<!DOCTYPE html>")


def test_no_time_tells_how_long_the_report_took(demo: Path) -> None:
    add_report(demo)
    assert len({path.stat().st_mtime for path in (demo, *demo.rglob("*"))}) == 1


def test_a_bundle_that_is_not_sound_gets_no_report(demo: Path) -> None:
    (demo / "notes.txt").write_text("more")
    with pytest.raises(Damaged, match=r"must be sound: 'notes\.txt' does not belong") as refusal:
        add_report(demo)
    assert "leeward verify" in refusal.value.next_step
    assert not (demo / "report.html").exists()


def test_rows_that_do_not_agree_are_looked_at_before_a_report_is_written(demo: Path) -> None:
    path = demo / "tables" / "total.csv"
    path.write_text(path.read_text().replace("-20", "-21"))
    reseal(demo)
    with pytest.raises(Damaged, match="the table total has other rows in CSV than in Parquet"):
        add_report(demo)


def test_a_link_in_place_of_the_report_is_refused(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (demo / "report.html").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Damaged, match="is a link"):
        add_report(demo)
    assert (tmp_path / "elsewhere").read_text() == "precious"


@pytest.mark.parametrize("step", ["write_file", "flush"])
@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "no space is left"), (errno.EACCES, "not permitted"), (0, "refused to write")],
)
def test_what_cannot_be_written_is_refused_and_leaves_the_older_report(
    demo: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int, words: str
) -> None:
    (demo / "report.html").write_text("older")

    def fail(path: Path, content: bytes = b"") -> NoReturn:
        if step == "write_file":
            path.write_bytes(content[:100])  # a part of it arrives
        raise OSError(number, "no")

    monkeypatch.setattr(writing, step, fail)
    with pytest.raises(BadFile, match=words) as refusal:
        write_report(read_bundle(demo))
    assert refusal.value.parameter == "report"
    assert (demo / "report.html").read_text() == "older"
    assert [path.name for path in demo.parent.iterdir()] == ["demo"]


def test_an_interruption_leaves_nothing_behind(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Path) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "flush", interrupt)
    with pytest.raises(KeyboardInterrupt):
        add_report(demo)
    assert [path.name for path in demo.parent.iterdir()] == ["demo"]
    assert verify_bundle(demo) == ()


def test_what_a_killed_process_left_does_not_stand_in_the_way(demo: Path) -> None:
    left = demo.parent / f".demo.report-{os.getpid()}-0"
    left.write_text("half")
    add_report(demo)
    assert left.read_text() == "half"
    assert [path.name for path in sorted(demo.parent.iterdir())] == [left.name, "demo"]


def test_a_bundle_may_be_given_by_a_relative_path(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    assert add_report(Path()) == Path("report.html")
    assert (demo / "report.html").is_file()
    assert verify_bundle(demo) == ()


def test_a_report_is_compared_with_what_the_bundle_makes(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(software, "version", lambda _: read_bundle(demo).certificate.leeward)
    assert report_findings(demo) == ()  # there is none
    written = add_report(demo)
    assert report_findings(demo) == ()
    for other in (written.read_bytes() + b" ", written.read_bytes().swapcase()):
        written.write_bytes(other)
        assert len(report_findings(demo)) == 1
    monkeypatch.setattr(software, "version", lambda _: "99")
    assert report_findings(demo) == ()  # another version words it in its own way
