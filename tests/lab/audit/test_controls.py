"""The defective releases are what they say: the control fires for the defect and nothing else."""

from fractions import Fraction
from functools import cache
from math import inf, log, nextafter

import numpy as np
import pytest
from flint import arb

from leeward.core.exact import precision
from leeward.core.mechanisms.slope import Slope
from leeward.core.privacy.workforces import Database
from leeward.lab.audit import other_releases
from leeward.lab.audit.exams import workplace_view
from leeward.lab.audit.loss import pure_loss
from leeward.lab.audit.other_releases import DerivedFrame, Infused, float_laplace, reachable
from leeward.lab.audit.twins import sound

STEPS = 1 << 20


@pytest.mark.parametrize("size", [1, 7, 100, 1234])
def test_infused_masses_are_a_distribution(size: int) -> None:
    infused = Infused(size)
    masses = [infused.mass(output) for output in infused.landmarks()]
    with precision(128):
        total = sum(masses, arb(0))
    assert abs(total - 1) < arb(2) ** -50
    assert all(mass >= 0 for mass in masses)


def test_infused_masses_are_those_of_the_ramp() -> None:
    draws, size, a, b = 1_000_000, 200, 1.1, 1.25
    uniform = np.random.default_rng(20).random((2, draws))
    # The falling ramp on [a, b] has the distribution function 1 − ((b−f)/(b−a))².
    distance = b - (b - a) * np.sqrt(uniform[0]) - 1
    factor = 1 + np.where(uniform[1] < 0.5, distance, -distance)
    counts = np.bincount(np.floor(size * factor + 0.5).astype(int), minlength=260)
    expected = np.array([float(Infused(size).mass((output,))) for output in range(len(counts))])
    assert (counts[expected == 0] == 0).all()
    spread = np.sqrt(draws * expected * (1 - expected))
    assert (np.abs(counts - draws * expected) <= 5 * spread).all()
    assert counts[: size // 2].sum() == 0


def test_infusion_keeps_zeros() -> None:
    assert Infused(0).mass((0,)) == 1
    assert Infused(0).mass((1,)) == 0


def test_a_derived_frame_shows_the_first_worker() -> None:
    view = workplace_view(sound(Slope))
    empty, one = (DerivedFrame(view(Database.of((size,)))) for size in (0, 1))
    loss = pure_loss(empty, one, Fraction(1), complete=True)
    assert loss.epsilon == arb("inf")
    assert float(loss.delta) == pytest.approx(1)
    # With the public frame the same pair of cells keeps its promise.
    assert pure_loss(empty.released, one.released, Fraction(1)).epsilon <= 1


def values(count: float) -> set[float]:
    """Everything that a count can become, one k after the other."""
    return {count - log(k / STEPS) for k in range(1, STEPS + 1)}


def test_what_is_called_unreachable_is_never_reached() -> None:
    every = values(1.0)
    near = sorted(value for value in every if 4.9 < value < 5.1)[::40]
    for output in near:
        assert reachable(output, 1.0, 1.0, STEPS)
        assert not reachable(nextafter(output, inf), 1.0, 1.0, STEPS)
        assert nextafter(output, inf) not in every
    unreached = 0
    for k in range(7000, 7080):
        output = 0.0 - log(k / STEPS)
        assert reachable(output, 1.0, 1.0, STEPS) == (output in every)
        unreached += output not in every
    assert unreached > 0


def test_floating_point_is_rejected_with_few_and_with_many_steps() -> None:
    for steps in (STEPS, 1 << 53):
        assert float_laplace(1.0, steps).epsilon == arb("inf")


def test_rounding_to_halves_of_the_precision_is_still_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def single(k: int, scale: float, steps: int) -> float:
        return float(np.float32(-scale * np.log(np.float32(k / steps))))

    monkeypatch.setattr(other_releases, "_noise", single)
    assert float_laplace(1.0, STEPS).epsilon == arb("inf")


@cache
def on_a_lattice(k: int, scale: float, steps: int) -> float:
    """Noise in 1024ths: coarser than the steps of k, and exact in every sum with a count."""
    return round(-scale * log(k / steps) * 1024) / 1024


def test_exact_noise_on_a_lattice_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_releases, "_noise", on_a_lattice)
    assert float_laplace(1.0, STEPS).epsilon == 0
