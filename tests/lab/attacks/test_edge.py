"""Edge: the interval around one count, exactly."""

import pytest

from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.lab.attacks.edge import attack, ends, half_width


def made(name: str, epsilon: str, alpha: str | None = None) -> Additive:
    found = mechanism(name, alpha=alpha, epsilon=epsilon)
    assert isinstance(found, Additive)
    return found


@pytest.mark.parametrize(
    ("epsilon", "wide", "inside"),
    [("0.5", 6, None), ("1", 3, 0.9732204), ("2", 1, None), ("4", 0, 0.964028)],
)
def test_the_interval_is_that_of_the_public_law(
    epsilon: str, wide: int, inside: float | None
) -> None:
    found, share = half_width(made("edge_laplace", epsilon=epsilon))
    assert found == wide
    assert inside is None or share == pytest.approx(inside, abs=1e-6)


def test_noise_of_ours_grows_with_the_establishment() -> None:
    slope = made("slope", alpha="0.1", epsilon="1")
    assert ends(slope, 1_000) == (-304, 330)
    low, high = ends(slope, 20_000)
    assert (high - low) / 40_000 == pytest.approx(0.317, abs=5e-4)


def test_the_finding_compares_the_same_establishment() -> None:
    found = attack()
    assert (found.number, found.further["half_width"]) == (3, 3)
    assert found.further["relative"] == 0.003
    assert found.against_leeward.number == 317
    assert found.against_nothing.number > found.against_leeward.number
    (picture,) = found.pictures
    theirs, ours = picture.series  # type: ignore[union-attr] # it is a plot
    assert theirs.points[-1] == (20_000, pytest.approx(0.015))
    assert ours.points[-1] == (20_000, pytest.approx(31.7, abs=0.05))
