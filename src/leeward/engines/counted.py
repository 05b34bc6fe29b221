"""Counted jobs: what is left of the jobs table under the rule for workers with several jobs."""

from leeward.engines.relations import Column, Table, ibis
from leeward.model import BoundedJobs, Codebook, JobsRule, PrimaryJob

JAVA_NUMBERS = "[0-9.][dDfF]|[xX]"
"""Texts such as 5d and 0x1p3, which only Java takes for numbers, and so does Spark."""


def counted_jobs(jobs: Table, codebook: Codebook, rule: JobsRule) -> Table:
    """The jobs that count."""
    keys = codebook.keys.jobs
    if isinstance(rule, PrimaryJob):
        # Ties go to the smallest workplace id, so that the choice never depends on row order.
        order = [ibis.desc(rank_value(jobs[rule.column])), jobs[keys.workplace]]
        return _first(jobs, keys.worker, order, 1)
    if isinstance(rule, BoundedJobs):
        return _first(jobs, keys.worker, [jobs[keys.workplace]], rule.most)
    return jobs


def _first(jobs: Table, worker: str, order: list[Column], most: int) -> Table:
    taken = {name.lower() for name in jobs.columns}
    turn = next(name for name in map("turn_{}".format, range(len(taken) + 1)) if name not in taken)
    order_of = ibis.row_number().over(group_by=jobs[worker], order_by=order)
    numbered = jobs.mutate(**{turn: order_of})
    return numbered.filter(numbered[turn] < most).drop(turn)


def rank_value(column: Column) -> Column:
    """What jobs are ranked by; a column of a CSV file is text and read as numbers."""
    if not column.type().is_string():
        return column
    read = column.try_cast("float64")
    if column.get_backend().name != "pyspark":
        return read
    return ibis.cases((~column.re_search(JAVA_NUMBERS), read))
