"""Measurement: a calibrated mechanism on a table, and all that the house asks of it.

What it needs of an engine, what it measures, what that costs, what error to expect, and how a
reader is told. Releases, predictions, evaluations and audits speak to this protocol alone: no
other room recognises a mechanism by its class or by its name.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, final

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import Margins
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.mechanisms.calibrated import MarginRule, Mechanism, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import FloatTails, Law, Normal
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.scales import CellNoise, Integers
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee, Policy, StrongAlpha, sequential
from leeward.core.privacy.steps import Growth, steps_from

COVERAGE = Fraction(9, 10)
"""The share of cells whose released value is within its margin of the true one."""


class Needs(Enum):
    """What an engine tabulates for a measurement."""

    CELLS = "counts of cells, and the largest establishment of each workplace cell"
    OWN_LARGEST = "counts of cells, and the largest establishment of each cell"
    ENTRIES = "jobs of each establishment by worker cell"


class PublicLaw(NamedTuple):
    """What anyone may know of the noise: its covariance up to the scale, and public scales.

    `variance` is that of the noise in units of its squared scale, None where it is infinite.
    With `joint` the worker cells of a workplace cell share one random factor: they are
    uncorrelated, but not independent. `scale` (w,) is in jobs, None where it is confidential.
    """

    variance: float | None
    joint: bool
    scale: Floats | None


class Measured(NamedTuple):
    """Released values (w, d), their columns of margins if any, and the public law of the noise."""

    values: Integers
    margins: Margins
    law: PublicLaw


class Expected(NamedTuple):
    """Closed forms for each cell (w, d); None where they are infinite or depend on more.

    `finite` is whether the error has a mean at all; `steady` is whether it has a variance, so
    that means of trials settle. `square` is the mean square.
    """

    absolute: Floats | None
    bias: Floats | None
    finite: bool
    steady: bool
    square: Floats | None = None


class CellLaw(NamedTuple):
    """The error of one worker cell: scale·Z rounded to whole jobs, less `bias`.

    `true` is its count. `bias` is how many jobs clipping takes on average, at most.
    """

    true: int
    law: Law | Normal
    scale: float
    bias: float = 0.0


class Spread(NamedTuple):
    """The noise of one worker cell of a cell that is one establishment.

    Nine released numbers in ten are from `low` to `high`. `law` and `scale` (in jobs) are those
    of the noise.
    """

    true: int
    low: int
    high: int
    law: FloatTails
    scale: float


Deviations: TypeAlias = tuple[str, tuple[float, ...]]
"""The column that they are in units of, and that of the total and of a cell of each table."""


class Measurement(Protocol):
    """A calibrated mechanism on a table."""

    @property
    def name(self) -> str:
        """The mechanism's name."""

    @property
    def words(self) -> Words:
        """How it is named and explained."""

    @property
    def parameters(self) -> Parameters:
        """What it was calibrated for."""

    @property
    def needs(self) -> Needs:
        """What the engine tabulates."""

    @property
    def by_cell(self) -> bool:
        """Whether each worker cell is noised by itself, after its own largest establishment."""

    @property
    def margins(self) -> MarginRule:
        """How its tables get margins."""

    @property
    def margin_columns(self) -> tuple[str, ...]:
        """The columns of margins of its tables; the plan fixes them, never the data."""

    @property
    def deviations(self) -> Deviations | None:
        """What is public of the standard deviations of a product's tables; None of other tables."""

    def constants(self) -> dict[str, str]:
        """The exact constants of the mechanism as text."""

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """What values and margins of a table cost together; refuses what is not proved."""

    def loss(self, small: int, large: int) -> Fraction:
        """The most that both lose between two sizes of an establishment."""

    def measure(self, columns: Cells | Entries) -> Measured:
        """Release: confidential columns become noisy values and their margins."""

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """The same with this noise; the auditor runs it with its own."""

    def expected(self, columns: Cells | Entries) -> Expected:
        """What the error of each cell tends to, without drawing."""

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Mean absolute error of a cell whose largest establishment has this many jobs.

        A bias counts as much as it can be with so many establishments in the workplace cell.

        A measurement that noises each worker cell by itself is judged as if the workers of the
        largest establishment were spread evenly over the worker cells. None: there is no mean.
        """

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """The same of the total and of each table of a product, or of the one cell."""

    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The margin of such a cell if the noise of its scale were zero; half of an interval.

        Where an interval allows for clipping, it is the margin of the noise.
        """

    def expected_intervals(
        self, size: int, establishments: int = ESTABLISHMENTS
    ) -> Integers | None:
        """Margins of the noise, and what intervals reach farther up to allow for clipping.

        Two rows, whose columns are the total and each table of a product, or the one cell; None
        without margins.
        """

    def cell_noise(self, table: int = 0) -> CellNoise | None:
        """What a reader knows of the noise of a cell from its margin; None without margins.

        `table` is that of a product, of which 0 is the total.
        """

    def cell_law(
        self, size: int, establishments: int = ESTABLISHMENTS, jobs: int | None = None
    ) -> CellLaw | None:
        """The error of a worker cell of a workplace cell with so many jobs, for public sizes.

        Workers are spread evenly over the worker cells; without `jobs` the cell is one
        establishment. Of a product it is a cell of the first table. None: what is published is no
        count with noise of its own.
        """

    def spread(self, size: int) -> Spread:
        """The noise of a cell that is one establishment; a bias from clipping is left out."""

    def __hash__(self) -> int: ...


class Recordable(ABC):
    """The base of all measurements: they release what the auditor examines.

    A release is one function of confidential columns and of noise. Releases give it the system's
    random bits, the auditor noise that records what it is asked for.
    """

    @final
    def measure(self, columns: Cells | Entries) -> Measured:
        """Release: confidential columns become noisy values and their margins."""
        return self._measure(columns, secret())

    @abstractmethod
    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """The same with this noise; the auditor runs it with its own."""

    @abstractmethod
    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """Mean absolute error of a cell."""

    def expected_errors(self, size: int, establishments: int = ESTABLISHMENTS) -> Floats | None:
        """Of the one kind of cell; a product has several."""
        error = self.expected_error(size, establishments)
        return None if error is None else np.array([error])

    @abstractmethod
    def expected_margin(self, size: int, establishments: int = ESTABLISHMENTS) -> int | None:
        """The margin of a cell."""

    def expected_intervals(
        self, size: int, establishments: int = ESTABLISHMENTS
    ) -> Integers | None:
        """Of the one kind of cell, whose interval reaches as far up as down."""
        margin = self.expected_margin(size, establishments)
        return None if margin is None else np.array([[margin], [0]])


M = TypeVar("M", bound=Mechanism)


@dataclass(frozen=True)
class ByMechanism(Recordable, Generic[M]):
    """The measurement of a table by one mechanism, with margins by one rule."""

    mechanism: M
    margins: MarginRule
    by_cell: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.mechanism.name

    @property
    def words(self) -> Words:
        """How the mechanism is named and explained."""
        return self.mechanism.words

    @property
    def parameters(self) -> Parameters:
        """What the mechanism was calibrated for."""
        return self.mechanism.parameters

    def constants(self) -> dict[str, str]:
        """The exact constants of the mechanism as text."""
        return self.parameters.constants(self.mechanism)

    def guarantee(self, policy: Policy | str, *, table: str) -> Guarantee:
        """The values, and the noisy scales that margins follow from (scale.proof.md)."""
        values = self.mechanism.guarantee(policy, table=table)
        if not self.margins.epsilon:
            return values
        margins = Guarantee(values.policy, values.alpha, self.margins.epsilon)
        return sequential(values, margins.with_job(self.margins.epsilon_job, Fraction(0)))

    def loss(self, small: int, large: int) -> Fraction:
        """Where each cell is noised by itself, as many jobs one by one: it has sizes of its own.

        A noisy scale loses what the jobs lose, or as many steps where they are proved.
        """
        mechanism, jobs, margins = self.mechanism, large - small, self.margins
        scale = margins.epsilon_job * jobs
        if self.by_cell:
            epsilon, rho = mechanism.one_job()
            in_rho = mechanism.price().currency == "rho"
            return (rho * jobs * jobs if in_rho else epsilon * jobs) + scale
        if StrongAlpha() in mechanism.proved.get(mechanism.usual_table, ()):
            step = Growth(self.parameters.growth, int(self.parameters.least))
            steps = steps_from(small, step, Growth(Fraction(0), jobs))
            scale = min(scale, margins.epsilon * steps)
        return mechanism.loss(small, large) + scale
