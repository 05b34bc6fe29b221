"""What margins cost: nothing, or what a noisy scale costs (one_job.proof.md for one job)."""

from fractions import Fraction
from typing import ClassVar, Protocol

from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.scale import part_of_grid


class Priced(Protocol):
    """A noisy scale, or a pair that one job moves in one direction."""

    @property
    def parameters(self) -> Parameters:
        """What it was calibrated for."""


class Unpaid:
    """Margins that cost nothing."""

    epsilon: ClassVar[Fraction] = Fraction(0)
    epsilon_job: ClassVar[Fraction] = Fraction(0)


class PaidScale:
    """Margins of a noisy scale; with several scales a job is in one."""

    scale: Priced

    @property
    def epsilon_job(self) -> Fraction:
        """ε·i of the scale: its index moves by ⌈32j⌉ at most."""
        priced = self.scale.parameters
        return priced.epsilon * part_of_grid(priced)
