"""A survey is read whole, refused with a reason, and has one digest."""

import json
from pathlib import Path
from typing import Any

import pytest

from leeward.core.errors import LeewardError
from leeward.systems.local import read_survey
from leeward.systems.local.survey import survey_of
from tests.systems.local.surveys import PAID, SEVERAL, survey

YAML = """
name: pay-2026
question: Are you paid on time?
answers: {yes: Always, no: Not always}
epsilon: 1.0
"""


def test_a_file_a_mapping_and_a_list_of_codes_are_the_same_survey(tmp_path: Path) -> None:
    (tmp_path / "survey.yaml").write_text(YAML)
    (tmp_path / "codes.csv").write_text("code,label\nyes,Always\nno,Not always\n")
    (tmp_path / "coded.yaml").write_text(YAML.replace("answers: {yes: Always, no: Not always}",
                                                      "codes: codes.csv"))  # fmt: skip
    labelled = survey(answers=[{"yes": "Always"}, {"no": "Not always"}])
    read = [read_survey(tmp_path / name) for name in ("survey.yaml", "coded.yaml")]
    assert {one.digest for one in (*read, labelled)} == {survey().digest}


@pytest.mark.parametrize(
    "change",
    [
        {"name": "pay-2027"},
        {"question": "Were you paid on time?"},
        {"answers": {"no": "Not always", "yes": "Always"}},
        {"answers": {"yes": "Always", "no": "Never"}},
        {"epsilon": "2"},
        {"method": "unary"},
        {"strata": {"region": ["north"]}},
        {"limits": {"per_person": 2}},
    ],
)
def test_whatever_decides_law_or_meaning_changes_the_digest(change: dict[str, Any]) -> None:
    assert survey(**change).digest != survey().digest


def test_the_digest_is_of_the_thresholds_too() -> None:
    told = survey(epsilon="ln 3").as_json()["questions"][0]["law"]
    assert told["threshold"] == str(3 * 2**62)


def test_a_survey_is_made_again_of_its_json() -> None:
    one = survey(SEVERAL, ask="one", limits={"per_person": 5, "per_day": 2}, epsilon="1 + ln 3")
    assert survey_of(json.loads(one.canonical)).canonical == one.canonical


@pytest.mark.parametrize(
    ("change", "draws"),
    [({}, 2), ({"ask": "one"}, 1), ({"limits": {"per_person": 3}}, 6)],
)
def test_losses_of_all_answers_of_a_person_add_up(change: dict[str, Any], draws: int) -> None:
    one = survey(SEVERAL, **change)
    assert one.draws == draws
    assert any(f"e^({draws}ε)" in text for text in one.sentences) is (draws > 1)


@pytest.mark.parametrize(
    ("change", "parameter", "rule"),
    [
        ({"name": "a b"}, "survey.name", "must be letters"),
        ({"epsilon": "0"}, "epsilon", "must be above 0"),
        ({"epsilon": None}, "survey.epsilon", "must be given"),
        ({"answers": None}, "survey.answers", "one of the two"),
        ({"answers": ["yes"]}, "domain", "2"),
        ({"answers": ["yes", "yes"]}, "survey.answers", "each code once"),
        ({"answers": {"yes": "Yes\nor no", "no": "No"}}, "survey.questions", "printable"),
        ({"method": "nothing"}, "method", "must be auto or one of"),
        ({"ask": "some"}, "survey.ask", "'all' or 'one'"),
        ({"strata": {"Workplace_id": ["a"]}}, "survey.strata.Workplace_id", "never a workplace"),
        ({"strata": {"region": ["a", "a"]}}, "survey.strata.region", "each once"),
        ({"strata": {"region": []}}, "survey.strata.region", "list its codes"),
        ({"limits": {"per_person": 1, "per_day": 2}}, "survey.limits", "per_day ≤ per_person"),
        ({"limits": {"per_person": "x"}}, "survey.limits.per_person", "whole number"),
        ({"questions": SEVERAL["questions"]}, "survey.questions", "must not stand beside"),
        ({"colour": "red"}, "survey.colour", "not a known key"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], parameter: str, rule: str) -> None:
    with pytest.raises(LeewardError) as refusal:
        survey(PAID, **change)
    assert refusal.value.parameter.startswith(parameter)
    assert rule in refusal.value.rule


@pytest.mark.parametrize("name", ["site", "branches", "store_no", "factories", "Department"])
def test_every_name_of_a_workplace_is_refused(name: str) -> None:
    with pytest.raises(LeewardError, match="never a workplace"):
        survey(strata={name: ["a", "b"]})


@pytest.mark.parametrize("epsilon", ["1/1000", "16"])
def test_the_bounds_of_epsilon_belong_to_it(epsilon: str) -> None:
    assert survey(epsilon=epsilon).epsilon.text in ("0.001", "16")


@pytest.mark.parametrize("name", ["employer_size", "confirmed", "workshop_training"])
def test_a_stratum_that_only_sounds_like_a_workplace_is_taken(name: str) -> None:
    assert name in survey(strata={name: ["a", "b"]}).strata


def test_questions_have_names_of_their_own() -> None:
    twice = [SEVERAL["questions"][0]] * 2
    with pytest.raises(LeewardError, match=r"survey\.questions: .*name of its own"):
        survey(SEVERAL, questions=twice)
    with pytest.raises(LeewardError, match=r"survey\.questions\.name: "):
        survey(SEVERAL, questions=[SEVERAL["questions"][0] | {"name": "a b"}])


def test_the_promise_counts_every_randomised_answer_of_a_person() -> None:
    """Two questions, three reports: six draws of ε = 1/2, e^3 = 20.1 and 17 in 100."""
    asked = survey(SEVERAL, epsilon="1/2", limits={"per_person": 3})
    one, every, suspicion, anew, *_ = asked.sentences
    assert "one randomised answer of yours alone" in one
    assert "1.65 (e^ε" in one
    assert "at most 6 randomised answers" in every
    assert "20.1" in every
    assert "17 in 100" in suspicion
    assert "404" in anew
    assert "3 in 100" in survey().sentences[1]
