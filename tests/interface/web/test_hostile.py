"""Hostile plans, codebooks and forms: shown as text or refused, and the page stays up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interface.web.drafts import Parts, draft, form
from tests.interface.web.serving import Served, serving
from tests.publishing.plans import planned

SCRIPT = "<script>alert(1)</script>"
QUOTE = '"\' onfocus=alert(1) autofocus x="'
EVIL = f"{SCRIPT}{QUOTE}{{{{7*7}}}}</textarea><img src=x onerror=alert(1)>"

HEAD = "data: {workplaces: no.csv, workers: no.csv, jobs: no.csv}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def harmless(page: str) -> Parts:
    """No tag or attribute that the texts of the plan could have made."""
    shown = Parts(page)
    scripts = [found for tag, found in shown.tags if tag == "script"]
    assert all((found.get("src") or "").startswith("/") for found in scripts)
    assert len(scripts) <= 2
    assert not [tag for tag, _ in shown.tags if tag in ("img", "iframe", "object", "textarea")]
    for _, found in shown.tags:
        assert not [name for name in found if name.startswith("on") or name == "autofocus"]
    assert "49</" not in page
    return shown


@pytest.fixture
def evil(folder: Path) -> Iterator[Served]:
    """A plan and a codebook in which every text is an attack."""
    (folder / "codebook.yaml").write_text(
        "attributes:\n"
        "  place: {table: workplaces, public: true, codes: {A: " + quoted(EVIL) + "}}\n"
        "  " + quoted(EVIL) + ": {table: workers, codes: [" + quoted(EVIL) + ", B]}\n"
    )
    (folder / "plan.yaml").write_text(
        HEAD + f"codebook: codebook.yaml\naccount: {quoted(EVIL)}\nperiod: {quoted(EVIL)}\n"
        f"protect: {{policy: {quoted(EVIL)}, alpha: {quoted(EVIL)}, epsilon: {quoted(EVIL)}}}\n"
        f"jobs: {{primary: {quoted(EVIL)}}}\n"
        "tables:\n"
        f"  - {{name: {quoted(EVIL)}, by: [place, {quoted(EVIL)}], share: {quoted(EVIL)},\n"
        f"     where: {{{quoted(EVIL)}: {quoted(EVIL)}}}, margins: {quoted(EVIL)},\n"
        f"     mechanism: {quoted(EVIL)}}}\n"
    )
    with serving(folder / "plan.yaml", folder) as up:
        yield up


def test_every_text_of_a_plan_is_shown_as_text(evil: Served) -> None:
    answer = evil.get("/plan")
    assert answer.status == 422
    shown = harmless(answer.text)
    assert shown.values("account") == [EVIL]
    assert shown.values("tables[0].name") == [EVIL]
    assert SCRIPT not in answer.text


def test_every_text_of_a_form_is_shown_as_text(evil: Served, folder: Path) -> None:
    more = [("aim.table", EVIL), ("aim.error", EVIL), ("file", EVIL), ("action", "aim")]
    sent = form(draft(folder / "plan.yaml"), *more)
    for path in ("/plan", "/plan/preview", "/plan/save"):
        answer = evil.post(path, sent)
        assert answer.status == 422
        harmless(answer.text)
        assert SCRIPT not in answer.text


BROKEN = {
    "empty": "",
    "corrupt": "data: {a: [\n",
    "deep": "a: " + "[" * 20_000,
    "shape": "data: 1\ncodebook: {}\naccount: []\nperiod: {}\nprotect: x\ntables: {}\n",
    "tag": "!!python/object/apply:os.system ['true']\n",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plan_is_refused_in_the_page_and_the_page_stays_up(
    folder: Path, kind: str
) -> None:
    plan = folder / "plan.yaml"
    plan.write_text(BROKEN[kind])
    with serving(plan) as up:
        answer = up.get("/plan")
        assert answer.status == 422
        assert 'class="next"' in answer.text
        assert "Traceback" not in answer.text
        assert up.post("/plan/preview", [("account", "a")]).status == 400
        assert up.get("/static/plan.js").status == 200


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    plan = folder / "plan.yaml"
    plan.write_bytes(b"\xff\xfe\x00data")
    with serving(plan) as up:
        assert "must be text in UTF-8" in up.get("/plan").text


def test_a_plan_that_is_not_there_and_a_folder_are_refused(folder: Path) -> None:
    for path in (folder / "none.yaml", folder):
        with serving(path) as up:
            answer = up.get("/plan")
            assert answer.status == 422
            assert "must be a file" in answer.text


BODIES = {
    "nothing": b"",
    "no fields": b"&&&&",
    "no text": b"account=%ff%fe",
    "raw bytes": b"account=\xff\xfe",
    "long": b"protect.epsilon=" + b"9" * 100_000,
    "numbers": b"tables[0].name=a&tables[0].by=place&protect.epsilon=1/0&protect.policy=strong",
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_form_of_garbage_is_refused_and_the_page_stays_up(
    page: Served, plan: Path, kind: str
) -> None:
    own = {"Origin": f"http://{page.host}", "Content-Type": "application/x-www-form-urlencoded"}
    before = plan.read_bytes()
    for path in ("/plan", "/plan/preview", "/plan/save"):
        answer = page.ask("POST", page.site.base + path, body=BODIES[kind], headers=own)
        assert answer.status in (400, 422)
        assert "Traceback" not in answer.text
    assert plan.read_bytes() == before
    assert page.get("/plan").status == 200


def test_a_lone_surrogate_does_not_break_the_page(folder: Path) -> None:
    plan = planned(folder, "{name: t, by: [place]}").path
    lines = plan.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("account:")]
    plan.write_text("\n".join([*kept, 'account: "x\\ud800"']) + "\n")
    with serving(plan, folder) as page:
        answer = page.get("/plan")
    assert answer.status == 422
    assert "surrogate, which no UTF-8 text can hold" in answer.text
