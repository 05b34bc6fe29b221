"""Presets: the design of a paper: workloads and grid, with a made-up economy of its size."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from leeward.core.codebook import TABLES, Codebook, read_codebook
from leeward.core.errors import InvalidParameter, did_you_mean, shown
from leeward.core.exact import Number
from leeward.core.privacy import StrongAlpha
from leeward.core.privacy.policy import plus_of, with_plus
from leeward.lab.economy import Economy, write_economy
from leeward.lab.evaluate.workloads import (
    ALL_MARGINS,
    LODES_SIX,
    WORKPLACE,
    Grid,
    Workload,
    exact,
    margin_workloads,
    six_workloads,
    table,
)
from leeward.publishing.engines import Engine, connect

NATION = (10_900_000, 527_000)
"""Jobs and establishments of the full presets."""


WORKLOADS: Mapping[str, Callable[[Codebook], tuple[Workload, ...]]] = {
    ALL_MARGINS: margin_workloads,
    LODES_SIX: six_workloads,
}
"""What may be evaluated in place of the workloads of a preset."""


@dataclass(frozen=True)
class WorkloadSpec:
    """A workload of a preset, before there is a codebook."""

    name: str
    by: tuple[str, ...]
    words: str
    alone: bool = False


@dataclass(frozen=True)
class Preset:
    """Workloads, grid and economy."""

    name: str
    words: str
    economy: Economy
    asked: tuple[WorkloadSpec, ...]
    grid: Grid
    named: str | None = None
    """One of WORKLOADS, in place of those that are asked for."""
    classical: bool = False
    """Whether withholding and rounding are compared too."""

    def with_trials(self, trials: int) -> "Preset":
        """The same with every setting drawn more or less often."""
        return replace(self, grid=self.grid.with_trials(trials))

    def with_plus(self, plus: int) -> "Preset":
        """The same with another Δ in every promise that has an α."""
        jobs = plus_of(with_plus(StrongAlpha(), plus)) or 1
        return replace(self, grid=replace(self.grid, plus=jobs))

    def with_settings(self, alphas: Iterable[Number], epsilons: Iterable[Number]) -> "Preset":
        """The same at other α, or other ε; none given leaves them as they are."""
        return replace(self, grid=self.grid.with_settings(alphas, epsilons))

    def with_classical(self) -> "Preset":
        """The same, and withholding and rounding on the same tables."""
        return replace(self, classical=True)

    def with_workload(self, name: str) -> "Preset":
        """The same grid and economy with another workload: all_margins or lodes_six."""
        if name not in WORKLOADS:
            raise InvalidParameter(
                "--workload",
                rule=f"must be {' or '.join(WORKLOADS)}, or left out for those of the preset",
                value=shown(name),
                next_step=did_you_mean(name, WORKLOADS, "Choose one, or leave it out."),
            )
        return replace(self, named=name)

    def workloads(self, codebook: Codebook) -> tuple[Workload, ...]:
        """The workloads, their attributes looked up."""
        if self.named is not None:
            return WORKLOADS[self.named](codebook)
        return tuple(
            Workload(spec.name, spec.words, table("_".join(spec.by), spec.by, codebook), spec.alone)
            for spec in self.asked
        )


_PLACES = (
    WorkloadSpec("place_sector_ownership", WORKPLACE, "place × sector × ownership"),
    WorkloadSpec(
        "single_queries",
        (*WORKPLACE, "sex", "education"),
        "single queries of place × sector × ownership × sex × education",
        alone=True,
    ),
    WorkloadSpec(
        "whole_marginal",
        (*WORKPLACE, "sex", "education"),
        "the whole table place × sector × ownership × sex × education",
    ),
)


_TRACTS = (
    WorkloadSpec("three_way", WORKPLACE, "tract × sector × ownership"),
    WorkloadSpec("with_age", (*WORKPLACE, "age"), "tract × sector × ownership × age"),
    WorkloadSpec(
        "with_age_sex", (*WORKPLACE, "age", "sex"), "tract × sector × ownership × age × sex"
    ),
    WorkloadSpec(
        "with_age_sex_race",
        (*WORKPLACE, "age", "sex", "race"),
        "tract × sector × ownership × age × sex × race",
    ),
)


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "quick",
            "the workloads of h17 on a small economy and a small grid",
            Economy(200_000, 10_000),
            _PLACES,
            Grid(
                alphas=exact("0.05", "0.1"),
                epsilons=exact("0.5", "1", "2", "4"),
                further=exact("8"),
                thetas=(10, 100, 1_000),
                trials=5,
            ),
        ),
        Preset("h17", "the workloads of Haney et al. 2017", Economy(*NATION), _PLACES, Grid()),
        Preset(
            "h15",
            "the marginals of Haney et al. 2015, on areas like census tracts",
            Economy(*NATION, geography="tracts"),
            _TRACTS,
            Grid(further=(), delta=None, printed=True, drawn=False),
        ),
    )
}


@contextmanager
def open_economy(
    economy: Economy, progress: Callable[[int, int], None]
) -> Iterator[tuple[Engine, Codebook]]:
    """The engine and the codebook of a made-up economy, whose files are removed afterwards."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        files = write_economy(economy, folder, progress=progress)
        sources: dict[str, str] = {name: str(getattr(files, name).name) for name in TABLES}
        with connect(sources, folder) as engine:
            yield engine, read_codebook(files.codebook)


def economy_words(economy: Economy) -> str:
    """A made-up economy in words."""
    return (
        f"a made-up economy of {economy.jobs:,} jobs in {economy.establishments:,} establishments "
        f"and {economy.place_count:,} {economy.geography} (seed {economy.seed})"
    )
