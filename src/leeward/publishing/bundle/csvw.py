"""CSVW: a CSV table described for programs, by the W3C's vocabulary for tabular data on the web.

The description is a file beside the table, under the name at which programs look for it. It is
made of the certificate, so it cannot state more than the certificate does.
"""

import json
from typing import Any

from leeward.publishing.bundle.bundle_files import csv_path
from leeward.publishing.bundle.certificate import Certificate
from leeward.publishing.bundle.certified_table import CertifiedTable

VOCABULARY = "http://www.w3.org/ns/csvw"
"""Names the vocabulary; nothing is asked of that address."""

DIALECT = {"encoding": "utf-8", "lineTerminators": ["\n"], "header": True, "delimiter": ","}


def metadata(certificate: Certificate, table: CertifiedTable) -> bytes:
    """The description of a table, in words of the office and of the certificate."""
    about = certificate.about
    office = {
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
    content = structure(table) | {key: text for key, text in office.items() if text is not None}
    content["notes"] = [{"rdfs:comment": note} for note in notes if note is not None]
    unit = "" if table.counts else f", in {table.unit}"
    for column in content["tableSchema"]["columns"]:
        name = column["name"]
        label = f"{table.statistic_words}{unit}" if name == "value" else table.label(name)
        # The header comes first: by it programs find the column.
        column["titles"] = [*dict.fromkeys((name, label))]
        known = (table.attributes or {}).get(name)
        if known is not None and known.note is not None:
            column["dc:description"] = known.note
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def structure(table: CertifiedTable) -> dict[str, Any]:
    """What follows from the columns alone, whatever they are called."""
    columns = [
        {
            "name": name,
            "datatype": "string" if name in table.identifiers else "long",
            "required": name not in table.empty_columns,
        }
        for name in table.columns
    ]
    rows = {"primaryKey": list(table.identifiers)} if table.identifiers else {}
    return {
        "@context": VOCABULARY,
        "url": f"{table.name}.csv",
        "dialect": DIALECT,
        "tableSchema": {"columns": columns, **rows},
    }


def agrees(content: bytes, table: CertifiedTable) -> bool:
    """Whether a description is of this table. Its words may be those of another version."""
    try:
        description = json.loads(content)
        schema = {**description["tableSchema"]}
        schema["columns"] = [
            {key: value for key, value in column.items() if key not in ("titles", "dc:description")}
            for column in schema["columns"]
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False
    own = structure(table)
    return {**{key: description.get(key) for key in own}, "tableSchema": schema} == own


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
