"""World: the tables that an attack is tried on, made up or an office's own.

Own tables are read through `evaluate.truth` alone, and everything found in them is internal.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from leeward.economy import Economy
from leeward.engines import Engine
from leeward.evaluate.design import economy_words, open_economy, table
from leeward.evaluate.truth import PLACE, Truth, read_truths
from leeward.model import Codebook, EveryJob, JobsRule, Marginal

ECONOMY = Economy(200_000, 10_000)
"""The made-up economy of the laboratory (seed 1)."""


@dataclass(frozen=True, eq=False)
class World:
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

    def truth(self, marginal: Marginal) -> Truth:
        """The true cells of a table, with the establishments behind them."""
        if marginal not in self._truths:
            found = read_truths(self.engine, self.codebook, self.rule, [marginal], PLACE)
            self._truths.update(found)
        return self._truths[marginal]


@contextmanager
def made_up(economy: Economy = ECONOMY) -> Iterator[World]:
    """A made-up economy: public by construction."""
    with open_economy(economy, lambda *_: None) as (engine, book):
        yield World(economy_words(economy), engine, book)
