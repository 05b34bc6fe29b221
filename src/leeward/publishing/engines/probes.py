"""Probes: the queries that look for wrong rows; they return numbers and a few examples."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from leeward.core.codebook import Attribute, Codebook, JobsRule, NumericRange
from leeward.publishing.engines.counted_rows import counted, is_unranked
from leeward.publishing.engines.database import (
    Column,
    Scratch,
    SqlDatabase,
    Table,
    ibis,
)
from leeward.publishing.engines.near_misses import marked, pointed
from leeward.publishing.engines.recoding import (
    as_text,
    code_text,
    has_fraction,
    is_below,
    known_texts,
    number,
    same_id,
    stripped,
)

EXAMPLES = 3
SAMPLE = 200
"""Unknown texts that are compared with the codes, for hints."""

LONGEST = 40

Texts = tuple[str, ...]

Wrong = tuple[int, Texts]
"""A number of rows, and examples of what is wrong with them."""


def first_texts(database: SqlDatabase, texts: Table, most: int = EXAMPLES) -> tuple[str, ...]:
    """The first few different rows of a query of texts, in their order."""
    rows = database.rows(texts.distinct().order_by(*texts.columns).limit(most))
    return tuple(", ".join(str(value)[:LONGEST] for value in row.values()) for row in rows)


@dataclass(frozen=True)
class Probe:
    """The three tables, to be asked one thing at a time."""

    database: SqlDatabase
    scratch: Scratch
    tables: Mapping[str, Table]

    def is_empty(self, table: str) -> bool:
        return not self.database.rows(self.tables[table].select(one=1).limit(1))

    def nulls(self, table: str, column: str) -> int:
        return self._count(self.tables[table].filter(self.tables[table][column].isnull()))

    def repeated(
        self, table: str, columns: tuple[str, ...], further: tuple[str, ...] = ()
    ) -> "Repeated":
        """Combinations that more than one row holds, the further columns being equal too.

        Of rows without an id in one of `columns` none is repeated; further columns may be null.
        """
        whole = self.tables[table]
        ids = {f"id_{k}": whole[column] for k, column in enumerate(columns)}
        more = {f"further_{k}": whole[column] for k, column in enumerate(further)}
        present = whole.select(**ids, **more).drop_null(list(ids))
        groups = present.group_by(*ids, *more).aggregate(number=lambda group: group.count())
        several = groups.filter(groups.number > 1)
        (sums,) = self.database.rows(
            several.aggregate(rows=several.number.sum(), groups=several.count())
        )
        if not sums["groups"]:
            return Repeated(0, 0, ())
        texts = several.select(**{name: as_text(several[name]) for name in ids})
        return Repeated(int(sums["rows"]), int(sums["groups"]), self._examples(texts))

    def orphans(self, column: str, table: str, key: str) -> Wrong:
        """How many jobs refer to an id that the table lacks, and examples of such ids."""
        ids = self.tables["jobs"].select(id=column)
        others = self.tables[table].select(other=key)
        lost = ids.filter(ids.id.notnull()).anti_join(others, same_id(ids.id, others.other))
        rows = self._count(lost)
        return rows, self._examples(lost.select(text=as_text(lost.id))) if rows else ()

    def orphans_in(
        self, form: Callable[[Column], Column], column: str, table: str, key: str
    ) -> int:
        """How many jobs would, if ids were compared in another form."""
        jobs, other = self.tables["jobs"], self.tables[table]
        ids = jobs.select(id=form(as_text(jobs[column])))
        others = other.select(other=form(as_text(other[key])))
        return self._count(ids.filter(ids.id.notnull()).anti_join(others, ids.id == others.other))

    def unranked(self, column: str) -> int:
        """How many jobs have no value, or no number, in the column."""
        jobs = self.tables["jobs"]
        return self._count(jobs.filter(is_unranked(jobs[column])))

    def beyond(self, codebook: Codebook, rule: JobsRule) -> int:
        """How many jobs of workers do not count under a rule that limits them."""
        jobs, ids = self.tables["jobs"], codebook.keys.jobs
        whole = jobs.filter(jobs[ids.worker].notnull(), jobs[ids.workplace].notnull())
        return self._count(whole) - self._count(counted(whole, codebook, rule))

    def is_staffed(self, column: str, key: str) -> bool:
        """Whether some job points to every workplace, and there is one."""
        ids, jobs = self.tables["workplaces"].select(id=key), self.tables["jobs"].select(at=column)
        idle = ids.anti_join(jobs, same_id(ids.id, jobs["at"]))
        return not self.is_empty("workplaces") and not self.database.rows(idle.limit(1))

    def strangers(self, attributes: Sequence[Attribute]) -> list["Strangers"]:
        """What each column holds and the codebook does not know, counted by one query."""
        if not attributes:
            return []
        every = self.scratch.keep(known_texts(attributes))
        known = [every.filter(every.attribute == k) for k in range(len(attributes))]
        columns = [self._texts(attribute.table, attribute.column) for attribute in attributes]
        counts = []
        for k, texts in enumerate(columns):
            codes = known[k].select(code="text")
            both = texts.left_join(codes, texts.text == codes.code)
            each = both.group_by("text").aggregate(
                nulls=both.number.sum(where=both.text.isnull()),
                unlisted=both.number.sum(where=both.text.notnull() & both.code.isnull()),
                listed=both.code.count(),
                matched=both.number.max(where=both.code.notnull()),
            )
            sums = each.aggregate(
                nulls=each.nulls.sum(),
                unlisted=each.unlisted.sum(),
                ambiguous=each.matched.sum(where=each.listed > 1),
            )
            counts.append(sums.mutate(attribute=k))
        rows = {row["attribute"]: row for row in self.database.rows(ibis.union(*counts))}
        strangers, kinds = [], ("nulls", "unlisted", "ambiguous")
        for k, texts in enumerate(columns):
            nulls, unlisted, ambiguous = (int(rows[k][kind] or 0) for kind in kinds)
            listed = known[k].select("text")
            examples = self._unlisted(texts, listed) if unlisted else ((), (), ())
            doubled = self._ambiguous(texts, listed) if ambiguous else (0, ())
            strangers.append(Strangers(nulls, unlisted, *examples, *doubled))
        return strangers

    def _unlisted(self, texts: Table, known: Table) -> tuple[Texts, Texts, Texts]:
        """Examples of unknown texts, of those that are empty or almost known, and a sample."""
        unknown = texts.filter(texts.text.notnull()).select("text")
        listed = self.scratch.keep(unknown.anti_join(known, unknown.text == known.text))
        blank = listed.filter(stripped(listed.text) == "")
        near = listed.semi_join(known, stripped(listed.text).lower() == known.text.lower())
        almost = (*self._examples(blank)[:1], *self._examples(near))
        sample = (*almost, *self._examples(listed, SAMPLE))
        return self._examples(listed), almost, tuple(dict.fromkeys(sample))

    def odd_numbers(self, attribute: Attribute, numbers: NumericRange) -> "OddNumbers":
        """What a numeric column holds beside whole numbers from low to cap."""
        column = self.tables[attribute.table][attribute.column]
        value, marks = number(column), marked(column)
        rows = self.tables[attribute.table].select(
            text=as_text(column),
            missing=column.isnull(),
            unreadable=column.notnull() & value.isnull(),
            below=is_below(value, numbers.low),
            above=~is_below(value, numbers.cap + 1),
            fraction=has_fraction(value),
            pointed=pointed(column),
            value=value,
            **marks,
        )
        kinds = ("missing", "unreadable", "below", "above", "fraction")
        counts = {kind: rows.count(where=rows[kind]) for kind in (*kinds, "pointed", *marks)}
        ends = [bound + 1 for _, bound in numbers.bounds[:-1]]
        counts |= {f"class_{k}": rows.count(where=is_below(rows.value, end))
                   for k, end in enumerate(ends)}  # fmt: skip
        (sums,) = self.database.rows(rows.aggregate(**counts, numbers=rows.value.count()))
        reached = [0, *(int(sums[f"class_{k}"]) for k in range(len(ends))), int(sums["numbers"])]

        def wrong(kind: str) -> Wrong:
            texts = rows.filter(rows[kind]).select("text")
            return int(sums[kind]), self._examples(texts) if sums[kind] else ()

        unreadable, below, above, fraction = map(wrong, kinds[1:])
        return OddNumbers(
            int(sums["missing"]),
            unreadable,
            below,
            above,
            fraction,
            int(sums["pointed"]),
            marked={mark: int(sums[mark]) for mark in marks},
            classes=tuple(high - low for low, high in pairwise(reached)),
        )

    def ambiguous(self, table: str, column: str, listed: Iterable[str]) -> Wrong:
        """Rows whose text the database takes for several of the listed ones."""
        known = self.scratch.keep(pa.table({"text": sorted(listed)}))
        return self._ambiguous(self._texts(table, column), known)

    def _texts(self, table: str, column: str) -> Table:
        """The different texts of a column with their numbers of rows."""
        whole = self.tables[table]
        groups = whole.group_by(raw=whole[column]).aggregate(number=lambda group: group.count())
        return groups.select("number", text=code_text(groups.raw))

    def _ambiguous(self, texts: Table, known: Table) -> Wrong:
        matches = texts.join(known, texts.text == known.text)
        several = matches.group_by("text").aggregate(
            listed=lambda group: group.count(), rows=lambda group: group.number.max()
        )
        doubled = several.filter(several.listed > 1)
        (sums,) = self.database.rows(doubled.aggregate(rows=doubled["rows"].sum()))
        rows = int(sums["rows"] or 0)
        return rows, self._examples(doubled.select("text")) if rows else ()

    def _count(self, query: Table) -> int:
        (counts,) = self.database.rows(query.aggregate(number=query.count()))
        return int(counts["number"])

    def _examples(self, texts: Table, most: int = EXAMPLES) -> tuple[str, ...]:
        return first_texts(self.database, texts, most)


@dataclass(frozen=True)
class Repeated:
    """Rows that share an id or a combination of ids with others. CONFIDENTIAL."""

    rows: int
    groups: int
    examples: tuple[str, ...]

    @property
    def further(self) -> int:
        """Rows that repeat another row."""
        return self.rows - self.groups


@dataclass(frozen=True)
class OddNumbers:
    """Rows of a numeric column that fall under a rule, with examples. CONFIDENTIAL."""

    missing: int
    unreadable: Wrong
    below: Wrong
    above: Wrong
    fraction: Wrong
    pointed: int
    """How many texts have one point before three digits."""

    marked: Mapping[str, int]
    """How many of the unreadable ones have each of the marks of `near_misses.MARKS`."""

    classes: tuple[int, ...]
    """How many numbers each class has."""


@dataclass(frozen=True)
class Strangers:
    """Rows without a code and rows with an unknown one. CONFIDENTIAL."""

    nulls: int
    unlisted: int
    examples: tuple[str, ...]
    near: tuple[str, ...]
    """Unknown texts that are empty, or would be known without regard to blanks and case."""

    sample: tuple[str, ...]
    """Such texts and the first of all unknown ones."""

    ambiguous: int
    """Rows whose text the database takes for several codes at once."""

    doubled: tuple[str, ...]
    """Such texts."""
