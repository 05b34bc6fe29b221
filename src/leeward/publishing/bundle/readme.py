"""README.txt: the text of a bundle for readers without Leeward.

It is made of the certificate, so it cannot state more than the certificate does.
"""

from collections.abc import Iterable, Iterator, Mapping
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
    version_path,
)
from leeward.publishing.bundle.certificate import FORMAT, Certificate
from leeward.publishing.bundle.csvw import lines_to_read
from leeward.publishing.bundle.software import VERSION_FIELDS, version_line
from leeward.publishing.bundle.statements import AttributeStatement

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

MARGIN_WORDS = {
    "margin": "* margin says how far off a value may be. With a coverage of 9/10 the true number "
    "lies between value - margin and value + margin in nine of ten cells. It is empty where status "
    "is -2.",
    "low": "* low and high, in tables without margin, are the ends of an interval around the "
    "value. With a coverage of 9/10 the true number lies between them in nine of ten cells. A low "
    "below 0 means 0. They are empty where status is -2.",
}
CHECK = (
    "`leeward verify FOLDER` looks at every file, row and code. Without Leeward, "
    f"`sha256sum --check {CHECKSUMS}` in this folder tells whether the files are as they were "
    "published. The publisher's ledger holds this release as entry {ledger.entry} of account "
    "{ledger.account}."
)


def readme(certificate: Certificate) -> str:
    """The whole text."""
    lines = lines_to_read(certificate.tables[0])
    tidied = [
        f"* {table.name}. {table.tidied.sentence}"
        for table in certificate.tables
        if table.tidied is not None
    ]
    stated = certificate.rows
    sections: dict[str, Iterable[str]] = {
        heading(certificate): _what(certificate),
        "What is promised": _promises(certificate),
        "The columns": [*_columns(certificate), *_margin_columns(certificate)],
        "Which rows there are": [WHICH_ROWS],
        "Noise: three things to know": _noise(certificate),
        **({"What tidying did": tidied} if certificate.made_from else {}),
        "The tables": _tables(certificate),
        "Reading a table in R or Stata": [
            "Codes must be read as text. These lines read the first table; others likewise.",
            *(part for program, line in lines.items() for part in (f"* {program}:", CODE + line)),
        ],
        "Workers with several jobs": [certificate.jobs.sentence],
        "Rows that do not agree with the codebook": [rows(strict=True).text]  # until format 1
        if stated is None
        else [stated.sentence, *(f"* {rule}" for rule in stated.rules)],
        "The files": _files(certificate),
        "How to check it": [CHECK.format(ledger=certificate.ledger)],
    }
    texts = []
    for title, paragraphs in sections.items():
        texts += [title, "=" * min(len(title), WIDTH)]
        for paragraph in paragraphs:
            indent = "  " if paragraph.startswith("* ") else ""  # an item, behind its mark
            wrapped = wrap(paragraph, WIDTH, subsequent_indent=indent, break_long_words=False)
            texts += [paragraph if paragraph.startswith(CODE) else "\n".join(wrapped), ""]
    return "\n".join(texts)


def heading(certificate: Certificate) -> str:
    """The name of the bundle with its title, or with what it holds."""
    counts = all(table.counts for table in certificate.tables)
    title = "employment counts" if counts else "employment and pay"
    if certificate.about is not None and certificate.about.title is not None:
        title = certificate.about.title
    return f"{certificate.name}: {title} for {certificate.period}"


def _what(certificate: Certificate) -> Iterator[str]:
    if certificate.about is not None:
        if certificate.about.description is not None:
            yield certificate.about.description
        yield from (f"* {name}: {text}" for name, text in certificate.about.named)
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
    yield from filter(None, (certificate.guarantee.sentence, certificate.budget.parts))
    yield f"* For a worker. {certificate.worker.sentence}"
    size, unit = certificate.establishment, unit_text(certificate.guarantee.as_guarantee())
    yield f"* For an {unit}. {SIZE_OPEN.text if size is None else size.sentence}"
    if certificate.make_up is not None:
        share = "" if certificate.weak_attributes is None else f" {MAKE_UP_SHARE.text}"
        yield f"* For its make-up. {certificate.make_up.sentence}{share}"
    if certificate.firm is not None:
        yield f"* For a firm. {certificate.firm.sentence}"
    if certificate.pay is not None:
        yield " ".join(("* For pay.", *certificate.pay.promised, *certificate.pay.unprotected))
    if certificate.weak_attributes is not None:
        yield f"* {kinds_of_workers(certificate.weak_attributes)}"
    yield OTHER_RELEASES


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


def _margin_columns(certificate: Certificate) -> Iterator[str]:
    """The columns beside value and status; then what the codebook calls identifiers, each once."""
    names = {name for table in certificate.tables for name in table.margin_columns}
    yield from (words for name, words in MARGIN_WORDS.items() if name in names)
    block = sorted(name for name in names if name.startswith(BLOCK))
    if block:
        yield (
            f"* {', '.join(block)}: cells of one workplace cell hold or miss together, because "
            "they share their noise or its size. These are wider: in nine of ten workplace cells "
            "the true numbers of all worker cells lie within them at once. Use them when you "
            "compare cells of one workplace cell."
        )
    clipped = [table.name for table in certificate.tables if table.allows_for_clipping]
    if clipped:
        number = "released" if certificate.made_from is not None else "value"
        yield (
            f"* In {', '.join(clipped)} low and high allow for clipping, so that they contain the "
            f"true number in at least nine of ten cells. The noise is {number} - low on either "
            f"side. What high is farther from {number} is the allowance for clipping."
        )
    pay = [table for table in certificate.tables if not table.counts]
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
    frames = [table.establishments for table in certificate.tables if table.establishments]
    yield from (f"* establishments has no noise. {frame.sentence}" for frame in frames[:1])
    attributes = dict[str, AttributeStatement]()
    for table in certificate.tables:
        attributes |= table.attributes or {}
    for name, known in attributes.items():
        yield f"* {name}: {'. '.join(filter(None, (known.label, known.note)))}"


def _noise(certificate: Certificate) -> Iterator[str]:
    named = "Negative values are right" if certificate.made_from is None else "Released values"
    yield (
        f"* {named}. A small count with noise can fall below zero. The noise is zero on average "
        "(unbiased), so sums and averages come out right on average. Whoever sets negative values "
        "to zero before adding up makes every sum too large: add first, and cut off at the end if "
        "at all."
    )
    yield (
        "* Sums add noise. The sum of several cells carries the noise of each of them. For a "
        "total that has its own table, take that table. Totals of two tables do not agree "
        "exactly, and neither of them is wrong."
    )
    totals = [table.totals for table in certificate.tables if table.totals]
    yield from (f"* Totals. {stated.sentence}" for stated in totals[:1])
    yield "* The noise was drawn once. Nobody can take it out again, and it is stored nowhere."
    for table in certificate.tables:
        if table.bias is not None:
            yield f"* On average the values of {table.name} may be off. {table.bias}"


def _tables(certificate: Certificate) -> Iterator[str]:
    if certificate.parts is not None:
        yield certificate.parts.sentence
    for table in certificate.tables:
        named = ". ".join(text.rstrip(".") for text in (table.title, table.note) if text)
        by = f"by {crossed(table.identifiers)}" if table.identifiers else "one total"
        parts = [f"* {table.name}: {f'{named}. ' if named else ''}{table.rows} rows, {by}."]
        if table.statistic is not None:
            parts.append(table.statistic.sentence)
        if table.where:
            parts.append(f"Only jobs {filtered(table.where)}.")
        if table.complete:
            parts.append("Complete: combinations without an establishment are there.")
        if table.totals is not None:
            codes = ", ".join(f"{code} of {name}" for name, code in table.totals.codes.items())
            parts.append(f"The last {table.totals.rows} rows are totals, by the code {codes}.")
        paid = table.guarantee
        price = f"epsilon {paid.epsilon}" if paid.rho == "0" else f"rho {paid.rho} of zCDP"
        parts.append(f"Noise by the mechanism {table.mechanism}, {price}.")
        if table.has_margins:
            parts.append(f"Coverage of the margins: {table.margins.coverage}.")
        yield " ".join([*parts, table.margins.note])


def filtered(where: Mapping[str, JsonValue]) -> str:
    """Which jobs are counted, in words."""
    filters = []
    for name, codes in where.items():
        *first, last = map(str, codes) if isinstance(codes, list) else [str(codes)]
        either = f"{', '.join(first)} or {last}" if first else last
        if len(first) >= MOST_CODES:
            either = f"one of {count(len(first) + 1)} codes that the certificate lists"
        filters.append(f"whose {name} is {either}")
    return " and ".join(filters)


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
