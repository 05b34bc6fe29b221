"""Lost jobs: how many jobs count in no cell of tables by some attributes, although they should.

A job is lost to every table where it has no worker, no workplace, or no code of the attribute by
which jobs are limited; and to a table by an attribute of which it has no code. What a codebook
omits, what a filter leaves out, repeated rows and jobs above a limit are not lost: leaving them
out was decided. Beside them, how many jobs have an impossible combination. CONFIDENTIAL.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import pyarrow as pa

from leeward.core.codebook import (
    Attribute,
    BoundedJobs,
    Codebook,
    Dimension,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.publishing.engines.counted_rows import counted, needed_columns, readable_tables, tidied
from leeward.publishing.engines.database import Scratch, SqlDatabase, Table, ibis, row_count
from leeward.publishing.engines.recoding import code_text, number, same_id
from leeward.publishing.engines.tabulation import Tabulation, Wanted

AttributeSets = Sequence[frozenset[Attribute]]
"""The attributes that tables need, set by set; the empty set is any table."""


def count_lost(
    database: SqlDatabase, codebook: Codebook, rule: JobsRule, steps: Steps, sets: AttributeSets
) -> tuple[tuple[int, ...], int]:
    """For each set of attributes the jobs that are lost to a table by them, and all that count.

    `steps` are those that the rows need.
    """
    scratch = Scratch(database, "losses")
    tables = readable_tables(database, codebook, rule)
    tables = tidied(scratch, tables, codebook, rule, steps, limited=False)
    read, everywhere = needed_columns(codebook, rule)["jobs"], 0
    if steps & {"missing_id", "lost_job"}:  # jobs without a worker or a workplace
        jobs = readable_tables(database, codebook, rule)["jobs"]
        if "repeated_job" in steps:  # repeated rows are one job
            jobs = jobs.select(*read).distinct()
        everywhere = row_count(database, jobs) - row_count(database, tables["jobs"])
    uncoded = Uncoded(database, scratch, codebook, tables)
    if isinstance(rule, BoundedJobs) and rule.per is not None:
        # Under each code of the attribute so many jobs count; no code is folded there.
        limited = codebook.attributes[rule.per].unfolded
        everywhere += uncoded.lost([frozenset({limited})])[0][0]
    kept = counted(tables["jobs"], codebook, rule)
    if kept is not tables["jobs"]:
        kept = scratch.keep(kept.select(*read))
    lost, counting = replace(uncoded, tables={**tables, "jobs": kept}).lost(sets)
    scratch.clear()
    return tuple(everywhere + uncoded_jobs for uncoded_jobs in lost), everywhere + counting


@dataclass(frozen=True)
class Uncoded:
    """Jobs without a code of an attribute, found in tables of which every row counts."""

    database: SqlDatabase
    scratch: Scratch
    codebook: Codebook
    tables: dict[str, Table]

    def lost(self, sets: AttributeSets) -> tuple[list[int], int]:
        """For each set of attributes the jobs without a code of one of them, and all jobs."""
        every = dict.fromkeys(attribute for each in sets for attribute in each)
        names = {
            attribute: f"lost_{k}"
            for k, attribute in enumerate(every)
            if attribute.unlisted is None or attribute.missing is None
        }
        jobs, keys = self._flagged("jobs", names), self.codebook.keys
        of_workers = {key: name for key, name in names.items() if key.table == "workers"}
        if of_workers:
            people = self._flagged("workers", names)
            flags = [people[name] for name in of_workers.values()]
            people = people.filter(reduce(or_, flags))
            people = people.select(*of_workers.values(), person=keys.workers.id)
            jobs = jobs.left_join(people, same_id(jobs[keys.jobs.worker], people.person))
        of_places = {key: name for key, name in names.items() if key.of_workplaces}
        if of_places:
            frame = self._flagged("workplaces", of_places)
            frame = frame.select(*of_places.values(), place=keys.workplaces.id)
            jobs = jobs.left_join(frame, same_id(jobs[keys.jobs.workplace], frame.place))
        counts = {}
        for k, attributes in enumerate(sets):
            flags = [jobs[names[key]].fill_null(False) for key in attributes if key in names]
            if flags:
                counts[f"set_{k}"] = jobs.count(where=reduce(or_, flags))
        (sums,) = self.database.rows(jobs.aggregate(jobs=jobs.count(), **counts))
        return [int(sums.get(f"set_{k}") or 0) for k in range(len(sets))], int(sums["jobs"])

    def _flagged(self, table: str, names: dict[Attribute, str]) -> Table:
        """A table with a column for each of its attributes: whether a row has no code of it."""
        flagged = self.tables[table]
        for attribute, name in names.items():
            if attribute.table != table:
                continue
            if attribute.numbers is not None:
                flagged = flagged.mutate(**{name: number(flagged[attribute.column]).isnull()})
                continue
            none = code_text(flagged[attribute.column]).isnull()
            wrong = none if attribute.missing is None else ibis.literal(False)
            flagged = flagged.mutate(**{name: wrong})
            if attribute.unlisted is None:
                # The texts of the column that the codebook does not list, each once.
                raw = self.tables[table][attribute.column].name("raw").as_table()
                texts = raw.select(**{f"text_{name}": code_text(raw.raw)}).distinct()
                listed = pa.table({"known": pa.array([*attribute.recode], pa.string())})
                known, text = self.scratch.keep(listed), texts[f"text_{name}"]
                strange = texts.filter(text.notnull()).anti_join(known, text == known.known)
                strange = self.scratch.keep(strange)
                same = code_text(flagged[attribute.column]) == strange[f"text_{name}"]
                joined = flagged.left_join(strange, same)
                unlisted = joined[f"text_{name}"].notnull()
                flagged = joined.mutate(**{name: joined[name] | unlisted}).drop(f"text_{name}")
        return flagged


def count_impossible(
    database: SqlDatabase, codebook: Codebook, rule: JobsRule, steps: Steps
) -> tuple[int, ...]:
    """How many jobs have each of the impossible combinations. CONFIDENTIAL.

    Each is counted as a table without attributes whose filters are its codes.
    """
    if not codebook.impossible:
        return ()
    attributes = codebook.attributes
    tables = tuple(
        Marginal("", (), (), filters=tuple(
            Dimension(attributes[name], (attributes[name].codes.index(code),))
            for name, code in combination.items()
        ))
        for combination in codebook.impossible
    )  # fmt: skip
    scratch = Scratch(database, "impossible")
    tabulation = Tabulation(database, scratch, codebook, rule, Wanted(tables, (), steps=steps))
    counts = tuple(map(tabulation.jobs, tables))
    scratch.clear()
    return counts
