"""Calibrated: what all mechanisms of a table have in common, whatever they release."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from leeward.core.mechanisms.claims import Claims, claim
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.privacy import Guarantee, Policy

if TYPE_CHECKING:
    from leeward.core.mechanisms.margin_rule import MarginRule
    from leeward.core.mechanisms.measurement import Measurement

Origin: TypeAlias = Literal["ours", "paper", "baseline"]
"""Where a mechanism comes from, as comparisons group them."""


@dataclass(frozen=True)
class Words:
    """How a mechanism is named and explained to readers.

    `bias` is a warning, or None; `allowance` says what intervals do about it, where a table has
    some.
    """

    label: str
    noise: str
    bias: str | None = None
    allowance: str | None = None


class Mechanism(ABC):
    """A calibrated mechanism: frozen, with a proof beside it."""

    name: ClassVar[str]
    words: ClassVar[Words]
    claims: ClassVar[Claims]
    origin: ClassVar[Origin] = "ours"
    counted: ClassVar[bool] = True
    """Whether what it releases are counts."""

    in_plans: ClassVar[bool] = True
    """Whether a plan may name it."""

    free_margins: ClassVar[bool] = False
    """Whether its scale is public or follows from what is released, so that margins are free."""

    spends_delta: ClassVar[bool] = False
    """Whether it needs a δ above 0."""

    gaussian: ClassVar[bool] = False
    """Whether it has a form with Gaussian noise (`noise="gaussian"`) whose price is given as ρ.

    The margins of that form are free.
    """

    follows_counts: ClassVar[bool] = False
    """Whether its noise grows with the count itself, not with the largest establishment."""

    parameters: Parameters
    """What it was calibrated for."""

    @property
    @abstractmethod
    def usual_table(self) -> str:
        """The kind of table that its guarantee is about where none is named."""

    @property
    def proved(self) -> Claims:
        """What the proof covers with these numbers."""
        return self.claims

    def price(self) -> Guarantee:
        """What one release costs, under the policy that the proof starts from."""
        p = self.parameters
        return Guarantee(p.policy, p.growth, p.epsilon)

    def guarantee(self, policy: Policy | str, *, table: str | None = None) -> Guarantee:
        """The guarantee of releasing all cells of a table; rejects what is not proved.

        `table` is a kind of `claims.TABLES`.
        """
        kind = self.usual_table if table is None else table
        return claim(self.name, self.proved, self.price(), policy, kind)

    @abstractmethod
    def measurement(self, *, by_cell: bool, margins: "MarginRule") -> "Measurement":
        """This mechanism on a table."""
