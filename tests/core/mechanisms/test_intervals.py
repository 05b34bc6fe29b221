"""Intervals of clipped tables: noise, and above it what clipping can have taken at most."""

from fractions import Fraction

import numpy as np
import pytest

import leeward
from leeward.core.codebook import Entries
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.joint import rounding_of, with_total
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.noise.scales import Integers

MOST_PLACES = 400
TABLES = (2, 3)


def joint(epsilon: str = "2", establishments: int = 4, margins: str = "0") -> JointClipped:
    made = leeward.mechanism(
        "joint_clipped",
        alpha="0.1",
        epsilon=epsilon,
        tables=TABLES,
        establishments=establishments,
        margins=margins,
    )
    assert isinstance(made, JointClipped)
    return made


def single(epsilon: str = "2", establishments: int = 4) -> Clipped:
    made = leeward.mechanism(
        "clipped", alpha="0.1", epsilon=epsilon, cells=3, establishments=establishments
    )
    assert isinstance(made, Clipped)
    return made


def cells_at(kappa: float, bound: int, seed: int) -> Entries:
    """Workplace cells of up to four establishments, none above κ times the bound."""
    draw = np.random.default_rng(seed)
    frame = draw.integers(1, 5, MOST_PLACES)
    place = np.repeat(np.arange(MOST_PLACES), frame)
    top = int(kappa * bound)
    sizes = np.where(draw.random(place.size) < 0.5, top, draw.integers(0, top + 1, place.size))
    columns = [draw.multinomial(sizes, draw.dirichlet(np.full(d, 0.3), sizes.size)) for d in TABLES]
    rows = np.concatenate(columns, axis=1)
    row, cell = np.nonzero(rows)
    shape = MOST_PLACES, sum(TABLES)
    return Entries(rows[row, cell], cell, row, sizes, place, shape, in_frame=frame)


def truth_of(entries: Entries) -> Integers:
    found = np.zeros(entries.shape, np.int64)
    np.add.at(found, (entries.workplace[entries.row], entries.cell), entries.counts)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_noise_as_low_as_its_margin_leaves_the_truth_below_high(seed: int) -> None:
    made, bound = joint(), 50
    assert made.maximum.kappa > 1.2
    entries = cells_at(made.maximum.kappa, bound, seed)
    theta = np.full(MOST_PLACES, bound * made.clipping.lattice)
    kept = made.clipping.sums(entries, theta) / made.clipping.lattice
    kept = np.concatenate([kept[:, :2].sum(axis=1, keepdims=True), kept], axis=1)
    reach = np.repeat([made.reach(j) for j in range(3)], (1, *TABLES))
    q = made.spreads(theta)[:, None] * reach + rounding_of(made.design)
    values = np.ceil(kept - q).astype(np.int64)  # noise, and rounding, as far down as q
    low, high = made.interval(values, theta)
    truth = with_total(truth_of(entries), made.design)
    assert (low <= truth).all()
    assert (truth <= high).all()
    assert (truth > 2 * values - low).any()  # noise by itself does not reach so far


@pytest.mark.parametrize("number", [1, 4, 16])
@pytest.mark.parametrize("margins", ["0", "1/20"])
def test_totals_are_covered_in_the_worst_case(number: int, margins: str) -> None:
    """Establishments that are all alike. Known bad: intervals of the noise alone."""
    places, size = 2000, 1000
    place = np.repeat(np.arange(places), number)
    sizes = np.full(place.size, size)
    halves = np.stack([sizes // 2, sizes // 2, sizes // 4, sizes // 4, sizes // 2], axis=1)
    row, cell = np.indices(halves.shape).reshape(2, -1)
    held = Entries(halves.ravel(), cell, row, sizes, place, (places, 5),
                   in_frame=np.full(places, number))  # fmt: skip
    table = joint(margins=margins).measurement(by_cell=False, margins=PublicMargins())
    found = table.measure(held)
    truth = with_total(truth_of(held), joint().design)
    low, high = found.margins["low"], found.margins["high"]
    luck = 5 * (0.9 * 0.1 / places) ** 0.5
    assert ((low <= truth) & (truth <= high))[:, 0].mean() >= 0.9 - luck
    assert ((low <= truth) & (truth <= high)).mean() >= 0.9 - luck
    if margins == "0" and number > 1:
        noise_only = (low <= truth) & (truth <= 2 * found.values - low)
        assert noise_only[:, 0].mean() < 0.9 - luck


def test_a_share_for_margins_makes_totals_narrower_and_noise_little_larger() -> None:
    for epsilon in ("2", "4", "8"):
        free, paid = joint(epsilon, margins="0"), joint(epsilon, margins="1/20")
        assert paid.paid == Fraction(1, 20)
        assert paid.guarantee("strong") == free.guarantee("strong")
        tables = [one.measurement(by_cell=False, margins=PublicMargins()) for one in (free, paid)]
        ends = [one.expected_intervals(1000) for one in tables]
        (less, allowed), (more, narrowed) = (one[:, 0] for one in ends if one is not None)
        assert 2 * more + narrowed < 2 * less + allowed
        assert narrowed <= 0.8 * allowed
        assert more < 1.2 * less
        assert tables[1].constants()["margins"] == "1/20"
        assert "margins" not in tables[0].constants()


def test_less_than_the_allowance_would_miss() -> None:
    """Establishments that are all κθ: the allowance is what they lost, to the job."""
    made, bound, number = joint(), 1000, 3
    size = int(made.maximum.kappa * bound)
    theta = np.array([bound * made.clipping.lattice])
    q = made.spreads(theta)[0] * made.reach(0) + 0.5
    values = np.full((1, 6), int(np.ceil(number * bound - q)))
    _, high = made.interval(values, theta)
    assert number * size <= high[0, 0] <= number * size + number + 2


def test_a_total_below_the_bound_needs_no_allowance() -> None:
    made, bound = joint(), 1000
    theta = np.array([bound * made.clipping.lattice] * 2)
    values = np.array([[10] * 6, [5000] * 6])
    low, high = made.interval(values, theta)
    assert high[0, 0] - 10 == 10 - low[0, 0]
    assert high[1, 0] - 5000 > 5000 - low[1, 0]


def test_the_allowance_of_a_total_is_that_of_whole_establishments() -> None:
    made, bound = joint(), 1000
    jobs = np.arange(0, 6000, 130)
    most = np.repeat(jobs[:, None], 6, axis=1).astype(float)
    theta = np.full(len(jobs), bound * made.clipping.lattice)
    allowance = made.allowance(most, theta)
    assert np.allclose(allowance[:, 0], (made.maximum.kappa - 1) * (jobs // bound) * bound)
    assert (allowance[:, 0] < allowance[:, 1]).all()
    at_bound = made.allowance(np.full((1, 6), 3.0 * bound), theta[:1])
    assert np.isclose(at_bound[0, 0], (made.maximum.kappa - 1) * 3 * bound)


def test_a_prediction_gives_noise_and_allowance_apart() -> None:
    table = joint().measurement(by_cell=False, margins=PublicMargins())
    found = table.expected_intervals(1000)
    assert found is not None
    assert found.shape == (2, 1 + len(TABLES))
    assert (found > 0).all()
    margin = table.expected_margin(1000)
    assert margin is not None
    assert min(found[0, 1:]) <= margin <= max(found[0, 1:])
    none = joint().measurement(by_cell=False, margins=NoMargins())
    assert none.expected_intervals(1000) is None
    assert none.expected_margin(1000) is None
    one = single().measurement(by_cell=False, margins=PublicMargins())
    assert one.expected_intervals(1000)[0, 0] == one.expected_margin(1000)  # type: ignore[index]
