"""The Plan tab: what it tells those who stumble, and what it leaves unsaid."""

import shlex
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.privacy import Guarantee
from leeward.interface.web.plan_form import DraftTable, PlanDraft
from leeward.interface.web.saving import next_commands
from leeward.interface.web.site import Site
from leeward.publishing.bundle.writer import BundleWriter
from leeward.publishing.ledger import Ledger
from leeward.publishing.ledger.subject import Subject
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.plan.prediction import refusal
from leeward.publishing.plan.target import with_budget
from tests.interface.web.drafts import Parts, draft, form
from tests.interface.web.serving import Served, serving
from tests.publishing.plans import planned

UNPAID = "The account would not pay for it now:"
EQUAL = "Make all shares equal"


def asked(page: Served, sent: PlanDraft, action: str, *more: tuple[str, str]) -> Parts:
    return Parts(page.post("/plan", form(sent, ("action", action), *more)).text)


def shares(sent: PlanDraft, *texts: str) -> PlanDraft:
    tables = tuple(replace(t, share=text) for t, text in zip(sent.tables, texts, strict=True))
    return replace(sent, tables=tables)


def test_a_plan_that_the_account_would_not_pay_for_is_saved_with_a_warning(
    page: Served, plan: Path
) -> None:
    sent = draft(plan).with_text("protect.epsilon", "7")
    answer = page.post("/plan/save", form(sent, ("file", "dear.yaml")))
    told = Parts(answer.text).text("save-answer")
    assert (answer.status, (plan.parent / "dear.yaml").exists()) == (200, True)
    assert f"{UNPAID} charge: must keep account 'office'" in told
    cheap = page.post("/plan/save", form(draft(plan), ("file", "cheap.yaml")))
    assert UNPAID not in Parts(cheap.text).text("save-answer")
    small = draft(plan).with_text("protect.epsilon", "0.1")
    assert page.post("/plan/save", form(small, ("file", "small.yaml"))).status == 422
    assert not (plan.parent / "small.yaml").exists()


def test_the_commands_name_a_folder_that_is_free(page: Served, plan: Path) -> None:
    def told() -> list[list[str]]:
        sent = form(draft(plan), ("file", "next.yaml"), ("replace", "yes"))
        answer = Parts(page.post("/plan/save", sent).text)
        return [shlex.split(line) for line in answer.texts["commands"].splitlines()]

    saved, ledger = str(plan.parent / "next.yaml"), str(page.site.ledger)
    check, release = told()
    assert check == ["leeward", "check", saved]
    out = plan.parent / "next"
    assert release == ["leeward", "release", saved, "--out", str(out), "--ledger", ledger]
    out.mkdir()
    (plan.parent / "next-2").symlink_to("nowhere")
    assert told()[1][4] == str(plan.parent / "next-3")


def test_commands_are_what_a_shell_reads(tmp_path: Path) -> None:
    folder = tmp_path / "our folder; $(x)"
    folder.mkdir()
    site = Site("t", 1, folder / "p.yaml", folder, folder / "the ledger")
    commands = next_commands(folder / "p.yaml", site)
    shell = ["sh", "-c", 'leeward() { printf "%s|" "$@"; echo; }\n' + commands]
    read = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    words = ["release", folder / "p.yaml", "--out", folder / "p", "--ledger", folder / "the ledger"]
    assert read.splitlines() == [f"check|{folder}/p.yaml|", "|".join(map(str, words)) + "|"]


def test_the_commands_name_a_new_folder_and_a_usual_ledger(tmp_path: Path) -> None:
    plan = tmp_path / "x.yaml"
    words = shlex.split(next_commands(plan, Site("t", 1, plan, tmp_path, None)))
    assert BundleWriter.check_target(Path(words[7])) == ()
    assert words[-1] == "ledger.sqlite"


def test_an_epsilon_that_the_account_would_not_pay_is_found_with_a_warning(
    page: Served, plan: Path
) -> None:
    one = ("aim.table", "by_sex")
    dear = asked(page, draft(plan), "aim", one, ("aim.error", "5"))
    found = dear.text("aim-epsilon")
    with Ledger.open(plan.parent / "ledger.sqlite") as book:
        words = refusal(with_budget(read_plan(plan), Fraction(found)), book.account("office"))
    assert f"{UNPAID} {words}" in dear.text("aim-answer")
    cheap = asked(page, draft(plan), "aim", one, ("aim.error", "400"))
    assert float(cheap.text("aim-epsilon")) < 6
    assert UNPAID not in cheap.text("aim-answer")


def test_the_mean_of_a_wanted_error_is_explained(page: Served, plan: Path) -> None:
    one = (("aim.table", "by_sex"), ("aim.error", "40"))
    told = asked(page, draft(plan), "aim", *one).text("aim-answer")
    assert "a plain average over cells whose largest establishment has 10, 100, 1,000 jobs" in told
    assert "sizes: in the plan gives your own mix" in told
    (plan.parent / "sizes.csv").write_text("largest,cells\n10,900\n1000,1\n")
    plan.write_text(f"sizes: sizes.csv\n{plan.read_text()}")
    told = asked(page, draft(plan), "aim", *one).text("aim-answer")
    assert "The mean is over the size profile of 901 cells." in told
    assert "sizes:" not in told


def test_margins_that_are_paid_for_are_said_to_be_wider(page: Served) -> None:
    shown = Parts(page.get("/plan").text)
    words = "Margins are somewhat wider than the interval shown"
    assert [words in shown.text(f"noise-{n}") for n in range(3)] == [True, False, True]


@pytest.mark.parametrize(
    ("margins", "ends"), [("1/10", "exists, while its margins hold."), ("none", "exists.")]
)
def test_a_mean_that_does_not_exist_is_explained(tmp_path: Path, margins: str, ends: str) -> None:
    table = (
        f"{{name: long, by: [place, sector], share: 1/3, mechanism: clipped, margins: {margins}}}"
    )
    other = "{name: short, by: [place, sector], share: 2/3, mechanism: slope, margins: none}"
    protect = "{policy: strong, alpha: 1, epsilon: 2.1}"
    with serving(planned(tmp_path, table, other, protect=protect).path) as up:
        shown = Parts(up.get("/plan").text)
    assert ("no mean" in shown.text("result-0"), "no mean" in shown.text("result-1")) == (1, 0)
    assert f"so long that no average {ends}" in shown.text("result-0")
    assert "no average exists" not in shown.text("result-1")


@pytest.mark.parametrize("texts", [("1/3", "1/3", "1/3"), ("", "", ""), ("1/4", "0.25", "0.250")])
def test_a_table_more_leaves_equal_shares_equal(
    page: Served, plan: Path, texts: tuple[str, ...]
) -> None:
    shown = asked(page, shares(draft(plan), *texts), "add")
    assert [shown.values(f"tables[{n}].share") for n in range(4)] == [[""]] * 4
    assert [shown.text(f"problem-tables[{n}].share") for n in range(4)] == [""] * 4
    assert shown.text("shares") == ""


def test_shares_that_differ_stay_and_can_be_made_equal_at_once(page: Served, plan: Path) -> None:
    shown = asked(page, draft(plan), "add")
    assert [shown.values(f"tables[{n}].share") for n in range(4)] == [
        ["1/2"], ["0.25"], ["1/4"], [""],
    ]  # fmt: skip
    assert EQUAL in shown.text("shares")
    assert EQUAL in shown.text("problem-tables[3].share")
    more = replace(draft(plan), tables=(*draft(plan).tables, DraftTable("new", ("place",))))
    even = asked(page, more, "equal")
    assert [even.values(f"tables[{n}].share") for n in range(4)] == [[""]] * 4
    assert "ε 4 for 4 tables." in even.text("status")


@pytest.mark.parametrize(
    ("texts", "offered"),
    [
        (("", "", ""), False),
        (("1/3", "1/3", "1/3"), False),
        (("1/2", "1/2", "1/2"), True),
        (("x", "x", "x"), True),
        (("1/2", "1/4", ""), True),
    ],
)
def test_equal_shares_are_offered_where_they_help(
    page: Served, plan: Path, texts: tuple[str, ...], offered: bool
) -> None:
    answer = page.post("/plan/preview", form(shares(draft(plan), *texts)))
    assert (EQUAL in Parts(answer.text).text("shares")) == offered


def test_a_refusal_is_told_once_in_a_card(page: Served, plan: Path) -> None:
    sent = draft(plan)
    bad = replace(sent.tables[1], by=("place", "salary"))
    sent = replace(sent, tables=(sent.tables[0], bad, sent.tables[2]))
    shown = Parts(page.post("/plan", form(sent)).text)
    assert "salary" in shown.text("problem-tables[1].by")
    assert shown.text("table-1").count("must be") == 1
    assert shown.text("result-1") == (
        "No prediction for this table yet: what is marked in its fields is refused."
    )
    assert "open" in shown.attributes["table-1"]


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ({"protect.epsilon": "x", "account": "a b"}, "problem-protect.epsilon"),
        ({"account": "a b", "period": ""}, "problem-account"),
        ({"jobs.rule": "primary"}, "problem-jobs.primary"),
    ],
)
def test_the_status_leads_to_the_first_refusal(
    page: Served, plan: Path, change: dict[str, str], first: str
) -> None:
    sent = draft(plan)
    sent = shares(replace(sent, texts={**sent.texts, **change}), "1/2", "no", "1/4")
    shown = Parts(page.post("/plan", form(sent)).text)
    assert ("a", {"href": f"#{first}"}) in shown.tags
    assert shown.text(first)
    assert shown.attributes[first]["tabindex"] == "-1"


def test_what_has_no_field_comes_first(page: Served, plan: Path) -> None:
    (plan.parent / "codebook.yaml").unlink()
    sent = draft(plan).with_text("protect.epsilon", "x")
    shown = Parts(page.post("/plan", form(sent)).text)
    assert ("a", {"href": "#elsewhere"}) in shown.tags


def test_alpha_is_said_to_have_no_use_without_establishments(page: Served) -> None:
    hint = Parts(page.get("/plan").text).text("hint-protect.alpha")
    assert hint.endswith("Not used under the worker and person policies.")


def test_a_decimal_comma_is_told_on_the_page(page: Served, plan: Path) -> None:
    answer = page.post("/plan/preview", form(draft(plan).with_text("protect.epsilon", "2,5")))
    told = Parts(answer.text).text("problem-protect.epsilon")
    assert told.endswith("Write a decimal point in place of the comma.")


def test_filters_are_changed_and_what_stays_is_as_written(page: Served, plan: Path) -> None:
    kept = [("tables[2].filtered", "sex"), ("tables[2].kept", "M"),
            ("tables[2].filtered", "education"), ("tables[2].kept", "E1")]  # fmt: skip
    sent = [*form(draft(plan)), *kept, ("file", "next.yaml")]
    assert page.post("/plan/save", sent).status == 200
    written = read_plan(plan.parent / "next.yaml").request.tables[2]
    assert written.where == {"sex": "M", "education": ["E1"]}
    added = [*form(draft(plan)), ("tables[0].add", "sex"), ("action", "filter:0")]
    shown = Parts(page.post("/plan", added).text)
    assert "sex" in shown.values("tables[0].filtered")
    assert shown.values("tables[0].kept") == []
    nothing = [*sent[:-1], ("tables[0].filtered", "sex"), ("file", "none.yaml")]
    assert page.post("/plan/save", nothing).status == 200
    assert read_plan(plan.parent / "none.yaml").request.tables[0].where == {}


def test_a_plan_that_was_released_is_said_to_be(page: Served, plan: Path, ledger: Path) -> None:
    made = read_plan(plan)
    assert "already" not in Parts(page.get("/plan").text).attributes
    for number, (digest, period) in enumerate([("0" * 64, made.request.period),
                                               (made.digest, "2020Q1")]):  # fmt: skip
        with Ledger.open(ledger) as book:
            subject = Subject(digest, f"{number}" * 64, period, f"bundle-{number}", ())
            charged = book.reserve("office", Guarantee("strong", "0.1", 1), subject)
            book.commit(charged.number, "1" * 64)
    shown = Parts(page.get("/plan").text)
    assert "entry 4 of account 'office', bundle 'bundle-1'" in shown.text("already")
    assert "1 other release of this period: bundle-0" in shown.text("same-period")
    assert "Already released." in shown.text("status")
