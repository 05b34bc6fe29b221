"""Margins of measures hold, and net changes move as their proof says."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leeward.core.codebook import Attribute, Dimension, Entries, Flows, Gains, Marginal
from leeward.core.codebook.flow_classes import MEASURES, WEIGHTS, classes, measured_ends, measures
from leeward.core.mechanisms.flows import _sides
from leeward.core.mechanisms.gains import net_changes
from leeward.core.mechanisms.released_classes import ContrastBounds
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.noise import draws
from leeward.core.noise.contrast import Contrast
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee
from tests.core.mechanisms.test_percentiles import Seeded

CODES = ("00", "01", "10", "11")
FLOW = Attribute("flow", "jobs", "flow", CODES, CODES, False, {})
JOBS = np.array([150, 400, 250, 3200])
"""In the order of the codes, which is not that of the classes."""

CELLS = 3000


def released(mechanism: str, policy: str, epsilon: str) -> tuple[Integers, Integers, Integers]:
    """Measures of many equal workplace cells, with their ends."""
    table = Marginal("t", (), (Dimension(FLOW, (0, 1, 2, 3)),), statistic=Flows(FLOW))
    asked = Guarantee(policy, None if policy == "worker" else "0.1", epsilon)
    made = measurement(mechanism, table, asked, "auto")
    entries = Entries(
        counts=np.tile(JOBS, CELLS),
        cell=np.tile(np.arange(4), CELLS),
        row=np.repeat(np.arange(CELLS), 4),
        sizes=np.full(CELLS, JOBS.sum()),
        workplace=np.arange(CELLS),
        shape=(CELLS, 4),
        in_frame=np.ones(CELLS, np.int64),
    )
    values, margins, _ = made.measure(entries)
    if "margin" in margins:
        return values, values - margins["margin"], values + margins["margin"]
    return values, margins["low"], margins["high"]


@pytest.mark.parametrize(
    ("mechanism", "policy", "epsilon", "most"),
    [
        ("vector_pareto", "strong", "4", 0.96),
        ("radial_slope", "strong", "4", 0.96),
        ("clipped", "strong", "3", 1),
        ("edge_laplace", "worker", "0.5", 0.95),
    ],
)
def test_margins_of_every_measure_cover(
    monkeypatch: pytest.MonkeyPatch, mechanism: str, policy: str, epsilon: str, most: float
) -> None:
    """And they are not too wide: 0.015 is three standard errors of a share of these cells."""
    monkeypatch.setattr(draws, "SECRET", Seeded())
    values, low, high = released(mechanism, policy, epsilon)
    true = dict(zip(MEASURES, (4000, 3450, 3600, 3200, 550, 400, 150), strict=True))
    inside = ((low <= list(true.values())) & ([*true.values()] <= high)).mean(axis=0)
    assert (inside >= 0.9 - 0.015).all(), inside
    assert (inside <= most).all(), inside
    total, begin, end, _, hired, left, change = values.T
    assert (begin + hired == total).all()
    assert (end + left == total).all()
    assert (change == end - begin).all()
    assert (measures(classes(values)) == values).all()


def test_what_clipping_takes_is_allowed_for_on_both_sides() -> None:
    """Known bad: of 200 jobs that began 100 were clipped away, of 200 that ended none."""
    blocks = np.array([[[0, 200, 100, 0], [0, 100, 200, 0]]])
    change = WEIGHTS[list(MEASURES).index("FrmJbC")]
    for kappa, holds in ((1.0, False), (2.0, True)):
        noise = ContrastBounds(
            np.arange(1), lambda one: one.laplace(0.025), np.ones(1), kappa=kappa
        )
        below, above = _sides(noise, blocks, change)
        value = blocks @ change
        assert ((value - below <= 0) & (value + above >= 0)).all() == holds


def test_ends_of_a_difference_are_taken_crosswise() -> None:
    low, high = np.zeros((1, 4, 1)), np.full((1, 4, 1), 5.0)
    ends = [one[0, :, 0].tolist() for one in measured_ends(low, high)]
    assert ends == [[0, 0, 0, 0, 0, 0, -5], [20, 10, 10, 5, 10, 10, 5]]


def test_sums_of_geometric_noise_have_their_masses() -> None:
    one = np.exp(-0.3 * np.abs(np.arange(-80, 81)))
    sums = np.convolve(one / one.sum(), one / one.sum())
    cut = int(Contrast(1, 1, 1, 1).geometric(0.05, 0.3))
    assert sums[160 + cut + 1 :].sum() <= 0.05 < sums[160 + cut :].sum()


def entries(jobs: list[int], sizes: list[int]) -> Entries:
    """Jobs that began, ended and did neither of some establishments of one workplace cell."""
    rows = np.array(jobs, np.int64).reshape(-1, 2)
    row, cell = np.nonzero(rows)
    place = np.zeros(len(rows), np.int64)
    return Entries(rows[row, cell], cell, row, np.array(sizes), place, (1, 2))


def test_gains_and_losses_are_of_each_establishment() -> None:
    changed = net_changes(entries([5, 2, 1, 4, 3, 3], [9, 9, 9]))
    assert changed.as_cells().counts.tolist() == [[3, 3]]
    assert changed.sizes.tolist() == [9, 9, 9]
    turned = net_changes(entries([5, 2, 1, 4, 3, 3], [9, 9, 9]), gained=1)
    assert turned.as_cells().counts.tolist() == [[3, 3]]
    assert turned.row.tolist() == [0, 1]
    assert turned.cell.tolist() == [1, 0]


def pair(began: int, ended: int) -> tuple[int, int]:
    return max(began - ended, 0), max(ended - began, 0)


def test_clipped_net_changes_move_as_far_as_the_proof_says() -> None:
    """In exact rationals: all establishments up to ten jobs that a step at α = ½ may enlarge."""
    alpha, theta = Fraction(1, 2), Fraction(3)  # Δ(1/α + 1)
    most = Fraction(0)
    for began, ended, other in product(range(6), repeat=3):
        size = began + ended + other
        joiners = max(int(alpha * size), 1)
        for b, e in product(range(joiners + 1), repeat=2):
            if not 0 < b + e <= joiners:
                continue
            before, after = pair(began, ended), pair(began + b, ended + e)
            assert sum(abs(x - y) for x, y in zip(before, after, strict=True)) <= b + e
            weights = (min(Fraction(1), theta / max(n, 1)) for n in (size, size + b + e))
            w, v = weights
            moved = (abs(w * x - v * y) for x, y in zip(before, after, strict=True))
            most = max(most, sum(moved, Fraction(0)))
    assert most == 2 * alpha / (1 + alpha) * theta


@pytest.mark.parametrize("mechanism", ["vector_pareto", "radial_slope", "clipped"])
def test_gains_by_sex_have_noise_for_all_jobs_of_an_establishment(
    monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    """Two worker cells of two rows each; intervals hold, and the largest has 4000 jobs."""
    monkeypatch.setattr(draws, "SECRET", Seeded())
    sex = Dimension(Attribute("sex", "workers", "sex", ("F", "M"), ("F", "M"), False, {}), (0, 1))
    table = Marginal("t", (), (sex, Dimension(FLOW, (1, 2))), statistic=Gains(FLOW))
    made = measurement(mechanism, table, Guarantee("strong", "0.1", "6"), "auto")
    jobs = np.array([300, 100, 50, 250])
    held = Entries(
        counts=np.tile(jobs, CELLS),
        cell=np.tile(np.arange(4), CELLS),
        row=np.repeat(np.arange(CELLS), 4),
        sizes=np.full(CELLS, 4000),
        workplace=np.arange(CELLS),
        shape=(CELLS, 4),
        in_frame=np.ones(CELLS, np.int64),
    )
    values, margins, _ = made.measure(held)
    low = margins.get("low", values - margins.get("margin", 0))
    high = margins.get("high", values + margins.get("margin", 0))
    inside = (low <= [200, 0, 0, 200]) & (high >= [200, 0, 0, 200])
    assert (inside.mean(axis=0) >= 0.9 - 0.015).all()
    assert np.median(np.abs(values - [200, 0, 0, 200])) > 20  # that of 400 jobs would be 2
