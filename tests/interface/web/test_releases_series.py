"""A row over the releases of the folder: a link from its value, a chart and the numbers."""

from pathlib import Path

from tests.derived.derive.test_series import write_quarter
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import serving
from tests.publishing.bundle.made_up_pay import write_pay


def test_a_value_leads_to_its_cell_in_all_releases(tmp_path: Path) -> None:
    write_quarter(tmp_path / "late", "2026Q2", 120)
    write_quarter(tmp_path / "early", "2025Q4", -5)
    write_pay(tmp_path / "pay")
    with serving(releases=tmp_path) as page:
        rows = Markup(page.get("/releases/late/tables/jobs").text)
        (link, *_) = [one["href"] for one in rows.all("a") if "/series?" in one["href"]]
        answer = page.get(link.removeprefix(page.site.base))
        wrong = page.get("/releases/late/tables/jobs/series?code.place=9")
        alone = page.get("/releases/pay/tables/means/series?code.place=02")
    shown = Markup(answer.text)
    assert "2025Q4 early −5 −35 25 1" in shown.plain
    assert "2026Q2 late 120 90 150 1" in shown.plain
    assert "label of 01: the number of jobs, in every release" in shown.plain
    assert "1 bundle of the folder without the same table left out." in shown.plain
    assert [one["cx"] for one in shown.all("circle")] == ["25.0%", "75.0%"]
    assert shown.dangers(page.site.base) == []
    assert wrong.status == 400
    assert "must give a code of place that the table has" in Markup(wrong.text).plain
    assert "Only this release has the table." in Markup(alone.text).plain
    assert Markup(alone.text).all("circle") == []
