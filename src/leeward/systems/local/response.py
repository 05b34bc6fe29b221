"""Report: what one person sends, and the one that is kept so that it is drawn only once.

A report never holds the answer. It is kept in the user's state folder under the survey's digest,
and every later call gets it again: a second draw would cost ε once more.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.errors import BadFile, InvalidParameter, LeewardError
from leeward.core.noise.exact_selection import below
from leeward.core.randomness import SecretBits
from leeward.core.state import create_own, read_own, require_own, state_folder
from leeward.systems.local.survey import Stratum, Survey
from leeward.systems.local.word_draws import Reports

KIND = "report"
KEYS = ("leeward", "survey", "id", "stratum", "reports")
ID_BITS = 128
ID = re.compile(r"[0-9a-f]{32}")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOST_BYTES = 16 << 20
"""Maximum size of a report in bytes: unary encoding of a million answers has 2 MB."""

SURVEYS = "surveys"


@dataclass(frozen=True, eq=False)
class Report:
    """The randomised answers of one person: `given` has the question of each."""

    survey: str
    id: str
    stratum: Stratum
    given: tuple[tuple[str, Reports], ...]

    def as_json(self, survey: Survey) -> dict[str, Any]:
        """The content of a report file."""
        return {
            "leeward": KIND,
            "survey": self.survey,
            "id": self.id,
            "stratum": survey.named(self.stratum),
            "reports": [
                {"question": name, "report": survey.question(name).channel.as_json(one)}
                for name, one in self.given
            ],
        }

    def to_bytes(self, survey: Survey) -> bytes:
        """The one way to write it."""
        return (json.dumps(self.as_json(survey), separators=(", ", ": ")) + "\n").encode()


def draw_report(survey: Survey, answers: Mapping[str, str], stratum: Stratum) -> Report:
    """Randomise the answers of one person; with `ask: one` a single one, drawn first."""
    bits = SecretBits()
    places = {}
    for question in survey.questions:
        place = question.positions.get(answers.get(question.name, ""))
        if place is None:  # the refusal does not show what was answered
            codes = question.answers.codes
            listed = ", ".join(codes[:20]) + (", …" if len(codes) > 20 else "")
            raise InvalidParameter(
                "--answer",
                rule=f"must be one of the answers to {question.name}: {listed}",
                value="something else (not shown)",
                next_step="Nothing was drawn. Answer by one of these codes.",
            )
        places[question.name] = place
    questions = survey.questions
    if survey.ask == "one":
        questions = (questions[below(len(questions), bits)],)
    given = tuple(
        (question.name, question.channel.encode(np.array([places[question.name]]), bits)[0])
        for question in questions
    )
    return Report(survey.digest, f"{bits.word(ID_BITS):032x}", stratum, given)


def read_stratum(survey: Survey, given: Mapping[str, str] | None) -> Stratum:
    """The codes of a person in the order of the survey; None where the person tells none."""
    if not given:
        return None
    known = survey.strata
    if set(given) != set(known) or any(given[name] not in known[name] for name in known):
        listed = "; ".join(f"{name}: {', '.join(codes)}" for name, codes in known.items())
        raise InvalidParameter(
            "stratum",
            rule=f"must have one code for each of {listed}" if known else "must not be given",
            value=f"{len(given)} given",
            next_step="Give all of them, or none.",
        )
    return tuple(given[name] for name in known)


def read_report(content: bytes | str, survey: Survey) -> Report:
    """A report as it was sent, or a refusal that names the rule."""
    try:
        text = content if isinstance(content, str) else content.decode()
        told = json.loads(text, object_pairs_hook=_with_keys_once)
    except (ValueError, RecursionError):
        raise malformed("must be JSON in UTF-8, each key once") from None
    if not isinstance(told, dict) or tuple(sorted(told)) != tuple(sorted(KEYS)):
        raise malformed(f"must have the keys {', '.join(KEYS)} and no others")
    if told["leeward"] != KIND:
        raise malformed(f"must say leeward: {KIND}")
    if told["survey"] != survey.digest:
        raise malformed(f"must be of this survey, whose digest is {survey.digest[:12]}…")
    if not isinstance(told["id"], str) or not ID.fullmatch(told["id"]):
        raise malformed("must have an id of 32 hexadecimal digits")
    stratum = told["stratum"]
    codes = stratum.values() if isinstance(stratum, dict) else ()
    if stratum is not None and not (codes and all(isinstance(code, str) for code in codes)):
        raise malformed("must have a stratum of codes, or null")
    return Report(
        survey.digest,
        told["id"],
        read_stratum(survey, stratum),
        tuple(_given(told["reports"], survey)),
    )


def _with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of a key that stands twice programs disagree which one counts."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key twice")
    return keys


def _given(reports: object, survey: Survey) -> Iterator[tuple[str, Reports]]:
    """The reports on every question in their order, or on the one that was drawn."""
    if not isinstance(reports, list) or not all(
        isinstance(report, dict) and set(report) == {"question", "report"} for report in reports
    ):
        raise malformed("must have reports, each with question and report")
    names = [report["question"] for report in reports]
    every = [question.name for question in survey.questions]
    if names != every if survey.ask == "all" else (len(names) != 1 or names[0] not in every):
        rule = "every question in its order" if survey.ask == "all" else "exactly one question"
        raise malformed(f"must report on {rule}")
    for report in reports:
        yield (
            report["question"],
            survey.question(report["question"]).channel.from_json(report["report"]),
        )


def malformed(rule: str) -> InvalidParameter:
    """The refusal of a file that is no report of the survey; what it holds is not shown."""
    return InvalidParameter(
        "report", rule=rule, value="another content", next_step="Take it out of the reports."
    )


def own_report(
    survey: Survey, draw: Callable[[], Report], today: date | None = None
) -> tuple[Report, bool]:
    """The report of this user, and whether it is new.

    `draw` is called only if the user has none yet, or if the survey asks again on another day.
    Of two calls at once one writes its report, and both return it.
    """
    day = (today or date.today()).isoformat()  # where the person is
    folder = _folder(survey)
    before = list(_kept(folder, survey))
    # A clock that was set back makes no room: later days count as today.
    late = sum(other >= day for other, _ in before)
    if len(before) >= survey.per_person or late >= survey.per_day:
        return before[-1][1], False
    fresh = draw()
    content = json.dumps({"day": day, "report": fresh.as_json(survey)}).encode()
    try:
        with suppress(FileExistsError):  # another call was first
            create_own(folder / f"{len(before) + 1}.json", content)
    except OSError as error:
        raise _unusable(folder, error) from None
    for _, kept in list(_kept(folder, survey))[len(before) :]:
        return kept, kept.id == fresh.id
    raise _unusable(folder, FileNotFoundError())


def _folder(survey: Survey) -> Path:
    """The folder of this survey, which only its owner can open."""
    folder = None
    try:
        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in (SURVEYS, survey.digest):
            require_own(folder)
            folder = folder / part
            folder.mkdir(mode=0o700, exist_ok=True)
        require_own(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        raise _unusable(folder, error) from None
    return folder


def _kept(folder: Path, survey: Survey) -> Iterator[tuple[str, Report]]:
    """The days and reports that are kept; one that cannot be read is no reason to draw again."""
    for number in range(1, survey.per_person + 1):
        path = folder / f"{number}.json"
        try:
            told = json.loads(read_own(path, MOST_BYTES))
            day, report = str(told["day"]), read_report(json.dumps(told["report"]), survey)
            if not DAY.fullmatch(day):
                raise ValueError("no day")
        except FileNotFoundError as error:
            later = range(number + 1, survey.per_person + 1)
            if any(os.path.lexists(folder / f"{other}.json") for other in later):
                raise _unusable(path, error) from None
            return
        except (OSError, ValueError, KeyError, TypeError, LeewardError) as error:
            raise _unusable(path, error) from None
        yield day, report


def _unusable(path: Path | None, error: Exception) -> BadFile:
    reason = getattr(error, "strerror", None) or "not as it was written"
    return BadFile(
        "state folder",
        rule=f"must keep the report for its owner alone ({reason}): a second draw costs ε again",
        value=repr(str(path)) if path else "no home folder",
        next_step="Give the file to its owner alone; XDG_STATE_HOME names another folder.",
    )
