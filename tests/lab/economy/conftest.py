from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from leeward.lab.economy import Economy, EconomyFiles, write_economy


@dataclass(frozen=True)
class Written:
    """An economy on disk, read back."""

    economy: Economy
    files: EconomyFiles

    @cached_property
    def workplaces(self) -> pa.Table:
        return pq.read_table(self.files.workplaces)

    @cached_property
    def workers(self) -> pa.Table:
        return pq.read_table(self.files.workers)

    @cached_property
    def jobs(self) -> pa.Table:
        return pq.read_table(self.files.jobs)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Jobs of each establishment, in the order of the workplace table."""
        held = np.bincount(column(self.jobs, "workplace_id"), minlength=len(self.workplaces) + 1)
        sizes: NDArray[np.int64] = held[column(self.workplaces, "workplace_id")]
        return sizes

    @cached_property
    def joined(self) -> pa.Table:
        """One row per job with everything that is known about it."""
        with_people = self.jobs.join(self.workers, "worker_id", join_type="inner")
        return with_people.join(self.workplaces, "workplace_id", join_type="inner")


def write(folder: Path, economy: Economy) -> Written:
    return Written(economy, write_economy(economy, folder))


def column(table: pa.Table, name: str) -> NDArray[Any]:
    values: NDArray[Any] = table.column(name).to_numpy()
    return values


def counts(table: pa.Table, row: str, across: str) -> NDArray[np.int64]:
    """A contingency table."""
    both = [positions(table, name) for name in (row, across)]
    shape = [int(each.max()) + 1 for each in both]
    filled = np.zeros(shape, dtype=np.int64)
    np.add.at(filled, tuple(both), 1)
    return filled


def positions(table: pa.Table, name: str) -> NDArray[np.int64]:
    """Codes as numbers, in the order in which they occur first."""
    encoded = pc.dictionary_encode(table.column(name).combine_chunks())
    found: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64)
    return found


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The economy that one gets without asking for anything."""
    return write(tmp_path_factory.mktemp("town"), Economy())


@pytest.fixture(scope="session")
def country(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Large enough for tails and dependence to show, and for more than one batch."""
    return write(tmp_path_factory.mktemp("country"), Economy(jobs=800_000, establishments=40_000))


@pytest.fixture(scope="session")
def tracts(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A country divided evenly."""
    economy = Economy(jobs=800_000, establishments=40_000, geography="tracts")
    return write(tmp_path_factory.mktemp("tracts"), economy)


@pytest.fixture(scope="session")
def moonlighters(tmp_path_factory: pytest.TempPathFactory) -> Written:
    economy = Economy(jobs=30_001, establishments=1_500, several_jobs="1/10")
    return write(tmp_path_factory.mktemp("moonlighters"), economy)
