"""Tidying: from the tables as they are to the rows that count, by rules that never refuse.

Whether a release succeeds must not depend on rows of workers and jobs, so every row falls under a
rule of `model.ROW_RULES`, in this order: rows without an id are left out; one row of each worker
is kept; rows of jobs that agree in everything that is read become one; jobs that point nowhere
are left out; then comes the jobs rule of the plan. No rule looks at the order of rows.

Where one row of several is kept, ids and codes are ordered as texts, byte by byte, whatever types
their columns have: the same rows in another file, or in another database, keep the same jobs.

A rule that touches no row of the data changes nothing and takes time: with the `steps` that a check
found to be needed, only these are taken.
"""

from collections.abc import Iterable, Mapping

from leeward.core.codebook import BoundedJobs, Codebook, JobsRule, PrimaryJob, Steps
from leeward.publishing.engines.database import Column, Scratch, SqlDatabase, Table, can, ibis
from leeward.publishing.engines.recoding import (
    listed_code,
    may_be_fractions,
    number,
    ordered_text,
    same_id,
    whole_number,
    with_nulls,
    without_texts,
)

JAVA_NUMBERS = "[0-9.][dDfF]|[xX]"
"""Texts such as 5d and 0x1p3, which only Java takes for numbers, and so does Spark."""


def needed_columns(codebook: Codebook, rule: JobsRule) -> Mapping[str, tuple[str, ...]]:
    """The columns of each table that are ever read."""
    chosen: dict[str, dict[str, None]] = {"workplaces": {}, "workers": {}, "jobs": {}}
    for table, column in codebook.columns():
        chosen[table][column] = None
    if isinstance(rule, PrimaryJob):
        chosen["jobs"][rule.column] = None
    return {table: tuple(columns) for table, columns in chosen.items()}


def readable_tables(database: SqlDatabase, codebook: Codebook, rule: JobsRule) -> dict[str, Table]:
    """The three tables: texts that mean missing are nulls, and ids as floats whole numbers."""
    tables = dict(database.tables(needed_columns(codebook, rule)))
    keys = codebook.keys
    for name, ids in (
        ("workplaces", (keys.workplaces.id,)),
        ("workers", (keys.workers.id,)),
        ("jobs", (keys.jobs.worker, keys.jobs.workplace)),
    ):
        table = tables[name] = with_nulls(tables[name], codebook.nulls_of(name))
        floats = {column for column in ids if may_be_fractions(table[column])}
        if floats:
            whole = {column: whole_number(table[column]) for column in floats}
            tables[name] = table.mutate(**whole)
    return tables


def tidied(
    scratch: Scratch,
    tables: Mapping[str, Table],
    codebook: Codebook,
    rule: JobsRule,
    steps: Steps,
    *,
    limited: bool = True,
) -> dict[str, Table]:
    """The rows that count; a table that some step changes is computed once.

    Without `limited` further jobs of a worker count too, whatever the rule is.
    """
    columns, keys = needed_columns(codebook, rule), codebook.keys
    workers, jobs = tables["workers"], tables["jobs"]
    if "missing_id" in steps:
        workers = workers.filter(workers[keys.workers.id].notnull())
        jobs = jobs.filter(jobs[keys.jobs.worker].notnull(), jobs[keys.jobs.workplace].notnull())
    if "worker_rows" in steps:
        order = _order(workers, "workers", columns["workers"], codebook)
        workers = _first(workers, (keys.workers.id,), order, 1)
    if workers is not tables["workers"]:
        workers = scratch.keep(workers.select(*columns["workers"]))
    if "repeated_job" in steps:
        jobs = jobs.select(*columns["jobs"]).distinct()
    if "lost_job" in steps:
        jobs = _found(jobs, keys.jobs.worker, workers, keys.workers.id)
        jobs = _found(jobs, keys.jobs.workplace, tables["workplaces"], keys.workplaces.id)
    jobs = counted(jobs, codebook, rule) if limited else jobs
    if jobs is not tables["jobs"]:
        jobs = scratch.keep(jobs.select(*columns["jobs"]))
    return {"workplaces": tables["workplaces"], "workers": workers, "jobs": jobs}


def _found(jobs: Table, column: str, table: Table, key: str) -> Table:
    """The jobs whose id is in another table."""
    ids = table.select(found=key)
    return jobs.semi_join(ids, same_id(jobs[column], ids["found"]))


def counted(jobs: Table, codebook: Codebook, rule: JobsRule) -> Table:
    """What is left of the jobs under the rule for workers with several."""
    keys = codebook.keys.jobs
    others = (column for table, column in codebook.columns() if table == "jobs")
    within = (keys.workplace, *(column for column in others if column != keys.worker))
    order = _order(jobs, "jobs", within, codebook)
    if isinstance(rule, PrimaryJob):
        column = jobs[rule.column]
        # A null, so that no database takes what is no number for the largest one.
        rank = ibis.desc(ibis.cases((~is_unranked(column), rank_value(column))), nulls_first=False)
        return _first(jobs, (keys.worker,), [rank, *order], 1)
    if isinstance(rule, BoundedJobs) and rule.per is not None:
        # The limit is one of codes, not of texts: a list may turn several texts into one code.
        coded = _named(jobs, "code")
        numbered = jobs.mutate(**{coded: listed_code(jobs, codebook.attributes[rule.per])})
        known = numbered.filter(numbered[coded].notnull())
        order = _order(known, "jobs", within, codebook)
        return _first(known, (keys.worker, coded), order, rule.most).drop(coded)
    if isinstance(rule, BoundedJobs):
        return _first(jobs, (keys.worker,), order, rule.most)
    return jobs


def _order(table: Table, name: str, columns: Iterable[str], codebook: Codebook) -> list[Column]:
    """An order in which only rows tie that count alike by all these columns; nulls come last.

    Ids and codes are ordered by their texts; numeric columns by the number that is read, then by
    the value as it is stored.
    """
    numeric = {source.column for source in codebook.numeric if source.table == name}
    here = [source for source in codebook.attributes.values() if source.table == name]
    listed = {source.column for source in here if source.numbers is None}
    keys: list[Column] = []
    for column in dict.fromkeys(columns):
        if column in numeric:
            keys += [number(table[column]), table[column]]
        if column not in numeric or column in listed:
            keys.append(ordered_text(table[column]))
    return [ibis.asc(key, nulls_first=False) for key in keys]


def _first(table: Table, group: Iterable[str], order: list[Column], most: int) -> Table:
    """The first rows of each group."""
    turn = _named(table, "turn")
    groups = [table[column] for column in group]
    number_of = ibis.row_number().over(group_by=groups, order_by=order)
    numbered = table.mutate(**{turn: number_of})
    return numbered.filter(numbered[turn] < most).drop(turn)


def _named(table: Table, wanted: str) -> str:
    """A name that no column of the table has."""
    taken = {name.lower() for name in table.columns}
    names = (f"{wanted}_{number}" for number in range(len(taken) + 1))
    return next(name for name in names if name not in taken)


def rank_value(column: Column) -> Column:
    """What jobs are ranked by; a column of a CSV file is text and read as numbers."""
    if not column.type().is_string():
        return without_texts(column) if column.type().is_numeric() else column
    read = column.try_cast("float64")
    if column.get_backend().name != "pyspark":
        return read
    return ibis.cases((~column.re_search(JAVA_NUMBERS), read))


def is_unranked(column: Column) -> Column:
    """Whether a job has no value, or no number, to be ranked by."""
    value = rank_value(column)
    if value.type().is_floating() and can(column, "IsNan"):
        return value.isnull() | value.isnan()
    return value.isnull()
