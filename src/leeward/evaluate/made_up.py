"""Made-up data for an evaluation: an economy in a temporary folder, opened by an engine."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leeward.economy import Economy, write_economy
from leeward.engines import Engine, connect
from leeward.model import Codebook, read_codebook


@contextmanager
def made_up(
    economy: Economy, progress: Callable[[int, int], None]
) -> Iterator[tuple[Engine, Codebook]]:
    """The engine and the codebook; nothing is left of the files afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_economy(economy, folder, progress=progress)
        sources = {one: str(getattr(files, one).name) for one in ("workplaces", "workers", "jobs")}
        with connect(sources, folder) as engine:
            yield engine, read_codebook(files.codebook)


def described(economy: Economy) -> str:
    """What the data are, in words."""
    return (
        f"a made-up economy of {economy.jobs:,} jobs in {economy.establishments:,} establishments "
        f"and {economy.place_count:,} {economy.geography} (seed {economy.seed})"
    )
