"""Table calibration: a mechanism for a part of a budget, and the floor that a cap on a job needs.

Everything here follows from public information: the table's shape and the budget.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from leeward.core.codebook import Marginal
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.job_floor import floor_for
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.registry import REGISTRY, build
from leeward.core.mechanisms.scale import part_of_grid
from leeward.core.privacy import Guarantee


class Shape(NamedTuple):
    """The worker cells of a table; of a product those of each of its tables; of pay its options."""

    cells: int
    tables: tuple[int, ...] = ()
    pay: tuple[tuple[str, int | str], ...] = ()

    @classmethod
    def of(cls, marginal: Marginal) -> "Shape":
        """What a mechanism is calibrated for."""
        tables = tuple(breakdown.cells for breakdown in marginal.breakdowns)
        return cls(marginal.worker_cells, tables, marginal.statistic.options)


class Floor(NamedTuple):
    """The Δ of the noise, and what one job may cost of the values."""

    least: Fraction = Fraction(0)
    epsilon_job: Fraction | None = None


NO_CAP = Floor()


@lru_cache(maxsize=256)  # frozen values; a search for an epsilon comes by the same ones
def calibrated(
    name: str,
    pays: Guarantee,
    shape: Shape,
    narrowed: Fraction = Fraction(0),
    floor: Floor = NO_CAP,
) -> Mechanism:
    """The mechanism of a name; `narrowed` is the share of ε for narrower intervals."""
    claims = REGISTRY[name].claims
    options: dict[str, Any] = {"tables": shape.tables} if "joint" in claims else {}
    if "pay" in claims:
        options |= dict(shape.pay)
    if name in ("payroll_radial", "payroll_pareto") and pays.policy.name == "proportional":
        options["by_payroll"] = True  # the narrower scale, which only this policy allows
    if narrowed:
        options["margins"] = narrowed
    if pays.rho > 0:
        options["noise"] = "gaussian"
    paid = None if pays.rho > 0 else pays.epsilon
    read = Parameters.read(pays.alpha, paid, pays.delta, shape.cells, "tight", pays.plus or 1)
    priced = read.in_rho(pays.rho if pays.rho > 0 else None)
    return build(name, replace(priced, least=floor.least, epsilon_job=floor.epsilon_job), options)


def within_cap(
    free: Mechanism, marginal: Marginal, budget: Guarantee, narrowed: Fraction, scale: Fraction
) -> Mechanism:
    """The same with the smallest floor at which one job costs what the plan allows, or as it is.

    `scale` is the ε of the noisy scale that a job is in: it costs ε·i, the values have the rest.
    """
    if not budget.has_job_losses or not budget.policy.uses_alpha:
        return free
    in_rho = budget.currency == "rho"
    cap, of = budget.rho_job if in_rho else budget.epsilon_job, f" for table {marginal.name}"

    def margins(least: Fraction) -> Fraction:
        return scale * part_of_grid(replace(free.parameters, least=least)) if scale else scale

    def cost(least: Fraction) -> Fraction:
        return free.job_at(least)[in_rho] + margins(least)

    least = floor_for(cost, free.parameters.plus, cap, name=free.name, of=of)
    floor = Floor(least, None if in_rho else cap - margins(least))
    return calibrated(
        free.name, budget.with_epsilon(free.parameters.epsilon), Shape.of(marginal), narrowed, floor
    )
