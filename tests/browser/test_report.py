"""The report opens from the file system with the network off, and is fit to be looked at."""

from pathlib import Path

import pytest

from leeward.interface.report.writing import add_report
from tests.browser.office import Office
from tests.browser.stranger import write_hostile, write_many
from tests.browser.view import DARK, LOOKS, PHONE, WIDE, NewView, View

SECTIONS = (
    "What was released",
    "What is promised",
    "What is not protected",
    "Budget",
    "The tables",
    "How to read the numbers",
    "Certificate and checksums",
    "Checklist and decision",
)


@pytest.fixture(scope="module")
def reports(office: Office, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report of the demonstration, as the release wrote it, and those of strange bundles."""
    folder = tmp_path_factory.mktemp("reports")
    write_hostile(folder / "hostile")
    write_many(folder / "many")
    made = {name: add_report(folder / name) for name in ("hostile", "many")}
    return {"demo": office.folder / "bundle" / "report.html", **made}


def opened(window: View, report: Path) -> None:
    window.context.set_offline(True)
    window.page.goto(report.as_uri())


@pytest.mark.parametrize("name", ["demo", "hostile", "many"])
def test_a_report_is_fit_to_be_looked_at_without_a_network(
    view: NewView, reports: dict[str, Path], pictures: Path, name: str
) -> None:
    window = view()
    opened(window, reports[name])
    headings = " ".join(window.page.locator("h2").all_inner_texts())
    assert [one for one in SECTIONS if one not in headings] == []
    assert window.page.title() != "run"
    assert (
        window.page.locator("script, img, link, iframe, object, [onload], [onerror]").count() == 0
    )
    if name != "many":
        window.look_at(pictures, f"report-{name}", LOOKS if name == "demo" else LOOKS[:3])
        return
    for look in (WIDE, PHONE):  # made by the same template, and minutes long for axe
        window.wear(look)
        window.keep(pictures, f"report-many-{look}", whole=False)
        assert window.faults() == []


def test_a_report_is_printed_on_white_paper(
    view: NewView, reports: dict[str, Path], pictures: Path
) -> None:
    window = view(DARK)  # also for those who read in the dark
    opened(window, reports["demo"])
    printed = window.page.pdf(path=pictures / "report-demo.pdf", format="A4")
    assert printed.startswith(b"%PDF")
    window.page.emulate_media(media="print")
    colour = window.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")


def test_every_link_of_a_report_leads_somewhere_in_it(
    view: NewView, reports: dict[str, Path]
) -> None:
    window = view()
    opened(window, reports["many"])
    links = window.page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    there = window.page.locator("[id]").evaluate_all("all => all.map(one => '#' + one.id)")
    assert len(links) >= 48
    inside = {link for link in links if link.startswith("#")}
    assert inside <= set(there)
    assert [
        link for link in {*links} - inside if not (reports["many"].parent / link).is_file()
    ] == []
