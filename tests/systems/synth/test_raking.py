"""Raking: both sums of every workplace cell are kept, and rows follow a guide past its noise."""

import numpy as np

from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.systems.synth.linked_model import associated, information, whole_joint

CELLS, WITHIN = 400, np.repeat([0, 1], 200)


def margins() -> tuple[Integers, Integers]:
    """Small workplace cells, many of them with few jobs or none."""
    draw = SeededBits(3).generator
    jobs = draw.poisson(6, CELLS)
    left = draw.multinomial(jobs, [0.6, 0.3, 0.1])
    right = draw.multinomial(jobs, [0.4, 0.3, 0.2, 0.1])
    return left, right


def test_whole_tables_keep_both_sums_and_follow_the_guide() -> None:
    left, right = margins()
    guide = np.array([[[40, 5, 5, 1], [5, 30, 5, 1], [1, 1, 1, 9.0]]] * 2) * 20
    offset = SeededBits(4).generator.random(CELLS)
    made = whole_joint(guide, WITHIN, left, right, offset)
    assert made.min() == 0
    assert np.array_equal(made.sum(axis=2), left)
    assert np.array_equal(made.sum(axis=1), right)
    alone = left[:, :, None] * right[:, None, :] / np.maximum(left.sum(axis=1), 1)[:, None, None]
    assert information(made[:200].sum(axis=0)[None] * 1.0) > 5 * information(
        alone[:200].sum(axis=0)[None]
    )


def test_a_guide_of_noise_leaves_codes_independent_and_a_clear_one_is_kept() -> None:
    left, right = margins()
    each = np.maximum(left.sum(axis=1), 1)[:, None, None]
    alone = np.stack([(left[:, :, None] * right[:, None, :] / each)[k == WITHIN].sum(axis=0)
                      for k in (0, 1)])  # fmt: skip
    noise = SeededBits(5).generator.normal(0, 20, alone.shape)
    variances = np.full(alone.shape, 400.0)
    moved, kept = associated(alone + noise, variances, WITHIN, left, right)
    assert kept == 0
    assert np.abs(moved - alone).max() < 1e-9
    pattern = 150 * np.outer([1, -1, 0], [1, -1, 0, 0])
    moved, kept = associated(alone + noise + pattern, variances, WITHIN, left, right)
    assert 0.8 < kept < 1
    assert np.abs(moved - alone)[:, 0, 0].min() > 60
    assert associated(alone + noise, None, WITHIN, left, right)[1] == 1
