"""Employees: one table in which each row is a worker with one job, such as an earnings survey.

Two things are missing of three tables. Workers get row numbers as ids, also where the rows have
ids of persons: a row that gave a person's attributes would change what other rows count as. The
list of workplaces is public and comes from elsewhere: one that was made from the rows would show
that an establishment has its first employee.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from leeward.core.codebook.resources import Resources
from leeward.core.errors import BadData, BadFile, shown
from leeward.interface.commands.keys import EMPLOYERS, WORKER_IDS, WORKPLACE_IDS, named
from leeward.interface.commands.meaning import is_pay, is_weight, meaning_of, quoted
from leeward.interface.commands.new_files import CONFIDENTIAL
from leeward.publishing.engines.database import Scratch, ibis
from leeward.publishing.engines.driver_errors import frankly, hiding_errors, hiding_errors_in
from leeward.publishing.engines.opening import open_database
from leeward.publishing.engines.private_file import private_folder, write_private

EMPLOYEES, WORKER = "workers", "worker_id"
FILES = {name: f"{CONFIDENTIAL}/{name}.parquet" for name in ("workers", "jobs")}
"""The numbered rows as two tables, in the folder of a draft."""

LIST = "workplaces.csv"
"""The public list that the office provides, in the folder of a draft."""

OPTION = "--workers"


def require_file(source: str) -> None:
    """Reject a table of a database: its rows could not be numbered in place."""
    if "://" in source or source.startswith("#"):
        raise BadFile(
            OPTION,
            rule="must be a file where no --jobs are given: its rows are numbered in a file",
            value=f"{shown(source.partition('://')[0])} before ://",
            next_step="Write the table as Parquet.",
        )


@dataclass(frozen=True)
class Employees:
    """A table of employees by its headers, and those of the public list if that is there."""

    source: str
    columns: Mapping[str, str] = field(hash=False)
    listed: Mapping[str, str] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if not self._workplaces:
            usual = f"{', '.join(WORKPLACE_IDS.split()[:4])}, {', '.join(EMPLOYERS.split()[:2])}"
            raise BadData(
                OPTION,
                rule="must have a column of establishments or employers where no --jobs are given",
                value=f"none with a usual name ({usual} …) among {len(self.columns)}",
                next_step="Rename that column to workplace_id, or give --workplaces and --jobs.",
            )

    @property
    def _workplaces(self) -> list[str]:
        return [*named(self.columns, WORKPLACE_IDS), *named(self.columns, EMPLOYERS)]

    @property
    def workplace(self) -> str:
        """The column that identifies the workplace of a row."""
        return self._workplaces[0]

    @property
    def persons(self) -> tuple[str, ...]:
        """The columns that identify persons: they are left out."""
        return tuple(named(self.columns, WORKER_IDS))

    @property
    def frame(self) -> Mapping[str, str]:
        """The columns of the public list; one that is not there yet has what is usually public."""
        if self.listed is not None:
            return self.listed
        known = [(name, meaning_of("workplaces", name)) for name in self.columns]
        public = [name for name, meaning in known if meaning is not None and meaning.public]
        return dict.fromkeys([self.workplace, *public], "string")

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        """The three tables that a plan reads, pay in the table of jobs."""
        columns = {name: kind for name, kind in self.columns.items() if name not in self.persons}
        pay = {name for name in columns if is_pay(name) and not is_weight(name)}
        of_jobs, of_workers = {self.workplace, *pay}, {*columns} - {*self.frame} - pay
        number = {WORKER: "int64"}
        return {
            "workplaces": self.frame,
            "workers": number | {name: columns[name] for name in columns if name in of_workers},
            "jobs": number | {name: columns[name] for name in columns if name in of_jobs},
        }

    @property
    def opening(self) -> Iterator[str]:
        """What a reader of the plan must know of tables that are one."""
        yield "Each row of the one table is a worker with one job: the guarantee is for a row."
        if self.persons:
            yield f"{quoted(self.persons[0])} is left out. A person with m rows counts as m"
            yield "workers: for that person epsilon is multiplied by m."
        if self.listed is None:
            yield f"Provide {LIST} beside the plan: the public list of all establishments, also of"
            yield "those without an employee here. Take it from a public register, never from this"
            yield "table: its rows would then show which establishments have employees."
            yield f"Its columns: {', '.join(map(quoted, self.frame))}."

    def number_rows(self, folder: Path, resources: Resources) -> None:
        """Write the rows with their numbers into a new private folder: both tables or nothing."""
        table, sources = EMPLOYEES, {EMPLOYEES: self.source}
        with (
            private_folder(folder, CONFIDENTIAL),
            frankly(),
            closing(open_database(sources, Path(), resources, tables=(table,))) as base,
        ):
            rows = base.tables({table: tuple(self.columns)})[table].select(*self.columns)
            number = ibis.row_number().over(order_by=[rows[name] for name in rows.columns])
            others = {name: rows[name] for name in rows.columns if name not in self.persons}
            numbered = rows.select(**{WORKER: number.cast("int64")}, **others)
            kept = hiding_errors(lambda: Scratch(base, table).keep(numbered), OPTION)
            for name, file in FILES.items():
                columns = kept.select(*self.headers[name])
                pieces = hiding_errors_in(base.stream(columns.order_by(WORKER)), OPTION)
                write_private(folder / file, pieces, columns.schema().to_pyarrow())
