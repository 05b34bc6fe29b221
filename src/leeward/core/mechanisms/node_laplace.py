"""Node Laplace: large establishments dropped, noise for a whole establishment.

Proof in node_laplace.proof.md.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leeward.core.codebook import Cells, Entries
from leeward.core.errors import InvalidParameter, shown
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, MarginRule, Origin, Words
from leeward.core.mechanisms.checked_columns import whole_numbers
from leeward.core.mechanisms.clipping import MOST_THETA
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.measurement import Expected, Measured, Measurement, Needs
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import EstablishmentRemoval, Guarantee


@dataclass(frozen=True)
class NodeLaplace(Additive):
    """Discrete Laplace of scale θ/ε on counts from which establishments above θ were dropped.

    The caller drops them (`keeps`) before counting; the bias that this causes is not part of
    the error that this mechanism predicts.
    """

    name: ClassVar[str] = "node_laplace"
    words: ClassVar[Words] = Words(
        label="node DP",
        noise="Establishments above a bound are left out; then each cell gets a random number of "
        "the size that hides a whole establishment.",
    )
    origin: ClassVar[Origin] = "baseline"
    in_plans: ClassVar[bool] = False
    # An establishment's kept jobs, over all cells, number at most θ: one price for all cells.
    claims: ClassVar[Claims] = {
        "workplace": (EstablishmentRemoval(),),
        "worker": (EstablishmentRemoval(),),
    }
    follows: ClassVar[str] = "either"

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)
    theta: int

    @classmethod
    def calibrated(cls, parameters: Parameters, *, theta: int | None = None) -> "NodeLaplace":
        """P(j) ∝ exp(−ε|j|/θ); the rate is an exact rational."""
        parameters.only_tight(cls.name)
        if isinstance(theta, bool) or not isinstance(theta, int) or not 1 <= theta <= MOST_THETA:
            raise InvalidParameter(
                "theta",
                rule="must be a whole number from 1 to 2^30: the largest establishment kept",
                value=shown(theta),
                next_step="Give theta, for example theta=1000.",
            )
        return cls(parameters, discrete_laplace(theta / parameters.aimed), theta)

    def keeps(self, sizes: ArrayLike) -> NDArray[np.bool_]:
        """Which establishments are counted at all."""
        return whole_numbers(sizes, "sizes") <= self.theta

    def price(self) -> Guarantee:
        """ε for an establishment."""
        return Guarantee(EstablishmentRemoval(), None, self.parameters.epsilon)

    def columns(
        self, counts: ArrayLike | None, largest: ArrayLike | None
    ) -> tuple[Integers, Integers]:
        """As for all; refuses establishments that should have been dropped."""
        n, x = super().columns(counts, largest)
        if largest is not None and x.size and x.max() > self.theta:
            raise InvalidParameter(
                "largest",
                rule=f"must be at most theta = {self.theta}: larger establishments are dropped",
                value="a larger establishment (not shown)",
                next_step="Count only the establishments that keeps(sizes) marks.",
            )
        return n, x

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on a table: it drops the establishments above θ itself."""
        return SmallEstablishments(self, margins, by_cell)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """The same for every cell."""
        return Scales(counts * 0 + 1)


@dataclass(frozen=True)
class SmallEstablishments(CountsWithNoise):
    """Counts of the establishments up to θ; no margin would cover what was dropped."""

    mechanism: NodeLaplace

    @property
    def needs(self) -> Needs:
        """Single establishments, of which the large ones are dropped."""
        return Needs.ENTRIES

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Counts of what is kept, with noise."""
        kept = _entries(columns).up_to(self.mechanism.theta)
        return Measured(self.mechanism._release(kept, None, noise), {}, self._law(kept.shape[0]))

    def expected(self, columns: Cells | Entries) -> Expected:
        """E|J − b| = b + 2p^(b+1)/(1−p²) for discrete Laplace J of rate p and b dropped jobs."""
        entries = _entries(columns)
        kept = entries.up_to(self.mechanism.theta)
        dropped = (entries.as_cells().counts - kept).astype(np.float64)
        rate = float(self.parameters.aimed / self.mechanism.theta)
        p = np.exp(-rate)
        absolute = dropped + 2 * np.exp(-rate * (dropped + 1)) / ((1 + p) * -np.expm1(-rate))
        square = dropped**2 + 2 * p / np.expm1(-rate) ** 2
        return Expected(absolute, -dropped, finite=True, steady=True, square=square)


def _entries(columns: Cells | Entries) -> Entries:
    if isinstance(columns, Cells):
        raise TypeError("node_laplace measures entries of establishments, not cells")
    return columns
