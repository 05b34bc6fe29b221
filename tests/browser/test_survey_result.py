"""The page of a survey's result is readable by day, by night and on a phone."""

from pathlib import Path

from leeward.systems.local import aggregate, encode, read_survey
from leeward.systems.local.result_folder import write_result
from tests.browser.view import NewView

SURVEY = read_survey(
    {
        "name": "works-council-2026",
        "epsilon": "1",
        "question": "Were you harassed at work in the last twelve months?",
        "answers": {"yes": "Yes", "no": "No", "skip": "I prefer not to say"},
        "strata": {"region": ["north"]},
    }
)


def test_a_result_is_fit_to_be_looked_at_without_a_network(
    view: NewView, tmp_path: Path, pictures: Path
) -> None:
    clients = encode(SURVEY, [0, 1, 1, 1] * 20, strata={"region": ["north"] * 80})
    write_result(aggregate(SURVEY, clients), tmp_path / "result")
    window = view()
    window.context.set_offline(True)
    window.page.goto((tmp_path / "result" / "report.html").as_uri())
    window.look_at(pictures, "survey-result", whole=False)
