"""The tab Releases: what lies in the folder, and what is told about one bundle."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.interface.report.document import report
from leeward.interface.web import releases_folder
from leeward.interface.web.site import policy
from leeward.publishing.bundle import Certificate, read_bundle
from leeward.publishing.bundle.certificate import read_certificate
from leeward.publishing.bundle.signoff import record_path, sign
from tests.interface.web.releases_scene import Markup, work, write_small
from tests.interface.web.serving import Served, serving


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Served]:
    with serving(releases=tmp_path) as up:
        yield up


def names(page: Served, query: str = "") -> list[str]:
    """The bundles that are listed with a link, in order."""
    start = f"{page.site.base}/releases/"
    links = (one.get("href", "") for one in Markup(page.get(f"/releases{query}").text).all("a"))
    return [link.removeprefix(start) for link in links if link.startswith(start)]


def test_an_empty_folder_says_how_to_make_a_bundle(page: Served, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    told = Markup(page.get("/releases").text).plain
    assert "There is no bundle in this folder yet" in told
    assert f"leeward release plan.yaml --out {tmp_path}/my-release" in told


def test_bundles_are_listed_newest_first(page: Served, tmp_path: Path) -> None:
    for name, year in {"b": 2024, "a": 2026, "c": 2025}.items():
        write_small(tmp_path / name, created=f"{year}-01-02T03:04:05Z", period=f"{year}Q1")
    assert names(page) == ["a", "c", "b"]
    told = Markup(page.get("/releases").text).plain
    assert "a 2026Q1 2026-01-02 03:04 UTC lodes-2026 strong, α 0.1, ε 4 1" in told


def test_what_is_no_finished_bundle_of_the_folder_is_not_listed(
    page: Served, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = write_small(tmp_path_factory.mktemp("elsewhere") / "secret")
    write_small(tmp_path / "real")
    (tmp_path / "linked").symlink_to(elsewhere)
    (tmp_path / "notes").mkdir()
    (tmp_path / "file").write_text("no folder")
    write_small(tmp_path / "x").rename(tmp_path / ".x.partial-1-0")
    write_small(tmp_path / "y").rename(tmp_path / "a name with blanks")
    assert names(page) == ["real"]
    assert "1 bundle in" in Markup(page.get("/releases").text).plain
    for hidden in ("linked", "notes", ".x.partial-1-0", "a%20name%20with%20blanks"):
        assert page.get(f"/releases/{hidden}").status == 400


def test_five_hundred_bundles_are_paged_searched_and_read_once(
    page: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_small(tmp_path / "b000", period="2026Q1")
    content = (tmp_path / "b000" / "certificate.json").read_bytes()
    for number in range(1, 500):
        made = tmp_path / f"b{number:03}"
        made.mkdir()
        (made / "certificate.json").write_bytes(content)
    read: list[Path] = []

    def reading(path: Path) -> Certificate:
        read.append(path)
        return read_certificate(path)

    monkeypatch.setattr(releases_folder, "read_certificate", reading)
    assert len(names(page)) == 100
    assert len(read) == 500
    assert len(names(page, "?page=5")) == 100
    assert names(page, "?page=99") == names(page, "?page=5")
    assert names(page, "?page=x") == names(page)
    assert names(page, "?search=B499+2026q1") == ["b499"]
    assert names(page, "?search=nowhere") == []
    assert len(read) == 500
    os.utime(tmp_path / "b007" / "certificate.json")
    names(page)
    assert len(read) == 501


def test_a_bundle_page_tells_promise_budget_and_tables(page: Served, tmp_path: Path) -> None:
    write_small(tmp_path / "one").rename(tmp_path / "renamed")
    told = Markup(page.get("/releases/renamed").text).plain
    held = read_bundle(tmp_path / "renamed").certificate
    assert held.worker.sentence in told
    assert held.establishment is not None
    assert held.establishment.sentence in told
    assert "Cap ε 16 Paid for this release ε 4" in told
    assert "Spent, this release included ε 6.5 Left ε 9.5" in told
    assert "t place 2 slope ε 4 yes" in told
    assert "Its certificate calls it one." in told
    assert "No one has signed yet." in told
    assert "Not verified yet." in told


def test_sign_offs_are_shown_with_what_they_are_about(page: Served, tmp_path: Path) -> None:
    write_small(tmp_path / "old")
    sign(tmp_path / "old", "The <i>first</i>", "submitter", "submitted")
    record = record_path(tmp_path / "old").read_text()
    write_small(tmp_path / "new", period="2027Q1")
    record_path(tmp_path / "new").write_text(record)
    sign(tmp_path / "new", "The second", "clerk", "submitted")
    told = Markup(page.get("/releases/new").text).plain
    assert "The <i>first</i> submitter submitted" in told
    assert told.count("another certificate, not this bundle") == 1
    assert told.count("UTC this certificate") == 1
    sign(tmp_path / "new", "The third", "board", "rejected")
    told = Markup(page.get("/releases/new").text).plain
    assert "It stands rejected: the latest decision holds." in told
    record_path(tmp_path / "new").write_text("nonsense")
    broken = page.get("/releases/new")
    assert broken.status == 200
    assert "must end with a whole line" in Markup(broken.text).plain


def test_verification_finds_what_the_command_finds(page: Served, tmp_path: Path) -> None:
    write_small(tmp_path / "one")
    sound = Markup(page.get("/releases/one/verification").text).plain
    assert "Sound. Every file is the one that was published" in sound
    assert "No ledger was asked" in sound
    (tmp_path / "one" / "tables" / "t.csv").write_text("place,value,status,margin\n")
    unsound = Markup(page.get("/releases/one/verification").text).plain
    assert "Not sound." in unsound
    assert "tables/t.csv is not the file that was published" in unsound


def test_with_a_ledger_the_entry_is_confirmed_too(tmp_path: Path) -> None:
    office = work(tmp_path)
    with serving(releases=tmp_path, ledger=tmp_path / "ledger.sqlite") as up:
        first = Markup(up.get("/releases/first/verification").text).plain
        second = Markup(up.get("/releases/second/verification").text).plain
    assert "Sound." in first
    assert "The ledger confirms the entry that paid for it." in first
    assert "entry 5 was withdrawn: wrong <b>period</b>" in second
    with serving(releases=tmp_path, ledger=office.folder / "gone.sqlite") as up:
        gone = up.get("/releases/first/verification")
    assert gone.status == 200
    assert "Not sound." in Markup(gone.text).plain
    assert "must exist; got no such file" in Markup(gone.text).plain


def test_the_report_is_made_anew_and_never_the_file_that_lies_there(
    page: Served, tmp_path: Path
) -> None:
    write_small(tmp_path / "one")
    (tmp_path / "one" / "report.html").write_text("<script>a lie</script>")
    answer = page.get("/releases/one/report")
    assert answer.status == 200
    assert answer.text == report(read_bundle(tmp_path / "one"))
    assert "a lie" not in answer.text


def test_the_files_that_a_report_links_to_are_those_that_were_published(
    page: Served, tmp_path: Path
) -> None:
    folder = write_small(tmp_path / "one")
    report_text = page.get("/releases/one/report").text
    links = [one["href"] for one in Markup(report_text).all("a") if "download" in one]
    assert len(links) == 3
    for link in links:
        answer = page.get(f"/releases/one/{link}")
        assert answer.body == (folder / link).read_bytes()
        assert answer.headers["content-disposition"].startswith("attachment")
    for strange in ("tables/none.csv", "tables/..%2Fcertificate.json", "tables/t.csv.x"):
        assert page.get(f"/releases/one/{strange}").status == 404
    (folder / links[0]).write_text("other rows")
    assert page.get(f"/releases/one/{links[0]}").status == 400


def test_the_report_has_a_stricter_policy_of_its_own(page: Served, tmp_path: Path) -> None:
    write_small(tmp_path / "one")
    answer = page.get("/releases/one/report")
    assert answer.headers["content-security-policy"] == policy(answer.text)


def test_the_policy_of_a_report_allows_its_own_style_alone(tmp_path: Path) -> None:
    rules = policy(report(read_bundle(write_small(tmp_path / "one"))))
    assert rules.startswith("default-src 'none'; style-src 'sha256-")
    assert rules.endswith("; sandbox allow-downloads")
    assert rules.count("sha256-") == 1
    assert policy("<p>no style</p>").startswith("default-src 'none'; style-src 'none';")
    # The digest of `p{}`, as any other program computes it.
    assert "'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='" in policy("<style>p{}</style>")


def test_nothing_is_posted_to_the_tab(page: Served, tmp_path: Path) -> None:
    write_small(tmp_path / "one")
    for path in ("", "/one", "/one/verification", "/one/report", "/one/tables/t", "?search=x"):
        assert page.post(f"/releases{path}", []).status == 405


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with serving(releases=tmp_path / "gone") as up:
        answer = up.get("/releases")
    assert answer.status == 400
    assert "must be a folder that can be read" in answer.text
    assert "--releases" in answer.text
