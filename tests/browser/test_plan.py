"""Planning in the page: the numbers are those of the command line, and so is what comes of it."""

import csv
import json
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from tests.browser.office import Office
from tests.browser.stranger import LONG, SCRIPTS
from tests.browser.view import PHONE, WIDE, Look, NewView, until

EPSILON, ALPHA = '[id="protect.epsilon"]', '[id="protect.alpha"]'


def slider(page: Page, field: str) -> Locator:
    return page.locator(f'input[type=range][data-for="{field}"]')


def settled(page: Page) -> None:
    """Until the newest change has been answered."""
    expect(page.locator("#plan")).not_to_have_attribute("aria-busy", "true")


def predicted(page: Page) -> dict[str, Any]:
    """What the page says, in the form of `leeward plan --json`; nothing of a refused plan."""
    told = page.locator("#promises").get_attribute("data-prediction") or "{}"
    answer: dict[str, Any] = json.loads(told)
    return answer


def save(page: Page, name: str) -> None:
    page.fill("#file", name)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#saved")).to_contain_text(name)


def test_from_sliders_to_a_bundle_in_the_page(view: NewView, address: str, office: Office) -> None:
    page = view().page
    page.goto(address + "plan")
    before = predicted(page)
    slider(page, "protect.epsilon").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    slider(page, "protect.alpha").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    now = predicted(page)
    assert now["guarantee"]["epsilon"] != before["guarantee"]["epsilon"]
    assert now["guarantee"]["alpha"] != before["guarantee"]["alpha"]
    assert page.locator(EPSILON).input_value() not in ("", "4")
    save(page, "from-page.yaml")

    told = office.planned("from-page.yaml", "--ledger", "ledger.sqlite")
    assert {key: now[key] for key in ("guarantee", "tables")} == {
        key: told[key] for key in ("guarantee", "tables")
    }
    for number, table in enumerate(told["tables"]):
        shown = page.locator(f"#result-{number} table.errors tbody tr").first
        errors = [row["error"] for row in table["predicted_error"]["by_largest"]]
        texts = [float(one.replace(",", "")) for one in shown.locator("td").all_inner_texts()]
        assert texts == pytest.approx(errors, rel=0.01)

    office.run("release", "from-page.yaml", "--out", "second", "--ledger", "ledger.sqlite")
    page.get_by_role("link", name="Releases").click()
    page.get_by_role("link", name="second", exact=True).click()
    page.get_by_role("link", name="place_industry").click()
    with (office.folder / "second" / "tables" / "place_industry.csv").open() as file:
        rows = list(csv.DictReader(file))
    expect(page.locator(".row-count")).to_contain_text(f"{len(rows)} rows")
    first = page.locator("table.table-rows tbody tr").first
    for column in ("place", "sector", "ownership"):
        expect(first).to_contain_text(rows[0][column])
    value = first.locator("td.number").first.inner_text()
    assert int(value.replace(",", "").replace("−", "-")) == int(rows[0]["value"])


def test_the_epsilon_of_a_wanted_error_is_that_of_the_command_line(
    view: NewView, address: str, office: Office
) -> None:
    page = view().page
    page.goto(address + "plan")
    page.select_option('[id="aim.table"]', "place_industry")
    page.fill('[id="aim.error"]', "5")
    page.get_by_role("button", name="Find ε").click()
    told = office.planned("plan.yaml", "--target", "place_industry: 5 jobs")
    expect(page.locator("#aim-epsilon")).to_have_text("8.61")
    assert Fraction(told["smallest_epsilon"]) == Fraction("8.61")
    page.get_by_role("button", name="Set ε to").click()
    expect(page.locator(EPSILON)).to_have_value("8.61")
    settled(page)
    assert predicted(page)["tables"] == told["tables"]


def test_what_cannot_work_is_explained_beside_its_field(
    view: NewView, address: str, pictures: Path
) -> None:
    window = view()
    page = window.page
    page.goto(address + "plan")
    page.fill(ALPHA, "9")
    page.fill(EPSILON, "0.05")
    page.fill('[id="tables[1].share"]', "a half")
    settled(page)
    expect(page.locator('[id="tables[1].share"]')).to_have_attribute("aria-invalid", "true")
    expect(page.locator('[id="problem-tables[1].share"]')).to_contain_text("must be a number")
    page.fill('[id="tables[1].share"]', "1/2")
    settled(page)
    expect(page.locator("#status")).to_contain_text("refused")
    expect(page.locator("main")).to_contain_text("needs at least")
    assert predicted(page) == {}
    window.look_at(pictures, "refused")
    page.fill(EPSILON, "40")
    page.fill(ALPHA, "0.1")
    settled(page)
    assert predicted(page)["guarantee"]["epsilon"] == "40"
    window.expecting("422")


def test_tables_are_added_and_removed(view: NewView, address: str, office: Office) -> None:
    window = view()
    page = window.page
    page.goto(address + "plan")
    page.get_by_role("button", name="Remove place_industry").click()
    expect(page.locator(".table-card")).to_have_count(1)
    page.get_by_role("button", name="Add a table").click()
    expect(page.locator(".table-card")).to_have_count(2)
    page.fill('[id="tables[1].name"]', "regions")
    page.locator("#table-1").get_by_label("region", exact=False).check()
    settled(page)
    save(page, "regions.yaml")
    told = office.planned("regions.yaml")
    assert [table["name"] for table in told["tables"]] == ["place_sex_education", "regions"]
    assert predicted(page)["tables"] == told["tables"]


def leaving(page: Page, tab: str) -> list[str]:
    """What the browser asks of somebody who goes to another tab, and who then stays."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_role("link", name=tab).click(no_wait_after=True)
    until(page, lambda: bool(asked) or page.url.endswith(f"/{tab.lower()}"))
    page.remove_listener("dialog", stay)
    return asked


def test_whoever_leaves_with_unsaved_changes_is_asked(view: NewView, address: str) -> None:
    page = view().page
    page.goto(address + "plan")
    page.fill("#file", "left.yaml")  # no part of the plan
    page.get_by_role("button", name="Find ε").click()
    expect(page.locator("#aim-epsilon")).to_be_visible()
    assert leaving(page, "Ledger") == []
    expect(page.locator("h1")).to_have_text("Ledger")
    page.goto(address + "plan")
    page.fill(EPSILON, "3.5")
    settled(page)
    assert leaving(page, "Ledger") == ["beforeunload"]
    expect(page.locator(EPSILON)).to_have_value("3.5")
    save(page, "left.yaml")
    assert leaving(page, "Ledger") == []
    expect(page.locator("h1")).to_have_text("Ledger")
    page.goto(address + "plan")
    page.get_by_role("button", name="Remove place_industry").click()
    expect(page.locator(".table-card")).to_have_count(1)
    assert leaving(page, "Ledger") == ["beforeunload"]


def test_a_renamed_table_is_called_by_its_new_name_everywhere(view: NewView, address: str) -> None:
    window = view()
    page = window.page
    page.goto(address + "plan")
    card = page.locator("#table-0")
    page.fill('[id="tables[0].name"]', "<b>all")
    expect(card.locator("h3")).to_have_text("<b>all")
    expect(card.get_by_role("button", name="Remove <b>all", exact=True)).to_be_visible()
    names = page.locator('[id="aim.table"] option')
    expect(names).to_have_text(["<b>all", "place_sex_education"])
    page.fill('[id="tables[0].name"]', "everyone")
    page.select_option('[id="aim.table"]', "everyone")
    page.get_by_role("button", name="Find ε").click()
    expect(page.locator("#aim-answer")).to_contain_text("everyone")
    page.fill('[id="tables[0].name"]', "")
    expect(card.locator("h3")).to_have_text("Table 1")
    expect(card.get_by_role("button", name="Remove this table")).to_be_visible()
    settled(page)
    window.expecting("422")  # a table without a name


def test_an_old_answer_does_not_stay(view: NewView, address: str) -> None:
    window = view()
    page = window.page
    page.goto(address + "plan")
    find, found = page.get_by_role("button", name="Find ε"), page.locator("#aim-epsilon")
    refused = page.locator("#save-answer .refusal")
    for field, text in ((EPSILON, "5"), ('[id="aim.error"]', "30")):
        find.click()
        expect(found).to_be_visible()
        page.fill(field, text)
        expect(page.locator("#aim-answer")).to_be_empty()
    for field, text in ((EPSILON, "4"), ("#file", "other.yaml")):
        page.fill(ALPHA, "none")
        settled(page)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(refused).to_contain_text("Correct what is marked above")
        page.fill(field, text)
        expect(refused).to_have_count(0)
    page.fill(ALPHA, "0.1")
    settled(page)
    find.click()
    expect(found).to_be_visible()
    held: list[Route] = []
    page.route("**/plan", lambda route: held.extend([route]))
    find.click()
    expect(page.locator("#aim-answer")).to_have_text("Looking for ε …")
    held[0].abort()
    expect(page.locator("#aim-answer")).to_be_empty()
    expect(page.locator("#status")).to_contain_text("does not answer")
    for told in ("422", "ERR_FAILED"):
        window.expecting(told)


@pytest.mark.parametrize("look", [WIDE, PHONE], ids=str)
def test_the_first_refusal_is_reached_with_the_keyboard(
    view: NewView, address: str, pictures: Path, look: Look
) -> None:
    window = view(look)
    page = window.page
    page.goto(address + "plan")
    page.locator("#table-1 > summary").click()
    page.locator('[id="tables[1].share"]').evaluate(
        "one => { one.value = 'x'; one.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    settled(page)
    page.get_by_role("link", name="Go to the first").press("Enter")
    place = page.locator('[id="problem-tables[1].share"]')
    expect(place).to_be_focused()
    page.wait_for_timeout(200)
    window.keep(pictures, f"plan-first-refusal-{look}", whole=False)
    bar, control = page.locator(".sticky"), page.locator('[id="tables[1].share"]')
    tops = [one.bounding_box() for one in (bar, control, place)]
    assert all(tops)
    (above, field, told) = (box for box in tops if box is not None)
    assert above["y"] + above["height"] <= field["y"] < told["y"]
    assert told["y"] + told["height"] <= look.height
    assert window.faults() == []
    window.expecting("422")


def test_shares_are_made_equal_at_a_press(view: NewView, address: str, pictures: Path) -> None:
    window = view()
    page = window.page
    page.goto(address + "plan")
    page.fill('[id="tables[1].share"]', "3/4")
    settled(page)
    window.keep(pictures, "plan-shares")
    expect(page.locator('[id="problem-tables"]')).to_contain_text("must add up")
    page.get_by_role("button", name="Make all shares equal").click()
    expect(page.locator('[id="tables[1].share"]')).to_have_value("")
    expect(page.locator("#status")).to_contain_text("for 2 tables")
    expect(page.get_by_role("button", name="Make all shares equal")).to_have_count(0)
    window.expecting("422")


def test_the_release_that_the_page_suggests_works(
    view: NewView, office: Office, pictures: Path
) -> None:
    """An office of its own, whose name has blanks, since it spends and adds."""
    own = Office(office.folder.parent / "our own office")
    few = ("--jobs", "2000", "--establishments", "100")
    own.run("demo", "--out", str(own.folder), *few, folder=office.folder.parent)
    window = view()
    page = window.page
    plan, ledger = (str(own.folder / name) for name in ("plan.yaml", "ledger.sqlite"))
    with own.serving(plan, "--ledger", ledger, "--releases", str(own.folder)) as address:
        page.goto(address + "plan")
        page.fill(EPSILON, "1")
        save(page, "bundle.yaml")  # a bundle of this name is there
        lines = page.locator("#commands").inner_text().splitlines()
        for line in lines:
            own.run(*shlex.split(line)[1:])
        page.goto(address + "releases")
        expect(page.get_by_role("link", name="bundle-2", exact=True)).to_be_visible()
        page.goto(address + "plan")
        page.fill(EPSILON, "50")
        save(page, "dear.yaml")
        expect(page.locator("#save-answer .good .warn")).to_contain_text("would not pay for it now")
        window.keep(pictures, "plan-unpaid")
        assert window.faults() + window.barriers() == []


def test_a_plan_is_changed_and_saved_without_script(
    view: NewView, address: str, office: Office
) -> None:
    window = view(PHONE)
    plain = window.context.browser
    assert plain is not None
    context = plain.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "plan")
    assert page.locator(EPSILON).input_value() == "4"
    page.fill(EPSILON, "3")
    page.get_by_role("button", name="Compute").click()
    assert predicted(page)["guarantee"]["epsilon"] == "3"
    page.fill("#file", "plain.yaml")
    page.get_by_role("button", name="Save", exact=True).click()
    assert office.planned("plain.yaml")["tables"] == predicted(page)["tables"]
    context.close()


CODEBOOK = """\
attributes:
  place: {{table: workplaces, public: true, codes: {places}}}
  sector: {{table: workplaces, public: true, codes: {sectors}}}
  sex: {{table: workers, codes: [F, M]}}
"""


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Office, str]]:
    """An office with forty tables whose names and codes are scripts, or very long."""
    office = Office(tmp_path_factory.mktemp("strange"))
    places = json.dumps([*SCRIPTS, *map(str, range(30))])
    sectors = json.dumps([f"{n} {LONG[:90]}" for n in range(8)])
    (office.folder / "codebook.yaml").write_text(CODEBOOK.format(places=places, sectors=sectors))
    by = (["place"], ["place", "sector"], ["place", "sex"], ["sector"])
    tables = [{"name": f"table_number_{n:02}_of_forty", "by": by[n % 4]} for n in range(40)]
    plan = {
        "data": dict.fromkeys(("workplaces", "workers", "jobs"), "nowhere.parquet"),
        "codebook": "codebook.yaml",
        "account": "many",
        "period": "2026Q2",
        "protect": {"policy": "strong", "alpha": "0.1", "epsilon": "100"},
        "tables": tables,
    }
    (office.folder / "plan.yaml").write_text(json.dumps(plan))
    with office.serving("plan.yaml") as address:
        yield office, address


@pytest.mark.parametrize("look", [WIDE, PHONE], ids=str)
def test_forty_tables_are_fit_to_be_looked_at(
    view: NewView, strange: tuple[Office, str], pictures: Path, look: Look
) -> None:
    window = view(look)
    window.page.goto(strange[1] + "plan")
    window.keep(pictures, f"plan-forty-{look}", whole=False)
    expect(window.page.locator(".table-card")).to_have_count(40)
    window.page.fill(EPSILON, "90")
    settled(window.page)
    assert predicted(window.page)["guarantee"]["epsilon"] == "90"
    assert window.faults() == []


HOSTILE = {
    "script": ("a: <script>document.title='run'</script>", "is not a known key"),
    "corrupt": ("tables: [", "must be YAML"),
    "deep": ("[" * 3000, "must be YAML"),
}


def test_a_hostile_plan_is_refused_and_the_page_stays_up(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    window = view()
    (tmp_path / "plan.yaml").write_text("")
    with Office(tmp_path).serving("plan.yaml") as address:
        for name, (content, says) in HOSTILE.items():
            (tmp_path / "plan.yaml").write_text(content)
            window.page.goto(address + "plan")
            window.keep(pictures, f"plan-{name}")
            expect(window.page.locator("main")).to_contain_text(says)
            assert window.page.title() != "run"
        window.page.goto(address + "releases")
        expect(window.page.locator("h1")).to_have_text("Releases")
    window.expecting("422")
