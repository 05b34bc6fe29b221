"""Planning in the page: the numbers are those of the command line, and so is what comes of it."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.office import Office
from tests.browser.stranger import LONG, SCRIPTS
from tests.browser.view import LOOKS, PHONE, Look, NewView

EPSILON, ALPHA = '[id="protect.epsilon"]', '[id="protect.alpha"]'


def slider(page: Page, field: str) -> Locator:
    return page.locator(f'input[type=range][data-for="{field}"]')


def settled(page: Page) -> None:
    """Until the newest change has been answered."""
    page.wait_for_timeout(250)  # the page waits a little for further changes
    expect(page.locator("#plan")).not_to_have_attribute("aria-busy", "true", timeout=20_000)


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
    page.fill('[id="aim.jobs"]', "5")
    page.get_by_role("button", name="Find ε").click()
    told = office.planned("plan.yaml", "--target", "place_industry: 5 jobs")
    expect(page.locator("#aim-epsilon")).to_have_text("13.7")
    assert float(told["smallest_epsilon"].replace("137/10", "13.7")) == 13.7
    page.get_by_role("button", name="Set ε to").click()
    expect(page.locator(EPSILON)).to_have_value("13.7")
    settled(page)
    assert predicted(page)["tables"] == told["tables"]


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_what_cannot_work_is_explained_beside_its_field(
    view: NewView, address: str, pictures: Path, look: Look
) -> None:
    window = view(look)
    page = window.page
    page.goto(address + "plan")
    page.fill(ALPHA, "9")
    page.fill(EPSILON, "0.05")
    page.fill('[id="tables[1].share"]', "a half")
    settled(page)
    window.keep(pictures, f"refused-{look}")
    expect(page.locator('[id="tables[1].share"]')).to_have_attribute("aria-invalid", "true")
    expect(page.locator('[id="problem-tables[1].share"]')).to_contain_text("must be a number")
    page.fill('[id="tables[1].share"]', "1/2")
    settled(page)
    expect(page.locator("#status")).to_contain_text("refused")
    expect(page.locator("main")).to_contain_text("needs at least")
    assert predicted(page) == {}
    assert window.faults() + window.barriers() == []
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
    page.fill('[id="tables[1].share"]', "1/4")
    settled(page)
    save(page, "regions.yaml")
    told = office.planned("regions.yaml")
    assert [table["name"] for table in told["tables"]] == ["place_sex_education", "regions"]
    window.expecting("422")  # while the new table was empty
    assert predicted(page)["tables"] == told["tables"]


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


@pytest.mark.parametrize("look", LOOKS, ids=str)
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


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("script", "a: <script>document.title='run'</script>", "is not a known key"),
        ("corrupt", "tables: [", "must be YAML"),
        ("oversized", "# " + "x" * (2 << 20), "at most"),
        ("deep", "[" * 3000, "must be YAML"),
        ("binary", "\x00\x01", "must be"),
    ],
)
def test_a_hostile_plan_is_refused_and_the_page_stays_up(
    view: NewView, tmp_path: Path, pictures: Path, name: str, content: str, says: str
) -> None:
    (tmp_path / "plan.yaml").write_text(content)
    window = view()
    with Office(tmp_path).serving("plan.yaml") as address:
        window.page.goto(address + "plan")
        window.keep(pictures, f"plan-{name}")
        expect(window.page.locator("main")).to_contain_text(says)
        assert window.page.title() != "run"
        window.page.goto(address + "releases")
        expect(window.page.locator("h1")).to_have_text("Releases")
    window.expecting("422")
