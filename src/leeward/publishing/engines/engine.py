"""Engine: what a release asks of the database that holds the data, whichever it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from leeward.core.codebook import (
    EVERY_STEP,
    Batch,
    Cells,
    Codebook,
    Dimension,
    Entries,
    Finding,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.publishing.engines.batches import (
    cut_frame,
    dense_cells,
    frame_cells,
    joint_cells,
    joint_establishments,
    sparse_establishments,
)
from leeward.publishing.engines.database import Scratch, SqlDatabase, row_count
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.headers import header_problems
from leeward.publishing.engines.lost_jobs import AttributeSets, count_impossible, count_lost
from leeward.publishing.engines.tabulation import Owners, Tabulation, Wanted, unprepared
from leeward.publishing.engines.validation import find_problems, is_staffed
from leeward.publishing.engines.workplaces import frame_sketch, list_codes


class Engine:
    """Describe, check, tabulate in batches, close: for every database that Ibis knows."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._scratch = Scratch(database)
        self._tabulation: Tabulation | None = None

    def describe(self) -> Mapping[str, Mapping[str, str]]:
        """Type of each column of each table, from headers alone."""
        return {
            name: {column: str(kind) for column, kind in table.schema().items()}
            for name, table in self._database.tables().items()
        }

    def codes(self, column: str) -> tuple[str, ...]:
        """The texts that a column of the workplaces table holds, each once, sorted; no nulls.

        Only columns of workplaces may be listed, whose values are public by declaration: those of
        workers and jobs are about persons.
        """
        return hiding_errors(lambda: list_codes(self._database, column), public=True)

    def check_headers(self, codebook: Codebook, rule: JobsRule) -> tuple[LeewardError, ...]:
        """Columns that are missing or cannot hold ids or codes; public: names and types only."""
        return tuple(header_problems(self._database.tables(), codebook, rule))

    def check(
        self,
        codebook: Codebook,
        rule: JobsRule,
        progress: Callable[[str], None] | None = None,
        *,
        strict: bool = False,
    ) -> tuple[Finding, ...]:
        """Everything that is wrong with the rows. CONFIDENTIAL: for internal output only.

        Wrong rows of workplaces refuse a release; those of workers and jobs only if it is `strict`,
        and are counted by a rule else.
        """
        return hiding_errors(
            lambda: find_problems(self._database, codebook, rule, progress, strict=strict)
        )

    def count_impossible(
        self, codebook: Codebook, rule: JobsRule, steps: Steps = EVERY_STEP
    ) -> tuple[int, ...]:
        """For each combination that the codebook calls impossible, the jobs that have it.

        CONFIDENTIAL: for internal output only. They are counted as a release counts, whose `steps`
        these are; so nothing may refuse a release of these data.
        """
        return hiding_errors(lambda: count_impossible(self._database, codebook, rule, steps))

    def count_lost(
        self, codebook: Codebook, rule: JobsRule, steps: Steps, sets: AttributeSets
    ) -> tuple[tuple[int, ...], int]:
        """The jobs that tables by each set of attributes lose, and all that should count.

        CONFIDENTIAL: for internal output only. They are counted as a release counts, whose `steps`
        these are; so nothing may refuse a release of these data.
        """
        return hiding_errors(lambda: count_lost(self._database, codebook, rule, steps, sets))

    def is_staffed(self, codebook: Codebook) -> bool:
        """Whether every establishment of the frame has a job. CONFIDENTIAL."""
        return hiding_errors(lambda: is_staffed(self._database, codebook))

    def digest(self) -> str:
        """SHA-256 over all that is read, in hexadecimal digits."""
        return hiding_errors(self._database.digest)

    def unchanged(self) -> bool:
        """Whether the data still are as they were when the digest was made; not if none was.

        Of a file, size, times and inode are compared. The rows of a database are read and hashed
        again, which takes as long as the digest did.
        """
        return hiding_errors(self._database.unchanged)

    def frame_sketch(
        self,
        codebook: Codebook,
        key: str,
        size: int,
        *,
        plain: bool = False,
        part: Dimension | None = None,
    ) -> tuple[str, ...]:
        """The `size` smallest keyed hashes of workplace ids, 16 hexadecimal digits each, ascending.

        The same for the same ids as text on every database; no other column matters. With `plain`
        ids have no blanks around them, no leading zeros and no `.0` behind them. With a part of
        the frame, its establishments only.
        """
        return hiding_errors(
            lambda: frame_sketch(self._database, codebook, key, size, plain=plain, part=part)
        )

    def prepare(
        self,
        codebook: Codebook,
        rule: JobsRule,
        marginals: Sequence[Marginal],
        establishments: Sequence[Marginal],
        *,
        owners: Owners | None = None,
        steps: Steps = EVERY_STEP,
    ) -> None:
        """One shared pass over the data for all these tables.

        `establishments` are those of the tables whose rows per establishment, or whose largest
        establishment in each cell, will be asked for. With owners "named" each has the number of
        its owner. With owners "merged" the establishments of one owner in a workplace cell count
        as one in everything but the number of establishments of the frame. `steps` are the rules
        that touch some row; for data that were not checked, all of them.
        """
        wanted = Wanted(tuple(marginals), tuple(establishments), owners, steps)

        def work() -> Tabulation:
            self._scratch.clear()
            return Tabulation(self._database, self._scratch, codebook, rule, wanted)

        self._tabulation = hiding_errors(work)

    def workplaces(self) -> int:
        """How many establishments the frame has: a public number, which needs no preparation."""
        return hiding_errors(
            lambda: row_count(self._database, self._database.tables()["workplaces"])
        )

    def frame_cells(self, marginal: Marginal) -> int:
        """How many workplace combinations exist; public."""
        return self._prepared().frame(marginal).size

    def cells(
        self, marginal: Marginal, *, batch: int, cell_largest: bool = False
    ) -> Iterator[Batch[Cells]]:
        """All workplace cells of the frame in order, `batch` at a time."""
        prepared = self._prepared(batch)
        frame = prepared.frame(marginal, establishments=cell_largest)
        every = cut_frame(prepared.workplace_cells(marginal), frame.size, batch)
        if marginal.breakdowns:
            streams = [prepared.cells(part, cell_largest=False) for part in marginal.published[1:]]
            cut = [rows.cut(frame.size, batch) for rows in streams if rows is not None]
            for cells, *tables in zip(every, *cut, strict=True):
                yield joint_cells(cells, tables, marginal.breakdowns)
            return
        counts = prepared.cells(marginal, cell_largest=cell_largest)
        if counts is None:
            yield from (frame_cells(cells, cell_largest=cell_largest) for cells in every)
            return
        for cells, rows in zip(every, counts.cut(frame.size, batch), strict=True):
            yield dense_cells(cells, rows, marginal.worker_cells)

    def establishments(
        self, marginal: Marginal, *, batch: int, owners: bool = False
    ) -> Iterator[Batch[Entries]]:
        """The same batches with the establishments that have jobs.

        Workplace cells are numbered within the batch; no two entries share row and cell. With
        `owners` establishments and employers are numbered from 0. An establishment whose employer
        is not known is its own.
        """
        prepared = self._prepared(batch)
        frame = prepared.frame(marginal, establishments=True)
        parts = marginal.published[1:] if marginal.breakdowns else (marginal,)
        for cells, sizes, *tables in zip(
            cut_frame(prepared.workplace_cells(marginal), frame.size, batch),
            prepared.sizes(marginal, owners=owners).cut(frame.size, batch),
            *(prepared.establishments(part).cut(frame.size, batch) for part in parts),
            strict=True,
        ):
            if marginal.breakdowns:
                yield joint_establishments(cells, sizes, tables, marginal.breakdowns)
            else:
                yield sparse_establishments(cells, sizes, tables[0], marginal.worker_cells)

    def close(self) -> None:
        """End the connection and remove everything that was derived from the data."""
        self._tabulation = None
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepared(self, batch: int = 1) -> Tabulation:
        if batch < 1:
            raise InvalidParameter(
                "batch",
                rule="must be at least 1 workplace cell",
                value=shown(batch),
                next_step="Give a number such as 10000.",
            )
        if self._tabulation is None:
            raise unprepared("marginal", "an engine that has prepared nothing")
        return self._tabulation
