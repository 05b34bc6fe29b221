"""Sets of ranks where widths were paid for: releases, and known-bad sets beside them."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from leeward.core.codebook import Batch, Cells, Confidential
from leeward.core.noise.sums import ErrorDraws, sides
from leeward.core.noise.tail_table import NoisyWidth
from leeward.derived.derive import quantities
from leeward.derived.derive.groups import Groups
from leeward.derived.derive.stated_errors import Errors
from leeward.publishing.release.measuring import publish
from tests.publishing.plans import planned

RELEASES, DRAWS = 40, 300
MOST = 10
"""Of 40 releases more miss with a probability of .0015 where sets hold in 90 % of cases."""

ALIKE, UNLIKE = 250 + np.arange(300), np.sort(10 + (np.arange(300) ** 2) // 12)


def wrong(folder: Path, mechanism: str, epsilon: float, share: float, sizes: np.ndarray) -> int:
    """In how many releases of single establishments some set of ranks lacks the true one."""
    table = f"{{name: a, by: [place], mechanism: {mechanism}, margins: {share}}}"
    protect = f"{{policy: strong, alpha: 0.1, epsilon: {epsilon}}}"
    made = planned(folder, table, protect=protect).tables[0].measurement
    noise = made.cell_noise()
    assert noise is not None
    cells = Confidential(Cells(sizes[:, None], sizes))
    first, last = 1 + (sizes > sizes[:, None]).sum(axis=1), (sizes >= sizes[:, None]).sum(axis=1)
    missed = 0
    for seed in range(RELEASES):
        published = publish(Batch(np.arange(len(sizes)), cells), made)
        margins = published.margins["margin"]
        draws = ErrorDraws(noise, seed, DRAWS)
        drawn = draws.draw(published.values, margins, None)[:, 0]
        errors = Errors(*sides(drawn, halved=draws.halved), ends=False)
        values: Any = published.values[:, 0]
        about: Any = SimpleNamespace(name="a")
        ones = np.ones(len(sizes), np.int64)
        groups = Groups(about, ("place",), (("0",),) * len(sizes), values, ones, errors)
        sets = np.array([*quantities.rank_sets(groups, range(len(sizes)))])
        missed += not ((sets[:, 0] <= last) & (first <= sets[:, 1])).all()
    return missed


Spread = Callable[[float, float], None]


@pytest.fixture
def spread(monkeypatch: pytest.MonkeyPatch) -> Spread:
    def noisy(epsilon: float, share: float) -> None:
        width = NoisyWidth(float(np.log(1.1)) / (epsilon * share), 0.003)
        monkeypatch.setattr(quantities, "paid_width", lambda _: width)

    return noisy


@pytest.mark.parametrize("sizes", [ALIKE, UNLIKE], ids=["alike", "unlike"])
@pytest.mark.parametrize("mechanism", ["slope", "vector_pareto"])
def test_sets_of_ranks_hold_where_little_was_paid_for_widths(
    mechanism: str, sizes: np.ndarray, spread: Spread, tmp_path: Path
) -> None:
    spread(1, 0.15)
    assert wrong(tmp_path, mechanism, 1, 0.15, sizes) <= MOST


def test_widths_that_are_taken_as_exact_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(quantities, "paid_width", lambda _: None)
    sizes = 250 + np.arange(1000)
    assert wrong(tmp_path, "vector_pareto", 0.75, 0.15, sizes) > MOST


def test_every_rank_is_possible_where_a_width_has_no_mean(spread: Spread, tmp_path: Path) -> None:
    spread(0.5, 0.1)
    assert wrong(tmp_path, "slope", 0.5, 0.1, ALIKE) == 0
