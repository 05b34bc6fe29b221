"""Suppression: each rule by hand, the cheapest pattern, and hypercubes that protect as promised."""

import sys
from collections.abc import Sequence

import numpy as np
import pytest

from leeward.core.codebook import Entries
from leeward.core.codebook.cells import Integers
from leeward.core.errors import BadFile, InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.lab.baselines import feasibility, suppression
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations
from leeward.lab.baselines.protected import Protected
from leeward.lab.baselines.sensitive_cells import (
    Contributions,
    Dominance,
    FewEmployers,
    FewJobs,
    PercentRule,
)
from leeward.lab.baselines.suppression import suppress, threshold


def contributions(shape: Sequence[int], sites: Sequence[tuple[int, int, int]]) -> Contributions:
    """A table by attributes of these sizes; sites are (cell, employer, jobs)."""
    cells = int(np.prod(shape))
    cell, employer, jobs = np.array(sites).T
    entries = Entries(
        counts=jobs,
        cell=np.zeros_like(cell),
        row=np.arange(cell.size),
        sizes=jobs,
        workplace=cell,
        shape=(cells, 1),
        establishment=np.arange(cell.size),
        employer=employer,
    )
    return Contributions.of(entries, [one.ravel() for one in np.indices(shape)])


def lone(counts: Sequence[int], shape: Sequence[int], few: int) -> Contributions:
    """The counts of a table, all of three employers of a cell but the first `few` cells'."""
    sites = [
        (cell, 3 * cell + part, jobs)
        for cell, count in enumerate(counts)
        for part, jobs in enumerate(
            [count] if cell < few else [count // 3, count // 3, count - 2 * (count // 3)]
        )
    ]
    return contributions(shape, sites)


def moves(table: Contributions, found: Protected, items: Integers) -> list[tuple[int, int]]:
    """How far each cell can go down and up, all published numbers being as they are."""
    free = found.feasible(table.margins).intervals(items)
    assert free.settled.all()
    own = table.counts[items]
    return list(zip((own - free.low).tolist(), (free.high - own).tolist(), strict=True))


def test_rules_look_at_employers_not_at_establishments() -> None:
    sites = [(0, 7, 5), (0, 7, 5), (0, 8, 5), (1, 9, 90), (1, 8, 6), (1, 7, 4), (2, 7, 2)]
    table = contributions((3,), sites)
    assert table.totals.tolist() == [15, 100, 2, 117]
    assert table.employers.tolist() == [2, 3, 1, 3]
    assert table.top(1).tolist() == [10, 90, 2, 90]
    assert FewEmployers().sensitive(table).tolist() == [True, False, True, False]
    assert FewJobs(15).sensitive(table).tolist() == [False, False, True, False]
    assert Dominance(1, 89).sensitive(table).tolist() == [False, True, True, False]
    assert Dominance(1, 90).sensitive(table).tolist() == [False, False, True, False]
    assert PercentRule(4).sensitive(table).tolist() == [True, False, True, False]
    assert PercentRule(5).sensitive(table).tolist() == [True, True, True, False]


COUNTS = [6, 30, 40, 50, 9, 80]
"""2 × 3 cells; the first has one employer."""


def test_the_cheapest_pattern_is_found() -> None:
    """The rectangle with 30, 50 and 9; no pattern that costs less protects."""
    table = lone(COUNTS, (2, 3), few=1)
    found = suppress(table, [FewEmployers()], percent=50)
    assert "the fewest jobs" in found.words
    assert np.flatnonzero(found.withheld).tolist() == [0, 1, 3, 4]
    assert np.all(found.most < UNBOUNDED)
    cost = sum(COUNTS[one] + 1 for one in (1, 3, 4))
    for bits in range(1 << 5):
        others = [one for one in range(1, 6) if bits >> (one - 1) & 1]
        if sum(COUNTS[one] + 1 for one in others) < cost:
            hidden = np.zeros(table.items, dtype=bool)
            hidden[[0, *others]] = True
            less = Protected.without(table.counts, table.margins, hidden, "")
            ((down, up),) = moves(table, less, np.array([0]))
            assert down < 3 or up < 3


def random_table(seed: int) -> Contributions:
    draw = SeededBits(seed).generator
    sites = [
        (cell, int(draw.integers(60)), int(draw.integers(1, 40)))
        for cell in range(24)
        for _ in range(int(draw.integers(0, 7)))
    ]
    return contributions((4, 3, 2), sites)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hypercubes_let_every_sensitive_cell_move_so_far(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suppression, "MOST_VARIABLES", 0)
    table = random_table(seed)
    first = suppress(table, [FewEmployers()], percent=None)
    found = suppress(table, [FewEmployers()], percent=20)
    assert found.words.endswith("by hypercubes")
    cells = np.flatnonzero(first.withheld)
    for cell, (down, up) in zip(cells, moves(table, found, cells), strict=True):
        need = max(1, -(-int(table.counts[cell]) // 5))
        assert min(down, up) >= need
    # Known bad: without the second step some cells are known.
    assert any(0 in pair for pair in moves(table, first, cells))


def test_without_a_solver_or_on_large_tables_it_says_what_was_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = lone(COUNTS, (2, 3), few=1)
    monkeypatch.setattr(suppression, "has_solver", lambda: False)
    assert "by hypercubes" in suppress(table, [FewEmployers()]).words
    monkeypatch.setattr(suppression, "MOST_WORK", 0)
    assert "too large" in suppress(table, [FewEmployers()]).words


def test_a_threshold_with_all_margins_hides_nothing() -> None:
    table = lone([2, 30, 40, 50, 9, 80], (2, 3), few=0)
    found = threshold(table)
    assert found.withheld.tolist() == [True, False, False, False, False, False]
    assert moves(table, found, np.array([0])) == [(0, 0)]


def test_imputation_shares_what_a_margin_leaves_by_establishments() -> None:
    table = lone(COUNTS, (2, 3), few=0)
    margins = table.margins
    hidden = np.zeros(table.items, dtype=bool)
    hidden[[0, 1]] = True  # two of the first row, whose columns have one unknown each
    found = Protected.without(table.counts, margins, hidden, "")
    assert found.imputed(margins, np.ones(6, int)).tolist() == COUNTS
    rows = Equations.of(table.codes, [(0,)])
    only_rows = Protected.without(table.counts, rows, hidden[: 6 + rows.count], "")
    guess = only_rows.imputed(rows, np.array([1, 3, 1, 1, 1, 1]))
    assert guess.tolist() == [9, 27, 40, 50, 9, 80]


@pytest.mark.parametrize("made", [lambda: FewJobs(1), lambda: Dominance(0), lambda: PercentRule(0)])
def test_rules_that_withhold_nothing_are_refused(made: object) -> None:
    with pytest.raises(InvalidParameter):
        made()  # type: ignore[operator]


def test_a_missing_solver_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(BadFile, match=r"Type: .*\[attacks\]"):
        feasibility.solver()
