"""Files of a table page: its rows as CSV, Parquet and XLSX, its metadata, and its charts as SVG.

Rows are read and sent a batch at a time. Every text of a file is data: XLSX holds no formulas.
"""

import csv
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO, RawIOBase, StringIO
from itertools import chain
from threading import Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from leeward.core.errors import BadFile, InvalidParameter
from leeward.core.installation import hint
from leeward.core.show.charts import ChartBar, bars
from leeward.core.show.environment import picture
from leeward.core.show.numbers import cases, cut
from leeward.interface.web.releases_address import read_selection, table_of
from leeward.interface.web.releases_table import metadata, picked_by
from leeward.interface.web.site import policy
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.selection import RowSelection, select, selected_batches

CSV = "text/csv; charset=utf-8"
SVG = "image/svg+xml"
MOST_SHEET_ROWS = 200_000
"""Maximum number of rows of an XLSX file, which is held in memory."""

FILLING = Lock()
"""One XLSX file at a time."""

Rows = Iterator[pa.RecordBatch]


def file_answer(request: Request) -> Response:
    """A file of a table, by the end of its name; without a selection it has all rows."""
    file = request.path_params["file"]
    bundle, table = table_of(request)
    form = file.removeprefix(f"{table.name}.")
    if form == "csv-metadata.json":
        return attached(metadata(bundle, table), file, "application/json")
    selection = read_selection(request.query_params, table)
    if form == "svg":
        return picture_answer(chart_of_rows(bundle, table, selection), file)
    if file != f"{table.name}.{form}" or form not in FORMS:
        raise HTTPException(404)
    make, kind = FORMS[form]
    return attached(make(selected_batches(bundle, table, selection)), file, kind)


def attached(content: bytes | Iterator[bytes], name: str, kind: str) -> Response:
    """A file to be saved. Its first part is made at once, so that a refusal is told as one."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if isinstance(content, bytes):
        return Response(content, headers=headers, media_type=kind)
    first = next(content, b"")
    return StreamingResponse(chain([first], content), headers=headers, media_type=kind)


def picture_answer(svg: str, name: str) -> Response:
    """A picture to be saved, or to be drawn by a script of the page."""
    answer = attached(svg.encode(errors="replace"), name, SVG)
    answer.headers["Content-Security-Policy"] = policy(svg)
    return answer


def _csv(batches: Rows) -> Iterator[bytes]:
    """UTF-8 with a header and line feeds, quotes only where a text needs them."""
    head = True
    for batch in batches:
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if head:
            writer.writerow(batch.schema.names)
        head = False
        writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        yield text.getvalue().encode(errors="replace")


class _Pieces(RawIOBase):
    """What a writer has written since it was taken last; positions go on."""

    def __init__(self) -> None:
        self._parts, self._place = list[bytes](), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, part: Any) -> int:  # noqa: ANN401 (any buffer)
        self._parts.append(bytes(part))
        self._place += len(self._parts[-1])
        return len(self._parts[-1])

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def _parquet(batches: Rows) -> Iterator[bytes]:
    sink, writer = _Pieces(), None
    for batch in batches:
        writer = writer or pq.ParquetWriter(sink, batch.schema)
        writer.write_batch(batch)
        yield sink.take()
    if writer is not None:
        writer.close()
    yield sink.take()


def _xlsx(batches: Rows) -> bytes:
    try:
        import xlsxwriter  # noqa: PLC0415 (of the extra web)
    except ImportError:
        raise BadFile(
            "xlsx", rule="needs the package XlsxWriter", value="no xlsxwriter",
            next_step=hint("web"),
        ) from None  # fmt: skip
    rows, sink = 0, BytesIO()
    with FILLING:
        book = xlsxwriter.Workbook(sink, {"constant_memory": True, "strings_to_formulas": False,
                                          "strings_to_urls": False})  # fmt: skip
        sheet = book.add_worksheet("table")
        for batch in batches:
            if not rows:
                sheet.write_row(0, 0, batch.schema.names)
            if rows + batch.num_rows > MOST_SHEET_ROWS:
                raise InvalidParameter(
                    "xlsx",
                    rule=f"must have at most {MOST_SHEET_ROWS:,} rows",
                    value="more",
                    next_step="Narrow the rows, or take CSV or Parquet.",
                )
            columns = [column.to_pylist() for column in batch.columns]
            for line in zip(*columns, strict=True):
                rows += 1
                sheet.write_row(rows, 0, line)
        book.close()
    return sink.getvalue()


FORMS: dict[str, tuple[Callable[[Rows], bytes | Iterator[bytes]], str]] = {
    "csv": (_csv, CSV),
    "parquet": (_parquet, "application/vnd.apache.parquet"),
    "xlsx": (_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}


def chart_of_rows(bundle: Bundle, table: CertifiedTable, selection: RowSelection) -> str:
    """The rows of a page as bars with their margins."""
    page = select(bundle, table.name, selection)
    items = [
        ChartBar(
            " · ".join(cut(code.label or code.code) for code in row.codes), row.value, row.ends
        )
        for row in page.rows
        if row.value is not None
    ]
    title = f"{table.heading}, {bundle.certificate.period}"
    picked = picked_by(bundle, table, selection.sort, page)
    words = f"{caption(bundle, table)} {picked}".rstrip()
    return picture(bars(items, title=title, unit=table.unit), words)


def caption(bundle: Bundle, table: CertifiedTable) -> str:
    """What a picture says of its numbers wherever it is shown."""
    margins = table.margins.coverage
    words = "" if margins is None else (
        f" The lines across are margins, each of which holds in {cases(Fraction(margins))}."
    )  # fmt: skip
    return f"Every value carries noise.{words} Release {bundle.certificate.name}."
