"""Keys: which columns identify workplaces, workers and jobs, and how sure their names make that."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from leeward.interface.commands.meaning import meaning_of, plain, unfit

Headers = Mapping[str, Mapping[str, str]]
"""The types of columns by table and name."""

WORKPLACE_IDS = (
    "workplace_id estab_id establishment_id estab establishment workplace site_id plant_id "
    "primary_key seinunit sein unit_id idunit betriebsnr betrieb_id betriebsnummer siret arbst "
    "etablissement"
)
WORKER_IDS = (
    "worker_id person_id pid pik worker person personid employee_id employee idperson persnr "
    "personalnummer nir individual_id"
)
EMPLOYERS = "employer_id employer firm firm_id firmid ein enterprise enterprise_id company_id siren"
"""Usual names of keys, the likeliest first."""

BY_NAME = "by its name"


@dataclass(frozen=True)
class Key:
    """A column that is taken for a key: its table, its role there, and why."""

    table: str
    role: str
    column: str
    why: str = BY_NAME
    sure: bool = True

    @property
    def place(self) -> str:
        """Where a codebook names it, such as workers.id."""
        return f"{self.table}.{self.role}"

    @property
    def reason(self) -> str:
        """Why it was taken, and whether that is sure."""
        return self.why if self.sure else f"not sure: {self.why}"


@dataclass(frozen=True)
class KeyColumns:
    """The keys of three tables, by their headers only."""

    headers: Headers = field(hash=False)

    def __iter__(self) -> Iterator[Key]:
        yield self.workplace
        if self.employer is not None:
            yield self.employer
        yield from (self.worker, self.job_worker, self.job_workplace)

    @cached_property
    def workplace(self) -> Key:
        """The column that identifies workplaces."""
        return self._identifier("workplaces", WORKPLACE_IDS)

    @cached_property
    def worker(self) -> Key:
        """The column that identifies workers."""
        return self._identifier("workers", WORKER_IDS)

    @cached_property
    def employer(self) -> Key | None:
        """The column of employers, if there is one with a usual name."""
        employers = named(self.headers["workplaces"], EMPLOYERS)
        others = [column for column in employers if column != self.workplace.column]
        return Key("workplaces", "employer", others[0]) if others else None

    @cached_property
    def job_worker(self) -> Key:
        """The worker of a job."""
        return self._of_jobs("worker", self.worker, WORKER_IDS)

    @cached_property
    def job_workplace(self) -> Key:
        """The workplace of a job."""
        return self._of_jobs("workplace", self.workplace, WORKPLACE_IDS)

    def _identifier(self, table: str, usual: str) -> Key:
        """A usual name if jobs have one too; else a column that they share; else a usual name."""
        columns, jobs = self.headers[table], self.headers["jobs"]
        known = named(columns, usual)
        in_both = [column for column in known if column in jobs]
        if in_both[1:]:
            why = f"or {', '.join(in_both[1:])}: jobs have all of these"
            return Key(table, "id", in_both[0], why, sure=False)
        if in_both or (known and named(jobs, usual)):
            return Key(table, "id", (in_both or known)[0])
        shared = [] if named(jobs, usual) else [
            name for name in columns if name in jobs and _may_identify(table, name, columns[name])
        ]  # fmt: skip
        if len(shared) == 1:
            return Key(table, "id", shared[0], "jobs have a column of this name too", sure=False)
        if shared and not known:
            why = f"the first of {len(shared)} columns that jobs have too"
            return Key(table, "id", shared[0], why, sure=False)
        if known:
            return Key(table, "id", known[0])
        why = f"the first column; usual names are {', '.join(usual.split()[:3])} …"
        return Key(table, "id", next(iter(columns)), why, sure=False)

    def _of_jobs(self, role: str, key: Key, usual: str) -> Key:
        """How jobs call a key: as its own table does, or by a usual name."""
        jobs, known = self.headers["jobs"], named(self.headers["jobs"], usual)
        if key.column in jobs and (not known or key.column in known):
            return Key("jobs", role, key.column, key.why, key.sure)
        if known:
            return Key("jobs", role, known[0])
        why = f"jobs have no column of this name; name the column that has {key.place}"
        return Key("jobs", role, key.column, why, sure=False)


def named(columns: Mapping[str, str], usual: str) -> list[str]:
    """The columns with a usual name, the likeliest name first."""
    order = usual.split()
    return sorted(
        (name for name in columns if plain(name) in order), key=lambda c: order.index(plain(c))
    )


def is_id(name: str) -> bool:
    """Whether a column identifies workplaces, workers or something else, by its name."""
    return plain(name) in {"id", *WORKPLACE_IDS.split(), *WORKER_IDS.split()}


def _may_identify(table: str, name: str, kind: str) -> bool:
    """Whether a column may be an id: it has no other meaning, and a type that holds ids."""
    fraction = "float" in kind or "decimal" in kind  # ids that a program kept as 2912346.0
    return meaning_of(table, name) is None and (fraction or unfit(name, kind) is None)
