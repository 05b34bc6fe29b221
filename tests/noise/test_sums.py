"""Margins of sums: they cover what mechanisms release, and a wrong law does not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from leeward import read_plan
from leeward.mechanisms.measurement import Measurement
from leeward.model import Cells
from leeward.noise.scales import CellNoise
from leeward.noise.sums import NoiseDraws, margins_of_sums

SUMS, EACH, KINDS, DRAWS = 400, 5, 4, 1000
ATTRIBUTES = {
    "place": {"table": "workplaces", "public": True, "codes": ["01"]},
    "sex": {"table": "workers", "codes": ["1", "2", "3", "4"]},
}


def measurement(mechanism: str, policy: str, by: list[str]) -> Measurement:
    protect = {"policy": policy, "epsilon": 4} | ({"alpha": "0.1"} if policy != "worker" else {})
    request = {
        "codebook": {"attributes": ATTRIBUTES},
        "account": "office",
        "period": "2026Q2",
        "protect": protect,
        "tables": [{"name": "t", "by": by, "mechanism": mechanism}],
    }
    return read_plan(request).tables[0].measurement


def covered(made: Measurement, noise: CellNoise) -> tuple[float, float]:
    """The share of sums over workplaces, and over all cells, that are within their margins."""
    sizes = np.random.default_rng(1).lognormal(3, 1.5, SUMS * EACH).astype(np.int64) + 8
    d = made.parameters.cells
    counts = np.repeat(sizes[:, None] // d, d, axis=1)
    values, margins, _ = made.measure(Cells(counts, sizes, counts))
    assert margins is not None
    error = (values - counts).reshape(SUMS, EACH, d).sum(1)
    drawn = NoiseDraws(noise, 7, DRAWS).draw(margins, np.full(len(sizes), True))
    summed = drawn.reshape(SUMS, EACH, d, -1).sum(1)
    return share(error, summed), share(error.sum(1), summed.sum(1))


def share(error: NDArray[np.int64], drawn: NDArray[np.float32]) -> float:
    return float(np.mean(np.abs(error) <= margins_of_sums(drawn)))


@pytest.mark.parametrize(
    ("mechanism", "policy", "by"),
    [
        ("staircase", "strong", ["place"]),
        ("vector_pareto", "strong", ["place", "sex"]),
        ("log_laplace", "strong", ["place"]),
        ("edge_laplace", "worker", ["place", "sex"]),
    ],
)
def test_nine_sums_of_ten_are_within_their_margins(
    mechanism: str, policy: str, by: list[str]
) -> None:
    made = measurement(mechanism, policy, by)
    noise = made.cell_noise()
    assert noise is not None
    # 400 sums: 0.85 is more than three standard deviations below 0.9.
    assert min(covered(made, noise)) > 0.85
    narrow = replace(noise, share=noise.share / 2, least=noise.least / 2)
    assert min(covered(made, narrow)) < 0.85


def test_worker_cells_of_a_block_share_a_factor() -> None:
    noise = measurement("vector_pareto", "strong", ["place", "sex"]).cell_noise()
    assert noise is not None
    assert noise.shared is not None
    margins = np.full((4000, KINDS), 1000)
    heavy = replace(noise, rate=None, shared=2)
    drawn = NoiseDraws(heavy, 3, draws=50).draw(margins, margins[:, 0] > 0)
    sizes = np.abs(drawn[:, :, 0])
    together = np.corrcoef(np.log1p(sizes[:, 0]), np.log1p(sizes[:, 1]))[0, 1]
    assert together > 0.2
    between = np.corrcoef(np.log1p(sizes[:-1, 0]), np.log1p(sizes[1:, 0]))[0, 1]
    assert abs(between) < 0.05


def test_the_same_seed_draws_the_same_however_cells_are_cut() -> None:
    noise = measurement("vector_pareto", "strong", ["place", "sex"]).cell_noise()
    assert noise is not None
    margins = np.arange(6 * KINDS).reshape(6, KINDS)
    drawn = np.array([True, True, False, True, True, True])
    whole = NoiseDraws(noise, 5).draw(margins, drawn)
    cut = NoiseDraws(noise, 5)
    parts = [cut.draw(margins[at], drawn[at]) for at in (slice(1), slice(1, 4), slice(4, 6))]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not whole[2].any()
    assert not np.array_equal(whole, NoiseDraws(noise, 6).draw(margins, drawn))


def test_a_margin_is_the_order_statistic_that_nine_of_ten_keep_to() -> None:
    drawn = np.tile(np.arange(-999, 1000, 2, dtype=np.float32), (2, 1))
    assert margins_of_sums(drawn).tolist() == [901, 901]
    assert margins_of_sums(np.full((1, 9), np.nan, np.float32)).tolist() == [2**62]
