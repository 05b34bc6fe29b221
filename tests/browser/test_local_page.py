"""The page of a survey: it draws the law of its channels, keeps one report, and no answer."""

import json
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest
from playwright.sync_api import Page
from scipy.stats import chisquare, combine_pvalues

from leeward.systems.local.channel import Channel
from leeward.systems.local.field import Field
from leeward.systems.local.hadamard import Hadamard
from leeward.systems.local.projective import Projective, Space
from leeward.systems.local.randomised import RandomisedResponse
from leeward.systems.local.response import draw_report, read_report
from leeward.systems.local.result import aggregate
from leeward.systems.local.subset_selection import SubsetSelection
from leeward.systems.local.survey import Survey, read_survey
from leeward.systems.local.survey_page import page
from tests.browser.view import NewView

DRAWS = 100_000
SURVEY = read_survey(
    {
        "name": "late-pay",
        "epsilon": "1",
        "questions": [
            {
                "name": "late",
                "question": "Were you paid late in the last twelve months?",
                "answers": [{"yes": "Yes"}, {"no": "No </script>"}, {"na": "I had no job"}],
            },
            {
                "name": "occupation",
                "question": "What is your occupation?",
                "answers": {f"{n:04}": f"Occupation number {n}" for n in range(400)},
            },
        ],
        "strata": {"region": ["nörd", "south"]},
    }
)
FORBIDDEN = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"

ALL_SHOWN = "document.querySelectorAll('[hidden]').forEach(one => { one.hidden = false; })"

TALLY = """([law, answers, draws]) => {
  const found = [];
  for (let answer = 0; answer < answers; answer++) {
    const tally = {};
    for (let n = 0; n < draws / answers; n++) {
      const report = JSON.stringify(draw(law, answer));
      tally[report] = (tally[report] || 0) + 1;
    }
    found.push(tally);
  }
  return found;
}"""


CHANNELS = (
    RandomisedResponse.of(2, "ln 3"),
    SubsetSelection.of(4, "1", 1),  # k-ary randomised response
    SubsetSelection.of(6, "1"),
    Projective.of(13, "1", Space(Field(3), 3)),
    Projective.of(16, "1", Space(Field(2, 2), 3)),  # of a field whose order is no prime
    Hadamard.of(7, "2"),  # of several blocks
)


class Opened(Protocol):
    """Opens the page of a survey in a window without a network, after a script."""

    def __call__(self, survey: Survey = SURVEY, script: str = "") -> Page: ...


@pytest.fixture
def opened(view: NewView, tmp_path: Path) -> Opened:
    def new(survey: Survey = SURVEY, script: str = "") -> Page:
        (tmp_path / "survey.html").write_text(page(survey), encoding="utf-8")
        window = view()
        window.context.set_offline(True)
        window.page.add_init_script(script)
        window.page.goto((tmp_path / "survey.html").as_uri())
        return window.page

    return new


def doubt(tallies: list[dict[str, int]], channel: Channel) -> float:
    """How likely the exact law is to be this far from what was drawn, by two chi-squares.

    One is over all reports; the other, over the levels of their chances, sees a wrong threshold.
    """
    matrix = channel.matrix()
    reports = [json.dumps(one, separators=(",", ":")) for one in columns(channel, len(matrix[0]))]
    assert all(set(tally) <= set(reports) for tally in tallies)
    single = []
    seen: dict[Fraction, int] = defaultdict(int)
    expected: dict[Fraction, Fraction] = defaultdict(Fraction)
    for tally, row in zip(tallies, matrix, strict=True):
        drawn = [tally.get(one, 0) for one in reports]
        means = [sum(drawn) * chance for chance in row]
        single.append(chisquare(drawn, [float(one) for one in means]).pvalue)
        for level, count, mean in zip(row, drawn, means, strict=True):
            seen[level] += count
            expected[level] += mean
    levels = chisquare([seen[one] for one in expected], [float(one) for one in expected.values()])
    return float(min(combine_pvalues(single).pvalue, levels.pvalue))


def columns(channel: Channel, count: int) -> list[Any]:
    """The reports in the order of the matrix, as they are sent."""
    if isinstance(channel, SubsetSelection):
        return [list(one) for one in combinations(range(channel.domain), channel.size)]
    return list(range(count))


PRODUCTS = """([law, order]) => {
  const field = new Field(law);
  const all = [...Array(order).keys()];
  return all.map(one => all.map(two => field.times(one, field.minus(two))));
}"""


def test_the_page_draws_the_law_of_every_channel(opened: Opened) -> None:
    window = opened()
    for channel in CHANNELS:
        drawn = window.evaluate(TALLY, [channel.public(), channel.domain, DRAWS])
        assert doubt(drawn, channel) > 1e-6, channel
        near = replace(channel, threshold=channel.threshold - (1 << 58))  # by 1/64
        assert doubt(drawn, near) < 1e-6, f"{channel} is not told from a neighbour"

    # Short lists of answers need few products: here are all of a field of 27 elements.
    field, every = Field(3, 3), np.arange(27)
    law = Projective.of(16, "1", Space(field, 2)).public()
    products = field.times(every[:, None], field.minus(every))
    assert window.evaluate(PRODUCTS, [law, field.order]) == products.tolist()


def answer(window: Page, late: str = "Yes", occupation: str = "0003") -> None:
    window.get_by_label(late, exact=True).check()
    window.fill("[data-search]", f"number {int(occupation)}")
    window.get_by_label(occupation).check()
    window.select_option("[data-stratum]", "nörd")
    window.click("#randomise")


def saved(window: Page) -> tuple[str, str]:
    """The name and the content of the file that the page saves."""
    with window.expect_download() as waited:
        window.click("#save")
    return waited.value.suggested_filename, Path(waited.value.path()).read_text()


def test_a_report_is_kept_shown_again_and_counted(opened: Opened, tmp_path: Path) -> None:
    window = opened()
    window.click("#randomise")
    assert window.inner_text("#said") == "A question has no answer yet."
    answer(window)
    name, text = saved(window)
    report = read_report(text, SURVEY)
    assert report.to_bytes(SURVEY).decode() == text  # as the command writes it
    assert report.stratum == ("nörd",)
    assert name == f"report-{report.id}.json"
    assert window.inner_text("#text").strip() == text.strip()

    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / name).write_text(text)
    other = draw_report(SURVEY, {"late": "no", "occupation": "0003"}, ("south",))
    (reports / "command.json").write_bytes(other.to_bytes(SURVEY))
    assert aggregate(SURVEY, reports).table("late").reports == 2

    window.reload()
    assert not window.is_visible("#randomise")
    # As in a window that was open before: the form is there, but its choice is not drawn.
    window.evaluate(ALL_SHOWN)
    answer(window, "I had no job", "0217")
    assert saved(window) == (name, text)
    assert not window.is_visible("#forgetful")


def test_without_storage_the_page_says_what_a_second_report_costs(opened: Opened) -> None:
    window = opened(script=FORBIDDEN)
    assert "A second report costs epsilon 2 again" in window.inner_text("#forgetful")
    answer(window)
    assert not window.is_visible("#randomise")
    window.reload()
    assert window.is_visible("#randomise")


STATE = """() => JSON.stringify([location.href, document.title, history.length, {...localStorage},
  {...sessionStorage}, document.cookie, document.documentElement.outerHTML,
  [...document.querySelectorAll("input, select")].map(one => [one.value, one.checked])])"""


def test_nothing_that_stays_depends_on_the_answer(opened: Opened) -> None:
    """With the draw held fixed, two answers leave the same page, storage, address and file."""
    window, left = opened(), []
    for late, occupation in (("Yes", "0003"), ("I had no job", "0217")):
        window.evaluate("localStorage.clear()")
        window.reload()
        window.evaluate("() => { draw = () => [1]; newId = () => '0'.repeat(32); }")
        answer(window, late, occupation)
        left.append((saved(window), window.evaluate(STATE)))
    assert left[0] == left[1]


DAYS = "Date.prototype.getFullYear = () => Number(window.name || 2030);"


def test_one_question_is_drawn_and_asked_again_on_another_day_only(opened: Opened) -> None:
    once = SURVEY.questions[0]
    survey = replace(
        SURVEY,
        questions=(once, replace(once, name="again", text="And before?")),
        ask="one",
        strata={},
        per_person=2,
    )
    window = opened(survey, DAYS)
    asked = window.inner_text("legend:visible")
    window.reload()
    assert window.inner_text("legend:visible") == asked

    ids = []
    for year in (2030, 2029, 2031, 2032):  # a clock that was set back makes no room
        window.evaluate(f"window.name = {year}")
        window.reload()
        if window.is_visible("#randomise"):
            window.locator("label:visible", has_text="Yes").click()
            window.click("#randomise")
        report = read_report(window.inner_text("#text"), survey)
        ids.append(report.id)
        assert window.is_visible("#later") == (len(set(ids)) == 1)
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert {one.name for one in survey.questions} >= {report.given[0][0]}


def test_a_survey_is_fit_to_be_looked_at(view: NewView, tmp_path: Path, pictures: Path) -> None:
    """Report, warning and questions at once."""
    (tmp_path / "survey.html").write_text(page(SURVEY), encoding="utf-8")
    window = view()
    window.page.goto((tmp_path / "survey.html").as_uri())
    answer(window.page)
    window.page.evaluate(ALL_SHOWN)
    window.page.fill("[data-search]", "number 12")
    window.look_at(pictures, "survey")
