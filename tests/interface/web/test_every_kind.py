"""Plans and tables of every kind are shown: pay on the Plan tab, all columns of a product."""

from pathlib import Path

import pytest

from leeward.derived.settle.tidying import tidy
from leeward.interface.web import releases_table
from leeward.publishing.bundle import read_bundle
from leeward.publishing.plan.gap import gaps
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.prediction import HEADINGS, promises
from tests.derived.settle.joint_bundle import BOUND, write_joint
from tests.interface.web.drafts import Parts
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import serving
from tests.publishing.plans import CODEBOOK, write_plan

EARNINGS = (
    "  earnings: {table: jobs, type: integer, unit: euro, period: month, cap: 10000, "
    "cap_from: a rule of 2025, classes: {L: 2000, H: 10000}, null_as: L}\n"
)
PAY = {
    "mean": "{name: pay, by: [place], statistic: mean, of: earnings}",
    "payroll": "{name: pay, by: [place], statistic: payroll, of: earnings}",
}


@pytest.mark.parametrize("table", PAY.values(), ids=PAY)
def test_the_plan_tab_shows_every_promise_of_a_plan_with_pay(table: str, tmp_path: Path) -> None:
    plan = write_plan(tmp_path, table, codebook=CODEBOOK + EARNINGS)
    with serving(plan, tmp_path) as page:
        answer = page.get("/plan")
    assert answer.status == 200
    words, expected = Parts(answer.text).text("promises"), promises(read_plan(plan))
    assert "pay" in expected
    assert all(HEADINGS[name] in words for name in expected)
    assert all(sentence in words for sentence in expected.values())


def test_the_plan_tab_says_which_tables_leave_jobs_out(tmp_path: Path) -> None:
    tables = "{name: wac, by: [place], breakdowns: [sex]}"
    plan = write_plan(tmp_path, tables)
    (gap,) = gaps(read_plan(plan))
    with serving(plan, tmp_path) as page:
        answer = page.get("/plan")
    assert gap.words.replace("`", "") in Parts(answer.text).text("result-0")
    assert "<code>null_as</code>" in answer.text


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A product as released, and made tidy."""
    folder = tmp_path_factory.mktemp("products")
    tidy(write_joint(folder / "released"), folder / "tidy")
    return folder


@pytest.mark.parametrize("bundle", ["released", "tidy"])
def test_rows_are_sorted_by_every_column_and_each_has_its_field(
    bundle: str, products: Path
) -> None:
    with serving(releases=products) as page:
        for table in read_bundle(products / bundle).certificate.tables:
            for column in table.columns:
                own = f"/releases/{bundle}/tables/{table.name}"
                answer = page.get(f"{own}?sort={column}&order=down")
                assert answer.status == 200, (table.name, column)
            fields = [one.get("data-name") for one in Markup(answer.text).all("td")]
            shown = [name for name in fields[: len(table.columns) + 1] if name is not None]
            assert tuple(shown) == table.columns


def test_a_bound_is_shown(products: Path) -> None:
    with serving(releases=products) as page:
        text = page.get("/releases/released/tables/wac_total?sort=bound").text
    assert f'data-name="bound">{BOUND}<' in text


def test_tracebacks_are_given_to_whoever_asked_for_them(
    products: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(releases_table, "select", broken)
    seen = list[Exception]()
    with serving(releases=products, failed=seen.append) as page:
        answer = page.get("/releases/released/tables/wac_total")
    assert (answer.status, [type(one) for one in seen]) == (500, [ZeroDivisionError])
    with serving(releases=products) as page:
        assert page.get("/releases/released/tables/wac_total").status == 500


def test_the_step_of_a_size_is_computed(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "{name: a, by: [place]}")
    with serving(plan, tmp_path) as page:
        words = Markup(page.get("/plan").text).plain
    assert words.count(promises(read_plan(plan))["size"]) == 2
    assert "54.6" in words
    assert "look alike" not in words


def test_a_product_is_paid_once(products: Path) -> None:
    with serving(releases=products) as page:
        words = Markup(page.get("/releases/released").text).plain
    assert words.count("with wac ") == 2
    assert "All tables together" in words
