"""Estimates are unbiased, margins hold, and what does not belong is refused."""

from pathlib import Path

import numpy as np
import pytest

from leeward.core.errors import InvalidParameter, LeewardError, Problems
from leeward.core.randomness import SecretBits
from leeward.systems.local import aggregate, encode
from leeward.systems.local.channel_choice import METHODS, channel
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.response import draw_report
from leeward.systems.local.result import expected_error, project
from leeward.systems.local.survey import Survey
from tests.systems.local.surveys import SEVERAL, survey

STRATA, PEOPLE = 1000, 150


def test_nine_margins_in_ten_hold_where_one_question_is_drawn() -> None:
    """They must allow for who was asked: at this ε that is most of the error."""
    names = [f"s{at}" for at in range(STRATA)]
    asked = survey(SEVERAL, ask="one", strata={"part": names}, epsilon="4")
    people = np.arange(STRATA * PEOPLE)
    columns = {"pay": people % 3, "harassed": (people % 10 < 4).astype(int)}
    found = aggregate(
        asked, encode(asked, columns, strata={"part": np.repeat(names, PEOPLE).tolist()})
    )
    for name, truth in (("pay", PEOPLE / 3), ("harassed", 0.6 * PEOPLE)):
        tables = [one for one in found.tables if not one.everyone and one.question.name == name]
        errors = np.array([one.counts[0] - truth for one in tables])
        margins = np.array([one.margins[0] for one in tables])
        # Each bound is five standard deviations away: false alarms are below 1 in 10^6.
        assert 0.85 < (np.abs(errors) <= margins).mean() < 0.95
        assert abs(errors.mean()) < 5 * errors.std() / STRATA**0.5


@pytest.mark.parametrize("method", [one for one in METHODS if one != "hadamard"])
def test_variances_of_all_answers_are_those_of_each(method: str) -> None:
    made = channel(method, 2, "2")
    counts, reports = np.array([-7.0, 90.0]), np.zeros(60, dtype=np.uint64)
    inside, squares = [0.0, 60.0], [3600.0, 0.0]
    each = [made.variance(60, f, rest) for f, rest in zip(inside, squares, strict=True)]
    assert made.variances(reports, counts) == pytest.approx(each)


def test_variances_of_hadamard_see_a_crowded_block() -> None:
    made = Hadamard.of(40, "4", blocks=8)
    answers = np.repeat([0, 8, 3], [60_000, 30_000, 10_000])  # the block 0, and the block 3
    drawn = [made.encode(answers, SecretBits()) for _ in range(8)]  # one is 5 % off in some of 1000
    found = np.mean([made.variances(one, made.counts(one)) for one in drawn], axis=0)
    for answer, f, home in ((0, 60_000, 90_000), (16, 0, 90_000), (3, 10_000, 10_000), (1, 0, 0)):
        assert found[answer] == pytest.approx(made.variance_in_block(100_000, f, home), rel=0.05)
    assert found[16] > 5 * found[1]


def test_margins_of_hadamard_are_never_0() -> None:
    """No report in the block of an answer is no proof that nobody has it."""
    made = Hadamard.of(120_000, "8")
    reports = np.zeros(5000, dtype=np.uint64)  # all in the block 0
    found = made.variances(reports, np.zeros(made.domain))
    assert found[1] == pytest.approx(made.variance_in_block(5000, 0, 0))
    assert found[1] > 1


def test_margins_of_few_who_agree_allow_for_those_who_were_not_asked() -> None:
    """18 of 20 say yes: those who were asked all agree in a quarter of the surveys."""
    asked = survey(SEVERAL, ask="one", epsilon="16")
    columns = {"pay": ["a"] * 20, "harassed": ["yes"] * 18 + ["no"] * 2}
    tables = [aggregate(asked, encode(asked, columns)).table("harassed") for _ in range(200)]
    found = [one.share("yes") for one in tables if one.asked]
    held = [abs(share - 0.9) <= margin for share, margin in found]
    assert np.mean(held) > 0.88  # about 0.99; without the allowance about 0.74


def test_of_a_question_that_nobody_was_asked_there_is_no_share() -> None:
    asked = survey(SEVERAL, ask="one")
    found = aggregate(asked, encode(asked, {"pay": ["a"], "harassed": ["no"]}))
    (nobody,) = (one for one in found.tables if not one.asked)
    for code in (nobody.question.answers.codes[0], "SECRET"):
        with pytest.raises(InvalidParameter, match="somebody was asked"):
            nobody.share(code)


def test_everyone_is_the_sum_of_the_strata_where_all_are_asked() -> None:
    asked = survey(SEVERAL)
    columns = {"pay": ["a", "b", "c"] * 40, "harassed": ["no"] * 120}
    regions = {"region": ["north"] * 70 + ["south"] * 50}
    found = aggregate(asked, encode(asked, columns, strata=regions))
    parts = [found.table("pay", {"region": one}) for one in ("north", "south")]
    assert [one.reports for one in parts] == [70, 50]
    assert np.allclose(found.table("pay").counts, sum(one.counts for one in parts))
    assert found.table("harassed").counts.sum() == pytest.approx(120)


@pytest.mark.parametrize(
    ("answers", "people", "epsilon", "points"),
    [(2, 500, "1", 4.3), (2, 500, "2", 1.9), (20, 5000, "1", 2.54), (20, 5000, "2", 1.05),
     (20, 5000, "4", 0.22)],
)  # fmt: skip
def test_expected_errors_are_those_of_the_design(
    answers: int, people: int, epsilon: str, points: float
) -> None:
    error = 100 * expected_error(channel("auto", answers, epsilon), people)
    assert error == pytest.approx(points, abs=0.006 if points != 4.3 else 0.05)


def nearest(shares: np.ndarray) -> np.ndarray:
    """The slow truth: the threshold t by halving."""
    low, high = shares.min() - 1, shares.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(shares - middle, 0).sum() > 1 else (low, middle)
    found: np.ndarray = np.maximum(shares - low, 0)
    return found


@pytest.mark.parametrize(
    "shares",
    [[0.4, 0.6], [1.4, -0.4], [-3.0, -3.0, -3.0], [0.5, 0.5, 0.5, -0.5], [5.0, 4.9, 0.1, -9.0]],
)
def test_the_projection_is_the_nearest_point_of_the_simplex(shares: list[float]) -> None:
    found = project(np.array(shares))
    assert found == pytest.approx(nearest(np.array(shares)))
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0


def test_python_refuses_what_is_not_in_the_list_without_showing_it() -> None:
    asked = survey()
    for wrong in (["SECRET"], [77], [[0]]):
        with pytest.raises(InvalidParameter) as refusal:
            encode(asked, wrong)
        assert "SECRET" not in str(refusal.value)
        assert "77" not in str(refusal.value)
    with pytest.raises(InvalidParameter, match="a column for each"):
        encode(survey(SEVERAL), {"pay": ["a"]})
    with pytest.raises(InvalidParameter, match="one length"):
        encode(survey(SEVERAL), {"pay": ["a"], "harassed": ["no", "no"]})
    with pytest.raises(InvalidParameter, match="must be of this survey"):
        aggregate(asked, encode(survey(name="other"), ["yes"]))


def sent(asked: Survey, number: int) -> list[bytes]:
    """Reports as people send them."""
    return [draw_report(asked, {asked.name: "no"}, None).to_bytes(asked) for _ in range(number)]


def test_a_folder_and_a_file_of_lines_are_the_same_reports(tmp_path: Path) -> None:
    asked = survey()
    reports = sent(asked, 12)
    (tmp_path / "lines.jsonl").write_bytes(b"".join(reports))
    (tmp_path / "folder").mkdir()
    for at, one in enumerate(reports):
        (tmp_path / "folder" / f"{at}.json").write_bytes(one)
    results = [aggregate(asked, tmp_path / name) for name in ("lines.jsonl", "folder")]
    assert results[0].to_bytes() == results[1].to_bytes()
    assert results[0].reports == 12


def test_foreign_repeated_and_malformed_reports_are_named_and_refused(tmp_path: Path) -> None:
    asked = survey()
    (one, two), (foreign,) = sent(asked, 2), sent(survey(name="other"), 1)
    for name, content in (("a", one), ("b", one), ("c", two), ("d", foreign), ("e\x1b[2J", b"{")):
        (tmp_path / f"{name}.json").write_bytes(content)
    with pytest.raises(Problems) as refusal:
        aggregate(asked, tmp_path)
    told = [(one.value, one.rule) for one in refusal.value.problems]
    assert [value for value, _ in told] == ["'b.json'", "'d.json'", r"'e\x1b[2J.json'"]
    assert [rule.split(",")[0] for _, rule in told] == [
        "must have an id of its own",
        "must be of this survey",
        "must be JSON in UTF-8",
    ]


@pytest.mark.parametrize("harm", ["empty", "nowhere", "another file", "link", "too many"])
def test_what_is_no_folder_of_reports_is_refused(harm: str, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    if harm != "nowhere":
        folder.mkdir()
    if harm == "another file":
        (folder / "notes.txt").write_text("x")
    if harm == "link":
        (folder / "a.json").symlink_to(tmp_path / "b.json")
    if harm == "too many":
        for at in range(30):
            (folder / f"{at}.json").write_text("no")
    with pytest.raises(LeewardError) as refusal:
        aggregate(survey(), folder)
    assert ("10 more" in str(refusal.value)) is (harm == "too many")
