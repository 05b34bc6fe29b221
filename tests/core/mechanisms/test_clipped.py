"""Clipped blocks: the clipping itself, the noise of each step, predictions, and a whole release."""

from fractions import Fraction
from math import exp, isclose, log, pi, sqrt

import numpy as np
import pytest

from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import MOST_THETA, Clipping
from leeward.core.noise.draws import SECRET
from leeward.core.noise.scales import Integers
from tests.core.mechanisms.built import clipped
from tests.core.noise.goodness import DRAWS, FALSE_ALARM, WRONG_SCALES, Shares, counted, p_value

LAPLACE = clipped(alpha="0.1", epsilon=1, cells=3, split="1/8")
GAUSSIAN = clipped(alpha="0.1", epsilon=1, cells=3, split="1/8", noise="gaussian", delta="1e-6")
THETA = 120
"""In jobs."""


def lattice_scale(built: Clipped) -> float:
    """Δ/ε₂ or Δ/√(2ρ₂) of mathematics/blocks.md 2, in lattice points, d = 3, 7/8 for step 3."""
    reach = 0.1 * THETA * built.clipping.lattice / 1.1
    if built.noise == "gaussian":
        return (sqrt(2) * reach + sqrt(3)) / sqrt(2 * 7 / 8 * float(built.rho))
    return (2 * reach + 3) / (7 / 8)


def masses(built: Clipped, scale: float, cuts: list[int]) -> Shares:
    """Discrete Laplace or Gaussian between cuts, summed point by point."""
    gaussian = built.noise == "gaussian"
    most = int((12 if gaussian else 60) * scale)
    points = np.arange(-most, most + 1)
    weights = np.exp(-((points / scale) ** 2) / 2 if gaussian else -np.abs(points / scale))
    shares: Shares = np.add.reduceat(weights, [0, *np.searchsorted(points, cuts)]) / weights.sum()
    return shares


@pytest.mark.parametrize("built", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_the_third_step_adds_noise_of_the_public_scale(built: Clipped) -> None:
    rows = DRAWS // 3 + 1
    theta = np.full(rows, THETA * built.clipping.lattice)
    noise = built.release_sums(np.zeros((rows, 3), dtype=np.int64), theta)
    scale, lattice = lattice_scale(built), built.clipping.lattice
    wide = round(2 * scale / lattice)
    jobs = range(-wide, wide + 1, max(1, wide // 15))
    observed = counted(noise.ravel(), jobs)
    cuts = [job * lattice - lattice // 2 for job in jobs]
    assert p_value(observed, masses(built, scale, cuts)) > FALSE_ALARM
    for factor in WRONG_SCALES:
        assert p_value(observed, masses(built, scale * float(factor), cuts)) < FALSE_ALARM


def lattice_noise(built: Clipped, theta: Integers, cells: int) -> Integers:
    """Before it is rounded to whole jobs."""
    return built._laplace(np.zeros((theta.size, cells), dtype=np.int64), theta, SECRET)


BOUNDS = (11, 40, 700, 10**6)
"""In jobs: the least that θ can be at α = 0.1, and larger ones."""


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_one_law_serves_all_bounds_at_once(cells: int) -> None:
    """Noise in lattice points is ⌊Δ₁/ε₂·Laplace + ½⌋ with the Δ₁ of its own row's θ."""
    built = clipped(alpha="0.1", epsilon=1, cells=cells, split="1/8")
    lattice = built.clipping.lattice
    rows = DRAWS // (4 * cells)
    theta = np.tile(np.array(BOUNDS) * lattice + 1, rows)
    noise = lattice_noise(built, theta, cells).reshape(rows, len(BOUNDS), cells)
    for k, jobs in enumerate(BOUNDS):
        moved = min(cells, 2) * (jobs * lattice + 1) // 11 + cells
        assert built.clipping.moved(np.array([jobs * lattice + 1])) == moved
        scale = moved / (7 / 8)
        cuts = [round(scale * z) for z in np.linspace(-3, 3, 41)]
        observed = counted(noise[:, k].ravel(), cuts)
        assert p_value(observed, rounded_laplace(scale, cuts)) > FALSE_ALARM
        for wrong in (0.7, 1.3):
            assert p_value(observed, rounded_laplace(scale * wrong, cuts)) < FALSE_ALARM


def rounded_laplace(scale: float, cuts: list[int]) -> Shares:
    """The masses of ⌊scale·Laplace + ½⌋ below the first cut, between cuts, and from the last on."""
    edges = (np.array(cuts) - 0.5) / scale
    below = np.where(edges < 0, np.exp(-np.abs(edges)) / 2, 1 - np.exp(-np.abs(edges)) / 2)
    shares: Shares = np.diff(below, prepend=0.0, append=1.0)
    return shares


def test_released_sums_are_the_noise_rounded_to_jobs() -> None:
    """Several θ in one call, in whole jobs: true scales are accepted, those 30 % off are not."""
    lattice, rows = LAPLACE.clipping.lattice, DRAWS // 12
    theta = np.tile(np.array(BOUNDS) * lattice, rows)
    sums = np.full((theta.size, 3), 5 * lattice)
    jobs = (LAPLACE.release_sums(sums, theta) - 5).reshape(rows, len(BOUNDS), 3)
    for k, bound in enumerate(BOUNDS):
        scale = (2 * bound * lattice // 11 + 3) / (7 / 8)
        wide = max(2, round(2 * scale / lattice))
        middles = range(-wide, wide + 1, max(1, wide // 12))
        observed = counted(jobs[:, k].ravel(), middles)
        cuts = [job * lattice - lattice // 2 for job in middles]
        assert p_value(observed, rounded_laplace(scale, cuts)) > FALSE_ALARM
        for wrong in (0.7, 1.3):
            assert p_value(observed, rounded_laplace(scale * wrong, cuts)) < FALSE_ALARM


def test_rows_are_independent_whatever_their_bounds() -> None:
    theta = np.tile(np.array(BOUNDS) * LAPLACE.clipping.lattice, DRAWS // 8)
    noise = lattice_noise(LAPLACE, theta, 2)
    pairs = np.sign(noise).reshape(-1, 8)
    joint = pairs.T @ pairs / len(pairs)
    assert np.abs(joint - np.diag(np.diag(joint))).max() < 6 / sqrt(len(pairs))


@pytest.mark.parametrize("built", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_the_first_step_adds_noise_to_the_index(built: Clipped) -> None:
    noise = built.release_maximum(np.full(DRAWS, 1000)) - floor_index(1000)
    scale = 32 / sqrt(2 / 8 * float(built.rho)) if built.noise == "gaussian" else 32 * 8
    cuts = sorted({round(scale * z) for z in np.linspace(-2, 2, 40)})
    observed = counted(noise, cuts)
    assert p_value(observed, masses(built, scale, cuts)) > FALSE_ALARM
    for factor in WRONG_SCALES:
        assert p_value(observed, masses(built, scale * float(factor), cuts)) < FALSE_ALARM


def floor_index(size: int) -> int:
    return int(32 * log(size) / log(1.1))


def vectors(count: int) -> tuple[Integers, Integers]:
    """Establishments of all sizes, part of whose jobs are in three worker cells."""
    base = np.arange(1, count + 1)
    cells = np.column_stack([base * 7 % 61, base * 13 % 101, base * 29 % 31])
    return cells, cells.sum(axis=1) + base * 3 % 17


def test_clipping_is_exact_in_whole_lattice_points() -> None:
    clipping = Clipping(Fraction(1, 10), 3)
    cells, sizes = vectors(500)
    theta = np.full(500, 80 * clipping.lattice + 3)
    found = clipping.clip(cells, sizes, theta)
    for row, size, bound, got in zip(cells, sizes, theta, found, strict=True):
        share = min(Fraction(1), Fraction(int(bound), int(size) * clipping.lattice))
        assert got.tolist() == [int(c) * clipping.lattice * share // 1 for c in row]


def test_clipping_of_huge_establishments_does_not_overflow() -> None:
    clipping = Clipping(Fraction(1, 10), 3)
    huge = 2**61 // clipping.lattice
    counts, sizes = np.array([[huge, 0, huge // 3]]), np.array([2 * huge])
    theta = np.array([clipping.theta_of(10**9)])
    bound = MOST_THETA * clipping.lattice
    assert theta.tolist() == [bound]
    wanted = [huge * bound // (2 * huge), 0, huge // 3 * bound // (2 * huge)]
    assert clipping.clip(counts, sizes, theta).tolist() == [wanted]


def test_a_neighbour_moves_clipped_sums_by_at_most_the_sensitivity() -> None:
    clipping = Clipping(Fraction(1, 10), 3)
    bound = 80 * clipping.lattice
    worst = 0
    for start in ([50, 0, 0], [80, 0, 0], [300, 0, 0], [30, 30, 40], [73, 0, 0], [0, 0, 9]):
        for cell in range(3):
            grown = list(start)
            grown[cell] += max(sum(start) // 10, 1)
            both = np.array([start, grown])
            moved = clipping.clip(both, both.sum(axis=1), np.full(2, bound))
            worst = max(worst, int(np.abs(moved[1] - moved[0]).sum()))
    allowed = 2 * bound / 11 + 3
    assert clipping.moved(np.array([bound])) == int(allowed)
    assert 0.9 * allowed < worst <= allowed


@pytest.mark.parametrize("index", [-(10**6), -1, 0, 500, 1500, 10**6])
def test_theta_lies_headroom_above_the_released_maximum(index: int) -> None:
    clipping = Clipping(Fraction(1, 10), 3, headroom=Fraction(7, 6))
    wanted = 7 / 6 * exp(min((index + 0.5) / 32 * log(1.1), 500.0))
    wanted = min(max(wanted, 11.0), float(MOST_THETA))
    assert clipping.theta_of(index) / clipping.lattice == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("built", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_a_whole_release_comes_close_to_the_counts(built: Clipped) -> None:
    cells, sizes = vectors(4000)
    place = np.arange(4000) % 40
    true = np.zeros((50, 3))
    np.add.at(true, place, cells)
    released = built.release(cells, sizes, place, workplaces=50)
    assert released.shape == (50, 3)
    assert released.dtype == np.int64
    error = built.mean_abs_error(int(sizes.max()))
    assert isinstance(error, float)
    # A hundred establishments of a cell lose to clipping only where θ came out low.
    assert np.median(np.abs(released - true)) < 5 * error
    assert (released[40:] != 0).any()  # cells without jobs get noise too


@pytest.mark.parametrize("noise_of", ["laplace", "gaussian"])
@pytest.mark.parametrize("largest", [0, 100, 5000])
def test_predicted_errors_are_those_of_many_releases(noise_of: str, largest: int) -> None:
    # At small ε the error has no variance, and means of draws do not settle; at 4 it has.
    built = clipped(alpha="0.1", epsilon=4, cells=3, noise=noise_of, delta="1e-6")
    rows = DRAWS // 50
    theta = built.clipping.theta(built.release_maximum(np.full(rows, largest)))
    noise = built.release_sums(np.zeros((rows, 3), dtype=np.int64), theta)[:, 0]
    predicted = built.mean_abs_error(largest)
    assert isinstance(predicted, float)
    spread = noise.std() / sqrt(rows)
    # What rounding to whole jobs takes away, a tenth of one at most, is not predicted.
    assert isclose(np.abs(noise).mean(), predicted, rel_tol=0.01, abs_tol=6 * spread + 0.1)


def test_no_finite_error_where_the_maximum_is_too_noisy() -> None:
    built = {e: clipped(alpha="0.1", epsilon=e, cells=2, split="1/8") for e in ("0.5", "1", "2")}
    assert built["0.5"].mean_abs_error(100) is None
    assert built["1"].std(100) is None
    assert built["2"].std(100) is not None


@pytest.mark.parametrize("noise_of", ["laplace", "gaussian"])
def test_the_error_of_a_tiny_alpha_is_that_of_its_noise(noise_of: str) -> None:
    """A job of the bound moves less than a lattice point there."""
    built = clipped(alpha="0.000001", epsilon=1, cells=8, noise=noise_of, delta="1e-6")
    bound = int(built.clipping.headroom * 10**6)  # above 1/α jobs
    wanted = built.spread(bound * built.clipping.lattice)
    unit = sqrt(2 / pi) if noise_of == "gaussian" else 1
    assert built.mean_abs_error(0) == pytest.approx(wanted * unit, rel=0.01)


@pytest.mark.parametrize("built", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_margins_and_quantiles_cover_the_noise(built: Clipped) -> None:
    theta = built.clipping.theta(np.full(DRAWS // 3, floor_index(100)))
    noise = built.release_sums(np.zeros((len(theta), 1), dtype=np.int64), theta)[:, 0]
    margin = built.margin(theta[:1])  # all are equal
    error = sqrt(0.9 * 0.1 / len(noise))  # of the share that a right margin covers
    assert 0.9 - 4.5 * error < np.mean(np.abs(noise) <= margin) < 0.93
    for share in ("0.1", "0.5", "0.9"):
        j = built.quantile(share, 100)
        assert np.mean(noise < j) < float(share) + 0.01
        assert np.mean(noise <= j) > float(share) - 0.01


def test_the_gaussian_budget_is_the_largest_that_fits() -> None:
    guarantee = GAUSSIAN.guarantee("strong")
    assert guarantee.measure == "zCDP"
    assert 0.99 < guarantee.to_approximate("1e-6").epsilon <= 1


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("epsilon", ["0.001", "1", "50"])
def test_extreme_budgets_warn_of_nothing(noise: str, epsilon: str) -> None:
    built = clipped(alpha="0.5", epsilon=epsilon, cells=2, noise=noise, delta="1e-9")
    released = built.release([[10**9, 0]], [10**10], [0])
    assert np.abs(released).max() <= 2**62
    built.mean_abs_error(10**6)
    built.std(10**6)
