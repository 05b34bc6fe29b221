"""Draft: a first codebook and plan from the headers of three tables."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from leeward.economy.classifications import OWNERSHIP, SECTORS, WORKER_CODES

Headers = Mapping[str, Mapping[str, str]]

STANDARD: Mapping[str, Mapping[str, str]] = {
    **WORKER_CODES,
    "sector": {one.code: one.label for one in SECTORS},
    "ownership": OWNERSHIP,
}
"""Code lists of the LEHD public-use schema and of NAICS, for columns that are named so."""

USUALLY_PUBLIC = (
    *("place", "county", "cnty", "state", "region", "geography", "block", "tract", "municipality"),
    *("sector", "industry", "naics", "nace", "ownership", "own"),
)
DIGITS = "_0123456789"
READ = "read from the data: somebody must confirm that these values are public"
NOT_CODES = ("float", "decimal", "date", "time", "array", "struct", "map", "binary", "json")


@dataclass(frozen=True)
class Column:
    """A column that may become an attribute."""

    table: str
    name: str
    public: bool

    @property
    def has_standard(self) -> bool:
        """Whether its codes are known without asking."""
        return self.name in STANDARD

    @property
    def list_file(self) -> str:
        """Where its own list is to be written."""
        return f"codes/{self.name}.csv"


@dataclass(frozen=True)
class Draft:
    """What can be said from headers alone."""

    headers: Headers

    @property
    def workplace_id(self) -> str:
        """The column that identifies workplaces."""
        return self._key("workplaces", "workplace_id")

    @property
    def worker_id(self) -> str:
        """The column that identifies workers."""
        return self._key("workers", "worker_id")

    def _key(self, table: str, usual: str) -> str:
        """The usual name; else a column that the jobs have too; else the first one."""
        columns = list(self.headers[table])
        shared = [one for one in columns if one in self.headers["jobs"]]
        return usual if usual in columns else (shared or columns)[0]

    @property
    def employer(self) -> str | None:
        """The column of employers, if there is one with the usual name."""
        return "employer_id" if "employer_id" in self.headers["workplaces"] else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns of workplaces and workers that can hold codes."""
        keys = {self.workplace_id, self.worker_id, self.employer}
        return tuple(
            Column(table, name, table == "workplaces" and name.rstrip(DIGITS) in USUALLY_PUBLIC)
            for table in ("workplaces", "workers")
            for name, kind in self.headers[table].items()
            if name not in keys and not any(word in kind.lower() for word in NOT_CODES)
        )

    @property
    def to_fill(self) -> tuple[Column, ...]:
        """Columns whose code lists somebody has to write."""
        return tuple(one for one in self.columns if not one.has_standard)


def codebook_lines(draft: Draft, listed: Collection[str] = ()) -> Iterator[str]:
    """The codebook, with a comment wherever a decision is needed.

    `listed` are the files of lists that were read from the data.
    """
    yield "# What the columns mean. Every code that may be tabulated stands in a closed list."
    yield "tables:"
    employer = "" if draft.employer is None else f", employer: {draft.employer}"
    yield f"  workplaces: {{id: {draft.workplace_id}{employer}}}"
    yield f"  workers: {{id: {draft.worker_id}}}"
    yield f"  jobs: {{worker: {draft.worker_id}, workplace: {draft.workplace_id}}}"
    yield "attributes:"
    for one in draft.columns:
        yield f"  {one.name}:"
        yield f"    table: {one.table}"
        if one.table == "workplaces":
            yield f"    public: {str(one.public).lower()}  # true only if everyone may know it"
        yield from _codes(one, listed)


def _codes(column: Column, listed: Collection[str]) -> Iterator[str]:
    if not column.has_standard:
        read = column.list_file in listed
        decide = READ if read else "fill the list (header code,label), or delete the attribute"
        yield f"    codes: {column.list_file}  # {decide}"
        return
    yield "    codes:"
    for code, label in STANDARD[column.name].items():
        yield f'      "{code}": "{label}"'


def plan_lines(draft: Draft, sources: Mapping[str, str]) -> Iterator[str]:
    """The plan, with tables that the headers suggest."""
    public = [one.name for one in draft.columns if one.public][:3]
    workers = [one.name for one in draft.columns if one.table == "workers"][:2]
    yield "data:"
    yield from (f'  {name}: "{source}"' for name, source in sources.items())
    yield "codebook: codebook.yaml"
    yield "account: my-account  # opened once with `leeward ledger create`"
    yield "period: 2026Q1"
    yield "protect: {policy: strong, alpha: 0.1, epsilon: 4}"
    yield "tables:"
    share = "1/2" if workers else "1"
    yield f"  - {{name: by_workplace, by: [{', '.join(public)}], share: {share}}}"
    if workers:
        yield f"  - {{name: by_worker, by: [{', '.join([*public[:1], *workers])}], share: 1/2}}"
