"""Engine: what a release asks of the database that holds the data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, Self

from leeward.core.codebook import (
    EVERY_STEP,
    Attribute,
    Batch,
    Cells,
    Codebook,
    Entries,
    Finding,
    JobsRule,
    Marginal,
    Steps,
)
from leeward.core.errors import LeewardError

Owners = Literal["named", "merged"]
"""What is asked of the employers of establishments: their numbers, or their parts.

An owner's part in a workplace cell is all its establishments there, which count as one.
"""


class Engine(Protocol):
    """Describe, check, tabulate in batches, close."""

    def describe(self) -> Mapping[str, Mapping[str, str]]:
        """Type of each column of each table, from headers alone."""

    def codes(self, column: str) -> tuple[str, ...]:
        """The texts that a column of the workplaces table holds, each once, sorted; no nulls.

        Only columns of workplaces may be listed, whose values are public by declaration: those of
        workers and jobs are about persons.
        """

    def check_headers(self, codebook: Codebook, rule: JobsRule) -> tuple[LeewardError, ...]:
        """Columns that are missing or cannot hold ids or codes; public: names and types only."""

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

    def count_impossible(
        self, codebook: Codebook, rule: JobsRule, steps: Steps = EVERY_STEP
    ) -> tuple[int, ...]:
        """For each combination that the codebook calls impossible, the jobs that have it.

        CONFIDENTIAL: for internal output only. They are counted as a release counts, whose `steps`
        these are; so nothing may refuse a release of these data.
        """

    def count_lost(
        self,
        codebook: Codebook,
        rule: JobsRule,
        steps: Steps,
        sets: Sequence[frozenset[Attribute]],
    ) -> tuple[tuple[int, ...], int]:
        """The jobs that tables by each set of attributes lose, and all that should count.

        CONFIDENTIAL: for internal output only. They are counted as a release counts, whose `steps`
        these are; so nothing may refuse a release of these data.
        """

    def is_staffed(self, codebook: Codebook) -> bool:
        """Whether every establishment of the frame has a job. CONFIDENTIAL."""

    def digest(self) -> str:
        """SHA-256 over all that is read, in hexadecimal digits."""

    def unchanged(self) -> bool:
        """Whether the data still are as they were when the digest was made; not if none was.

        Of a file, size, times and inode are compared. The rows of a database are read and hashed
        again, which takes as long as the digest did.
        """

    def frame_sketch(
        self, codebook: Codebook, key: str, size: int, *, plain: bool = False
    ) -> tuple[str, ...]:
        """The `size` smallest keyed hashes of workplace ids, 16 hexadecimal digits each, ascending.

        The same for the same ids as text on every database; no other column matters. With `plain`
        ids have no blanks around them, no leading zeros and no `.0` behind them.
        """

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

    def workplaces(self) -> int:
        """How many establishments the frame has: a public number, which needs no preparation."""

    def frame_cells(self, marginal: Marginal) -> int:
        """How many workplace combinations exist; public."""

    def cells(
        self, marginal: Marginal, *, batch: int, cell_largest: bool = False
    ) -> Iterator[Batch[Cells]]:
        """All workplace cells of the frame in order, `batch` at a time."""

    def establishments(
        self, marginal: Marginal, *, batch: int, owners: bool = False
    ) -> Iterator[Batch[Entries]]:
        """The same batches with the establishments that have jobs.

        Workplace cells are numbered within the batch; no two entries share row and cell. With
        `owners` establishments and employers are numbered from 0. An establishment whose employer
        is not known is its own.
        """

    def close(self) -> None:
        """End the connection and remove everything that was derived from the data."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
