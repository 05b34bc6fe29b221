"""`leeward audit`: three forms of one table, and the exit code, on a few given rows."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from flint import arb
from typer.testing import CliRunner, Result

from leeward.interface.commands.app import build
from leeward.interface.commands.audit_command import COLUMNS
from leeward.lab.audit import Promise, Row
from leeward.lab.audit.loss import INFINITE, NONE, PrivacyLoss
from leeward.lab.audit.row import Claim

TENTH = Fraction(1, 10)
UNKNOWN = arb("nan")
SLOPE = Claim("slope", "tight", "strong", TENTH, Fraction(1))
GAMMA = Claim("smooth_gamma", "published", "strong", TENTH, Fraction(1), detail="cells 2")
LAPLACE = Claim("smooth_laplace", "tight", "weak", TENTH, Fraction(1), Fraction(1, 100))
EDGE = Claim("edge_laplace", "tight", "worker", None, Fraction(1), control="noise for one job only")
FRAME = Claim("slope", "tight", "strong", TENTH, Fraction(1), control="a frame from the jobs")

REACHED = PrivacyLoss(arb("0.999"), arb("0.5"), arb(0))
USED = PrivacyLoss(arb("0.25"), arb("0.375"), arb(0))
BROKEN = PrivacyLoss(arb("1.5"), arb("0.5"), UNKNOWN)
FOR_SURE = PrivacyLoss(INFINITE, INFINITE, arb(1))
SOME_DELTA = PrivacyLoss(INFINITE, INFINITE, arb("0.005"))

GOOD = [
    Row(SLOPE, REACHED),
    Row(GAMMA, USED),
    Row(LAPLACE, SOME_DELTA),
    Row(EDGE, BROKEN),
    Row(FRAME, FOR_SURE),
]
Audit = Callable[..., Result]


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> Audit:
    """The command with given rows in place of the computation."""

    def run(*options: str, rows: list[Row], quick: bool = False) -> Result:
        def given(**asked: bool) -> Iterator[Row]:
            assert asked == {"quick": quick}
            return iter(rows)

        monkeypatch.setattr("leeward.interface.commands.audit_command.audit", given)
        return CliRunner().invoke(build(), ["audit", *options])

    return run


def test_json_is_the_rows(audit: Audit) -> None:
    result = audit("--json", rows=GOOD)
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert rows == [row.as_json() for row in GOOD]
    assert [row["epsilon_computed"] for row in rows] == [0.999, 0.375, "inf", 1.5, "inf"]
    assert [row["control"] for row in rows] == [False, False, False, True, True]
    assert [row["tight"] for row in rows] == [True, False, False, False, False]


def test_json_of_an_unknown_loss_is_still_json(audit: Audit) -> None:
    result = audit("--json", rows=[Row(SLOPE, PrivacyLoss(UNKNOWN, UNKNOWN, UNKNOWN))])
    assert result.exit_code == 1
    (row,) = json.loads(result.stdout, parse_constant=pytest.fail)
    assert row["epsilon_computed"] is None
    assert row["verdict"] == "undecided"


def test_markdown_is_a_table(audit: Audit) -> None:
    result = audit("--markdown", rows=GOOD)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "| " + " | ".join(COLUMNS) + " |"
    assert set(lines[1]) == set("| -")
    assert len(lines) == 2 + len(GOOD)
    assert {line.count("|") for line in lines} == {len(COLUMNS) + 1}
    assert lines[3].startswith("| smooth_gamma, published, cells 2 | strong | 0.1 | 1 | 0.375 |")
    assert lines[5].startswith("| edge_laplace | worker | – | 1 | 1.5 | – | rejected |")
    assert lines[6].split(" | ")[4] == "∞"


def test_the_plain_table_reads_every_row_and_sums_up(audit: Audit) -> None:
    result = audit(rows=GOOD)
    assert result.exit_code == 0
    for reading in (
        "reaches its promise",
        "uses 0.375 of its promise",
        "δ 0.005, 0.01 claimed",
        "control: noise for one job only; edge_laplace, worker",
        "rejected  1.50 ε",
        "control: a frame from the jobs; slope, strong",
        "rejected  tells neighbours apart for sure",
    ):
        assert reading in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stdout.endswith("3 of 3 claims confirmed, 2 of 2 known-bad controls rejected.\n")


@pytest.mark.parametrize("form", [[], ["--json"], ["--markdown"]])
@pytest.mark.parametrize(
    "bad",
    [
        Row(SLOPE, BROKEN),
        Row(EDGE, USED),
        Row(SLOPE, PrivacyLoss(arb(1, 0.1), arb(0), arb(0))),
        Row(LAPLACE, FOR_SURE),
    ],
    ids=["broken promise", "passed control", "undecided", "broken delta"],
)
def test_anything_unexpected_ends_with_one(audit: Audit, form: list[str], bad: Row) -> None:
    assert audit(*form, rows=[*GOOD, bad]).exit_code == 1
    assert audit(*form, rows=GOOD).exit_code == 0


def test_the_summary_counts_what_failed(audit: Audit) -> None:
    result = audit(rows=[*GOOD, Row(SLOPE, BROKEN), Row(EDGE, NONE)])
    assert result.exit_code == 1
    assert "3 of 4 claims confirmed, 2 of 3 known-bad controls rejected." in result.stdout
    assert "BREAKS its promise: 1.50 ε" in result.stdout
    assert "NOT DETECTED" in result.stdout


def test_quick_is_passed_on(audit: Audit) -> None:
    assert audit("--quick", "--json", rows=GOOD, quick=True).exit_code == 0


def test_help_shows_an_example() -> None:
    result = CliRunner().invoke(build(), ["audit", "--help"])
    assert result.exit_code == 0
    assert "leeward audit --quick" in result.stdout
    for option in ("--json", "--markdown", "--quick"):
        assert option in result.stdout


def promise(computed: str, *, control: bool = False, warns: bool = False) -> Promise:
    promised = INFINITE if warns else arb(1)
    said = ("size", "strong", "slope", TENTH, Fraction(1), promised, arb(computed))
    return Promise(*said, text="A sentence.", control=control, warns=warns)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([promise("0.9"), promise("1.5", control=True), promise("3", warns=True)], 0),
        ([promise("1.1")], 1),
        ([promise("0.9", control=True)], 1),
        ([promise("0.9", warns=True)], 1),
        ([promise("1 +/- 0.1")], 1),
    ],
)
def test_promises_must_be_confirmed_and_false_ones_rejected(
    rows: list[Promise], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leeward.interface.commands.audit_promises.examine", lambda: iter(rows))
    for options in ([], ["--json"], ["--markdown"]):
        result = CliRunner().invoke(build(), ["audit", "--promises", *options])
        assert result.exit_code == code
        if options == ["--json"]:
            assert json.loads(result.stdout) == [row.as_json() for row in rows]
        elif not options:
            assert ("A sentence." in result.stdout) == (code == 1)
