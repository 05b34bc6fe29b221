"""README.txt and the version line: the texts of a bundle for readers without Leeward.

Both are made of the certificate, so they cannot state more than the certificate does. The version
line is modelled on the version files of the LEHD public-use data.
"""

from collections.abc import Iterator, Mapping
from textwrap import wrap

from pydantic import JsonValue

from leeward.core.codebook.marginal import BLOCK
from leeward.core.privacy.job_sentences import rows
from leeward.core.privacy.sentences import (
    MAKE_UP_SHARE,
    OTHER_RELEASES,
    SIZE_OPEN,
    kinds_of_workers,
)
from leeward.core.privacy.words import unit_text
from leeward.core.show.numbers import count, crossed
from leeward.publishing.bundle.bundle_files import (
    CERTIFICATE,
    CHECKSUMS,
    README,
    REPORT,
    SCHEMA,
    csv_path,
    version_path,
)
from leeward.publishing.bundle.certificate import FORMAT, Certificate
from leeward.publishing.bundle.certified_table import CertifiedTable

WIDTH = 78
CODE = "    "
"""What a line of code begins with."""

MOST_CODES = 12
"""Maximum number of codes of a filter that are listed."""

WHICH_ROWS = (
    "Each combination of workplace codes that has an establishment is there, also if nobody "
    "works in it, with every combination of worker codes. That an establishment exists is "
    "public. Combinations without one are left out, unless the table is complete: then they "
    "are there with status -2. Rows are in the order of the codes in the certificate. So "
    "whether a row is there says nothing about any worker."
)

VERSION_FIELDS = (
    ("LEEWARD", "the product"),
    ("NAME", "the name of this bundle"),
    ("PERIOD", "the period that the numbers are about"),
    ("V…", "the version of Leeward that made it"),
    ("C…", "the format of certificate.json"),
    ("YYYYMMDD", "the day on which it was made (UTC)"),
    ("entry N", "the entry of the ledger that was charged for it"),
    ("HEAD", "the state of the ledger with that entry"),
)
"""The words of the version line, and what they mean."""


def readme(certificate: Certificate) -> str:
    """The whole text."""
    tidied = [
        f"* {table.name}. {table.tidied.sentence}"
        for table in certificate.tables
        if table.tidied is not None
    ]
    sections = {
        heading(certificate): [*_about(certificate), *_what(certificate)],
        "What is promised": _promises(certificate),
        "The columns": [*_columns(certificate), *_notes(certificate)],
        "Which rows there are": [WHICH_ROWS],
        "Noise: three things to know": _noise(certificate),
        **({"What tidying did": tidied} if certificate.made_from else {}),
        "The tables": _tables(certificate),
        "Reading a table in R or Stata": _reading(certificate),
        "Workers with several jobs": [certificate.jobs.sentence],
        "Rows that do not agree with the codebook": _row_rules(certificate),
        "The files": _files(certificate),
        "How to check it": _checks(certificate),
    }
    return "\n".join(
        "\n".join([title, "=" * min(len(title), WIDTH), *map(_wrapped, paragraphs)])
        for title, paragraphs in sections.items()
    )


def heading(certificate: Certificate) -> str:
    """The name of the bundle with its title, or with what it holds."""
    about = "counts" if all(table.counts for table in certificate.tables) else "and pay"
    held = f"employment {about}"
    if certificate.about is not None and certificate.about.title is not None:
        held = certificate.about.title
    return f"{certificate.name}: {held} for {certificate.period}"


def _about(certificate: Certificate) -> Iterator[str]:
    """What the office says of its publication."""
    said = certificate.about
    if said is None:
        return
    if said.description is not None:
        yield said.description
    named = {"Source": said.source, "Contact": said.contact, "Licence": said.licence}
    yield from (f"* {key}: {text}" for key, text in named.items() if text is not None)


def _notes(certificate: Certificate) -> Iterator[str]:
    """What the codebook calls identifiers, each once."""
    known = {
        name: attribute
        for table in certificate.tables
        for name, attribute in (table.attributes or {}).items()
    }
    for name, attribute in known.items():
        yield f"* {name}: {'. '.join(filter(None, (attribute.label, attribute.note)))}"


def _reading(certificate: Certificate) -> Iterator[str]:
    """Lines for the first table."""
    lines = lines_to_read(certificate.tables[0])
    yield "Codes must be read as text. These lines read the first table; others likewise."
    for program, line in lines.items():
        yield f"* {program}:"
        yield f"{CODE}{line}"


def lines_to_read(table: CertifiedTable) -> dict[str, str]:
    """For R and Stata the line that reads the CSV file of a table, run in the bundle's folder."""
    names = ", ".join(f'{name} = "character"' for name in table.identifiers)
    codes = f", colClasses = c({names})" if names else ""
    texts = f" stringcols(1/{len(table.identifiers)})" if names else ""
    return {
        "R": f'{table.name} <- read.csv("{csv_path(table.name)}"{codes}, na.strings = "", '
        'encoding = "UTF-8")',
        "Stata": f'import delimited "{csv_path(table.name)}", varnames(1) case(preserve){texts} '
        "encoding(utf-8) clear",
    }


def _wrapped(paragraph: str) -> str:
    """A paragraph; an item (it starts with `* `) is indented behind its mark, code is not cut."""
    if paragraph.startswith(CODE):
        return f"{paragraph}\n"
    indent = "  " if paragraph.startswith("* ") else ""
    lines = wrap(paragraph, WIDTH, subsequent_indent=indent, break_long_words=False)
    return "\n".join(lines) + "\n"


def _what(certificate: Certificate) -> Iterator[str]:
    margins = all(table.has_margins for table in certificate.tables)
    counts = all(table.counts for table in certificate.tables)
    tables = "count jobs" if counts else "count jobs, or tell what they pay,"
    number = "count" if counts else "number"
    yield (
        f"This folder holds tables that {tables} by where they are and who holds them. To every "
        f"{number} noise was added on purpose: a random number, up or down. It limits what anybody "
        "can learn from the tables about one person or one employer; the limits are stated "
        f"below. In a small cell the noise may be larger than the {number} itself."
        f"{' The margin beside a value says how far off it may be.' if margins else ''}"
    )
    yield (
        f"Made on {certificate.created} with Leeward {certificate.leeward}, charged to the "
        f"account {certificate.account}."
    )
    if certificate.made_from is not None:
        yield certificate.made_from.sentence
    if certificate.corrects is not None:
        yield f"It corrects the release of ledger entry {certificate.corrects}."


def _promises(certificate: Certificate) -> Iterator[str]:
    if certificate.odds is not None:
        yield certificate.odds.sentence
    yield certificate.guarantee.sentence
    yield f"* For a worker. {certificate.worker.sentence}"
    size, unit = certificate.establishment, unit_text(certificate.guarantee.as_guarantee())
    yield f"* For an {unit}. {SIZE_OPEN.text if size is None else size.sentence}"
    if certificate.make_up is not None:
        share = "" if certificate.weak_attributes is None else f" {MAKE_UP_SHARE.text}"
        yield f"* For its make-up. {certificate.make_up.sentence}{share}"
    if certificate.firm is not None:
        yield f"* For a firm. {certificate.firm.sentence}"
    if certificate.pay is not None:
        told = (*certificate.pay.promised, *certificate.pay.unprotected)
        yield f"* For pay. {' '.join(told)}"
    if certificate.weak_attributes is not None:
        yield f"* {kinds_of_workers(certificate.weak_attributes)}"
    yield OTHER_RELEASES


def _row_rules(certificate: Certificate) -> Iterator[str]:
    if certificate.rows is None:  # as before format 2: all were refused
        yield rows(strict=True).text
        return
    yield certificate.rows.sentence
    yield from (f"* {rule}" for rule in certificate.rows.rules)


def _columns(certificate: Certificate) -> Iterator[str]:
    yield (
        "* The first columns are identifiers: codes for place, industry, kind of worker and so "
        f"on. What each code means stands in {CERTIFICATE} under tables, codes. Read them as "
        "text, or leading zeros get lost."
    )
    pay = [table for table in certificate.tables if not table.counts]
    if certificate.made_from is None and len(pay) < len(certificate.tables):
        yield "* value is the number of jobs, with noise: always a whole number, perhaps negative."
    for table in pay:
        yield f"* In {table.name} value is in {table.unit}: the {table.statistic_words}."
    if certificate.made_from is not None:
        yield (
            "* value is the number of jobs, made of numbers with noise: whole, not negative, and "
            "adding up."
        )
        yield (
            "* released is the number with noise, as it was released: perhaps negative. Read it "
            "wherever this text speaks of margins. It is empty where status is -2."
        )
    lacking = "" if not pay else (
        "-1 means that what was measured gives no number, as a mean of less than half a job: the "
        "value is empty. "
    )  # fmt: skip
    yield (
        "* status is a flag with its meaning in the LEHD public-use schema. 1 means OK. "
        f"{lacking}-2 means that there is no data in this category: no establishment of this kind "
        "exists, and the value is an exact 0."
    )
    if any(table.has_margins for table in certificate.tables):
        yield from _margin_columns(
            {
                name
                for certified_table in certificate.tables
                for name in certified_table.margin_columns
            }
        )
    clipped = [
        certified_table.name
        for certified_table in certificate.tables
        if certified_table.allows_for_clipping
    ]
    if clipped:
        number = "released" if certificate.made_from is not None else "value"
        yield (
            f"* In {', '.join(clipped)} low and high allow for clipping, so that they contain the "
            f"true number in at least nine of ten cells. The noise is {number} - low on either "
            f"side. What high is farther from {number} is the allowance for clipping."
        )
    if pay:
        yield (
            "* low and high of a table of pay may be empty: then nothing bounds the true number on "
            "that side."
        )
    if any(table.count_columns for table in pay):
        yield (
            "* count is the number of jobs of the cell, with noise of its own. Read it beside "
            "value: pay of few jobs says little."
        )
    stated = next(
        (
            certified_table.establishments
            for certified_table in certificate.tables
            if certified_table.establishments
        ),
        None,
    )
    if stated is not None:
        yield f"* establishments has no noise. {stated.sentence}"


def _margin_columns(names: set[str]) -> Iterator[str]:
    if "margin" in names:
        yield (
            "* margin says how far off a value may be. With a coverage of 9/10 the true number "
            "lies between value - margin and value + margin in nine of ten cells. It is empty "
            "where status is -2."
        )
    if "low" in names:
        yield (
            "* low and high, in tables without margin, are the ends of an interval around the "
            "value. With a coverage of 9/10 the true number lies between them in nine of ten "
            "cells. A low below 0 means 0. They are empty where status is -2."
        )
    block = sorted(name for name in names if name.startswith(BLOCK))
    if block:
        yield (
            f"* {', '.join(block)}: cells of one workplace cell hold or miss together, because "
            "they share their noise or its size. These are wider: in nine of ten workplace cells "
            "the true numbers of all worker cells lie within them at once. Use them when you "
            "compare cells of one workplace cell."
        )


def _noise(certificate: Certificate) -> Iterator[str]:
    named = "Negative values are right" if certificate.made_from is None else "Released values"
    yield (
        f"* {named}. A small count with noise can fall below zero. The noise "
        "is zero on average (unbiased), so sums and averages come out right on average. Whoever "
        "sets negative values to zero before adding up makes every sum too large: add first, and "
        "cut off at the end if at all."
    )
    yield (
        "* Sums add noise. The sum of several cells carries the noise of each of them. For a "
        "total that has its own table, take that table. Totals of two tables do not agree "
        "exactly, and neither of them is wrong."
    )
    stated = next((table.totals for table in certificate.tables if table.totals), None)
    if stated is not None:
        yield f"* Totals. {stated.sentence}"
    yield "* The noise was drawn once. Nobody can take it out again, and it is stored nowhere."
    for table in certificate.tables:
        if table.bias is not None:
            yield f"* On average the values of {table.name} may be off. {table.bias}"


def _tables(certificate: Certificate) -> Iterator[str]:
    for table in certificate.tables:
        said = ". ".join(one.rstrip(".") for one in (table.title, table.note) if one is not None)
        yield f"* {table.name}: {f'{said}. ' if said else ''}{_described(table)}"


def _described(table: CertifiedTable) -> str:
    by = f"by {crossed(names)}" if (names := table.identifiers) else "one total"
    part = f" Only jobs {filtered(table.where)}." if table.where else ""
    whole = " Complete: combinations without an establishment are there." if table.complete else ""
    totals = (
        ""
        if table.totals is None
        else (
            f" The last {table.totals.rows} rows are totals, by the code "
            f"{', '.join(f'{code} of {name}' for name, code in table.totals.codes.items())}."
        )
    )
    stated = "" if table.statistic is None else f" {table.statistic.sentence}"
    paid = table.guarantee
    price = f"epsilon {paid.epsilon}" if paid.rho == "0" else f"rho {paid.rho} of zCDP"
    coverage = f" Coverage of the margins: {table.margins.coverage}." if table.has_margins else ""
    return (
        f"{table.rows} rows, {by}.{stated}{part}{whole}{totals} Noise by the mechanism "
        f"{table.mechanism}, {price}.{coverage} {table.margins.note}"
    )


def filtered(where: Mapping[str, JsonValue]) -> str:
    """Which jobs are counted, in words."""
    return " and ".join(f"whose {name} is {_either(codes)}" for name, codes in where.items())


def _either(codes: JsonValue) -> str:
    listed = [str(code) for code in codes] if isinstance(codes, list) else [str(codes)]
    if len(listed) > MOST_CODES:
        return f"one of {count(len(listed))} codes that the certificate lists"
    *first, last = listed
    return f"{', '.join(first)} or {last}" if first else last


def _files(certificate: Certificate) -> Iterator[str]:
    yield "* tables/: each table twice with the same rows, as CSV (UTF-8) and as Parquet."
    if certificate.format >= FORMAT:
        yield "* tables/NAME.csv-metadata.json: the columns of a CSV file for programs, as CSVW."
    yield f"* {CERTIFICATE}: everything about this release, for programs; {SCHEMA} describes it."
    words = "; ".join(f"{word}, {meaning}" for word, meaning in VERSION_FIELDS)
    yield (
        f"* {version_path(certificate.name)}: one line for programs. Its words in order: {words}. "
        f"Here: {version_line(certificate).strip()}"
    )
    yield f"* {CHECKSUMS}: SHA-256 of every file. {README}: this text."
    yield (
        f"* {REPORT}, if there: promise, budget and pictures of every table, for the board that "
        "decides about the release. It is made from the other files and not under the checksums."
    )


def _checks(certificate: Certificate) -> Iterator[str]:
    yield (
        "`leeward verify FOLDER` looks at every file, row and code. Without Leeward, "
        f"`sha256sum --check {CHECKSUMS}` in this folder tells whether the files are as they were "
        "published. The publisher's ledger holds this release as entry "
        f"{certificate.ledger.entry} of account {certificate.ledger.account}."
    )


def version_line(certificate: Certificate) -> str:
    """The line of `version_NAME.txt`; blanks inside a word are written as underscores."""
    day = certificate.created[:10].replace("-", "")
    words = [
        *("LEEWARD", certificate.name, certificate.period),
        *(f"V{certificate.leeward}", f"C{certificate.format}", day),
        *("entry", str(certificate.ledger.entry), certificate.ledger.head),
    ]
    return " ".join("_".join(word.split()) for word in words) + "\n"
