"""A cell over releases: numbers as published, by period, and which releases belong together."""

from pathlib import Path

import numpy as np
import pytest

from leeward import tidy
from leeward.core.codebook import Flag, Marginal, Published
from leeward.core.errors import InvalidParameter
from leeward.derived.derive.series import alike, releases_at, series
from leeward.publishing.bundle import Bundle, BundleWriter, read_bundle
from tests.publishing.bundle.made_up import certificate, certified, dimension
from tests.publishing.bundle.made_up_pay import write_pay

BOTH = ["01", "02"]


def write_quarter(target: Path, period: str, jobs: int, codes: list[str] = BOTH) -> Bundle:
    """A release of two places; the first has so many jobs."""
    marginal = Marginal("jobs", (dimension("place", codes),), ())
    values = np.array([[jobs]] * len(codes))
    flags = np.full(len(codes), int(Flag.OK))
    with BundleWriter(target) as bundle:
        with bundle.table(marginal, margins=("margin",)) as writer:
            margins = {"margin": np.full_like(values, 30)}
            writer.write(Published(np.arange(len(codes)), values, flags, margins))
        bundle.seal(certificate(target.name, [certified(writer)], period=period))
    return read_bundle(target)


def test_points_are_in_the_order_of_periods_each_release_once(tmp_path: Path) -> None:
    late = write_quarter(tmp_path / "a", "2026Q2", 120)
    early = write_quarter(tmp_path / "b", "2025Q4", -5)
    lacking = write_quarter(tmp_path / "c", "2026Q1", 9, ["02"])
    found = series(late, "jobs", {"place": "01"}, [early, lacking, late])
    assert found.to_csv().splitlines() == [
        "period,release,value,low,high,status",
        "2025Q4,b,-5,-35,25,1",
        "2026Q2,a,120,90,150,1",
    ]
    assert "The cell is not in the table of c, 2026Q1." in found.notes
    assert "The codes of place differ: cells with a code of one list are in one release." in (
        found.notes
    )
    assert found.to_dict()["cell"] == {"place": "01"}


def test_pay_keeps_what_is_missing(tmp_path: Path) -> None:
    held = read_bundle(write_pay(tmp_path / "pay"))
    rows = [series(held, "means", {"place": code}).points[0] for code in ("02", "04")]
    assert [(row.value, row.ends, row.status) for row in rows] == [
        (None, None, -1),
        (390_000, (120_000, None), 1),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two quarters, the first of them tidied too, a release of pay, and something else."""
    made = tmp_path_factory.mktemp("releases")
    tidy(write_quarter(made / "a", "2026Q1", 1).path, made / "tidy")
    write_quarter(made / "b", "2026Q2", 2)
    write_pay(made / "pay")
    (made / "no-bundle").mkdir()
    return made


def test_a_folder_gives_the_releases_with_the_same_table(folder: Path) -> None:
    kept, left_out = alike(read_bundle(folder / "a"), "jobs", releases_at(folder))
    assert ([one.path.name for one in kept], left_out) == (["a", "b"], 2)


@pytest.mark.parametrize(
    ("cell", "other", "says"),
    [
        ({}, "a", "--cell: must give a code to each of place, and to nothing else; got 'nothing'"),
        ({"place": "01", "x": "1"}, "a", "and to nothing else; got 'place, x'"),
        ({"place": "9"}, "a", "--cell: must give a code of place that the table has; got '9'"),
        ({"place": "01"}, "pay", "must be a table of every release; got no 'jobs' in pay"),
        ({"place": "01"}, "tidy", "must be bundles as released, or tidy ones, and not both"),
    ],
)
def test_what_is_no_series_is_refused(
    cell: dict[str, str], other: str, says: str, folder: Path
) -> None:
    with pytest.raises(InvalidParameter, match=says) as refusal:
        series(read_bundle(folder / "a"), "jobs", cell, [read_bundle(folder / other)])
    assert refusal.value.next_step
