"""Certified table: its columns, the codes they may hold, and how its numbers were made."""

from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from leeward.core.codebook import COUNT, STATISTICS, Statistic
from leeward.core.codebook.flow_classes import MEASURE
from leeward.core.codebook.marginal import BOUND, COUNTED, RELEASED, margin_columns
from leeward.core.codebook.totals import TOTAL_LABEL
from leeward.publishing.bundle.bundle_files import TABLE_NAME, table_columns
from leeward.publishing.bundle.noise_statement import NoiseStatement
from leeward.publishing.bundle.statements import (
    AttributeStatement,
    Count,
    Listed,
    Prose,
    Statement,
    TableGuarantee,
    Text,
)
from leeward.publishing.bundle.table_statements import (
    FlowStatement,
    FrameStatement,
    JointStatement,
    MarginStatement,
    ParentStatement,
    StatisticStatement,
    TidiedStatement,
    TotalsStatement,
)

SINCE_3 = (
    *("establishments", "totals", "joint", "parents", "partial", "impossible", "tidied"),
    *("noise", "statistic", "person_rows", "title", "note", "attributes"),
)
"""Keys of tables that format 3 added; left out where they say nothing."""

TableName = Annotated[str, StringConstraints(pattern=TABLE_NAME)]


class CertifiedTable(Statement):
    """One table: its columns, the codes they may hold, and how its numbers were made."""

    name: TableName
    kind: Literal["workplace", "worker"]
    identifiers: Listed[Text]
    worker_identifiers: Listed[Text]
    """The last of the identifiers: every combination of their codes is there."""

    codes: dict[str, dict[str, str]]
    """For each identifier its codes with their labels, in the order of the rows."""

    where: dict[str, JsonValue] | None
    complete: bool
    rows: Count
    mechanism: Text
    parameters: dict[str, str]
    guarantee: TableGuarantee
    margins: MarginStatement
    bias: Prose | None
    columns: Listed[Text]
    statistic: StatisticStatement | FlowStatement | None = None
    """What a value is; left out of plain counts of jobs."""

    establishments: FrameStatement | None = None
    """Left out where there is no such column."""

    totals: TotalsStatement | None = None
    """Left out where there are none; their rows are the last ones."""

    joint: JointStatement | None = None
    """Left out where a table was drawn by itself."""

    parents: dict[str, ParentStatement] | None = None
    """For coarser attributes that other tables are by; left out where there are none."""

    partial: Listed[Text] | None = None
    """Identifiers by whose codes some jobs count in no row; left out where there are none."""

    impossible: Listed[dict[str, str]] | None = None
    """Combinations of codes of its identifiers that no job has; left out where none is known."""

    tidied: TidiedStatement | None = None
    """Left out where values are as released."""

    noise: NoiseStatement | None = None
    """Left out without margins: then nothing is known of the scale of the noise."""

    person_rows: Annotated[int, Field(ge=1, le=2**53)] | None = None
    """How many rows of one person it counts at most; under the person policy alone.

    Each of them was hidden at that part of its epsilon.
    """

    title: Text | None = None
    """What it is called; left out where the plan gives no title."""

    note: Prose | None = None
    """What readers must know of it; left out where the plan says nothing."""

    attributes: dict[str, AttributeStatement] | None = None
    """What identifiers are called, by the codebook; left out where it does not say."""

    @model_serializer(mode="wrap")
    def _without_none(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = written(self)
        left_out = {key for key in SINCE_3 if content.get(key) is None}
        return {key: part for key, part in content.items() if key not in left_out}

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        last = self.identifiers[len(self.identifiers) - len(self.worker_identifiers) :]
        if len(set(self.identifiers)) < len(self.identifiers) or last != self.worker_identifiers:
            raise ValueError("identifiers must differ and end with the worker identifiers")
        if tuple(self.codes) != self.identifiers or not all(self.codes.values()):
            raise ValueError("codes must be listed for each identifier, in the same order")
        coded = () if self.totals is None else self.totals.codes.items()
        if any(code in self.codes.get(name, {code: ""}) for name, code in coded):
            raise ValueError("totals must be of identifiers, under codes that no identifier has")
        if not self.disjoint and self.counts and self.identifiers[-1:] != (MEASURE,):
            raise ValueError(f"the last identifier of flows and gains must be {MEASURE}")
        if self.noise is not None and not self.has_margins:
            raise ValueError("noise must be there with margins alone")
        if not self.counts and (self.totals, self.joint, self.noise, self.tidied) != (None,) * 4:
            raise ValueError("totals, joint, noise and tidied must be of counts")
        if self.total_rows > self.rows:
            raise ValueError("totals must not be more than all rows")
        if not self._relates():
            raise ValueError(
                "parents, partial, impossible, attributes must be of identifiers and their codes"
            )
        frame = self.establishments is not None
        columns = table_columns(self.identifiers, self.noise_columns, establishments=frame)
        if self.columns != columns:
            raise ValueError(f"columns must be {', '.join(columns)}")
        return self

    def _relates(self) -> bool:
        """Whether what is said of codes is said of the codes of this table."""
        parents = (self.parents or {}).items()
        return (
            {*(self.partial or ()), *(self.attributes or ())} <= {*self.identifiers}
            and all(
                name not in self.identifiers
                and [*parent_statement.codes] == [*self.codes.get(parent_statement.of, {})]
                for name, parent_statement in parents
            )
            and all(
                code in self.codes.get(name, {})
                for combination in self.impossible or ()
                for name, code in combination.items()
            )
        )

    @property
    def heading(self) -> str:
        """Its title, or its name."""
        return self.title or self.name

    def label(self, name: str) -> str:
        """What an identifier is called, or its name."""
        known = (self.attributes or {}).get(name)
        return name if known is None or known.label is None else known.label

    def kept(self, name: str) -> tuple[str, ...]:
        """The codes of an attribute that a dimension or the filter keeps; none where all are."""
        filtered = (self.where or {}).get(name, [])
        codes = self.codes.get(name, filtered if isinstance(filtered, list) else [filtered])
        return tuple(map(str, codes))

    @property
    def _published(self) -> type[Statistic]:
        return STATISTICS[COUNT.name if self.statistic is None else self.statistic.name]

    @property
    def counts(self) -> bool:
        """Whether values are numbers of jobs; others may be empty, with status −1."""
        return self._published.counts

    @property
    def disjoint(self) -> bool:
        """Whether each job counts in one row at most: its rows may be added over identifiers."""
        return self._published.disjoint

    @property
    def signed(self) -> bool:
        """Whether a true number may be below zero: net changes are among its rows."""
        return self.counts and not self.disjoint

    @property
    def of_classes(self) -> bool:
        """Whether its rows are measures of flows, and its noise is that of the classes."""
        return self._published.adds_classes

    @property
    def unit(self) -> str:
        """The unit of its values: jobs, or that of a column of pay with its period."""
        stated = self.statistic
        return COUNT.unit if stated is None else stated.value_unit

    @property
    def statistic_words(self) -> str:
        """What its values are, in a few words."""
        return COUNT.words if self.statistic is None else self.statistic.words

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The columns that say how far off a value may be."""
        if not self.has_margins:
            return ()
        block = self.margins.block_coverage is not None
        return margin_columns(ends=self.margins.ends, block=block)

    @property
    def noise_columns(self) -> tuple[str, ...]:
        """The same, and the bound of a block beside its total; null where nothing was drawn.

        Of a tidied table the first is the number with noise, which the margins are around. Of a
        table of pay the last may be the number of jobs.
        """
        bounded = self.joint is not None and self.joint.unit == BOUND
        bound = (BOUND,) if bounded and self.is_total else ()
        released = () if self.tidied is None else (RELEASED,)
        return (*released, *self.margin_columns, *bound, *self.count_columns)

    @property
    def count_columns(self) -> tuple[str, ...]:
        """The column of the number of jobs beside pay, where there is one."""
        stated = self.statistic
        return (COUNTED,) if isinstance(stated, StatisticStatement) and stated.count else ()

    @property
    def empty_columns(self) -> tuple[str, ...]:
        """The columns in which a field may be empty."""
        return self.noise_columns if self.counts else ("value", *self.noise_columns)

    @property
    def is_total(self) -> bool:
        """Whether it is the total of tables that were drawn together."""
        return self.joint is not None and self.kind == "workplace"

    @property
    def has_margins(self) -> bool:
        """Whether values have margins."""
        return self.margins.method != "none"

    @property
    def allows_for_clipping(self) -> bool:
        """Whether intervals of counts have two parts: noise, and farther up what clipping takes."""
        return self.counts and self.margins.ends and self.bias is not None

    @property
    def total_rows(self) -> int:
        """How many of the last rows are totals."""
        return 0 if self.totals is None else self.totals.rows

    @property
    def cell_rows(self) -> int:
        """How many of the first rows are cells."""
        return self.rows - self.total_rows

    @property
    def as_released(self) -> Self:
        """What the source of a tidy table said of it; of a released table, the same."""
        columns = tuple(name for name in self.columns if name != RELEASED)
        return self.model_copy(update={"tidied": None, "columns": columns})

    def listed(self, name: str) -> dict[str, str]:
        """Every code that a row may have, with its label; a total code is the last one."""
        total = () if self.totals is None else (self.totals.codes.get(name),)
        return self.codes[name] | {code: TOTAL_LABEL for code in total if code is not None}

    @property
    def most_rows(self) -> int:
        """How many combinations the codes and total codes allow."""
        return prod(len(self.listed(name)) for name in self.identifiers)

    @property
    def workplace_identifiers(self) -> tuple[str, ...]:
        """The first of the identifiers: only combinations of the public frame are there."""
        return self.identifiers[: len(self.identifiers) - len(self.worker_identifiers)]

    @property
    def worker_cells(self) -> int:
        """How many rows each workplace combination has."""
        return prod(len(self.codes[name]) for name in self.worker_identifiers)

    @property
    def workplace_cells(self) -> int:
        """How many workplace combinations the codes allow."""
        return prod(len(self.codes[name]) for name in self.workplace_identifiers)
