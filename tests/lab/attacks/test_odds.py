"""Odds: what an output says of two hypotheses, exactly where there is a law."""

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter
from leeward.lab.attacks.evidence import Evidence, infusion, integers
from leeward.lab.attacks.odds import attack, posterior


def test_the_table_of_three_requirements() -> None:
    found = attack(draws=20_000)
    table = found.further["table"]
    # Unrounded, 100 v 110: f < .825 or 1.1 ≤ f < 1.21, of the ramp from .10 to .25.
    ruled_out = (0.075 / 0.15) ** 2 / 2 + (1 - (0.04 / 0.15) ** 2) / 2
    assert found.number == pytest.approx(ruled_out, abs=1e-4)
    assert table["large"]["infusion"]["ruled_out"] == pytest.approx(0.589, abs=1e-3)
    assert table["employee"]["infusion"]["ruled_out"] == pytest.approx(0.0719, abs=1e-4)
    assert table["employee"]["infusion"]["median"] == pytest.approx(0.10, abs=0.005)
    # Rounded, 75 and 110 are seen of 100 jobs alone.
    whole = (0.005 / 0.15) ** 2 / 2 + (1 - (0.145 / 0.15) ** 2) / 2
    assert table["employee"]["infusion_integers"]["ruled_out"] == pytest.approx(whole)
    assert found.further["factor_known"] == pytest.approx(0.924, abs=1e-3)
    assert table["shape"]["infusion"]["ruled_out"] == 1
    assert table["shape"]["infusion_integers"]["ruled_out"] == pytest.approx(1)
    for name, loss in (("employee", 1), ("size", 10), ("large", 100), ("shape", 10)):
        assert table[name]["edge"]["median"] == pytest.approx(loss)
        assert table[name]["edge"]["most"] == pytest.approx(loss)
    golden = {
        ("employee", "1"): (0.099, 0.104, 0.104), ("employee", "2"): (0.196, 0.209, 0.209),
        ("size", "1"): (0.905, 0.999, 1.000), ("size", "2"): (1.79, 1.94, 2.00),
        ("large", "1"): (0.912, 0.999, 1.000), ("large", "2"): (1.77, 1.93, 2.00),
    }  # fmt: skip
    for (name, epsilon), numbers in golden.items():
        seen = table[name][f"leeward_{epsilon}"]
        digits = 5e-4 if epsilon == "1" or name == "employee" else 5e-3
        assert (seen["median"], seen["high"], seen["most"]) == pytest.approx(numbers, abs=digits)
    for epsilon, numbers in (("1", (0.44, 0.84, 0.89)), ("2", (1.16, 1.93, 1.98))):
        seen = table["shape"][f"leeward_{epsilon}"]
        # Outputs are whole numbers: the median is one of few values near to each other.
        assert (seen["median"], seen["high"]) == pytest.approx(numbers[:2], abs=0.06)
        assert seen["most"] == pytest.approx(numbers[2], abs=5e-3)
    assert 0.9999 < found.against_leeward.number <= 1
    assert "becomes at most 3 in 100" in found.against_leeward.sentence
    needles = {row.label: row.text for row in found.pictures[0].rows}  # type: ignore[union-attr]
    assert [needles[f"Leeward, ε {one}"] for one in (1, 2, 4)] == [
        "73.1\u00a0%", "88.1\u00a0%", "98.2\u00a0%",
    ]  # fmt: skip


def test_whole_numbers_of_infusion_by_hand() -> None:
    # 10 jobs are seen as 8 to 9 or 11 to 12, 12 jobs as 9 to 11 or 13 to 15: 8 and 12 rule out.
    found, by_draws = integers(((10,), (12,))), infusion(((10,), (12,)))
    seen = np.random.default_rng(1).random(200_000)
    side = np.where(np.random.default_rng(2).random(seen.size) < 0.5, -1, 1)
    outputs = np.rint(10 * (1 + side * (0.25 - 0.15 * np.sqrt(seen))))
    assert found.ruled_out == pytest.approx(np.isin(outputs, (8, 12)).mean(), abs=0.005)
    assert by_draws.most is None


def test_evidence_is_read_off_its_law() -> None:
    found = Evidence.of(np.array([3.0, 1.0, np.inf]), np.array([0.3, 0.6, 0.1]))
    assert (found.median, found.high, found.most) == (1.0, None, None)
    assert found.ruled_out == pytest.approx(0.1)
    assert posterior(None) == 1
    assert posterior(0.0) == 0.5


def test_a_size_must_have_room() -> None:
    with pytest.raises(InvalidParameter, match="size, alpha: must be a whole number from 20"):
        attack(size=10)
    with pytest.raises(InvalidParameter, match="draws: must be a whole number from 1"):
        attack(draws=0)
