"""Page: a survey as one HTML file, which draws a report in the browser and asks no network.

Its script (`page.js`) draws with the numbers that `public()` of a channel gives, from 64-bit words
of the browser's generator: the law is that of `encode`, and tests/browser compares the two.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from leeward.core.errors import InvalidParameter
from leeward.core.privacy.local_privacy import another
from leeward.core.show.environment import template
from leeward.systems.local.survey import Question, Survey

DRAWN_BY_PAGES = ("randomised", "subset_selection", "projective", "hadamard")
"""Channels that the script draws."""

MOST_LISTED = 30
"""Answers that stand one below the other; among more, people search."""

MOST_ANSWERS = 100_000
"""With more the file would have several megabytes and a browser would search slowly."""


def page(survey: Survey) -> str:
    """The whole page; a survey that a browser cannot draw is refused."""
    for question in survey.questions:
        _require_drawable(question)
    # Survey and laws for the script, as JSON that no text in it can break out of.
    text = f'{{"digest":"{survey.digest}","survey":{survey.canonical}}}'
    # How a content security policy names the one script that may run.
    checksum = b64encode(sha256(script().encode()).digest()).decode()
    one_report = survey.epsilon.times(survey.draws // survey.per_person)
    return template("local/survey.html.j2").render(
        mark="",
        survey=survey,
        several=len(survey.questions) > 1,
        most_listed=MOST_LISTED,
        again=another(one_report).text,
        embedded=Markup(text.replace("<", "\\u003c")),  # noqa: S704 (no tag begins in it)
        script=script(),
        script_hash=f"sha256-{checksum}",
    )


def _require_drawable(question: Question) -> None:
    if question.channel.name not in DRAWN_BY_PAGES:
        raise InvalidParameter(
            "method",
            rule=f"must be one that a page draws: {', '.join(DRAWN_BY_PAGES)}",
            value=repr(question.channel.name),
            next_step="Write `method: auto`, or hand out `leeward local encode`.",
        )
    if len(question.answers.codes) > MOST_ANSWERS:
        raise InvalidParameter(
            "answers",
            rule=f"a page holds at most {MOST_ANSWERS:,} of them",
            value=f"{len(question.answers.codes):,}",
            next_step="Ask in coarser classes, or hand out `leeward local encode`.",
        )


@cache
def script() -> Markup:
    """The script of the page."""
    text = files("leeward.systems.local").joinpath("page.js").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 (a file of the package)
