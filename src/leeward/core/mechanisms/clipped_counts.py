"""ClippedCounts: the measurement of a table by clipping; proof in clipped.proof.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import ClassVar

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.marginal import margin_columns
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.codebook.values import Margins
from leeward.core.mechanisms.clipped import MISSED, Clipped
from leeward.core.mechanisms.clipping import checked_entries
from leeward.core.mechanisms.measurement import (
    COVERAGE,
    ByMechanism,
    CellLaw,
    Expected,
    Measured,
    Needs,
    PublicLaw,
    Spread,
)
from leeward.core.mechanisms.split import MOST_ESTABLISHMENTS, by_class, establishment_class
from leeward.core.noise.law import Normal, PiecewiseLaw, laplace
from leeward.core.noise.scales import MOST, CellNoise, Clip, Integers, Noise


@dataclass(frozen=True)
class ClippedCounts(ByMechanism[Clipped]):
    """The measurement of a table by clipping: its noise scale, hence its margins, are public."""

    needs: ClassVar[Needs] = Needs.ENTRIES
    deviations: ClassVar[None] = None

    def constants(self) -> dict[str, str]:
        """The exact constants; split, headroom and κ by the number of establishments of a cell."""
        classes = self._every_class()
        columns = {
            "establishments": [str(one.establishments) for one in classes],
            "split": [str(one.split) for one in classes],
            "headroom": [str(one.clipping.headroom) for one in classes],
            "kappa": [f"{one.kappa:.6g}" for one in classes],
        }
        return super().constants() | {name: ", ".join(column) for name, column in columns.items()}

    def _every_class(self) -> list[Clipped]:
        return [self.mechanism.suited(2**k) for k in range(MOST_ESTABLISHMENTS.bit_length())]

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """A whole block for one θ; a mechanism for one cell measures each by itself."""
        if isinstance(columns, Cells):
            raise TypeError("clipped measures entries of establishments, not cells")
        made, (w, d) = self.mechanism, columns.shape
        entries = checked_entries(columns, MOST // made.clipping.lattice)
        if d == self.parameters.cells:
            return self._measured(entries, noise)
        found = self._measured(entries.by_worker_cell(), noise)
        margins = {name: one.reshape(d, w).T for name, one in found.margins.items()}
        return Measured(found.values.reshape(d, w).T, margins, found.law)

    def _measured(self, entries: Entries, noise: Noise) -> Measured:
        """Each class of workplace cells by a mechanism of its own: disjoint cells, public m."""
        values = np.zeros(entries.shape, dtype=np.int64)
        scale = np.zeros(entries.shape[0])
        margins = {name: np.zeros_like(values) for name in self.margin_columns}
        for made, cells in self.by_class(entries):
            values[cells], theta = made._release(entries.part(cells), noise)
            scale[cells] = made.spreads(theta)
            for name, column in self._intervals(made, values[cells], theta).items():
                margins[name][cells] = column
        variance = 2.0 if self.mechanism.noise == "laplace" else 1.0
        return Measured(values, margins, PublicLaw(variance, False, scale))

    def by_class(self, entries: Entries) -> Iterator[tuple[Clipped, Integers]]:
        """Mechanisms with the workplace cells that they measure."""
        return by_class(self.mechanism, self.mechanism.suited, entries)

    def _intervals(self, made: Clipped, values: Integers, theta: Integers) -> Margins:
        names, d = self.margin_columns, self.parameters.cells
        if not names:
            return {}
        ends = [end for cells in (1, d) for end in made.interval(values, theta, cells)]
        return dict(zip(names, ends, strict=False))

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The plan fixes them."""
        if self.margins.coverage is None:
            return ()
        return margin_columns(ends=True, block=self.parameters.cells > 1)

    def expected(self, columns: Cells | Entries) -> Expected:
        """No closed form: the bias of clipping depends on every establishment of a cell.

        Whether there is a mean or a variance depends on the noise of θ alone.
        """
        finite = self.mechanism.mean_abs_error(0) is not None
        return Expected(None, None, finite, steady=self.mechanism.std(0) is not None)

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of the noise, and what clipping takes at most: where all establishments are alike."""
        return _expected_error(self._made(establishments), size, establishments)

    def noise_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Of the noise alone."""
        return _noise_error(self._made(establishments), size)

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The noise of the interval of one establishment at the θ of a maximum without noise."""
        found = self.expected_intervals(size, establishments)
        return None if found is None else int(found[0, 0])

    def expected_intervals(
        self, size: int, establishments: int = ESTABLISHMENTS
    ) -> Integers | None:
        """Noise and allowance of that interval."""
        if self.margins.coverage is None:
            return None
        made, count = self._made(establishments), np.array([[-(-size // self.parameters.cells)]])
        return made.expected_interval(count, self._theta(made, size))

    def _made(self, establishments: int) -> Clipped:
        return self.mechanism.suited(establishment_class(establishments))

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """The spread is public and proportional to the lower side of the interval."""
        if self.margins.coverage is None:
            return None
        made, share = self.mechanism, 1 / self.mechanism.two_sided(float(1 - MISSED))
        law = laplace() if made.noise == "laplace" else None
        return CellNoise(law, share, least=share / 2, clips=self._clips())

    def _clips(self) -> tuple[Clip, ...]:
        """Of each class of workplace cells: the spread of its index, and ln h."""
        return tuple(
            Clip(one.establishments, one.index_spread, log(one.clipping.headroom))
            for one in self._every_class()
        )

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw:
        """At the θ of a maximum without noise, with what clipping takes at most."""
        made, cells = self._made(establishments), self.parameters.cells
        count = -(-(size if jobs is None else jobs) // cells)
        lost = _clipping_loss(made, size) * establishments / cells
        scale = float(made.spreads(self._theta(made, size))[0])
        return CellLaw(count, _unit_law(made), scale, min(lost, count))

    def spread(self, size: int) -> Spread:
        """The noise at the θ of a maximum without noise."""
        count, tail = -(-size // self.parameters.cells), (1 - COVERAGE) / 2
        made = self._made(ESTABLISHMENTS)
        low, high = (int(made.quantile(p, size)) for p in (tail, 1 - tail))
        scale = float(made.spreads(self._theta(made, size))[0])
        return Spread(count, count + low, count + high, _unit_law(made), scale)

    @staticmethod
    def _theta(made: Clipped, size: int) -> Integers:
        return made.clipping.theta(made.clipping.grid.index(np.array([size])))


def _unit_law(made: Clipped) -> PiecewiseLaw | Normal:
    return laplace() if made.noise == "laplace" else Normal()


@lru_cache(maxsize=1024)  # asked when mechanisms are compared, and again when they are shown
def _expected_error(made: Clipped, size: int, establishments: int) -> float | None:
    noise = _noise_error(made, size)
    if noise is None:
        return None
    return noise + _clipping_loss(made, size) * establishments / made.parameters.cells


@lru_cache(maxsize=1024)  # a profile has many cells of one size
def _clipping_loss(made: Clipped, size: int) -> float:
    return made.clipping_loss(size)


@lru_cache(maxsize=1024)
def _noise_error(made: Clipped, size: int) -> float | None:
    measure = made.mean_abs_error(size)
    return None if measure is None else float(measure)
