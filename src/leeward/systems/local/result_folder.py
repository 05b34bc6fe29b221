"""Result folder: estimates, certificate, page and checksums, and whether they are what was sealed.

It needs no ledger: what a person loses was decided when the person's report was drawn.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from math import isclose
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from leeward.core.errors import LeewardError, shown
from leeward.core.show.numbers import significant
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    CHECKSUMS,
    REPORT,
    RESULT,
    checksum_list,
    has_content,
    sha256,
)
from leeward.publishing.bundle.certificate import BundleName, Time
from leeward.publishing.bundle.disk import appearing, flush, write_file
from leeward.publishing.bundle.first_look import MOST_PARTS, first_wrong_line
from leeward.publishing.bundle.reader import BYTES_PER_PART, CERTIFICATE_BYTES
from leeward.publishing.bundle.software import other_version
from leeward.publishing.bundle.statements import (
    Count,
    FileStatement,
    Listed,
    Prose,
    Sha256,
    Statement,
    Text,
    is_written,
    json_parts,
)
from leeward.publishing.bundle.writer import require_free
from leeward.systems.local.channel import Channel, Supported
from leeward.systems.local.response import read_stratum
from leeward.systems.local.result import (
    CONFIDENCE,
    DIGITS,
    Result,
    csv_bytes,
    margins_of,
    project,
    written,
)
from leeward.systems.local.result_page import page
from leeward.systems.local.survey import Survey, canonical_json, survey_of

CSV = "result.csv"
SEALED = (RESULT, CSV, REPORT)
MOST_BYTES = 1 << 30
ANSWER_BYTES = 1000
"""Bytes of the numbers of an answer, and of what surrounds the answers of a table, at most."""

ROUNDING = 5 * 10**-DIGITS
SLACK = 1e-4
"""What written numbers, which are rounded, may differ by; margins in proportion too."""


UNREADABLE = (
    *(LeewardError, ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError),
)
"""What forged contents may raise."""


class LocalGuarantee(Statement):
    """The loss of one answer, and of all that one person may send."""

    policy: Literal["local"]
    epsilon: Text
    answers: Count
    in_all: Text
    sentences: Listed[Prose]


class AskedQuestion(Statement):
    """How many were asked a question, and by how much a false one moves an estimated count."""

    name: Text
    method: Text
    asked: Count
    most_moved: Annotated[float, Field(ge=0)]


class StratumReports(Statement):
    """The public number of reports of a stratum; null for people who did not tell theirs."""

    stratum: dict[str, str] | None
    reports: Count


class SurveyCertificate(Statement):
    """What the folder says about itself; `survey` has the exact thresholds of every draw."""

    kind: Literal["survey"]
    format: Literal[1]
    name: BundleName
    leeward: Text
    created: Time
    digest: Sha256
    survey: dict[str, Any]
    guarantee: LocalGuarantee
    reports: Count
    strata: Listed[StratumReports]
    questions: Listed[AskedQuestion]
    notes: Listed[Prose]
    files: dict[str, FileStatement]

    def to_bytes(self) -> bytes:
        """The one way to write it."""
        return b"".join(self.written())

    def written(self) -> Iterator[bytes]:
        """The same in small parts."""
        return json_parts(self.model_dump(mode="json"))


def certify(survey: Survey, found: Mapping[str, Any], name: str, created: str) -> SurveyCertificate:
    """The certificate of a result, without the checksums of its files."""
    every = [one for one in found["tables"] if one["everyone"]]
    parts = [one for one in found["tables"] if not one["everyone"]]
    first = survey.questions[0].name
    strata = [one for one in parts or every if one["question"] == first]
    questions = [
        AskedQuestion(
            name=one["question"],
            method=survey.question(one["question"]).channel.name,
            asked=one["asked"],
            most_moved=_most_moved(survey, one),
        )
        for one in every
    ]
    return SurveyCertificate(
        kind="survey",
        format=1,
        name=name,
        leeward=version("leeward"),
        created=created,
        digest=survey.digest,
        survey=survey.as_json(),
        guarantee=LocalGuarantee(
            policy="local",
            epsilon=survey.epsilon.text,
            answers=survey.draws,
            in_all=survey.epsilon.times(survey.draws).text,
            sentences=survey.sentences,
        ),
        reports=every[0]["reports"],
        strata=tuple(
            StratumReports(stratum=one["stratum"], reports=one["reports"]) for one in strata
        ),
        questions=tuple(questions),
        notes=tuple(_notes(survey, questions)),
        files={},
    )


def _most_moved(survey: Survey, table: Mapping[str, Any]) -> float:
    """What one false report moves: of a question that some were asked, in proportion more."""
    moved = survey.question(table["question"]).channel.most_moved
    scale: float = table["reports"] / max(table["asked"], 1)
    return round(moved * scale, DIGITS)


def _notes(survey: Survey, questions: list[AskedQuestion]) -> Iterator[str]:
    moved = max(one.most_moved for one in questions)
    yield (
        "Nobody can tell a false report from a true one. One false report moves an estimated "
        f"count by up to {significant(moved)}, and nothing limits how many somebody sends but "
        "what the collector checks."
    )
    yield (
        f"Margins hold in {CONFIDENCE} of 100 cases, by the normal law from the variance of the "
        "randomisation at the estimate. They speak of the people who reported and not of "
        "those who did not."
    )
    yield (
        "Counts and shares are unbiased and may be below 0. Projected shares are the nearest that "
        "are not negative and add up to 1: they are easier to read, and biased for rare answers."
    )
    if survey.ask == "one" and len(survey.questions) > 1:
        yield (
            "Each person was asked one question, drawn by chance. Counts are scaled from those who "
            "were asked to all who reported; margins allow for that."
        )
    if survey.per_person > 1:
        yield (
            f"One person may have sent up to {survey.per_person} reports: counts are of reports, "
            "not of people."
        )


def write_result(result: Result, target: Path) -> SurveyCertificate:
    """A new folder with everything, which appears complete or not at all."""
    require_free(target)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    found = result.as_json()
    certificate = certify(result.survey, found, target.name, created)
    contents = {
        RESULT: result.to_bytes(),
        CSV: csv_bytes(found),
        REPORT: page(certificate, found).encode(),
    }
    with appearing(target) as folder:
        for name, content in contents.items():
            write_file(folder / name, content)
        stamps = {
            name: FileStatement(sha256=sha256(folder / name), bytes=len(content))
            for name, content in contents.items()
        }
        sealed = certificate.model_copy(update={"files": stamps})
        write_file(folder / CERTIFICATE, sealed.to_bytes())
        sums = {name: sha256(folder / name) for name in (*SEALED, CERTIFICATE)}
        write_file(folder / CHECKSUMS, checksum_list(sums))
        for name in (*sums, CHECKSUMS):
            flush(folder / name)
    return sealed


def result_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a result folder, in plain words; none if it is sound."""
    try:
        return tuple(_findings(folder))
    except OSError:
        return ("the folder cannot be read",)


def _findings(folder: Path) -> Iterator[str]:
    expected = {*SEALED, CERTIFICATE, CHECKSUMS}
    entries = {one.name: one for one in os.scandir(folder)}
    yield from (f"{name} is missing" for name in sorted(expected - set(entries)))
    yield from (f"{shown(name)} does not belong there" for name in sorted(set(entries) - expected))
    if set(entries) != expected:
        return
    strange = [name for name, one in entries.items() if not one.is_file(follow_symlinks=False)]
    large = [name for name, one in entries.items() if one.stat().st_size > MOST_BYTES]
    if strange or large:
        yield f"{sorted(strange + large)[0]} is no plain file, or too large"
        return
    certificate = _read_certificate(folder)
    if certificate is None:
        yield f"{CERTIFICATE} is not what `leeward local aggregate` writes"
        return
    changed = list(_changed(folder, certificate))
    yield from changed
    if not changed:
        yield from _contents(folder, certificate)


def _read_certificate(folder: Path) -> SurveyCertificate | None:
    """The certificate; None if the file is not one, or is larger than its answers can need."""
    path, answers = folder / CERTIFICATE, (folder / RESULT).stat().st_size
    schema, parts = SurveyCertificate.model_json_schema(), MOST_PARTS + answers // BYTES_PER_PART
    if path.stat().st_size > max(CERTIFICATE_BYTES, answers) or first_wrong_line(
        path, schema, parts
    ):
        return None
    content = path.read_bytes()
    try:
        found = SurveyCertificate.model_validate_json(content)
        return found if is_written(found.written(), content) else None
    except (ValueError, RecursionError):  # among them ValidationError
        return None


def result_not_compared(folder: Path) -> str | None:
    """What this version cannot compare of a sound result; None where that is nothing."""
    certificate = _read_certificate(folder)
    if certificate is None or certificate.leeward == version("leeward"):
        return None
    return other_version(certificate.leeward, f"sentences and {REPORT}")


def _changed(folder: Path, certificate: SurveyCertificate) -> Iterator[str]:
    sums = {name: sha256(folder / name) for name in (*SEALED, CERTIFICATE)}
    if not has_content(folder / CHECKSUMS, checksum_list(sums)):
        yield f"{CHECKSUMS} does not list the files as they are"
    stamps = {name: one.sha256 for name, one in certificate.files.items()}
    for name in SEALED:
        if stamps.get(name) != sums[name]:
            yield f"{name} is not the file that was published"


def _contents(folder: Path, certificate: SurveyCertificate) -> Iterator[str]:
    """Contents of unchanged files, since checksums can be recomputed after a change."""
    try:
        survey = survey_of(certificate.survey)
        if survey.digest != certificate.digest or survey.canonical != canonical_json(
            certificate.survey
        ):
            yield "its survey does not have the digest or the thresholds that follow from it"
            return
        if (folder / RESULT).stat().st_size > _most_bytes(survey, certificate):
            yield f"{RESULT} is larger than its survey can need"
            return
        content = (folder / RESULT).read_bytes()
        found = json.loads(content)
        if not is_written(json_parts(found), content):
            yield f"{RESULT} is not written as `leeward local aggregate` writes it"
            return
        yield from _result(folder, survey, found)
        yield from _statements(folder, survey, found, certificate)
    except UNREADABLE:
        yield f"{RESULT} or the survey in {CERTIFICATE} cannot be read"


def _most_bytes(survey: Survey, certificate: SurveyCertificate) -> int:
    """How large the estimates may be: a table of each question for everyone and each stratum."""
    asked = [question.as_json() for question in survey.questions]
    answers = sum(len(one["answers"]) for one in asked)
    each = len(written({"asked": asked})) + ANSWER_BYTES * (answers + len(asked))
    strata = len(certificate.to_bytes()) * len(asked)
    return each * (1 + len(certificate.strata)) + strata + ANSWER_BYTES


def _result(folder: Path, survey: Survey, found: Mapping[str, Any]) -> Iterator[str]:
    if (found["survey"], found["digest"]) != (survey.name, survey.digest):
        yield f"{RESULT} is of another survey"
    if found["confidence"] != CONFIDENCE:
        yield f"{RESULT} has margins of another confidence than {CONFIDENCE}"
    if not has_content(folder / CSV, csv_bytes(found)):
        yield f"{CSV} does not agree with {RESULT}"
    if not _adds_up(survey, found["tables"]):
        yield f"{RESULT} has strata or questions whose numbers of reports do not add up"
        return
    for table in found["tables"]:
        answers, name = table["answers"], f"a table of {table['question']} in {RESULT}"
        question = survey.question(table["question"])
        listed = question.as_json()["answers"] if table["asked"] else []
        if [{key: one[key] for key in ("code", "label")} for one in answers] != listed:
            yield f"{name} has other answers than the survey"
        elif not all(map(_follow, _shares(table))):
            yield f"{name} has shares that do not follow from its counts"
        elif table["asked"]:
            yield from (f"{name} has {wrong}" for wrong in _impossible(question.channel, table))


def _adds_up(survey: Survey, tables: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every stratum has a table for each question, and all add up to everyone."""
    names = [one.name for one in survey.questions]
    every, parts = tables[: len(names)], tables[len(names) :]
    strata = [one["stratum"] for one in parts[: len(parts) // len(names)]]
    told = [read_stratum(survey, one) for one in strata]
    order = [(True, name, None) for name in names]
    order += [(False, name, one) for name in names for one in strata]
    numbers = [(one["reports"], one["asked"]) for one in tables]
    return (
        [(one["everyone"], one["question"], one["stratum"]) for one in tables] == order
        and [survey.named(one) for one in told] == strata
        and len(set(told)) == len(told)
        and all(type(one) is int and one >= 0 for pair in numbers for one in pair)
        and all(_asked(survey, tables, place) for place in (None, *strata))
        and (not parts or all(_sums(parts, one) == _sums([one], one) for one in every))
    )


def _asked(
    survey: Survey, tables: Sequence[Mapping[str, Any]], stratum: dict[str, str] | None
) -> bool:
    """Whether all who reported were asked every question, or one."""
    for everyone in (True, False):
        group = [one for one in tables if one["everyone"] is everyone and one["stratum"] == stratum]
        reports, asked = {one["reports"] for one in group}, [one["asked"] for one in group]
        told = {sum(asked)} if survey.ask == "one" else set(asked)
        if group and (reports != told or 0 in reports):
            return False
    return True


def _sums(tables: Sequence[Mapping[str, Any]], like: Mapping[str, Any]) -> tuple[int, int]:
    """Reports and people asked, of all tables of a question."""
    same = [one for one in tables if one["question"] == like["question"]]
    return sum(one["reports"] for one in same), sum(one["asked"] for one in same)


def _impossible(channel: Channel, table: Mapping[str, Any]) -> Iterator[str]:
    """What no reports give: counts beyond those of the extreme ones, margins of other counts."""
    asked, reports = table["asked"], table["reports"]
    counts, margins = (
        np.array([one[key] for one in table["answers"]]) for key in ("count", "count_margin")
    )
    found = counts * (asked / reports)
    reach = np.array([-1.0, 1.0]) * asked * channel.most_moved
    if isinstance(channel, Supported):
        reach = channel.support.estimates(np.array([0, asked]), asked)
    if (found < reach[0] - ROUNDING).any() or (found > reach[1] + ROUNDING).any():
        yield "counts that no reports give"
    least, most = (
        margins_of(found, one, asked, reports) for one in channel.variance_range(asked, found)
    )
    if (margins < least * (1 - SLACK) - ROUNDING).any() or (
        margins > most * (1 + SLACK) + ROUNDING
    ).any():
        yield "margins that do not follow from its counts"


def _shares(table: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """Pairs of numbers that must agree: shares with counts, projected ones with shares."""
    answers, reports = table["answers"], table["reports"]
    shares = np.array([one["share"] for one in answers])
    nearest = project(shares) if answers else shares
    for one, near in zip(answers, nearest.tolist(), strict=True):
        yield one["count"] / reports, one["share"]
        yield one["count_margin"] / reports, one["share_margin"]
        yield near, one["projected"]


def _follow(pair: tuple[float, float]) -> bool:
    return isclose(*pair, rel_tol=0, abs_tol=ROUNDING)


def _statements(
    folder: Path, survey: Survey, found: Mapping[str, Any], certificate: SurveyCertificate
) -> Iterator[str]:
    """What the certificate says of a result; words are compared where this version wrote them."""
    made = certify(survey, found, certificate.name, certificate.created)
    facts = ("reports", "strata", "questions")
    if any(getattr(made, fact) != getattr(certificate, fact) for fact in facts):
        yield f"{CERTIFICATE} has other numbers of reports than {RESULT}"
    if certificate.leeward != version("leeward"):
        return
    if (made.guarantee, made.notes) != (certificate.guarantee, certificate.notes):
        yield f"{CERTIFICATE} promises something else than its survey"
    if not has_content(folder / REPORT, page(made, found).encode()):
        yield f"{REPORT} is not what the result says"
