"""The files of a made-up economy: Parquet tables, written in batches, and a codebook."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leeward.core.errors import BadFile, shown
from leeward.lab.economy.cohorts import COHORT_CODES, Careers
from leeward.lab.economy.economy_codebook import (
    PLACE_FILE,
    REGION_FILE,
    ZONE_FILE,
    codebook_text,
    place_text,
    population_text,
    region_text,
    zone_text,
)
from leeward.lab.economy.histories import JobHistories, Wages
from leeward.lab.economy.homes import Homes
from leeward.lab.economy.job_batches import JobBatch, MadeUpWorld
from leeward.lab.economy.made_up_codes import (
    COHORT_KINDS,
    OWNERSHIP,
    SECTORS,
    WORKER_CODES,
)
from leeward.lab.economy.made_up_economy import Economy, quarter_name
from leeward.lab.economy.places import Places, block_column

_CODE = pa.dictionary(pa.uint8(), pa.string())


_JOBS = pa.schema([(name, pa.int64()) for name in ("worker_id", "workplace_id", "earnings")])


_WORKERS = pa.schema(
    [
        ("worker_id", pa.int64()),
        *((name, _CODE) for name in WORKER_CODES),
    ]
)


_HOME = pa.field("home", pa.dictionary(pa.uint16(), pa.string()))


_WAGES = pa.schema(
    [
        ("worker_id", pa.int64()),
        ("workplace_id", pa.int64()),
        ("quarter", _CODE),
        ("earnings", pa.int64()),
    ]
)


_COHORTS = pa.schema(
    [
        ("worker_id", pa.int64()),
        ("kind", _CODE),
        ("institution", _CODE),
        ("year", pa.int64()),
        *((name, _CODE) for name in COHORT_CODES if name != "institution"),
    ]
)


Progress: TypeAlias = Callable[[int, int], None]
"""Progress callback: jobs written, and jobs in total."""


Rows: TypeAlias = Callable[[JobBatch], Iterator[pa.RecordBatch]]
"""The row groups of a table that a batch of jobs gives."""


@dataclass(frozen=True, slots=True)
class EconomyFiles:
    """The paths of an economy's tables, codebook and code lists; others if asked for."""

    workplaces: Path
    workers: Path
    jobs: Path
    codebook: Path
    place_codes: Path
    place_regions: Path
    wages: Path | None = None
    cohorts: Path | None = None
    home_zones: Path | None = None
    population: Path | None = None

    @classmethod
    def inside(cls, folder: Path, economy: Economy) -> Self:
        """The names that the parts have in a folder."""
        return cls(
            workplaces=folder / "workplaces.parquet",
            workers=folder / "workers.parquet",
            jobs=folder / "jobs.parquet",
            codebook=folder / "codebook.yaml",
            place_codes=folder / PLACE_FILE,
            place_regions=folder / REGION_FILE,
            wages=folder / "wages.parquet" if economy.quarters else None,
            cohorts=folder / "cohorts.parquet" if economy.cohorts else None,
            home_zones=folder / ZONE_FILE if economy.homes else None,
            population=folder / "population.csv" if economy.homes else None,
        )

    def __iter__(self) -> Iterator[Path]:
        paths = (getattr(self, each.name) for each in fields(self))
        return (path for path in paths if path is not None)


def write_economy(
    economy: Economy, folder: Path, *, progress: Progress | None = None
) -> EconomyFiles:
    """Write the tables and the codebook of an economy into a folder that has none of them.

    Memory holds the establishments, their growth in every quarter and one batch of jobs, however
    many jobs there are. If writing breaks off, nothing remains of it.
    """
    folder = Path(folder)
    with _all_or_nothing(folder, economy) as files:
        world = MadeUpWorld.build(economy)
        write_workplaces(world, files.workplaces)
        write_batches(world, files, progress)
        places = Places.of(economy)
        files.place_codes.write_text(place_text(places))
        files.place_regions.write_text(region_text(places))
        write_map(economy, files)
        files.codebook.write_text(codebook_text(economy))
    return files


def write_map(economy: Economy, files: EconomyFiles) -> None:
    """The zones of homes, and people and coordinates of places; nothing without homes."""
    if files.home_zones and files.population:
        homes = Homes.of(economy)
        files.home_zones.write_text(zone_text(homes))
        files.population.write_text(population_text(homes))


@contextmanager
def _all_or_nothing(folder: Path, economy: Economy) -> Iterator[EconomyFiles]:
    """The files, empty and new; all are removed again if the block fails."""
    files = EconomyFiles.inside(folder, economy)
    paths: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in files:
            path.touch(exist_ok=False)
            paths.append(path)
        yield files
    except BaseException as failure:
        for path in paths:
            with suppress(OSError):
                path.unlink()
        if not isinstance(failure, OSError):
            raise
        rule = "must be a folder that can be written, with room for the tables"
        next_step = "Name another folder, or make room."
        if isinstance(failure, FileExistsError):
            taken = next((path.name for path in files if path.exists()), None)
            rule = f"must not hold {taken}: nothing is overwritten" if taken else "must be a folder"
            next_step = "Name a new folder."
        value = f"{shown(str(folder))} ({failure.strerror or type(failure).__name__})"
        raise BadFile("folder", rule=rule, value=value, next_step=next_step) from None


def write_workplaces(world: MadeUpWorld, path: Path) -> None:
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


def write_batches(world: MadeUpWorld, files: EconomyFiles, progress: Progress | None) -> None:
    """The tables that follow from jobs, side by side, a batch at a time."""
    done, total = 0, world.economy.jobs
    with ExitStack() as stack:
        tables = [
            (stack.enter_context(_writer(path, schema)), rows)
            for path, schema, rows in _tables(world, files)
        ]
        for batch in world.batches():
            for writer, rows in tables:
                for group in rows(batch):
                    writer.write_batch(group)
            done += len(batch.worker)
            if progress and done < total:
                progress(done, total)
    if progress:
        progress(total, total)


def _tables(world: MadeUpWorld, files: EconomyFiles) -> Iterator[tuple[Path, pa.Schema, Rows]]:
    yield files.jobs, _JOBS, _jobs
    yield files.workers, *_workers_table(world)
    if files.wages:
        histories = JobHistories.build(world)
        yield files.wages, _WAGES, lambda batch: map(_wages, histories.of(batch))
    if files.cohorts:
        yield files.cohorts, _COHORTS, lambda batch: _cohorts(world.economy, batch)


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


def _jobs(batch: JobBatch) -> Iterator[pa.RecordBatch]:
    columns = [batch.worker, batch.workplace, batch.earnings]
    yield pa.record_batch([pa.array(column) for column in columns], schema=_JOBS)


def _workers(batch: JobBatch) -> Iterator[pa.RecordBatch]:
    listed = batch.listed
    columns = [
        _text(batch.people[name][listed], list(codes)) for name, codes in WORKER_CODES.items()
    ]
    yield pa.record_batch([pa.array(batch.worker[listed]), *columns], schema=_WORKERS)


def _workers_table(world: MadeUpWorld) -> tuple[pa.Schema, Rows]:
    """The worker table; homes are one more column of it, drawn by themselves."""
    if not world.economy.homes:
        return _WORKERS, _workers
    homes, schema = Homes.of(world.economy), _WORKERS.append(_HOME)

    def rows(batch: JobBatch) -> Iterator[pa.RecordBatch]:
        drawn = homes.of_workers(world.economy, batch, world.frame.place)
        home = _text(drawn, homes.places.codes)
        for worker in _workers(batch):
            yield pa.record_batch([*worker.columns, home], schema=schema)

    return schema, rows


def _wages(wages: Wages) -> pa.RecordBatch:
    quarter = _text(np.zeros(len(wages.worker), dtype=np.uint8), [quarter_name(wages.quarter)])
    worker, workplace, earnings = map(pa.array, (wages.worker, wages.workplace, wages.earnings))
    return pa.record_batch([worker, workplace, quarter, earnings], schema=_WAGES)


def _cohorts(economy: Economy, batch: JobBatch) -> Iterator[pa.RecordBatch]:
    """A code that belongs to another kind of cohort is empty."""
    careers = Careers.draw(economy, batch)
    columns = {
        "worker_id": pa.array(batch.worker[careers.line]),
        "kind": _text(careers.kind, list(COHORT_KINDS)),
        "year": pa.array(careers.year),
    }
    for name, codes in COHORT_CODES.items():
        positions = pa.array(careers.codes[name], mask=~careers.has(name))
        columns[name] = pa.DictionaryArray.from_arrays(positions, pa.array(list(codes)))
    yield pa.record_batch([columns[name] for name in _COHORTS.names], schema=_COHORTS)
