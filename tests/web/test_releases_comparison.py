"""Two bundles side by side on the page."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.bundle import read_bundle
from leeward.tidy.comparison import Comparison, compare
from leeward.web.releases_comparison import HONEST, comparison_words
from tests.bundle.made_up import write_demo
from tests.web.releases_scene import Markup, work, write_small
from tests.web.serving import Served, serving


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
        assert sentence in markup.plain
    assert [one.get("role") for one in markup.all("svg")].count("img") == 1
    assert len(markup.all("figure")) == 2
    for pair in found.largest:
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
    found = Comparison(120, 3, 0, 6, Fraction(8, 10), (), (), ())
    assert comparison_words(found) == [
        "120 cells are in both releases, 3 in the first alone, 0 in the second alone. Cells "
        "without an establishment are left out.",
        "6 cells are clearly different: there the difference is larger than both margins "
        "together. Both margins of a cell hold at once in at least 8 in 10 cases; so of cells "
        "with the same jobs in both, some are called clearly different by chance.",
        HONEST,
    ]
    drawn = Comparison(120, 3, 0, 6, Fraction(9, 10), (), (), (), drawn=True)
    assert comparison_words(drawn)[1] == (
        "6 cells are clearly different: 0 is outside the interval of the difference, which is "
        "drawn from the noise of both releases and holds in 9 in 10 cases. So of cells with the "
        "same jobs in both, about one in ten is called clearly different by chance."
    )
    without = Comparison(1, 0, 0, None, None, (), (), ())
    assert comparison_words(without)[0].startswith("1 cell is in both releases")
    assert comparison_words(without)[1].startswith("Margins are missing")
