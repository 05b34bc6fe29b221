"""MOSE and its neighbours: regressions by cell with noise that has no guarantee.

Chetty and Friedman (2019) add noise of the scale χ/(εN), where χ, the maximum observed sensitivity
envelope, is the largest N times sensitivity of all cells. χ is computed from the raw data, so no
ε holds for what is published. None of the methods here is formally private.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, pi, sqrt
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from leeward.core.codebook.cells import Floats
from leeward.core.errors import InvalidParameter, shown
from leeward.core.noise.sampling import secret_uniforms
from leeward.systems.regress.scatter import Estimand, ScaledPoints

NOTICE = "not formally private"

OK, WITHHELD, NO_LINE = "ok", "withheld", "no estimate"
"""The status of a cell."""

Cells: TypeAlias = Mapping[str, ScaledPoints]
Groups: TypeAlias = Mapping[str, str]
"""The group of each cell, over which χ is a maximum."""

Law: TypeAlias = Literal["normal", "laplace"]


def standard_noise(law: Law, shape: tuple[int, ...]) -> Floats:
    """Noise of mean 0 and variance 1: normal, or Laplace of scale 1/√2."""
    first, second = secret_uniforms(2 * int(np.prod(shape))).reshape(2, *shape)
    radius: Floats = -np.log1p(-first)
    if law == "normal":
        return np.asarray(np.sqrt(2 * radius) * np.cos(2 * pi * second))
    return np.where(second < 0.5, -radius, radius) / sqrt(2)


def winsorised(cells: Cells, lower: float, upper: float) -> dict[str, ScaledPoints]:
    """All cells with y moved between two quantiles of all y together: raw data, like χ."""
    if not 0 <= lower < upper <= 1:
        raise InvalidParameter(
            "winsor",
            rule="must be two quantiles with 0 <= lower < upper <= 1",
            value=f"{shown(lower)}, {shown(upper)}",
            next_step="Give for example 0.01, 0.99.",
        )
    low, high = np.quantile(np.concatenate([points.y for points in cells.values()]), (lower, upper))
    return {name: cell.winsorised(float(low), float(high)) for name, cell in cells.items()}


@dataclass(frozen=True)
class Envelope:
    """χ of a group of cells, and the cell that attains it: both reveal something of that cell."""

    chi: float
    cell: str

    @classmethod
    def largest(cls, found: Mapping[str, float]) -> "Envelope":
        """Of the cells that have a line; 0 if none has."""
        known = {name: chi for name, chi in found.items() if not np.isnan(chi)}
        cell = max(known, key=known.__getitem__, default="")
        return cls(known.get(cell, 0.0), cell)


class Method(Protocol):
    """A way to choose the sensitivity that noise is scaled to.

    `clamped` methods move the estimate into its range first; `exact` ones add no noise, not even to
    counts; those that are not `stated` publish no standard error.
    """

    @property
    def clamped(self) -> bool: ...
    @property
    def exact(self) -> bool: ...
    @property
    def stated(self) -> bool: ...

    def sensitivities(self, cells: Cells, of: Estimand) -> Floats:
        """One for each cell, nan where nothing is published."""


@dataclass(frozen=True)
class Global:
    """The range of the estimand, which is moved into it; without that it would be unbounded.

    As all x come closer together the line turns ever faster with one point. In [0, 1] a prediction
    changes by at most 1, in [−1, 1] a slope by at most 2.
    """

    clamped: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    stated: ClassVar[bool] = True

    def sensitivities(self, cells: Cells, of: Estimand) -> Floats:
        """The same for all cells."""
        return np.full(len(cells), of.high - of.low)


@dataclass(frozen=True)
class LocalSensitivity:
    """The cell's own sensitivity to adding any point or removing one.

    It has two faces. If the scale is stated, it leaks: it is a statistic of the raw data. If it is
    not, the variance is unknown, and no standard error can be given.
    """

    stated: bool = True
    clamped: ClassVar[bool] = True
    exact: ClassVar[bool] = False

    def sensitivities(self, cells: Cells, of: Estimand) -> Floats:
        """At most the range of the estimand, into which it is moved."""
        found = [cell.local_sensitivity(of) for cell in cells.values()]
        return np.minimum(found, of.high - of.low)


@dataclass(frozen=True)
class Mose:
    """χ/N as published: χ is the largest N times corner sensitivity over the cells of a group."""

    groups: Groups | None = None
    clamped: ClassVar[bool] = False
    exact: ClassVar[bool] = False
    stated: ClassVar[bool] = True

    def envelopes(self, cells: Cells, of: Estimand) -> dict[str, Envelope]:
        """χ of every group; without groups all cells are one, of the name ""."""
        found: dict[str, dict[str, float]] = {}
        for name, group in self._groups(cells).items():
            found.setdefault(group, {})[name] = self.observed(cells[name], of)
        return {group: Envelope.largest(mine) for group, mine in found.items()}

    def observed(self, cell: ScaledPoints, of: Estimand) -> float:
        """N times the sensitivity of one cell."""
        return cell.fit.count * cell.corner_sensitivity(of)

    def sensitivities(self, cells: Cells, of: Estimand) -> Floats:
        """χ of its group divided by N, for each cell."""
        found, group = self.envelopes(cells, of), self._groups(cells)
        lines = {name: cell.fit for name, cell in cells.items()}
        return np.array(
            [
                found[group[name]].chi / line.count if line.exists else nan
                for name, line in lines.items()
            ]
        )

    def _groups(self, cells: Cells) -> Groups:
        groups = dict.fromkeys(cells, "") if self.groups is None else self.groups
        if not cells.keys() <= groups.keys():
            raise InvalidParameter(
                "groups",
                rule="must name the group of every cell",
                value=f"{len(cells.keys() - groups.keys())} cells without one",
                next_step="Add them, or leave groups out: then all cells are one group.",
            )
        return {name: groups[name] for name in cells}


@dataclass(frozen=True)
class UpperBound(Mose):
    """The same with a bound of N times sensitivity that reads no y, only their range.

    χ still depends on x. With public x, or a public least variance, it would not.
    """

    def observed(self, cell: ScaledPoints, of: Estimand) -> float:
        """See `Fit.envelope_bound`."""
        return cell.fit.envelope_bound(of, cell.high - cell.low)


@dataclass(frozen=True)
class Suppression:
    """Cells of fewer than `least` people are withheld; the others are exact."""

    least: int = 20
    clamped: ClassVar[bool] = False
    exact: ClassVar[bool] = True
    stated: ClassVar[bool] = True

    def sensitivities(self, cells: Cells, of: Estimand) -> Floats:
        """No noise, or nothing."""
        counts = [cell.fit.count if cell.fit.exists else 0 for cell in cells.values()]
        return np.where(np.asarray(counts) < self.least, nan, 0.0)


METHODS: Mapping[str, Method] = {
    "global": Global(),
    "local": LocalSensitivity(),
    "mose": Mose(),
    "upper-bound": UpperBound(),
    "suppression": Suppression(),
}
"""By the names that commands use."""


@dataclass(frozen=True, eq=False)
class NoisyEstimates:
    """What would be published of each cell: estimate, standard error with noise, count, status."""

    cells: tuple[str, ...]
    estimate: Floats
    se: Floats
    count: Floats
    status: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """The lines of all cells and the sensitivities of a method: all that does not depend on ε."""

    method: Method
    cells: tuple[str, ...]
    estimate: Floats
    se: Floats
    count: Floats
    sensitivity: Floats

    def scale(self, epsilon: float) -> Floats:
        """The standard deviation √2·Δ/ε of the noise of each cell."""
        return sqrt(2) * self.sensitivity / epsilon

    def release(self, epsilon: float, law: Law = "laplace") -> NoisyEstimates:
        """Estimates and counts with noise of their own.

        The published example uses one ω for both, by which `recovered` undoes the noise.
        """
        omega = standard_noise(law, (2, len(self.cells)))
        return self.released(epsilon, omega[0], omega[1])

    def released(self, epsilon: float, omega: Floats, of_count: Floats) -> NoisyEstimates:
        """The release with this noise of variance 1; suppression publishes exact counts."""
        if not epsilon > 0:
            raise InvalidParameter(
                "epsilon",
                rule="must be greater than 0",
                value=shown(epsilon),
                next_step="Give for example 8.",
            )
        scale = self.scale(epsilon)
        hidden = np.isnan(self.estimate + scale)
        no_count, no_error = hidden & self.method.exact, hidden | (not self.method.stated)
        count = self.count + (0.0 if self.method.exact else sqrt(2) / epsilon) * of_count
        missing = WITHHELD if self.method.exact else NO_LINE
        return NoisyEstimates(
            self.cells,
            self.estimate + scale * omega,
            np.where(no_error, nan, np.sqrt(self.se**2 + scale**2)),
            np.where(no_count, nan, count),
            tuple(missing if one else OK for one in hidden),
        )


def prepared(method: Method, cells: Cells, of: Estimand) -> Prepared:
    """Fit the line of every cell and find what the method scales noise to."""
    lines = [cell.fit for cell in cells.values()]
    estimate = np.array([line.estimate(of) for line in lines])
    if method.clamped:
        estimate = np.clip(estimate, of.low, of.high)
    return Prepared(
        method,
        tuple(cells),
        estimate,
        np.array([squares.standard_error(of) for squares in lines]),
        np.array([float(least_squares.count) for least_squares in lines]),
        method.sensitivities(cells, of),
    )


def recovered(published: NoisyEstimates, chi: float) -> Floats:
    """An attack: the estimates without their noise, if estimate and count share one ω.

    The count N + √2ω/ε lies next to the whole number N where ε is large, which gives ω, and the
    noise √2χω/(εN) of the estimate with it. χ is known to readers: the example publishes the
    standard deviation of the noise, √2χ/(εN).
    """
    count = np.maximum(np.rint(published.count), 1)
    noise = published.count - count  # √2ω/ε
    return published.estimate - chi * noise / count
