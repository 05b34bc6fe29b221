"""Sorted rows on the page: what coverage their margins have, and the ranks that they may have."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leeward import derive
from leeward.core.show.interpretation import NOT_DISTINGUISHABLE, RANKS
from leeward.core.show.numbers import rank_text
from leeward.derived.derive import picked
from leeward.interface.report.document import report
from leeward.interface.report.summary import summarise
from leeward.publishing.bundle import read_bundle
from tests.interface.web.releases_scene import Markup, work
from tests.interface.web.serving import Served, serving
from tests.publishing.bundle.made_up import write_demo

COVERED = (
    r"The intervals of (?:this row|these \d+ rows) include the true number in about (\d+) % of "
    r"cases, those of rows not so picked in 90 %"
)
SORTED = "/releases/first/tables/by_place?sort=value&order=down"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("releases")
    work(made)
    write_demo(made / "demo")
    return made


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Served]:
    with serving(releases=folder) as up:
        yield up


def shown(page: Served, address: str) -> str:
    answer = page.get(address)
    assert answer.status == 200
    return Markup(answer.text).plain.replace("\xa0", " ")


def test_rows_sorted_by_value_state_the_coverage_of_their_margins(page: Served) -> None:
    text = shown(page, SORTED)
    stated = re.search(COVERED, text)
    assert stated is not None
    assert 0 <= int(stated.group(1)) <= 100
    assert "no proof bounds it" in text
    picture = page.get(
        "/releases/first/tables/by_place/files/by_place.svg?sort=value&order=down"
    ).text
    assert "Sorted by value" in re.sub(r"<[^>]+>|\s+", " ", picture)


@pytest.mark.parametrize("sort", ["", "?sort=place", "?sort=status", "?search=A"])
def test_other_rows_need_no_estimate(
    page: Served, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    """Not even the work of one."""
    monkeypatch.setattr(picked, "picked_coverage", None)
    assert "picked" not in shown(page, f"/releases/first/tables/by_place{sort}").split("Click")[0]


def test_ranks_are_those_of_read(page: Served, folder: Path) -> None:
    text = shown(page, f"{SORTED}&ranks=shown")
    assert RANKS.replace("\xa0", " ") in text
    assert RANKS.replace("\xa0", " ") not in shown(page, SORTED)
    bundle = read_bundle(folder / "first")
    table = bundle.certificate.table("by_place")
    assert table is not None
    rows = derive(bundle, "by_place", table.identifiers, "rank").rows
    ranks = [(one.low, one.high) for one in rows if one.quantity == "rank"]
    cells = [one.codes for one in rows if one.quantity == "rank"]
    assert [*picked.rank_intervals(bundle, table, cells)] == ranks
    for low, high in ranks:
        assert (f"{low:,}" if low == high else f"{low:,}–{high:,}") in text


def test_without_a_law_it_is_said_that_nothing_is_known(page: Served) -> None:
    text = shown(page, "/releases/demo/tables/by_sex?sort=value&ranks=shown")
    assert "in less than 90 % of cases; how much less is not known for this table" in text
    assert "Ranks are not known here" in text


def test_paper_states_the_same(page: Served) -> None:
    printed = "/releases/first/tables/by_place/print"
    assert re.search(COVERED, shown(page, f"{printed}?sort=value&order=down")) is not None
    assert re.search(COVERED, shown(page, printed)) is None


def test_lists_of_a_report_show_the_same_ranks(folder: Path) -> None:
    bundle = read_bundle(folder / "first")
    table = bundle.certificate.table("by_place")
    assert table is not None
    drawn = summarise(bundle, table)
    cells = [one.codes for one in drawn.bars]
    assert drawn.ranks == picked.rank_intervals(bundle, table, cells)
    assert any(drawn.ranks)
    text = Markup(report(bundle)).plain.replace("\xa0", " ")
    assert RANKS.replace("\xa0", " ") in text
    for rank in drawn.ranks:
        assert rank_text(rank) in text
    assert NOT_DISTINGUISHABLE in text
    assert "few or none" not in text
