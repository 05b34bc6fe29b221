"""Surveys that several tests ask."""

from typing import Any

from leeward.systems.local import read_survey
from leeward.systems.local.survey import Survey

PAID: dict[str, Any] = {
    "name": "pay-2026",
    "question": "Are you paid on time?",
    "answers": {"yes": "Always", "no": "Not always"},
    "epsilon": "1",
}
SEVERAL: dict[str, Any] = {
    "name": "council",
    "questions": [
        {"name": "pay", "question": "Which class of pay?", "answers": [*"abcdef"]},
        {"name": "harassed", "question": "Were you harassed?", "answers": ["yes", "no"]},
    ],
    "epsilon": "4",
    "strata": {"region": ["north", "south"]},
}


def survey(base: dict[str, Any] = PAID, **changes: object) -> Survey:
    """A survey with some keys changed; None leaves a key out."""
    content = {key: value for key, value in (base | changes).items() if value is not None}
    return read_survey(content)
