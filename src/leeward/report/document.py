"""Document: the report of a bundle as one HTML file that needs no network.

The same bundle gives the same bytes: neither clock nor machine of the reader has an influence.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from leeward.bundle import CERTIFICATE, Bundle, Certificate
from leeward.bundle.layout import sha256
from leeward.errors import BadFile
from leeward.pictures.plain import STYLE
from leeward.privacy.sentences import SCOPE
from leeward.report import number
from leeward.report.checklist import checks
from leeward.report.figure import account
from leeward.report.promise import promised, unprotected
from leeward.report.section import DETAILS, STATUSES, Detail, at_least, by, section
from leeward.report.summary import TableSummary, summarise

MOST_BYTES = 3_000_000
"""Maximum size of a report in bytes."""


@dataclass(frozen=True)
class ListedFile:
    """A file of the bundle, its size and its checksum."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Contents:
    """Everything that a report is made of."""

    certificate: Certificate
    summaries: tuple[TableSummary, ...]
    files: tuple[ListedFile, ...]

    def page(self, detail: Detail) -> str:
        """The report at some detail."""
        facts = self._facts()
        numbered = list(enumerate(self.summaries, 1))[: detail.tables]
        varying = {
            "detail": detail,
            "sections": [section(at, summary, detail) for at, summary in numbered],
            "overview": self.summaries[: detail.listed],
            "files": self.files[: detail.listed],
            "account": account(self.certificate.budget),
        }
        return template("report.html.j2").render(**facts, **varying)

    def _facts(self) -> dict[str, object]:
        """What is the same at every detail."""
        certificate = self.certificate
        return {
            "certificate": certificate,
            "budget": certificate.budget,
            "made": made(certificate),
            "cells": sum(summary.cells for summary in self.summaries),
            "scope": SCOPE.text,
            "promised": promised(certificate),
            "unprotected": unprotected(certificate),
            "biased": [table.name for table in certificate.tables if table.bias is not None],
            "margins": any(table.has_margins for table in certificate.tables),
            "statuses": STATUSES,
            "files_in_all": len(self.files),
            "checks": checks(certificate),
            "picture_style": Markup(STYLE),  # noqa: S704 (a constant of our own)
        }


def report(bundle: Bundle) -> str:
    """The page, with as much detail as stays under its size. Every table is read once."""
    tables = bundle.certificate.tables
    summaries = tuple(summarise(bundle, table) for table in tables)
    contents = Contents(bundle.certificate, summaries, _files(bundle))
    for detail in DETAILS:
        if at_least(summaries, detail) > MOST_BYTES:
            continue
        page = contents.page(detail)
        if len(page.encode()) <= MOST_BYTES:
            return page
    raise BadFile(
        "report",
        rule=f"must stay under {MOST_BYTES:,} bytes",
        value=f"a certificate of {len(tables):,} tables with very long texts",
        next_step="Read the bundle without a report.",
    )


def made(certificate: Certificate) -> str:
    """When the bundle was sealed: ISO date and time in UTC."""
    moment = datetime.fromisoformat(certificate.created)
    return f"{moment:%Y-%m-%d}, {moment:%H:%M} UTC"


def _files(bundle: Bundle) -> tuple[ListedFile, ...]:
    """The certificate, and every file whose checksum it holds."""
    path = bundle.path / CERTIFICATE
    stamps = bundle.certificate.files.items()
    listed = [ListedFile(name, stamp.bytes, stamp.sha256) for name, stamp in stamps]
    own = ListedFile(CERTIFICATE, path.stat().st_size, sha256(path))
    return tuple(sorted([own, *listed], key=lambda file: file.name))


def breakable(name: str) -> Markup:
    """A name with line break opportunities after underscores and hyphens."""
    joints = {"_": "_<wbr>", "-": "-<wbr>"}
    return Markup("").join(Markup(joints[sign]) if sign in joints else sign for sign in name)  # noqa: S704 (constants of our own; text between them is escaped)


FILTERS = {
    "alpha": number.alpha,
    "amount_left": number.amount_left,
    "breakable": breakable,
    "by": by,
    "count": number.count,
    "counted": number.counted,
    "losses": number.losses,
    "margin": number.margin,
}


@cache
def template(name: str) -> Template:
    """A template of the package. Everything is escaped, and undefined values are errors."""
    environment = Environment(
        loader=PackageLoader("leeward.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    return environment.get_template(name)
