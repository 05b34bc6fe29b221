"""Feasibility: what published sums leave open of cells that are withheld, rounded or in classes.

Cells are whole numbers from 0, published sums are equations, rounding and size classes are boxes.
The least and the most that a cell can be, given all of them, is what an attacker knows for certain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.cells import Integers
from leeward.core.errors import BadFile, InvalidParameter
from leeward.core.installation import hint
from leeward.publishing.engines.import_hooks import unblock_pandas

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

Mask = NDArray[np.bool_]

UNBOUNDED = 1 << 40
"""The most that a cell can be while nothing says otherwise: more jobs than there are."""

SECONDS = 10.0
"""How long the solver may take for all cells that are asked for."""

ROUNDS = 200
"""How often bounds are passed from sum to sum; those of any round are true."""


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """Which of n cells each of r sums adds up: m pairs (row, cell), in the order of the rows."""

    row: Integers
    cell: Integers
    count: int

    @classmethod
    def of(
        cls, codes: Sequence[Integers], sets: Iterable[Sequence[int]] | None = None
    ) -> "Equations":
        """The margins of a table whose cells have these codes (n,) of each attribute.

        `sets` are the attributes of each margin; without them every margin that leaves one or
        more attributes out, the total of all cells last.
        """
        rows, first = [], 0
        for by in coarser(len(codes)) if sets is None else sets:
            row = np.zeros(codes[0].size, dtype=np.int64)
            if by:  # the combinations of codes that occur, numbered from 0 in their order
                crossed = np.stack([codes[attribute] for attribute in by])
                row = np.unique(crossed, axis=1, return_inverse=True)[1].reshape(-1)
            rows.append(first + row)
            first += int(row.max(initial=-1)) + 1
        row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        order = np.argsort(row, kind="stable")
        return cls(row[order], np.tile(np.arange(codes[0].size), len(rows))[order], first)

    @classmethod
    def listed(cls, sums: Sequence[Sequence[int]]) -> "Equations":
        """Equations given by the cells that each adds up."""
        row = np.repeat(np.arange(len(sums)), [len(cells) for cells in sums])
        cell = np.array([cell for cells in sums for cell in cells], dtype=np.int64)
        return cls(row, cell, len(sums))

    def totals(self, values: Integers) -> Integers:
        """The sums (r,) of values (n,), exactly."""
        return self.added(values[self.cell])

    def added(self, pairs: NDArray[Any]) -> Integers:
        """A value for each pair, added up to sums (r,) exactly."""
        sums = np.zeros(self.count, dtype=np.int64)
        np.add.at(sums, self.row, pairs)
        return sums

    def kept(self, which: Mask) -> "Equations":
        """The sums of a mask (r,), numbered from 0."""
        number = np.cumsum(which) - 1
        pairs = which[self.row]
        return Equations(number[self.row[pairs]], self.cell[pairs], int(which.sum()))

    def members(self) -> list[Integers]:
        return np.split(self.cell, np.searchsorted(self.row, np.arange(1, self.count)))

    def subtracted(self, known: Mask) -> Mask:
        """The cells that are known by subtraction alone, those included that were known before.

        A sum with one unknown cell gives it away, and that may leave one in another sum.
        """
        found = known.copy()
        while True:
            unknown = ~found[self.cell]
            last = (self.added(unknown) == 1)[self.row] & unknown
            if not last.any():
                return found
            found[self.cell[last]] = True


def coarser(attributes: int) -> list[tuple[int, ...]]:
    """The attributes of every margin of a table, those of most attributes first."""
    every = range(attributes)
    return [by for size in reversed(every) for by in combinations(every, size)]


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """The least and the most of some cells, and whether the solver settled both ends.

    An end that is not settled is still true, but may be too far out.
    """

    low: Integers
    high: Integers
    settled: Mask

    @property
    def exact(self) -> Mask:
        """The cells of which one value is left."""
        return np.equal(self.low, self.high)

    def fails(self, alpha: Fraction) -> Mask:
        """hi < (1+α)·lo: sizes that α holds indistinguishable are told apart for certain."""
        wide, narrow = alpha.denominator, alpha.denominator + alpha.numerator
        sides = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return np.array(
            [high < UNBOUNDED and high * wide < low * narrow for low, high in sides], dtype=bool
        )

    def holds(self, values: Integers) -> bool:
        """Whether every value is inside its interval."""
        return bool(np.all((self.low <= values) & (values <= self.high)))


@dataclass(frozen=True, eq=False, repr=False)
class Feasible:
    """Cells from low to high (n,), and sums of them from least to most (r,)."""

    equations: Equations
    low: Integers
    high: Integers
    least: Integers
    most: Integers

    def propagated(self) -> "Feasible":
        """Tighter cells: what one sum leaves to a cell when all its others are at their ends."""
        row, cell = self.equations.row, self.equations.cell
        low, high = self.low.copy(), self.high.copy()
        for _ in range(ROUNDS):
            others_low = self.equations.totals(low)[row] - low[cell]
            others_high = self.equations.totals(high)[row] - high[cell]
            before = low.copy(), high.copy()
            np.minimum.at(high, cell, self.most[row] - others_low)
            np.maximum.at(low, cell, self.least[row] - others_high)
            if np.any(low > high):
                raise _contradiction()
            if np.array_equal(before[0], low) and np.array_equal(before[1], high):
                break
        return Feasible(self.equations, low, high, self.least, self.most)

    def intervals(self, targets: Integers | None = None, *, seconds: float = SECONDS) -> Intervals:
        """The least and the most of the targets (all cells if None) over all whole solutions.

        Propagation comes first; without `seconds` it is all there is, and needs no solver.
        """
        known = self.propagated()
        chosen = np.arange(known.low.size) if targets is None else targets
        if seconds <= 0 or np.all(known.low[chosen] == known.high[chosen]):
            low, high = known.low[chosen], known.high[chosen]
            return Intervals(low, high, low == high)
        return _Search(known).intervals(chosen, monotonic() + seconds)


class _Search:
    """One model, solved for one end of one cell after the other.

    Every solution is a table that fits: cells that reached their bound in one need no solve.
    """

    def __init__(self, known: Feasible) -> None:
        self.cp = solver()
        self.low, self.high = known.low.copy(), known.high.copy()
        self.free = np.flatnonzero(known.low < known.high)
        self.reached_low, self.reached_high = known.high.copy(), known.low.copy()
        self.model: CpModel = self.cp.CpModel()
        bounds = zip(known.low[self.free].tolist(), known.high[self.free].tolist(), strict=True)
        self.variables = [self.model.new_int_var(low, high, "") for low, high in bounds]
        fixed = known.low == known.high
        place = np.full(fixed.size, -1)
        place[self.free] = np.arange(self.free.size)
        given = known.equations.totals(np.where(fixed, known.low, 0))
        for row, cells in enumerate(known.equations.members()):
            members = [self.variables[number] for number in place[cells] if number >= 0]
            if members and known.least[row] <= known.most[row] < UNBOUNDED:
                low, high = int(known.least[row] - given[row]), int(known.most[row] - given[row])
                total: Any = sum(members)
                self.model.add_linear_constraint(total, low, high)

    def intervals(self, targets: Integers, end: float) -> Intervals:
        """Both ends of every target, or what was settled when the time was over."""
        place = {int(cell): number for number, cell in enumerate(self.free)}
        settled = np.ones(targets.size, dtype=bool)
        for number, cell in enumerate(targets.tolist()):
            if cell in place:
                both = [self._end(place[cell], cell, end, least=least) for least in (True, False)]
                settled[number] = all(both)
        return Intervals(self.low[targets], self.high[targets], settled)

    def _end(self, variable: int, cell: int, end: float, *, least: bool) -> bool:
        bound, reached = (self.low, self.reached_low) if least else (self.high, self.reached_high)
        if bound[cell] == reached[cell]:
            return True
        if monotonic() >= end:
            return False
        aim = self.model.minimize if least else self.model.maximize
        aim(self.variables[variable])
        done, status = solved(self.model, end - monotonic())
        if status == self.cp.INFEASIBLE:
            raise _contradiction()
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            return False
        solution = np.array([done.value(one) for one in self.variables], dtype=np.int64)
        self.reached_low[self.free] = np.minimum(self.reached_low[self.free], solution)
        self.reached_high[self.free] = np.maximum(self.reached_high[self.free], solution)
        best = round(done.best_objective_bound)
        bound[cell] = max(bound[cell], best) if least else min(bound[cell], best)
        return bool(status == self.cp.OPTIMAL)


def solver() -> Any:  # noqa: ANN401 (a module that is loaded when it is needed)
    """CP-SAT of OR-Tools, an optional extra, which loads pandas."""
    unblock_pandas()
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 (an optional extra)
    except ImportError as missing:
        raise BadFile(
            "attacks",
            rule="that search all tables that fit need the package ortools",
            value=f"no {missing.name}",
            next_step=hint("attacks"),
        ) from None
    return cp_model


def has_solver() -> bool:
    """Whether OR-Tools is installed."""
    return find_spec("ortools") is not None


def solved(model: "CpModel", seconds: float) -> "tuple[CpSolver, Any]":
    """Solve a model on one core, the same way each time."""
    done: CpSolver = solver().CpSolver()
    done.parameters.num_workers = 1
    done.parameters.random_seed = 1
    done.parameters.max_time_in_seconds = max(seconds, 0.01)
    return done, done.solve(model)


def _contradiction() -> InvalidParameter:
    return InvalidParameter(
        "tables",
        rule="must have whole numbers from 0 that fit all cells and all sums",
        value="sums that contradict each other",
        next_step="Give tables of one release; where totals were rounded, give them as low..high.",
    )
