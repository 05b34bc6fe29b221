"""Entries of establishments are released as dense rows would be, without ever being dense."""

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leeward.core.codebook import TABLES, Entries, SingleJob
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.error_margins import PublicMargins
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise import draws, scales
from leeward.core.noise.law import Law, laplace
from leeward.core.noise.scales import Scales
from leeward.publishing.engines import connect
from tests.publishing.engines.lists import by, listed


class LowMaxima:
    """Adds nothing; the index of a maximum, which alone has a discrete law, is lowered."""

    def rounded(self, true: np.ndarray, law: Law, scales: Scales) -> np.ndarray:
        return true if law == laplace() else true * 3 // 4


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No noise, and maxima that came out low: what is left are clipped sums."""
    monkeypatch.setattr(draws, "SECRET", LowMaxima())


def mechanism(cells: int) -> Clipped:
    return Clipped.calibrated(Parameters.read("0.1", "1", 0, cells, "tight"))


def released(entries: Entries, made: Clipped) -> tuple[np.ndarray, np.ndarray]:
    """Values and margins as a release measures them."""
    values, margins, _ = made.measurement(by_cell=False, margins=PublicMargins()).measure(entries)
    return values, margins["high"] - margins["low"]


def rows(seed: int, cells: int) -> tuple[np.ndarray, Entries]:
    """Dense counts, most of them zeros, and the same as entries in any order."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 3000, (40, cells)) * (rng.random((40, cells)) < 0.3)
    row, cell = np.nonzero(dense)
    order = rng.permutation(row.size)
    sizes = dense.sum(axis=1) + rng.integers(0, 5000, 40)
    entries = dense[row, cell][order], cell[order], row[order]
    return dense, Entries(*entries, sizes, rng.integers(0, 6, 40), shape=(7, cells))


@pytest.mark.parametrize("cells", [1, 2, 7, 300])
@pytest.mark.usefixtures("silent")
def test_entries_give_what_dense_rows_give(cells: int) -> None:
    made = mechanism(cells)
    dense, entries = rows(cells, cells)
    values, margins = released(entries, made)
    expected = made.release(dense, entries.sizes, entries.workplace, workplaces=7)
    assert np.array_equal(values, expected)
    assert margins.shape == values.shape == (7, cells)
    assert values.sum() < dense.sum()  # something was clipped


@pytest.mark.usefixtures("silent")
def test_no_establishments_at_all() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    entries = Entries(nothing, nothing, nothing, nothing, nothing, shape=(4, 3))
    values, _ = released(entries, mechanism(3))
    assert values.tolist() == [[0, 0, 0]] * 4


SOUND = {"counts": [2, 3], "cell": [0, 1], "row": [1, 1], "sizes": [4, 9], "workplace": [0, 1]}
MOST = scales.MOST // mechanism(2).clipping.lattice


@pytest.mark.parametrize(
    "spoilt",
    [
        {"counts": [-1, 3]},
        {"counts": [0.5, 3]},
        {"counts": [2, 8]},
        {"counts": [MOST + 1, 3]},
        {"counts": [2]},
        {"cell": [0, 2]},
        {"cell": [1, 1]},
        {"row": [1, 2]},
        {"row": [0]},
        {"sizes": [4, MOST + 1]},
        {"sizes": [4, MOST]},
        {"sizes": [4, 9, 1]},
        {"workplace": [0, 2]},
        {"workplace": [0, -1]},
    ],
)
def test_entries_that_break_the_proof_are_refused(spoilt: dict[str, list[int]]) -> None:
    columns = {name: np.array(values) for name, values in (SOUND | spoilt).items()}
    with pytest.raises(InvalidParameter):
        released(Entries(**columns, shape=(2, 2)), mechanism(2))


def test_sound_entries_are_not() -> None:
    columns = {name: np.array(values) for name, values in SOUND.items()}
    assert released(Entries(**columns, shape=(2, 2)), mechanism(2))[0].shape == (2, 2)


def test_one_cell_of_many_establishments_is_not_dense(tmp_path: Path) -> None:
    """Known bad: dense rows of this table are 1.6 gigabytes."""
    number = 20_000
    lists = {"workers": {"p": 10_000}}
    book = listed(tmp_path, lists)
    ids = np.arange(number)
    codes = pa.array([f"c{k % 10_000}" for k in range(number)])
    pq.write_table(pa.table({"workplace_id": ids}), tmp_path / "workplaces.parquet")
    pq.write_table(pa.table({"worker_id": ids, "p": codes}), tmp_path / "workers.parquet")
    pq.write_table(pa.table({"worker_id": ids, "workplace_id": ids}), tmp_path / "jobs.parquet")
    table = by(book, "p")
    with connect({name: f"{name}.parquet" for name in TABLES}, tmp_path) as engine:
        engine.prepare(book, SingleJob(), [table], [table])
        tracemalloc.start()
        (batch,) = engine.establishments(table, batch=1)
        values, _ = released(batch.cells.opened(), mechanism(10_000))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert values.shape == (1, 10_000)
    assert peak < 100_000_000
