from math import inf, nan

import pytest

from leeward.lab.pictures import Axis


@pytest.mark.parametrize("log", [True, False])
def test_a_scale_shows_its_values_and_what_it_must_reach_with_a_margin(log: bool) -> None:
    scale = Axis("x", "x", log=log, reaches=(10.0,)).scale([0.5, 2])
    assert 0 < scale.share(0.5) < scale.share(2) < scale.share(10) < 1
    assert scale.share(scale.low) == 0
    assert scale.share(scale.high) == 1


@pytest.mark.parametrize("log", [True, False])
def test_values_and_shares_are_two_ways_of_one_road(log: bool) -> None:
    scale = Axis("x", "x", log=log).scale([0.01, 300])
    assert [scale.value(scale.share(one)) for one in (0.01, 1, 500)] == pytest.approx(
        [0.01, 1, 500]
    )


@pytest.mark.parametrize(
    ("axis", "values", "ticks"),
    [
        (Axis("x", "x", log=True), (0.02, 500), (0.1, 1, 10, 100)),
        (Axis("x", "x", log=True), (0.9, 11), (1, 2, 5, 10)),
        (Axis("x", "x", log=True), (1e-9, 1e9), (1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9)),
        (Axis("x", "x"), (0, 1), (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (Axis("x", "x"), (0.9, 0.9), (0.86, 0.88, 0.9, 0.92, 0.94)),
        (Axis("x", "x", ticks=(1, 2, 3, 9)), (1, 4), (1, 2, 3)),
        (Axis("x", "x", ticks=(1, 2, 9)), (1, 4), (1, 1.5, 2, 2.5, 3, 3.5, 4)),
        (
            Axis("a", "a", log=True, ticks=(0.05, 0.1)),
            (0.05, 0.1),
            (0.05, 0.06, 0.07, 0.08, 0.09, 0.1),
        ),
    ],
)
def test_ticks_are_round_or_as_given(
    axis: Axis, values: tuple[float, ...], ticks: tuple[float, ...]
) -> None:
    assert axis.scale(values).ticks == pytest.approx(ticks)


@pytest.mark.parametrize("low", [1e-9, 0.004, 0.5, 3.1, 15, 1234, 8e6])
@pytest.mark.parametrize("ratio", [1, 1.01, 1.4, 2, 3, 9, 30, 160, 250, 1e5])
def test_every_axis_has_at_least_three_numbers(low: float, ratio: float) -> None:
    for log in (False, True):
        assert len(Axis("x", "x", log=log).scale((low, low * ratio)).ticks) >= 3


@pytest.mark.parametrize("value", [None, inf, nan, "1", True])
def test_what_is_no_number_is_not_drawn(value: object) -> None:
    assert Axis("x", "x").drawable(value) is None


def test_a_log_axis_draws_positive_numbers_only() -> None:
    assert [Axis("x", "x", log=True).drawable(one) for one in (-1, 0, 2)] == [None, None, 2.0]
    assert [Axis("x", "x").drawable(one) for one in (-1, 0)] == [-1.0, 0.0]
