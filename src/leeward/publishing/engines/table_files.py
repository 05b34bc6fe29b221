"""Table files: three tables that are files, or frames in this process, read by DuckDB."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq

from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadFile, LeewardError, Undisclosed, shown
from leeward.publishing.engines.address import (
    ENDINGS,
    FileAddress,
    FrameAddress,
    format_of,
    parameter_of,
    split_sheet,
)
from leeward.publishing.engines.csv_file import (
    LONGEST_ROW,
    READABLE,
    CsvHeader,
    find_fault,
    read_header,
    require_whole,
)
from leeward.publishing.engines.database import Table, closed_on_refusal, row_count
from leeward.publishing.engines.digest import FileDigest, FileState, digest_rows, state
from leeward.publishing.engines.driver_errors import disclosed, hiding_errors
from leeward.publishing.engines.duckdb import Embedded
from leeward.publishing.engines.foreign_files import readable, with_rows_only
from leeward.publishing.engines.headers import require_names
from leeward.publishing.engines.loose_values import arrow_stream


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
                address.table: hiding_errors(
                    partial(self._open, address), address.parameter, address.rule
                )
                for address in addresses
            }

    def _open(self, address: FileAddress | FrameAddress) -> Table:
        if isinstance(address, FrameAddress):
            stream = arrow_stream(address.frame, address.parameter)
            require_names(stream.schema.names, address.parameter)
            connection, name = self._backend.con, f"frame_{address.table}"
            connection.register("leeward_stream", stream)
            try:
                connection.execute(f"CREATE TABLE {name} AS FROM leeward_stream")
            finally:
                connection.unregister("leeward_stream")
            return self._backend.table(name)
        before = state(address.path)
        header = address.table in self._unread
        here = readable(address, self._spill.path, self._reading, header=header)
        self._here[address.table] = here
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

    def tables(self, columns: Mapping[str, tuple[str, ...]] | None = None) -> Mapping[str, Table]:
        """A Parquet file or frame as it is; a CSV file loaded, so that it is parsed once."""
        if columns is None:
            return self._opened
        tables = {}
        for table in (address.table for address in self._addresses):
            file, loaded, wanted = self._here.get(table), self._loaded.get(table), columns[table]
            if file is None or file.format == "parquet" or not wanted:
                tables[table] = self._opened[table]
                continue
            if loaded is None or not set(wanted) <= set(loaded.columns):
                require_whole(file.path, file.parameter)
                if loaded is not None:
                    self.drop(f"rows_{table}")
                self._loaded[table] = self._load(file, wanted)
            tables[table] = self._loaded[table]
        return tables

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
        (given,) = self._paths(file.table)
        self._mended.add(file.table)
        self._converted.setdefault(given, state(given))
        header = self._headers[file.table]
        self._here[file.table] = with_rows_only(file, self._spill.path, header, quotes=True)
        self._opened[file.table] = self._csv(self._here[file.table])

    def digest(self) -> str:
        frames = [place.table for place in self._addresses if isinstance(place, FrameAddress)]
        begun, self._begun = self._begun or FileDigest(self._paths()), None
        self._states = begun.states
        self._digested = True
        files = begun.result()
        sheets = [file.sheet for file in self._here.values()]
        if any(sheets):
            files = sha256(f"{files} {sheets}".encode()).hexdigest()
        if not frames:
            return files
        rows = digest_rows(self, {name: self._opened[name] for name in frames})
        return sha256(f"{files} {rows}".encode()).hexdigest()

    def _paths(self, *tables: str) -> list[Path]:
        """The files as they were given: of these tables, or of all."""
        files = (place for place in self._addresses if isinstance(place, FileAddress))
        return [file.path for file in files if file.table in tables or not tables]

    def _stop(self) -> None:
        if self._begun is not None:
            self._begun.stop()

    def close(self) -> None:
        self._stop()
        super().close()

    def unchanged(self) -> bool:
        """Whether files are as they were when they were hashed and, if so, when converted."""
        states = (*self._states.items(), *self._converted.items())
        return self._digested and all(state(path) == before for path, before in states)


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
    addresses = []
    for table, path in paths.items():
        file, sheet = split_sheet(str(path))
        kind = format_of(file)
        if kind is None or not Path(file).is_file():
            raise BadFile(
                called[table],
                rule=f"must be a file whose name ends in {ENDINGS}",
                value=shown(path.name),
                next_step="Give the path of such a file.",
            )
        addresses.append(FileAddress(table, Path(file), kind, sheet))
    try:
        files = Files(tuple(addresses), Resources(), hashed=True)
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


def _refusal_of(read: Callable[[], object], file: FileAddress) -> LeewardError | None:
    """Why lines of a CSV file cannot be read, if they cannot; every other error is raised."""
    try:
        hiding_errors(read, file.parameter, READABLE)
        return None
    except LeewardError as error:
        refusal = error
    if disclosed(refusal).rule != READABLE:
        raise refusal
    return refusal


def _literal(path: Path) -> str:
    """A path in which no character is a wildcard."""
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path.absolute()))
