"""Suppression: cells that few contribute to are withheld, and others so that sums do not tell.

Primary rules look at the employers behind a cell or margin. Secondary suppression withholds more
until no sensitive number is known within p per cent: exactly by CP-SAT where the table is small,
else by hypercubes, whose corners move against each other without changing any published sum. It has
no guarantee: a contributor knows its own jobs, and other tables may tell the rest.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.lab.baselines.feasibility import Equations, Mask, coarser, has_solver, solved, solver
from leeward.lab.baselines.protected import Protected
from leeward.lab.baselines.sensitive_cells import Contributions, FewJobs, Rule, require_within

MOST_VARIABLES = 20_000
"""Deviations of all sensitive numbers together that CP-SAT is given."""


MOST_WORK = 2_000_000_000
"""Corners of hypercubes that are looked at; larger tables get no secondary suppression."""


SECONDS = 5.0


def threshold(table: Contributions, fewest: int = 3) -> Protected:
    """k-anonymity of cells: those of fewer jobs are withheld, and every margin is published."""
    rule = FewJobs(fewest)
    hidden = rule.sensitive(table) & (np.arange(table.items) < table.counts.size)
    return Protected.without(
        table.counts, table.margins, hidden, f"{rule.words}; all margins published"
    )


def suppress(
    table: Contributions,
    rules: Sequence[Rule],
    *,
    percent: int | None = 10,
    seconds: float = SECONDS,
) -> Protected:
    """Withhold what a rule names, and more until no such number is known within p per cent.

    Every sensitive number can then be p per cent less and p per cent more, all published numbers
    being as they are. Without `percent` there is no secondary suppression.
    """
    first = np.any([rule.sensitive(table) for rule in rules], axis=0)
    words = " or ".join(rule.words for rule in rules)
    if percent is None:
        hidden, how = first, "no secondary suppression"
    else:
        require_within("percent", percent, 1, 100)
        # How far a number must be able to move: p per cent, rounded up, and one job at least.
        moves = [
            (item, max(1, -int(-int(table.totals[item]) * Fraction(percent, 100) // 1)))
            for item in np.flatnonzero(first).tolist()
        ]
        hidden, how = _secondary(table, first, moves, seconds)
    return Protected.without(table.counts, table.margins, hidden, f"{words}; {how}")


def _secondary(
    table: Contributions, first: Mask, needed: Sequence[tuple[int, int]], seconds: float
) -> tuple[Mask, str]:
    """The mask of all that is withheld, and how it was found."""
    if 2 * len(needed) * table.counts.size <= MOST_VARIABLES and seconds > 0:
        pattern = _exact(table, first, needed, seconds)
        if pattern is not None:
            return pattern
    corners = prod(int(code.max()) + 2 for code in table.codes) << len(table.codes)
    if corners * len(needed) > MOST_WORK:
        return first, "no secondary suppression, the table is too large"
    return _Hypercubes(table, first).hidden(needed)


def _exact(
    table: Contributions, first: Mask, needed: Sequence[tuple[int, int]], seconds: float
) -> tuple[Mask, str] | None:
    """The pattern that withholds the fewest jobs; None where CP-SAT is missing or finds none."""
    if not has_solver():
        return None
    cp = solver()
    model = cp.CpModel()
    hidden = [model.new_bool_var("") for _ in range(table.items)]
    for item in np.flatnonzero(first).tolist():
        model.add(hidden[item] == 1)
    for item, need in needed:
        for side in (need, -need):
            _deviation(model, table, hidden, item, side)
    costs = (table.totals + 1).tolist()
    model.minimize(sum(cost * number for cost, number in zip(costs, hidden, strict=True)))
    done, status = solved(model, seconds)
    if status not in (cp.OPTIMAL, cp.FEASIBLE):
        return None
    pattern = np.array([bool(done.value(variable)) for variable in hidden])
    how = "the fewest jobs" if status == cp.OPTIMAL else "the best found in time"
    return pattern, f"secondary suppression by CP-SAT, {how}"


def _deviation(
    model: Any,  # noqa: ANN401 (of a package that is loaded when it is needed)
    table: Contributions,
    hidden: Sequence[Any],
    item: int,
    side: int,
) -> None:
    """Another table that agrees with all published numbers, and moves one number so far."""
    cells, most = table.counts.size, int(table.counts.sum())
    moves = []
    for cell, count in enumerate(table.counts.tolist()):
        move = model.new_int_var(-count, most, "")
        model.add(move == 0).only_enforce_if(~hidden[cell])
        moves.append(move)
    sums = [sum(moves[int(number)] for number in some) for some in table.margins.members()]
    for row, moved in enumerate(sums):
        model.add(moved == 0).only_enforce_if(~hidden[cells + row])
    own = moves[item] if item < cells else sums[item - cells]
    model.add(own >= side if side > 0 else own <= side)


class _Hypercubes:
    """Tables with a total as one more code of each attribute, so that margins are cells too.

    The move of a hypercube is a product over attributes: +1 at the own code and −1 at another, or
    +1 at both where one of them is the total. It changes no sum. A number can move up and down by
    as many jobs as each corner has.
    """

    def __init__(self, table: Contributions, first: Mask) -> None:
        self.sizes = [int(code.max()) + 1 for code in table.codes]
        axes = range(len(self.sizes))
        self.strides = [prod(number + 1 for number in self.sizes[at + 1 :]) for at in axes]
        self.subsets = [by for size in axes for by in combinations(axes, size + 1)]
        self.codes = np.concatenate(list(self._coordinates(table)), axis=1)
        self.number = np.full(prod(one + 1 for one in self.sizes), -1)
        self.number[np.array(self.strides) @ self.codes] = np.arange(table.items)
        self.totals, self.mask, self.short = table.totals, first.copy(), 0

    def _coordinates(self, table: Contributions) -> Iterator[Integers]:
        """The codes of all items in their order; the last code of an attribute is its total."""
        cells = np.stack(table.codes)
        yield cells
        for by in coarser(len(self.sizes)):
            margin = Equations.of(table.codes, [by])
            firsts = margin.cell[np.searchsorted(margin.row, np.arange(margin.count))]
            codes = np.array(self.sizes)[:, None].repeat(firsts.size, axis=1)
            codes[list(by)] = cells[list(by)][:, firsts]
            yield codes

    def hidden(self, needed: Sequence[tuple[int, int]]) -> tuple[Mask, str]:
        """Withhold a hypercube for each number, those that must move most first."""
        for item, need in sorted(needed, key=lambda one: (-one[1], one[0])):
            self.mask[self._cheapest(item, need)] = True
        short = f", {self.short} of them cannot move so far" if self.short else ""
        return self.mask, f"secondary suppression by hypercubes{short}"

    def _cheapest(self, item: int, need: int) -> list[int]:
        """The corners whose withholding costs the fewest jobs, of those that can move so far."""
        # What each attribute adds to a place: the own code, and all others along its axis.
        own, others, axes = [], [], len(self.sizes)
        for at, (size, step) in enumerate(zip(self.sizes, self.strides, strict=True)):
            code = int(self.codes[at, item])
            along = [-1 if axis == at else 1 for axis in range(axes)]
            own.append(code * step)
            others.append((np.delete(np.arange(size + 1), code) * step).reshape(along))
        shape = tuple(steps.size for steps in others)
        moves, cost = np.full(shape, self.totals[item]), np.zeros(shape, dtype=np.int64)
        for flipped in self.subsets:
            corner = self._corner(own, others, flipped)
            jobs = np.where(corner >= 0, self.totals[corner], -1)
            moves = np.minimum(moves, jobs)
            cost = cost + np.where(self.mask[corner], 0, jobs + 1)
        enough = min(need, int(moves.max()))
        self.short += enough < need
        cost = np.where(moves >= enough, cost, np.iinfo(np.int64).max)
        best = np.unravel_index(int(np.argmin(cost)), shape)
        chosen = [other.ravel()[at] for other, at in zip(others, best, strict=True)]
        corners = (int(self._corner(own, chosen, flipped)) for flipped in self.subsets)
        return [number for number in corners if number >= 0]

    def _corner(self, own: Sequence[int], others: Sequence[Any], flipped: Sequence[int]) -> Any:  # noqa: ANN401 (a number or an array)
        """The items that differ from this one in some attributes; −1 where there is none."""
        return self.number[sum(others[at] if at in flipped else own[at] for at in range(len(own)))]
