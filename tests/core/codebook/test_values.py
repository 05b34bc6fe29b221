"""Published cells, attributes and rules for jobs: checked at birth, unchanged afterwards."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from leeward.core.codebook import BoundedJobs, EveryJob, Flag, PrimaryJob, Published, SingleJob
from tests.core.codebook.made import attribute

KEYS, FLAGS = np.arange(2), np.array([Flag.OK, Flag.NO_ESTABLISHMENT], dtype=np.int64)
VALUES = np.zeros((2, 3), dtype=np.int64)


def test_published_cells_of_fitting_shapes_are_accepted() -> None:
    assert not Published(KEYS, VALUES, FLAGS).margins
    assert Published(KEYS, VALUES, FLAGS, {"margin": VALUES + 1}).margins
    assert Published(KEYS[:0], VALUES[:0], FLAGS[:0]).values.shape == (0, 3)


@pytest.mark.parametrize(
    ("keys", "values", "flags"),
    [
        (KEYS[:1], VALUES, FLAGS),
        (KEYS, VALUES, FLAGS[:1]),
        (KEYS, VALUES[:1], FLAGS),
        (KEYS, VALUES[:, 0], FLAGS),
        (KEYS[:, None], VALUES, FLAGS),
    ],
)
def test_published_cells_of_other_shapes_are_refused(
    keys: np.ndarray, values: np.ndarray, flags: np.ndarray
) -> None:
    with pytest.raises(ValueError, match="one element for each row of values"):
        Published(keys, values, flags)


@pytest.mark.parametrize("margins", [VALUES[:1], VALUES[:, :1], VALUES[:, 0]])
def test_margins_have_the_shape_of_values(margins: np.ndarray) -> None:
    with pytest.raises(ValueError, match="margins must have the shape of values"):
        Published(KEYS, VALUES, FLAGS, {"margin": VALUES, "block_margin": margins})


def test_flags_are_those_of_the_public_use_schema() -> None:
    assert {flag.name: int(flag) for flag in Flag} == {
        "NO_ESTABLISHMENT": -2,
        "NO_NUMBER": -1,
        "OK": 1,
    }


def test_values_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Published(KEYS, VALUES, FLAGS).values = VALUES  # type: ignore[misc] # that is the test
    with pytest.raises(FrozenInstanceError):
        attribute("a", 2).public = True  # type: ignore[misc] # as above


def test_a_public_attribute_of_workplaces_may_be_tabulated_and_a_private_one_not() -> None:
    assert attribute("a", 2).may_be_tabulated
    assert not attribute("a", 2, public=False).may_be_tabulated
    assert attribute("a", 2, "workers").may_be_tabulated
    assert attribute("a", 2, "jobs").may_be_tabulated
    assert attribute("a", 2).of_workplaces
    assert not attribute("a", 2, "jobs").of_workplaces


def test_every_rule_for_jobs_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in (EveryJob, SingleJob, PrimaryJob, BoundedJobs)]
    assert names == ["every", "single", "primary", "bounded"]


def test_rules_for_jobs_are_equal_by_what_they_say() -> None:
    assert PrimaryJob("pay") == PrimaryJob("pay")
    assert PrimaryJob("pay") != PrimaryJob("hours")
    assert BoundedJobs(2) != BoundedJobs(3)
    assert repr(BoundedJobs(2)) == "BoundedJobs(most=2, per=None)"
