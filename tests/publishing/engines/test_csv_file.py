"""Every line of a CSV file is a row, or a row without values; quotes are read or are letters."""

import io
import re
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.codebook.resources import Resources, read_quotes
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.publishing.engines.csv_file import LONGEST_ROW, CsvHeader, CsvLines
from leeward.publishing.engines.opening import open_database
from tests.publishing.engines.test_one_row import ODD_LINES

HEADER = CsvHeader(",", ("id", "town"))


def copied(content: bytes, *, quotes: bool) -> list[bytes]:
    out = io.BytesIO()
    CsvLines(HEADER, quotes).copy(io.BytesIO(content), out)
    assert out.getvalue().endswith(b"\n")
    return out.getvalue().removesuffix(b"\n").split(b"\n")[1:]


@pytest.mark.parametrize("quotes", [True, False])
@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b"1,Ulm", b"1,Ulm"),
        (b"1,Ulm\r", b"1,Ulm"),
        (b"1,Ulm,,", b"1,Ulm,,"),  # as DuckDB reads it
        (b"1", b","),
        (b"1,2,3", b","),
        (b"1,U\rlm", b","),
        (b"1,Ulm\r\r", b","),
        (b"   ", b","),
        (b"", b""),
        (b"1," + b"x" * (LONGEST_ROW - 3), b"1," + b"x" * (LONGEST_ROW - 3)),
        (b"1," + b"x" * (LONGEST_ROW - 2), b","),
        (b"1," + b"x" * (3 * LONGEST_ROW), b","),
    ],
)
def test_a_line_is_a_row_or_one_without_values(line: bytes, row: bytes, quotes: bool) -> None:
    assert copied(b"id,town\n2,Hof\n" + line + b"\n3,Hof", quotes=quotes) == [
        b"2,Hof", row, b"3,Hof"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "with_quotes", "without"),
    [
        (b'"1,2",Ulm', b'"1,2",Ulm', b","),
        (b'"1",Ulm', b'"1",Ulm', b'"1",Ulm'),
        (b'"1"', b",", b","),
        (b'"1,Ulm', b'"1,Ulm', b'"1,Ulm'),  # open: DuckDB rejects it
        (b"1,\xff", b"1,\xff", b","),  # so here
    ],
)
def test_quotes_are_read_or_are_letters(line: bytes, with_quotes: bytes, without: bytes) -> None:
    content = b"id,town\n" + line + b"\n"
    assert copied(content, quotes=True) == [with_quotes]
    assert copied(content, quotes=False) == [without]


def test_a_value_in_quotes_may_have_several_lines() -> None:
    lines = b'id,town\r\n1,"U\r\nlm, far"\r\n2\r\n3,Hof\r\n'
    assert copied(lines, quotes=True) == [b'1,"U\r', b'lm, far"', b",", b"3,Hof"]


@given(st.lists(st.sampled_from((b"1,Ulm", b"2,Hof\r", *ODD_LINES)), max_size=12), st.booleans())
def test_the_guard_for_speed_changes_nothing(lines: list[bytes], quotes: bool) -> None:
    """Known bad: a guard that lets a line pass which the slow way makes another."""
    content = b"id,town\n" + b"".join(one + b"\n" for one in lines)
    slow = CsvLines(HEADER, quotes)
    slow.__dict__["_plain"] = re.compile(b"(?!)")
    out = io.BytesIO()
    slow.copy(io.BytesIO(content), out)
    assert out.getvalue().split(b"\n")[1:-1] == copied(content, quotes=quotes)


def test_without_quotes_no_line_rejects_a_file_in_any_encoding(tmp_path: Path) -> None:
    for encoding in (None, "cp1252", "utf-16-le"):
        lines = ["id,town", '1,"Köln', '2,"K"öln', "3", "4,Ulm"]
        content = "\n".join(lines).encode(encoding or "utf-8")
        bad = b"" if encoding == "utf-16-le" else b"\n5,\x81\xff"  # no text in either
        (tmp_path / "jobs.csv").write_bytes(content + bad)
        told = Resources(encoding=encoding, quotes="none")
        with closing(open_database({"jobs": "jobs.csv"}, tmp_path, told, tables=("jobs",))) as one:
            found = one.rows(one.tables({"jobs": ("id", "town")})["jobs"].order_by("id"))
        assert [row for row in found if row["id"]] == [
            {"id": "1", "town": '"Köln'}, {"id": "2", "town": '"K"öln'}, {"id": "4", "town": "Ulm"}
        ]  # fmt: skip
        assert len(found) == (4 if encoding == "utf-16-le" else 5)


def test_quotes_are_none_or_left_out() -> None:
    assert (read_quotes(None, "q"), read_quotes(" none ", "q")) == (None, "none")
    with pytest.raises(InvalidParameter, match=r"data\.quotes: must be none, or left out; got 'x'"):
        read_quotes("x", "data.quotes")
    with pytest.raises(LeewardError, match="quotes: is for CSV files"):
        Resources(engine="spark", quotes="none")
