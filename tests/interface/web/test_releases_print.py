"""The print view: every row of a selection, in columns that fit paper, with its source."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward.interface.web import releases_print
from leeward.publishing.bundle import read_bundle
from leeward.publishing.bundle.signoff import certificate_digest
from tests.derived.settle.joint_bundle import write_joint
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import Served, serving

OWN = "/releases/released/tables"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_joint(tmp_path_factory.mktemp("print") / "released")


@pytest.fixture
def page(bundle: Path) -> Iterator[Served]:
    with serving(releases=bundle.parent) as up:
        yield up


def rows_of(bundle: Path, table: str) -> list[dict[str, str]]:
    with (bundle / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def heads(text: str) -> int:
    return sum(1 for one in Markup(text).all("th") if one.get("scope") == "row")


def test_every_row_of_every_table_is_printed(page: Served, bundle: Path) -> None:
    for table in read_bundle(bundle).certificate.tables:
        text = page.get(f"{OWN}/{table.name}/print").text
        told = Markup(text).plain
        rows = rows_of(bundle, table.name)
        assert f'data-rows="{len(rows)}"' in text
        assert text.count("<tr>") == len(rows) + 2  # head and foot
        for row in rows:
            assert f"{int(row['value']):,}".replace("-", "−") in told
        assert "Shown: all rows." in told


def test_the_view_is_that_of_the_page_and_its_source_is_named(page: Served, bundle: Path) -> None:
    (first, *_) = rows_of(bundle, "wac_total")
    (name,) = read_bundle(bundle).certificate.tables[0].identifiers[:1]
    query = f"code.{name}={first[name]}&sort=value&order=down&search={first[name]}"
    told = Markup(page.get(f"{OWN}/wac_total/print?{query}").text).plain
    chosen = [row for row in rows_of(bundle, "wac_total") if row[name] == first[name]]
    assert f"with {first[name]} in codes or labels · {name} {first[name]}" in told
    assert "sorted by value, downwards" in told
    assert f'data-rows="{len(chosen)}"' in page.get(f"{OWN}/wac_total/print?{query}").text
    certificate = read_bundle(bundle).certificate
    for part in ("bundle released", "table wac_total", certificate.period, certificate.ledger.id,
                 certificate_digest(bundle)):  # fmt: skip
        assert part in told
    assert "127.0.0.1" not in told


def test_rows_beyond_the_bound_are_named(
    page: Served, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases_print, "MOST_PRINTED", 2)
    monkeypatch.setattr(releases_print, "MOST_LINES", 1)
    rows = len(rows_of(bundle, "wac_total"))
    told = Markup(page.get(f"{OWN}/wac_total/print").text).plain
    assert f"Printed are the first 2 of {rows:,} rows." in told
    told = Markup(page.get(f"{OWN}/wac_total/pivot/print").text).plain
    assert "Printed are the first 1 of" in told


def test_a_pivot_is_printed_in_groups_that_have_every_column(page: Served, bundle: Path) -> None:
    table = read_bundle(bundle).certificate.table("wac_total")
    assert table is not None
    for name in table.identifiers:
        codes = list(table.listed(name))
        text = page.get(f"{OWN}/wac_total/pivot/print?columns={name}").text
        shown = [one for one in Markup(text).all("th") if one.get("class") == "number"]
        there = {row[name] for row in rows_of(bundle, "wac_total")}
        assert len(shown) == len(there & set(codes))


def test_many_attributes_share_a_column(monkeypatch: pytest.MonkeyPatch, page: Served) -> None:
    monkeypatch.setattr(releases_print, "MOST_NAMES", 1)
    text = page.get(f"{OWN}/wac_total/print").text
    named = [one for one in Markup(text).all("th") if one == {"scope": "col"}]
    assert len(named) == 1


def test_what_the_page_refuses_the_print_view_refuses(page: Served) -> None:
    for query in ("sort=nothing", "code.place=nowhere", "status=x"):
        assert (
            page.get(f"{OWN}/wac_total/print?{query}").status
            == page.get(f"{OWN}/wac_total?{query}").status
        )
