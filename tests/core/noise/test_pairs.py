"""Pairs of count and payroll: both paths, one radius and one set of uniforms, the body's law."""

from fractions import Fraction

import numpy as np
import pytest

from leeward.core.exact import precision
from leeward.core.noise import block_draws
from leeward.core.noise.block_draws import PairBits, RefinedPairs, decide_pairs, draw_pairs
from leeward.core.noise.body import CENTRED, HEXAGON, Body
from leeward.core.noise.radial_cell import PublicTail
from leeward.core.noise.radial_law import RadialLaw, pareto_radius
from leeward.core.noise.scales import LEAST_NOISE, MOST_NOISE, Integers, Scales, TwoScales
from leeward.core.randomness import SecretBits, SeededBits
from tests.core.noise.goodness import FALSE_ALARM, p_value
from tests.core.noise.radial import slope
from tests.core.noise.scripted import constant_bits, scripted_bits

CELLS = 3
BODIES = (HEXAGON, CENTRED)
LAW = slope("0.1", 1, 2 * CELLS)[0]
LAWS = {"radial slope": LAW, "Pareto": pareto_radius(2 * CELLS, Fraction(12)), "none": None}
PAIR_LAWS = {"radial slope": slope("0.1", 1, 2)[0], "Pareto": pareto_radius(2, Fraction(9)),
             "none": None}  # fmt: skip
SCALES = [Fraction(1, 10**6), Fraction(5, 3), Fraction(10**9), Fraction(2) ** 45, Fraction(2) ** 70]


def pair_bits(rows: int, body: Body, seed: int = 3) -> PairBits:
    generator = SeededBits(seed).generator
    return PairBits(
        generator.integers(0, len(body.vertices), size=(rows, CELLS)),
        generator.integers(0, 2**63, size=(rows, CELLS, 2), dtype=np.uint64),
        generator.integers(0, 2**64, size=rows, dtype=np.uint64),
    )


def two(scale: Fraction, rows: int) -> TwoScales:
    ones = np.ones(rows, dtype=np.int64)
    return Scales(ones, factor=scale), Scales(ones, factor=7 * scale)


def slow(scales: TwoScales, words: PairBits, body: Body, law: RadialLaw | None) -> Integers:
    """Every number refined by balls."""
    found = np.zeros((*words.cones.shape, 2), dtype=np.int64)
    for row in range(len(found)):
        refined = RefinedPairs(words, row, law, SecretBits())
        for cell in range(CELLS):
            for number, scale in enumerate(scales):
                signs = body.cones[words.cones[row, cell], number]
                found[row, cell, number] = refined.rounded(scale.exact(row), cell, signs)
    return found


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)
def test_both_paths_give_the_same_integers(
    body: Body, law: RadialLaw | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant_bits(monkeypatch, 0x5A)
    words = pair_bits(20, body)
    for scale in SCALES:
        fast = decide_pairs(two(scale, 20), words, body, law, SecretBits())
        assert np.array_equal(fast, slow(two(scale, 20), words, body, law))


@pytest.mark.parametrize("byte", [0x01, 0xFE])
def test_extreme_words_go_the_right_way(byte: int, monkeypatch: pytest.MonkeyPatch) -> None:
    constant_bits(monkeypatch, byte)
    corners = [0, 1, 2**62, 2**63 - 2, 2**63 - 1]
    pairs = np.array([[[a, b]] * CELLS for a in corners for b in corners], dtype=np.uint64)
    cones = np.tile(np.arange(CELLS), (len(pairs), 1))
    radius = np.array([2 * corners[i % 5] for i in range(len(pairs))], dtype=np.uint64)
    words = PairBits(cones, pairs, radius)
    for scale in SCALES:
        scales = two(scale, len(pairs))
        fast = decide_pairs(scales, words, HEXAGON, LAW, SecretBits())
        assert np.array_equal(fast, slow(scales, words, HEXAGON, LAW))
        assert fast.min() >= LEAST_NOISE
        assert fast.max() <= MOST_NOISE


def test_both_numbers_of_a_refined_row_see_the_same_uniforms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bits that were added for one number are there for the other: one object a row."""
    made: list[int] = []

    class Counted(RefinedPairs):
        def __init__(
            self, words: PairBits, row: int, law: RadialLaw | None, bits: SecretBits
        ) -> None:
            made.append(row)
            super().__init__(words, row, law, bits)

    monkeypatch.setattr(block_draws, "RefinedPairs", Counted)
    decide_pairs(two(Fraction(2) ** 70, 8), pair_bits(8, HEXAGON), HEXAGON, LAW, SecretBits())
    assert made == list(range(8))


def test_a_word_at_the_uneven_end_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """2³² is no multiple of six: the last four words name no cone."""
    scripted_bits(monkeypatch, b"\xff\xff\xff\xff", b"\x05\x00\x00\x00")
    words = PairBits.read(2, 1, HEXAGON, LAW, SecretBits())
    assert words.cones.tolist() == [[5], [5]]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)
def test_the_norm_is_one_on_the_polygon(body: Body) -> None:
    corners = np.array(body.vertices, dtype=np.float64)
    between = (corners + np.roll(corners, 1, axis=0)) / 2
    for points in (corners, between):
        assert np.allclose(body.norm(points[:, 0], points[:, 1]), 1)
    area = sum(abs(a * d - b * c) for (a, b), (c, d) in body.cones.tolist()) / 2
    assert area == {"hexagon": 3, "centred": 2}[body.name]


@pytest.mark.parametrize("law", PAIR_LAWS.values(), ids=PAIR_LAWS)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)
def test_draws_have_the_closed_forms(body: Body, law: RadialLaw | None) -> None:
    """Constants of mathematics/pay.md 9, tails of contrasts, and N, of mean 2 for a pair."""
    draws, unit = 60_000, 10**6
    ones = np.full(draws, unit, dtype=np.int64)
    noise = draw_pairs((Scales(ones), Scales(ones)), 1, body, law, SecretBits())[:, 0] / unit
    times = 1.0 if law is None else 2 / (law.moment(1) or 0.0)
    tail, band = None if law is None else PublicTail(law), 5 / np.sqrt(draws)
    for a, b in ((1.0, 0.0), (0.0, 1.0), (-0.2, 1.0), (-1.0, 1.0)):
        contrast = np.abs(a * noise[:, 0] + b * noise[:, 1])
        mean = body.absolute(a, b) / times
        assert abs(contrast.mean() - mean) < band * contrast.std() + 1e-6
        reach = np.array([0.3, 1.0, 2.5]) * mean
        seen = (contrast[:, None] > reach).mean(axis=0)
        assert np.abs(seen - body.beyond(a, b, reach, tail)).max() < band
    norm = body.norm(noise[:, 0], noise[:, 1])
    assert abs(norm.mean() * times - 2) < 2 * band * norm.std() * times
    if law is None:
        both = np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]
        assert abs(both - {"hexagon": 0.5, "centred": 0.5**0.5}[body.name]) < 4 * band


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)
def test_norms_add_up_to_the_radius_and_not_to_one_of_a_tenth_more(body: Body) -> None:
    rows, unit = 100_000, 10**8
    ones = np.full(rows, unit, dtype=np.int64)
    noise = draw_pairs((Scales(ones), Scales(ones)), CELLS, body, LAW, SecretBits()) / unit
    size = body.norm(noise[:, :, 0], noise[:, :, 1]).sum(axis=1)
    at = np.quantile(size, np.linspace(0.02, 0.98, 40)).round(4)
    observed = np.bincount(np.searchsorted(at, size, side="right"), minlength=len(at) + 1)
    for factor, right in ((1.0, True), (1.1, False)):
        with precision(128):
            below = [float(LAW.tails(Fraction(edge * factor))[0]) for edge in at.tolist()]
        assert (p_value(observed, np.diff([0.0, *below, 1.0])) > FALSE_ALARM) == right


def test_pairs_of_a_row_share_one_radius() -> None:
    """Sizes of two pairs of a row are correlated through it, those of two rows are not."""
    ones = np.full(40_000, 10**6, dtype=np.int64)
    law = pareto_radius(4, Fraction(3))
    noise = draw_pairs((Scales(ones), Scales(ones)), 2, HEXAGON, law, SecretBits())
    sizes = np.log(np.abs(noise[:, :, 0]) + 1.0)
    assert np.corrcoef(sizes[:, 0], sizes[:, 1])[0, 1] > 0.1
    assert abs(np.corrcoef(sizes[1:, 0], sizes[:-1, 1])[0, 1]) < 0.03


def test_the_constants_of_the_hexagon() -> None:
    assert HEXAGON.absolute(1, 0) == HEXAGON.absolute(0, 1) == HEXAGON.absolute(-1, 1) == 4 / 3
    assert CENTRED.absolute(1, 0) == 1.5
    assert CENTRED.absolute(0, 1) == 1
    assert HEXAGON.absolute(-0.2, 1) == pytest.approx(1.2267, abs=1e-4)
    assert CENTRED.absolute(-0.2, 1) == pytest.approx(0.84)
