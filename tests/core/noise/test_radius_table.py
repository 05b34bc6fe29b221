"""Quantiles of a radius in float64: every stretch, every joint, and what is left to balls."""

from dataclasses import replace

import numpy as np
import pytest

from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.radius_table import RadiusTable
from leeward.core.noise.tabulated import Floats, Words
from tests.core.noise.bounds import bounded, outside
from tests.core.noise.radial import LAWS, slope
from tests.core.noise.scripted import even_words, spread_words

every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def ends(table: RadiusTable) -> Words:
    """The first, second and last words of all stretches."""
    after = np.append(table.starts[1:], table.end)
    return np.unique(
        np.concatenate([table.starts, table.starts + np.uint64(1), after - np.uint64(1)])
    )


class Other:
    """A law with another table, as it is."""

    def __init__(self, law: RadialLaw, table: RadiusTable) -> None:
        self.tails, self.table = law.tails, table

    def approximate(self, words: Words) -> tuple[Floats, Floats]:
        return self.table.quantiles(words)


@every_law
def test_bounds_hold_at_the_ends_of_every_stretch(law: RadialLaw) -> None:
    words = ends(law.table)
    assert len(words) > 1000
    assert len(list(bounded(law, words))) > 0.9 * len(words)
    assert outside(law, words) == 0


@every_law
def test_bounds_hold_for_any_words_and_tighter_ones_would_not(law: RadialLaw) -> None:
    words = np.concatenate([spread_words(500), even_words(500)])
    assert outside(law, words) == 0
    assert outside(law, words, tighter=0.01) > 0


@every_law
def test_polynomials_of_fewer_terms_break_their_bounds(law: RadialLaw) -> None:
    shorter = law.table.coefficients.copy()
    shorter[:, 5:] = 0
    assert outside(Other(law, replace(law.table, coefficients=shorter)), even_words(500)) > 0


@every_law
def test_words_at_joints_and_ends_are_left_to_balls(law: RadialLaw) -> None:
    table = law.table
    at = np.array([0, 1, 2**64 - 2, 2**64 - 1, table.end, *table.torn], dtype=np.uint64)
    assert np.isinf(table.quantiles(at)[1]).all()
    assert len(table.torn) == len(law.pieces)


@every_law
def test_few_words_are_left_to_balls(law: RadialLaw) -> None:
    _, errors = law.table.quantiles(even_words(100_000))
    assert np.isfinite(errors).all()
    values, errors = law.table.quantiles(even_words(100_000, seed=7))
    assert np.median(errors / values) < 2.0**-40


def test_a_table_that_is_off_by_one_piece_is_found() -> None:
    """Stretches from a joint on, as if the piece before it went on."""
    law = LAWS["p 8"]
    table, joint = law.table, int(law.table.torn[1])
    at = np.searchsorted(table.starts, joint)
    centres = table.centres.copy()
    centres[at:] += np.uint64(1 << 40)
    assert outside(Other(law, replace(table, centres=centres)), even_words(200)) > 0


@pytest.mark.parametrize("dimension", [1000, 10_000])
def test_many_dimensions_cost_seconds(dimension: int) -> None:
    """Sums of so many terms, and as many stretches as in eight dimensions."""
    law = slope("0.0001", 2, dimension)[0]
    assert len(law.table.starts) < 2000
    assert outside(law, np.concatenate([spread_words(10), even_words(10)])) == 0
