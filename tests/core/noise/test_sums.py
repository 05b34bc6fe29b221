"""Margins of sums: they cover what mechanisms release, and a wrong law does not."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.sums import (
    SEEDS,
    Case,
    block,
    clipped,
    coverage,
    gaussian,
    mechanism,
    power,
    reached,
)
from leeward import read_plan
from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins, ends
from leeward.core.mechanisms.measurement import Measurement, Needs
from leeward.core.noise.law import pareto
from leeward.core.noise.scales import CellNoise
from leeward.core.noise.sums import ErrorDraws
from leeward.publishing.bundle.noise_statement import NoiseStatement

SUMS, EACH, KINDS, DRAWS, ESTABLISHMENTS = 400, 5, 4, 1000, 3
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
ATTRIBUTES = {
    "place": {"table": "workplaces", "public": True, "codes": ["01"]},
    "sex": {"table": "workers", "codes": ["1", "2", "3", "4"]},
}


def measurement(
    mechanism: str,
    policy: str,
    by: list[str],
    epsilon: str = "4",
    margins: str = "",
    alpha: str = "0.1",
) -> Measurement:
    protect = {"policy": policy, "epsilon": epsilon}
    protect |= {"alpha": alpha} if policy != "worker" else {}
    request = {
        "codebook": {"attributes": ATTRIBUTES},
        "account": "office",
        "period": "2026Q2",
        "protect": protect,
        "tables": [
            {"name": "t", "by": by, "mechanism": mechanism}
            | ({"margins": margins} if margins else {})
        ],
    }
    return read_plan(request).tables[0].measurement


def drawn_by(draws: ErrorDraws, values: Integers, margins: Margins) -> NDArray[np.float32]:
    low, _ = ends(values, margins)
    return draws.draw(values, values - low, np.full(len(values), ESTABLISHMENTS))


def entries(sizes: Integers, d: int) -> Entries:
    """Workplace cells of some equal establishments, whose workers are spread evenly."""
    w, e = len(sizes), ESTABLISHMENTS
    return Entries(
        counts=np.repeat(sizes // d, d * e),
        cell=np.tile(np.arange(d), w * e),
        row=np.repeat(np.arange(w * e), d),
        sizes=np.repeat(sizes // d * d, e),
        workplace=np.repeat(np.arange(w), e),
        shape=(w, d),
        in_frame=np.full(w, e),
    )


def covered(made: Measurement, noise: CellNoise) -> tuple[float, float, float]:
    """The share of sums over workplaces, of their blocks, and of sums over all cells.

    They hold the truth between their ends.
    """
    sizes = np.random.default_rng(1).lognormal(3, 1.5, SUMS * EACH).astype(np.int64) + 8
    d = made.parameters.cells
    held = entries(sizes, d)
    true = held.as_cells()
    values, margins, _ = made.measure(held if made.needs is Needs.ENTRIES else true)
    draws = ErrorDraws(noise, 7, DRAWS)
    drawn = drawn_by(draws, values, margins).reshape(SUMS, EACH, d, -1).sum(1)
    counts, values = (one.reshape(SUMS, EACH, d).sum(1) for one in (true.counts, values))
    wide = draws.margins(made.margin_columns, values, drawn)
    block = inside(counts, values, wide, "block_" if d > 1 else "").all(axis=1)
    total = [one.sum(1, keepdims=True) for one in (counts, values, drawn)]
    last = draws.margins(made.margin_columns, total[1], total[2])
    return (
        float(inside(counts, values, wide).mean()),
        float(block.mean()),
        float(inside(total[0], total[1], last).mean()),
    )


def inside(counts: Integers, values: Integers, margins: Margins, of: str = "") -> Booleans:
    low, high = ends(values, margins, of)
    return (low <= counts) & (counts <= high)


@pytest.mark.parametrize(
    ("mechanism", "policy", "by"),
    [
        ("staircase", "strong", ["place"]),
        ("vector_pareto", "strong", ["place", "sex"]),
        ("log_laplace", "strong", ["place"]),
        ("edge_laplace", "worker", ["place", "sex"]),
        ("clipped", "strong", ["place", "sex"]),
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
    narrow = replace(noise, share=noise.share / 4, least=noise.least / 4)
    assert min(covered(made, narrow)) < 0.85


@pytest.mark.parametrize(("epsilon", "margins"), [("1", "1/10"), ("0.5", "free")])
@pytest.mark.parametrize("largest", [6, 2000])
def test_sums_of_many_cells_have_margins_of_their_own_size(
    epsilon: str, margins: str, largest: int
) -> None:
    each, random = 50, np.random.default_rng(3)
    made = measurement("slope", "strong", ["place"], epsilon, margins)
    sizes = np.exp(random.uniform(0, np.log(largest), (SUMS * each, 2))).astype(np.int64)
    true = Cells(sizes.sum(axis=1, keepdims=True), sizes.max(axis=1))
    values, found, _ = made.measure(true)
    noise = made.cell_noise()
    assert noise is not None
    draws = ErrorDraws(noise, 7, 300)
    drawn = drawn_by(draws, values, found).reshape(SUMS, each, 1, -1).sum(1)
    counts, values = (one.reshape(SUMS, each, 1).sum(1) for one in (true.counts, values))
    wide = draws.margins(made.margin_columns, values, drawn)
    low, high = ends(values, wide)
    # 400 sums: 0.85 is more than three standard deviations below 0.9.
    assert inside(counts, values, wide).mean() > 0.85
    assert np.median(high - low) / 2 < 2.5 * np.quantile(np.abs(values - counts), 0.9)


@pytest.mark.parametrize(
    ("case", "cells"),
    [
        (partial(power, "10"), 1 << 18),
        (partial(power, "1.5"), 1 << 18),
        pytest.param(partial(power, "2.2"), 1 << 20, marks=pytest.mark.slow),
        (partial(block, 2, whole=True), 10_000),
        (clipped, 10_000),
        (gaussian, 1 << 20),
    ],
)
def test_totals_of_very_many_cells_hold(case: Callable[[], Case], cells: int) -> None:
    """One pool of draws, whose own mean is not 0, held .86 at 2¹⁸ and .76 at 2²⁰."""
    made = case()
    held, _ = coverage(made, cells, SEEDS[:4])
    assert reached(made, held), held


def test_a_total_allows_for_the_mean_of_rounded_noise() -> None:
    made = mechanism("staircase", "4", (40,))
    assert made.noise.lean > 0.01
    held, without = coverage(made, 10_000, SEEDS[:4])
    assert reached(made, held)
    assert without < 0.8


def test_a_pool_has_the_mean_of_its_law() -> None:
    for noise in (
        CellNoise(pareto(Fraction(3, 2)), 1.0, 0.0),
        CellNoise(None, 1.0, 0.0),
        CellNoise(None, 1.0, 0.0, shared=3),
        replace(mechanism("slope", "1", (10,)).noise, lean=0.0),
    ):
        numbers = np.full((1 << 10, 1), 10_000)
        drawn = [ErrorDraws(noise, seed, 1 << 11).draw(numbers, numbers, None) for seed in (3, 8)]
        # The mean of two million numbers of a pool is off by a thousandth without a centre.
        spread = float(np.quantile(np.abs(drawn[0]), 0.9))
        assert np.mean([np.abs(one.mean()) for one in drawn]) < 1e-3 * spread


def test_a_count_that_bounds_nothing_plays_no_part() -> None:
    # At α = 1, ε = 2 noise of one in forty cells is as large as the cell: no c·v bounds it.
    made = measurement("slope", "strong", ["place"], "2", "1/4", alpha="1")
    noise = made.cell_noise()
    assert noise is not None
    assert noise.slope is None
    values = np.array([[0], [-3], [50]])
    drawn = drawn_by(ErrorDraws(noise, 7, 100), values, {"margin": np.full((3, 1), 20)})
    assert np.isfinite(drawn).all()
    assert (np.abs(drawn).max(axis=2) > 1).all()


def test_worker_cells_of_a_block_share_a_factor() -> None:
    noise = measurement("vector_pareto", "strong", ["place", "sex"]).cell_noise()
    assert noise is not None
    assert noise.shared is not None
    margins = np.full((4000, KINDS), 1000)
    heavy = replace(noise, shared=2)
    drawn = drawn_by(ErrorDraws(heavy, 3, draws=50), margins, {"margin": margins})
    sizes = np.abs(drawn[:, :, 0])
    together = np.corrcoef(np.log1p(sizes[:, 0]), np.log1p(sizes[:, 1]))[0, 1]
    assert together > 0.2
    between = np.corrcoef(np.log1p(sizes[:-1, 0]), np.log1p(sizes[1:, 0]))[0, 1]
    assert abs(between) < 0.05


def test_the_same_seed_draws_the_same_however_cells_are_cut() -> None:
    noise = measurement("vector_pareto", "strong", ["place", "sex"]).cell_noise()
    assert noise is not None
    margins = np.arange(6 * KINDS).reshape(6, KINDS)
    whole = drawn_by(ErrorDraws(noise, 5), margins, {"margin": margins})
    cut = ErrorDraws(noise, 5)
    cuts = (margins[:1], margins[1:4], margins[4:])
    parts = [drawn_by(cut, part, {"margin": part}) for part in cuts]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not np.array_equal(whole, drawn_by(ErrorDraws(noise, 6), margins, {"margin": margins}))


def test_a_margin_is_the_order_statistic_that_nine_of_ten_keep_to() -> None:
    noise = CellNoise(None, 1.0, 0.0)
    drawn = np.tile(np.arange(-999, 1000, 2, dtype=np.float32), (2, 1, 1))
    found = ErrorDraws(noise, 1).margins(["margin"], np.zeros((2, 1), np.int64), drawn)
    assert found["margin"].tolist() == [[901], [901]]
    endless = np.full((1, 1, 9), np.nan, np.float32)
    found = ErrorDraws(noise, 1).margins(["margin"], np.zeros((1, 1), np.int64), endless)
    assert found["margin"].tolist() == [[2**62]]


def test_a_reader_of_the_certificate_has_the_same_law() -> None:
    asked = {
        **dict.fromkeys(("slope", "staircase", "log_laplace", "smooth_gamma"), ("strong", 1)),
        **dict.fromkeys(("vector_pareto", "clipped"), ("strong", 2)),
        "edge_laplace": ("worker", 2),
    }
    words = np.arange(1, 2**64, 2**54, dtype=np.uint64)
    for name, (policy, kinds) in asked.items():
        noise = measurement(name, policy, ["place", "sex"][:kinds]).cell_noise()
        assert noise is not None
        written = NoiseStatement.of(noise.stated()).model_dump_json()
        assert len(written) < 2000
        read = CellNoise.read(NoiseStatement.model_validate_json(written).numbers())
        assert read == CellNoise.read(noise.stated())
        assert replace(read, law=noise.law) == noise
        if noise.law is not None and read.law is not None:
            quantiles = noise.law.approximate(words)[0]
            assert read.law.approximate(words)[0] == pytest.approx(quantiles, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"pieces": None}, "pieces must be there"),
        ({"pieces": [{"low": 0.0, "rate": 1.0}, {"rate": -1.0}]}, "must be in order"),
        ({"pieces": [{"rate": 1.0}, {"low": 0.0, "rate": -1.0, "power": 2.0}]}, "must have a rate"),
        ({"pieces": [{"rate": 1.0}, {"low": 0.0, "rate": 0.0}]}, "must not be 0"),
        ({"share": float("inf")}, "finite"),
    ],
)
def test_numbers_that_state_no_noise_are_refused(changes: dict[str, object], rule: str) -> None:
    pieces = [{"rate": 1.0}, {"low": 0.0, "rate": -1.0}]
    numbers = {"law": "pieces", "pieces": pieces, "share": 1.0, "least": 0.0}
    with pytest.raises(ValueError, match=rule):
        NoiseStatement.of(numbers | changes)
