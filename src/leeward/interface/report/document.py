"""Document: the report of a bundle as one HTML file that needs no network.

The same bundle gives the same bytes: neither clock nor machine of the reader has an influence.
"""

from dataclasses import dataclass

from jinja2 import Template

from leeward.core.errors import BadFile
from leeward.core.privacy.odds_of_suspicion import firm_caption, suspicion_in_all
from leeward.core.privacy.sentences import SCOPE
from leeward.core.show.environment import template
from leeward.core.show.numbers import count, losses, protected, rest, time
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


# The checklist: what a review board confirms before it signs, and where to find it.


@dataclass(frozen=True)
class Check:
    """A statement to be confirmed, where to look, and what to type if anything."""

    claim: str
    where: str
    command: str | None = None


FOLDER = Check(
    "The folder is what was released, and the ledger confirms it.",
    "The answer must be: is sound and the ledger confirms it.",
    "leeward verify BUNDLE --ledger LEDGER",
)
TABLES = Check(
    "The tables, their identifiers and filters are those that were agreed.",
    "Under “What was released”.",
)
NUMBERS = Check(
    "The numbers of the plan were not chosen by looking at confidential results.",
    "Ask the submitter, also about evaluations of the confidential data.",
)
EARLIER = Check(
    "Earlier releases about the same people and employers were considered, also those of "
    "other accounts and ledgers.",
    "The ledger lists its own; ask for the others.",
    "leeward ledger show --ledger LEDGER",
)
NO_MARGINS = Check(
    "That no value has a margin is accepted, and users know how large the noise may be.",
    "Under each table: its mechanism and its cost.",
)
MARGINS = Check(
    "The margins are narrow enough for the intended use, and what they mean in small cells is "
    "understood.",
    "Under each table: how wide margins are, and in how many cells they reach zero.",
)
READERS = Check(
    "Users learn that negative values are right, and that sums add noise.",
    "Under “How to read the numbers”, and in README.txt.",
)
PEOPLE = Check("Submitter and approver are two different people.", "Below.")


def checks(certificate: Certificate) -> tuple[Check, ...]:
    """Every item, in the order of the report."""
    tables, promise = certificate.tables, certificate.guarantee
    names = dict.fromkeys(name for table in tables for name in table.workplace_identifiers)
    attributes = f"The attributes of workplaces ({', '.join(names)}) are"
    about = attributes if names else "The list of workplaces is"
    allowed = Check(
        f"The promise (policy {protected(promise)}, {losses(promise)}) is one that our rules "
        "allow for these data, and what it does not protect is accepted.",
        "Under “What is promised” and “What is not protected”.",
    )
    public = Check(
        f"{about} public, and the list of workplaces comes from a register, not from the jobs.",
        "Ask the keeper of the register; the program cannot see it.",
    )
    account = Check(
        f"The account is the right one, and what is left ({rest(certificate.budget.left)}) is "
        "enough for what is still to come.",
        "Under “Budget”.",
    )
    margins = MARGINS if any(table.has_margins for table in tables) else NO_MARGINS
    files = Check(
        "The folder has no other file, and none leaves with it: no ledger, no receipt, no "
        "output of a check, no log.",
        f"Under “Certificate and checksums”: {count(len(certificate.files) + 2)} files and "
        "this report. Other files are findings of leeward verify.",
    )
    first = (FOLDER, TABLES, allowed, public, NUMBERS, account, EARLIER)
    return (*first, margins, READERS, files, PEOPLE)
