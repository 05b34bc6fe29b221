"""The tab Ledger: it shows what stands there, says what is wrong, and never writes."""

import shutil
import sqlite3
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from leeward.core.privacy import Guarantee
from leeward.interface.web.ledger_tab import MOST_DRAWN, PER_PAGE, SET_ASIDE, TOGETHER, drawn
from leeward.publishing.ledger import Ledger
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.entry import happened
from tests.interface.web.releases_scene import Markup, charged, work, write_small
from tests.interface.web.serving import Served, serving
from tests.publishing.ledger.scenes import DIGEST, opened_up, release, strong


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("office")
    work(made)
    return made


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Served]:
    with serving(releases=folder, ledger=folder / "ledger.sqlite") as up:
        yield up


def told(up: Served, query: str = "") -> str:
    answer = up.get(f"/ledger{query}")
    assert answer.status == 200
    assert Markup(answer.text).dangers(up.site.base) == []
    return Markup(answer.text).plain


def test_accounts_are_told_with_what_is_left(page: Served) -> None:
    words = told(page)
    assert "office Cap strong, alpha 0.1, epsilon 16 Spent strong, alpha 0.1, epsilon 8" in words
    assert "Left epsilon 8 Charges 2 since it was opened" in words
    assert "other Cap strong, alpha 0.1, epsilon 3 Spent nothing yet Left epsilon 3" in words


def test_every_entry_is_told_the_newest_first(page: Served, folder: Path) -> None:
    with Ledger.open(folder / "ledger.sqlite") as book:
        entries = book.entries()
    words = told(page)
    places = [words.index(f" {one.number} {one.time[:10]}") for one in entries]
    assert places == sorted(places, reverse=True)
    for entry in entries:
        assert happened(entry) in words
    assert "strong, alpha 0.1, epsilon 4 first committed" in words
    assert "strong, alpha 0.1, epsilon 4 second withdrawn" in words
    assert "wrong <b>period</b>" in words


def test_bundles_of_the_folder_are_linked_and_known(page: Served) -> None:
    links = [one["href"] for one in Markup(page.get("/ledger").text).all("a")]
    assert f"{page.site.base}/releases/first" in links
    assert "Sound. Every entry is as it was written" in told(page)
    assert "It has the entries of 2 bundles of the folder." in told(page)


def test_one_account_is_shown_alone(page: Served) -> None:
    words = told(page, "?account=other")
    assert "1 entry of other" in words
    assert "epsilon 16" not in words
    assert "There is no account of this name." in told(page, "?account=%3Cscript%3E")


def test_without_a_ledger_the_page_says_how_to_give_one(tmp_path: Path) -> None:
    with serving(releases=tmp_path) as up:
        assert "No ledger was given" in told(up)
    with serving(releases=tmp_path, ledger=tmp_path / "gone.sqlite") as up:
        assert "ledger must exist; got no such file" in told(up)
        assert not (tmp_path / "gone.sqlite").exists()
    Ledger.new(tmp_path / "new.sqlite")
    with serving(releases=tmp_path, ledger=tmp_path / "new.sqlite") as up:
        assert "No account is open." in told(up)
        assert "No bundle of the folder carries an entry of this ledger." in told(up)


def copied(folder: Path, target: Path) -> Path:
    """The ledger and a bundle of an office, to be spoiled."""
    shutil.copy(folder / "ledger.sqlite", target / "ledger.sqlite")
    shutil.copytree(folder / "first", target / "first")
    return target / "ledger.sqlite"


def test_a_damaged_ledger_is_told_with_all_findings(folder: Path, tmp_path: Path) -> None:
    ledger = copied(folder, tmp_path)
    with opened_up(ledger) as bare:
        bare.execute("UPDATE entries SET body = replace(body, '2026Q2', '2026Q1')")
    with serving(releases=tmp_path, ledger=ledger) as up:
        words = told(up)
        assert "Not sound. Release nothing from it" in words
        assert "entry 3: its text does not agree with its hash" in words
        assert "entry 5: its text does not agree with its hash" in words
        assert up.get("/releases").status == 200


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "got an empty file"),
        (b"no database at all" * 100, "a file that is no database"),
        (b"SQLite format 3\0" + bytes(5000), "ledger"),
    ],
)
def test_files_that_are_no_ledger_are_told(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    path.chmod(0o600)
    with serving(releases=tmp_path, ledger=path) as up:
        words = told(up)
        assert "It cannot be shown." in words or "Not sound." in words
        assert says in words
    assert path.read_bytes() == content


def test_a_ledger_open_to_others_is_told(folder: Path, tmp_path: Path) -> None:
    ledger = copied(folder, tmp_path)
    ledger.chmod(0o644)
    with serving(releases=tmp_path, ledger=ledger) as up:
        assert "must be closed to everyone but its owner" in told(up)


def test_an_old_copy_is_found_by_the_bundles_of_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger.new(path) as book:
        book.open_account("office", strong(4))
        shutil.copy(path, tmp_path / "old.sqlite")
        paid = book.reserve("office", strong(1), release())
        book.commit(paid.number, DIGEST)
    write_small(tmp_path / "paid", ledger=charged(paid.ledger, paid.number, paid.hash))
    with serving(releases=tmp_path, ledger=path) as up:
        assert "It has the entries of 1 bundle of the folder." in told(up)
    with serving(releases=tmp_path, ledger=tmp_path / "old.sqlite") as up:
        words = told(up)
    assert "Not sound." in words
    assert "entry 2 of a bundle: the ledger has no such entry" in words


def test_bundles_of_another_ledger_are_named(page: Served, folder: Path) -> None:
    assert "another ledger" not in told(page)
    write_small(folder / "foreign", ledger=charged("elsewhere", 2, "ab" * 32))
    try:
        words = told(page)
    finally:
        shutil.rmtree(folder / "foreign")
    assert "1 bundle of the folder belongs to another ledger: foreign." in words
    assert "Sound." in words


def test_nothing_is_ever_written(page: Served, folder: Path) -> None:
    def state() -> list[tuple[str, int, str]]:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return [
            (str(path), path.stat().st_mtime_ns, sha256(path.read_bytes()).hexdigest())
            for path in paths
        ]

    before = state()
    for path in every_page():
        assert page.get(path).status == 200
        assert page.post(path, [("account", "office")]).status == 405
    assert state() == before


def every_page() -> list[str]:
    tables = [f"/releases/{name}/tables/by_sex" for name in ("first", "second")]
    checked = [f"/releases/{name}/verification" for name in ("first", "second")]
    others = ["/releases/first/report", "/comparison?first=first&second=second"]
    return ["/ledger", "/ledger?account=office", "/releases", *tables, *checked, *others]


def test_the_secret_of_the_ledger_is_never_shown(page: Served, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as bare:
        ((key,),) = bare.execute("SELECT key FROM secret")
    shapes = {key, key.hex().encode(), b64encode(key), urlsafe_b64encode(key), repr(key).encode()}
    spoiled = folder / "spoiled.sqlite"
    shutil.copy(folder / "ledger.sqlite", spoiled)
    with opened_up(spoiled) as bare:
        bare.execute("UPDATE secret SET key = key || key")
    with serving(releases=folder, ledger=spoiled) as up:
        bodies = [up.get("/ledger").body]
    spoiled.unlink()
    assert b"its name or its secret is missing" in bodies[0]
    bodies += [page.get(path).body for path in every_page()]
    assert not [shape for shape in shapes for body in bodies if shape.rstrip(b"=") in body]


def test_many_entries_are_paged_and_many_accounts_listed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger.new(path) as book:
        for number in range(MOST_DRAWN + 1):
            book.open_account(f"account-{number:02}", strong(400))
        for number in range(PER_PAGE):
            book.reserve("account-00", strong(1), release(number))
    with serving(releases=tmp_path, ledger=path) as up:
        first = Markup(up.get("/ledger").text)
        second = Markup(up.get("/ledger?page=2").text)
        alone = Markup(up.get("/ledger?account=account-00").text)
    assert "Page 1 of 2" in first.plain
    assert "charged strong, alpha 0.1, epsilon 1 for out/99" in first.plain
    assert "open" in first.plain
    assert len(first.all("svg")) == 0
    assert second.plain.count("account opened") == MOST_DRAWN + 1
    assert len(alone.all("svg")) == 1
    assert "Left epsilon 300" in alone.plain


CAP, IN_RHO = Guarantee("strong", "0.1", 9, "1e-6"), Guarantee("strong", "0.1", 0, 0, "1/100")


def test_charges_in_rho_are_one_part_of_a_cap_in_epsilon(tmp_path: Path) -> None:
    with Ledger.new(tmp_path / "ledger.sqlite") as book:
        book.open_account("gaussian", CAP)
        for number in (1, 2):
            book.reserve("gaussian", IN_RHO, release(number))
        found = drawn(book.account("gaussian"), book.entries())
        left = book.account("gaussian").left.epsilon
    assert TOGETHER in found.chart.description
    assert "out/2" not in found.chart.description
    assert 0 < left < 9


def test_what_is_set_aside_for_gaussian_noise_is_a_part(tmp_path: Path) -> None:
    with Ledger.new(tmp_path / "ledger.sqlite") as book:
        book.open_account("both", CAP, Box.of(CAP, "1/10"))
        book.reserve("both", strong(2), release(1))
        book.reserve("both", IN_RHO, release(2))
        found = drawn(book.account("both"), book.entries())
    assert "out/1 (2026Q2): 2" in found.chart.description
    assert SET_ASIDE in found.chart.description
    assert "out/2" not in found.chart.description
    with serving(None, tmp_path, tmp_path / "ledger.sqlite") as page:
        assert ", rho 0.09" in Markup(page.get("/ledger").text).plain
