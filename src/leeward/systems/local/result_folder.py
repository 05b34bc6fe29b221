"""Result folder: estimates, certificate, page and checksums, and whether they are what was sealed.

It needs no ledger: what a person loses was decided when the person's report was drawn.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from leeward.core.errors import Damaged
from leeward.core.show.numbers import significant
from leeward.publishing.bundle.bundle_files import REPORT, RESULT
from leeward.publishing.bundle.certificate import (
    BYTES_PER_PART,
    CERTIFICATE_BYTES,
    BundleName,
    Time,
)
from leeward.publishing.bundle.disk import appearing, write_file
from leeward.publishing.bundle.first_look import MOST_PARTS
from leeward.publishing.bundle.sealed_folder import Faults, SealedFolder, SealedStatement
from leeward.publishing.bundle.software import other_version
from leeward.publishing.bundle.statements import (
    Count,
    FileStatement,
    Listed,
    Prose,
    Sha256,
    Statement,
    Text,
)
from leeward.publishing.bundle.writer import require_free
from leeward.systems.local.result import CONFIDENCE, DIGITS, Result, csv_bytes
from leeward.systems.local.result_page import page
from leeward.systems.local.survey import Survey

CSV = "result.csv"
SEALED = (RESULT, CSV, REPORT)
MOST_BYTES = 1 << 30


class LocalGuarantee(Statement):
    """The loss of one answer, and of all that one person may send."""

    policy: Literal["local"]
    epsilon: Text
    answers: Count
    in_all: Text
    sentences: Listed[Prose]


class AskedQuestion(Statement):
    """How many were asked a question, and by how much a false report moves an estimated count.

    On a question that some people were asked it moves in proportion more.
    """

    name: Text
    method: Text
    asked: Count
    most_moved: Annotated[float, Field(ge=0)]


class StratumReports(Statement):
    """The public number of reports of a stratum; null for people who did not tell theirs."""

    stratum: dict[str, str] | None
    reports: Count


class SurveyCertificate(SealedStatement):
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

    @property
    def stamped(self) -> tuple[str, ...]:
        """The estimates, as a table, and the page."""
        return SEALED


def _limits(folder: Path) -> tuple[int, int]:
    """A certificate is no larger than the answers beside it can need."""
    result = folder / RESULT
    answers = result.stat().st_size if result.is_file() else 0
    return min(max(CERTIFICATE_BYTES, answers), MOST_BYTES), MOST_PARTS + answers // BYTES_PER_PART


NO_CERTIFICATE = "is not what `leeward local aggregate` writes"
SURVEY = SealedFolder(
    SurveyCertificate,
    Faults(
        form=NO_CERTIFICATE,
        large=NO_CERTIFICATE,
        absent="is missing",
        order=NO_CERTIFICATE,
        unlisted=NO_CERTIFICATE,
        foreign="does not belong there",
        changed="is not the file that was published",
    ),
    _limits,
)


def certify(
    survey: Survey, result: Mapping[str, Any], name: str, created: str
) -> SurveyCertificate:
    """The certificate of a result, without the checksums of its files."""
    everyone = [table for table in result["tables"] if table["everyone"]]
    parts = [table for table in result["tables"] if not table["everyone"]]
    strata = [
        StratumReports(stratum=table["stratum"], reports=table["reports"])
        for table in parts or everyone
        if table["question"] == survey.questions[0].name
    ]
    questions = []
    for table in everyone:
        question, asked = table["question"], table["asked"]
        channel = survey.question(question).channel
        moved = round(channel.most_moved * (table["reports"] / max(asked, 1)), DIGITS)
        questions.append(
            AskedQuestion(name=question, method=channel.name, asked=asked, most_moved=moved)
        )
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
        reports=everyone[0]["reports"],
        strata=tuple(strata),
        questions=tuple(questions),
        notes=tuple(_notes(survey, questions)),
        files={},
    )


def _notes(survey: Survey, questions: list[AskedQuestion]) -> Iterator[str]:
    moved = max(question.most_moved for question in questions)
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
    content = result.as_json()
    certificate = certify(result.survey, content, target.name, created)
    contents = {
        RESULT: result.to_bytes(),
        CSV: csv_bytes(content),
        REPORT: page(certificate, content).encode(),
    }
    with appearing(target) as folder:
        for name, written in contents.items():
            write_file(folder / name, written)
        return SURVEY.seal(folder, certificate)


def result_not_compared(folder: Path) -> str | None:
    """What this version cannot compare of a sound result; None where that is nothing."""
    try:
        certificate = SURVEY.read(folder)
    except Damaged:
        return None
    if certificate.same_program:
        return None
    return other_version(certificate.leeward, f"sentences and {REPORT}")
