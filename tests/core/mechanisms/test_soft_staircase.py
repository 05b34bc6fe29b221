"""The soft staircase against the numbers of its specification, an own density, and its margins."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from leeward.core.exact import precision
from leeward.core.mechanisms.additive import within
from leeward.core.mechanisms.error_margins import CountMargins, SpentMargins, spend
from leeward.core.mechanisms.scale import two_sided
from leeward.core.mechanisms.soft_staircase import SoftStaircase
from leeward.core.mechanisms.step_coverage import REACHES
from leeward.core.noise.error import laplace_weights
from leeward.core.noise.scales import Integers, law_at
from leeward.core.noise.tabulated import Floats
from leeward.lab.economy.establishments import build_frame
from leeward.lab.economy.made_up_economy import Economy
from tests.core.mechanisms.built import Option, build

# E|J|/S at α = 0.1 and S/Δ = 1, 1.5, 2, 3, 5, 10, 50.
TIMES = (1, 1.5, 2, 3, 5, 10, 50)
ERRORS = {
    ("4", "1"): (0.219, 0.194, 0.177, 0.156, 0.148, 0.144, 0.143),
    ("2", "1/2"): (0.513, 0.488, 0.472, 0.462, 0.457, 0.454, 0.453),
}
SETTINGS = [
    ("0.1", "4", "1", 1),
    ("0.1", "4", "1", 10),  # N₀ would be below 0
    ("0.07", "3.3", "0.7", 1),
    ("0.3", "5", "1.1", 7),
    ("0.5", "6", "2", 1),
    ("0.1", "4", "4/3", 5),
    ("0.1", "4", "4", 1),
    ("0.2", "0.9", "0.3", 1),
]


def soft(alpha: str = "0.1", epsilon: str = "4", job: str = "1", **more: Option) -> SoftStaircase:
    built = build("soft_staircase", alpha=alpha, epsilon=epsilon, epsilon_job=job, **more)
    assert isinstance(built, SoftStaircase)
    return built


@pytest.mark.parametrize(("epsilon", "job"), ERRORS)
def test_errors_are_those_of_the_specification(epsilon: str, job: str) -> None:
    built = soft(epsilon=epsilon, job=job)
    least = float(built.stairs.least)
    sizes = np.rint(np.array(TIMES) * least).astype(np.int64)
    error = built.mean_abs_error(sizes)
    assert error is not None
    assert np.asarray(error) / (0.1 * sizes) == pytest.approx(ERRORS[epsilon, job], abs=6e-4)


@pytest.fixture(scope="module")
def demo() -> Integers:
    """The largest establishments of `leeward economy --jobs 200000 ... --seed 7`, cell by cell."""
    economy = Economy(jobs=200_000, establishments=10_000, seed=7)
    frame = build_frame(economy.stream(0), economy)
    keys = np.stack([frame.place, frame.sector, frame.ownership], axis=1)
    cells, cell = np.unique(keys, axis=0, return_inverse=True)
    largest = np.zeros(len(cells), dtype=np.int64)
    np.maximum.at(largest, cell, frame.size)
    return largest


@pytest.mark.parametrize(
    ("epsilon", "job", "error"), [("4", "1", 1.503), ("4", "1/2", 2.41), ("2", "1/2", 4.102)]
)
def test_the_error_of_the_made_up_economy_is_that_of_the_specification(
    epsilon: str, job: str, error: float, demo: Integers
) -> None:
    assert (len(demo), int(np.median(demo))) == (1255, 28)
    errors = soft(epsilon=epsilon, job=job).mean_abs_error(demo)
    assert np.mean(np.asarray(errors)) == pytest.approx(error, rel=2e-3)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_mean_is_zero_within_hundredths_of_a_job(setting: tuple[str, str, str, int]) -> None:
    alpha, epsilon, job, plus = setting
    built = soft(alpha, epsilon, job, plus=plus)
    sizes = np.unique(np.geomspace(1, 2000 * float(built.stairs.least), 200).astype(np.int64))
    bias = np.abs(np.asarray(built.bias(sizes)))
    usual = np.maximum(float(alpha) * sizes, float(built.stairs.plus))
    allowed = np.maximum(0.05, 1e-3 * usual if Fraction(epsilon) < 1 else 1e-4 * usual)
    assert (bias <= allowed).all(), (bias / allowed).max()


class OwnDensity:
    """The law as written on paper, in jobs and float64; only its constants are the program's."""

    def __init__(self, built: SoftStaircase, alpha: str, epsilon: str, cap: str) -> None:
        stairs = built.stairs
        a, e, job = (float(Fraction(number)) for number in (alpha, epsilon, cap))
        self.a, self.r, self.d = a, e / a, float(stairs.plus)
        q = -int(-Fraction(epsilon) // Fraction(cap))
        eta = job - log(1 + a / self.d)
        self.h = np.array([min(job, e - k * job) for k in range(q)])
        self.rise = np.array([min(eta, max(0.0, e - log(1 + a) - k * eta)) for k in range(q)])
        self.up, self.down = stairs.up, stairs.down
        self.k = np.arange(q, dtype=np.float64)
        self.left, self.right = float(stairs.left), float(stairs.right)
        self.rho, self.ell = float(stairs.behind), float(stairs.before)

    def right_places(self, size: float, round_: int) -> Floats:
        s = (1 + self.a) ** round_ * (size + self.k)
        places: Floats = s + self.rho + self.right * (self.a * s - self.d) - size
        return places

    def left_places(self, size: float, round_: int) -> Floats:
        scale = self.a * size
        places: Floats = self.ell + self.left * (scale - self.d) + round_ * scale + self.k
        return places

    def masses(self, size: int, reach: int) -> Floats:
        """Of every output up to `reach`."""
        a0 = self.d / self.a
        x = max(float(size), a0)
        top, far = (
            x * max(f(a0, n)[-1] / a0, f(1e12, n)[-1] / 1e12)
            for f, n in ((self.right_places, self.up), (self.left_places, self.down))
        )
        right = np.concatenate([self.right_places(x, i) for i in range(self.up)])
        left = np.concatenate([self.left_places(x, j) for j in range(self.down)])
        levels = np.exp(-np.cumsum(np.tile(self.h, self.up)))
        lows = np.exp(-np.cumsum(np.tile(self.rise, self.down)))
        edges = np.array([-far, *-left[::-1], *right, top])
        heights = np.array([*lows[::-1], 1.0, *levels])
        at = np.arange(-reach, reach + 2) - 0.5
        low, high = np.maximum(at[:-1, None], edges[:-1]), np.minimum(at[1:, None], edges[1:])
        flat: Floats = np.maximum(high - low, 0) @ heights
        ends = np.append(1 + at / x, [1 - far / x, 1 + top / x])
        left_tail = x * heights[0] * self.left_of(np.minimum(ends, ends[-2]), ends[-2])
        right_tail = x * heights[-1] * ends[-1] / (self.r - 1)
        gone = right_tail * (np.maximum(ends, ends[-1]) / ends[-1]) ** (1 - self.r)
        whole = heights @ np.diff(edges) + left_tail[-2] + right_tail
        masses: Floats = (flat + np.diff(left_tail[:-2]) - np.diff(gone[:-2])) / whole
        return masses

    def left_of(self, w: Floats, start: float) -> Floats:
        """The integral of e^{rw} down to −1, then |w|^−r, one at the start of the tail."""
        assert start <= 1 - 1 / self.r
        end = min(start, -1.0)
        at_end = exp(self.r * (end - start))
        power = at_end * abs(end) / (self.r - 1) * (np.minimum(w, end) / end) ** (1 - self.r)
        inside = (np.exp(self.r * (np.maximum(w, end) - start)) - at_end) / self.r
        summed: Floats = power + inside
        return summed


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_small_database_loses_more_than_both_bounds(
    setting: tuple[str, str, str, int],
) -> None:
    alpha, epsilon, job, plus = setting
    built = soft(alpha, epsilon, job, plus=plus)
    a, e, each = (float(Fraction(number)) for number in (alpha, epsilon, job))
    own, least = OwnDensity(built, alpha, epsilon, job), float(built.stairs.plus)
    first = int(least / a)
    sizes = range(max(0, first - 3), first + 12)
    masses = {size: own.masses(size, 260) for size in range(sizes[0], 2 * first + 60)}
    worst = {True: 0.0, False: 0.0}
    for size in sizes:
        steps = int(max(a * size, least) + 1e-9)
        for gained in range(1, steps + 1):
            for after in {max(size, first), size + gained}:  # another one is the largest, or not
                if after in masses and size <= after <= size + gained:
                    ratio = np.log(masses[size][gained:] / masses[after][:-gained])
                    one = gained == 1
                    worst[one] = max(worst[one], float(np.abs(ratio).max()))
    assert worst[False] <= e * (1 + 1e-7)
    assert worst[True] <= each * (1 + 1e-7)
    assert worst[True] > 0.98 * each
    at = first + 3
    exact = [float(built.mass(j, max(Fraction(at), built.stairs.least))) for j in range(-30, 31)]
    assert exact == pytest.approx(masses[at][230:291].tolist(), rel=1e-7)


def test_masses_add_up_to_one_at_every_size() -> None:
    stairs = soft("0.3", "2.5", "0.4").stairs
    for size in (stairs.least, Fraction(57), Fraction(1000), stairs.large):
        with precision(128):
            law = stairs.law(size)
            ends = law.tails(law.joints[0])[0] + law.tails(law.joints[-1])[1]
            middle = law.between(law.joints[0], law.joints[-1])
            assert abs(float(middle + ends - 1)) < 1e-30


def test_undecided_constants_are_those_that_need_no_decision() -> None:
    usual, wide = soft().stairs, soft(plus=10).stairs
    assert usual.behind == Fraction(1, 2)
    assert usual.grows()
    assert wide.behind == wide.right * wide.plus > Fraction(1, 2)
    assert wide.before >= wide.left * wide.plus
    assert wide.grows()


def test_a_floor_is_as_high_as_there_are_steps() -> None:
    assert soft(epsilon="4", job="1").parameters.least == 4
    assert soft(epsilon="4", job="0.9").parameters.least == 5
    assert soft(epsilon="4", job="1", plus=6).parameters.least == 6
    assert soft(epsilon="8", job="1", cells=2).parameters.least == 4
    assert soft(epsilon="4", job="4").parameters.least == 1


def test_one_job_costs_the_cap_and_no_more_than_a_step() -> None:
    assert soft(job="0.9").one_job()[0] == Fraction(9, 10)
    assert soft(job="4").one_job()[0] == 4
    assert soft(epsilon="8", job="5", cells=2).one_job()[0] == 4
    assert soft().job_at(Fraction(11, 2))[0] == Fraction(4, 5)
    assert soft().one_job()[1] == soft().job_at(Fraction(4))[1] == 0
    assert soft().price().epsilon == 4
    assert soft().loss(0, 3) == 3  # no potential is proved: one job costs 1 at every size
    assert soft().loss(1000, 1003) == 3
    assert soft().loss(1000, 1100) == 4
    assert soft().loss(1000, 1101) == 8


def coverage(rule: SpentMargins, built: SoftStaircase, size: int) -> float:
    """P(|J| ≤ margin) over the noise of the scale and of the count."""
    noise, weights, stride = laplace_weights(float(rule.scale.law.pieces[0].rate))
    assert stride == 1
    margins = rule.margins(rule.scale.grid.index(np.array([size])) + noise)
    scale = built.scale(0, size)
    edge: Floats = (np.minimum(margins, 2.0**50) + 0.5) / float(scale)
    return float((weights * within(law_at(built.laws, scale), edge)).sum())


@pytest.mark.parametrize(("alpha", "epsilon", "job"), [("0.1", "4", "1"), ("0.1", "2", "1/2")])
def test_margins_cover_nine_in_ten_at_every_size(alpha: str, epsilon: str, job: str) -> None:
    built = soft(alpha, str(Fraction(epsilon) * Fraction(9, 10)), job)
    rule = spend(built, Fraction(epsilon) / 10)
    shares = [coverage(rule, built, size) for size in (0, 41, 50, 57, 66, 90, 200, 10**3, 10**6)]
    assert min(shares) >= 0.9
    assert min(shares) < 0.93  # and little wider than it takes


def test_the_smallest_coverage_is_over_all_sizes_and_their_limit() -> None:
    built = soft()
    reaches = REACHES[::256] * 0.1
    smallest = within(built.law, reaches)
    for size in (40, 41, 43, 50, 61, 77, 100, 150, 400, 10**4):
        covered = within(built.stairs.law(Fraction(size)), np.maximum(reaches, 0.5 / size))
        smallest = np.minimum(smallest, covered)
    assert (built.within(reaches) <= smallest + 2e-3).all()
    assert built.within(reaches) == pytest.approx(smallest, abs=0.02)


def test_free_margins_cover_cells_of_one_establishment() -> None:
    built = soft("0.1", "4", "1")
    rule = CountMargins.of(built)
    for size in (0, 30, 45, 80, 300, 5000):
        released = built.release(np.full(4000, size), np.full(4000, size))
        low, high = rule.interval(released)
        assert ((low <= size) & (size <= high)).mean() > 0.87


def test_a_reader_is_told_noise_as_wide_as_that_of_the_least_covered_size() -> None:
    """A certificate has one law: that of large sizes, which is the narrowest for its scale."""
    built = soft()
    stated = CountMargins.of(built).noise(built)
    assert stated.least == pytest.approx(built.wider * 40)
    reach = two_sided(built) * stated.least
    for size in built.stairs.sizes():
        covered = within(built.stairs.law(size), np.array([reach / 40]))
        assert covered[0] >= 0.9 - 1e-3
    assert 1.3 < built.wider < 1.5
