"""Methods: what they find, and what one row changes in all that they ask for."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from leeward.core.noise.exact_selection import SECRET
from leeward.core.noise.noise_source import secret
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.core.randomness import SeededBits
from leeward.lab.audit.recording import NoiseRequest, RecordingNoise
from leeward.lab.audit.regression_exam import RecordingSelection
from leeward.lab.audit.row_exam import _by_coins
from leeward.systems.synth import nist, tree
from leeward.systems.synth.description import Fit
from leeward.systems.synth.domain import Column, Domain
from leeward.systems.synth.drawing import blocks
from leeward.systems.synth.measurer import Measurer
from leeward.systems.synth.table_request import FITS
from tests.systems.synth.scene import ArrayCounts

SIZES = (2, 3, 4, 3, 2)
DOMAIN = Domain(tuple(Column(f"c{at}", tuple(map(str, range(n)))) for at, n in enumerate(SIZES)))
PURE = Guarantee("worker", None, 1)
ZCDP = Guarantee("worker", None, 0, rho=1)


def people(rows: int) -> Integers:
    """c1 follows c0, c3 follows c1, c4 is c0 and c2 together; the rest is noise."""
    generator = SeededBits(3).generator
    c0, c2 = generator.integers(0, 2, rows), generator.integers(0, 4, rows)
    c1 = np.where(generator.random(rows) < 0.9, c0 * 2, 1)
    return np.stack([c0, c1, c2, c1, (c0 + c2) % 2], axis=1)


def shares(rows: NDArray[Any], a: int, b: int) -> Floats:
    groups = [np.arange(size) for size in SIZES]
    counts = ArrayCounts(rows.astype(np.int64)).of([a, b], groups)
    return np.asarray(counts / len(rows))


@pytest.mark.parametrize("rho", [0, 50])
def test_the_tree_recovers_strong_dependence(rho: int) -> None:
    price = Guarantee("worker", None, 0 if rho else 60, rho=rho)
    rows = people(3000)
    fit = tree.fit(DOMAIN, Measurer(ArrayCounts(rows), secret(), SECRET), price)
    assert fit.total == pytest.approx(3000, abs=30)
    joined = {tuple(sorted(one.columns)) for one in fit.network.nodes if len(one.columns) == 2}
    assert (1, 3) in joined
    (made,) = blocks(fit.network, DOMAIN, 3000, 1)
    for pair in ((0, 1), (1, 3), (0, 3), (0, 4)):
        assert np.abs(shares(made, *pair) - shares(rows, *pair)).sum() / 2 < 0.04


METHODS: Mapping[str, Callable[[Domain, Measurer, Guarantee], Fit]] = {
    **FITS,
    "nist": partial(nist.fit, public=ArrayCounts(people(100))),
}


class Scripted:
    """A run of a method with recorded requests; a second run gets the answers of the first."""

    def __init__(
        self, method: str, rows: Integers, price: Guarantee, answers: tuple[Integers, ...] = ()
    ) -> None:
        self.noise, self.selection = RecordingNoise(list(answers)), RecordingSelection()
        measurer = Measurer(ArrayCounts(rows), self.noise, self.selection)
        self.fit = METHODS[method](DOMAIN, measurer, price)
        self.spent = sum((one.amount for one in measurer.spent), Fraction(0))


def neighbours(method: str, row: tuple[int, ...], price: Guarantee) -> tuple[Scripted, Scripted]:
    """Two runs, one of them with a row more: what follows from the answers must be the same."""
    rows = people(200)
    before = Scripted(method, rows, price)
    after = Scripted(method, np.vstack([rows, row]), price, tuple(before.noise.asked))
    assert before.spent == after.spent == price.amount
    for one, two in zip(before.fit.network.nodes, after.fit.network.nodes, strict=True):
        assert one.columns == two.columns
        np.testing.assert_array_equal(one.table, two.table)
    assert before.fit.total == after.fit.total
    return before, after


def laplace_loss(left: NoiseRequest, right: NoiseRequest) -> Fraction:
    assert left.scales == right.scales
    assert left.true.shape == right.true.shape
    return int(np.abs(left.true - right.true).sum()) / left.scales[0]


COUNTED = {"independent": 1, "correlated": 0.7, "tree": 0.85, "nist": 1}
"""What noisy counts have of the price; choices have the rest."""

ROWS = pytest.mark.parametrize("row", [(0, 0, 0, 0, 0), (1, 0, 3, 2, 1)])


@pytest.mark.parametrize("method", COUNTED)
@ROWS
def test_a_row_more_costs_no_more_than_the_price(method: str, row: tuple[int, ...]) -> None:
    """All that is asked for, given the same answers: structure and scales must be equal too."""
    before, after = neighbours(method, row, PURE)
    requests = zip(before.noise.requests, after.noise.requests, strict=True)
    counts = sum((laplace_loss(*both) for both in requests), Fraction(0))
    choices = arb(0)
    for both in zip(before.selection.coins, after.selection.coins, strict=True):
        (left, rate), (right, other) = both
        assert rate == other
        chances = zip(_by_coins(left[:5].tolist(), rate), _by_coins(right[:5].tolist(), rate),
                      strict=True)  # fmt: skip
        choices += max((abs((p / q).log()) for p, q in chances), key=float)
    assert counts <= 1
    assert float(counts) == pytest.approx(COUNTED[method])
    assert float(counts) + float(choices) <= 1


@pytest.mark.parametrize("method", METHODS)
@ROWS
def test_a_row_more_costs_no_more_than_the_rho(method: str, row: tuple[int, ...]) -> None:
    """Gaussian noise costs Δ²/2σ², a choice of range η costs η²/8."""
    before, after = neighbours(method, row, ZCDP)
    spent = Fraction(0)
    for left, right in zip(before.noise.requests, after.noise.requests, strict=True):
        assert left.scales == right.scales
        spent += int(((left.true - right.true) ** 2).sum()) / (2 * left.scales[0])
    for both in zip(before.selection.asked, after.selection.asked, strict=True):
        (first, rate), (second, other) = both
        assert rate == other
        moved = second - first
        spent += (rate * int(moved.max() - moved.min())) ** 2 / 8
    assert 0.69 * ZCDP.rho < spent <= ZCDP.rho
