"""Tables of pay on the page: their unit, their count, and what is missing."""

from pathlib import Path

from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import serving
from tests.publishing.bundle.made_up_pay import write_pay


def test_pay_is_shown_with_its_unit_and_without_what_is_missing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_pay(tmp_path / name)
    with serving(releases=tmp_path) as page:
        rows = Markup(page.get("/releases/one/tables/means").text).plain
        lacking = Markup(page.get("/releases/one/tables/means?status=-1").text).plain
        about = Markup(page.get("/releases/one").text).plain
        compared = Markup(page.get("/comparison?first=one&second=two&table=means").text).plain
    assert "Values are the mean of earnings, in cents per month." in rows
    assert "02 label of 02 no number −1 no margin no margin −3" in rows
    assert "04 label of 04 390,000 1 120,000 no margin 4" in rows
    assert "03 label of 03 0 −2 no margin no margin none" in rows
    assert "1 of 5 rows." in lacking
    assert "place: mean of earnings" in about
    assert (
        "Second minus first, in cents per month, ordered by the difference over its margin."
        in compared
    )
    assert "Cells without an establishment, or without a number, are left out." in compared
