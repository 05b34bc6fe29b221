"""A release by the classes of a numeric column, through the commands."""

import json

import pytest

from leeward.interface.report.promise import unprotected
from leeward.publishing.bundle import read_bundle
from leeward.publishing.plan.plan import read_plan
from tests.interface.commands.scene import Office
from tests.unchecked import UNCHECKED

EARNINGS = (
    "earnings: {table: jobs, type: integer, unit: cent, period: month, cap: 1500000, "
    "classes: {CE01: 125000, CE02: 333300, CE03: 1500000}}"
)
ODD = {0: "", 1: "much", 2: "-1", 3: "1500001", 4: "0.5"}
"""Earnings of some jobs; all others are whole and in range."""


@pytest.fixture
def paid(office: Office) -> Office:
    """The office with earnings, some of them odd, and a table by their classes."""
    jobs = office.folder / "jobs.csv"
    header, *rows = jobs.read_text().splitlines()
    pay = [f"{row},{ODD.get(n, 30000 * n)}" for n, row in enumerate(rows)]
    jobs.write_text("\n".join([f"{header},earnings", *pay, ""]))
    office.edit("codebook.yaml", ("  sex:", f"  {EARNINGS}\n  sex:"))
    office.edit("plan.yaml", ("by: [place, sex]", "by: [place, earnings]"))
    return office


def test_the_check_counts_odd_numbers_and_none_refuses(paid: Office) -> None:
    found = json.loads(paid.run("check", "plan.yaml", "--json").stdout)["findings"]
    assert [(one["problem"], one["rows"], one["rule"], one["refuses"]) for one in found] == [
        ("missing number", 1, "missing_number", False),
        ("not a number", 1, "missing_number", False),
        ("number below low", 1, "number_range", False),
        ("number above cap", 1, "number_range", False),
        ("number with a fraction", 1, "number_range", False),
    ]


def test_the_certificate_names_the_classes_and_the_rules(paid: Office) -> None:
    paid.released()
    told = json.loads((paid.folder / "bundle" / "certificate.json").read_text())
    assert told["tables"][1]["codes"]["earnings"] == {
        "CE01": "0 to 125000 cent per month",
        "CE02": "125001 to 333300 cent per month",
        "CE03": "333301 to 1500000 cent per month",
    }
    assert [rule.startswith("In a numeric column") for rule in told["rows"]["rules"]] == (
        [False] * 10 + [True] * 2
    )
    rows = (paid.folder / "bundle" / "tables" / "by_sex.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:4]] == [
        ["01", "CE01"], ["01", "CE02"], ["01", "CE03"]
    ]  # fmt: skip


def test_a_strict_plan_refuses_odd_numbers(paid: Office) -> None:
    paid.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    result = paid.release()
    assert result.exit_code == 1
    assert "must be readable and agree with the codebook in every row" in result.stderr


def test_a_class_that_is_not_there_is_refused(paid: Office) -> None:
    paid.edit("plan.yaml", ("earnings]", "earnings], where: {earnings: [CE04]}"))
    paid.refuse_release(
        says="tables[1].where.earnings: must name codes of the codebook; got 'CE04'. "
        "Its codes begin CE01, CE02, CE03."
    )


def test_a_cap_whose_payrolls_may_not_fit_is_refused(paid: Office) -> None:
    paid.edit("codebook.yaml", ("cap: 1500000,", "cap: 2305843010, cap_from: law,"))
    paid.edit("codebook.yaml", ("CE03: 1500000", "CE03: 2305843010"))
    paid.edit("plan.yaml", ("by: [place, earnings]", "by: [place], statistic: mean, of: earnings"))
    paid.refuse_release(
        says="tables[1].of: must name a column whose cap is at most 2305843009: the pay of "
        "1000000000 jobs must fit into 64 bits; got 'earnings' with cap 2305843010. Write a lower "
        "cap for earnings, or give the column in a larger unit."
    )


def test_a_codebook_without_numbers_has_the_digest_that_it_always_had(office: Office) -> None:
    plan = read_plan(office.folder / "plan.yaml")
    assert plan.codebook_digest == (
        "030e815a50c651decc8128f7f083036cab4c6cfb37cb279b5567f48e737ff5eb"
    )
    assert plan.digest == "8b9bdb79a32d6980aa0c240ce90cc9fe386c485a1d1550d703cf83befe8b26ae"


@pytest.mark.parametrize(
    "change",
    [
        ("125000", "125001"),
        ("unit: cent", "unit: euro"),
        ("month", "year"),
        ("cap:", "low: 5, cap:"),
    ],
)
def test_everything_that_is_said_of_numbers_is_in_the_digest(
    paid: Office, change: tuple[str, str]
) -> None:
    before = read_plan(paid.folder / "plan.yaml").codebook_digest
    paid.edit("codebook.yaml", change)
    assert read_plan(paid.folder / "plan.yaml").codebook_digest != before


def test_sentences_about_pay_are_in_plan_and_bundle(paid: Office) -> None:
    paid.released()
    told = json.loads((paid.folder / "bundle" / "certificate.json").read_text())["pay"]
    assert told["unprotected"][0].startswith("Classes of pay, and percentiles made of them, do NOT")
    moved = "Where the pay of all 1,000 jobs of an employer moves into another class, the release "
    assert told["promised"][1].startswith(f"{moved}changes by 16 steps: the odds change")
    readme = (paid.folder / "bundle" / "README.txt").read_text()
    printed = paid.run("plan", "plan.yaml").stdout
    for text in (readme, printed):
        assert told["unprotected"][0] in " ".join(text.split())


def test_classes_of_pay_are_refused_under_proportional(paid: Office) -> None:
    paid.edit("plan.yaml", ("policy: strong", "policy: proportional"))
    paid.refuse_plan(
        says="protect.policy: proportional is for payroll, means, and counts that read no pay: one "
        "step of it may raise the pay of all, and move every job into another class; got 'by_sex', "
        "which reads a number of each job. Write a plan of its own under strong for this table."
    )


def test_a_proportional_release_says_what_it_does_not_hide(paid: Office) -> None:
    paid.edit("plan.yaml", ("by: [place, earnings]", "by: [place, sex]"))
    assert "pay " not in paid.run("plan", "plan.yaml").stdout
    paid.edit("plan.yaml", ("policy: strong", "policy: proportional"))
    ledger = ["--ledger", "proportional.sqlite"]
    cap = ["--account", "office", "--policy", "proportional", "--alpha", "0.1", "--epsilon", "9"]
    opened = paid.run("ledger", "create", *cap, *ledger).stdout
    paid.run("release", "plan.yaml", "--out", "bundle", *ledger, *UNCHECKED)
    certificate = json.loads((paid.folder / "bundle" / "certificate.json").read_text())
    (warned,) = certificate["pay"]["unprotected"]
    assert "2, 3, 5 and 8 steps" in warned
    assert warned in certificate["guarantee"]["sentence"]
    readme, printed = (
        (paid.folder / "bundle" / "README.txt").read_text(),
        paid.run("plan", "plan.yaml").stdout,
    )
    for text in (readme, printed, opened):
        assert warned in " ".join(text.split())
    saying = [one.sentence for one in unprotected(read_bundle(paid.folder / "bundle").certificate)]
    assert warned in saying
