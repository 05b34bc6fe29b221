"""Blocks in float64 against balls: same words, same integers, one radius for all cells of a row."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.noise.block_draws import (
    RefinedBlock,
    RowBits,
    decide_block,
    draw_block,
    exponentials,
    radius_ball,
    radius_over,
)
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.sampling import settle
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales
from leeward.core.noise.tabulated import ROUNDING, Floats
from leeward.core.randomness import SecretBits, SeededBits
from tests.core.noise.goodness import DRAWS, FALSE_ALARM, counted, p_value
from tests.core.noise.radial import LAWS, slope
from tests.core.noise.scripted import constant_bits

CELLS = 4
LAW, OTHER = slope("0.1", 1, CELLS)[0], slope("0.1", "1.1", CELLS)[0]
SCALES = [Fraction(1, 10**6), Fraction(5, 3), Fraction(10**6), Fraction(2) ** 45, Fraction(2) ** 70]


def row_bits(rows: int, seed: int = 3) -> RowBits:
    generator = SeededBits(seed).generator
    return RowBits(
        generator.integers(0, 2**64, size=(rows, CELLS), dtype=np.uint64),
        generator.integers(0, 2**64, size=rows, dtype=np.uint64),
    )


def scales(scale: Fraction, rows: int) -> Scales:
    return Scales(np.ones(rows, dtype=np.int64), factor=scale)


def slow(scale: Fraction, words: RowBits) -> Integers:
    """Every cell of every row refined, signs and saturation put on afterwards."""
    rows = []
    for row in range(len(words.cells)):
        refined = RefinedBlock(words, row, LAW, SecretBits())
        sizes = [refined.rounded(scale, cell) for cell in range(CELLS)]
        signs = [word >= 2**63 for word in words.cells[row].tolist()]
        pairs = zip(sizes, signs, strict=True)
        rows.append([-size if minus else min(size, MOST_NOISE) for size, minus in pairs])
    return np.array(rows, dtype=np.int64)


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{float(scale):.0e}")
def test_both_paths_give_the_same_integers(
    scale: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, 0x5A)
    words = row_bits(30)
    fast = decide_block(scales(scale, 30), words, LAW, SecretBits())
    assert fast.tolist() == slow(scale, words).tolist()


def edge_rows() -> RowBits:
    """The smallest and largest words for the cells, with the smallest and largest of a radius."""
    corners = [0, 1, 2, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
    cells = np.array([[w] * CELLS for w in corners for _ in range(4)], dtype=np.uint64)
    radius = [0, 1, 2**64 - 2, 2**64 - 1]
    return RowBits(cells, np.array(radius * len(corners), dtype=np.uint64))


@pytest.mark.parametrize("byte", [0x01, 0xFE])
def test_extreme_words_go_the_right_way(byte: int, monkeypatch: pytest.MonkeyPatch) -> None:
    constant_bits(monkeypatch, byte)
    words = edge_rows()
    for scale in SCALES:
        fast = decide_block(scales(scale, len(words.cells)), words, LAW, SecretBits())
        assert fast.tolist() == slow(scale, words).tolist()


def value(refined: RefinedBlock, cell: int, scale: Fraction = Fraction(1)) -> arb:
    """σρE/ΣE from the bits that the row holds now."""
    with precision(1000):
        logs = [uniform.ball().log() for uniform in refined.cells]
        share: arb = ball(scale) * logs[cell] / sum(logs, arb(0))
        return share * radius_ball(refined.law, refined.radius)


def test_all_cells_of_a_refined_row_see_the_same_radius_and_sum() -> None:
    words, scale, longer = row_bits(20), Fraction(2) ** 60, 0
    for row in range(20):
        refined = RefinedBlock(words, row, LAW, SecretBits())
        sizes = [refined.rounded(scale, cell) for cell in range(CELLS)]
        added = {refined.radius.size - 64, *(uniform.size - 63 for uniform in refined.cells)}
        assert len(added) == 1  # all of them, whichever cell needed more
        for cell, size in enumerate(sizes):
            saturated = size == -LEAST_NOISE
            assert saturated or value(refined, cell, scale).overlaps(arb(size) + arb(0, 0.5))
        other = RefinedBlock(words, row, LAW, SecretBits())
        if added != {0} and [other.rounded(scale, cell) for cell in range(CELLS)] != sizes:
            longer += 1
    assert longer > 0


def test_refining_extends_the_words_and_replaces_none() -> None:
    words = row_bits(1)
    refined = RefinedBlock(words, 0, LAW, SecretBits())
    refined.rounded(Fraction(2) ** 60, 0)
    assert refined.radius.size > 64
    assert refined.radius.word >> (refined.radius.size - 64) == int(words.radius[0])
    for uniform, word in zip(refined.cells, words.cells[0].tolist(), strict=True):
        assert uniform.word >> (uniform.size - 63) == word % 2**63


def bounds(words: RowBits, law: RadialLaw = LAW) -> tuple[Floats, Floats]:
    """ρE/ΣE in float64, and the bounds that `decide_block` has."""
    with np.errstate(all="ignore"):
        exponential, slip = exponentials(words.cells & np.uint64(2**63 - 1))
        whole = exponential.sum(axis=1)
        blur = slip.sum(axis=1) + exponential.shape[1] * ROUNDING * whole
        unit, loose = radius_over(whole, blur, law, words.radius)
        z = exponential * unit[:, None]
        return z, slip * (unit + loose)[:, None] + exponential * loose[:, None] + ROUNDING * z


def outside(words: RowBits, tighter: float = 1.0) -> int:
    """How many cells are certainly not within their bound."""
    z, error = bounds(words)
    count = 0
    for row in range(len(z)):
        refined = RefinedBlock(words, row, LAW, SecretBits())
        for uniform in (refined.radius, *refined.cells):
            uniform.extend()
        for cell in range(CELLS):
            off = abs(value(refined, cell) - arb(float(z[row, cell])))
            count += bool(off > arb(float(error[row, cell]) * tighter))
    return count


def test_error_bounds_hold_and_tighter_ones_would_not() -> None:
    words = row_bits(100)
    assert np.isfinite(bounds(words)[1]).all()
    assert outside(words) == 0
    assert outside(words, tighter=2.0**-12) > 0


def test_a_cell_of_few_known_bits_blurs_the_others_of_its_row() -> None:
    words = row_bits(100)
    words.cells[:, 0] = np.arange(2, 102)
    error = bounds(words)[1]
    assert np.isfinite(error).all()
    assert outside(words) == 0
    words.cells[:, 0] = 1  # less than two units from the end nothing is known
    assert np.isinf(bounds(words)[1]).all()


def test_few_rows_need_the_slow_path() -> None:
    words = row_bits(100_000)
    z, error = bounds(words)
    _, open_ = settle(z, error, np.full((len(z), 1), 100.0))
    assert open_.mean() < 1e-6


@pytest.fixture(scope="module")
def many() -> Integers:
    """So many rows at a scale of 50 jobs."""
    return draw_block(scales(Fraction(50), DRAWS // CELLS), CELLS, LAW, SecretBits())


def cell_masses(law: RadialLaw, scale: int, cuts: list[int]) -> Floats:
    """Of |J| below the first cut, from each cut to the next, and from the last on."""
    with precision(128):
        tails = [float(law.cell_tail((cut - Fraction(1, 2)) / scale)) for cut in cuts]
    return -np.diff([1.0, *tails, 0.0])


@pytest.mark.parametrize("cell", range(CELLS))
def test_cells_have_their_exact_law_and_not_that_of_another_epsilon(
    cell: int, many: Integers
) -> None:
    cuts = np.unique(np.quantile(np.abs(many), np.linspace(0.02, 0.995, 40)).astype(int) + 1)
    observed = counted(np.abs(many[:, cell]), cuts.tolist())
    assert p_value(observed, cell_masses(LAW, 50, cuts.tolist())) > FALSE_ALARM
    assert p_value(observed, cell_masses(OTHER, 50, cuts.tolist())) < FALSE_ALARM
    signs = np.array([(many[:, cell] > 0).sum(), (many[:, cell] < 0).sum()])
    assert p_value(signs, np.array([0.5, 0.5])) > FALSE_ALARM


@pytest.mark.parametrize("name", ["p 2", "p 8", "p 24", "p 200", "Pareto k 30, p 4"])
def test_sizes_have_the_law_of_the_radius_and_not_one_of_a_tenth_more(name: str) -> None:
    """Σ|z| at a scale so large that rounding does not show; the direction is shared evenly."""
    law, wide = LAWS[name], 10**7
    noise = draw_block(scales(Fraction(wide), DRAWS // law.dimension), law.dimension, law,
                       SecretBits())  # fmt: skip
    size = np.abs(noise).sum(axis=1) / wide
    at = np.unique(np.quantile(size, np.linspace(0.02, 0.98, 40)).round(3))
    for factor, right in ((1.0, True), (1.1, False)):
        with precision(128):
            below = [float(law.tails(Fraction(edge * factor))[0]) for edge in at.tolist()]
        observed = np.bincount(np.searchsorted(at, size, side="right"), minlength=len(at) + 1)
        assert (p_value(observed, np.diff([0.0, *below, 1.0])) > FALSE_ALARM) == right
    share = np.abs(noise[:, 0]) / wide / size  # (1−x)^(p−1) is uniform
    even = np.bincount((20 * (1 - share) ** (law.dimension - 1)).astype(int).clip(0, 19))
    assert p_value(even, np.full(20, 0.05)) > FALSE_ALARM


def test_noise_beyond_2_to_the_53_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    constant_bits(monkeypatch, 0x5A)
    noise = decide_block(scales(Fraction(2) ** 60, 50), row_bits(50), LAW, SecretBits())
    assert (np.abs(noise) > 2**53).mean() > 0.5
    assert (noise % 2 == 1).any()


def test_noise_beyond_64_bits_saturates_on_either_side() -> None:
    noise = decide_block(scales(Fraction(2) ** 80, 50), row_bits(50), LAW, SecretBits())
    assert set(noise.ravel().tolist()) == {LEAST_NOISE, MOST_NOISE}


@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_rows_are_kept_whatever_their_number(rows: int) -> None:
    noise = draw_block(scales(Fraction(7), rows), CELLS, LAW, SecretBits())
    assert noise.shape == (rows, CELLS)
    assert noise.dtype == np.int64
