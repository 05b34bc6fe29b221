"""Pay: what the mechanisms of payrolls, with counts or without, share."""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.known_statistics import MOST_PAY
from leeward.core.errors import InvalidParameter, NotCovered, shown
from leeward.core.exact import whole_number
from leeward.core.mechanisms.calibrated import Claims, MarginRule, Mechanism
from leeward.core.mechanisms.checked_columns import whole_numbers
from leeward.core.mechanisms.measurement import Measurement, Needs
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.body import HEXAGON, Body
from leeward.core.noise.noise_source import Noise, secret
from leeward.core.noise.radial_cell import PublicTail
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Scales, TwoScales
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import StrongAlpha

PublishedPay: TypeAlias = Literal["payroll", "mean"]

USUAL_SHARE = 0.25
"""Predictions assume a mean pay of this share of the cap."""

OTHERS = 0.2
"""Predictions assume that an establishment beside the largest has this share of its jobs."""


class Pairs(NamedTuple):
    """Released counts and payrolls, (w, d) each."""

    jobs: Integers
    payroll: Integers


def read_cap(cap: object, statistic: object) -> tuple[int, PublishedPay]:
    """The public cap of pay and what is published; rejects a mechanism without a cap."""
    if not whole_number(cap) or not 1 <= int(str(cap)) <= MOST_PAY:
        raise InvalidParameter(
            "cap",
            rule=f"must be the most pay of a job that counts, a whole number from 1 to {MOST_PAY}",
            value="nothing" if cap is None else shown(cap),
            next_step="Give a public number, such as cap=1500000 for cents. A cap that was "
            "computed from the data is not public.",
        )
    for known in ("payroll", "mean"):
        if statistic == known:
            return int(str(cap)), known
    raise InvalidParameter(
        "statistic",
        rule="must be 'payroll' or 'mean'",
        value=shown(statistic),
        next_step="Say which of them is published beside the count.",
    )


def pay_cells(
    counts: ArrayLike, payroll: ArrayLike, largest: ArrayLike, largest_payroll: ArrayLike | None
) -> Cells:
    """Columns as people give them: (workplaces,) or (workplaces, cells)."""
    n, p = whole_numbers(counts, "counts"), whole_numbers(payroll, "payroll")
    x = whole_numbers(largest, "largest")
    most = None if largest_payroll is None else whole_numbers(largest_payroll, "largest_payroll")
    if n.shape != p.shape or n.shape[:1] != x.shape or n.ndim not in (1, 2):
        raise InvalidParameter(
            "payroll",
            rule="must have one number for each count, and largest one for each workplace cell",
            value=f"shapes {n.shape}, {p.shape} and {x.shape}",
            next_step="Give counts and payroll as (workplaces, cells), largest as (workplaces,).",
        )
    wide = (len(x), -1)
    return Cells(n.reshape(wide), x, payroll=p.reshape(wide), largest_payroll=most)


def check_payroll(payroll: Integers, counts: Integers, cap: int) -> None:
    """Refuse pay above the cap or below 0, which would move more than noise hides."""
    if (payroll < 0).any() or (payroll > counts.astype(np.float64) * cap * (1 + 1e-12)).any():
        raise ArithmeticError("payroll and counts do not belong together")


def payroll_of(cells: Cells, cap: int) -> Integers:
    """The payroll of each cell; refuses one that its jobs cannot have, a fault of the program."""
    if cells.payroll is None:
        raise TypeError("the cells were tabulated without payroll")
    check_payroll(cells.payroll, cells.counts, cap)
    if ((cells.counts.sum(axis=1) > 0) & (cells.largest <= 0)).any():
        raise ArithmeticError("counts and largest establishments do not belong together")
    return cells.payroll


def true_pairs(cells: Cells, cap: int) -> Integers:
    """Count and payroll of each cell, (w, d, 2)."""
    return np.stack([cells.counts, payroll_of(cells, cap)], axis=-1)


Ends: TypeAlias = tuple[Floats, Floats]
"""The two ends of intervals, (w, d) each; infinite where there is none."""


class PayMechanism(Mechanism):
    """A mechanism of payroll, with the count or alone; fields and calibration are its own."""

    counted: ClassVar[bool] = False
    with_count: ClassVar[bool] = True
    """Whether it releases the count too."""

    needs: ClassVar[Needs] = Needs.CELLS
    by_payroll: bool = False
    """Whether the noise of payroll follows the largest payroll, not the largest number of jobs."""

    cap: int
    statistic: PublishedPay

    @property
    def usual_table(self) -> str:
        """All jobs of a workplace cell, or those of several kinds of workers."""
        return "pay" if self.parameters.cells == 1 else "worker_pay"

    @abstractmethod
    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, Ends | None]:
        """What is released, and intervals where they follow from it at no further cost."""

    @abstractmethod
    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """E|count·δn + payroll·δP| of the noise of each workplace cell; None without a mean."""

    @property
    @abstractmethod
    def steady(self) -> bool:
        """Whether the noise has a variance."""

    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """P(|δP − ratio·B·δn| > reach·S_P), S_P the scale that margins pay for."""
        raise TypeError(f"the scale of {self.name} is public: its margins are free")

    def measurement(self, *, by_cell: bool, margins: MarginRule) -> Measurement:
        """This mechanism on a table of pay."""
        from leeward.core.mechanisms.pay_table import PayTable  # noqa: PLC0415 (it needs this)

        return PayTable(self, margins)

    def release(
        self,
        counts: ArrayLike,
        payroll: ArrayLike,
        largest: ArrayLike,
        largest_payroll: ArrayLike | None = None,
    ) -> Integers:
        """Noisy counts and payrolls (workplaces, cells, 2), or payrolls alone (…, 1).

        `largest` counts an establishment with all its jobs, `largest_payroll` with all their pay.
        """
        cells = pay_cells(counts, payroll, largest, largest_payroll)
        pairs = self._measured(cells, secret())[0]
        return np.stack(pairs if self.with_count else pairs[1:], axis=-1)

    def lost(self, cells: Cells, establishments: int) -> float:
        """What clipping takes from a payroll at most, where all establishments are alike."""
        return 0.0

    def typical_ends(self, cells: Cells, establishments: int) -> Ends | None:
        """The intervals of such cells where they cost nothing, if nothing had noise."""
        return None


class RadialPair(PayMechanism):
    """What the mechanisms of pairs with one radius for all worker cells share."""

    body: ClassVar[Body]

    radius: RadialLaw

    @property
    def unit(self) -> Fraction:
        """The unit of the radius, in units of S."""
        return Fraction(1)

    @property
    def proved(self) -> Claims:
        """Under proportional the joiners of one worker cell and the raises of another add up."""
        if self.parameters.cells == 1:
            return self.claims
        kept = (StrongAlpha(),) if StrongAlpha() in self.claims.get("worker_pay", ()) else ()
        return {**self.claims, "worker_pay": kept}

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        """What is released, with this noise; the auditor runs it with its own."""
        true = true_pairs(cells, self.cap)
        return noise.pairs(true, self.scales(cells), self.body, self.radius)

    def _measured(self, columns: Cells | Entries, noise: Noise) -> tuple[Pairs, None]:
        drawn = self._release(as_cells(columns), noise)
        return Pairs(drawn[:, :, 0], drawn[:, :, 1]), None

    def scales(self, cells: Cells) -> TwoScales:
        """Units of S = max(αX, Δ) for counts, of S_P for payrolls."""
        p = self.parameters
        jobs = Scales(cells.largest, floor=p.floor, factor=p.growth * self.unit)
        return jobs, payroll_scales(self, cells, p.growth * self.unit)

    def error(self, cells: Cells, count: float, payroll: float) -> Floats | None:
        """By the closed form of the body, whose radius has the mean p; rounding is left out."""
        radius = self.radius.moment(1)
        if radius is None:
            return None
        jobs, pay = (scale.floats for scale in self.scales(cells))
        both, at = np.unique(np.stack([jobs, pay], axis=-1), axis=0, return_inverse=True)
        errors = [self.body.absolute(count * a, payroll * b) for a, b in both]
        return np.array(errors)[at.ravel()] * radius / self.radius.dimension

    @property
    def steady(self) -> bool:
        """Whether the radius has a variance."""
        return self.radius.moment(2) is not None

    def beyond(self, ratio: float, reach: Floats) -> Floats:
        """In closed form, from the tail of one number of as many."""
        return self.body.beyond(-ratio, 1.0, reach / float(self.unit), PublicTail(self.radius))


def as_cells(columns: Cells | Entries) -> Cells:
    """Cells as they are, entries added up."""
    return columns.as_cells() if isinstance(columns, Entries) else columns


def payroll_scales(mechanism: PayMechanism, cells: Cells, factor: Fraction) -> Scales:
    """factor·max(P_max, ΔB/α) by the largest payroll, else factor·B·max(X, Δ/α)."""
    floor = mechanism.parameters.floor
    if not mechanism.by_payroll:
        return Scales(cells.largest, floor=floor, factor=mechanism.cap * factor)
    return Scales(largest_payroll(cells), floor=mechanism.cap * floor, factor=factor)


def largest_payroll(cells: Cells) -> Integers:
    """That of each workplace cell; there must have been asked for it."""
    if cells.largest_payroll is None:
        raise TypeError("the cells were tabulated without the largest payroll")
    return cells.largest_payroll


def noisy_indices(index: Integers, spread: Fraction, noise: Noise) -> Integers:
    """Pairs of grid indices (w, 1, 2) with hexagonal noise of this scale."""
    scales = Scales(np.ones(len(index), dtype=np.int64), factor=spread)
    return noise.pairs(index, (scales, scales), HEXAGON, None)


def refuse_worker_cells(name: str, parameters: Parameters) -> None:
    """Refuse several worker cells where the proof is about one pair a workplace cell."""
    if parameters.cells > 1:
        raise NotCovered(
            "mechanism",
            rule=f"must be proved for worker cells: {name} is for one pair a workplace cell",
            value=f"{parameters.cells} worker cells",
            next_step="Use pay_pareto, or leave mechanism out for auto.",
        )
