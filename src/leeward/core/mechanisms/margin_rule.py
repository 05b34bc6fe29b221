"""MarginRule: how a table gets its margins, which `error_margins` and others implement."""

from fractions import Fraction
from typing import ClassVar, Literal, Protocol, TypeAlias

from leeward.core.codebook.values import Margins
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.cell_noise import CellNoise
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers

MarginMethod: TypeAlias = Literal["none", "public", "spent", "free"]


class MarginRule(Protocol):
    """How a table gets its margins, and what of its ε pays for them."""

    note: ClassVar[str]
    ends: ClassVar[bool]
    """Whether intervals may reach farther on one side: `low` and `high` in place of `margin`."""

    @property
    def method(self) -> MarginMethod:
        """Where they come from."""

    @property
    def coverage(self) -> Fraction | None:
        """The share of cells that margins cover; None where there are none."""

    @property
    def epsilon(self) -> Fraction:
        """What the margins of all worker cells cost together."""

    def released(
        self, mechanism: "PublicScale", values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Margins of released values; only bought ones look at the largest establishments."""

    def typical(self, mechanism: "PublicScale", size: int) -> int | None:
        """The margin of a cell of this size if the noise of its scale were zero."""

    def noise(self, mechanism: "PublicScale") -> CellNoise | None:
        """The noise of a cell as it follows from its margin; None where there are no margins."""


class PublicScale(Protocol):
    """A mechanism whose margins follow from what it releases."""

    @property
    def parameters(self) -> Parameters:
        """What the mechanism was calibrated for."""

    @property
    def lean(self) -> float:
        """The most that rounding moves the mean of the noise by, over all sizes."""

    def public_noise(self) -> CellNoise:
        """The noise of a cell as it follows from its margin."""

    def public_margins(self, values: Integers, coverage: Fraction) -> Integers:
        """Margins of released values that hold with this probability, from public numbers."""
