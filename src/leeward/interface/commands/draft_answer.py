"""Draft answer: what `leeward init` says of a draft, for people and as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote

from leeward.interface.commands.draft import DraftColumn, FirstDraft
from leeward.interface.commands.draft_documents import Stated, quoted, why_left_out
from leeward.interface.commands.employees import FILES, LIST, Employees
from leeward.interface.commands.meaning import few_labels

MOST_TEXTS = 2
"""How many texts of a spelling are shown."""

CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"


@dataclass(frozen=True)
class DraftAnswer:
    """The folder of a draft, the draft, and what the operator stated."""

    out: Path
    draft: FirstDraft
    chosen: Stated
    employees: Employees | None = None
    """The one table that workers and jobs are from."""

    def as_json(self) -> dict[str, object]:
        """What was written: paths, names of columns and classifications, never codes."""
        draft = self.draft
        standard = {column.attribute: column.fit.address for column in draft.active if column.fit}
        return {
            "codebook": str(self.out / CODEBOOK),
            "plan": str(self.out / PLAN),
            "keys": {
                key.place: {"column": key.column, "sure": key.sure, "why": key.why}
                for key in draft.keys
            },
            "to_type": [*self.chosen.placeholders],
            "classifications": standard,
            "lists_to_confirm": [str(self.out / column.list_file) for column in self._confirm],
            "lists_to_fill": [str(self.out / column.list_file) for column in draft.to_write],
            "pay_to_declare": [*draft.numeric],
            "not_proposed": [f"{table}.{name}" for table, names in draft.further.items()
                             for name in names],
            "weights": [*draft.weights],
            "left_out": {f"{table}.{name}": why for table, name, why in draft.skipped},
            "to_provide": None if self._list is None else str(self._list),
        }  # fmt: skip

    @property
    def _confirm(self) -> list[DraftColumn]:
        return [column for column in self.draft.active if column.in_file]

    @property
    def _list(self) -> Path | None:
        """The public list of workplaces that is not there yet."""
        missing = self.employees is not None and self.employees.listed is None
        return self.out / LIST if missing else None

    def lines(self) -> Iterator[str]:
        """What was written, what it rests on, and what a person must do."""
        draft = self.draft
        yield f"Wrote {self.out / CODEBOOK} and {self.out / PLAN}."
        if self.employees is not None:
            yield from self.employees.opening
            yield f"{self.out / FILES['workers']} and {Path(FILES['jobs']).name} have the rows,"
            yield "with numbers as ids of workers: confidential, for their owner only."
        yield "These columns are taken as keys. Check each:"
        for key in draft.keys:
            yield f"  {key.place}: {quoted(key.column)} ({key.reason})"
        yield from self._lists()
        pay = [f"jobs.{quoted(name)}" for name in draft.numeric]
        if pay:
            yield "These could be pay. They are comments in the codebook; to use one, state its"
            yield "unit, its period and a public cap:"
            yield from (f"  {place}" for place in pay)
        count = sum(map(len, draft.further.values()))
        if count:
            yield f"{count} further columns could hold codes; the codebook names them in comments."
        yield from why_left_out(draft)
        if draft.weights:
            yield "Survey weights are not supported: tables count the rows of the file, not the"
            yield "population that they represent."
        placeholders = self.chosen.placeholders
        if placeholders:
            yield f"First type these in {self.out / PLAN}; until then `leeward plan` rejects it:"
            yield from (f"  {key}: {words}" for key, words in placeholders.items())
        ready = "" if draft.tables else " once a list is written"
        yield "Then decide which workplace attributes are public, choose tables and epsilon. Run"
        yield f"  leeward plan {quote(str(self.out / PLAN))}{ready}"

    def _lists(self) -> Iterator[str]:
        """The lists of columns: found, read, and to write."""
        columns = [(column, column.fit) for column in self.draft.active if not column.in_file]
        fitted = [(column, fit) for column, fit in columns if fit is not None]
        if fitted:
            yield "These columns got a classification. Check that each is right:"
        for column, fit in fitted:
            yield f"  {quoted(column.name)}: {fit.address} ({few_labels(column.listed)})"
            pairs = (pair for texts in fit.listed.spellings.values() for pair in texts.items())
            read = ", ".join(f"{text} as {code}" for text, code in islice(pairs, MOST_TEXTS))
            if read:
                yield f"    read too: {read} and so on, and the labels. Check that this is right."
        if self._confirm:
            yield "These code lists were read from the data, from workplace columns that are"
            yield "usually public. Confirm that their values are public:"
        for column in self._confirm:
            lacks = "" if column.fit is None else (
                f": {column.fit.listed.name}, which lacks {len(column.fit.lacking)} of the codes "
                "(another vintage?)"
            )  # fmt: skip
            yield f"  {self.out / column.list_file}{lacks}"
        if self.draft.to_write:
            yield "No list is known for these: they are comments in the codebook. Write a list"
            yield "(header code,label), and uncomment the attribute or delete it:"
            for column in self.draft.to_write:
                yield f"  {quoted(column.name)}: {self.out / column.list_file}"
