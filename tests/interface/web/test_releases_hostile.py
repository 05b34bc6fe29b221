"""Bundles and addresses of strangers: refused in plain words, and the page stays up."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import Marginal
from leeward.publishing.bundle import Certificate
from leeward.publishing.bundle.certificate import damaged, read_certificate
from leeward.publishing.bundle.signoff import record_path
from tests.browser.stranger import SCRIPTS, write_broken, write_hostile, write_tables
from tests.interface.web.releases_scene import Markup, write_small
from tests.interface.web.serving import Answer, Served, serving
from tests.publishing.bundle.made_up import dimension

HIDDEN = "what lies outside of the folder"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of releases, and beside it what nobody may see."""
    (tmp_path / "secret.txt").write_text(HIDDEN)
    write_small(tmp_path / "outside", account=HIDDEN)
    made = tmp_path / "releases"
    made.mkdir()
    write_small(made / "one")
    return made


@pytest.fixture
def page(folder: Path) -> Iterator[Served]:
    with serving(releases=folder) as up:
        yield up
        assert up.get("/releases/one").status == 200, "the page went down"


VIEWS = (
    "/releases",
    "/releases/hostile",
    "/releases/hostile/verification",
    "/releases/hostile/tables/strange",
    "/releases/hostile/tables/strange?sort=value&search=script",
    "/comparison?first=hostile&second=hostile-too",
    "/comparison",
)


@pytest.mark.parametrize("view", VIEWS)
def test_texts_of_a_bundle_are_never_more_than_text(page: Served, folder: Path, view: str) -> None:
    write_hostile(folder / "hostile")
    write_hostile(folder / "hostile-too")
    answer = page.get(view)
    markup = Markup(answer.text)
    assert answer.status == 200
    assert markup.dangers(page.site.base) == []
    shown = {"/comparison": "hostile-too"}.get(view, SCRIPTS[2])
    assert shown in markup.text


def test_a_cell_over_releases_of_strangers_is_only_text(page: Served, folder: Path) -> None:
    for name in ("hostile", "hostile-too"):
        write_hostile(folder / name)
    rows = Markup(page.get("/releases/hostile/tables/strange").text)
    link = next(one["href"] for one in rows.all("a") if "/series?" in one["href"])
    answer = page.get(link.removeprefix(page.site.base))
    assert (answer.status, Markup(answer.text).dangers(page.site.base)) == (200, [])
    assert len(Markup(answer.text).all("circle")) == 2


def test_a_danger_is_seen() -> None:
    page = "<script>1</script><img src=x><a href='//x.example'>x</a><p onclick=x style=y></p>"
    found = Markup(page).dangers("/token")
    assert [one.split()[0] for one in found] == ["<script", "<img", "<img", "<a", "<p", "<p"]


def test_what_a_search_says_is_only_text(page: Served) -> None:
    for path in ("/releases?search=", "/releases/one/tables/t?search=", "/comparison?first="):
        answer = page.get(f"{path}%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3Csvg%20onload%3Dx%3E")
        assert Markup(answer.text).dangers(page.site.base) == []
        assert "<svg onload" not in answer.text


def test_endless_labels_and_lists_are_cut_short(page: Served, folder: Path) -> None:
    long = "x" * 1_000_000
    place = dimension("place", [long, *"abc"])
    wide = [dimension(f"attribute {number}", "a") for number in range(41)]
    tables = [Marginal("t", (place,), ()), Marginal("u", tuple(wide), ())]
    for name in ("long", "other"):
        write_tables(folder / name, tables)
    for view in (
        "/releases/long",
        "/releases/long/tables/t",
        "/comparison?first=long&second=other",
    ):
        answer = page.get(view)
        assert answer.status == 200
        assert len(answer.body) < 100_000
    refused_so = page.get("/releases/long/tables/u")
    assert refused_so.status == 400
    assert "must have at most 40 identifiers to be shown" in refused_so.text


BROKEN = {
    "cut": "certificate.json must be a certificate",
    "oversized": "certificate.json must have at most 64 MB to be shown here",
}


def test_broken_bundles_are_listed_with_what_is_wrong(page: Served, folder: Path) -> None:
    write_broken(folder)
    markup = Markup(page.get("/releases").text)
    for name, problem in BROKEN.items():
        assert f"{name} Not opened: {problem}" in markup.plain
        answer = page.get(f"/releases/{name}")
        assert answer.status == 400
        assert problem in Markup(answer.text).plain


@pytest.mark.parametrize(
    ("name", "told"),
    [("corrupt", "must be the file that was published"), ("linked", "must be a file, not a link")],
)
def test_a_table_that_is_not_the_published_one_is_not_shown(
    page: Served, folder: Path, name: str, told: str
) -> None:
    write_broken(folder)
    for view, words in {"tables/t": told, "report": "must be sound: "}.items():
        answer = page.get(f"/releases/{name}/{view}")
        assert answer.status == 400
        assert words in Markup(answer.text).plain
    compared = page.get(f"/comparison?first=one&second={name}")
    assert compared.status == 400
    assert told in Markup(compared.text).plain


def test_a_table_replaced_by_one_of_the_same_size_is_not_shown(page: Served, folder: Path) -> None:
    table = folder / "one" / "tables" / "t.parquet"
    content = table.read_bytes()
    table.write_bytes(content[:-20] + bytes(20))
    for view, words in {"tables/t": "must be", "report": "tables/t.parquet is not"}.items():
        answer = page.get(f"/releases/one/{view}")
        assert answer.status == 400
        assert f"{words} the file that was published" in Markup(answer.text).plain


def test_a_folder_of_tables_that_is_a_link_is_not_followed(page: Served, folder: Path) -> None:
    tables = folder / "one" / "tables"
    tables.rename(folder.parent / "moved")
    tables.symlink_to(folder.parent / "moved")
    answer = page.get("/releases/one/tables/t")
    assert answer.status == 400
    assert "must be a file, not a link" in Markup(answer.text).plain


def test_pipes_keep_nobody_waiting(page: Served, folder: Path) -> None:
    table = folder / "one" / "tables" / "t.parquet"
    table.unlink()
    os.mkfifo(table)
    assert page.get("/releases/one/tables/t").status == 400
    assert page.get("/releases/one/report").status == 400
    assert "Not sound." in Markup(page.get("/releases/one/verification").text).plain
    os.mkfifo(record_path(folder / "one"))
    signed = page.get("/releases/one")
    assert signed.status == 200
    assert "must be a file, not a link" in Markup(signed.text).plain
    write_small(folder / "two")
    (folder / "two" / "certificate.json").unlink()
    os.mkfifo(folder / "two" / "certificate.json")
    assert (
        "two Not opened: certificate.json must be a file"
        in Markup(page.get("/releases").text).plain
    )
    record_path(folder / "one").unlink()


def test_a_linked_certificate_is_not_read(page: Served, folder: Path) -> None:
    write_small(folder / "two")
    stolen = folder / "two" / "certificate.json"
    stolen.unlink()
    stolen.symlink_to(folder.parent / "outside" / "certificate.json")
    listed = page.get("/releases").text
    assert "two Not opened: certificate.json must be a file, not a link" in Markup(listed).plain
    assert HIDDEN not in listed + page.get("/releases/two").text


def test_a_certificate_without_its_bundle_is_told(page: Served, folder: Path) -> None:
    write_small(folder / "two")
    (folder / "two" / "certificate.json").unlink()
    assert (
        "two Not opened: certificate.json must be there" in Markup(page.get("/releases").text).plain
    )
    shutil.rmtree(folder / "two" / "tables")
    shutil.copy(folder / "one" / "certificate.json", folder / "two")
    answer = page.get("/releases/two/tables/t")
    assert answer.status == 400
    assert "must be there" in answer.text


ELSEWHERE = (
    "..",
    "%2e%2e%2foutside",
    "..%2foutside",
    "..%5coutside",
    "one%00",
    "one%2f..%2f..%2foutside",
    "%2fetc",
    "outside",
    "one%0a",
    "ONE",
    "%ff%fe",
)


def refused(answer: Answer) -> bool:
    return answer.status in {400, 404} and HIDDEN not in answer.text


@pytest.mark.parametrize("name", ELSEWHERE)
def test_no_address_leads_out_of_the_folder(page: Served, name: str) -> None:
    for view in ("", "/verification", "/report", "/tables/t", "/certificate.json"):
        assert refused(page.get(f"/releases/{name}{view}")), view
    assert refused(page.get(f"/releases/one/tables/{name}"))
    assert refused(page.get(f"/comparison?first=one&second={name}"))
    assert refused(page.get(f"/comparison?first=one&second=one&table={name}"))


@pytest.mark.parametrize("path", ["/releases/one/", "/releases/one/tables", "/releases//one"])
def test_addresses_that_nobody_made_lead_nowhere(page: Served, path: str) -> None:
    assert page.get(path).status == 404


@pytest.mark.parametrize("margin", [-5, 2**62])
def test_a_bundle_that_is_not_sound_has_no_report(page: Served, folder: Path, margin: int) -> None:
    """As on the command line; what is wrong with the rows would else be found while drawing."""
    write_small(folder / "odd")
    path = folder / "odd" / "tables" / "t.parquet"
    rows = pq.read_table(path)
    odd = pa.array([margin] * len(rows), pa.int64())
    pq.write_table(rows.set_column(rows.num_columns - 1, "margin", odd), path)
    held = json.loads((folder / "odd" / "certificate.json").read_text())
    stamp = {"bytes": path.stat().st_size, "sha256": sha256(path.read_bytes()).hexdigest()}
    held["files"]["tables/t.parquet"] = stamp
    made = Certificate.model_validate_json(json.dumps(held))
    (folder / "odd" / "certificate.json").write_bytes(made.to_json())
    answer = page.get("/releases/odd/report")
    assert answer.status == 400
    assert "must be sound" in answer.text


def test_a_certificate_is_read_once_however_many_ask(
    page: Served, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[Path]()

    def slowly(path: Path) -> Certificate:
        read.append(path)
        time.sleep(0.3)
        if path.parent.name == "bad":
            raise damaged(path, "must be better")
        return read_certificate(path)

    monkeypatch.setattr("leeward.interface.web.releases_folder.read_certificate", slowly)
    write_small(folder / "two")
    write_small(folder / "bad")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(page.get, ["/releases/two"] * 4))
    assert [one.status for one in answers] == [200] * 4
    assert read == [folder / "two" / "certificate.json"]
    assert "must be better" in page.get("/releases").text
    assert "must be better" in page.get("/releases").text
    assert [path.parent.name for path in read].count("bad") == 1
