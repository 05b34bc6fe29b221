"""From the survey to the result, as the worker and the collector type it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from leeward.interface.commands.app import build

YAML = """
name: harassment-2026
question: Were you harassed at work?
answers: {SAIDYES: "Yes", SAIDNO: "No"}
epsilon: ln 3
strata: {region: [north, south]}
"""
SEVERAL = """
name: council
questions:
  - {name: pay, question: "Which class?", answers: [low, high]}
  - {name: rest, question: "Do you rest?", answers: [yes, no]}
ask: one
epsilon: 1
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.yaml").write_text(YAML)
    (tmp_path / "several.yaml").write_text(SEVERAL)
    (tmp_path / "reports").mkdir()
    return tmp_path


def run(words: str, monkeypatch: pytest.MonkeyPatch, who: str = "me", typed: str = "") -> Result:
    monkeypatch.setenv("XDG_STATE_HOME", str(Path(f"state-{who}").absolute()))
    return CliRunner().invoke(build(), words.split(), input=typed)


ENCODE = "local encode survey.yaml"


def test_a_worker_gets_one_report_whatever_is_typed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(f"{ENCODE} --answer SAIDYES --stratum region=north --out a.json", monkeypatch)
    assert first.exit_code == 0
    assert "the odds between any two of your answers by at most a factor 3 " in first.output
    for rest in ("--answer SAIDNO --out b.json", "--answer - --out c.json", "--answer WRONG",
                 "--answer SAIDNO --stratum region=east --out a.json"):  # fmt: skip
        again = run(f"{ENCODE} {rest}", monkeypatch)
        assert again.exit_code == 0
        assert "drawn before" in again.stderr
    content = (place / "a.json").read_bytes()
    assert {(place / f"{name}.json").read_bytes() for name in "bc"} == {content}
    told = json.loads(content)
    assert told["stratum"] == {"region": "north"}
    printed = run(ENCODE, monkeypatch).stdout
    assert json.loads(printed) == told
    every = [path.read_bytes() for path in place.rglob("*.json")]
    assert not any(b"SAID" in one for one in every)
    (place / "other.json").write_text("kept")
    refused = run(f"{ENCODE} --answer SAIDNO --out other.json", monkeypatch)
    assert refused.exit_code == 1
    assert (place / "other.json").read_text() == "kept"


@pytest.mark.parametrize(
    "words",
    ["--answer SECRET", "--answer SAIDYES --stratum region=SECRET", "--stratum SECRET",
     "--answer SAIDYES --answer SECRET"],
)  # fmt: skip
@pytest.mark.usefixtures("place")
def test_a_refusal_shows_no_answer_and_draws_nothing(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run(f"{ENCODE} {words}", monkeypatch, typed="SECRET\n")
    assert refused.exit_code == 1
    assert "SECRET" not in refused.output
    assert run(f"{ENCODE} --answer SAIDYES", monkeypatch).stderr.count("drawn before") == 0


@pytest.mark.usefixtures("place")
def test_answers_are_typed_without_a_trace_one_line_for_each_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = run("local encode several.yaml --answer -", monkeypatch, typed="low\nno\n")
    assert typed.exit_code == 0
    assert len(json.loads(typed.stdout)["reports"]) == 1
    named = run("local encode several.yaml --answer pay=low --answer rest=no", monkeypatch, "you")
    assert named.exit_code == 0
    missing = run("local encode several.yaml --answer pay=low", monkeypatch, "them")
    assert missing.exit_code == 1
    assert "NAME=CODE: pay, rest" in missing.stderr


def test_reports_become_a_result_that_verify_accepts(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for who in range(5):
        region = "north" if who < 3 else "south"
        run(f"{ENCODE} --answer SAIDNO --stratum region={region} --out reports/{who}.json",
            monkeypatch, f"{who}")  # fmt: skip
    made = run("local aggregate survey.yaml reports --out result", monkeypatch)
    assert made.exit_code == 0
    for fact in ("5 reports", "region north: 3; region south: 2", "NOT protect employers",
                 "moves an estimated count by up to 2", "90 of 100"):  # fmt: skip
        assert fact in made.stdout
    assert run("verify result", monkeypatch).stdout == "result is sound.\n"
    several = run("verify result result", monkeypatch)
    assert several.exit_code == 0
    told = json.loads(run("local aggregate survey.yaml reports --out two --json",
                          monkeypatch).stdout)  # fmt: skip
    assert told["guarantee"]["epsilon"] == "ln 3"
    assert sum(one["count"] for one in told["tables"][0]["answers"]) == pytest.approx(5, abs=1e-5)
    (place / "reports" / "6.json").write_bytes((place / "reports" / "1.json").read_bytes())
    refused = run("local aggregate survey.yaml reports --out three", monkeypatch)
    assert refused.exit_code == 1
    assert "an id of its own, not that of '1.json'; got '6.json'" in refused.stderr
    assert not (place / "three").exists()
