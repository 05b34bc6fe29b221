"""Networks of correlated, nist and aim: what they find, and when they leave it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from leeward.core.mechanisms.row_choice import UNIT, distance
from leeward.core.noise.exact_selection import SECRET
from leeward.core.noise.noise_source import secret
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee
from leeward.systems.synth import aim, correlated, fitting, nist, tree
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Column, Domain
from leeward.systems.synth.drawing import blocks
from leeward.systems.synth.fitting import Start, total
from leeward.systems.synth.measurer import Margin, Measurer, mean
from tests.systems.synth.scene import ArrayCounts
from tests.systems.synth.test_methods import (
    DOMAIN,
    SIZES,
    Scripted,
    laplace_loss,
    neighbours,
    people,
    shares,
)

LARGE = Guarantee("worker", None, 0, rho=50)
LITTLE = Guarantee("worker", None, "0.01")
FITS: Mapping[str, Callable[[Domain, Measurer, Guarantee], Fit]] = {
    "correlated": correlated.fit,
    "nist": partial(nist.fit, public=ArrayCounts(people(500))),
    "aim": aim.fit,
}


def fitted(method: str, rows: Integers, price: Guarantee) -> Fit:
    return FITS[method](DOMAIN, Measurer(ArrayCounts(rows), secret(), SECRET), price)


@pytest.mark.parametrize("method", FITS)
def test_dependence_is_recovered(method: str) -> None:
    rows = people(3000)
    fit = fitted(method, rows, LARGE)
    assert fit.total == pytest.approx(3000, abs=30)
    (made,) = blocks(fit.network, DOMAIN, 3000, 1)
    for pair in ((0, 1), (1, 3), (0, 3), (0, 4)):
        assert np.abs(shares(made, *pair) - shares(rows, *pair)).sum() / 2 < 0.04
    wrong = np.mean((made[:, 0] + made[:, 2]) % 2 != made[:, 4])
    assert (wrong < 0.02) == (method != "nist")  # no pair shows it, and the tree has pairs alone


@pytest.mark.parametrize("method", FITS)
def test_a_price_that_tells_nothing_is_no_failure(method: str) -> None:
    fit = fitted(method, people(50), Guarantee("worker", None, 0, rho="1/100000"))
    assert sum(map(len, blocks(fit.network, DOMAIN, 50, 1))) == 50


@pytest.mark.parametrize("method", ["correlated", "nist"])
def test_what_no_table_is_worth_measures_columns_again(method: str) -> None:
    """A row more costs the whole price, and both times weigh in the total by their variances."""
    before, after = neighbours(method, (1, 0, 3, 2, 1), LITTLE)
    requests = zip(before.noise.requests, after.noise.requests, strict=True)
    loss = sum((laplace_loss(*both) for both in requests), Fraction(0))
    assert loss <= LITTLE.epsilon
    assert float(loss) == pytest.approx(float(LITTLE.epsilon))
    wrong = tuple(np.full(size, 9) for size in SIZES)
    fit = Scripted(method, people(200), LITTLE, wrong).fit
    first, second = fit.margins[: len(SIZES)], fit.margins[len(SIZES) :]
    assert [one.columns for one in second] == [(at,) for at in range(len(SIZES))]
    means = [mean([one.noisy, two.noisy]) for one, two in zip(first, second, strict=True)]
    assert fit.total == pytest.approx(total(means))
    assert fit.total == pytest.approx(200, abs=20)  # what came first has little of the price
    (made,) = blocks(fit.network, DOMAIN, 1000, 1)
    assert np.mean(made[:, 1] == 1) < 0.2  # a third by the first counts alone


@pytest.mark.parametrize("fit", [tree.fit, aim.fit])
def test_tables_too_large_for_memory_are_not_made(
    monkeypatch: pytest.MonkeyPatch, fit: Callable[[Domain, Measurer, Guarantee], Fit]
) -> None:
    """Whether a folder appears may not depend on the data; what is left of the price is used."""
    monkeypatch.setattr(fitting, "MOST_CELLS", 1)
    monkeypatch.setattr(aim, "MOST_CELLS", 1)
    monkeypatch.setattr(aim, "LARGEST", 1)
    measurer = Measurer(ArrayCounts(people(3000)), secret(), SECRET)
    found = fit(DOMAIN, measurer, LARGE)
    assert {len(one.columns) for one in found.margins} == {1}
    assert sum((one.rho for one in measurer.spent), Fraction(0)) == LARGE.rho


def test_tables_of_correlated_are_useful() -> None:
    """Cells ≤ n·ε₂/(r·θ): the scale of a table is r/ε₂, θ is 4, n the total of one-way counts."""
    fit = fitted("correlated", people(3000), Guarantee("worker", None, "0.12"))
    alone, tables = fit.margins[: len(DOMAIN.columns)], fit.margins[len(DOMAIN.columns) :]
    released = total([one.noisy for one in alone])
    assert len(tables) == len(DOMAIN.columns) - 1
    assert all(one.counts.size * 4 * one.scale <= released for one in tables)


def test_rules_empty_cells_of_tables_in_any_order() -> None:
    """c0 = 1 with c2 = 0 or 3 is impossible; 3 is in a group with 2, which is possible."""
    rules = (((0, (1,)), (2, (0, 3))), ((1, (0,)), (2, (1,))))
    alone = [Margin((at,), np.full(n, 9), "", Fraction(1), 1.0) for at, n in enumerate(SIZES)]
    groups = [np.arange(n) for n in SIZES]
    groups[2] = np.array([0, 1, 2, 2])
    start = Start(Domain(DOMAIN.columns, rules), tuple(alone), groups)
    allowed = start.possible((2, 4, 0))
    assert [tuple(cell) for cell in np.argwhere(~allowed)] == [(0, 0, 1), (0, 1, 1)]


def test_rules_of_columns_of_many_values_need_no_table_of_values() -> None:
    """Two rules together empty the group of the rare values; what they leave is 8·10⁹ − 2."""
    size = 2000
    domain = Domain(tuple(Column(name, tuple(map(str, range(size)))) for name in "abc"))
    counts = np.r_[9, np.zeros(size - 1, np.int64)]
    alone = tuple(Margin((at,), counts, "", Fraction(1), 1.0) for at in range(3))
    groups = [np.minimum(np.arange(size), 1)] * 3
    few, more = tuple(range(1, 5)), tuple(range(5, size))
    rules = (((0, (0,)), (1, (0,)), (2, few)), ((0, (0,)), (1, (0,)), (2, more)))
    one = (((0, (0,)), (1, few), (2, (0,))),)
    single = tuple(((0, (n,)), (1, (n,)), (2, (n,))) for n in range(0, size, 9))
    together = Start(replace(domain, impossible=(*rules, *one)), alone, groups)
    assert np.argwhere(~together.possible((2, 0, 1))).tolist() == [[1, 0, 0]]
    many = Start(replace(domain, impossible=(*rules, *single)), alone, groups)
    assert np.argwhere(~many.possible((2, 0, 1))).tolist() == [[0, 0, 0]]


def test_the_tree_of_nist_mends_adjacent_edges_by_triples() -> None:
    """c0 and c2 move c4 together and by themselves: two edges, and a triple where they meet."""
    rows = people(3000)
    rows[:1500, 4] = np.maximum(rows[:1500, 0], rows[:1500, 2] // 2)
    public = Measurer(ArrayCounts(rows), secret(), SECRET)
    fit = nist.fit(DOMAIN, public, LARGE, ArrayCounts(rows))
    assert (0, 2, 4) in {one.columns for one in fit.margins}


def test_own_margins_move_a_score_by_nearly_four() -> None:
    """N rows in one cell and a new one in a new row and column; released margins: by one."""
    many = 9
    before = np.array([[many, 0], [0, 0]])
    after = before + np.array([[0, 0], [0, 1]])

    def own(counts: Integers) -> int:
        alone = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        return distance(counts, alone)

    assert (own(after) - own(before)) / UNIT == pytest.approx(4 * many / (many + 1), abs=0.01)
    released = np.full((2, 2), 2.5)
    assert abs(distance(after, released) - distance(before, released)) == UNIT
