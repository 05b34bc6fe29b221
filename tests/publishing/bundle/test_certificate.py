import json
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from leeward.core.codebook import BoundedJobs, EveryJob, PrimaryJob, SingleJob
from leeward.core.errors import BadFile, Damaged, InvalidParameter
from leeward.core.privacy import Guarantee
from leeward.core.privacy.job_sentences import jobs
from leeward.core.privacy.words import joined
from leeward.publishing.bundle import (
    Certificate,
    JobsStatement,
    ReleaseGuarantee,
    TableGuarantee,
    certificate_schema,
    establishment_promise,
    firm_promise,
    read_bundle,
    verify_bundle,
    worker_promise,
)
from leeward.publishing.bundle.certificate import published_schema, schema_bytes
from tests.publishing.bundle.made_up import write_demo

GUARANTEES = [
    Guarantee("worker", None, 1),
    Guarantee("establishment", None, Fraction(1, 3)),
    Guarantee("strong", "1/10", 4),
    Guarantee("weak", "1/20", 2, "1e-6"),
    Guarantee("strong", "1/10", 0, 0, "1/8"),
    Guarantee("strong", "1/7", 1, "1/1000", "1/8"),
    Guarantee("strong", "1/10", 900),
]


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((path / "certificate.json").read_text())
    return content


def test_the_published_schema_is_current() -> None:
    assert published_schema() == schema_bytes()
    assert json.loads(published_schema()) == certificate_schema()
    assert certificate_schema()["$id"] == "urn:leeward:certificate:3"
    jsonschema.Draft202012Validator.check_schema(certificate_schema())


def test_an_independent_reader_accepts_a_certificate(demo: Path) -> None:
    schema = json.loads((demo / "certificate.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(read(demo))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            ("format", 4),
            ("format", 1),
            ("software", None),
            ("more", 1),
            ("created", "yesterday"),
            ("plan_digest", "xyz"),
        ),
        *(("tables", []), ("name", "a b"), ("corrects", -1), ("files", {"a": 1})),
        *(("worker", None), ("period", "2026\nQ2"), ("guarantee", {"epsilon": 4})),
    ],
)
def test_both_readers_refuse_the_same(demo: Path, key: str, value: object) -> None:
    content = read(demo) | {key: value}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(certificate_schema()).validate(content)
    with pytest.raises(ValidationError):
        Certificate.model_validate_json(json.dumps(content))


def test_a_certificate_reads_back_as_it_was(demo: Path) -> None:
    certificate = read_bundle(demo).certificate
    assert Certificate.model_validate_json(certificate.to_json()) == certificate
    assert certificate.anchor == ("ledger-1", 7, "3f" * 32)
    assert certificate.guarantee.as_guarantee() == Guarantee("strong", "0.1", 4)
    table = certificate.table("by_sex")
    assert table is not None
    assert (table.workplace_identifiers, table.worker_cells) == (("place", "sector"), 4)
    assert table.codes["place"]["Łódź"] == "label of Łódź"
    assert certificate.table("none") is None


def test_a_certificate_does_not_change(demo: Path) -> None:
    certificate = read_bundle(demo).certificate
    with pytest.raises(ValidationError):
        certificate.name = "other"


def test_a_time_as_python_writes_it_is_a_time(demo: Path) -> None:
    now = datetime.now(UTC).isoformat()
    content = read(demo) | {"created": now}
    assert Certificate.model_validate_json(json.dumps(content)).created == now
    with pytest.raises(ValidationError):
        Certificate.model_validate_json(json.dumps(content | {"created": "2026-13-45T10:00:00Z"}))


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_guarantees_keep_their_exact_numbers(guarantee: Guarantee) -> None:
    assert TableGuarantee.of(guarantee).as_guarantee() == guarantee
    stated = ReleaseGuarantee.of(guarantee, EveryJob(), strict=False)
    assert stated.as_guarantee() == guarantee
    assert (stated.measure, stated.sentence) == (guarantee.measure, guarantee.sentence())


def test_a_measure_that_the_numbers_do_not_have_is_refused() -> None:
    stated = ReleaseGuarantee.of(GUARANTEES[2], SingleJob(), strict=True).model_dump()
    with pytest.raises(ValidationError, match="measure"):
        ReleaseGuarantee.model_validate(stated | {"measure": "zCDP"})


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_promises_to_establishments_and_firms_follow_the_policy(guarantee: Guarantee) -> None:
    establishment, firm = establishment_promise(guarantee, SingleJob()), firm_promise(guarantee)
    if guarantee.policy.name == "worker":
        assert (establishment, firm) == (None, None)
        return
    assert establishment is not None
    assert establishment.epsilon == str(guarantee.epsilon)
    assert firm is not None
    assert firm.two is not None
    assert Fraction(firm.two.epsilon) == 2 * guarantee.epsilon
    assert Fraction(firm.two.rho) == 4 * guarantee.rho
    assert ("squared" in firm.rule) == (guarantee.rho > 0)


def test_promises_say_the_factor() -> None:
    strong = Guarantee("strong", "1/10", 1)
    assert "by at most a factor 2.72 (epsilon 1)" in worker_promise(strong, SingleJob()).sentence
    promise = establishment_promise(strong, SingleJob())
    assert promise is not None
    assert "x and at most 1.1 times x (or one job more)" in promise.sentence
    firm = firm_promise(strong)
    assert firm is not None
    assert "by at most a factor 7.39 (epsilon 2)" in firm.sentence
    big = worker_promise(Guarantee("strong", "1/10", 900), SingleJob())
    assert "without any useful bound" in big.sentence


def test_a_delta_that_two_establishments_use_up_promises_firms_nothing() -> None:
    firm = firm_promise(Guarantee("strong", "1/10", 2, "1/2"))
    assert firm is not None
    assert firm.two is None
    assert firm.sentence.endswith(
        "For a firm of two establishments the odds change without any bound."
    )


def test_a_delta_near_one_leaves_no_bound() -> None:
    guarantee = Guarantee("strong", "1/10", 1, Fraction(9_999_999, 10_000_000), "1/8")
    assert "without any bound" in worker_promise(guarantee, SingleJob()).sentence


@pytest.mark.parametrize(
    ("rule", "epsilon"), [(SingleJob(), 4), (PrimaryJob("pay"), 4), (BoundedJobs(3), 12)]
)
def test_a_worker_is_promised_what_the_jobs_rule_leaves(
    rule: SingleJob | PrimaryJob | BoundedJobs, epsilon: int
) -> None:
    assert worker_promise(GUARANTEES[2], rule).epsilon == str(epsilon)
    stated = JobsStatement.of(GUARANTEES[2], rule)
    assert stated.rule == rule.name
    assert stated.sentence == joined(jobs(GUARANTEES[2], rule))
    assert stated.column == getattr(rule, "column", None)
    assert stated.most == getattr(rule, "most", None)


def test_a_factor_beyond_a_billion_is_a_power() -> None:
    promise = worker_promise(Guarantee("strong", "1/10", 219), SingleJob())
    assert " by at most a factor e^219, more than a billion (epsilon 219). " in promise.sentence


def test_a_worker_of_a_removed_establishment_pays_two_steps() -> None:
    guarantee = Guarantee("establishment", None, 1)
    assert worker_promise(guarantee, SingleJob()).epsilon == "2"


def test_a_path_may_be_a_text(demo: Path) -> None:
    assert read_bundle(str(demo)) == read_bundle(demo)
    assert verify_bundle(str(demo)) == ()
    far = f"{'deep/' * 20}none"
    with pytest.raises(BadFile, match="must be the folder of a bundle") as refusal:
        read_bundle(far)
    assert refusal.value.value == repr(far)


def test_a_path_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="must be the folder of a bundle"):
        read_bundle(tmp_path / "none")
    with pytest.raises(Damaged, match=r"certificate\.json must be there"):
        read_bundle(tmp_path)
    (tmp_path / "certificate.json").write_bytes(b"\xff\0")
    with pytest.raises(Damaged, match=r"certificate\.json must be a certificate"):
        read_bundle(tmp_path)
    (tmp_path / "certificate.json").unlink()
    (tmp_path / "certificate.json").mkdir()
    with pytest.raises(Damaged, match="must be a file"):
        read_bundle(tmp_path)


@pytest.mark.parametrize("name", ["description.json", "regression.json"])
def test_another_paid_folder_is_named_by_its_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(BadFile, match=f"must be the folder of a bundle; got .*, which has {name}"):
        read_bundle(tmp_path)


def test_a_table_that_changed_is_refused(demo: Path) -> None:
    bundle = read_bundle(demo)
    assert bundle.table("total").num_rows == 1
    with pytest.raises(InvalidParameter, match="must be a table of the bundle"):
        bundle.table("none")
    path = demo / "tables" / "total.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(Damaged, match="must be the file that was published"):
        bundle.table("total")
    path.unlink()
    with pytest.raises(Damaged, match="must be there"):
        bundle.table("total")


def test_sealing_returns_the_checksum_in_the_list(tmp_path: Path) -> None:
    digest = write_demo(tmp_path / "demo")
    listed = (tmp_path / "demo" / "checksums.txt").read_text()
    assert f"{digest}  certificate.json\n" in listed
