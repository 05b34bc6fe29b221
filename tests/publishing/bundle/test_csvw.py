"""CSVW: the description agrees with its table, and one that does not is found."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from leeward.publishing.bundle import read_bundle, verify_bundle
from leeward.publishing.bundle.csvw import agrees, metadata
from leeward.publishing.bundle.statements import (
    AboutStatement,
    AttributeStatement,
)
from tests.publishing.bundle.tampering import Row, reseal

FILE = "tables/by_sex.csv-metadata.json"


def test_every_field_is_of_the_type_that_is_described(demo: Path) -> None:
    for table in read_bundle(demo):
        described = json.loads((demo / f"tables/{table}.csv-metadata.json").read_bytes())
        columns = described["tableSchema"]["columns"]
        with (demo / "tables" / described["url"]).open(newline="") as file:
            header, *rows = csv.reader(file)
        assert [one["name"] for one in columns] == header
        assert all(one["titles"][0] == one["name"] for one in columns)
        for one, fields in zip(columns, zip(*rows, strict=True), strict=True):
            assert not one["required"] or all(fields)
            assert one["datatype"] == "string" or all(field == "" or int(field) < 2**63
                                                      for field in fields)  # fmt: skip
        key = described["tableSchema"].get("primaryKey", [])
        keys = [tuple(dict(zip(header, row, strict=True))[name] for name in key) for row in rows]
        assert len(keys) == len({*keys})


def test_words_of_the_office_are_in_it(demo: Path) -> None:
    held = read_bundle(demo).certificate
    about = AboutStatement(title="Jobs", source="Register", licence="CC BY 4.0", contact="a@b.c")
    named = {"sex": AttributeStatement(label="Geschlecht", note="Wie gemeldet.")}
    table = held.tables[0].model_copy(update={"title": "By sex", "note": "N.", "attributes": named})
    made = json.loads(metadata(held.model_copy(update={"about": about}), table))
    assert (made["dc:title"], made["dc:description"], made["dc:license"]) == (
        *("By sex", "N.", "CC BY 4.0"),
    )
    assert (made["dc:isPartOf"], made["dc:source"], made["dcat:contactPoint"]) == (
        *("Jobs", "Register", "a@b.c"),
    )
    column = next(one for one in made["tableSchema"]["columns"] if one["name"] == "sex")
    assert column["titles"] == ["sex", "Geschlecht"]
    assert column["dc:description"] == "Wie gemeldet."
    assert made["notes"][0] == {"rdfs:comment": held.guarantee.sentence}


def retitle(content: Row) -> None:
    content["dc:title"] = "of another version"


def retype(content: Row) -> None:
    content["tableSchema"]["columns"][0]["datatype"] = "long"


def redirect(content: Row) -> None:
    content["url"] = "http://example.org/other.csv"


def unlock(content: Row) -> None:
    content["tableSchema"]["primaryKey"].pop()


@pytest.mark.parametrize(
    ("change", "found"), [(retitle, False), (retype, True), (redirect, True), (unlock, True)]
)
def test_a_description_of_another_table_is_found(
    demo: Path, change: Callable[[Row], None], found: bool
) -> None:
    content = json.loads((demo / FILE).read_bytes())
    change(content)
    (demo / FILE).write_text(json.dumps(content))
    reseal(demo, lambda _: None)
    told = f"{FILE} does not describe the table that the certificate states"
    assert verify_bundle(demo) == ((told,) if found else ())


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 99999, b'{"tableSchema": 1}',
                                     b'{"tableSchema": {"columns": [1]}}'])  # fmt: skip
def test_what_is_no_description_is_none(demo: Path, content: bytes) -> None:
    assert not agrees(content, read_bundle(demo).certificate.tables[0])
