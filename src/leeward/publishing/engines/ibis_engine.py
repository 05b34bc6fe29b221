"""The engine for every database that Ibis knows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from leeward.core.codebook import (
    EVERY_STEP,
    Batch,
    Cells,
    Codebook,
    Entries,
    Finding,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.publishing.engines.database import Database, Scratch, row_count
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.engine import Owners
from leeward.publishing.engines.headers import header_problems
from leeward.publishing.engines.lost_jobs import AttributeSets, count_lost
from leeward.publishing.engines.tabulation import (
    Tabulation,
    Wanted,
    count_impossible,
    cut_frame,
    dense_cells,
    frame_cells,
    joint_cells,
    joint_establishments,
    sparse_establishments,
)
from leeward.publishing.engines.validation import find_problems, is_staffed
from leeward.publishing.engines.workplaces import frame_sketch, list_codes


class IbisEngine:
    """Describe, check, tabulate in batches, close."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scratch = Scratch(database)
        self._tabulation: Tabulation | None = None

    def describe(self) -> Mapping[str, Mapping[str, str]]:
        return {
            name: {column: str(kind) for column, kind in table.schema().items()}
            for name, table in self._database.tables().items()
        }

    def codes(self, column: str) -> tuple[str, ...]:
        return hiding_errors(lambda: list_codes(self._database, column), public=True)

    def check_headers(self, codebook: Codebook, rule: JobsRule) -> tuple[LeewardError, ...]:
        return tuple(header_problems(self._database.tables(), codebook, rule))

    def check(
        self,
        codebook: Codebook,
        rule: JobsRule,
        progress: Callable[[str], None] | None = None,
        *,
        strict: bool = False,
    ) -> tuple[Finding, ...]:
        return hiding_errors(
            lambda: find_problems(self._database, codebook, rule, progress, strict=strict)
        )

    def count_impossible(
        self, codebook: Codebook, rule: JobsRule, steps: Steps = EVERY_STEP
    ) -> tuple[int, ...]:
        return hiding_errors(lambda: count_impossible(self._database, codebook, rule, steps))

    def count_lost(
        self, codebook: Codebook, rule: JobsRule, steps: Steps, sets: AttributeSets
    ) -> tuple[tuple[int, ...], int]:
        return hiding_errors(lambda: count_lost(self._database, codebook, rule, steps, sets))

    def is_staffed(self, codebook: Codebook) -> bool:
        return hiding_errors(lambda: is_staffed(self._database, codebook))

    def digest(self) -> str:
        return hiding_errors(self._database.digest)

    def unchanged(self) -> bool:
        return hiding_errors(self._database.unchanged)

    def frame_sketch(
        self, codebook: Codebook, key: str, size: int, *, plain: bool = False
    ) -> tuple[str, ...]:
        return hiding_errors(lambda: frame_sketch(self._database, codebook, key, size, plain=plain))

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
        wanted = Wanted(tuple(marginals), tuple(establishments), owners, steps)

        def work() -> Tabulation:
            self._scratch.clear()
            return Tabulation(self._database, self._scratch, codebook, rule, wanted)

        self._tabulation = hiding_errors(work)

    def workplaces(self) -> int:
        return hiding_errors(
            lambda: row_count(self._database, self._database.tables()["workplaces"])
        )

    def frame_cells(self, marginal: Marginal) -> int:
        return self._prepared().frame(marginal).size

    def cells(
        self, marginal: Marginal, *, batch: int, cell_largest: bool = False
    ) -> Iterator[Batch[Cells]]:
        _some_cells(batch)
        prepared = self._prepared()
        frame = prepared.frame(marginal, establishments=cell_largest)
        every = cut_frame(prepared.workplace_cells(marginal), frame.size, batch)
        if marginal.breakdowns:
            found = [prepared.cells(one, cell_largest=False) for one in marginal.published[1:]]
            cut = [one.cut(frame.size, batch) for one in found if one is not None]
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
        _some_cells(batch)
        prepared = self._prepared()
        frame = prepared.frame(marginal, establishments=True)
        parts = marginal.published[1:] if marginal.breakdowns else (marginal,)
        for cells, sizes, *tables in zip(
            cut_frame(prepared.workplace_cells(marginal), frame.size, batch),
            prepared.sizes(marginal, owners=owners).cut(frame.size, batch),
            *(prepared.establishments(one).cut(frame.size, batch) for one in parts),
            strict=True,
        ):
            if marginal.breakdowns:
                yield joint_establishments(cells, sizes, tables, marginal.breakdowns)
            else:
                yield sparse_establishments(cells, sizes, tables[0], marginal.worker_cells)

    def close(self) -> None:
        self._tabulation = None
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepared(self) -> Tabulation:
        if self._tabulation is None:
            raise InvalidParameter(
                "marginal",
                rule="must be prepared first",
                value="an engine that has prepared nothing",
                next_step="Give it to prepare.",
            )
        return self._tabulation


def _some_cells(batch: int) -> None:
    if batch < 1:
        raise InvalidParameter(
            "batch",
            rule="must be at least 1 workplace cell",
            value=shown(batch),
            next_step="Give a number such as 10000.",
        )
