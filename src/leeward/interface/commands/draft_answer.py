"""Draft answer: what `leeward init` says of a draft, for people and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote

from leeward.interface.commands.draft import Column, Draft
from leeward.interface.commands.draft_documents import Chosen, quoted, why_left_out
from leeward.interface.commands.employees import FILES, LIST, Employees
from leeward.interface.commands.meaning import few_labels

MOST_TEXTS = 2
"""How many texts of a spelling are shown."""

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"


@dataclass(frozen=True)
class DraftAnswer:
    """The folder of a draft, the draft, and what the operator stated."""

    out: Path
    draft: Draft
    chosen: Chosen
    employees: Employees | None = None
    """The one table that workers and jobs are from."""

    @property
    def json(self) -> dict[str, object]:
        """What was written: paths, names of columns and classifications, never codes."""
        draft = self.draft
        standard = {one.attribute: one.fit.address for one in draft.active if one.fit is not None}
        return {
            "codebook": str(self.out / CODEBOOK),
            "plan": str(self.out / PLAN),
            "keys": {
                key.place: {"column": key.column, "sure": key.sure, "why": key.why}
                for key in draft.keys
            },
            "to_type": [*self.chosen.placeholders],
            "classifications": standard,
            "lists_to_confirm": [str(self.out / one.list_file) for one in self._confirm],
            "lists_to_fill": [str(self.out / one.list_file) for one in draft.to_write],
            "pay_to_declare": [*draft.numeric],
            "not_proposed": [f"{table}.{one}" for table, names in draft.further.items()
                             for one in names],
            "weights": [*draft.weights],
            "left_out": {f"{table}.{name}": why for table, name, why in draft.skipped},
            "to_provide": None if self._list is None else str(self._list),
        }  # fmt: skip

    @property
    def _confirm(self) -> list[Column]:
        return [one for one in self.draft.active if one.in_file]

    @property
    def _list(self) -> Path | None:
        """The public list of workplaces that is not there yet."""
        missing = self.employees is not None and self.employees.listed is None
        return self.out / LIST if missing else None

    def lines(self) -> Iterator[str]:
        """What was written, what it rests on, and what a person must do."""
        yield f"Wrote {self.out / CODEBOOK} and {self.out / PLAN}."
        if self.employees is not None:
            yield from self.employees.opening
            yield f"{self.out / FILES['workers']} and {Path(FILES['jobs']).name} have the rows,"
            yield "with numbers as ids of workers: confidential, for their owner only."
        yield "These columns are taken as keys. Check each:"
        for key in self.draft.keys:
            yield f"  {key.place}: {quoted(key.column)} ({key.reason})"
        yield from self._lists()
        yield from self._columns()
        yield from self._next()

    def _lists(self) -> Iterator[str]:
        """The lists of columns: found, read, and to write."""
        fitted = [one for one in self.draft.active if one.fit is not None and not one.in_file]
        if fitted:
            yield "These columns got a classification. Check that each is right:"
            for one in fitted:
                yield from _fitted(one)
        if self._confirm:
            yield "These code lists were read from the data, from workplace columns that are"
            yield "usually public. Confirm that their values are public:"
            yield from (f"  {self.out / one.list_file}{_lacking(one)}" for one in self._confirm)
        if self.draft.to_write:
            yield "No list is known for these: they are comments in the codebook. Write a list"
            yield "(header code,label), and uncomment the attribute or delete it:"
            for one in self.draft.to_write:
                yield f"  {quoted(one.name)}: {self.out / one.list_file}"

    def _columns(self) -> Iterator[str]:
        """Pay, columns without a proposal, weights."""
        pay = [f"jobs.{quoted(one)}" for one in self.draft.numeric]
        if pay:
            yield "These could be pay. They are comments in the codebook; to use one, state its"
            yield "unit, its period and a public cap:"
            yield from (f"  {one}" for one in pay)
        count = sum(map(len, self.draft.further.values()))
        if count:
            yield f"{count} further columns could hold codes; the codebook names them in comments."
        yield from why_left_out(self.draft)
        if self.draft.weights:
            yield "Survey weights are not supported: tables count the rows of the file, not the"
            yield "population that they represent."

    def _next(self) -> Iterator[str]:
        """What to type and to run."""
        asked = self.chosen.placeholders
        if asked:
            yield f"First type these in {self.out / PLAN}; until then `leeward plan` rejects it:"
            yield from (f"  {key}: {words}" for key, words in asked.items())
        ready = "" if self.draft.tables else " once a list is written"
        yield "Then decide which workplace attributes are public, choose tables and epsilon. Run"
        yield f"  leeward plan {quote(str(self.out / PLAN))}{ready}"


def _fitted(column: Column) -> Iterator[str]:
    """A classification that a column got, and the other texts that count as its codes."""
    if column.fit is not None:
        yield f"  {quoted(column.name)}: {column.fit.address} ({few_labels(column.listed)})"
        pairs = (pair for texts in column.fit.listed.spellings.values() for pair in texts.items())
        read = ", ".join(f"{text} as {code}" for text, code in islice(pairs, MOST_TEXTS))
        if read:
            yield f"    read too: {read} and so on, and the labels. Check that this is right."


def _lacking(column: Column) -> str:
    """How a list in a file came about."""
    if column.fit is None:
        return ""
    lacks = len(column.fit.lacking)
    return f": {column.fit.listed.name}, which lacks {lacks} of the codes (another vintage?)"
