"""Draws of tables that add up, against the definition: a uniform point of a ball of V."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward.core.exact import precision
from leeward.core.noise.design import Design, Norm
from leeward.core.noise.joint_draws import RowWords, choices, decide_joint, draw_joint, refine_joint
from leeward.core.noise.joint_row import WordLayout
from leeward.core.noise.public_draws import PublicDraws
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.scales import Scales
from leeward.core.randomness import SecretBits, SeededBits
from tests.core.noise.goodness import FALSE_ALARM, p_value
from tests.core.noise.radial import slope

SIX = (3, 3, 6, 2, 5, 2)
LARGE = 10**6
ROWS = 40_000
NORMS: list[Norm] = ["sum", "side"]

Floats = NDArray[np.float64]


def drawn(design: Design, law: RadialLaw | None = None, rows: int = ROWS) -> Floats:
    """Noise in units of its scale, which is so large that rounding does not show."""
    scales = Scales(np.full(rows, LARGE))
    return draw_joint(design, scales, law, SecretBits()) / LARGE


def norm(values: Floats, design: Design) -> Floats:
    parts = [values[:, cells] for cells in design.slices()]
    if design.norm == "sum":
        return np.asarray(np.max([np.abs(one).sum(axis=1) for one in parts], axis=0))
    sides = [np.maximum(sign * one, 0).sum(axis=1) for one in parts for sign in (1, -1)]
    return np.asarray(np.max(sides, axis=0))


def uniform_in_ball(design: Design, rows: int) -> Floats:
    """By rejection from a box of free coordinates: nothing of the code under test is used."""
    generator, kept = SeededBits(5).generator, list[Floats]()
    while sum(map(len, kept)) < rows:
        total = generator.uniform(-1, 1, size=1 << 18)
        tables = []
        for size in design.tables:
            free = generator.uniform(-1, 1, size=(len(total), size - 1))
            tables.append(np.column_stack([free, total - free.sum(axis=1)]))
        points = np.concatenate(tables, axis=1)
        kept.append(points[norm(points, design) <= 1])
    return np.concatenate(kept)[:rows]


def far_apart(left: Floats, right: Floats) -> float:
    """The distance of two samples (Kolmogorov and Smirnov) over that of one in a million.

    Both are rounded: a table of one sign has a total of exactly its norm.
    """
    left, right = left.round(3), right.round(3)
    both = np.sort(np.concatenate([left, right]))
    shares = [np.searchsorted(np.sort(one), both, side="right") / len(one) for one in (left, right)]
    limit = 2.7 * np.sqrt(1 / len(left) + 1 / len(right))
    return float(np.abs(shares[0] - shares[1]).max() / limit)


def features(z: Floats) -> list[Floats]:
    """Cells, totals, cells of two tables, neighbours, and the largest cell of a table."""
    largest = np.abs(z[:, 2:]).max(axis=1)
    return [z.ravel(), z[:, :2].sum(axis=1), z[:, 0] * z[:, 2], z[:, 3] - z[:, 4], largest]


@pytest.mark.parametrize("kind", NORMS)
def test_directions_are_those_of_a_uniform_point_of_the_ball(kind: Norm) -> None:
    design = Design((2, 3), kind)
    ours, truth = drawn(design), uniform_in_ball(design, ROWS)
    ours, truth = (one / norm(one, design)[:, None] for one in (ours, truth))
    assert all(map(lambda a, b: far_apart(a, b) < 1, features(ours), features(truth)))


def pareto(design: Design, shape: int) -> RadialLaw | None:
    return pareto_radius(design.dimension, Fraction(shape)) if shape else None


@pytest.mark.parametrize(("kind", "shape"), [("side", 0), ("sum", 9), ("side", 9)])
def test_the_norm_has_the_law_of_the_density(kind: Norm, shape: int) -> None:
    design, generator = Design(SIX, kind), SeededBits(3).generator
    truth = generator.gamma(design.dimension, size=ROWS)
    truth = truth / generator.gamma(shape, size=ROWS) if shape else truth
    assert far_apart(norm(drawn(design, pareto(design, shape)), design), truth) < 1


@pytest.mark.parametrize("kind", NORMS)
def test_the_norm_has_the_law_of_the_radius_and_not_one_of_a_tenth_more(kind: Norm) -> None:
    design = Design(SIX, kind)
    law = slope("0.1", 4, design.dimension)[0]
    size = norm(drawn(design, law), design)
    at = np.quantile(size, np.linspace(0.02, 0.98, 40)).round(3)
    observed = np.bincount(np.searchsorted(at, size, side="right"), minlength=len(at) + 1)
    for factor, right in ((1.0, True), (1.1, False)):
        with precision(128):
            below = [float(law.tails(Fraction(edge * factor))[0]) for edge in at.tolist()]
        assert (p_value(observed, np.diff([0.0, *below, 1.0])) > FALSE_ALARM) == right


def test_directions_do_not_depend_on_the_radius() -> None:
    """Divided by the norm they are those of e^−N, and sizes of the two are not correlated."""
    design = Design((2, 3))
    radial, plain = drawn(design, slope("0.1", 4, 4)[0]), drawn(design)
    sizes = [norm(one, design) for one in (radial, plain)]
    both = [one / size[:, None] for one, size in zip((radial, plain), sizes, strict=True)]
    assert all(map(lambda a, b: far_apart(a, b) < 1, features(both[0]), features(both[1])))
    cells = np.abs(both[0][:, 2])
    assert abs(np.corrcoef(cells, np.log(sizes[0]))[0, 1]) < 5 / np.sqrt(ROWS)


def test_a_table_may_have_one_sign() -> None:
    """Leaving these faces of the ball out would tell databases apart for sure."""
    design = Design((2, 3))
    signs = np.sign(drawn(design))
    for cells, chance in zip(design.slices(), (0.46875, 0.25), strict=True):
        alike = np.abs(signs[:, cells].sum(axis=1)) == cells.stop - cells.start
        assert alike.mean() == pytest.approx(chance, abs=5 * np.sqrt(0.25 / ROWS))


def radial(design: Design) -> RadialLaw:
    return slope("0.1", 4, design.dimension)[0]


@pytest.mark.parametrize(
    ("kind", "law"),
    [("side", None), ("sum", pareto(Design(SIX), 12)), ("sum", radial(Design(SIX))),
     ("side", radial(Design(SIX)))],
    ids=["none", "Pareto", "radial slope", "radial slope, side"],
)  # fmt: skip
def test_balls_decide_as_floats_do(kind: Norm, law: RadialLaw | None) -> None:
    layout, bits = WordLayout(Design(SIX, kind), law), SecretBits()
    words, scales = RowWords.read(60, layout, bits), Scales(np.full(60, 100))
    quick = decide_joint(layout, scales, words, bits)
    slow = [refine_joint(layout, Fraction(100), words, row, bits) for row in range(60)]
    assert quick.tolist() == slow


def test_words_at_the_end_of_an_option_are_decided_with_more_bits() -> None:
    layout, bits = WordLayout(Design((3, 4)), radial(Design((3, 4)))), SecretBits()
    words = RowWords.read(100, layout, bits)
    words.wide[:, layout.power] = choices(layout.design).powers[2]
    noise = decide_joint(layout, Scales(np.full(100, 50)), words, bits)
    again = decide_joint(layout, Scales(np.full(100, 50)), words, bits)
    assert np.array_equal(noise[:, :3].sum(axis=1), noise[:, 3:].sum(axis=1))
    # Further bits say on which side of the end a uniform is: K, and so the noise, may differ.
    assert 5 < (noise != again).any(axis=1).sum() < 95


@pytest.mark.parametrize("shape", [0, 3])
def test_tables_add_up_at_every_scale(shape: int) -> None:
    design = Design((1, 4, 7), "sum" if shape else "side")
    sizes = np.repeat([1, 3, 1000, 10**9], 500)
    noise = draw_joint(design, Scales(sizes), pareto(design, shape), SecretBits())
    sums = [noise[:, cells].sum(axis=1) for cells in design.slices()]
    assert all(np.array_equal(sums[0], one) for one in sums)


@pytest.mark.parametrize(("kind", "shape"), [("side", 0), ("sum", 9)])
def test_public_draws_have_the_moments_of_the_design(kind: Norm, shape: int) -> None:
    design = Design(SIX, kind)
    draws, part = PublicDraws(design, shape), max(shape - 1, 1)
    shares = [draws.share_within(j, np.array([2.0, 6.0]) / part) for j in range(7)]
    ours = drawn(design, pareto(design, shape))
    for j, cells in enumerate(design.slices(), 1):
        seen = [(np.abs(ours[:, cells]) <= reach / part).mean() for reach in (2.0, 6.0)]
        assert shares[j] == pytest.approx(seen, abs=0.015)
        assert np.abs(ours[:, cells]).mean() * part == pytest.approx(
            design.absolute[j - 1], rel=0.03
        )
    if not shape:
        assert (ours**2).mean() == pytest.approx(
            np.average(design.squares, weights=design.tables), rel=0.03
        )


def test_public_draws_of_a_radius_have_the_shares_of_the_noise() -> None:
    design = Design(SIX)
    draws, ours = PublicDraws(design, radius=radial(design)), drawn(design, radial(design))
    other = PublicDraws(design, radius=slope("0.1", "4.4", design.dimension)[0])
    assert draws.tail == float(radial(design).tail or 0)
    for j, cells in enumerate(design.slices(), 1):
        reaches = np.array([0.3, 1.0, 2.0])
        seen = (np.abs(ours[:, cells, None]) <= reaches).mean(axis=(0, 1))
        assert draws.share_within(j, reaches) == pytest.approx(seen, abs=0.012)
        assert other.share_within(j, reaches) != pytest.approx(seen, abs=0.012)


@pytest.mark.parametrize(("kind", "shape"), [("side", 0), ("sum", 9)])
def test_the_law_for_readers_is_that_of_a_cell(kind: Norm, shape: int) -> None:
    draws = PublicDraws(Design(SIX, kind), shape)
    for table in (0, 3, 4):
        reaches = np.array([draws.reach(table, one) for one in (0.3, 0.75, 0.97, 0.999)])
        below, above = draws.law(table).float_tails(reaches)
        assert 1 - 2 * above == pytest.approx(draws.share_within(table, reaches), abs=0.01)
        assert below + above == pytest.approx(1)
