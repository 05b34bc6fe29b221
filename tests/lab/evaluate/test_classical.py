"""Withholding and rounding on a made-up economy: a plausible mix, and what they give away."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from leeward.core.codebook import SingleJob
from leeward.lab.economy import Economy
from leeward.lab.evaluate import classical
from leeward.lab.evaluate.classical import Classical, compared, slope
from leeward.lab.evaluate.evaluation import marginals
from leeward.lab.evaluate.evaluation_page import page
from leeward.lab.evaluate.point import COLUMNS
from leeward.lab.evaluate.presets import PRESETS, open_economy
from leeward.lab.evaluate.truth import read_truths
from tests.lab.evaluate.run import FULL


@pytest.fixture(scope="module")
def found() -> Mapping[str, Classical]:
    """The workplace table; intervals by propagation, which is all that these tests need."""
    with open_economy(Economy(10_000, 600), lambda *_: None) as (engine, book):
        loads = PRESETS["quick"].workloads(book)[:1]
        truths = read_truths(engine, book, SingleJob(), marginals(loads), "place")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classical, "SOLVED", 0)
        return {one.protection: one for one in compared(loads, truths)}


def test_protections_withhold_a_plausible_mix(found: Mapping[str, Classical]) -> None:
    shares = {name: one.withheld_cells for name, one in found.items()}
    assert 0 < shares["threshold"] < shares["primary"] < shares["suppression"] < 0.9
    assert shares["rounding_5"] == shares["rounding_10"] == 0
    assert found["suppression"].withheld_jobs < found["suppression"].withheld_cells
    assert all(one.lone == found["primary"].lone > 10 for one in found.values())


def test_what_is_withheld_alone_comes_back_and_secondary_suppression_helps(
    found: Mapping[str, Classical],
) -> None:
    assert found["threshold"].exact == found["threshold"].lone
    assert found["threshold"].l1 < 0.05
    assert 0 < found["primary"].exact < found["primary"].lone
    assert found["suppression"].exact == found["suppression"].fail == 0
    assert found["primary"].l1 < found["suppression"].l1
    assert found["rounding_10"].fail < found["rounding_5"].fail
    assert found["rounding_5"].l1 < found["rounding_10"].l1 <= found["rounding_10"].l2


def test_noise_leaves_the_slope_within_its_spread(found: Mapping[str, Classical]) -> None:
    one = found["primary"]
    assert one.slope_true is not None
    assert one.slope_release is not None
    assert one.slope_release_sd is not None
    error = one.slope_release_sd / np.sqrt(classical.DRAWS)
    assert abs(one.slope_release - one.slope_true) < 6 * error
    assert slope(np.array([1, 2, 9]), np.array([3, 5, 0]), np.array([True, True, False])) == 2
    assert slope(np.array([1, 1]), np.array([3, 5]), np.array([True, True])) is None


def test_page_and_points_have_them(found: Mapping[str, Classical]) -> None:

    text = page(
        replace(FULL, classical=tuple(replace(f, workload="one") for f in found.values())), {}
    )
    assert "Withholding and rounding" in text
    assert "These protections have no guarantee." in text
    assert "draws of a release at α = 0.1 and ε = 1" in text
    assert "Fewer than 3 employers or fewer than 3 jobs; no secondary suppression" in text
    assert "Withholding and rounding" not in page(FULL, {})
    point = found["rounding_5"].point
    assert (point.policy, point.epsilon, point.l1) == ("none", None, found["rounding_5"].l1)
    assert set(point.as_json()) == set(COLUMNS)
