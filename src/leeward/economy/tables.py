"""The three Parquet tables: their columns, and how they are streamed to disk."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.economy.batch import Batch, World
from leeward.economy.blocks import block_column
from leeward.economy.codes import OWNERSHIP, WORKER_CODES
from leeward.economy.places import Places
from leeward.economy.sectors import SECTORS


def write_workplaces(world: World, path: Path) -> None:
    """The whole frame, establishments without jobs included."""
    frame = world.frame
    columns = {
        "workplace_id": pa.array(np.arange(1, len(frame) + 1)),
        "employer_id": pa.array(frame.employer),
        "place": _text(frame.place, Places.of(world.economy).codes),
        **block_column(world.economy),
        "sector": _text(frame.sector, [sector.code for sector in SECTORS]),
        "ownership": _text(frame.ownership, list(OWNERSHIP)),
    }
    batch = pa.record_batch(columns)
    with _writer(path, batch.schema) as writer:
        writer.write_batch(batch)


def write_jobs_and_workers(
    world: World, jobs: Path, workers: Path, progress: Callable[[int, int], None] | None
) -> None:
    """Both tables side by side, a row group per batch."""
    done, total = 0, world.economy.jobs
    with _writer(jobs, _JOBS) as job_writer, _writer(workers, _WORKERS) as worker_writer:
        for batch in world.batches():
            job_writer.write_batch(_jobs(batch))
            worker_writer.write_batch(_workers(batch))
            done += len(batch.worker)
            if progress and done < total:
                progress(done, total)
    if progress:
        progress(total, total)


@contextmanager
def _writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Text is stored by dictionary and read back as plain text."""
    repeated = [each.name for each in schema if each.name not in {"worker_id", "earnings"}]
    with pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=repeated, store_schema=False
    ) as writer:
        yield writer


def _text(positions: NDArray[np.unsignedinteger], codes: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(positions), pa.array(codes))


def _jobs(batch: Batch) -> pa.RecordBatch:
    columns = [batch.worker, batch.workplace, batch.earnings]
    return pa.record_batch([pa.array(column) for column in columns], schema=_JOBS)


def _workers(batch: Batch) -> pa.RecordBatch:
    columns = [_text(batch.people[name], list(codes)) for name, codes in WORKER_CODES.items()]
    return pa.record_batch([pa.array(batch.people_id), *columns], schema=_WORKERS)


_JOBS = pa.schema([(name, pa.int64()) for name in ("worker_id", "workplace_id", "earnings")])
_WORKERS = pa.schema(
    [
        ("worker_id", pa.int64()),
        *((name, pa.dictionary(pa.uint8(), pa.string())) for name in WORKER_CODES),
    ]
)
