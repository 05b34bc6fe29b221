"""`leeward plan`: promises, cost, predicted errors and the smallest epsilon for a target."""

from fractions import Fraction
from typing import Any

import pytest

from tests.interface.commands.scene import Office, answer


def test_plan_shows_promise_cost_and_error_without_the_data(office: Office) -> None:
    for name in ("workplaces", "workers", "jobs"):
        (office.folder / f"{name}.csv").unlink()
    result = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0
    for words in (
        "What is promised",
        "by_place: place × sector (workplace table)",
        "by_sex: place × sex (worker table)",
        "  cost       epsilon 2, of it 0.3 for margins",
        "  cells      at most 3 workplace × 2 worker combinations",
        "Cost: epsilon 4 of account office.",
        "Left: 16 before, 12 after.",
    ):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_plan_as_json_has_the_promised_keys(office: Office) -> None:
    told = answer(office, "plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert {"guarantee", "tables", "remaining"} <= set(told)
    assert told["guarantee"]["policy"] == "strong"
    assert told["guarantee"]["epsilon"] == "4"
    assert told["remaining"] == "16"
    assert told["refused"] is None
    assert [table["name"] for table in told["tables"]] == ["by_place", "by_sex"]
    for table in told["tables"]:
        assert {"name", "mechanism", "epsilon", "cells", "predicted_error"} <= set(table)
        assert table["epsilon"] == "2"
        assert table["cells"] == 6
        assert table["predicted_error"]["mean"] > 0
        sizes = [row["largest"] for row in table["predicted_error"]["by_largest"]]
        assert sizes == [10, 100, 1000]
    assert answer(office, "plan", "plan.yaml")["remaining"] is None


def test_plan_says_what_the_account_would_really_pay(office: Office) -> None:
    office.edit("plan.yaml", ("alpha: 0.1", "alpha: 0.05"))
    planned = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite").stdout
    assert planned.endswith(
        "Left: 16 before, 4 after. The account pays epsilon 12: its alpha or its plus is another.\n"
    )
    assert office.release().stdout.endswith(
        "Charged:   epsilon 4, which is 12 at the alpha of the account, to account office "
        "(entry 2); 4 left.\n"
    )


def test_plan_says_that_it_would_be_refused(office: Office) -> None:
    office.edit("plan.yaml", ("epsilon: 4", "epsilon: 17"))
    result = office.run("plan", "plan.yaml", "--ledger", "ledger.sqlite")
    assert result.exit_code == 0
    assert "This plan would be refused. charge: must keep account 'office'" in result.stdout
    assert result.stdout.endswith(" a cap is never raised. Nothing was spent.\n")
    refused = answer(office, "plan", "plan.yaml", "--ledger", "ledger.sqlite")["refused"]
    assert refused.startswith("charge: must keep account 'office' within its cap of epsilon 16")


def test_errors_are_predicted_for_a_size_profile(office: Office) -> None:
    (office.folder / "sizes.csv").write_text("largest,cells\n10,3\n1000,1\n")
    office.edit("plan.yaml", ("period:", "sizes: sizes.csv\nperiod:"))
    result = office.run("plan", "plan.yaml")
    assert " jobs over the size profile of 4 cells\n" in result.stdout


def next_below(number: Fraction) -> Fraction:
    """The next smaller number of three significant digits."""
    step = Fraction(1)
    while number / step >= 1000:
        step *= 10
    while number / step < 100:
        step /= 10
    return number - step


@pytest.mark.parametrize("target", ["by_sex: 20", "by_place:0.5 jobs"])
def test_the_target_is_reached_by_the_smallest_epsilon_to_three_digits(
    office: Office, target: str
) -> None:
    name, wanted = target.removesuffix("jobs").split(":")
    told = answer(office, "plan", "plan.yaml", "--target", target)
    smallest = Fraction(told["smallest_epsilon"])
    assert smallest * 1000 == int(smallest * 1000) or smallest < Fraction(1, 10)
    assert mean(told, name) <= float(wanted)
    office.edit("plan.yaml", ("epsilon: 4", f"epsilon: {next_below(smallest)}"))
    assert mean(answer(office, "plan", "plan.yaml"), name) > float(wanted)


def mean(told: Any, name: str) -> float:  # noqa: ANN401 (JSON)
    (table,) = [table for table in told["tables"] if table["name"] == name]
    return float(table["predicted_error"]["mean"])


TARGETS = [
    ("x", "must be a table and a mean error above 0, a median relative error, the share of cells "
     "within a relative error, or the share of the top that is right; percentages are above 0, and "
     "shares of cells below 100; got 'x'. Write one of 'place_industry: 5 jobs', "
     "'place_industry: 10 %', 'place_industry: 90 % within 10 %', "
     "'place_industry: 95 % of top 10 % right', with a table of the plan."),
    ("other: 5", "must name a table of the plan: by_place, by_sex; got 'other'. "
     "Choose one of them."),
]  # fmt: skip


@pytest.mark.parametrize(("target", "says"), TARGETS)
def test_a_bad_target_is_refused(office: Office, target: str, says: str) -> None:
    office.refuse("plan", "plan.yaml", "--target", target, says=f"--target: {says}")


def test_targets_and_the_frontier_read_no_data(office: Office) -> None:
    for name in ("workplaces", "workers", "jobs"):
        (office.folder / f"{name}.csv").unlink()
    named = ("[place, sector]", "[place, sector], margins: none, mechanism: slope")
    office.edit("plan.yaml", named, ("[place, sex]", "[place, sex], mechanism: vector_pareto"))
    goal = "by_place: 80 % within 10 %"
    told = answer(office, "plan", "plan.yaml", "--target", goal, "--economy", "5000,300")
    assert Fraction(told["smallest_epsilon"]) > 0
    assert "% within 10 %, a median error of " in told["reached"]
    (office.folder / "worth.yaml").write_text("{price: 4, tables: {by_place: 1}}")
    more = ("--alphas", "0.1", "--weights", "worth.yaml", "--out", "page", "--csv", "rows.csv")
    result = office.run("plan", "plan.yaml", "--frontier", *more)
    assert result.exit_code == 0, result.output
    assert "a decision aid, not a rule" in result.stdout
    assert max(map(len, result.stdout.split("Worth")[0].splitlines()[1:])) <= 100
    rows = (office.folder / "rows.csv").read_text()
    assert rows == (office.folder / "page" / "frontier.csv").read_text()
    assert "What accuracy costs" in (office.folder / "page" / "index.html").read_text()


OPTIONS = [
    (("--csv", "rows.csv"), "--csv: must come with --frontier; got none. Add --frontier."),
    (("--economy", "5000,300"), "--economy: must come with --frontier or --target; got none. "
     "Add --frontier."),
    (("--frontier", "--target", "by_place: 5"), "--target: must be asked without --frontier; got "
     "both. Ask for one of them at a time."),
    (("--frontier", "--economy", "many"), "--economy: must be a number of jobs and a number of "
     "establishments; got 'many'. Write both with a comma, such as --economy 20000,1000."),
    (("--frontier", "--csv", "plan.yaml"), "--csv: must not exist; got 'plan.yaml'. Choose a name "
     "that is free."),
]  # fmt: skip


@pytest.mark.parametrize(("options", "says"), OPTIONS)
def test_options_that_do_not_belong_together_are_refused(
    office: Office, options: tuple[str, ...], says: str
) -> None:
    office.refuse("plan", "plan.yaml", *options, says=says)
