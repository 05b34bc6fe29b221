"""`leeward local page`: one whole file, or a refusal that says what a page cannot do."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from leeward.interface.commands.app import build
from leeward.systems.local.survey_page import MOST_ANSWERS

SURVEY = "name: late-pay\nquestion: Late?\nanswers: [yes, no]\nepsilon: ln 3\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(survey: str) -> Result:
    Path("survey.yaml").write_text(survey, encoding="utf-8")
    return CliRunner().invoke(build(), ["local", "page", "survey.yaml", "--out", "page.html"])


def test_the_page_is_one_file_that_runs_its_own_script_alone() -> None:
    assert run(SURVEY).stdout == "Page: page.html\n"
    text = Path("page.html").read_text(encoding="utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    named = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{named}'" in text
    assert not re.search(r"https?:|Math\.random|<form|fetch\(|XMLHttpRequest", text)


def test_nothing_is_overwritten_and_nothing_stays_half_written() -> None:
    Path("page.html").write_text("mine")
    refused = run(SURVEY)
    assert refused.exit_code == 1
    assert "it exists already" in refused.stderr
    assert Path("page.html").read_text() == "mine"
    assert sorted(one.name for one in Path().iterdir()) == ["page.html", "survey.yaml"]


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ("method: unary\n", "must be one that a page draws: randomised, subset"),
        ("codes: many.csv\n", "a page holds at most 100,000 of them"),
    ],
)
def test_what_a_browser_cannot_draw_is_refused(changed: str, rule: str) -> None:
    rows = "".join(f"{n},x\n" for n in range(MOST_ANSWERS + 1))
    Path("many.csv").write_text(f"code,label\n{rows}")
    survey = SURVEY.replace("answers: [yes, no]\n", "") if "codes" in changed else SURVEY
    refused = run(survey + changed)
    assert refused.exit_code == 1
    assert rule in " ".join(refused.stderr.split())
    assert not Path("page.html").exists()
