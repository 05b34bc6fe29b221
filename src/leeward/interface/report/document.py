"""Document: the report of a bundle as one HTML file that needs no network.

The same bundle gives the same bytes: neither clock nor machine of the reader has an influence.
"""

from dataclasses import dataclass

from jinja2 import Template

from leeward.core.errors import BadFile
from leeward.core.privacy.odds_of_suspicion import firm_caption, suspicion_in_all
from leeward.core.privacy.sentences import SCOPE
from leeward.core.show.environment import template
from leeward.core.show.numbers import time
from leeward.interface.report.checklist import checks
from leeward.interface.report.glance import (
    about,
    budget_figure,
    chain,
    glance,
    meaning_of_zero,
    titles,
)
from leeward.interface.report.promise import answered, promised, public, unprotected, withheld
from leeward.interface.report.section import (
    DETAILS,
    Detail,
    at_least,
    by,
    margin,
    section,
    statuses,
)
from leeward.interface.report.summary import TableSummary, summarise
from leeward.publishing.bundle import CERTIFICATE, FORMAT, Bundle, Certificate
from leeward.publishing.bundle.bundle_files import sha256
from leeward.publishing.bundle.readme import heading

MOST_BYTES = 3_000_000
"""Maximum size of a report in bytes."""


def page_template() -> Template:
    """The template of a report, which is compiled once."""
    return template("report/report.html.j2")


@dataclass(frozen=True)
class ListedFile:
    """A file of the bundle, its size and its checksum."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ReportContents:
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
            "sections": [
                section(at, summary, detail, described=self.certificate.format >= FORMAT)
                for at, summary in numbered
            ],
            "overview": self.summaries[: detail.listed],
            "files": self.files[: detail.listed],
            "account": budget_figure(self.certificate.budget),
        }
        return page_template().render(**facts, **varying)

    def _facts(self) -> dict[str, object]:
        """What is the same at every detail."""
        certificate = self.certificate
        return {
            "certificate": certificate,
            "budget": certificate.budget,
            "made": time(certificate.created),
            "cells": sum(summary.cells for summary in self.summaries),
            "heading": heading(certificate),
            "glance": glance(certificate, self.summaries),
            "titles": titles(certificate.tables),
            "about": about(certificate),
            "chain": chain(certificate),
            "chain_caption": firm_caption(certificate.guarantee.as_guarantee()),
            "whole_cap": suspicion_in_all(certificate.budget.cap.as_guarantee()).text,
            "scope": SCOPE.text,
            "promised": promised(certificate),
            "unprotected": unprotected(certificate),
            "answered": answered(certificate),
            "public": public(certificate, self.summaries),
            "withheld": withheld(),
            "biased": [table.name for table in certificate.tables if table.bias is not None],
            "allowing": [table.name for table in certificate.tables if table.allows_for_clipping],
            "margins": any(table.has_margins for table in certificate.tables),
            "statuses": statuses,
            "not_distinguishable": meaning_of_zero(self.summaries),
            "pay": not all(table.counts for table in certificate.tables),
            "files_in_all": len(self.files),
            "checks": checks(certificate),
            "by": by,
            "margin": margin,
        }


def report(bundle: Bundle) -> str:
    """The page, with as much detail as stays under its size. Every table is read once."""
    tables, path = bundle.certificate.tables, bundle.path / CERTIFICATE
    summaries = tuple(summarise(bundle, table) for table in tables)
    stamps = bundle.certificate.files.items()
    listed = [ListedFile(name, stamp.bytes, stamp.sha256) for name, stamp in stamps]
    own = ListedFile(CERTIFICATE, path.stat().st_size, sha256(path))
    files = tuple(sorted([own, *listed], key=lambda file: file.name))
    contents = ReportContents(bundle.certificate, summaries, files)
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
