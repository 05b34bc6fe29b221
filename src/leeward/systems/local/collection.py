"""Collection: the reports of many people, by stratum and question, ready to be counted.

They come from files that people sent, or from arrays of clients in one process.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.errors import BadFile, InvalidParameter, LeewardError, raise_all, shown
from leeward.core.randomness import SecretBits
from leeward.systems.local.channel import read_answers
from leeward.systems.local.response import MOST_BYTES, read_report, read_stratum
from leeward.systems.local.survey import Question, Stratum, Survey
from leeward.systems.local.word_draws import Answers, Reports, below

Columns: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""The answers of clients to one question, or to each question by its name."""

MOST_PROBLEMS = 20
"""Refused reports that are listed; of more, their number."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Reports of one survey: how many each stratum sent, and those on each question."""

    survey: str
    reports: Mapping[Stratum, int]
    held: Mapping[tuple[Stratum, str], Reports]

    @property
    def total(self) -> int:
        """All reports."""
        return sum(self.reports.values())

    def of(self, question: Question, strata: Sequence[Stratum]) -> Reports:
        """The reports on a question from some strata."""
        keys = ((stratum, question.name) for stratum in strata)
        reports = [self.held[key] for key in keys if key in self.held]
        if reports:
            return np.concatenate(reports)
        return question.channel.encode(np.array([], dtype=np.int64), SecretBits())


def encode(
    survey: Survey, answers: Columns, *, strata: Mapping[str, Sequence[str]] | None = None
) -> Collection:
    """Randomise the answers of many clients in this process, to plan or to simulate a survey.

    Parameters
    ----------
    survey
        The survey.
    answers
        One answer for each client: codes as text, or their numbers from 0. Of several questions a
        mapping of names to such columns.
    strata
        A column of codes for each stratum attribute.

    Returns
    -------
    Collection
        One report for each client. The answers are not in it.

    Raises
    ------
    InvalidParameter
        If an answer is not in the list. The message shows no answer.

    Examples
    --------
    >>> clients = leeward.systems.local.encode(survey, ["yes"] * 300 + ["no"] * 700)
    >>> clients.total
    1000
    """
    columns = _columns(survey, answers)
    count = len(columns[survey.questions[0].name])
    groups = _groups(survey, strata, count)
    bits = SecretBits()
    drawn = below(len(survey.questions), count, bits) if survey.ask == "one" else None
    reports = {}
    for stratum, rows in groups.items():
        for at, question in enumerate(survey.questions):
            clients = rows if drawn is None else rows[drawn[rows] == at]
            answered = columns[question.name][clients]
            reports[stratum, question.name] = question.channel.encode(answered, bits)
    return Collection(survey.digest, {key: len(rows) for key, rows in groups.items()}, reports)


def _columns(survey: Survey, answers: Columns) -> dict[str, Answers]:
    """A column of numbers for each question, all of one length."""
    if not isinstance(answers, Mapping):
        answers = {survey.questions[0].name: answers}
    names = [question.name for question in survey.questions]
    if set(answers) != set(names):
        raise _wrong_answers(f"must have a column for each of {', '.join(names)}")
    columns = {}
    for question in survey.questions:
        given = np.asarray(answers[question.name])
        if given.dtype.kind in "OUS" and given.ndim == 1:
            positions = [question.positions.get(str(code), -1) for code in given]
            given = np.array(positions, dtype=np.int64)
            if (given < 0).any():
                raise _wrong_answers("must be codes of the survey's list")
        columns[question.name] = read_answers(given, question.channel.domain)
    if len({len(column) for column in columns.values()}) > 1:
        raise _wrong_answers("must have columns of one length")
    return columns


def _wrong_answers(rule: str) -> InvalidParameter:
    return InvalidParameter(
        "answers", rule=rule, value="others (not shown)", next_step="Look at the survey's answers."
    )


def _groups(
    survey: Survey, strata: Mapping[str, Sequence[str]] | None, count: int
) -> dict[Stratum, Answers]:
    """The rows of the clients of each stratum."""
    if not strata:
        return {None: np.arange(count)}
    rows = defaultdict(list)
    for at, codes in enumerate(zip(*strata.values(), strict=True)):
        rows[codes].append(at)
    if sum(map(len, rows.values())) != count:
        raise _wrong_answers("must have as many rows as the strata")
    return {
        read_stratum(survey, dict(zip(strata, codes, strict=True))): np.array(row)
        for codes, row in rows.items()
    }


def read_reports(survey: Survey, source: Path) -> Collection:
    """The reports of a folder of files, or of one file with a report on each line.

    A foreign survey, an id that occurs twice and anything that is no report are refused: left out
    silently, they would let somebody choose what is counted.
    """
    sent: dict[Stratum, int] = defaultdict(int)
    held: dict[tuple[Stratum, str], list[Reports]] = defaultdict(list)
    problems: list[LeewardError] = []
    seen: dict[str, str] = {}
    for name, content in _contents(source):
        try:
            report = read_report(content, survey)
        except InvalidParameter as refusal:
            problems.append(_in_file(shown(name), refusal.rule))
            continue
        other = seen.setdefault(report.id, name)
        if other != name:
            rule = f"must have an id of its own, not that of {shown(other)}"
            problems.append(_in_file(shown(name), rule))
            continue
        sent[report.stratum] += 1
        for question, answer in report.given:
            held[report.stratum, question].append(answer)
    more = len(problems) - MOST_PROBLEMS
    if more > 0:
        rest = _in_file(f"{more} more", "must be reports of this survey, each with its own id")
        problems = [*problems[:MOST_PROBLEMS], rest]
    raise_all(problems)
    if not sent:
        raise _unreadable(source, "must hold at least one report")
    return Collection(
        survey.digest, dict(sent), {key: np.stack(rows) for key, rows in held.items()}
    )


def _contents(source: Path) -> Iterator[tuple[str, bytes]]:
    """Every report with the name of its file, or of its line."""
    try:
        if source.is_dir():
            for entry in sorted(os.scandir(source), key=lambda one: one.name):
                if not entry.is_file(follow_symlinks=False) or not entry.name.endswith(".json"):
                    raise _unreadable(source / entry.name, "must be a file NAME.json, as all here")
                if entry.stat().st_size > MOST_BYTES:
                    raise _unreadable(source / entry.name, "must not be so large")
                yield entry.name, Path(entry.path).read_bytes()
            return
        with source.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                yield f"{source.name}:{number}", line
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise _unreadable(
            source, f"must be a folder of reports or a file of lines ({reason})"
        ) from None


def _unreadable(path: Path, rule: str) -> BadFile:
    return BadFile(
        "reports", rule=rule, value=repr(str(path)), next_step="Look at the reports again."
    )


def _in_file(value: str, rule: str) -> BadFile:
    return BadFile("reports", rule=rule, value=value, next_step="Take it out, and say so.")
