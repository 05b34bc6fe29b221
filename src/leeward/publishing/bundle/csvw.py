"""CSVW: a CSV table described for programs, by the W3C's vocabulary for tabular data on the web.

A file beside the table, under the name at which programs look for it. It is made of the
certificate, so it cannot state more than the certificate does.
"""

import json
from collections.abc import Iterator
from typing import Any

from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.certified_table import CertifiedTable

VOCABULARY = "http://www.w3.org/ns/csvw"
"""Names the vocabulary; nothing is asked of that address."""

DIALECT = {"encoding": "utf-8", "lineTerminators": ["\n"], "header": True, "delimiter": ","}
CODE, NUMBER = "string", "long"


def metadata(certificate: Certificate, table: CertifiedTable) -> bytes:
    """The description of a table."""
    content = {**structure(table), **_said(certificate, table)}
    content["tableSchema"]["columns"] = [
        {**column, **_named(table, column["name"])} for column in _columns(table)
    ]
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def structure(table: CertifiedTable) -> dict[str, Any]:
    """What follows from the columns alone, whatever they are called."""
    rows = {"primaryKey": list(table.identifiers)} if table.identifiers else {}
    return {
        "@context": VOCABULARY,
        "url": f"{table.name}.csv",
        "dialect": DIALECT,
        "tableSchema": {"columns": list(_columns(table)), **rows},
    }


def agrees(content: bytes, table: CertifiedTable) -> bool:
    """Whether a description is of this table. Its words may be those of another version."""
    try:
        found = json.loads(content)
        schema = {**found["tableSchema"]}
        schema["columns"] = [
            {key: value for key, value in column.items() if key not in ("titles", "dc:description")}
            for column in schema["columns"]
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False
    told = structure(table)
    return {**{key: found.get(key) for key in told}, "tableSchema": schema} == told


def _columns(table: CertifiedTable) -> Iterator[dict[str, Any]]:
    """Each column with its type; fields of required ones are never empty."""
    for name in table.columns:
        kind = CODE if name in table.identifiers else NUMBER
        yield {"name": name, "datatype": kind, "required": name not in table.empty_columns}


def _named(table: CertifiedTable, name: str) -> dict[str, Any]:
    """The header of a column first, by which programs find it; then what people call it."""
    unit = "" if table.counts else f", in {table.unit}"
    called = f"{table.statistic_words}{unit}" if name == "value" else table.label(name)
    known = (table.attributes or {}).get(name)
    note = {} if known is None or known.note is None else {"dc:description": known.note}
    return {"titles": [*dict.fromkeys((name, called))], **note}


def _said(certificate: Certificate, table: CertifiedTable) -> dict[str, Any]:
    """Title, licence and notes, in words of the office and of the certificate."""
    about = certificate.about
    told = {
        "dc:title": table.heading,
        "dc:description": table.note,
        "dc:isPartOf": certificate.name if about is None else about.title or certificate.name,
        "dc:temporal": certificate.period,
        "dc:created": certificate.created,
        "dc:source": None if about is None else about.source,
        "dc:license": None if about is None else about.licence,
        "dcat:contactPoint": None if about is None else about.contact,
    }
    notes = (certificate.guarantee.sentence, table.margins.note, table.bias)
    said = [{"rdfs:comment": note} for note in notes if note is not None]
    return {**{key: one for key, one in told.items() if one is not None}, "notes": said}
