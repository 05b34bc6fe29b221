from pathlib import Path

import pytest
from pydantic import JsonValue

from leeward.core.codebook import SingleJob
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import (
    Certificate,
    establishment_promise,
    firm_promise,
    read_bundle,
    worker_promise,
)
from leeward.publishing.bundle.readme import CODE, WIDTH, readme
from leeward.publishing.bundle.software import version_line


@pytest.fixture
def certificate(demo: Path) -> Certificate:
    return read_bundle(demo).certificate


def said(certificate: Certificate) -> str:
    return " ".join(readme(certificate).split())


def test_it_repeats_what_is_promised(certificate: Certificate) -> None:
    text = said(certificate)
    assert certificate.guarantee.sentence in text
    assert certificate.worker.sentence in text
    assert certificate.establishment is not None
    assert certificate.establishment.sentence in text
    assert certificate.firm is not None
    assert certificate.firm.sentence in text
    assert certificate.jobs.sentence in text


NEEDED = [
    "Negative values are right",
    "unbiased",
    "makes every sum too large",
    "in nine of ten cells",
    "LEHD public-use schema",
    "-2 means that there is no data in this category",
    "Sums add noise",
    "leeward verify FOLDER",
    "sha256sum --check checksums.txt",
    "Combinations without one are left out, unless the table is complete",
    "by_sex: 20 rows, by place × sector × sex × school.",
    "entry N, the entry of the ledger",
]


def test_it_explains_what_a_reader_must_know(certificate: Certificate) -> None:
    text = said(certificate)
    assert [words for words in NEEDED if words not in text] == []


def test_it_says_what_the_worker_policy_leaves_open(certificate: Certificate) -> None:
    guarantee = Guarantee("worker", None, 1)
    changes = {
        "worker": worker_promise(guarantee, SingleJob()),
        "establishment": establishment_promise(guarantee, SingleJob()),
        "firm": firm_promise(guarantee),
    }
    text = said(certificate.model_copy(update=changes))
    assert "For an establishment. It does NOT protect the sizes of establishments" in text
    assert "For a firm." not in text


def test_it_names_attributes_bias_and_corrections(certificate: Certificate) -> None:
    low = certificate.tables[0].model_copy(update={"bias": "Clipped values are low."})
    changes = {"weak_attributes": ("sex", "age"), "corrects": 3, "tables": (low,)}
    text = said(certificate.model_copy(update=changes))
    assert "combinations of these attributes: sex, age." in text
    assert "It corrects the release of ledger entry 3." in text
    assert "the values of by_sex may be off. Clipped values are low." in text


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"sex": ["F"]}, "Only jobs whose sex is F."),
        (
            {"place": ["01", "02", "03"], "sex": ["F"]},
            "Only jobs whose place is 01, 02 or 03 and whose sex is F.",
        ),
        (
            {"place": [f"{n:03}" for n in range(500)]},
            "Only jobs whose place is one of 500 codes that the certificate lists.",
        ),
    ],
)
def test_it_says_which_jobs_a_filtered_table_counts(
    certificate: Certificate, where: dict[str, JsonValue], words: str
) -> None:
    table = certificate.tables[0].model_copy(update={"where": where})
    assert f" {words} " in said(certificate.model_copy(update={"tables": (table,)}))
    assert "Only jobs" not in said(certificate)


def test_it_does_not_call_the_noise_small(certificate: Certificate) -> None:
    text = said(certificate)
    assert "In a small cell the noise may be larger than the count itself." in text
    assert "noise is small" not in text


def test_the_margins_are_named_where_all_tables_have_them(certificate: Certificate) -> None:
    words = "The margin beside a value says how far off it may be."
    kept = tuple(table for table in certificate.tables if table.has_margins)
    assert words in said(certificate.model_copy(update={"tables": kept}))
    assert words not in said(certificate)


def test_lines_fit_a_screen(certificate: Certificate) -> None:
    lines = readme(certificate).splitlines()
    assert [line for line in lines if len(line) > WIDTH and not line.startswith(CODE)] == []


def test_the_version_is_one_line_without_blanks_in_words(
    demo: Path, certificate: Certificate
) -> None:
    line = (demo / "version_demo.txt").read_text()
    assert line == f"LEEWARD demo 2026Q2 V0.1.0 C3 20261115 entry 7 {'3f' * 32}\n"
    spaced = certificate.model_copy(update={"period": "second quarter"})
    assert "second_quarter" in version_line(spaced)
