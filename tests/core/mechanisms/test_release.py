"""What every release keeps: shapes, types, secrecy of its bits; and that mechanisms are values."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from inspect import signature

import numpy as np
import pytest

from leeward.core.mechanisms import REGISTRY, mechanism
from leeward.core.noise.scales import BOUND
from tests.core.mechanisms.built import SCALAR, Cell, additive, clipped, vector_pareto

SHAPES = [(), (0,), (7,), (2, 3)]
BLOCK = vector_pareto(alpha="0.01", epsilon=1, cells=4)
ALL = [*(additive(case) for case in SCALAR), BLOCK, clipped(alpha="0.1", epsilon=1, cells=2)]


@pytest.mark.parametrize("case", SCALAR)
def test_a_release_has_the_shape_of_the_counts_and_is_int64(case: str) -> None:
    built = additive(case)
    for shape in SHAPES:
        released = built.release(np.full(shape, 90), np.full(shape, 100))
        assert isinstance(released, np.ndarray)
        assert released.shape == shape
        assert released.dtype == np.int64
    assert built.release([90, 91], [100, 101]).shape == (2,)
    assert built.release([], []).shape == (0,)


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("case", ["slope", "log_laplace", "edge_laplace"])
def test_columns_of_any_integers_are_released_as_int64(case: str, kind: type) -> None:
    """One mechanism of each way to a scale; 200 in 8 bits would wrap if it were added up so."""
    counts: np.ndarray = np.full(1000, 200, kind)
    released = additive(case, epsilon=40).release(counts, counts)
    assert released.dtype == np.int64
    assert abs(np.median(released) - 200) <= 5


def test_a_block_keeps_its_rows_and_cells() -> None:
    for rows in (0, 1, 5):
        released = BLOCK.release(np.zeros((rows, 4), dtype=np.int64), np.full(rows, 50))
        assert released.shape == (rows, 4)
        assert released.dtype == np.int64


def test_the_confidential_columns_are_left_as_they_were() -> None:
    for case in SCALAR:
        counts, largest = np.arange(90, 95), np.arange(95, 100)
        additive(case).release(counts, largest)
        assert counts.tolist() == list(range(90, 95))
        assert largest.tolist() == list(range(95, 100))


def test_each_row_follows_its_own_scale() -> None:
    largest = np.repeat([10, 1000, 10**5], 2000)
    noise = np.abs(additive("slope").release(np.zeros_like(largest), largest)).reshape(3, -1)
    middle = np.median(noise, axis=1)
    assert middle[1] / middle[0] > 50
    assert middle[2] / middle[1] > 50


@pytest.mark.parametrize("case", SCALAR)
def test_two_releases_of_the_same_data_differ(case: str) -> None:
    built = additive(case)
    assert (Cell().noise(built, 1000) != Cell().noise(built, 1000)).any()


def test_two_block_releases_of_the_same_data_differ() -> None:
    counts, largest = np.full((1000, 4), 9), np.full(1000, 1000)
    assert (BLOCK.release(counts, largest) != BLOCK.release(counts, largest)).any()


@pytest.mark.parametrize("name", REGISTRY)
def test_no_seed_can_reach_a_release(name: str) -> None:
    taken = {*signature(REGISTRY[name].release).parameters, *signature(mechanism).parameters}
    assert not {p for p in taken if any(word in p for word in ("seed", "rng", "bits", "random"))}


@pytest.mark.parametrize("built", ALL, ids=lambda built: built.name)
def test_mechanisms_are_frozen(built: object) -> None:
    for field in fields(built):  # type: ignore[arg-type] # every mechanism is a dataclass
        with pytest.raises(FrozenInstanceError):
            setattr(built, field.name, None)


@pytest.mark.parametrize("case", SCALAR)
def test_equal_mechanisms_are_one_key(case: str) -> None:
    built, again, other = additive(case), additive(case), additive(case, epsilon=2)
    built.release([90], [100])  # what is computed on the way changes neither hash nor equality
    assert built == again
    assert len({built, again, other}) == 2
    assert copy.deepcopy(built) == built


@pytest.mark.parametrize("case", SCALAR)
def test_a_mechanism_survives_a_journey_to_another_process(case: str) -> None:
    built = additive(case)
    arrived = pickle.loads(pickle.dumps(built))  # noqa: S301 (its own bytes)
    assert arrived == built
    assert np.abs(arrived.release([90], [100])).max() <= BOUND


@pytest.mark.parametrize("name", ["slope", "log_laplace", "smooth_gamma", "vector_pareto"])
def test_no_noise_is_used_twice(name: str) -> None:
    """Known bad: draws that another cell gets too tell both cells apart from everything else."""
    size, cells = 10**9, 20_000
    made = mechanism(name, alpha="0.1", epsilon="1")
    counts = np.full(cells, size)
    column = counts[:, None] if name == "vector_pareto" else counts
    released = np.asarray(made.release(column, counts)).ravel()  # type: ignore[call-arg] # none of them is clipped
    # The noise is a hundred million jobs wide: a handful of equal values are chance.
    assert len(np.unique(released)) > cells - 20
