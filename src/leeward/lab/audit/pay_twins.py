"""Pay twins: mechanisms of pay with one step spoilt, which claim what the genuine ones claim."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from leeward.core.codebook import Cells, Entries
from leeward.core.mechanisms.clipping import scaled
from leeward.core.mechanisms.edge_pay import EdgePay
from leeward.core.mechanisms.pay_clipped import PayClipped
from leeward.core.mechanisms.pay_margins import PayMargins
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.payroll_slope import PayrollSlope
from leeward.core.noise.block_draws import PairBits, decide_pairs
from leeward.core.noise.body import Body
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers, Laws, Scales, TwoScales
from leeward.core.noise.tabulated import Floats
from leeward.lab.audit.audit_line import ALPHA
from leeward.lab.audit.independence import FixedWords
from leeward.lab.audit.recording import RecordingNoise
from leeward.lab.audit.twins import CUT


class DrawnApart(EdgePay):
    """A Laplace draw each for count and payroll, both at ε."""

    body = Body("apart", ((1, 0), (0, 1), (-1, 0), (0, -1)))


class JobSlope(PayrollSlope):
    """A = B·max(X, Δ/α): right in what one step moves, and wrong in that A moves without it."""

    by_payroll = False


class NoFloor(PayrollSlope):
    """A follows the largest payroll, however small."""

    def scales(self, cells: Cells) -> Scales:
        return replace(super().scales(cells), floor=Fraction(1))


class ObservedCap(PayClipped):
    """The cap is the largest pay in the data."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        payroll = np.zeros(1) if entries.payroll is None else entries.payroll / entries.counts
        seen = replace(self, cap=max(1, int(payroll.max(initial=1))))
        return PayClipped._release(seen, entries, noise)


class PaidWeights(PayClipped):
    """Establishments are scaled by min(1, θB/P): joiners at the cap shrink all who stay."""

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        if entries.payroll is None or entries.payrolls is None:
            raise TypeError("the entries were tabulated without payroll")
        lattice = self.bounds.clipping.lattice
        bound = theta[entries.workplace[entries.row]] * self.cap
        whole = np.maximum(entries.payrolls[entries.row] * lattice, bound)
        sums = np.zeros((*entries.shape, 2), dtype=np.int64)
        at = entries.workplace[entries.row], entries.cell
        for number, column in enumerate((entries.counts * lattice, entries.payroll)):
            np.add.at(sums[:, :, number], at, scaled(column, bound, whole)[0])
        return sums


class ExactCount(PayPareto):
    """The payroll has noise, the count has none."""

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        drawn = super()._release(cells, noise)
        drawn[:, :, 0] = cells.counts
        return drawn


@dataclass(frozen=True)
class TrueScale(PayMargins):
    """Intervals of the true scale; a noisy one is drawn, and not used."""

    def smooth(self, cells: Cells, noise: Noise) -> tuple[Floats, Floats]:
        super().smooth(cells, noise)
        scale = np.maximum(float(ALPHA) * cells.largest, 1.0)
        return scale, scale * self.mechanism.cap


@dataclass
class CutNoise(RecordingNoise):
    """Notes a tenth less than what was asked for."""

    def rounded(self, true: Integers, law: Laws, scales: Scales) -> Integers:
        return super().rounded(true, law, _cut(scales))

    def block(self, true: Integers, scales: Scales, law: RadialLaw) -> Integers:
        return super().block(true, _cut(scales), law)

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        return super().pairs(true, (_cut(scales[0]), _cut(scales[1])), body, law)


def _cut(scales: Scales) -> Scales:
    return replace(scales, factor=scales.factor * CUT)


class ReusedWord(RecordingNoise):
    """Draws pairs whose E₂ is made of the word that made E₁ of the workplace cell before."""

    def pairs(
        self, true: Integers, scales: TwoScales, body: Body, law: RadialLaw | None
    ) -> Integers:
        bits = cast(Any, FixedWords())
        words = PairBits.read(len(true), true.shape[1], body, law, bits)
        words.pairs[1:, :, 1] = words.pairs[:-1, :, 0]
        return true + decide_pairs(scales, words, body, law, bits)


class ReusingPareto(PayPareto):
    """Asks for the right noise, and is given noise of words that are used twice."""

    def _release(self, cells: Cells, noise: Noise) -> Integers:
        return super()._release(cells, ReusedWord())
