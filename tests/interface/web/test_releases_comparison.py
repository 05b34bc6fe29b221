"""Two bundles side by side on the page."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.derived.derive.comparison import Comparison, compare
from leeward.interface.web.releases_comparison import HONEST, comparison_words
from leeward.publishing.bundle import read_bundle
from tests.interface.web.releases_scene import Markup, work, write_small
from tests.interface.web.serving import Served, serving
from tests.publishing.bundle.made_up import write_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("releases")
    work(made)
    write_demo(made / "demo")
    write_small(made / "small")
    return made


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Served]:
    with serving(releases=folder) as up:
        yield up


def test_two_releases_are_compared_as_the_function_does(page: Served, folder: Path) -> None:
    bundles = read_bundle(folder / "first"), read_bundle(folder / "second")
    found = compare(*bundles, "by_sex")
    assert found.both > 0
    answer = page.get("/comparison?first=first&second=second&table=by_sex")
    markup = Markup(answer.text)
    assert answer.status == 200
    for sentence in comparison_words(found):
        assert sentence.replace("\u00a0", " ") in markup.plain
    assert [one.get("role") for one in markup.all("svg")].count("img") == 1
    assert len(markup.all("figure")) == 2
    for pair in found.certain:
        label = " · ".join(one.label or one.code for one in pair.codes)
        number = f"{pair.difference:,}".replace("-", "−")
        assert f"{label} {pair.first:,} {pair.second:,} {number}".replace("-", "−") in markup.plain


def test_the_first_table_of_both_is_compared_if_none_is_chosen(page: Served) -> None:
    markup = Markup(page.get("/comparison?first=first&second=second").text)
    assert "by_place in first and second" in markup.plain
    assert {"value": "by_place", "selected": ""} in markup.all("option")


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("", 200, "First bundle"),
        ("first=first", 200, "Second bundle"),
        ("first=first&second=first", 400, "must be another bundle than the first"),
        ("first=first&second=small", 200, "The two bundles have no table of the same name."),
        ("first=first&second=nowhere", 400, "bundle must be one of the folder of releases"),
        ("first=..&second=first", 400, "bundle must be one of the folder of releases"),
        ("first=first&second=second&table=../x", 400, "must be a table of the bundle"),
        ("first=first&second=demo&table=by_sex", 400, "must be by the same identifiers"),
    ],
)
def test_what_is_not_chosen_yet_or_cannot_be_is_told(
    page: Served, query: str, status: int, words: str
) -> None:
    answer = page.get(f"/comparison?{query}")
    assert answer.status == status
    assert words in Markup(answer.text).plain


def test_one_bundle_cannot_be_compared(tmp_path: Path) -> None:
    write_small(tmp_path / "one")
    with serving(releases=tmp_path) as up:
        assert "there is one." in Markup(up.get("/comparison").text).plain


def test_counts_are_told_with_what_they_mean() -> None:
    found = Comparison(120, 3, 0, 110, 6, None, Fraction(8, 10), (), (), ())
    assert comparison_words(found) == [
        "120 cells are in both releases, 3 only in the first, 0 only in the second. Cells "
        "without an establishment are left out.",
        "6 of 110 intervals of a difference (both margins together) exclude 0; noise alone gives "
        "up to about 22.",
        "No cell is called different: the certificates do not state a law of the noise that can "
        "be tested, so the share of noise among the larger differences is not known.",
        HONEST,
    ]
    drawn = replace(found, bounded=1012, apart=101, different=3, holds=Fraction(9, 10), drawn=True)
    assert comparison_words(drawn)[1:3] == [
        "101 of 1,012 intervals of a difference (90\u00a0%) exclude 0; noise alone gives up to "
        "about 101.",
        "3 cells are different. Of the cells that are called different, at most 10\u00a0% are "
        "expected to be noise (the false discovery rate). The test of all cells together is that "
        "of Benjamini and Yekutieli: errors of cells in one workplace cell, or of tables of one "
        "product, are correlated.",
    ]
    alone = comparison_words(replace(drawn, different=1, independent=True))[2]
    assert alone.startswith("1 cell is different.")
    assert "Benjamini and Hochberg: errors of cells are independent." in alone
    without = Comparison(1, 0, 0, 0, None, None, None, (), (), ())
    assert comparison_words(without)[0].startswith("1 cell is in both releases")
    assert comparison_words(without)[1].startswith("Margins are missing")
