"""Whether a person is behind synthetic rows, and what the best attacker of counts is right in."""

import pytest

from leeward.lab.attacks.membership import ATTACKERS, TARGET, attack, others


@pytest.mark.parametrize(
    ("at", "epsilon", "advantage"),
    [
        (0, "1", 0.0469),
        (0, "4", 0.180),
        (1, "1", 0.374),
        (2, "1", 0.462),
        (3, "1", 0.993),
    ],
)
def test_the_best_attacker_of_a_count(at: int, epsilon: str, advantage: float) -> None:
    assert ATTACKERS[at].advantage(epsilon) == pytest.approx(advantage, abs=0.0005)


def test_the_target_is_the_only_one_of_his_age_and_education() -> None:
    assert not (others(200)[:, 1:] == TARGET[1:]).any()


def test_synthetic_rows_without_noise_tell_and_those_with_noise_do_not() -> None:
    found = attack(rows=20, shadows=10)
    assert found.number > 0.9
    assert found.against_leeward.number <= 0.95
    assert found.against_nothing.number == 0.5
    best = found.further["best_attackers"]
    assert all(one["cap"] is None or one["advantage"] <= one["cap"] + 1e-9 for one in best)
    assert [one["cap"] for one in best[-2:]] == [None, None]
