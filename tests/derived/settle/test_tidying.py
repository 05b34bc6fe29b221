"""Tidy bundles: what they hold, what they say, what verify finds, and what is refused."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leeward import tidy
from leeward.core.errors import LeewardError
from leeward.publishing.bundle import (
    Bundle,
    Certificate,
    CertifiedTable,
    read_bundle,
    verify_bundle,
)
from leeward.publishing.bundle.rows import margin_findings
from leeward.publishing.bundle.verify import source_findings
from leeward.publishing.bundle.witness import history_findings
from tests.derived.settle.joint_bundle import released, truth, write_joint
from tests.publishing.bundle.made_up import write_demo

Made = dict[str, Bundle]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("joint")
    source = write_joint(folder / "source")
    return {
        "source": read_bundle(source),
        "tidy": tidy(source, folder / "tidy"),
        "shrunk": tidy(source, folder / "shrunk", shrink=True),
    }


def values(bundle: Bundle, table: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    column: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = bundle.table(table)[
        "value"
    ].to_numpy()
    return column.reshape(truth()[table].shape)


@pytest.mark.parametrize("kind", ["tidy", "shrunk"])
def test_joint_tables_add_up_and_are_not_negative(made: Made, kind: str) -> None:
    bundle = made[kind]
    total, ages, schooling = (values(bundle, name) for name in truth())
    assert verify_bundle(bundle.path) == ()
    assert min(total.min(), ages.min(), schooling.min()) == 0
    assert np.array_equal(ages.sum(axis=1), total[:, 0])
    assert (schooling.sum(axis=1) <= total[:, 0]).all()
    assert np.array_equal(total, np.maximum(released()["wac_total"], 0))


def test_released_numbers_and_bounds_stay_beside_tidy_ones(made: Made) -> None:
    for name in truth():
        before, after = (made[one].table(name) for one in ("source", "tidy"))
        assert after["released"].equals(before["value"])
    assert after.column_names == ["place", "sector", "schooling", "value", "status", "released"]
    assert made["tidy"]["wac_total"].columns[-2:] == ("released", "bound")


def test_tidying_and_shrinking_lower_the_error(made: Made) -> None:
    """As measured: 6.7, 4.9 and 3.9 jobs."""
    cells = [name for name in truth() if name != "wac_total"]
    errors = {
        kind: np.mean([np.abs(values(one, name) - truth()[name]).mean() for name in cells])
        for kind, one in made.items()
    }
    assert errors["tidy"] < 0.85 * errors["source"]
    assert errors["shrunk"] < 0.65 * errors["source"]


def test_the_certificate_names_its_source_and_inherits_its_promises(made: Made) -> None:
    source, tidied = made["source"].certificate, made["shrunk"].certificate
    assert tidied.made_from is not None
    assert (tidied.origin, tidied.made_from.method) == (source.origin, "tidy, shrunk")
    assert (tidied.guarantee, tidied.budget) == (source.guarantee, source.budget)
    added = tidied.tables[0].tidied
    assert added is not None
    assert added.added == values(made["shrunk"], "wac_total").sum() - released()["wac_total"].sum()
    assert "not negative" in (made["shrunk"].path / "README.txt").read_text()


def test_a_release_and_its_tidy_bundle_are_one_entry(made: Made) -> None:
    paths = {name: one.certificate for name, one in made.items()}
    assert history_findings(paths) == ()
    other = made["source"].certificate.model_copy(update={"name": "other"})
    (found,) = history_findings({"tidy": made["tidy"].certificate, "other": other})
    assert "claim the same entry" in found


def test_the_source_is_compared(made: Made, tmp_path: Path) -> None:
    assert source_findings(made["tidy"].path, made["source"].path) == ()
    other = write_joint(tmp_path / "source", unit=None)
    (found,) = source_findings(made["tidy"].path, other)
    assert found == "it was made from another release than source"
    (found,) = source_findings(made["source"].path, other)
    assert found == "it is a release, which has no source"


def test_other_released_numbers_are_found(made: Made, tmp_path: Path) -> None:
    """Known bad: a tidy bundle of other numbers that claims this source."""
    noise = released()
    noise["wac_age"][0] += [5, -5, 0]
    other = tidy(write_joint(tmp_path / "source", values=noise), tmp_path / "tidy")
    claim = {"made_from": made["tidy"].certificate.made_from}
    text = other.certificate.model_copy(update=claim).to_json()
    (other.path / "certificate.json").write_bytes(text)
    (found,) = source_findings(other.path, made["source"].path)
    assert found == "the table wac_age does not hold what its source released"


def test_joint_tables_that_do_not_add_up_are_found(tmp_path: Path) -> None:
    noise = released()
    noise["wac_age"][3, 0] += 1
    findings = verify_bundle(write_joint(tmp_path / "source", values=noise))
    assert findings == ("the table wac_age does not add up to the table wac_total",)


def test_shrinking_needs_noise_of_public_size(tmp_path: Path) -> None:
    source = write_joint(tmp_path / "source", unit=None)
    with pytest.raises(LeewardError, match=r"--shrink.*the table wac_age"):
        tidy(source, tmp_path / "tidy", shrink=True)
    assert not (tmp_path / "tidy").exists()


def test_shrinking_needs_joint_tables(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    with pytest.raises(LeewardError, match="drawn together"):
        tidy(tmp_path / "demo", tmp_path / "tidy", shrink=True)


def test_what_is_tidy_or_damaged_is_not_tidied(made: Made, tmp_path: Path) -> None:
    with pytest.raises(LeewardError, match="made from source"):
        tidy(made["tidy"].path, tmp_path / "again")
    spoiled = Path(shutil.copytree(made["source"].path, tmp_path / "source"))
    (spoiled / "README.txt").write_text("other")
    with pytest.raises(LeewardError, match="must be sound"):
        tidy(spoiled, tmp_path / "again")


def test_tables_of_different_establishments_are_refused(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    with pytest.raises(LeewardError, match="by_sex or by_place that the other one lacks"):
        tidy(tmp_path / "demo", tmp_path / "tidy")


@pytest.mark.parametrize(
    ("table", "rule"),
    [
        ({"partial": ("county",)}, "of identifiers and their codes"),
        ({"impossible": ({"age": "A09"},)}, "of identifiers and their codes"),
        ({"parents": {"region": {"of": "place", "codes": {"000": "N"}}}}, "of identifiers and"),
        ({"tidied": None}, "columns must be"),
    ],
)
def test_certificates_that_contradict_themselves_are_refused(
    made: Made, table: dict[str, object], rule: str
) -> None:
    stated = made["tidy"].certificate.tables[1].model_dump() | table
    with pytest.raises(ValueError, match=rule):
        CertifiedTable.model_validate(stated)


def test_a_tidied_table_is_made_from_a_release(made: Made) -> None:
    with pytest.raises(ValueError, match="tables are tidied if"):
        Certificate.model_validate(made["tidy"].certificate.model_dump() | {"made_from": None})


def test_negative_tidy_values_are_found() -> None:
    rows = pa.table({"value": [-1], "released": [-1], "margin": [3]})
    findings = margin_findings(["released", "margin"], rows, np.array([False]))
    assert list(findings) == ["is tidied and has negative values"]
