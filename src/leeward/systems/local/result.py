"""Result: how many people gave each answer, estimated from their randomised reports.

Everything here follows from reports that anybody may see, so that it costs nothing more.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from leeward.core.errors import InvalidParameter, shown
from leeward.systems.local.channel import Channel, Counts
from leeward.systems.local.collection import Collection, read_reports
from leeward.systems.local.survey import Question, Stratum, Survey

CONFIDENCE = 90
"""How many of 100 margins hold, where reports are many enough for the normal law."""

QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE / 100) / 2)

DIGITS = 6
"""Decimals of written numbers."""

EVERYONE = "everyone"
NOT_TOLD = "not told"
COLUMNS = (
    *("stratum", "question", "code", "label", "reports", "asked"),
    *("count", "count_margin", "share", "share_margin", "projected"),
)


@dataclass(frozen=True, eq=False)
class QuestionEstimates:
    """The estimates for one question among some people.

    `counts` are unbiased, may be below 0 and have `margins`; `projected` are the nearest shares
    that are not negative and add up to 1. `asked` of the `reports` are on this question; without
    any there are no estimates.
    """

    question: Question
    stratum: Stratum
    everyone: bool
    reports: int
    asked: int
    counts: Counts
    margins: Counts
    projected: Counts

    @property
    def name(self) -> str:
        """The stratum in words."""
        if self.everyone:
            return EVERYONE
        return NOT_TOLD if self.stratum is None else ", ".join(self.stratum)

    def share(self, code: str) -> tuple[float, float]:
        """The estimated share of an answer, and its margin."""
        at = self.question.positions.get(code)
        if at is None or not self.asked:
            raise InvalidParameter(
                "code",
                rule="must be an answer to a question that somebody was asked",
                value=f"{shown(code)}, {self.asked} asked",
                next_step="Look at `question.answers` and at `asked`.",
            )
        return float(self.counts[at]) / self.reports, float(self.margins[at]) / self.reports

    def rows(self) -> Iterator[tuple[str, str, float, float, float, float, float]]:
        """Code, label, count, its margin, share, its margin, projected share of each answer."""
        answers = self.question.answers
        columns = (self.counts.tolist(), self.margins.tolist(), self.projected.tolist())
        for code, label, count, margin, near in zip(
            answers.codes, answers.labels, *columns, strict=self.asked > 0
        ):
            yield code, label, count, margin, count / self.reports, margin / self.reports, near


@dataclass(frozen=True, eq=False)
class Result:
    """What a survey found: for every question a table of everyone, then one for each stratum."""

    survey: Survey
    tables: tuple[QuestionEstimates, ...]

    @property
    def reports(self) -> int:
        """The number of reports that were counted."""
        return self.tables[0].reports

    def table(
        self, question: str | None = None, stratum: Mapping[str, str] | None = None
    ) -> QuestionEstimates:
        """The table of a question, of everyone or of one stratum."""
        wanted = self.survey.questions[0] if question is None else self.survey.question(question)
        for table in (table for table in self.tables if table.question.name == wanted.name):
            of_stratum = self.survey.named(table.stratum) == stratum
            if table.everyone if stratum is None else of_stratum:
                return table
        raise InvalidParameter(
            "stratum",
            rule="must be one that sent reports",
            value="another one",
            next_step="Look at `tables`.",
        )

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "survey": self.survey.name,
            "digest": self.survey.digest,
            "confidence": CONFIDENCE,
            "tables": [self._table(table) for table in self.tables],
        }

    def _table(self, estimates: QuestionEstimates) -> dict[str, Any]:
        keys = ("code", "label", "count", "count_margin", "share", "share_margin", "projected")
        rows = [
            (*row[:2], *(round(number, DIGITS) for number in row[2:])) for row in estimates.rows()
        ]
        return {
            "question": estimates.question.name,
            "everyone": estimates.everyone,
            "stratum": self.survey.named(estimates.stratum),
            "reports": estimates.reports,
            "asked": estimates.asked,
            "answers": [dict(zip(keys, row, strict=True)) for row in rows],
        }

    def to_bytes(self) -> bytes:
        """The one way to write it."""
        return written(self.as_json())

    def __repr__(self) -> str:
        return f"Result({self.survey.name}, {self.reports} reports, {len(self.tables)} tables)"


def aggregate(survey: Survey, reports: Collection | Path | str) -> Result:
    """Estimate how many people gave each answer.

    Parameters
    ----------
    survey
        The survey.
    reports
        What `encode` returns, a folder of report files, or a file with a report on each line.

    Returns
    -------
    Result
        `tables`: unbiased estimates with 90 % margins, and projected shares beside them.

    Raises
    ------
    InvalidParameter
        If the reports are of another survey.
    BadFile
        If a file is no report of this survey, or an id occurs twice.

    Examples
    --------
    >>> found = leeward.systems.local.aggregate(survey, clients)
    >>> share, margin = found.table().share("yes")
    >>> abs(share - 0.3) < 4 * margin
    True
    """
    collection = reports if isinstance(reports, Collection) else read_reports(survey, Path(reports))
    if collection.survey != survey.digest or not collection.total:
        raise InvalidParameter(
            "reports",
            rule="must be of this survey, and at least one",
            value=f"{collection.total} reports of the survey {collection.survey[:12]}…",
            next_step="Give the survey that they were made for.",
        )
    every = sorted(collection.reports, key=lambda one: (one is None, one or ()))
    tables = [_table(question, collection, every, everyone=True) for question in survey.questions]
    if every != [None]:
        tables += [
            _table(question, collection, [stratum], everyone=False)
            for question in survey.questions
            for stratum in every
        ]
    return Result(survey, tuple(tables))


def _table(
    question: Question, collection: Collection, strata: Sequence[Stratum], *, everyone: bool
) -> QuestionEstimates:
    """The estimates for one question among the people of some strata."""
    reports = sum(collection.reports[stratum] for stratum in strata)
    on_it = collection.of(question, strata)
    stratum, asked = None if everyone else strata[0], len(on_it)
    if not asked:
        none: Counts = np.zeros(0)
        return QuestionEstimates(question, stratum, everyone, reports, 0, none, none, none)
    estimates = question.channel.counts(on_it)
    variances = question.channel.variances(on_it, estimates)
    margins = margins_of(estimates, variances, asked, reports)
    counts = estimates * (reports / asked)
    near = project(estimates / asked)
    return QuestionEstimates(question, stratum, everyone, reports, asked, counts, margins, near)


def margins_of(estimates: Counts, variances: Counts, asked: int, reports: int) -> Counts:
    """The margins of counts that are scaled from those who were asked to all who reported.

    A random sample without replacement adds (1 − n/N)·p(1−p)·N/(N−1)/n to the variance of a share:
    nothing where everyone was asked. Few people may all agree by chance: p(1−p) is at least that of
    two more on either side (Agresti and Coull 1998).
    """
    people = np.clip(estimates, 0, asked)
    share, nearer = people / asked, (people + 2) / (asked + 4)
    left_out = (1 - asked / reports) * reports / max(reports - 1, 1)
    added = left_out * np.maximum(share * (1 - share), nearer * (1 - nearer)) / asked
    margins: Counts = QUANTILE * reports * np.sqrt(variances / asked**2 + added)
    return margins


def project(shares: Counts) -> Counts:
    """The nearest point of the simplex, by Euclid's distance.

    The point is max(x − t, 0) with the one t for which it adds up to 1: sorted from above, the
    first r numbers stay positive, and t is their mean excess (Held, Wolfe and Crowder 1974).
    """
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    positive = int(np.flatnonzero(falling > excess)[-1])
    nearest: Counts = np.maximum(shares - excess[positive], 0)
    return nearest


def written(content: Mapping[str, Any]) -> bytes:
    """The content of a result as JSON."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def csv_bytes(content: Mapping[str, Any]) -> bytes:
    """The tables of a result as CSV: a row for each stratum, question and answer."""
    text = StringIO()
    write = csv.writer(text, lineterminator="\n")
    write.writerow(COLUMNS)
    for table in content["tables"]:
        stratum = table["stratum"]
        name = NOT_TOLD if stratum is None else ", ".join(stratum.values())
        before = (EVERYONE if table["everyone"] else name, table["question"])
        for row in table["answers"]:
            numbers = (row[name] for name in COLUMNS[6:])
            write.writerow(
                [*before, row["code"], row["label"], table["reports"], table["asked"], *numbers]
            )
    return text.getvalue().encode()


def expected_error(channel: Channel, people: int) -> float:
    """The standard deviation of the share of a rare answer, before anybody is asked."""
    return sqrt(channel.variance(people, 0)) / people
