"""Words for readers: they reach the certificate, and make no other release of the same one."""

import re
from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.request import UNCHARGED, written
from leeward.publishing.release.certify import Draft
from tests.publishing.plans import CODEBOOK, STRONG, planned

SEX = "sex: {table: workers, codes: [F, M]"
LABELLED = CODEBOOK.replace(SEX, f"{SEX}, label: Geschlecht, note: Wie gemeldet.")
WORDS = """\
title: Beschäftigte
description: Für Gemeinden.
contact: amt@example.org
source: Register
licence: CC BY 4.0
law: us-title13
"""
TABLE = "name: a, by: [place], breakdowns: [sex, [sex, education]]"


def worded(folder: Path) -> Plan:
    return planned(
        folder, f"{{{TABLE}, title: Orte, note: Ohne Pendler.}}", more=WORDS, codebook=LABELLED
    )


def test_words_reach_the_certificate(tmp_path: Path) -> None:
    draft = Draft.of(worded(tmp_path))
    about = draft.statements["about"]
    assert about.model_dump() == {
        "title": "Beschäftigte",
        "description": "Für Gemeinden.",
        "contact": "amt@example.org",
        "source": "Register",
        "licence": "CC BY 4.0",
    }
    total, by_sex, by_both = draft.tables
    assert [one.title for one in draft.tables] == [
        "Orte",
        "Orte: Geschlecht",
        "Orte: Geschlecht × education",
    ]
    assert {one.note for one in draft.tables} == {"Ohne Pendler."}
    assert by_sex.label("sex") == "Geschlecht"
    assert (by_both.attributes or {})["sex"].note == "Wie gemeldet."
    assert (total.attributes, total.label("place")) == (None, "place")


def test_a_certificate_without_words_has_no_key_for_them(tmp_path: Path) -> None:
    draft = Draft.of(planned(tmp_path, f"{{{TABLE}}}"))
    assert draft.statements["about"] is None
    assert not {"title", "note", "attributes"} & {*draft.tables[0].model_dump()}


def test_words_change_no_digest_and_all_else_does(tmp_path: Path) -> None:
    """Else another title would let the same tables of the same data be charged again."""
    plain = planned(tmp_path, f"{{{TABLE}}}")
    with_words = worded(tmp_path)
    assert with_words.digest == plain.digest
    assert with_words.codebook_digest == plain.codebook_digest
    assert {*with_words.request.public()} - {*plain.request.public()} == UNCHARGED
    others = [
        planned(tmp_path, f"{{{TABLE.replace('a,', 'b,', 1)}}}"),
        planned(tmp_path, f"{{{TABLE}, complete: true}}"),
        planned(tmp_path, f"{{{TABLE}}}", protect=STRONG.replace("4", "3")),
    ]
    assert len({one.digest for one in (plain, *others)}) == 4


def test_a_plan_with_words_is_written_and_read_again(tmp_path: Path) -> None:
    plan = worded(tmp_path)
    plan.path.write_text(written(plan.request))
    assert read_plan(plan.path).request == plan.request


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (f"title: {'x' * 201}\n", "plan.title: must be one line of 1 to 200 characters"),
        ("contact: ''\n", "plan.contact: must be one line of 1 to 200 characters"),
        (f"description: {'x' * 2001}\n", "plan.description: must be a text of 1 to 2,000"),
    ],
)
def test_words_that_no_page_holds_are_refused(tmp_path: Path, more: str, told: str) -> None:
    with pytest.raises(LeewardError, match=re.escape(told)):
        planned(tmp_path, f"{{{TABLE}}}", more=more)
