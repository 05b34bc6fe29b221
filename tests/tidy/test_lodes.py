"""The form of LODES WAC: groups of columns add up to all jobs."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from leeward.bundle import Bundle, BundleWriter
from leeward.errors import LeewardError
from leeward.model import Flag, Marginal, Published
from leeward.tidy import tidy
from leeward.tidy.lodes import COLUMNS, GROUPS, SECTORS, require_wac, write_wac
from tests.bundle.made_up import certificate, dimension
from tests.tidy.joint_bundle import certified, joint

PLACE = dimension("place", ["p1", "p2", "p3"])
SECTOR = dimension("sector", SECTORS)
BREAKDOWNS = [name for name in GROUPS if name != "sector"]


def release(target: Path, breakdowns: list[str]) -> Path:
    """Two places in two sectors each, with noise that adds up."""
    keys, done = np.array([0, 3, 20, 39]), []
    flags = np.full(4, int(Flag.OK), np.int64)
    with BundleWriter(target) as bundle:
        for name in ("total", *breakdowns):
            worker = () if name == "total" else (dimension(name, list(GROUPS[name]), "workers"),)
            marginal = Marginal(f"wac_{name}", (PLACE, SECTOR), worker)
            jobs = np.tile(np.array([[-3], [20], [7], [100]]), (1, marginal.worker_cells))
            jobs[:, 1:] = -2
            jobs[:, 0] -= jobs[:, 1:].sum(axis=1)
            with bundle.table(marginal, margins=()) as writer:
                writer.write(Published(keys, jobs, flags))
            done.append(certified(writer.facts(), joint(covers=True, unit=None)))
        bundle.seal(certificate(target.name, done))
    return target


@pytest.fixture
def made(tmp_path: Path) -> Bundle:
    return tidy(release(tmp_path / "source", BREAKDOWNS), tmp_path / "tidy")


def test_every_group_of_columns_adds_up_to_all_jobs(made: Bundle, tmp_path: Path) -> None:
    path = write_wac(made, tmp_path / "lodes")
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    assert (len(COLUMNS), tuple(rows[0])) == (53, COLUMNS)
    assert [(row["w_geocode"], row["C000"], row["CNS04"]) for row in rows] == [
        ("p1", "20", "20"),
        ("p2", "107", "0"),
    ]
    for attribute in ("age", "earnings", "sector", "race", "ethnicity", "sex", "schooling"):
        names = [one for one in GROUPS[attribute].values() if one is not None]
        assert sum(int(rows[1][name]) for name in names) == 107
    assert {row[name] for row in rows for name in ("CFA01", "CFS05")} == {"0"}
    listed = (tmp_path / "lodes" / "lodes_tidy.sha256sum").read_text()
    assert "tidy_wac_S000_JT00_2026Q2.csv.gz" in listed
    assert "not data of the Census Bureau" in (tmp_path / "lodes" / "version.txt").read_text()


def test_a_missing_table_is_named_before_anything_is_written(tmp_path: Path) -> None:
    source = release(tmp_path / "source", [one for one in BREAKDOWNS if one != "race"])
    with pytest.raises(LeewardError, match="without a table of race"):
        require_wac(source, tmp_path / "lodes")
    with pytest.raises(LeewardError, match="must be a new folder"):
        require_wac(release(tmp_path / "whole", BREAKDOWNS), tmp_path)
