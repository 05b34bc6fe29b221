"""Preset: the experiments of a paper, with a made-up economy of their size."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from leeward.economy import Economy
from leeward.evaluate.grid import Grid, exact
from leeward.evaluate.workload import Workload, table
from leeward.model import Codebook

WORKPLACE = ("place", "sector", "ownership")


@dataclass(frozen=True)
class Asked:
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
    asked: tuple[Asked, ...]
    grid: Grid

    def with_trials(self, trials: int) -> "Preset":
        """The same with every setting drawn more or less often."""
        return replace(self, grid=self.grid.with_trials(trials))

    def workloads(self, codebook: Codebook) -> tuple[Workload, ...]:
        """The workloads, their attributes looked up."""
        return tuple(
            Workload(one.name, one.words, table("_".join(one.by), one.by, codebook), one.alone)
            for one in self.asked
        )


_PLACES = (
    Asked("place_sector_ownership", WORKPLACE, "place × sector × ownership"),
    Asked(
        "single_queries",
        (*WORKPLACE, "sex", "education"),
        "single queries of place × sector × ownership × sex × education",
        alone=True,
    ),
    Asked(
        "whole_marginal",
        (*WORKPLACE, "sex", "education"),
        "the whole table place × sector × ownership × sex × education",
    ),
)

_TRACTS = (
    Asked("three_way", WORKPLACE, "tract × sector × ownership"),
    Asked("with_age", (*WORKPLACE, "age"), "tract × sector × ownership × age"),
    Asked("with_age_sex", (*WORKPLACE, "age", "sex"), "tract × sector × ownership × age × sex"),
    Asked(
        "with_age_sex_race",
        (*WORKPLACE, "age", "sex", "race"),
        "tract × sector × ownership × age × sex × race",
    ),
)

NATION = (10_900_000, 527_000)
"""Jobs and establishments of the full runs."""

PRESETS: Mapping[str, Preset] = {
    one.name: one
    for one in (
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
            Grid(),
        ),
    )
}
