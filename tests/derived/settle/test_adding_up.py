"""Tables without a published total, and tables that cannot all be settled."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.derived.settle.adding_up import Settlement, fitted
from leeward.derived.settle.noisy_table import NoisyTable

CODES = {name: tuple(f"{name}{one}" for one in range(3)) for name in "abcd"}


def table(names: str, seed: int, worker: Sequence[str] = (), *, known: bool = True) -> NoisyTable:
    """Every combination of three codes of each identifier."""
    positions = np.indices((3,) * len(names)).reshape(len(names), 3 ** len(names))
    values = np.random.default_rng(seed).normal(4, 10, positions.shape[1]).round()
    return NoisyTable(
        name=names,
        codes={one: CODES[one] for one in names},
        positions=dict(zip(names, positions, strict=True)),
        values=values,
        drawn=np.ones(len(values), bool),
        variances=np.full(len(values), float(seed)) if known else None,
        worker=tuple(worker),
        family=names,
    )


@pytest.mark.parametrize("known", [True, False])
def test_tables_of_one_workplace_agree_on_a_total_that_nobody_published(known: bool) -> None:
    """Weighted by variances if these are public, else with equal weights."""
    first, second = (table(f"a{one}", n, [one], known=known) for n, one in ((1, "b"), (3, "c")))
    found = Settlement([first, second]).settle()
    sums = [found[one.name].reshape(3, 3).sum(axis=1) for one in (first, second)]
    own = [one.values.reshape(3, 3).sum(axis=1) for one in (first, second)]
    share = 0.75 if known else 0.5
    mean = np.floor(share * own[0] + (1 - share) * own[1] + 0.5)
    assert sums[0].tolist() == sums[1].tolist() == np.maximum(mean, 0).tolist()


def test_a_chain_of_levels_is_combined_from_below_and_fitted_from_above() -> None:
    """The slow truth: least squares over all cells of three levels at once."""
    fine, middle, top = table("ab", 2), table("a", 5), table("", 3)
    for one, size in ((fine, 500), (middle, 1500), (top, 4500)):
        object.__setattr__(one, "values", one.values + size)  # far from zero
    found = Settlement([fine, middle, top]).settle()
    z = np.concatenate([fine.values, middle.values, top.values])
    v = np.concatenate([fine.spread(), middle.spread(), top.spread()])
    rows = np.vstack([np.eye(9), np.kron(np.eye(3), np.ones(3)), np.ones(9)])
    best = np.linalg.solve(rows.T / v @ rows, rows.T / v @ z)
    assert found["ab"] == pytest.approx(best, abs=2)
    assert found[""][0] == found["a"].sum() == found["ab"].sum()
    assert found[""][0] == pytest.approx(best.sum(), abs=1)


def test_tables_that_overlap_in_one_that_others_divide_are_refused() -> None:
    names = ("abc", "abd", "a", "b")
    with pytest.raises(InvalidParameter, match="overlap in a third one"):
        Settlement([table(one, 1) for one in names]).settle()


def test_equal_codes_of_other_edges_are_other_classes() -> None:
    """Known bad: counts of jobs below 10 and below 100, both coded b0, are not one number."""
    fine, coarse = table("abc", 1, "bc"), table("ab", 2, "b")
    first, second = ({"b": (0, 10, 20, 30)}, {"b": (0, 100, 200, 300)})
    assert replace(fine, edges=first).divides(replace(coarse, edges=first))
    assert not replace(fine, edges=first).divides(replace(coarse, edges=second))
    assert not replace(fine, edges=first).divides(coarse)


def test_the_rest_of_a_table_that_leaves_jobs_out_is_not_published() -> None:
    """(9, −4) of 7: the unpublished cell of 2 gives way before cells of 0 do."""
    rows, totals = np.zeros(2, np.int64), np.array([7])
    found = fitted(np.array([9.0, -4]), np.ones(2), rows, totals, covers=False)
    assert found.tolist() == [7, 0]
    assert fitted(np.array([3.0, 1]), np.ones(2), rows, totals, covers=False).tolist() == [3, 1]
