"""Survey: what is asked, how answers are randomised, and how often one person reports.

The digest is over everything that decides the law of a report and its meaning: a survey with
another word or another threshold is another survey, whose reports do not mix with these.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from leeward.core.codebook.code_list import CodeList, read_codes
from leeward.core.codebook.declaration import NAME
from leeward.core.codebook.yaml_document import Written, as_document, one_of, parse, read_document
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.core.privacy.local_privacy import LocalEpsilon, local_sentences
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME
from leeward.systems.local.channel import Channel
from leeward.systems.local.channel_choice import AUTO, channel

PARAMETER = "survey"
ASK = ("all", "one")
MOST_REPORTS = 1000
"""Maximum number of reports of one person."""

LONGEST_TEXT = 2000
"""Maximum length of a question or a label in characters."""

WORKPLACES = re.compile(
    r"(work_?places?|(work_?)?sites?|employers?|establishments?|firms?|compan(y|ies)|business(es)?|plants?"
    r"|(work_?)?shops?|branch(es)?|stores?|offices?|factor(y|ies)|departments?)"
    r"(_?(id|name|code|number|no))?"
)
"""Names of strata that mean an employer: its number of reports would be public."""

Stratum: TypeAlias = tuple[str, ...] | None
"""A code of every stratum attribute; None for people who do not tell theirs."""


WrittenAnswers = Annotated[
    list[str | dict[str, str]] | dict[str, str] | None,
    one_of("must be a list of codes, of codes with labels, or a mapping of codes to labels"),
]


class WrittenQuestion(Written):
    """A question as it is written; its answers in place, or in a CSV file of codes and labels."""

    name: str
    question: str
    answers: WrittenAnswers = None
    codes: str | None = None


class WrittenLimits(Written):
    """How many reports one person makes in all, and on one day."""

    per_person: str = "1"
    per_day: str = "1"


class WrittenSurvey(Written):
    """A survey as it is written: one question at the top, or several in a list."""

    name: str
    question: str | None = None
    answers: WrittenAnswers = None
    codes: str | None = None
    questions: tuple[WrittenQuestion, ...] = ()
    ask: Literal["all", "one"] = "all"
    epsilon: str
    method: str = AUTO
    strata: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    limits: WrittenLimits = WrittenLimits()


@dataclass(frozen=True)
class Question:
    """A question with its list of answers and the channel that randomises them."""

    name: str
    text: str
    answers: CodeList
    channel: Channel

    def __post_init__(self) -> None:
        where = f"{PARAMETER}.questions.{self.name}"
        _check_text(self.text, where)
        for label in self.answers.labels:
            _check_text(label, f"{where}.answers")

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The number of each code."""
        return {code: at for at, code in enumerate(self.answers.codes)}

    def as_json(self) -> dict[str, Any]:
        """Words, answers and law."""
        return {
            "name": self.name,
            "question": self.text,
            "answers": [
                {"code": code, "label": label}
                for code, label in zip(self.answers.codes, self.answers.labels, strict=True)
            ],
            "method": self.channel.name,
            "law": self.channel.public(),
        }


@dataclass(frozen=True)
class Survey:
    """A whole survey, valid at birth.

    Parameters
    ----------
    name
        Letters, digits, '.', '_' and '-'.
    epsilon
        The loss of one randomised answer.
    questions
        Questions, each with its channel.
    ask
        `all`: every person answers all questions, and losses add up. `one`: one question is drawn
        for each person.
    strata
        Public attributes of people with their codes; never a workplace.
    per_person, per_day
        How many reports one person makes in all, and on one day.
    """

    name: str
    epsilon: LocalEpsilon
    questions: tuple[Question, ...]
    ask: Literal["all", "one"] = "all"
    strata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    per_person: int = 1
    per_day: int = 1

    def __post_init__(self) -> None:
        raise_all(self._wrong())

    def _wrong(self) -> Iterator[LeewardError]:
        if not re.fullmatch(BUNDLE_NAME, self.name):
            rule = "must be letters, digits, '.', '_' and '-', at most 100"
            yield _refused("name", rule, shown(self.name), "Choose another name.")
        names = [question.name for question in self.questions]
        if not names or len(set(names)) < len(names):
            rule = "must be at least one question, each with a name of its own"
            yield _refused("questions", rule, f"{len(names)} questions", "Name each one otherwise.")
        if self.ask not in ASK:
            where = f"{PARAMETER}.ask"
            yield InvalidParameter.unknown(where, self.ask, ASK, next_step="Write all.")
        for name, codes in self.strata.items():
            where = f"strata.{name}"
            if not re.fullmatch(NAME, name):
                rule = "must be named by letters, digits and '_'"
                yield _refused(where, rule, shown(name), "Choose another name.")
            if WORKPLACES.fullmatch(name.lower()):
                rule = "must be a public attribute of people, never a workplace: the number of "
                rule += "reports of each stratum is public, and employers are not protected"
                yield _refused(where, rule, shown(name), "Ask for a region or a trade instead.")
            if not codes or len(set(codes)) < len(codes) or not all(map(_is_plain, codes)):
                rule = "must list its codes, each once"
                yield _refused(where, rule, f"{len(codes)} codes", "Mend the list.")
        if not 1 <= self.per_day <= self.per_person <= MOST_REPORTS:
            yield _refused(
                "limits",
                f"must be 1 ≤ per_day ≤ per_person ≤ {MOST_REPORTS}",
                f"per_day {self.per_day}, per_person {self.per_person}",
                "A survey that asks once has 1 and 1.",
            )

    @property
    def draws(self) -> int:
        """How many randomised answers one person gives at most: losses of this many add up."""
        return self.per_person * (len(self.questions) if self.ask == "all" else 1)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The promise to one person."""
        return tuple(sentence.text for sentence in local_sentences(self.epsilon, self.draws))

    def question(self, name: str) -> Question:
        """The question of this name."""
        questions = {question.name: question for question in self.questions}
        if name not in questions:
            rule = f"must be a question of the survey: {', '.join(questions)}"
            raise InvalidParameter("question", rule=rule, value=shown(name), next_step="Name one.")
        return questions[name]

    def named(self, stratum: Stratum) -> dict[str, str] | None:
        """A stratum with the names of its attributes."""
        return None if stratum is None else dict(zip(self.strata, stratum, strict=True))

    def as_json(self) -> dict[str, Any]:
        """Everything that decides law and meaning."""
        return {
            "name": self.name,
            "epsilon": self.epsilon.text,
            "ask": self.ask,
            "questions": [question.as_json() for question in self.questions],
            "strata": [{"name": name, "codes": list(codes)} for name, codes in self.strata.items()],
            "limits": {"per_person": self.per_person, "per_day": self.per_day},
        }

    @cached_property
    def canonical(self) -> str:
        """The one way to write it: JSON in ASCII, keys sorted, no blanks."""
        return canonical_json(self.as_json())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON, in hexadecimal digits."""
        return sha256(self.canonical.encode()).hexdigest()


def survey_of(content: Mapping[str, Any]) -> Survey:
    """The survey of such JSON; its channels are made anew from method, answers and ε."""
    epsilon = LocalEpsilon.read(content["epsilon"])
    questions = [
        Question(
            entry["name"],
            entry["question"],
            CodeList(
                tuple(answer["code"] for answer in entry["answers"]),
                tuple(answer["label"] for answer in entry["answers"]),
            ),
            channel(entry["method"], len(entry["answers"]), epsilon),
        )
        for entry in content["questions"]
    ]
    strata = {stratum["name"]: tuple(stratum["codes"]) for stratum in content["strata"]}
    limits = content["limits"]
    ask, often = content["ask"], (limits["per_person"], limits["per_day"])
    return Survey(content["name"], epsilon, tuple(questions), ask, strata, *often)


def canonical_json(content: object) -> str:
    """JSON in ASCII with sorted keys and no blanks."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def read_survey(source: Path | str | Mapping[str, object]) -> Survey:
    """A survey of a YAML file or of a mapping; everything that is wrong is refused at once.

    Parameters
    ----------
    source
        The path of a `survey.yaml`, or its content as a mapping.

    Returns
    -------
    Survey
        The survey with its `digest`.

    Raises
    ------
    InvalidParameter
        If a key, a code or a number cannot be used.
    BadFile
        If a file cannot be read.

    Examples
    --------
    >>> pay = leeward.systems.local.read_survey({"name": "pay", "question": "Paid on time?",
    ...                                  "answers": ["yes", "no"], "epsilon": "ln 3"})
    >>> pay.questions[0].channel.domain
    2
    """
    if isinstance(source, Mapping):
        return _survey(as_document(source), Path())
    path = Path(source)
    return _survey(read_document(path, PARAMETER), path.parent)


def _survey(content: Mapping[str, object], folder: Path) -> Survey:
    written, problems = parse(WrittenSurvey, content, PARAMETER)
    if written is None:
        raise_all(problems)
        raise AssertionError("what cannot be parsed has problems")
    return Survey(
        name=written.name,
        epsilon=LocalEpsilon.read(written.epsilon, f"{PARAMETER}.epsilon"),
        questions=tuple(_question(question, written, folder) for question in _questions(written)),
        ask=written.ask,
        strata=written.strata,
        per_person=_whole(written.limits.per_person, "limits.per_person"),
        per_day=_whole(written.limits.per_day, "limits.per_day"),
    )


def _questions(written: WrittenSurvey) -> tuple[WrittenQuestion, ...]:
    """The questions of the list, or the one at the top, which has the name of the survey."""
    at_top = {"question", "answers", "codes"} & written.model_fields_set
    if written.questions and at_top:
        rule = f"must not stand beside questions, which have their own: {', '.join(sorted(at_top))}"
        raise _refused("questions", rule, f"{len(written.questions)} questions", "Keep one way.")
    if written.questions:
        for question in written.questions:
            if not re.fullmatch(NAME, question.name):
                rule = "must be named by letters, digits and '_'"
                raise _refused("questions.name", rule, shown(question.name), "Choose another name.")
        return written.questions
    if written.question is None:
        raise InvalidParameter.missing(f"{PARAMETER}.question")
    name, text, answers = written.name, written.question, written.answers
    return (WrittenQuestion(name=name, question=text, answers=answers, codes=written.codes),)


def _question(question: WrittenQuestion, survey: WrittenSurvey, folder: Path) -> Question:
    within = "" if question.name == survey.name else f".{question.name}"
    where = f"{PARAMETER}{within}.answers"
    if (question.answers is None) is (question.codes is None):
        rule = "must be answers, or codes with the name of a CSV file, one of the two"
        value = "neither" if question.answers is None else "both"
        raise InvalidParameter(where, rule=rule, value=value, next_step="Write answers: [yes, no].")
    listed = read_codes(question.codes or _listed(question.answers or []), folder, where)
    law = channel(survey.method, len(listed.codes), survey.epsilon)
    return Question(question.name, question.question, listed, law)


def _listed(answers: list[str | dict[str, str]] | dict[str, str]) -> list[str] | dict[str, str]:
    """A list with labels as one mapping; a list of plain codes stays one, so that twins show."""
    if isinstance(answers, dict):
        return answers
    plain = [answer for answer in answers if isinstance(answer, str)]
    if len(plain) == len(answers):
        return plain
    each = ({answer: answer} if isinstance(answer, str) else answer for answer in answers)
    pairs = [pair for labels in each for pair in labels.items()]
    if len(dict(pairs)) < len(pairs):
        raise _refused("answers", "must list each code once", "a code twice", "Mend the list.")
    return dict(pairs)


def _whole(written: str, key: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", written):
        rule = f"must be a whole number from 1 to {MOST_REPORTS}"
        raise _refused(key, rule, shown(written), "Write 1, or leave it out.")
    return int(written)


def _is_plain(text: str) -> bool:
    return bool(text) and len(text) <= LONGEST_TEXT and text.isprintable()


def _check_text(text: str, where: str) -> None:
    if not _is_plain(text):
        rule = f"must be 1 to {LONGEST_TEXT} printable characters on one line"
        raise InvalidParameter(where, rule=rule, value=shown(text), next_step="Change the text.")


def _refused(key: str, rule: str, value: str, next_step: str) -> InvalidParameter:
    return InvalidParameter(f"{PARAMETER}.{key}", rule=rule, value=value, next_step=next_step)
