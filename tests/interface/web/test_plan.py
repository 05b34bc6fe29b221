"""The Plan tab: its numbers are those of the command line, and no data are opened."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leeward.core.errors import LeewardError
from leeward.core.mechanisms import counts_with_noise, error_margins, table_calibration
from leeward.interface.commands.app import build
from leeward.interface.web.plan_form import DraftTable, draft_of, posted
from leeward.interface.web.plan_result import SIZES
from leeward.interface.web.plan_view import SLIDERS, by_field, controls, field_of
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.predicted import as_json
from leeward.publishing.plan.prediction import promises
from leeward.publishing.plan.target import read_target, smallest_budget
from tests.interface.web.drafts import Parts, draft, form
from tests.interface.web.serving import Served, serving


def told(plan: Path, *options: str) -> object:
    """What `leeward plan --json` says."""
    result = CliRunner().invoke(build(), ["plan", str(plan), "--json", *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_page_shows_the_numbers_of_the_command_line(page: Served, plan: Path) -> None:
    answer = page.get("/plan")
    assert answer.status == 200
    shown = Parts(answer.text)
    expected = told(plan, "--ledger", str(page.site.ledger))
    assert shown.prediction() == expected
    tables = as_json(read_plan(plan), None)["tables"]
    assert [shown.prediction(f"result-{n}") for n in range(3)] == json.loads(json.dumps(tables))


def test_every_promise_is_on_the_page(page: Served, plan: Path) -> None:
    words = Parts(page.get("/plan").text).text("promises")
    assert all(sentence in words for sentence in promises(read_plan(plan)).values())


def test_the_form_holds_the_plan_as_it_was_written(page: Served, plan: Path) -> None:
    shown = Parts(page.get("/plan").text)
    assert shown.values("protect.policy") == ["strong"]
    assert shown.values("protect.epsilon") == ["4"]
    assert [shown.values(f"tables[{n}].share") for n in range(3)] == [["1/2"], ["0.25"], ["1/4"]]
    assert shown.values("tables[0].by") == ["sector", "place"]
    assert shown.values("tables[2].complete") == ["true"]
    kept = json.loads(shown.values("tables[2].where")[0])
    assert kept == {"sex": "M", "education": ["E1", "E2"]}
    assert draft(plan).request(read_plan(plan).request)[0] == read_plan(plan).request


@pytest.mark.parametrize("totals", ["all", ["place", "sector"]])
def test_totals_and_establishments_are_kept(plan: Path, totals: object) -> None:
    loaded = read_plan(plan).request
    table = loaded.tables[0].model_copy(update={"totals": totals, "establishments": True})
    changed = loaded.model_copy(update={"tables": [table, *loaded.tables[1:]]})
    assert posted(form(draft_of(changed))).request(loaded)[0] == changed


def test_breakdowns_are_kept_and_shown(plan: Path, page: Served) -> None:
    loaded = read_plan(plan).request
    broken = {"by": ["place", "sector"], "breakdowns": ["sex", ["sex", "education"]], "where": {}}
    table = loaded.tables[0].model_copy(update=broken)
    changed = loaded.model_copy(update={"tables": [table, *loaded.tables[1:]]})
    sent = form(draft_of(changed))
    assert posted(sent).request(loaded)[0] == changed
    assert "sex + education" in dict(sent)["tables[0].breakdowns"]
    answer = page.post("/plan/preview", sent)
    assert answer.status == 200
    assert "joint_" in answer.text
    assert "(3 tables at once)" in answer.text


def test_a_statistic_of_pay_is_kept(plan: Path) -> None:
    """Known bad: saved without it, a table of percentiles would become one of counts."""
    loaded = read_plan(plan).request
    asked = {"statistic": "percentiles", "of": "pay", "bins": ["0", "5", "9"], "at": ["50"]}
    table = loaded.tables[0].model_copy(update=asked)
    changed = loaded.model_copy(update={"tables": [table, *loaded.tables[1:]]})
    assert posted(form(draft_of(changed))).request(loaded)[0] == changed
    assert draft_of(changed).tables[0].published["bins"] == "0, 5, 9"


@pytest.mark.parametrize(
    ("name", "text"),
    [("protect.epsilon", "4/3"), ("protect.alpha", "0.05"), ("protect.policy", "weak")],
)
def test_a_preview_shows_the_numbers_of_the_changed_plan(
    page: Served, plan: Path, name: str, text: str
) -> None:
    sent = draft(plan).with_text(name, text)
    answer = page.post("/plan/preview", form(sent))
    assert answer.status == 200
    saved = page.post("/plan/save", form(sent, ("file", "other.yaml")))
    assert saved.status == 200
    expected = told(plan.parent / "other.yaml", "--ledger", str(page.site.ledger))
    assert Parts(answer.text).prediction() == expected
    assert Parts(answer.text).prediction() != told(plan, "--ledger", str(page.site.ledger))


def test_a_preview_of_nothing_changed_is_the_page(page: Served, plan: Path) -> None:
    whole, part = (
        Parts(page.get("/plan").text),
        Parts(page.post("/plan/preview", form(draft(plan))).text),
    )
    live = [name for name, found in whole.attributes.items() if "data-live" in found]
    assert sorted(live) == sorted(part.attributes.keys() & set(live))
    assert {name: whole.text(name) for name in live} == {name: part.text(name) for name in live}
    assert len(live) > 30


def test_the_noise_of_three_typical_establishments_is_drawn(page: Served) -> None:
    text = page.get("/plan").text
    for kind, size in SIZES.items():
        assert f"{kind.capitalize()}: {size:,} jobs<" in text
        assert f"{kind.capitalize()}: {size:,} jobs, one of 8 worker cells<" in text
    assert text.count('<svg class="curve"') == 9


def test_no_data_are_opened(page: Served, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: object, **__: object) -> None:
        raise AssertionError("an engine was connected")

    for name in (
        "leeward.publishing.engines.opening.connect",
        "leeward.publishing.engines.connect",
        "duckdb.connect",
    ):
        monkeypatch.setattr(name, opened)
    assert not (plan.parent / "no.csv").exists()
    assert page.get("/plan").status == 200
    assert page.post("/plan/preview", form(draft(plan))).status == 200
    sent = form(draft(plan), ("action", "aim"), ("aim.table", "by_sex"), ("aim.error", "40"))
    assert page.post("/plan", sent).status == 200
    monkeypatch.setattr("leeward.interface.web.plan_tab.GRID", (Fraction(4), Fraction(8)))
    frontier = page.post("/plan", form(draft(plan), ("action", "frontier")))
    assert frontier.text.count('<div class="trend plotted">') == len(draft(plan).tables)
    assert page.post("/plan/save", form(draft(plan), ("file", "b.yaml"))).status == 200


def test_a_refusal_stands_beside_its_field_and_the_other_tables_stay(
    page: Served, plan: Path
) -> None:
    sent = draft(plan)
    bad = replace(sent.tables[1], mechanism="slope")
    sent = replace(sent, tables=(sent.tables[0], bad, sent.tables[2]))
    answer = page.post("/plan", form(sent, ("action", "compute")))
    assert answer.status == 422
    shown = Parts(answer.text)
    assert "must be proved for the policy of the plan" in shown.text("problem-tables[1].mechanism")
    control = shown.attributes["tables[1].mechanism"]
    assert control["aria-invalid"] == "true"
    assert control["aria-describedby"] == "problem-tables[1].mechanism"
    assert shown.attributes["tables[0].mechanism"].get("aria-invalid") is None
    good = as_json(read_plan(plan), None)["tables"]
    predictions = [shown.prediction(f"result-{n}") for n in range(3)]
    assert predictions == json.loads(json.dumps([good[0], None, good[2]]))  # type: ignore[index]
    assert shown.prediction() is None
    assert shown.text("status").startswith("1 refused.")


def test_an_epsilon_that_is_too_small_is_told_with_one_that_works(page: Served, plan: Path) -> None:
    answer = page.post("/plan/preview", form(draft(plan).with_text("protect.epsilon", "0.1")))
    shown = Parts(answer.text)
    words = shown.text("problem-protect.epsilon")
    assert answer.status == 422
    assert "This table needs at least 0.257" in words
    assert "for table by_sector" in words
    assert "This table needs at least 0.257" in shown.text("result-0")


REFUSED = [
    ("protect.epsilon", "x", "problem-protect.epsilon"),
    ("protect.epsilon", "1e999999", "problem-protect.epsilon"),
    ("protect.alpha", "", "problem-protect.alpha"),
    ("protect.policy", "none", "problem-protect.policy"),
    ("protect.unit", "firm", "problem-protect.unit"),
    ("protect.policy", "establishment", "problem-protect.alpha"),
    ("account", "a b", "problem-account"),
    ("period", "", "problem-period"),
    ("jobs.rule", "max_per_worker", "problem-jobs.max_per_worker"),
    ("jobs.rule", "primary", "problem-jobs.primary"),
    ("protect.policy", "worker", "problem-protect.alpha"),
]


@pytest.mark.parametrize(("name", "text", "slot"), REFUSED)
def test_every_field_has_a_place_for_its_refusal(
    page: Served, plan: Path, name: str, text: str, slot: str
) -> None:
    answer = page.post("/plan/preview", form(draft(plan).with_text(name, text)))
    assert answer.status == 422
    assert Parts(answer.text).text(slot)
    assert "Traceback" not in answer.text


TABLE_REFUSED = [
    ({"name": "a/b"}, "name"),
    ({"by": ("place", "salary")}, "by"),
    ({"where": '{"sex": "X"}'}, "where"),
    ({"where": "not json"}, "where"),
    ({"where": "[" * 100_000}, "where"),
    ({"share": ""}, "share"),
    ({"margins": "2"}, "margins"),
    ({"mechanism": "magic"}, "mechanism"),
]


@pytest.mark.parametrize(("update", "key"), TABLE_REFUSED)
def test_every_field_of_a_table_has_a_place_for_its_refusal(
    page: Served, plan: Path, update: dict[str, str], key: str
) -> None:
    sent = draft(plan)
    table = replace(sent.tables[2], **update)  # type: ignore[arg-type]
    answer = page.post("/plan", form(replace(sent, tables=(*sent.tables[:2], table))))
    assert answer.status == 422
    assert Parts(answer.text).text(f"problem-tables[2].{key}")


def test_shares_that_add_up_to_too_much_are_told_at_the_tables(page: Served, plan: Path) -> None:
    sent = draft(plan)
    table = replace(sent.tables[2], share="3/4")
    answer = page.post("/plan/preview", form(replace(sent, tables=(*sent.tables[:2], table))))
    assert "must add up to at most 1" in Parts(answer.text).text("problem-tables")


def test_what_belongs_to_no_field_is_told_at_the_top(page: Served, plan: Path) -> None:
    (plan.parent / "codebook.yaml").unlink()
    answer = page.get("/plan")
    assert answer.status == 422
    assert "must be a file that exists" in Parts(answer.text).text("elsewhere")


def test_fields_are_found_from_what_refusals_name() -> None:
    known = frozenset(controls(2))
    found = {
        "plan.tables[1].by[0]": "tables[1].by",
        "tables[1].where.age": "tables[1].where",
        "tables[7].name": "tables",
        "tables.share": "tables",
        "plan.tables": "tables",
        "jobs": "jobs",
        "delta": "protect.delta",
        "codebook.attributes.x": "",
        "data.memory": "",
        "": "",
    }
    assert {name: field_of(name, known) for name in found} == found
    refusal = LeewardError("epsilon", rule="r", value="v", next_step="n")
    assert by_field([refusal], known) == {"protect.epsilon": [refusal]}


def test_a_table_is_added_and_removed_without_a_script(page: Served, plan: Path) -> None:
    more = Parts(page.post("/plan", form(draft(plan), ("action", "add"))).text)
    assert more.values("tables[3].name") == ["table_4"]
    assert more.text("problem-tables[3].by") == ""  # no attribute: one total of all jobs
    fewer = Parts(page.post("/plan", form(draft(plan), ("action", "remove:0"))).text)
    assert fewer.values("tables[0].name") == ["by_sex"]
    assert fewer.values("tables[2].name") == []


def test_the_last_table_may_be_removed_and_the_page_says_that_one_is_needed(
    page: Served, plan: Path
) -> None:
    sent = replace(draft(plan), tables=())
    answer = page.post("/plan", form(sent))
    assert answer.status == 422
    assert "must not be empty" in Parts(answer.text).text("problem-tables")
    added = Parts(page.post("/plan", form(sent, ("action", "add"))).text)
    assert added.values("tables[0].name") == ["table_1"]


@pytest.mark.parametrize("epsilon", ["4", "0.1"])
def test_the_epsilon_of_a_wanted_error_is_that_of_the_command_line(
    page: Served, plan: Path, epsilon: str
) -> None:
    sent = form(draft(plan).with_text("protect.epsilon", epsilon), ("action", "aim"),
                ("aim.table", "by_sex"), ("aim.error", "40"))  # fmt: skip
    expected = smallest_budget(read_plan(plan), read_target("by_sex: 40 jobs")).asked.epsilon
    shown = Parts(page.post("/plan", sent).text)
    assert float(shown.text("aim-epsilon")) == float(expected)
    used = [*sent[:-3], ("action", "use"), ("aim.epsilon", shown.text("aim-epsilon"))]
    assert Parts(page.post("/plan", used).text).values("protect.epsilon") == [str(float(expected))]


@pytest.mark.parametrize(
    ("table", "jobs"), [("by_sex", ""), ("by_sex", "-1"), ("none", "5"), ("", ""), ("a: b", "5")]
)
def test_a_question_that_makes_no_sense_is_refused(
    page: Served, plan: Path, table: str, jobs: str
) -> None:
    sent = form(draft(plan), ("action", "aim"), ("aim.table", table), ("aim.error", jobs))
    answer = page.post("/plan", sent)
    assert answer.status == 422
    assert "must" in Parts(answer.text).text("aim-answer")


def test_what_is_left_is_told_and_why_an_account_would_not_pay(page: Served, plan: Path) -> None:
    words = Parts(page.get("/plan").text)
    assert "Left beforeε 6 Left afterε 2" in words.text("budget")
    answer = page.post("/plan/preview", form(draft(plan).with_text("protect.epsilon", "7")))
    assert answer.status == 200
    assert "This plan would be refused." in Parts(answer.text).text("budget")
    assert "The account would not pay." in Parts(answer.text).text("status")
    answer = page.post("/plan/preview", form(draft(plan).with_text("account", "nobody")))
    assert "nobody" in Parts(answer.text).text("budget")


def test_the_rule_for_delta_is_told_where_there_is_one(page: Served, plan: Path) -> None:
    assert "Delta" not in page.get("/plan").text
    answer = page.post("/plan/preview", form(draft(plan).with_text("protect.delta", "1e-6")))
    assert "for at most 9,999 establishments" in Parts(answer.text).text("budget")


def test_without_a_ledger_or_with_a_broken_one_the_plan_is_shown(plan: Path) -> None:
    with serving(plan) as up:
        answer = up.get("/plan")
        assert answer.status == 200
        assert Parts(answer.text).prediction() == told(plan)
    broken = plan.parent / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 4000)
    with serving(plan, ledger=broken) as up:
        answer = up.get("/plan")
        assert answer.status == 200
        assert "ledger" in Parts(answer.text).text("budget")


def test_without_a_plan_the_page_says_how_to_load_one() -> None:
    with serving() as up:
        answer = up.get("/plan")
        assert answer.status == 200
        assert "leeward serve plan.yaml" in answer.text
        assert up.post("/plan/preview", []).status == 400


def test_an_unexpected_error_shows_its_name_alone_and_the_page_stays_up(
    page: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise ArithmeticError("SECRET row 7")

    with monkeypatch.context() as broken:
        broken.setattr("leeward.interface.web.plan_tab.load", fail)
        answer = page.get("/plan")
    assert answer.status == 500
    assert "ArithmeticError" in answer.text
    assert "SECRET" not in answer.text
    assert "content-security-policy" in answer.headers
    assert page.get("/plan").status == 200


def test_every_control_has_a_name_for_those_who_do_not_see_it(page: Served) -> None:
    shown = Parts(page.get("/plan").text)
    labelled = {found.get("for") for tag, found in shown.tags if tag == "label"}
    for tag, found in shown.tags:
        if tag == "select" or (tag == "input" and found.get("type") in ("text", "range")):
            assert found.get("id") in labelled or found.get("aria-label"), found
    ids = [found["id"] for _, found in shown.tags if found.get("id")]
    assert len(ids) == len(set(ids))
    for _, found in shown.tags:
        for name in (found.get("aria-describedby") or "").split():
            assert name in ids, name


def test_nothing_on_the_page_is_inline_or_from_elsewhere(page: Served) -> None:
    for tag, found in Parts(page.get("/plan").text).tags:
        assert tag != "style"
        assert "style" not in found
        assert not [name for name in found if name.startswith("on")]
        for name in ("src", "href", "action", "formaction"):
            assert (found.get(name) or "#").startswith(("#", page.site.base + "/")), found


def test_questions_at_the_same_time_do_not_disturb_each_other(page: Served, plan: Path) -> None:
    wanted = ["0.7", "9.9"]

    def ask(epsilon: str) -> object:
        sent = form(draft(plan).with_text("protect.epsilon", epsilon))
        return Parts(page.post("/plan/preview", sent).text).prediction()

    with ThreadPoolExecutor(len(wanted)) as pool:
        together = list(pool.map(ask, wanted))
    forget()
    assert together == [ask(epsilon) for epsilon in wanted]


def forget() -> None:
    """Everything is computed anew."""
    for kept in (
        table_calibration.calibrated,
        counts_with_noise._expected_error,
        error_margins._factor,
        error_margins._least,
    ):
        kept.cache_clear()


def test_steps_of_sliders_are_numbers_in_order() -> None:
    for steps in SLIDERS.values():
        numbers = [float(step) for step in steps.split()]
        assert numbers == sorted(set(numbers))
        assert len(numbers) > 10
        assert "e" not in steps.lower()


def test_a_draft_passes_over_names_that_it_does_not_know(page: Served, plan: Path) -> None:
    more = [
        ("tables[0].data", "x"),
        ("data.jobs", "/etc/passwd"),
        ("codebook", "/etc/passwd"),
        ("tables[1000].name", "far"),
        ("tables[-1].name", "x"),
        ("tables[0].by.x", "y"),
    ]
    answer = page.post("/plan/preview", form(draft(plan), *more))
    assert answer.status == 200
    assert "passwd" not in answer.text
    ticked = {"complete": False, "establishments": False}
    assert DraftTable().content() == {"name": "", "by": [], "mechanism": "auto"} | ticked
