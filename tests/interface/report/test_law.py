"""What the law asks, and what is public: of the certificate and the tables alone."""

import re
from pathlib import Path
from typing import Any

import pytest

from leeward.core.codebook.legal_passages import BUILT_IN, Law, Passage, read_law
from leeward.core.errors import LeewardError
from leeward.core.privacy.sentences import SIZE_OPEN
from leeward.interface.report.document import report
from leeward.interface.report.promise import CENSUS
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.release.certify import Draft
from tests.interface.report.scene import EVIL, Page, bundle_of
from tests.interface.report.test_document import policy
from tests.publishing.bundle.made_up import TOTAL, write_demo
from tests.publishing.plans import WORKER, planned

OWN = """\
title: Statistics act
passages:
  - {heading: Sizes, source: § 1, asks: Sizes are secret., answers: [size]}
  - {heading: Fines, source: § 2, asks: There are fines.}
"""


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return Page(found[0]).text if found else ""


def with_law(target: Path, law: Law | None, **changes: Any) -> Bundle:  # noqa: ANN401 (fields)
    return bundle_of(target, [TOTAL], law=law, **changes)


def test_each_passage_stands_beside_the_promises_it_names(tmp_path: Path) -> None:
    law = read_law("us-title13", tmp_path)
    assert law is not None
    bundle = with_law(tmp_path / "bundle", law)
    said, stated = section(report(bundle), "law"), bundle.certificate
    assert stated.law == law
    for one in law.passages:
        assert f"{one.heading} {one.source} {one.asks}" in said
    assert stated.establishment is not None
    assert stated.odds is not None
    for sentence in (stated.worker, stated.establishment, stated.odds):
        assert said.count(sentence.sentence) == 1
    assert said.count("No promise of this release is about it.") == 1
    assert "not legal advice" in said


def test_what_is_not_promised_is_no_answer_to_a_passage(tmp_path: Path) -> None:
    law = Law(title="x", passages=(Passage(heading="h", source="s", asks="a", answers=("size",)),))
    page = report(with_law(tmp_path / "bundle", law, **policy("worker", None)))
    assert (
        f'<p class="warn"><strong>The size of an establishment.</strong> {SIZE_OPEN.text}' in page
    )


def test_without_a_law_the_certificate_and_the_report_are_silent(tmp_path: Path) -> None:
    bundle = with_law(tmp_path / "bundle", None)
    assert '"law"' not in (bundle.path / "certificate.json").read_text()
    assert section(report(bundle), "law") == ""


def test_a_law_is_text_of_strangers(tmp_path: Path) -> None:
    law = Law(title=EVIL, passages=(Passage(heading=EVIL, source=EVIL, asks=EVIL),))
    page = report(with_law(tmp_path / "bundle", law))
    assert Page(page).words.count(EVIL) == 4
    assert "<script" not in page


def test_a_law_of_the_office_travels_from_its_file_to_the_certificate(tmp_path: Path) -> None:
    (tmp_path / "act.yaml").write_text(OWN)
    plan = planned(tmp_path, "{name: a, by: [place]}", protect=WORKER, more="law: act.yaml\n")
    assert plan.law is not None
    assert [one.answers for one in plan.law.passages] == [("size",), ()]
    assert Draft.of(plan).statements["law"] == plan.law
    assert plan.request.public()["law"] == "act.yaml"
    assert planned(tmp_path, "{name: a, by: [place]}", more="law: none\n").law is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OWN.replace("size]", "sizes]"), "answers[0]: must be one of odds, worker, size"),
        (OWN.replace("§ 1", f"'{'x' * 201}'"), "source: must be one line of 1 to 200"),
        (OWN.replace("Sizes are secret.", "''"), "asks: must be a text of 1 to 2,000"),
        ("title: x\npassages: []\n", "passages: must not be empty"),
        (None, f"law: must be {', '.join(BUILT_IN)}, none, or a file that exists"),
    ],
)
def test_a_wrong_law_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / "act.yaml").write_text(text)
    with pytest.raises(LeewardError, match=re.escape(told)):
        planned(tmp_path, "{name: a, by: [place]}", more="law: act.yaml\n")


def test_every_number_that_is_public_is_of_the_bundle(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    bundle = read_bundle(tmp_path / "demo")
    said = section(report(bundle), "public").replace(CENSUS, "")
    known = set(re.findall(r"[0-9a-f]{8,}|\d+", bundle.certificate.to_json().decode()))
    tables = [bundle.table(one.name).to_pylist() for one in bundle.certificate.tables]
    values = [[row["value"] for row in rows if row["status"] == 1] for rows in tables]
    noisy = sum(map(len, values))
    jobs = sum(sorted((one for one in values if sum(one) > 0), key=len)[0])
    own = {f"{noisy}", f"{jobs:,}", f"{noisy / jobs:.3g}", "0.1", "0.1.0", "256"}
    numbers = re.findall(r"[0-9a-f]{8,}|\d[\d,.]*\d|\d", said)
    assert [one for one in numbers if one.replace(",", "") not in known and one not in own] == []
    for needed in ("α 0.1", "ε 4", bundle.certificate.ledger.head, "d4" * 32, f"{noisy} numbers"):
        assert needed in said.replace("\u00a0", " ")


def test_numbers_for_each_job_need_a_table_of_all_jobs(tmp_path: Path) -> None:
    some = bundle_of(tmp_path / "some", [TOTAL], table={"where": {"sex": ["F"]}})
    assert "for each job" not in section(report(some), "public").replace(CENSUS, "")
