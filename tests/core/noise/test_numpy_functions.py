"""The self-test: NumPy's functions on this machine against balls, and what it would refuse."""

from collections.abc import Iterator

import numpy as np
import pytest

import leeward
from leeward.core.errors import UntrustedMachine
from leeward.core.mechanisms.additive import Additive
from leeward.core.noise import tabulated
from leeward.core.noise.tabulated import (
    ASSUMED,
    FUNCTION,
    FUNCTIONS,
    Floats,
    require_accuracy,
    worst,
)


@pytest.fixture
def untested() -> Iterator[None]:
    require_accuracy.cache_clear()
    yield
    require_accuracy.cache_clear()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_as_accurate_as_assumed(name: str) -> None:
    assert worst(name) < ASSUMED < FUNCTION


@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision_would_be_rejected(name: str) -> None:
    def rough(x: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            return FUNCTIONS[name][0](x) * (1 + 2.0**-30)

    assert worst(name, rough) > ASSUMED


@pytest.mark.parametrize(("mechanism", "cells"), [("slope", 1), ("radial_slope", 3)])
@pytest.mark.usefixtures("untested")
def test_a_rough_machine_draws_nothing(
    monkeypatch: pytest.MonkeyPatch, mechanism: str, cells: int
) -> None:
    rough = {**FUNCTIONS, "log": (lambda x: np.log(x) * (1 + 1e-9), FUNCTIONS["log"][1])}
    monkeypatch.setattr(tabulated, "FUNCTIONS", rough)
    made = leeward.mechanism(mechanism, alpha="0.1", epsilon=1, cells=cells)
    assert isinstance(made, Additive)
    counts = [1] if cells == 1 else [[1] * cells]
    with pytest.raises(UntrustedMachine, match="numpy: log must be accurate to 2\\^-42"):
        made.release(counts, [3])
