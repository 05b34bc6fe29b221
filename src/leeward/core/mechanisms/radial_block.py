"""Radial block: a whole block of worker cells with one radius, n + S·Z.

The density of Z is a function of Σ|z|: all worker cells of a workplace cell share its radius, whose
law is the mechanism's own.
"""

from dataclasses import field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.mechanisms.additive import Additive, Covered
from leeward.core.mechanisms.calibrated import Claims
from leeward.core.mechanisms.checked_columns import block_shape, whole_numbers
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import Law, PiecewiseLaw
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_cell import cell_law, stated_cell
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import StrongAlpha

LOG_REACHES = np.linspace(np.log(1e-6), np.log(1e9), 1201)
"""Where joint coverage is computed, as ln z: between them it is straight to 10⁻⁴."""


class RadialBlock(Additive):
    """Joint noise in units of S, S = max(α·largest total size, Δ).

    `counts` is (workplaces, cells), `largest` (workplaces,): the largest establishment counted
    with *all* its jobs. Filters and incomplete code lists are covered. With one cell, plain
    columns of equal shape are accepted too. Errors and distributions are those of one cell.
    """

    joint: ClassVar[bool] = True
    claims: ClassVar[Claims] = {kind: (StrongAlpha(),) for kind in ("workplace", "worker", "gains")}

    parameters: Parameters
    radius: RadialLaw = field(repr=False)

    @property
    def unit(self) -> Fraction:
        """The unit of the radius, in units of S."""
        return Fraction(1)

    @property
    def law(self) -> Law:  # type: ignore[override] # it follows from the radius
        """The exact law of one cell."""
        return cell_law(self.radius)

    @property
    def public_law(self) -> PiecewiseLaw:
        """The same in pieces."""
        return stated_cell(self.radius)

    @property
    def shared(self) -> int | RadialLaw | None:
        """The radius; a single cell has no block."""
        return self.radius if self.parameters.cells > 1 else None

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        """Noisy counts (workplaces, cells), each row drawn jointly."""
        n = whole_numbers([] if counts is None else counts, "counts")
        x = whole_numbers([] if largest is None else largest, "largest")
        if self.parameters.cells == 1 and n.shape == x.shape:
            return super()._release(n, x, noise)
        block_shape(n, x, self.parameters.cells)
        if self.parameters.cells == 1:
            return super()._release(n[:, 0], x, noise)[:, None]
        return noise.block(n, self.scales(x, x), self.radius)

    def columns(
        self, counts: ArrayLike | None, largest: ArrayLike | None
    ) -> tuple[Integers, Integers]:
        """Only the largest establishment matters for the noise."""
        if largest is None or self.parameters.cells == 1:
            return super().columns(counts, largest)
        x = whole_numbers(largest, "largest")
        return x, x

    def together(self, alone: Covered) -> Covered:
        """P(|Z| ≤ z in all cells), between points of a fine table."""
        if self.parameters.cells == 1:
            return alone
        from leeward.core.noise.directions import all_within  # noqa: PLC0415 (a plan must not load draws)

        table = all_within(self.radius, np.exp(LOG_REACHES))
        return lambda z: np.interp(np.log(z), LOG_REACHES, table, left=0.0)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """Units of S = max(αX, Δ)."""
        factor = self.parameters.growth * self.unit
        return Scales(largest, floor=self.parameters.floor, factor=factor)
