"""Plans of pay: errors in the unit of the table, what is refused, and what a certificate says."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from leeward.core.codebook import Batch, Cells, Confidential, Mean
from leeward.core.codebook.cells import EMPTY
from leeward.core.errors import LeewardError
from leeward.core.mechanisms.measurement import Measured, Measurement, PublicLaw
from leeward.interface.web.plan_result import make_result
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.predicted import Prediction
from leeward.publishing.plan.prediction import Outlook
from leeward.publishing.plan.request import WrittenTable
from leeward.publishing.plan.table_reading import read_marginal
from leeward.publishing.plan.target import MeanError, Target, smallest_budget
from leeward.publishing.release.certify import Draft
from leeward.publishing.release.measuring import completed, publish
from tests.publishing.bundle.made_up_pay import EARNINGS, MEANS
from tests.publishing.plans import CODEBOOK, planned

PAID = CODEBOOK + (
    "  earnings: {table: jobs, type: integer, unit: cents, period: month, cap: 1500000,\n"
    "    cap_from: the pay scale of 2025, classes: {low: 100000, high: 1500000}}\n"
)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Two tables, the first as if it were of means: measured by what exists for counts."""
    made = planned(
        tmp_path,
        "{name: means, by: [place], share: 1/2, mechanism: slope, margins: free}",
        "{name: counts, by: [place], share: 1/2}",
        codebook=PAID,
    )
    first, second = made.tables
    paid = replace(first.marginal, statistic=Mean(EARNINGS))
    return replace(made, tables=(replace(first, marginal=paid), second))


def test_errors_are_in_the_unit_of_their_table(plan: Plan) -> None:
    told = Prediction(plan)
    text = str(told)
    assert "means: place (workplace table, mean of earnings)" in text
    assert "mean error in cents per month" in text
    assert "90 % margin in cents per month, about" in text
    assert "mean error in jobs" in text
    units = ["cents per month", "jobs"]
    assert [one.unit for one in told.tables] == units
    tables: list[dict[str, object]] = told.to_dict()["tables"]  # type: ignore[assignment]
    assert [(one["statistic"], one["kind"]) for one in tables] == [
        ("mean", "workplace"),
        ("count", "workplace"),
    ]
    assert [one["predicted_error"]["unit"] for one in tables] == units  # type: ignore[index]
    assert all(f" {unit}</td>" in told._repr_html_() for unit in units)


def test_the_page_has_the_unit_of_each_table(plan: Plan) -> None:
    found = make_result(Outlook(plan, plan.tables, plan.profile, plan.codebook), None)
    shown = [one for one in found.tables if one is not None]
    assert (found.unit, [one.unit for one in shown]) == (None, ["cents per month", "jobs"])
    assert [one.chart is None for one in shown] == [True, False]


@pytest.mark.parametrize("unit", ["jobs", "euros", "cents per year"])
def test_a_target_must_be_in_the_unit_of_its_table(plan: Plan, unit: str) -> None:
    with pytest.raises(LeewardError, match="must be in cents per month, the unit of means"):
        smallest_budget(plan, Target("means", MeanError(50.0, unit)))
    assert all(
        MeanError(5, one).is_in("cents per month") for one in (None, "cents", "cents per month")
    )


def test_the_certificate_of_a_plan_states_the_statistic(plan: Plan) -> None:
    first, second = Draft.of(plan).tables
    assert (first.statistic_words, first.count_columns) == ("mean of earnings", ())
    assert (first.margin_columns, second.statistic) == (("low", "high"), None)


@pytest.mark.parametrize(
    ("key", "more"), [("totals", {"totals": "all"}), ("breakdowns", {"breakdowns": ["sex"]})]
)
def test_pay_has_neither_totals_nor_breakdowns(
    tmp_path: Path, key: str, more: dict[str, object]
) -> None:
    codebook = planned(tmp_path, "{name: a, by: [place]}", codebook=PAID).codebook
    written = WrittenTable.model_validate(
        {"name": "a", "by": ["place"], "statistic": "mean", "of": "earnings", **more}
    )
    with pytest.raises(LeewardError, match=f"{key}: must be left out .* statistic is mean"):
        read_marginal(written, codebook)


class Lacking:
    """A measurement that gives its second cell no number."""

    name, margin_columns = "lacking", ("count",)
    parameters = SimpleNamespace(cells=1)

    def measure(self, _: Cells) -> Measured:
        values = np.array([[5], [EMPTY]])
        return Measured(values, {"count": values}, PublicLaw(None, joint=False, scale=None))


def test_cells_without_a_number_get_their_own_flag_also_in_a_complete_table() -> None:
    cells = Cells(np.array([[1], [0]]), np.array([1, 0]))
    made_by = cast("Measurement", Lacking())
    given = publish(Batch(np.array([1, 3]), Confidential(cells)), made_by)
    parts = list(completed(iter([given]), made_by, MEANS, 9))
    flags = np.concatenate([one.flags.ravel() for one in parts])
    values = np.concatenate([one.values.ravel() for one in parts])
    assert flags.tolist() == [-2, 1, -2, -1, -2]
    assert values.tolist() == [0, 5, 0, EMPTY, 0]
