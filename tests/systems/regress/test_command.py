"""`leeward regress`: what it answers, charges and refuses."""

from pathlib import Path

import numpy as np
import pytest

from leeward.core.codebook import read_codebook
from leeward.publishing.ledger import Ledger
from leeward.systems.regress import regression as running
from leeward.systems.regress.regression_request import METHODS, RegressionRequest
from leeward.systems.regress.setting import Columns, PublicCounts
from tests.systems.regress.scene import PRIVATE, answer, run

pytestmark = pytest.mark.usefixtures("folder")

KEYS = {"method", "private", "internal", "charged", "epsilon", "chi", "chi_cell", "cells"}
CELL = ["cell", "rank", "estimate", "se", "count", "status"]
COUNTS = ("--counts", "counts.csv")
INSIDE = ("--uncharged", "a test")
PAID = ("--ledger", "ledger.sqlite", "--account")
EMPLOYERS = ("--workplace", "plant", "--alpha", "0.1")


def method(name: str, *more: str) -> tuple[str, ...]:
    return ("--method", name, "--epsilon", "8", *more)


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    made = Ledger(folder / "ledger.sqlite")
    made.create("workers", policy="worker", epsilon=20)
    made.create("office", policy="strong", alpha="0.1", epsilon=20)
    return made


@pytest.mark.parametrize("name", METHODS)
def test_every_method_answers_in_the_same_form(name: str) -> None:
    private = name in ("moments", "theil-sen")
    more = (*(COUNTS if name == "theil-sen" else ()), "--codebook", "codebook.yaml")
    more += INSIDE if private else ()
    # At this ε an empty cell is never taken for one with rows.
    told = answer("--method", name, "--epsilon", "200", *more, "--rank", "0.25", "--rank", "1/2")
    assert told.keys() >= KEYS
    assert (told["private"], told["internal"], told["charged"]) == (private, True, False)
    assert told["mark"].startswith("INTERNAL")
    assert told["uncharged"] == ("a test" if private else None)
    assert (told["method"], told["epsilon"]) == (name, 200.0)
    assert [(one["cell"], one["rank"]) for one in told["cells"]] == [
        (cell, rank) for cell in "ABC" for rank in (0.25, 0.5, "slope")
    ]
    assert [list(one) for one in told["cells"]] == [CELL] * 9
    assert [one["estimate"] is None for one in told["cells"]] == [False] * 6 + [True] * 3
    assert (
        set(told["chi"])
        == set(told["chi_cell"])
        == ({"p25", "p50", "slope"} if name in ("mose", "upper-bound") else set())
    )
    said = " ".join(told["says"])
    assert ("INTERNAL: not formally private" in said) != private
    assert ("the promise is about this output alone" in said) == private
    if name != "global":  # noise for the whole range
        assert told["cells"][1]["estimate"] == pytest.approx(3200, abs=400)


def test_cells_of_a_file_without_codebook_are_its_texts() -> None:
    told = answer(*method("mose"), by="plant")
    assert [one["cell"] for one in told["cells"]][::2] == sorted(f"w{n}" for n in range(20))
    # Undeclared ends are 0 and 1: most tenures are moved to 1, and few cells have a line.
    assert [one["status"] for one in told["cells"]].count("no estimate") > 20


def test_the_slope_is_in_units_of_both_columns() -> None:
    exact = answer(*method("suppression", "--codebook", "codebook.yaml"))
    assert exact["cells"][1]["estimate"] == pytest.approx(60, abs=5)
    noisy = answer(*method("moments", "--codebook", "codebook.yaml", "--scatter", "600"), *INSIDE)
    n, a, aa, b, ab = (noisy["sums"][0][name] for name in ("n", "a", "aa", "b", "ab"))
    slope = (ab - a * b / n) / (aa + n / 2 - a * a / n)  # further estimates follow from the sums
    assert noisy["cells"][1]["estimate"] == pytest.approx(slope * 4000 / 20, rel=1e-4)
    for one, true in zip(noisy["cells"][:4], exact["cells"][:4], strict=True):
        assert one["estimate"] == pytest.approx(true["estimate"], abs=8 * one["se"])
        assert one["se"] < (400 if one["rank"] != "slope" else 20)


def test_moments_charge_their_account_once(ledger: Ledger) -> None:
    told = answer(*PRIVATE, *PAID, "workers")
    assert told["charged"] is True
    assert "this output alone" not in " ".join(told["says"])
    assert ledger.account("workers").left.epsilon == 12
    kinds = [entry.kind for entry in ledger.entries()]
    assert kinds == ["opened", "opened", "reserved", "committed"]
    assert ledger.entries()[2].number == told["entry"]
    again = run(*PRIVATE, *PAID, "workers")
    assert again.exit_code == 1
    assert "must not have been charged to this account before" in again.output
    answer(*PRIVATE, *PAID, "workers", "--again")
    assert ledger.account("workers").left.epsilon == 4
    over = run(*PRIVATE, *PAID, "workers", "--again")
    assert "must keep account 'workers' within its cap" in over.output
    assert len(ledger.entries()) == 6


def test_employers_are_charged_to_a_strong_account(ledger: Ledger) -> None:
    rows_alone = run(*PRIVATE, *PAID, "office")
    assert "worker does not imply strong" in rows_alone.output
    told = answer(*PRIVATE, *PAID, "office", *EMPLOYERS)
    assert (told["charged"], told["alpha"]) == (True, 0.1)
    assert "sizes of establishments, whoever joins or leaves" in told["says"][0]
    assert ledger.account("office").left.epsilon == 12


def test_what_breaks_off_after_the_charge_says_what_stays(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(*_: object) -> None:
        raise ArithmeticError("SECRET")

    monkeypatch.setattr(running, "measured", break_off)
    result = run(*PRIVATE, *PAID, "workers")
    assert result.exit_code == 3
    assert "Entry 3 of the ledger stays: epsilon 8 of account workers" in result.output
    assert "SECRET" not in result.output
    assert [entry.kind for entry in ledger.entries()][2:] == ["reserved", "failed"]
    assert ledger.account("workers").left.epsilon == 12


REFUSED = {
    "method": (method("ols"), "--method: must be one of moments, theil-sen"),
    "no codebook": (method("moments", *INSIDE), "--codebook: is needed by private methods"),
    "neither an account nor a reason": (
        PRIVATE,
        "--ledger, --account: must be given for an output that may be published",
    ),
    "an account and a reason": (
        (*PRIVATE, *PAID, "workers", *INSIDE),
        "--uncharged: must not be given with --ledger",
    ),
    "no reason": ((*PRIVATE, "--uncharged", ""), "--uncharged: must be text of 1 to"),
    "no public counts": (
        method("theil-sen", "--codebook", "codebook.yaml", *INSIDE),
        "--counts: is needed by theil-sen",
    ),
    "public counts": ((*PRIVATE, *COUNTS, *INSIDE), "--counts: is for theil-sen"),
    "ledger of a baseline": (
        method("mose", *PAID, "workers"),
        "--ledger: must be charged for a guarantee, and this method has none",
    ),
    "ledger alone": ((*PRIVATE, *PAID[:2]), "--ledger, --account: must be given together"),
    "alpha alone": (
        (*PRIVATE, *INSIDE, "--alpha", "0.1"),
        "--workplace, --alpha: must be given together",
    ),
    "workplace of a baseline": (
        method("mose", *EMPLOYERS),
        "--workplace: is for moments",
    ),
    "rank": ((*PRIVATE, *INSIDE, "--rank", "1.5"), "--rank: must be a share from 0 to 1"),
    "rank twice": (
        (*PRIVATE, *INSIDE, "--rank", "0.5", "--rank", "1/2"),
        "--rank: must be given once",
    ),
    "epsilon": ((*PRIVATE[:3], "0", *PRIVATE[4:], *INSIDE), "epsilon: must be above 0"),
    "scatter": (method("mose", "--scatter", "3"), "--scatter: is for moments"),
    "no scatter": ((*PRIVATE, *INSIDE, "--scatter", "0"), "--scatter: must be above 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_have_four_parts_and_charge_nothing(ledger: Ledger, case: str) -> None:
    options, says = REFUSED[case]
    result = run(*options)
    assert result.exit_code == 1
    assert says in result.output
    assert "; got " in result.output
    assert result.output.rstrip().endswith(".")
    assert len(ledger.entries()) == 2


def test_columns_cells_and_files_that_are_not_there_are_refused(folder: Path) -> None:
    assert "--x: must be a column of FILE" in run(*method("mose"), x="tenre").output
    assert "Did you mean 'tenure'?" in run(*method("mose"), x="tenre").output
    assert "--by: must be declared in the codebook" in run(*PRIVATE, *INSIDE, by="plant").output
    by_sex = run(*PRIVATE, *INSIDE, *EMPLOYERS, by="sex")
    assert "--by: must be an attribute of workplaces" in by_sex.output
    (folder / "jobs.csv").write_bytes(b"tenure,pay,county\n1,2,\xff\n")
    unreadable = run(*PRIVATE, *INSIDE)
    assert "FILE: must be readable from the first row to the last" in unreadable.output
    (folder / "jobs.csv").unlink()
    assert "FILE: must be a file whose name ends in" in run(*PRIVATE, *INSIDE).output


ROW = "39.9,1,A,F,w1"


@pytest.mark.parametrize("row", [ROW, ",,,,", "x,1e99,Z,F,new", "-1,nan,A,F,", '"",1,A,F,w1'])
@pytest.mark.parametrize("employers", [(), EMPLOYERS], ids=["rows", "employers"])
def test_neighbours_are_released_in_the_same_form(
    folder: Path, row: str, employers: tuple[str, ...]
) -> None:
    """No row refuses a release, adds a cell or takes one away."""
    before = answer(*PRIVATE, *INSIDE, *employers)
    with (folder / "jobs.csv").open("a") as file:
        file.write(f"{row}\n")
    after = answer(*PRIVATE, *INSIDE, *employers)
    shown = [[(one["cell"], one["rank"]) for one in told["cells"]] for told in (before, after)]
    assert shown[0] == shown[1]
    assert before["says"] == after["says"]


def test_the_digest_of_a_request_follows_what_is_released(folder: Path) -> None:
    codebook = read_codebook(folder / "codebook.yaml")
    columns = Columns("tenure", "pay", "county")
    one = RegressionRequest(folder / "jobs.csv", columns, "moments", "1", codebook=codebook)
    same = RegressionRequest(
        folder / "jobs.csv", columns, "moments", "1.0", ranks=("0.5",), codebook=codebook
    )
    other = RegressionRequest(folder / "jobs.csv", columns, "moments", "2", codebook=codebook)
    assert one.digest == same.digest != other.digest
    assert np.isinf(one.setting.relative_scatter)


MEDIANS = method("theil-sen", "--codebook", "codebook.yaml", *COUNTS)


def test_the_counts_of_theil_sen_are_those_of_the_file(folder: Path) -> None:
    """County B has 210 rows, and C none; the file says otherwise, and decides."""
    (folder / "counts.csv").write_text("note,county,count\nx,C,5\nx,A,0\nx,B,4\n")
    told = answer(*MEDIANS, *INSIDE)
    shown = [(one["cell"], one["count"], one["status"]) for one in told["cells"]]
    assert shown[::2] == [("A", 0, "no estimate"), ("B", 4, "ok"), ("C", 5, "ok")]
    assert "named as public, not from the rows" in " ".join(told["says"])


def test_theil_sen_charges_an_account_of_workers(ledger: Ledger) -> None:
    told = answer(*MEDIANS, *PAID, "workers")
    assert (told["charged"], told["internal"]) == (True, False)
    assert ledger.account("workers").left.epsilon == 12
    assert "does not imply strong" in run(*MEDIANS, *PAID, "office").output


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("county,n\nA,1\n", "must have the columns 'county' and 'count'"),
        ("county,count\nA,1\nA,1\n", "must name each code once"),
        ("county,count\nA,1\nB,2\n", "a file that lacks 'C'"),
        ("county,count\nA,1\nB,2\nC,3\nD,4\n", "a file that names 'D'"),
        ("county,count\nA,1\nB,-2\nC,3\n", "whole counts from 0"),
        ("county,count\nA,1\nB,²\nC,3\n", "whole counts from 0"),
        ("county,count\nA,1\nB\nC,3\n", "whole counts from 0"),
        ("county,count\nA,1\nB,99999999999999999999\nC,3\n", "whole counts from 0"),
        ('county,count\nA,1\n"B,2\n', "must be a CSV file"),
        ("", "must have the columns"),
    ],
)
def test_a_file_of_counts_that_is_none_is_rejected(folder: Path, content: str, says: str) -> None:
    (folder / "counts.csv").write_text(content)
    result = run(*MEDIANS, *INSIDE)
    assert result.exit_code == 1
    assert f"--counts: {says}" in result.output or says in result.output


def test_the_digest_follows_the_counts(folder: Path) -> None:
    codebook, columns = read_codebook(folder / "codebook.yaml"), Columns("tenure", "pay", "county")
    one, same, other = (
        RegressionRequest(
            folder / "jobs.csv", columns, "theil-sen", "1", codebook=codebook, counts=counts
        )
        for counts in (PublicCounts(dict.fromkeys("ABC", n)) for n in (5, 5, 6))
    )
    assert one.digest == same.digest != other.digest
