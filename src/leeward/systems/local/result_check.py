"""Result check: whether a result folder is what was sealed, and follows from its survey."""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from leeward.publishing.bundle.bundle_files import CERTIFICATE, REPORT, RESULT, has_content
from leeward.publishing.bundle.sealed_folder import UNREADABLE
from leeward.publishing.bundle.statements import (
    is_written,
    json_parts,
)
from leeward.systems.local.channel import Channel, Supported
from leeward.systems.local.response import read_stratum
from leeward.systems.local.result import CONFIDENCE, DIGITS, csv_bytes, margins_of, project, written
from leeward.systems.local.result_folder import CSV, SURVEY, SurveyCertificate, certify
from leeward.systems.local.result_page import page
from leeward.systems.local.survey import Survey, canonical_json, survey_of

ANSWER_BYTES = 1000
"""Bytes of the numbers of an answer, and of what surrounds the answers of a table, at most."""

ROUNDING = 5 * 10**-DIGITS
SLACK = 1e-4
"""What written numbers, which are rounded, may differ by; margins in proportion too."""


def result_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a result folder, in plain words; none if it is sound."""
    try:
        return SURVEY.findings(folder) or tuple(_contents(folder, SURVEY.read(folder)))
    except OSError:
        return ("the folder cannot be read",)


def _contents(folder: Path, certificate: SurveyCertificate) -> Iterator[str]:
    """Contents of unchanged files, since checksums can be recomputed after a change."""
    try:
        survey = survey_of(certificate.survey)
        if survey.digest != certificate.digest or survey.canonical != canonical_json(
            certificate.survey
        ):
            yield "its survey does not have the digest or the thresholds that follow from it"
            return
        # A table of each question for everyone and each stratum.
        questions = [question.as_json() for question in survey.questions]
        answers = sum(len(question["answers"]) for question in questions)
        each = len(written({"asked": questions})) + ANSWER_BYTES * (answers + len(questions))
        most = each * (1 + len(certificate.strata)) + len(certificate.to_json()) * len(questions)
        if (folder / RESULT).stat().st_size > most + ANSWER_BYTES:
            yield f"{RESULT} is larger than its survey can need"
            return
        content = (folder / RESULT).read_bytes()
        result = json.loads(content)
        if not is_written(json_parts(result), content):
            yield f"{RESULT} is not written as `leeward local aggregate` writes it"
            return
        yield from _result(folder, survey, result)
        yield from _statements(folder, survey, result, certificate)
    except UNREADABLE:
        yield f"{RESULT} or the survey in {CERTIFICATE} cannot be read"


def _result(folder: Path, survey: Survey, result: Mapping[str, Any]) -> Iterator[str]:
    if (result["survey"], result["digest"]) != (survey.name, survey.digest):
        yield f"{RESULT} is of another survey"
    if result["confidence"] != CONFIDENCE:
        yield f"{RESULT} has margins of another confidence than {CONFIDENCE}"
    if not has_content(folder / CSV, csv_bytes(result)):
        yield f"{CSV} does not agree with {RESULT}"
    if not _adds_up(survey, result["tables"]):
        yield f"{RESULT} has strata or questions whose numbers of reports do not add up"
        return
    for table in result["tables"]:
        answers, name = table["answers"], f"a table of {table['question']} in {RESULT}"
        question = survey.question(table["question"])
        listed = question.as_json()["answers"] if table["asked"] else []
        if [{key: answer[key] for key in ("code", "label")} for answer in answers] != listed:
            yield f"{name} has other answers than the survey"
        elif not all(isclose(*pair, rel_tol=0, abs_tol=ROUNDING) for pair in _shares(table)):
            yield f"{name} has shares that do not follow from its counts"
        elif table["asked"]:
            yield from (f"{name} has {wrong}" for wrong in _impossible(question.channel, table))


def _adds_up(survey: Survey, tables: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every stratum has a table for each question, and all add up to everyone."""
    names = [question.name for question in survey.questions]
    every, parts = tables[: len(names)], tables[len(names) :]
    strata = [part["stratum"] for part in parts[: len(parts) // len(names)]]
    known = [read_stratum(survey, stratum) for stratum in strata]
    order = [(True, name, None) for name in names]
    order += [(False, name, stratum) for name in names for stratum in strata]
    numbers = [(table["reports"], table["asked"]) for table in tables]
    return (
        [(table["everyone"], table["question"], table["stratum"]) for table in tables] == order
        and [survey.named(stratum) for stratum in known] == strata
        and len(set(known)) == len(known)
        and all(type(number) is int and number >= 0 for pair in numbers for number in pair)
        and all(_asked(survey, tables, place) for place in (None, *strata))
        and (not parts or all(_sums(parts, one) == _sums([one], one) for one in every))
    )


def _asked(
    survey: Survey, tables: Sequence[Mapping[str, Any]], stratum: dict[str, str] | None
) -> bool:
    """Whether all who reported were asked every question, or one."""
    for everyone in (True, False):
        group = [
            table
            for table in tables
            if table["everyone"] is everyone and table["stratum"] == stratum
        ]
        reports, asked = {entry["reports"] for entry in group}, [entry["asked"] for entry in group]
        due = {sum(asked)} if survey.ask == "one" else set(asked)
        if group and (reports != due or 0 in reports):
            return False
    return True


def _sums(tables: Sequence[Mapping[str, Any]], like: Mapping[str, Any]) -> tuple[int, int]:
    """Reports and people asked, of all tables of a question."""
    same = [table for table in tables if table["question"] == like["question"]]
    return sum(entry["reports"] for entry in same), sum(entry["asked"] for entry in same)


def _impossible(channel: Channel, table: Mapping[str, Any]) -> Iterator[str]:
    """What no reports give: counts beyond those of the extreme ones, margins of other counts."""
    asked, reports = table["asked"], table["reports"]
    counts, margins = (
        np.array([answer[key] for answer in table["answers"]]) for key in ("count", "count_margin")
    )
    estimates = counts * (asked / reports)
    reach = np.array([-1.0, 1.0]) * asked * channel.most_moved
    if isinstance(channel, Supported):
        reach = channel.support.estimates(np.array([0, asked]), asked)
    if (estimates < reach[0] - ROUNDING).any() or (estimates > reach[1] + ROUNDING).any():
        yield "counts that no reports give"
    least, most = (
        margins_of(estimates, variances, asked, reports)
        for variances in channel.variance_range(asked, estimates)
    )
    if (margins < least * (1 - SLACK) - ROUNDING).any() or (
        margins > most * (1 + SLACK) + ROUNDING
    ).any():
        yield "margins that do not follow from its counts"


def _shares(table: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """Pairs of numbers that must agree: shares with counts, projected ones with shares."""
    answers, reports = table["answers"], table["reports"]
    shares = np.array([answer["share"] for answer in answers])
    nearest = project(shares) if answers else shares
    for answer, near in zip(answers, nearest.tolist(), strict=True):
        yield answer["count"] / reports, answer["share"]
        yield answer["count_margin"] / reports, answer["share_margin"]
        yield near, answer["projected"]


def _statements(
    folder: Path, survey: Survey, result: Mapping[str, Any], certificate: SurveyCertificate
) -> Iterator[str]:
    """What the certificate says of a result; words are compared where this version wrote them."""
    follows = certify(survey, result, certificate.name, certificate.created)
    facts = ("reports", "strata", "questions")
    if any(getattr(follows, fact) != getattr(certificate, fact) for fact in facts):
        yield f"{CERTIFICATE} has other numbers of reports than {RESULT}"
    if not certificate.same_program:
        return
    if (follows.guarantee, follows.notes) != (certificate.guarantee, certificate.notes):
        yield f"{CERTIFICATE} promises something else than its survey"
    if not has_content(folder / REPORT, page(follows, result).encode()):
        yield f"{REPORT} is not what the result says"
