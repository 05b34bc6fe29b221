"""DuckDB inside this process, over files, frames or a DuckDB file."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadFile, LeewardError, Undisclosed, shown
from leeward.publishing.engines.address import (
    ENDINGS,
    FileAddress,
    Format,
    FrameAddress,
    TableAddress,
    format_of,
    parameter_of,
    split_sheet,
)
from leeward.publishing.engines.conversion import readable, with_rows_only
from leeward.publishing.engines.csv_file import (
    READABLE,
    CsvHeader,
    find_fault,
    read_header,
    require_whole,
)
from leeward.publishing.engines.csv_lines import LONGEST_ROW
from leeward.publishing.engines.database import (
    Table,
    bytewise,
    closed_on_refusal,
    ibis,
    open_tables,
    quoted,
    row_count,
    small_result,
)
from leeward.publishing.engines.digest import FileDigest, FileState, digest_rows, state
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.loose_values import text_array
from leeward.publishing.engines.spill import SpillFolder, no_room

PIECE = 200_000
"""Rows in a piece of a stream."""

ATTACHED = "source"
"""The name under which a DuckDB file is attached."""

QUIET = "SET enable_progress_bar = false"
"""The bar would be mixed into what a command prints, which may be JSON."""

AS_WRITTEN = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
"""Joins hash their right side, here code lists: otherwise DuckDB may hash all rows of a file."""

OBJECTS = "object"
"""The type of columns of pandas whose values have a type each."""

KINDS: Mapping[Format, str] = {
    "parquet": "a Parquet file",
    "csv": "a CSV file",
    "sheet": "a workbook of Excel",
    "sas": "a data set of SAS",
    "xport": "a transport file of SAS",
    "stata": "a file of Stata",
    "spss": "a file of SPSS",
}

DECLARED = "SELECT sql FROM duckdb_tables() WHERE database_name = ? AND table_name = ?"


class Embedded:
    """An in-memory database that spills into a private folder, removed when it is closed.

    Derived tables are ordinary tables of the in-memory database, not temporary ones: a temporary
    table is visible to one cursor only, and every open stream needs its own.
    """

    def __init__(self, resources: Resources) -> None:
        self._spill = SpillFolder(resources.spill)
        limit = {} if resources.memory is None else {"memory_limit": f"{resources.memory}B"}
        self._backend = ibis.duckdb.connect(
            ":memory:",
            temp_directory=str(self._spill.path / "rows"),
            preserve_insertion_order=False,
            autoinstall_known_extensions=False,
            autoload_known_extensions=False,
            **limit,
        )
        self._backend.con.execute(QUIET)

    def keep(self, name: str, content: Table | pa.Table) -> Table:
        if isinstance(content, pa.Table):
            return self._keep_rows(name, content)
        self._backend.con.execute(f'CREATE TABLE "{name}" AS {self._backend.compile(content)}')
        return self._backend.table(name)

    def _keep_rows(self, name: str, rows: pa.Table) -> Table:
        """By way of a file: handing rows over in memory would load all of PyArrow's datasets."""
        path = self._spill.path / f"{name}.parquet"
        try:
            pq.write_table(rows, path, compression="zstd")
        except OSError:
            raise no_room(path.parent) from None
        self._backend.con.execute(f'CREATE TABLE "{name}" AS FROM read_parquet(?)', [str(path)])
        path.unlink()
        return self._backend.table(name)

    def hide(self, name: str, content: Table) -> Table:
        """Keep a query as a compressed file of the spill folder, so that no memory holds its rows.

        It goes with the folder.
        """
        path = str(self._spill.path / f"{name}.parquet").replace("'", "''")
        connection = self._backend.con
        connection.execute(AS_WRITTEN)
        connection.execute(f"COPY ({self._backend.compile(content)}) TO '{path}' (FORMAT parquet)")
        connection.execute(f"CREATE VIEW \"{name}\" AS FROM read_parquet('{path}')")
        connection.execute("RESET disabled_optimizers")
        return self._backend.table(name)

    def counted(self, name: str, columns: Sequence[str]) -> Mapping[str, NDArray[Any]]:
        """Different values of these columns, masked where null, and `rows`, how many have them."""
        listed = "".join(f"{quoted(one)}, " for one in columns)
        query = f'SELECT {listed}count(*) AS "rows" FROM {quoted(name)} GROUP BY ALL'  # noqa: S608
        found: dict[str, NDArray[Any]] = self._backend.con.execute(query).fetchnumpy()
        return found

    def drop(self, name: str) -> None:
        self._backend.drop_table(name)

    def rows(self, query: Table) -> list[dict[str, Any]]:
        return small_result(self._backend, query)

    def stream(self, query: Table) -> Iterator[pa.RecordBatch]:
        cursor = self._backend.con.cursor()
        cursor.execute(QUIET)  # each has settings of its own
        try:
            yield from cursor.execute(self._backend.compile(query)).fetch_record_batch(PIECE)
        finally:
            cursor.close()

    def close(self) -> None:
        self._backend.disconnect()
        self._spill.remove()


class Files(Embedded):
    """Three tables, each a file or a frame in this process.

    A frame is copied when it is opened: what its owner does to it afterwards is not seen. A file
    that DuckDB does not read is converted then; its digest is that of the file as it was given, and
    of a workbook also the name of the sheet, told or not.
    With `hashed` the digest of the files is begun before anything else, since it will be asked for.
    Of the tables `headers` nothing but names and types of columns will be.
    """

    def __init__(
        self,
        addresses: tuple[FileAddress | FrameAddress, ...],
        resources: Resources,
        *,
        hashed: bool = False,
        headers: Collection[str] = (),
    ) -> None:
        self._addresses = addresses
        self._unread = frozenset(headers)
        self._reading = resources
        self._begun = FileDigest(self._paths()) if hashed else None
        with closed_on_refusal(self._stop):
            super().__init__(resources)
        self._states: dict[Path, FileState | None] = {}
        self._converted: dict[Path, FileState | None] = {}
        self._digested = False
        self._here: dict[str, FileAddress] = {}
        self._mended: set[str] = set()
        self._headers: dict[str, CsvHeader] = {}
        self._loaded: dict[str, Table] = {}
        with closed_on_refusal(self.close):
            self._opened = {
                one.table: hiding_errors(partial(self._open, one), one.parameter, _rule(one))
                for one in addresses
            }

    def _open(self, address: FileAddress | FrameAddress) -> Table:
        if isinstance(address, FrameAddress):
            return self._copied(address)
        before = state(address.path)
        here = self._here[address.table] = readable(
            address,
            self._spill.path,
            self._reading,
            header=address.table in self._unread,
        )
        if here is not address:
            self._converted.setdefault(address.path, before)  # sheets may share a file
        if here.format == "parquet":
            require_names(pq.read_schema(here.path).names, address.parameter)
            # A folder called sex=F is a folder: no column is made of it.
            return self._backend.read_parquet(
                _literal(here.path), table_name=f"file_{address.table}", hive_partitioning=False
            )
        quotes = self._reading.quotes is None
        self._headers[address.table] = read_header(here.path, address.parameter, quotes=quotes)
        return self._csv(here)

    def _csv(self, here: FileAddress) -> Table:
        """A CSV file in text. Nothing is guessed: a guess would follow from rows."""
        header = self._headers[here.table]
        quote = '"' if self._reading.quotes is None else ""
        return self._backend.read_csv(
            _literal(here.path),
            table_name=f"file_{here.table}",
            columns=dict.fromkeys(header.columns, "VARCHAR"),  # 01 keeps its zero
            delim=header.mark,
            quote=quote,
            escape=quote,
            header=True,
            auto_detect=False,
            max_line_size=LONGEST_ROW,
            hive_partitioning=False,
        )

    def _copied(self, address: FrameAddress) -> Table:
        stream = arrow_stream(address.frame, address.parameter)
        require_names(stream.schema.names, address.parameter)
        connection, name = self._backend.con, f"frame_{address.table}"
        connection.register("leeward_stream", stream)
        try:
            connection.execute(f"CREATE TABLE {name} AS FROM leeward_stream")
        finally:
            connection.unregister("leeward_stream")
        return self._backend.table(name)

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        if columns is None:
            return self._opened
        return {one.table: self._readable(one, columns[one.table]) for one in self._addresses}

    def _readable(self, address: FileAddress | FrameAddress, columns: tuple[str, ...]) -> Table:
        """A Parquet file or frame as it is; a CSV file loaded, so that it is parsed once."""
        table = address.table
        here = self._here.get(table)
        if here is None or here.format == "parquet" or not columns:
            return self._opened[table]
        if table not in self._loaded or not set(columns) <= set(self._loaded[table].columns):
            require_whole(here.path, address.parameter)
            if table in self._loaded:
                self.drop(f"rows_{table}")
            self._loaded[table] = self._load(here, columns)
        return self._loaded[table]

    def _load(self, file: FileAddress, columns: tuple[str, ...]) -> Table:
        """The rows of a CSV file; if they cannot be read, the first line that is wrong."""
        name = f"rows_{file.table}"

        def kept() -> Table:
            return self.keep(name, self._opened[file.table].select(*columns))

        refusal = _refusal_of(kept, file)
        if refusal is not None and self._may_mend(file):
            self._mend(file)
            refusal = _refusal_of(kept, file)
        if refusal is not None:
            path = self._here[file.table].path
            raise find_fault(path, file.parameter, self._headers[file.table]) or refusal
        return self._backend.table(name)

    def require_rows(self, table: str, parameter: str) -> None:
        """See that a file is whole and each line a row, for one who reads it as a stream."""
        file = self._here.get(table)
        if file is None or file.format != "csv":
            return
        require_whole(file.path, parameter)
        lines = self._opened[table]
        if self._may_mend(file) and _refusal_of(lambda: row_count(self, lines), file) is not None:
            self._mend(file)

    def _may_mend(self, file: FileAddress) -> bool:
        """Once; the public frame is not mended, and without quotes every line is a row already."""
        public = file.table == "workplaces"
        return not public and file.table not in self._mended and self._reading.quotes is None

    def _mend(self, file: FileAddress) -> None:
        """Read a copy in which every line that is no row is one without values."""
        given = next(
            one.path
            for one in self._addresses
            if isinstance(one, FileAddress) and one.table == file.table
        )
        self._mended.add(file.table)
        self._converted.setdefault(given, state(given))
        header = self._headers[file.table]
        self._here[file.table] = with_rows_only(file, self._spill.path, header, quotes=True)
        self._opened[file.table] = self._csv(self._here[file.table])

    def digest(self) -> str:
        frames = [one.table for one in self._addresses if isinstance(one, FrameAddress)]
        begun, self._begun = self._begun or FileDigest(self._paths()), None
        self._states = begun.states
        self._digested = True
        files = begun.result()
        sheets = [one.sheet for one in self._here.values()]
        if any(sheets):
            files = sha256(f"{files} {sheets}".encode()).hexdigest()
        if not frames:
            return files
        rows = digest_rows(self, {name: self._opened[name] for name in frames})
        return sha256(f"{files} {rows}".encode()).hexdigest()

    def _paths(self) -> list[Path]:
        return [one.path for one in self._addresses if isinstance(one, FileAddress)]

    def _stop(self) -> None:
        if self._begun is not None:
            self._begun.stop()

    def close(self) -> None:
        self._stop()
        super().close()

    def unchanged(self) -> bool:
        """Whether files are as they were when they were hashed and, if so, when converted."""
        held = (*self._states.items(), *self._converted.items())
        return self._digested and all(state(path) == before for path, before in held)


def opened_file(path: Path, table: str) -> AbstractContextManager[Files]:
    """One file as a table of this name."""
    return opened_files({table: path}, "FILE")


@contextmanager
def opened_files(paths: Mapping[str, Path], parameter: str | None = None) -> Iterator[Files]:
    """Files as tables of these names, if their names and headers can be read.

    Refusals call a file by `parameter`, or else by the name of its table in capitals. Of rows that
    cannot be read they say that they cannot, and no more.
    """
    called = {table: parameter or parameter_of(table) for table in paths}
    addresses = tuple(_address(table, path, called[table]) for table, path in paths.items())
    try:
        files = Files(addresses, Resources(), hashed=True)
        try:
            yield files
        finally:
            files.close()
    except Undisclosed:
        raise BadFile(
            " and ".join(called.values()),
            rule="must be readable from the first row to the last",
            value="a file that is not (not shown)",
            next_step="Look at the file with its own tools.",
        ) from None


def _address(table: str, path: Path, parameter: str) -> FileAddress:
    file, sheet = split_sheet(str(path))
    kind = format_of(file)
    if kind is None or not Path(file).is_file():
        raise BadFile(
            parameter,
            rule=f"must be a file whose name ends in {ENDINGS}",
            value=shown(path.name),
            next_step="Give the path of such a file.",
        )
    return FileAddress(table, Path(file), kind, sheet)


class DuckFile(Embedded):
    """Three tables of one DuckDB file, which is attached and never written.

    An attached file is read as it was when it was opened, whatever others write meanwhile. So
    `unchanged` also compares the state of the file and of its write-ahead log.
    """

    def __init__(self, addresses: tuple[TableAddress, ...], resources: Resources) -> None:
        super().__init__(resources)
        self._paths = (Path(addresses[0].url), Path(f"{addresses[0].url}.wal"))
        self._before: tuple[object, ...] = ()
        with closed_on_refusal(self.close):
            url, rule = addresses[0].url, "must be a DuckDB file"
            hiding_errors(lambda: self._attach(url), "data", rule, public=True)
            self._opened = open_tables(addresses, self._table)

    def _attach(self, path: str) -> None:
        text = path.replace("'", "''")
        self._backend.raw_sql(f"ATTACH '{text}' AS {ATTACHED} (READ_ONLY)")

    def _table(self, name: tuple[str, ...]) -> Table:
        schema = name[0] if len(name) > 1 else "main"
        table = self._backend.table(name[-1], database=(ATTACHED, schema))
        return bytewise(table) if self._may_be_collated(name[-1]) else table

    def _may_be_collated(self, name: str) -> bool:
        """Whether a table was declared with a collation; for a view this is not known."""
        found = self._backend.con.execute(DECLARED, [ATTACHED, name]).fetchall()
        return not found or any("collate" in sql.lower() for (sql,) in found)

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        return self._opened

    def digest(self) -> str:
        self._before = self._now()
        return str(self._before[0])

    def unchanged(self) -> bool:
        return self._now() == self._before

    def _now(self) -> tuple[object, ...]:
        return digest_rows(self, self._opened), *map(state, self._paths)


def _refusal_of(read: Callable[[], object], file: FileAddress) -> LeewardError | None:
    """Why lines of a CSV file cannot be read, if they cannot; every other error is raised."""
    try:
        hiding_errors(read, file.parameter, READABLE)
        return None
    except LeewardError as error:
        refusal = error
    said = refusal.inside if isinstance(refusal, Undisclosed) else refusal
    if said is None or said.rule != READABLE:
        raise refusal
    return refusal


def _rule(address: FileAddress | FrameAddress) -> str:
    if isinstance(address, FrameAddress):
        return "must be a frame whose columns have one type each"
    return f"must be {KINDS[address.format]}"


def arrow_stream(frame: object, parameter: str) -> pa.RecordBatchReader:
    """The rows of a frame: by the Arrow C stream, or as Ibis gives them."""
    if hasattr(frame, "to_pyarrow_batches"):
        return frame.to_pyarrow_batches()
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(_with_texts(frame))
    raise BadFile(
        parameter,
        rule="must be a path, or a frame that streams Arrow (pandas, Polars, Arrow, DuckDB, Ibis)",
        value=f"a {type(frame).__name__}",
        next_step="Give a data frame of one of these libraries, or the path of a file.",
    )


def _with_texts(frame: Any) -> Any:  # noqa: ANN401 (of any library)
    """The same frame; columns of pandas whose values have a type each are texts, by value.

    PyArrow would look for the type of such a column in all its rows, and reject several.
    """
    if type(frame).__module__.partition(".")[0] != "pandas":
        return frame
    from pandas.arrays import ArrowExtensionArray  # type: ignore[import-untyped] # noqa: PLC0415 (whose frame it is)

    whole = frame.copy(deep=False)
    for place, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, place]
        if kind == OBJECTS or getattr(kind, "storage", "") == "python":
            whole.isetitem(place, ArrowExtensionArray(text_array(column)))
        elif getattr(getattr(kind, "categories", None), "dtype", None) == OBJECTS:
            codes = pa.array(column.cat.codes, pa.int64(), mask=(column.cat.codes < 0).to_numpy())
            texts = text_array(kind.categories).take(codes)
            whole.isetitem(place, ArrowExtensionArray(texts))
    return whole


def _literal(path: Path) -> str:
    """A path in which no character is a wildcard."""
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path.absolute()))
