"""Joint: what the two mechanisms of whole products share, and how `auto` chooses between them."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from leeward.core.codebook import Entries
from leeward.core.codebook.size_profile import ESTABLISHMENTS
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import whole_number
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.clipping import FINENESS, Clipping, scaled
from leeward.core.mechanisms.measurement import COVERAGE, ByMechanism, Spread
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.design import Design, Norm
from leeward.core.noise.radial_law import RadialLaw
from leeward.core.noise.scales import Integers
from leeward.core.noise.tabulated import Floats

if TYPE_CHECKING:
    from leeward.core.noise.public_draws import PublicDraws

MOST_JOINT_CELLS = 400
"""Maximum number of cells of all tables of a product together."""

MOST_DRAWN = "They cover at least nine of ten draws of the public law of the noise."


def joint_design(parameters: Parameters, tables: object, norm: Norm) -> tuple[Design, Parameters]:
    """The tables of a product, and the parameters of all their cells together."""
    numbers = tuple(tables) if isinstance(tables, (tuple, list)) else ()
    if not numbers or not all(whole_number(number) and number >= 1 for number in numbers):
        raise InvalidParameter(
            "tables",
            rule="must be the numbers of cells of the tables, such as (3, 2)",
            value=shown(tables),
            next_step="Give one whole number of at least 1 for each table.",
        )
    design = Design(tuple(int(number) for number in numbers), norm)
    if not 2 <= design.cells <= MOST_JOINT_CELLS:
        raise InvalidParameter(
            "tables",
            rule=f"must have from 2 to {MOST_JOINT_CELLS} cells together",
            value=f"{design.cells} cells",
            next_step="Release tables of like size together, in several blocks.",
        )
    return design, replace(parameters, cells=design.cells)


def required_sums(counts: Integers, design: Design) -> None:
    """Refuse tables of a workplace cell that differ in their sums: the proof is about equal ones.

    The engine counts every job once in each table, so other sums are a fault of the program.
    """
    first, *others = (counts[:, cells].sum(axis=1) for cells in design.slices())
    if any(not np.array_equal(first, other) for other in others):
        raise ArithmeticError("tables of a product must have one sum in each workplace cell")


def rounding_of(design: Design) -> Floats:
    """What rounding may add to the noise of the total, and of each cell, (1 + D).

    A total is rounded to the nearest; largest remainders move a cell by less than one.
    """
    return np.repeat([0.5, 1.0], [1, design.cells])


def with_total(values: Integers, design: Design) -> Integers:
    """The same with the total of each row before it; all tables have it."""
    return np.concatenate([values[:, design.slices()[0]].sum(axis=1, keepdims=True), values], 1)


def public_draws(design: Design, shape: int = 0, radius: RadialLaw | None = None) -> "PublicDraws":
    """Draws of the public law, loaded when margins are asked for: a plan without loads none."""
    from leeward.core.noise.public_draws import PublicDraws  # noqa: PLC0415 (a plan must not load it)

    return PublicDraws(design, shape, radius)


def drawn_spread(draws: "PublicDraws", size: int, scale: float) -> Spread:
    """The noise of a cell of the first table, whose establishment is spread evenly over it."""
    count = -(-size // draws.design.tables[0])
    reach = int(np.ceil(scale * draws.reach(1, float(COVERAGE)) - 0.5))
    return Spread(count, count - reach, count + reach, draws.law(1), scale)


@dataclass(frozen=True)
class JointClipping(Clipping):
    """Clipping that keeps one sum in all tables of an establishment."""

    tables: tuple[int, ...] = ()

    @property
    def lattice(self) -> int:
        """A power of two, so fine that the allowance for rounding is below 1/1000 of Δ."""
        return 1 << (FINENESS * (max(self.tables) + 1) - 1).bit_length()

    @property
    def allowance(self) -> int:
        """What rounding to the lattice may add to a positive part, in lattice points."""
        return max(self.tables) + 1

    def sums(self, entries: Entries, theta: Integers) -> Integers:
        """Lattice points (workplaces, D), one θ a workplace cell.

        An establishment above θ has θ points in every table: floors, and one more for the largest
        remainders.
        """
        place, sizes = entries.workplace[entries.row], entries.sizes[entries.row]
        points = entries.counts * self.lattice
        above = np.flatnonzero(sizes * self.lattice > theta[place])
        theta_of, size = theta[place[above]], sizes[above]
        floors, rest = scaled(entries.counts[above], theta_of, size)
        of_table = np.repeat(np.arange(len(self.tables)), self.tables)[entries.cell[above]]
        group = entries.row[above] * len(self.tables) + of_table
        order = np.lexsort((entries.cell[above], -rest, group))
        first = np.flatnonzero(np.diff(group[order], prepend=-1))
        rank = np.arange(order.size) - np.repeat(first, np.diff([*first, order.size]))
        left = theta_of - np.bincount(group, floors, minlength=1)[group].astype(np.int64)
        floors[order] += rank < left[order]
        points[above] = floors
        sums = np.zeros((theta.size, self.cells), dtype=np.int64)
        np.add.at(sums, (place, entries.cell), points)
        return sums

    def moved(self, theta: Integers) -> Integers:
        """Δ: αθ/(1+α), and what rounding adds."""
        share = self.alpha / (1 + self.alpha)
        above, below = share.numerator, share.denominator
        unique, inverse = np.unique(theta, return_inverse=True)
        values = [value * above // below + self.allowance for value in unique.tolist()]
        return np.array(values, dtype=np.int64)[inverse].reshape(theta.shape)


J = TypeVar("J", bound=Mechanism)


class JointTables(ByMechanism[J]):
    """What measurements of a product's tables have in common."""

    @property
    def design(self) -> Design:
        """The tables."""
        design: Design = self.mechanism.design  # type: ignore[attr-defined] # of each
        return design

    def shape_of_product(self) -> dict[str, str]:
        """The tables and the dimension of their space, for a certificate."""
        tables = ", ".join(map(str, self.design.tables))
        return {"tables": tables, "dimension": str(self.design.dimension)}

    def expected_error(self, size: int, establishments: int = ESTABLISHMENTS) -> float | None:
        """The mean over all cells of all tables."""
        errors = self.expected_errors(size, establishments)
        if errors is None:
            return None
        return float(np.average(errors[1:], weights=self.design.tables))
