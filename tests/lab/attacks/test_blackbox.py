"""A lower bound of the epsilon of any sampler."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta

from leeward.core.errors import InvalidParameter
from leeward.lab.attacks.blackbox import at_least, at_most, attack, lower_bound
from leeward.lab.attacks.samplers import cases


@pytest.mark.parametrize(
    ("times", "draws"), [(3, 10), (7, 500_000), (250_000, 500_000), (499_990, 500_000)]
)
def test_the_limits_of_clopper_and_pearson(times: int, draws: int) -> None:
    miss = 0.0005
    assert at_least(times, draws, miss) == pytest.approx(
        beta.ppf(miss, times, draws - times + 1), rel=1e-8
    )
    assert at_most(times, draws, miss) == pytest.approx(
        beta.ppf(1 - miss, times + 1, draws - times), rel=1e-6
    )


def test_the_ends_of_the_limits() -> None:
    assert at_least(0, 10, 0.01) == 0
    assert at_most(10, 10, 0.01) == 1
    assert at_most(0, 10, 0.01) == pytest.approx(1 - 0.01 ** (1 / 10))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("slope", 0.8, 1.0),
        ("half", 1.6, 2.0),
        ("edge", 0.9, 1.0),
        ("response", 1.0, 1.0987),
        ("edge-size", 5.0, 10.0),
        ("infusion", 5.0, 20.0),
    ],
)
def test_what_50_000_draws_prove(name: str, low: float, high: float) -> None:
    """The upper ends are the true losses: one run in a thousand may pass them."""
    case = cases("1")[name]
    assert low < lower_bound(case.sampler, case.left, case.right, 50_000).epsilon <= high


def test_the_finding_refutes_half_of_the_noise() -> None:
    found = attack(draws=20_000)
    assert found.number == found.further["epsilon_lower"] > 1.5
    assert found.against_leeward.number <= 1
    assert found.against_nothing.number == 0
    assert "The claimed ε of 1 is refuted." in found.sentence
    assert list(found.further["bounds"]) == [
        "edge", "edge-size", "response", "infusion", "slope", "half"
    ]  # fmt: skip


def test_a_function_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leaky_sampler.py").write_text(
        "import numpy as np\ndef draw(database, count):\n    return np.full(count, database)\n"
    )
    monkeypatch.chdir(tmp_path)
    found = attack(sampler="leaky_sampler:draw", left="0", right="7", draws=2000)
    assert found.number > 4
    assert found.parameters["right"] == "7"
    with pytest.raises(InvalidParameter, match=r"sampler: must be MODULE:FUNCTION"):
        attack(sampler="leaky_sampler:missing", draws=2000)


def test_what_is_refused() -> None:
    def two_columns(_: object, count: int) -> NDArray[np.float64]:
        return np.zeros((count, 2))

    with pytest.raises(InvalidParameter, match="must return an array of `count` numbers"):
        lower_bound(two_columns, 0, 1, 1000)
    with pytest.raises(InvalidParameter, match="draws: must be from 100 to"):
        lower_bound(two_columns, 0, 1, 10)
    with pytest.raises(InvalidParameter, match="mechanism: must be one of slope, half"):
        attack(mechanism="unknown")
