"""Prediction: the error and the margin that are told are those that come."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leeward.core.codebook import Batch, Cells, Confidential
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile, read_profile
from leeward.core.privacy.sentences import make_up
from leeward.publishing.plan.predicted import as_json
from leeward.publishing.plan.prediction import HEADINGS, expectations, mean_error, promises
from leeward.publishing.release.measuring import publish
from tests.publishing.plans import STRONG, WEAK, WORKER, planned

PLACE, SEX = "{name: a, by: [place, sector]}", "{name: a, by: [place, sex]}"
CELLS = 20_000


@pytest.mark.parametrize(
    ("table", "mechanism"),
    [
        (PLACE, "slope"),
        (PLACE, "vector_pareto"),
        (PLACE, "log_laplace"),
        (PLACE, "smooth_gamma"),
        (SEX, "vector_pareto"),
    ],
)
def test_the_predicted_error_is_the_error_of_draws(
    tmp_path: Path, table: str, mechanism: str
) -> None:
    named = table.replace("}", f", mechanism: {mechanism}}}")
    plan = planned(tmp_path, named)
    (made,) = plan.tables
    for row in expectations(made, TYPICAL):
        counts = np.full((CELLS, made.marginal.worker_cells), row.largest, dtype=np.int64)
        largest = np.full(CELLS, row.largest, dtype=np.int64)
        cells = Confidential(Cells(counts, largest))
        published = publish(Batch(np.arange(CELLS), cells), made.measurement)
        found = np.abs(published.values - counts).mean()
        assert row.error is not None
        assert abs(found - row.error) <= 0.06 * row.error + 0.02


def test_the_predicted_margin_is_the_margin_without_noise_in_its_scale(tmp_path: Path) -> None:
    (made,) = planned(tmp_path, "{name: a, by: [place], mechanism: slope}").tables
    for row in expectations(made, TYPICAL):
        counts = np.full((CELLS, 1), row.largest, dtype=np.int64)
        cells = Confidential(Cells(counts, counts[:, 0]))
        published = publish(Batch(np.arange(CELLS), cells), made.measurement)
        assert row.margin is not None
        assert abs(np.median(published.margins["margin"]) - row.margin) <= 0.05 * row.margin + 1


def test_no_margin_is_predicted_where_there_is_none(tmp_path: Path) -> None:
    (made,) = planned(tmp_path, "{name: a, by: [place], margins: none}").tables
    assert {row.margin for row in expectations(made, TYPICAL)} == {None}


def test_more_epsilon_means_less_error(tmp_path: Path) -> None:
    errors = []
    for epsilon in ("1", "2", "4", "8"):
        plan = planned(tmp_path, SEX, protect=f"{{policy: strong, alpha: 0.1, epsilon: {epsilon}}}")
        errors.append(mean_error(plan.tables[0], TYPICAL) or 0)
    assert errors == sorted(errors, reverse=True)
    assert len(set(errors)) == 4


def test_the_mean_weighs_sizes_by_their_cells(tmp_path: Path) -> None:
    (made,) = planned(tmp_path, PLACE).tables
    small, large = (made.measurement.expected_error(size) for size in (10, 1000))
    assert small is not None
    assert large is not None
    profile = SizeProfile((10, 1000), (3, 1), given=True)
    assert mean_error(made, profile) == pytest.approx((3 * small + large) / 4)


def test_a_profile_is_read_with_its_weights(tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("cells,largest,note\n3,10,x\n1,1000,y\n")
    profile = read_profile(path.name, path.parent)
    assert (profile.largest, profile.cells, profile.given) == ((10, 1000), (3, 1), True)
    assert profile.words == "the size profile of 4 cells"


def test_there_is_no_mean_where_one_size_has_none() -> None:
    assert TYPICAL.mean((1.0, None, 2.0)) is None
    assert TYPICAL.mean((1.0, 2.0, 3.0)) == 2.0


def test_every_promise_is_in_plain_words(tmp_path: Path) -> None:
    strong = promises(planned(tmp_path, PLACE, protect=STRONG))
    weak = promises(planned(tmp_path, PLACE, protect=WEAK))
    worker = promises(planned(tmp_path, PLACE, protect=WORKER))
    assert list(strong) == ["meaning", "workers", "size", "make-up", "rows"]
    assert all(name in HEADINGS for name in (*strong, *weak, *worker))
    assert "epsilon 4" in strong["workers"]
    assert "1.1 times" in strong["size"]
    assert "by sex, education, contract" in weak["make-up"]
    assert worker["size"].startswith("It does NOT protect")
    assert "not protected" in worker["make-up"]
    plan = planned(tmp_path, PLACE, protect=STRONG)
    assert strong["make-up"] == make_up(plan.charge, None, by_cell=False).text
    assert strong["meaning"].startswith("A suspicion of 1 in 100 becomes at most 36 in 100")


def test_the_prediction_for_programs_is_exact_text_and_plain_numbers(tmp_path: Path) -> None:
    told: dict[str, Any] = as_json(planned(tmp_path, PLACE), "12")
    assert list(told) == ["guarantee", "odds", "parts", "curve", "tables", "gaps", "remaining"]
    assert told["odds"] == {"from": 1, "of": 100, "to": 36, "level": "attention"}
    assert told["remaining"] == "12"
    (table,) = told["tables"]
    assert table["epsilon"] == "4"
    assert table["cells"] == 6
    assert {type(row["error"]) for row in table["predicted_error"]["by_largest"]} == {float}
