"""Attacked world: the tables that an attack is tried on, made up or an office's own.

Own tables are read through `evaluate.truth` alone, and everything found in them is internal.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leeward.core.codebook import COUNT, Codebook, EveryJob, JobsRule, Marginal
from leeward.core.errors import InvalidParameter, shown
from leeward.lab.economy import Economy
from leeward.lab.evaluate.presets import economy_words, open_economy
from leeward.lab.evaluate.truth import PLACE, Truth, read_truths
from leeward.lab.evaluate.workloads import WORKPLACE, table
from leeward.publishing.engines import Engine

if TYPE_CHECKING:
    from leeward.publishing.plan.plan import Plan

__all__ = ["ECONOMY", "WORKPLACE", "AttackedWorld", "at_least_one", "made_up", "of_plan"]

ECONOMY = Economy(200_000, 10_000)
"""The made-up economy of the laboratory (seed 1)."""


@dataclass(frozen=True, eq=False)
class AttackedWorld:
    """An open economy; tables are tabulated once and kept while it is open."""

    words: str
    engine: Engine
    codebook: Codebook
    rule: JobsRule = field(default_factory=EveryJob)
    internal: bool = False
    planned: tuple[Marginal, ...] = ()
    """The tables of the plan, where there is one."""
    _truths: dict[Marginal, Truth] = field(default_factory=dict)

    def marginal(self, by: Sequence[str]) -> Marginal:
        """The table by these attributes, all codes of each."""
        return table("_".join(by) or "all_jobs", by, self.codebook)

    def worker_table(self, by: Sequence[str]) -> Marginal:
        """The table by these attributes; of a plan, its first one with worker cells."""
        if not self.internal:
            return self.marginal(by)
        return self._first(lambda marginal: marginal.kind == "worker" and marginal.worker_cells > 1,
                           "a table of counts by a worker attribute")  # fmt: skip

    def workplace_table(self, by: Sequence[str]) -> Marginal:
        """The table by these attributes; of a plan, its first one that counts every job."""
        if not self.internal:
            return self.marginal(by)
        return self._first(lambda marginal: marginal.kind == "workplace",
                           "a table of counts by workplace attributes alone")  # fmt: skip

    def _first(self, wanted: Callable[[Marginal], bool], words: str) -> Marginal:
        for planned in self.planned:
            if wanted(planned):
                return planned
        raise InvalidParameter(
            "tables",
            rule=f"must hold {words}: this attack is on such tables",
            value=", ".join(planned.name for planned in self.planned),
            next_step="Add one to a copy of the plan, or try the made-up data without --data.",
        )

    def truth(self, marginal: Marginal) -> Truth:
        """The true cells of a table, with the establishments behind them."""
        if marginal not in self._truths:
            truths = read_truths(self.engine, self.codebook, self.rule, [marginal], PLACE)
            self._truths.update(truths)
        return self._truths[marginal]


def at_least_one(**given: int) -> None:
    """Refuse a number of draws, worlds or releases that is below one."""
    for name, number in given.items():
        if number < 1:
            raise InvalidParameter(
                name,
                rule="must be a whole number from 1",
                value=shown(number),
                next_step="Leave it out for what the attack takes by itself.",
            )


@contextmanager
def made_up(economy: Economy = ECONOMY) -> Iterator[AttackedWorld]:
    """A made-up economy: public by construction."""
    with open_economy(economy, lambda *_: None) as (engine, book):
        yield AttackedWorld(economy_words(economy), engine, book)


@contextmanager
def of_plan(plan: "Plan") -> Iterator[AttackedWorld]:
    """The data and the tables of a plan: everything found in them is internal."""
    from leeward.publishing.release.check import open_data, require_rows  # noqa: PLC0415 (loads a database)
    from leeward.publishing.release.receipt import Receipts  # noqa: PLC0415 (as above)

    counts = tuple(
        planned.marginal for planned in plan.tables if planned.marginal.statistic is COUNT
    )
    if not counts:
        raise InvalidParameter(
            "tables",
            rule="must hold a table of counts: attacks are on counts",
            value="none",
            next_step="Add a table with statistic: count, or try the made-up data without --data.",
        )
    with open_data(plan) as engine:
        require_rows(plan, engine, Receipts.of(plan).found(engine.digest()))
        words = f"the data of {plan.path}"
        yield AttackedWorld(words, engine, plan.codebook, plan.jobs, internal=True, planned=counts)
