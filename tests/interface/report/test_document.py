"""The page: what it says, the same each time; strangers' texts are inert on it."""

import csv
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

from leeward.core.codebook import BoundedJobs, Marginal, SingleJob
from leeward.core.errors import BadFile
from leeward.core.privacy import Guarantee
from leeward.core.show.environment import environment
from leeward.interface.report import document
from leeward.interface.report.document import MOST_BYTES, report
from leeward.interface.report.section import DETAILS, Detail, at_least
from leeward.interface.report.summary import summarise
from leeward.publishing.bundle import (
    BudgetStatement,
    Bundle,
    JobsStatement,
    LeftStatement,
    ReleaseGuarantee,
    TableGuarantee,
    establishment_promise,
    firm_promise,
    make_up_promise,
    read_bundle,
    worker_promise,
)
from leeward.publishing.bundle.bundle_files import stamped_files
from tests.interface.report.scene import EVIL, Page, bundle_of, hostile, many
from tests.publishing.bundle.made_up import BUDGET, PLACE, SECTOR, TOTAL, dimension, write_demo

TABLES = ("by_place", "by_sex", "total")
SECTIONS = [
    *("What was released", "What is promised", "What is not protected", "Budget", "The tables"),
    *("How to read the numbers", "What is public about this release"),
    *("Certificate and checksums", "Checklist and decision"),
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    target = tmp_path_factory.mktemp("document") / "demo"
    write_demo(target)
    return read_bundle(target)


@pytest.fixture(scope="module")
def page(demo: Bundle) -> str:
    return report(demo)


def article(page: str, number: int) -> str:
    """The section of a table."""
    found = re.search(rf'<article id="table-{number}">.*?</article>', page, re.DOTALL)
    assert found
    return found[0]


def test_the_sections_are_these_in_this_order(page: str) -> None:
    assert re.findall(r"<h2>(.*?)</h2>", page) == SECTIONS
    text = Page(page).text
    for words in ("demo: employment counts for 2026Q2", "2026-11-15 10:20 UTC", "lodes-2026"):
        assert words in text


def test_it_repeats_what_the_certificate_says(demo: Bundle, page: str) -> None:
    text, certificate = Page(page).text, demo.certificate
    assert certificate.establishment is not None
    assert certificate.firm is not None
    for said in (
        *(certificate.guarantee.sentence, certificate.worker.sentence, certificate.firm.sentence),
        *(certificate.establishment.sentence, certificate.jobs.sentence, certificate.data.keyed),
        *(certificate.plan_digest, certificate.codebook_digest, certificate.data.fingerprint),
        *(certificate.ledger.id, certificate.ledger.head, certificate.created, "Leeward 0.1.0"),
    ):
        assert said in text


def test_every_file_stands_there_with_its_checksum(demo: Bundle, page: str) -> None:
    listed = dict(
        line.split("  ")[::-1] for line in (demo.path / "checksums.txt").read_text().splitlines()
    )
    shown = re.findall(
        r'<th scope="row">([^<]+)</th><td class="number">([\d,]+)</td><td><code>(\w{64})<',
        page.replace("<wbr>", ""),
    )
    assert {name: digest for name, _, digest in shown} == listed
    for name, size, _ in shown:
        assert int(size.replace(",", "")) == (demo.path / name).stat().st_size


def test_every_number_of_a_table_is_that_of_its_rows(demo: Bundle, page: str) -> None:
    for number, table in enumerate(demo.certificate.tables, 1):
        with (demo.path / "tables" / f"{table.name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        noisy = [row for row in rows if row["status"] == "1"]
        text = Page(article(page, number)).text
        assert f"{len(noisy)} value" in text
        negative = sum(int(row["value"]) < 0 for row in noisy)
        assert (
            f"{negative} of {len(noisy)} (" in text if negative else "Negative values None." in text
        )
        assert f"1 a count with noise {len(noisy)} " in text
        assert text.rstrip().count(f"without margin {len(rows) - len(noisy)}") == 1
        if table.has_margins:
            margins = sorted(int(row["margin"]) for row in noisy)
            half, ninth = (margins[-(-len(margins) * n // 10) - 1] for n in (5, 9))
            assert f"at most {half} jobs, nine in ten of at most {ninth}." in text
            wide = sum(int(row["margin"]) >= int(row["value"]) for row in noisy)
            assert f"In {wide} of {len(margins)} cells" in text


def test_the_bars_are_the_largest_values_with_their_margins(demo: Bundle, page: str) -> None:
    rows = sorted(demo.table("by_sex").to_pylist(), key=lambda row: -row["value"])
    drawn = article(page, 1)
    for row in rows:
        value = f"{row['value']:,}".replace("-", "−")
        assert f">{value}<" in drawn
        assert f">± {row['margin']}<" in drawn
    assert "All 20 cells of by_sex. Lines show the margins." in drawn


def test_the_budget_is_that_of_the_account(page: str) -> None:
    text = Page(page).text
    for words in (
        *("Cap: all that may ever be lost ε 16", "Paid for this release ε 4"),
        *("Spent so far, this release included ε 6.5", "Left for later releases ε 9.5"),
    ):
        assert words in text
    drawn = re.search(r"<desc>(Epsilon[^<]*)</desc>", page)
    assert drawn
    assert drawn[1] == "Epsilon. Spent before: 2.5; This release: 4; Left: 9.5."


def test_a_budget_in_rho_has_no_picture_and_says_why(tmp_path: Path) -> None:
    paid = TableGuarantee.of(Guarantee("strong", "1/10", 0, 0, "1/8"))
    left = LeftStatement(epsilon="1/3", delta="1/1000")
    cap = TableGuarantee.of(Guarantee("strong", "1/10", 4, "1/100"))
    budget = BudgetStatement(cap=cap, paid=paid, spent=paid, left=left)
    page = report(bundle_of(tmp_path / "rho", [TOTAL], budget=budget))
    text = Page(page).text
    assert "measured by ρ (zCDP)" in text
    assert "Paid for this release ρ 0.125" in text
    assert "Left for later releases ε 0.333333, δ 0.001" in text
    assert "<desc>Epsilon." not in page


def test_the_checklist_names_the_numbers_and_the_commands(page: str) -> None:
    text = Page(page).text
    for words in (
        "The promise (policy strong, α 0.1, ε 4)",
        "what is left (ε 9.5)",
        "The attributes of workplaces (place, sector) are public",
        "leeward verify BUNDLE --ledger LEDGER",
        "leeward verify BUNDLE --sign-off --name NAME --role ROLE --decision DECISION",
        "14 files and this report",
    ):
        assert words in text
    checklist = page[page.index('id="checklist"') :]
    assert checklist.count("<li>") == 11
    assert re.findall(r"<h3>(.*?)</h3>", checklist) == ["Submitter", "Approver, another person"]


def test_the_same_bundle_gives_the_same_bytes(demo: Bundle, page: str, tmp_path: Path) -> None:
    assert report(demo) == page
    (tmp_path / "elsewhere").mkdir()
    demo.path.rename(tmp_path / "elsewhere" / "other name")
    try:
        assert report(read_bundle(tmp_path / "elsewhere" / "other name")) == page
    finally:
        (tmp_path / "elsewhere" / "other name").rename(demo.path)


def test_the_machine_does_not_show(page: str, demo: Bundle) -> None:
    assert str(demo.path.parent) not in page


def test_the_page_refers_to_nothing_outside(page: str) -> None:
    parsed = Page(page)
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & {*parsed.elements}
    references = {
        value
        for _, name, value in parsed.attributes
        if name in {"href", "src", "action", "data", "srcset", "xlink:href", "style"}
    }
    anchors = {f"#{value}" for _, name, value in parsed.attributes if name == "id"}
    files = {name for name in references - anchors if name.startswith("tables/")}
    assert references <= anchors | files
    assert files == {name for name in stamped_files("demo", TABLES, described=True) if "/" in name}
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_of_the_page_allows_style_alone(page: str) -> None:
    found = [
        (value) for tag, name, value in Page(page).attributes if tag == "meta" and name == "content"
    ]
    assert "default-src 'none'; style-src 'unsafe-inline'" in found
    assert "no-referrer" in found


def test_headings_descend_one_step_at_a_time(page: str) -> None:
    levels = [int(tag[1]) for tag in Page(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_a_caption_and_scopes(page: str) -> None:
    elements = Page(page).elements
    assert elements.count("caption") == elements.count("table") > 0
    heads = re.findall(r"<th(?=[ >])[^>]*>", page)
    assert [head for head in heads if 'scope="' not in head] == []


def test_every_anchor_leads_somewhere(page: str) -> None:
    attributes = Page(page).attributes
    ids = [value for _, name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    inside = [value for _, name, value in attributes if name == "href" and value[0] == "#"]
    assert {value[1:] for value in inside} <= set(ids)


def test_hostile_texts_are_words_and_nothing_else(tmp_path: Path) -> None:
    bundle = hostile(tmp_path / "hostile")
    page = report(bundle)
    parsed = Page(page)
    assert "script" not in parsed.elements
    assert "img" not in parsed.elements
    assert [name for _, name, _ in parsed.attributes if name.startswith("on")] == []
    assert "<script" not in page
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in parsed.text
    assert parsed.words.count(EVIL) >= 20


TEXTS = ["period", "account", "leeward"]


@pytest.mark.parametrize("field", TEXTS)
def test_a_hostile_field_is_shown_as_it_is(tmp_path: Path, field: str) -> None:
    changes: dict[str, Any] = {field: f"{field} {EVIL}"}
    page = report(bundle_of(tmp_path / "one", [TOTAL], **changes))
    assert f"{field} {EVIL}" in Page(page).words


def test_what_is_missing_is_an_error_and_not_a_blank() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


KINDS = {"weak": ("sex",)}


def policy(name: str, alpha: str | None, *, delta: str = "0") -> dict[str, Any]:
    guarantee = Guarantee(name, alpha, 2, delta)
    return {
        "guarantee": ReleaseGuarantee.of(guarantee, SingleJob(), strict=True),
        "worker": worker_promise(guarantee, SingleJob()),
        "establishment": establishment_promise(guarantee, SingleJob()),
        "make_up": make_up_promise(guarantee, KINDS.get(name), by_cell=False),
        "firm": firm_promise(guarantee),
        "weak_attributes": KINDS.get(name),
    }


@pytest.mark.parametrize(
    ("name", "alpha", "said", "unsaid"),
    [
        (
            *("worker", None),
            [
                "NOT protect the sizes of establishments",
                "make-up of an establishment is not protected",
            ],
            ["For a firm of two", "further apart than"],
        ),
        (
            *("weak", "1/10"),
            [
                "a small minority can be told",
                "Kinds of workers",
                "factor 1.1",
                "every group of kinds",
            ],
            ["NOT protect the sizes of establishments", "two groups who may have joined"],
        ),
        (
            *("strong", "1/4"),
            ["further apart than a factor 1.25", "For a firm of two", "know every other job"],
            ["Nothing is promised", "Kinds of workers", "no set of outcomes"],
        ),
        (
            *("establishment", None),
            ["this establishment has these workers", "For a firm of two establishments"],
            ["further apart than", "α"],
        ),
    ],
)
def test_a_policy_says_what_it_protects_and_what_not(
    tmp_path: Path, name: str, alpha: str | None, said: list[str], unsaid: list[str]
) -> None:
    cap = TableGuarantee.of(Guarantee(name, alpha, 16))
    left = LeftStatement(epsilon="0", delta="0")
    budget = BudgetStatement(cap=cap, paid=cap, spent=cap, left=left)
    changes = policy(name, alpha) | {"budget": budget}
    text = Page(report(bundle_of(tmp_path / name, [TOTAL], **changes))).text
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []


def test_a_delta_and_several_jobs_are_told(tmp_path: Path) -> None:
    jobs = BoundedJobs(3)
    changes = {
        **policy("strong", "1/10", delta="1/1000"),
        "jobs": JobsStatement.of(Guarantee("strong", "1/10", 2), jobs),
    }
    text = Page(report(bundle_of(tmp_path / "delta", [TOTAL], **changes))).text
    assert "δ = 0.001. A further probability means that no set of outcomes" in text
    assert text.count("At most 3 jobs of each worker count") == 2
    assert "Cost ε 2, δ 0.001" in text


def test_a_correction_is_named(tmp_path: Path, page: str) -> None:
    text = Page(report(bundle_of(tmp_path / "new", [TOTAL], corrects=5))).text
    assert "This release corrects the one of ledger entry 5." in text
    assert "corrects" not in Page(page).text


def test_filters_and_bias_are_told(tmp_path: Path) -> None:
    told = {
        "where": {"sex": ["F", "M"], "age": [str(n) for n in range(13)]},
        "bias": "Large ones come out low.",
    }
    text = Page(report(bundle_of(tmp_path / "part", [TOTAL], table=told))).text
    assert "Only jobs whose sex is F or M and whose age is one of 13 codes" in text
    assert "Bias Large ones come out low." in text
    assert "the noise is zero on average (except in total, see there)" in text


def test_tables_without_rows_say_so(tmp_path: Path) -> None:
    sectors = Marginal("by_sector", (SECTOR,), ())
    page = report(bundle_of(tmp_path / "none", [sectors], empty=True))
    text = Page(page).text
    assert "This table has no values" in text
    assert "0 values with noise in 0 rows." in text
    assert "<figure" not in article(page, 1)


def test_one_total_is_one_bar(tmp_path: Path) -> None:
    page = report(bundle_of(tmp_path / "one", [TOTAL]))
    assert "The only cell of total." in Page(page).text
    assert ">All jobs<" in page
    assert "By one total" in Page(page).text


def test_tables_without_margins_do_not_speak_of_them(tmp_path: Path) -> None:
    page = report(bundle_of(tmp_path / "bare", [Marginal("t", (PLACE, SECTOR), ())], margins=False))
    text = Page(page).text
    assert "These tables have no margins" in text
    assert "no margins" in text
    assert "Small cells" not in text
    assert "squared margins" not in text
    assert "That no value has a margin is accepted" in text
    assert "±" not in page


def test_forty_large_tables_stay_under_the_size_and_in_reach(tmp_path: Path) -> None:
    page = report(many(tmp_path / "many", 40))
    assert len(page.encode()) <= MOST_BYTES
    assert page.count("<article ") == 40
    assert all(f'<a href="#table-{number}">' in page for number in range(1, 41))
    assert page.count("<figure") >= 80


def test_few_tables_have_every_picture_and_say_nothing_of_the_size(tmp_path: Path) -> None:
    page = report(many(tmp_path / "few", 2))
    assert "Every cell of table_1" in Page(page).text
    assert "To keep this file small" not in page


def test_a_smaller_limit_is_kept_by_showing_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = many(tmp_path / "few", 4)
    shown = []
    for most in (353_000, 124_000, 106_000, 76_000):
        monkeypatch.setattr(document, "MOST_BYTES", most)
        page = report(bundle)
        assert len(page.encode()) <= most
        shown.append(page.count("<td"))
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) == 4
    assert DETAILS[-2].sentence in Page(page).text


@pytest.mark.parametrize("detail", DETAILS)
def test_no_detail_is_passed_over_that_would_fit(tmp_path: Path, detail: Detail) -> None:
    short = Marginal("t", (dimension("p", list("abcdefghij")), dimension("s", list("klmno"))), ())
    bundle = bundle_of(tmp_path / "short", [short], margins=False)
    summaries = (summarise(bundle, bundle.certificate.tables[0]),)
    page = document.ReportContents(bundle.certificate, summaries, ()).page(detail)
    pictures = re.findall(r"<figure>.*?</figure>", article(page, 1), re.DOTALL)
    assert at_least(summaries, detail) <= sum(len(one.encode()) for one in pictures)


def test_the_least_detail_says_what_it_leaves_out(demo: Bundle) -> None:
    tables = 1100
    summaries = tuple(summarise(demo, table) for table in demo.certificate.tables[2:])
    stated = demo.certificate.model_copy(
        update={"tables": tuple(summaries[0].table for _ in range(tables))}
    )
    listed = tuple(document.ListedFile(f"f{n}", n, "0" * 64) for n in range(2 * tables))
    contents = document.ReportContents(stated, summaries * tables, listed)
    page = contents.page(DETAILS[-1])
    assert len(page.encode()) <= MOST_BYTES
    text = Page(page).text
    assert "Only the first 100 have a section here." in text
    assert "Only the first 1,000 tables of 1,100 are listed" in text
    assert "Only the first 1,000 of 2,200 files are listed" in text


def test_what_cannot_be_small_is_refused(demo: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MOST_BYTES", 1000)
    with pytest.raises(BadFile, match="must stay under 1,000 bytes") as refusal:
        report(demo)
    assert refusal.value.next_step


def test_losses_are_never_rounded_down_nor_what_is_left_up(tmp_path: Path) -> None:
    third = str(Fraction(1, 3))
    left = LeftStatement(epsilon="2/3", delta="0")
    paid = TableGuarantee.of(Guarantee("strong", "1/10", third))
    budget = BudgetStatement(cap=BUDGET.cap, paid=paid, spent=paid, left=left)
    page = report(bundle_of(tmp_path / "third", [TOTAL], budget=budget))
    text = Page(page).text
    assert "Paid for this release ε 0.334" in text
    assert "Left for later releases ε 0.666666" in text


def test_long_labels_keep_what_tells_cells_apart(tmp_path: Path) -> None:
    far = dimension("place", ["p" * 400, "q"])
    page = report(bundle_of(tmp_path / "far", [Marginal("t", (far, SECTOR), ())]))
    assert "… · label of 11" in page
