"""Lost jobs: how many jobs count in no cell of tables by some attributes, although they should.

A job is lost to every table where it has no worker, no workplace, or no code of the attribute by
which jobs are limited; and to a table by an attribute of which it has no code. What a codebook
omits, what a filter leaves out, repeated rows and jobs above a limit are not lost: leaving them
out was decided. CONFIDENTIAL.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import pyarrow as pa

from leeward.core.codebook import Attribute, BoundedJobs, Codebook, JobsRule, Steps
from leeward.publishing.engines.counted_rows import counted, needed_columns, readable_tables, tidied
from leeward.publishing.engines.database import Column, Database, Scratch, Table, ibis, row_count
from leeward.publishing.engines.recoding import code_text, number, same_id

AttributeSets = Sequence[frozenset[Attribute]]
"""The attributes that tables need, set by set; the empty set is any table."""


def count_lost(
    database: Database, codebook: Codebook, rule: JobsRule, steps: Steps, sets: AttributeSets
) -> tuple[tuple[int, ...], int]:
    """For each set of attributes the jobs that are lost to a table by them, and all that count.

    `steps` are those that the rows need.
    """
    scratch = Scratch(database, "losses")
    tables = readable_tables(database, codebook, rule)
    found = tidied(scratch, tables, codebook, rule, steps, limited=False)
    limited = _limited_by(codebook, rule)
    everywhere = _left_out(database, codebook, rule, steps, found["jobs"])
    uncoded = Uncoded(database, scratch, codebook, found)
    if limited is not None:
        everywhere += uncoded.lost([frozenset({limited})])[0][0]
    kept = counted(found["jobs"], codebook, rule)
    if kept is not found["jobs"]:
        kept = scratch.keep(kept.select(*needed_columns(codebook, rule)["jobs"]))
    lost, jobs = replace(uncoded, tables={**found, "jobs": kept}).lost(sets)
    scratch.clear()
    return tuple(everywhere + one for one in lost), everywhere + jobs


def _limited_by(codebook: Codebook, rule: JobsRule) -> Attribute | None:
    """The attribute under each code of which so many jobs count; no code is folded there."""
    per = rule.per if isinstance(rule, BoundedJobs) else None
    return None if per is None else codebook.attributes[per].unfolded


def _left_out(
    database: Database, codebook: Codebook, rule: JobsRule, steps: Steps, kept: Table
) -> int:
    """How many jobs have no worker or no workplace; repeated rows are one."""
    if not steps & {"missing_id", "lost_job"}:
        return 0
    jobs = readable_tables(database, codebook, rule)["jobs"]
    if "repeated_job" in steps:
        jobs = jobs.select(*needed_columns(codebook, rule)["jobs"]).distinct()
    return row_count(database, jobs) - row_count(database, kept)


@dataclass(frozen=True)
class Uncoded:
    """Jobs without a code of an attribute, found in tables of which every row counts."""

    database: Database
    scratch: Scratch
    codebook: Codebook
    tables: dict[str, Table]

    def lost(self, sets: AttributeSets) -> tuple[list[int], int]:
        """For each set of attributes the jobs without a code of one of them, and all jobs."""
        asked = dict.fromkeys(one for each in sets for one in each)
        names = {one: f"lost_{k}" for k, one in enumerate(asked) if one.unlisted is None or
                 one.missing is None}  # fmt: skip
        jobs, keys = self._flagged("jobs", names), self.codebook.keys
        of_workers = {one: name for one, name in names.items() if one.table == "workers"}
        if of_workers:
            people = self._flagged("workers", names)
            flags = [people[name] for name in of_workers.values()]
            people = people.filter(reduce(or_, flags))
            people = people.select(*of_workers.values(), person=keys.workers.id)
            jobs = jobs.left_join(people, same_id(jobs[keys.jobs.worker], people.person))
        of_places = {one: name for one, name in names.items() if one.of_workplaces}
        if of_places:
            frame = self._flagged("workplaces", of_places)
            frame = frame.select(*of_places.values(), place=keys.workplaces.id)
            jobs = jobs.left_join(frame, same_id(jobs[keys.jobs.workplace], frame.place))
        counts = {
            f"set_{k}": jobs.count(where=reduce(or_, flags))
            for k, flags in enumerate(self._flags(jobs, each, names) for each in sets)
            if flags
        }
        (found,) = self.database.rows(jobs.aggregate(jobs=jobs.count(), **counts))
        return [int(found.get(f"set_{k}") or 0) for k in range(len(sets))], int(found["jobs"])

    def _flags(
        self, jobs: Table, asked: frozenset[Attribute], names: dict[Attribute, str]
    ) -> list[Column]:
        return [jobs[names[one]].fill_null(False) for one in asked if one in names]

    def _flagged(self, table: str, names: dict[Attribute, str]) -> Table:
        """A table with a column for each of its attributes: whether a row has no code of it."""
        found = self.tables[table]
        for attribute, name in names.items():
            if attribute.table != table:
                continue
            if attribute.numbers is not None:
                found = found.mutate(**{name: number(found[attribute.column]).isnull()})
                continue
            none = code_text(found[attribute.column]).isnull()
            wrong = none if attribute.missing is None else ibis.literal(False)
            found = found.mutate(**{name: wrong})
            if attribute.unlisted is None:
                strange = self._strange(attribute, name)
                text = code_text(found[attribute.column])
                joined = found.left_join(strange, text == strange[f"text_{name}"])
                unlisted = joined[f"text_{name}"].notnull()
                found = joined.mutate(**{name: joined[name] | unlisted}).drop(f"text_{name}")
        return found

    def _strange(self, attribute: Attribute, name: str) -> Table:
        """The texts of a column that the codebook does not list, each once."""
        column = self.tables[attribute.table][attribute.column]
        texts = column.name("raw").as_table()
        texts = texts.select(**{f"text_{name}": code_text(texts.raw)}).distinct()
        known = self.scratch.keep(pa.table({"known": pa.array([*attribute.recode], pa.string())}))
        text = texts[f"text_{name}"]
        return self.scratch.keep(texts.filter(text.notnull()).anti_join(known, text == known.known))
