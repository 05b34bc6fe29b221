"""Design: which workloads are evaluated at which α, ε and θ, and how often."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from leeward.core.codebook import Codebook, Dimension, Marginal
from leeward.core.codebook.marginal import Breakdown
from leeward.core.codebook.statistic import Kind
from leeward.core.errors import InvalidParameter
from leeward.core.exact import Number, positive
from leeward.core.privacy import Guarantee
from leeward.core.show.numbers import counted, listed
from leeward.lab.baselines.printed import stated_delta

MOST_TRIALS = 1000
"""Largest number of draws of one setting."""


WORKPLACE = ("place", "sector", "ownership")
"""The workplace attributes of every workload of the papers."""


def exact(*numbers: str) -> tuple[Fraction, ...]:
    """Decimal numbers as fractions."""
    return tuple(Fraction(number) for number in numbers)


@dataclass(frozen=True)
class Grid:
    """The settings of a figure. `further` are values of ε for whole tables of worker cells only."""

    alphas: tuple[Fraction, ...] = exact("0.01", "0.05", "0.1", "0.2")
    epsilons: tuple[Fraction, ...] = exact("0.25", "0.5", "0.67", "1", "2", "4")
    further: tuple[Fraction, ...] = exact("8", "16")
    delta: Fraction | None = Fraction(1, 20)
    """Of Smooth Laplace alone; with a twentieth the papers' condition first holds at ε = 0.67 for
    α = 0.1, a value that the papers' own grid has. None: the δ that [H15] states for each point."""
    thetas: tuple[int, ...] = (10, 100, 1_000, 10_000)
    trials: int = 20
    plus: int = 1
    """Δ of every promise that has an α."""
    printed: bool = False
    """Whether the forms of 2015 enter as they were printed."""
    drawn: bool = True
    """Whether what has a closed form is drawn too: for ranks, coverage, and to check the form."""

    def delta_of(self, alpha: Fraction | None, epsilon: Fraction, parts: int) -> Fraction:
        """δ of a price that pays for so many worker cells, each at an equal part of ε."""
        if self.delta is not None or alpha is None:
            return self.delta or Fraction(0)
        return min(parts * stated_delta(alpha, epsilon / parts), Fraction(1))

    def with_trials(self, trials: int) -> "Grid":
        """The same grid, drawn more or less often, closed forms or not."""
        if not 2 <= trials <= MOST_TRIALS:
            step = "Leave it out for what the preset has."
            raise InvalidParameter.not_whole("trials", trials, 2, MOST_TRIALS, next_step=step)
        return replace(self, trials=trials, drawn=True)

    def with_promise(self, promise: Guarantee) -> "Grid":
        """The same grid with the Δ of a promise, and its α beside the others."""
        if promise.alpha is None:
            return self
        alphas = tuple(sorted({*self.alphas, promise.alpha}))
        return replace(self, alphas=alphas, plus=promise.plus or 1)

    def with_settings(self, alphas: Iterable[Number], epsilons: Iterable[Number]) -> "Grid":
        """The same with other α, or other ε; none given leaves them as they are."""
        alpha = {positive(number, "--alpha") for number in alphas}
        epsilon = {positive(number, "--epsilon") for number in epsilons}
        grid = replace(self, alphas=tuple(sorted(alpha))) if alpha else self
        if not epsilon:
            return grid
        return replace(grid, epsilons=tuple(sorted(epsilon)), further=())


@dataclass(frozen=True)
class Workload:
    """A table to evaluate. `alone`: each worker cell is a query of its own, with its own ε.

    `finest` is the table whose margin this one is: it is released by itself for an equal share of
    ε, one of `shares`, or added up from the finest table for all of ε. Of the total of a product
    it is the product. The tables of a product are released together, or each for a share.
    """

    name: str
    words: str
    marginal: Marginal
    alone: bool = False
    finest: Marginal | None = None
    shares: int = 1

    @property
    def table_kind(self) -> Kind:
        """Whether every job is counted."""
        return self.marginal.kind

    @property
    def worker_cells(self) -> int:
        """The number d of worker cells."""
        return self.marginal.worker_cells

    @property
    def product(self) -> Marginal | None:
        """The product whose cells or whose total these are; None of other tables."""
        wide = self.finest or self.marginal
        return wide if wide.kind == "joint" else None


def table(name: str, by: Sequence[str], codebook: Codebook) -> Marginal:
    """The marginal of these attributes, all codes of each."""
    dimensions = [_whole(codebook, attribute) for attribute in by]
    return Marginal(
        name,
        workplace=tuple(d for d in dimensions if d.attribute.of_workplaces),
        worker=tuple(d for d in dimensions if not d.attribute.of_workplaces),
    )


def _whole(codebook: Codebook, name: str) -> Dimension:
    attribute = codebook.attribute(name, "by")
    return Dimension(attribute, tuple(range(len(attribute.codes))))


def workloads_of(marginals: Iterable[Marginal]) -> tuple[Workload, ...]:
    """Each table whole; a table with worker attributes also as single queries.

    A product has two: the cells of all its tables, and its total. No table has a dot in its name,
    so that no two workloads share theirs.
    """
    workloads: list[Workload] = []
    for marginal in marginals:
        if marginal.breakdowns:
            workloads += product_workloads(marginal)
            continue
        if marginal.kind == "worker" and marginal.worker_cells > 1:
            words = f"single queries of {described(marginal)}"
            workloads.append(Workload(f"{marginal.name}.queries", words, marginal, alone=True))
        workloads.append(Workload(marginal.name, described(marginal), marginal))
    return tuple(workloads)


ALL_MARGINS = "all_margins"
"""The workload of all margins of the workplace attributes (Schmutte 2020)."""


def margin_workloads(codebook: Codebook) -> tuple[Workload, ...]:
    """The eight margins of place × sector × ownership, the one of all jobs included."""
    chosen = [by for size in range(4) for by in combinations(WORKPLACE, size)]
    tables = [table("_".join(by) or "all_jobs", by, codebook) for by in chosen]
    return tuple(
        Workload(
            f"{ALL_MARGINS}.{marginal.name}",
            f"the margin {described(marginal)}",
            marginal,
            finest=tables[-1],
            shares=len(tables),
        )
        for marginal in tables
    )


LODES_SIX = "lodes_six"
"""The workload of a whole product: the breakdowns of LODES, and their total C000."""


SIX = ("age", "earnings", "race", "ethnicity", "schooling", "sex")


def six_workloads(codebook: Codebook) -> tuple[Workload, ...]:
    """place × sector × ownership by age, earnings, race, ethnicity, schooling and sex: 21 cells."""
    workplace = table(LODES_SIX, WORKPLACE, codebook)
    broken = tuple(Breakdown((_whole(codebook, attribute),)) for attribute in SIX)
    return product_workloads(replace(workplace, breakdowns=broken))


def product_workloads(product: Marginal) -> tuple[Workload, ...]:
    """The cells of all tables of a product, and its total."""
    name, parts, total = product.name, len(product.breakdowns), product.published[0]
    words = f"{described(total)}, the total of {counted(parts, 'breakdown')}"
    return (
        Workload(name, described(product), product, shares=parts),
        Workload(f"{name}.total", words, total, finest=product, shares=parts),
    )


def described(marginal: Marginal) -> str:
    """The attributes of a table, and those it is restricted by."""
    by = " × ".join(dimension.name for dimension in marginal.dimensions) or "all jobs"
    if marginal.breakdowns:
        parts = (" × ".join(d.name for d in breakdown.worker) for breakdown in marginal.breakdowns)
        by = f"{by} by {listed(parts)}"
    some = [dimension.name for dimension in marginal.filters]
    return f"{by}, some {' and '.join(some)} only" if some else by
