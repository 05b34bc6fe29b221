"""The review sheet: change, limits and audit; internal only where it must be."""

import json
from pathlib import Path

import pytest

from leeward.core.codebook import EveryJob, Marginal
from leeward.core.errors import LeewardError
from leeward.core.privacy import Guarantee
from leeward.core.state import state_folder
from leeward.interface.report.audited import Audited, kept
from leeward.interface.report.review import Review, judge, read_limits
from leeward.interface.report.summary import summarise
from leeward.publishing.bundle import Bundle, ReleaseGuarantee, TableGuarantee, verify_bundle
from leeward.publishing.bundle.software import package_digest
from tests.interface.commands.scene import Office
from tests.interface.report.scene import Page, bundle_of
from tests.publishing.bundle.made_up import PLACE, SECTOR, TOTAL

ALL = """\
largest_epsilon: {}
smallest_alpha: {}
cap_lasts_years: {}
releases_per_year: 2
most_cells_reaching_zero: {}
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return bundle_of(tmp_path / "new", [Marginal("by_place", (PLACE,), ()), TOTAL])


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def verdicts(folder: Path, text: str, bundle: Bundle) -> list[bool]:
    (folder / "limits.yaml").write_text(text)
    summaries = [summarise(bundle, one) for one in bundle.certificate.tables]
    limits = read_limits(folder / "limits.yaml")
    return [one.kept for one in judge(limits, bundle.certificate, summaries)]


def test_limits_are_kept_up_to_the_border_and_no_further(tmp_path: Path, bundle: Bundle) -> None:
    """ε 4, α 1/10, and ε 9.5 left: two more releases, which is one year."""
    rows = [row for name in bundle for row in bundle.table(name).to_pylist() if row["status"] == 1]
    wide = sum(row["value"] <= row["margin"] for row in rows)
    share = f"{wide}/{len(rows)}"
    assert verdicts(tmp_path, ALL.format(4, "1/10", 1, share), bundle) == [True] * 4
    less = f"{2 * wide - 1}/{2 * len(rows)}"
    assert verdicts(tmp_path, ALL.format("3.999", "0.1001", "1.01", less), bundle) == [False] * 4


@pytest.mark.parametrize(
    "guarantee",
    [Guarantee("strong", "0.1", 1, "1e-9"), Guarantee("strong", "0.1", 0, rho="0.1")],
)
def test_what_is_no_epsilon_alone_keeps_no_limit_of_epsilon(
    tmp_path: Path, guarantee: Guarantee
) -> None:
    stated = ReleaseGuarantee.of(guarantee, EveryJob(), strict=False)
    table = {"guarantee": TableGuarantee.of(guarantee)}
    held = bundle_of(tmp_path / "held", [TOTAL], table=table, guarantee=stated)
    assert verdicts(tmp_path, "largest_epsilon: 100\n", held) == [False]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("largest_epsilo: 4\n", "largest_epsilon"),
        ("{}\n", "limits: must set a limit"),
        ("cap_lasts_years: 4\n", "limits.releases_per_year: must be given beside cap_lasts_years"),
        ("largest_epsilon: much\n", "limits.largest_epsilon"),
        ("most_cells_reaching_zero: 50\n", "most_cells_reaching_zero: must be a share"),
    ],
)
def test_a_wrong_file_of_limits_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "limits.yaml").write_text(text)
    with pytest.raises(LeewardError, match=told):
        read_limits(tmp_path / "limits.yaml")


def test_it_is_internal_where_it_holds_more_than_bundles(tmp_path: Path, bundle: Bundle) -> None:
    (tmp_path / "limits.yaml").write_text("largest_epsilon: 3\n")
    limits = read_limits(tmp_path / "limits.yaml")
    assert "INTERNAL" not in Review(bundle, bundle).page()
    page = Review(bundle, limits=limits).page()
    assert "INTERNAL: beside published bundles it holds the office&#39;s own limits." in page
    assert "✗ no" in page
    audited = Review(bundle, audit=Audited.of([True, False]))
    assert audited.mark.endswith("it holds an audit of this installation.")
    assert "1 of 2 rows NOT as expected." in audited.page()
    assert "Not the program that made the bundle." in audited.page()


def test_a_change_is_told_table_by_table(tmp_path: Path, bundle: Bundle) -> None:
    by_sector = Marginal("by_place", (PLACE, SECTOR), ())
    gone = Marginal("by_sector", (SECTOR,), ())
    old = bundle_of(tmp_path / "old", [by_sector, TOTAL, gone], period="2026Q1")
    text = Page(Review(bundle, old).page()).text
    assert "Not compared: table: must be by the same identifiers in both bundles" in text
    assert "by_sector Gone." in text
    assert (
        "1 cell in both. 0 of 1 interval of a difference (both margins together) exclude 0; noise "
        "alone gives up to about 0." in text
    )
    assert "2026Q1" in text


def test_the_result_of_an_audit_is_kept_for_the_same_program_alone() -> None:
    assert kept() is None
    Audited.of([True] * 3).keep()
    found = kept()
    assert found is not None
    assert found.words.startswith("All 3 rows as expected")
    path = state_folder() / "audits" / f"{package_digest()}.json"
    told = json.loads(path.read_text())
    for wrong in (
        "{}",
        "[]",
        "x",
        json.dumps(told | {"rows": "3"}),
        json.dumps(told | {"program": "0"}),
    ):
        path.write_text(wrong)
        assert kept() is None
    assert not Audited.of([]).sound


def test_the_command_writes_a_sheet_of_its_owner_beside_the_bundle(
    tmp_path: Path, bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    office = Office(tmp_path)
    Path("limits.yaml").write_text("largest_epsilon: 8\n")
    sheet = ("report", bundle.path.name, "--limits", "limits.yaml")
    assert office.run(*sheet).stderr.startswith("leeward: --out: must be given with --limits")
    assert "must not lie in a bundle" in office.run(*sheet, "--out", "new/x.html").stderr
    monkeypatch.setattr("leeward.lab.audit.audit", lambda **_: iter(()))
    done = office.run(*sheet, "--against", "new", "--audit", "--out", "review.html")
    assert (done.exit_code, done.stdout) == (0, "Review sheet: review.html\n")
    assert Path("review.html").stat().st_mode & 0o077 == 0
    found = kept()
    assert found is not None
    assert (found.program, found.rows) == (package_digest(), 0)
    assert "exists already" in office.run(*sheet, "--out", "review.html").stderr
    assert verify_bundle(bundle.path) == ()
