"""Bounds by sampling: that of Clopper and Pearson, and never above the truth but for bad luck."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import log

import numpy as np
import pytest
from scipy.stats import beta

from leeward.core.codebook import Cells, Entries
from leeward.core.mechanisms.calibrated import MarginRule
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.error_margins import NoMargins
from leeward.core.mechanisms.measurement import Measured, Measurement
from leeward.core.mechanisms.node_laplace import NodeLaplace, SmallEstablishments
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import pareto_radius
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import policy
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.neighbours import QUICK, DatabasePair
from leeward.lab.audit.released_code import (
    BLOCK_CODE,
    CLIPPED_CODE,
    COUNT_CODE,
    COUNTS,
    KEPT_CODE,
    drawn,
)
from leeward.lab.audit.sampled_pair import BINS, FALSE_ALARM, SampledPair, at_least, lower_bound
from leeward.lab.audit.table_exam import examine_table
from leeward.lab.audit.twins import CoveredNorm, NarrowNoise, clipped_twin, sound, twin
from tests.core.mechanisms.built import additive, clipped, vector_pareto

STRONG = policy("strong")
LARGE = DatabasePair.of((1000,), (1100,))
FEW = 1 << 15


@pytest.mark.parametrize(
    ("hits", "draws"), [(1, 100), (7, 131072), (900, 1000), (60000, 131072), (131072, 131072)]
)
def test_the_bound_is_that_of_clopper_and_pearson(hits: int, draws: int) -> None:
    exact = beta.ppf(float(FALSE_ALARM), hits, draws - hits + 1)
    found = float(at_least(hits, draws))
    spread = (hits * (draws - hits) / draws) ** 0.5
    assert exact - (8 * spread + 20) / draws / 100 < found <= exact * (1 + 1e-9)


def test_no_hits_prove_nothing() -> None:
    assert float(at_least(0, 1000)) == 0


def test_a_known_ratio_is_approached_from_below() -> None:
    """Two dice, one loaded: the best event is a six."""
    fair, loaded = (np.repeat(np.arange(6), weights)[:, None] for weights in (
        [10000] * 6, [7500] * 4 + [15000] * 2
    ))  # fmt: skip
    order = np.argsort(np.arange(60000) * 7919 % 60000)
    found = float(lower_bound(loaded[order].astype(float), fair[order].astype(float)))
    assert log(1.5) - 0.15 < found < log(1.5)
    worse = lower_bound(loaded[order].astype(float), fair[order].astype(float), Fraction(1, 10))
    assert found - 0.35 < float(worse) < found - 0.15


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 2)])
def test_equal_samples_show_no_loss(delta: Fraction) -> None:
    sample = np.arange(20000, dtype=float)[:, None] * 7919 % 1000
    assert float(lower_bound(sample, sample, delta)) <= 0


@pytest.mark.parametrize("cells", [1, 2])
def test_everything_that_is_released_is_looked_at(cells: int) -> None:
    """The public scale, which follows θ, and the counts in units of it."""
    built = clipped(alpha="0.1", epsilon=1, cells=cells)
    shown = drawn(built, Database.of((5,) * cells), 100)
    assert shown.shape == (100, cells + 1)
    assert cells + 1 in BINS
    own = built.suited(1)  # the frame has one establishment
    assert (shown[:, 0] >= own.spread(11 * own.clipping.lattice)).all()
    pareto = vector_pareto(alpha="0.1", epsilon=4, cells=2)
    assert drawn(pareto, Database.of((5, 6, 7)), 100).shape == (100, 2)
    assert drawn(additive("slope"), Database.of((5,)), 100).shape == (100, 1)


def test_all_pairs_are_neighbours() -> None:
    block = clipped(alpha="0.1", epsilon=1, cells=2)
    for exam, built in ((COUNT_CODE, additive("slope")), (CLIPPED_CODE, block)):
        pairs = list(exam.pairs(built, STRONG))
        assert len(pairs) >= 3
        assert any(pair.before.size == 0 for pair in pairs)
        assert any(len(pair.before.sizes) > 1 for pair in pairs)
        for pair in pairs:
            assert STRONG.admits(pair.before, pair.after, Fraction(1, 10))


def test_a_departure_from_the_definition_is_found_before_any_draw() -> None:
    spoilt = clipped_twin(clipped(alpha="0.1", epsilon=1, cells=2), CoveredNorm)
    loss = CLIPPED_CODE(spoilt, "strong", QUICK)
    assert "all jobs" in loss.fault
    assert loss.draws == 0


class CountsAll(SmallEstablishments):
    """A table with the establishments above θ."""

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        counts = columns.as_cells().counts  # type: ignore[union-attr] # entries
        return Measured(self.mechanism._release(counts, None, noise), {}, self._law(1))


class KeepsLarge(NodeLaplace):
    """The released numbers are right, and the table that they are applied to is not."""

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        return CountsAll(self, margins, by_cell)


class TableLargest(CountsWithNoise):
    """A table whose scale follows its own jobs, not all jobs of an establishment."""

    def _columns(self, columns: Cells | Entries) -> tuple[Integers, Integers]:
        counts, _ = super()._columns(columns)
        return counts, counts.max(axis=1)


class FollowsTable(VectorPareto):
    """As above."""

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        return TableLargest(self, margins, by_cell)


def test_a_mechanism_that_is_applied_to_the_wrong_table_is_found() -> None:
    """What `measure` does to a table is no part of `_release`: its draws show it."""
    node = sound(NodeLaplace, theta=8)
    pareto = vector_pareto(alpha="0.1", epsilon=1, cells=2)
    for exam, genuine, spoilt, name in (
        (KEPT_CODE, node, twin(KeepsLarge, node), "establishment"),
        (BLOCK_CODE, pareto, twin(FollowsTable, pareto), "strong"),
    ):
        few = replace(exam, draws=FEW >> 3)
        assert float(few.sampled(genuine, policy(name)).epsilon) < 1
        assert float(few.sampled(spoilt, policy(name)).epsilon) > 2
    assert KEPT_CODE.fault(twin(KeepsLarge, node)) == COUNTS
    table = twin(FollowsTable, pareto).measurement(by_cell=False, margins=NoMargins())
    assert float(examine_table(table, STRONG, QUICK, Fraction(1)).epsilon) > 2


def test_half_the_noise_shows_in_few_draws() -> None:
    slope = additive("slope")
    genuine = SampledPair(LARGE, FEW).loss(partial(drawn, slope), Fraction(0))
    assert 0.7 < float(genuine.epsilon) < 1

    def narrow(database: Database, draws: int) -> np.ndarray:
        counts = np.full((draws, 1), database.size)
        return slope._release(counts, counts, NarrowNoise(Fraction(1, 2))).astype(float)

    assert float(SampledPair(LARGE, FEW).loss(narrow, Fraction(0)).epsilon) > 1.3


def test_narrow_noise_is_narrow() -> None:
    true = np.zeros(FEW, dtype=np.int64)
    narrow = NarrowNoise(Fraction(1, 2))
    scales, law = Scales(np.full(FEW, 1000)), pareto_radius(1, Fraction(9))
    spreads = [
        np.abs(narrow.rounded(true, laplace(), scales)).mean() / 1000,
        np.abs(narrow.gaussian(true, Fraction(10**6))).mean() / 1000 / (2 / np.pi) ** 0.5,
        np.abs(narrow.block(true[:, None], scales, law)).mean() / 1000 * 8,
    ]
    assert spreads == pytest.approx([0.5] * 3, rel=0.1)
