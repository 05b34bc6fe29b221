"""Writes a made-up economy: three Parquet tables and their codebook, streamed batch by batch."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self, TypeAlias

from leeward.economy.batch import World
from leeward.economy.codebook import (
    PLACE_FILE,
    REGION_FILE,
    codebook_text,
    place_text,
    region_text,
)
from leeward.economy.economy import Economy
from leeward.economy.places import Places
from leeward.economy.tables import write_jobs_and_workers, write_workplaces
from leeward.errors import BadFile, shown

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many jobs are written, of how many."""


@dataclass(frozen=True, slots=True)
class EconomyFiles:
    """Where the parts of an economy lie."""

    workplaces: Path
    workers: Path
    jobs: Path
    codebook: Path
    place_codes: Path
    place_regions: Path

    @classmethod
    def inside(cls, folder: Path) -> Self:
        """The names that the parts have in a folder."""
        return cls(
            workplaces=folder / "workplaces.parquet",
            workers=folder / "workers.parquet",
            jobs=folder / "jobs.parquet",
            codebook=folder / "codebook.yaml",
            place_codes=folder / PLACE_FILE,
            place_regions=folder / REGION_FILE,
        )

    def __iter__(self) -> Iterator[Path]:
        return (getattr(self, each.name) for each in fields(self))


def write_economy(
    economy: Economy, folder: Path, *, progress: Progress | None = None
) -> EconomyFiles:
    """Write the tables and the codebook of an economy into a folder that has none of them.

    Memory holds the establishments and one batch of jobs, however many jobs there are. If
    writing breaks off, nothing remains of it.
    """
    folder = Path(folder)
    with _all_or_nothing(folder) as files:
        world = World.build(economy)
        write_workplaces(world, files.workplaces)
        write_jobs_and_workers(world, files.jobs, files.workers, progress)
        places = Places.of(economy)
        files.place_codes.write_text(place_text(places))
        files.place_regions.write_text(region_text(places))
        files.codebook.write_text(codebook_text(economy))
    return files


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[EconomyFiles]:
    """The files, empty and new; all are removed again if the block fails."""
    files = EconomyFiles.inside(folder)
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in files:
            path.touch(exist_ok=False)
            made.append(path)
        yield files
    except BaseException as failure:
        for path in made:
            with suppress(OSError):
                path.unlink()
        if isinstance(failure, OSError):
            raise _refusal(folder, files, failure) from None
        raise


def _refusal(folder: Path, files: EconomyFiles, failure: OSError) -> BadFile:
    rule = "must be a folder that can be written, with room for the tables"
    next_step = "Name another folder, or make room."
    if isinstance(failure, FileExistsError):
        taken = next((path.name for path in files if path.exists()), None)
        rule = f"must not hold {taken}: nothing is overwritten" if taken else "must be a folder"
        next_step = "Name a new folder."
    value = f"{shown(str(folder))} ({failure.strerror or type(failure).__name__})"
    return BadFile("folder", rule=rule, value=value, next_step=next_step)
