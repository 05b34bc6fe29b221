"""Values: confidential ones, between the engine that made them and the noise, and published ones.

A `Confidential` has no printable contents, cannot be pickled, compared or iterated, and gives what
it holds only to the one caller that turns it into published values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Generic, NoReturn, TypeAlias, TypeVar, final

from leeward.core.codebook.cells import Cells, Entries, Integers

Held_co = TypeVar("Held_co", bound=Cells | Entries, covariant=True)


@final
class Confidential(Generic[Held_co]):
    """True values that nothing but a mechanism may read."""

    __slots__ = ("__held",)

    def __init__(self, held: Held_co) -> None:
        self.__held = held

    def opened(self) -> Held_co:
        """The values, for the one place where confidential data and noise meet."""
        return self.__held

    def __repr__(self) -> str:
        return "Confidential(not shown)"

    def __format__(self, spec: str) -> str:
        return repr(self)

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("Confidential values are not copied, compared, counted or stored")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = _refused


@dataclass(frozen=True)
class Batch(Generic[Held_co]):
    """Workplace cells with consecutive places in the frame, in the order of their numbers.

    `keys` are public numbers, `cells` their confidential contents.
    """

    keys: Integers
    cells: Confidential[Held_co]


class Flag(IntEnum):
    """Status flags with the meanings of the LEHD public-use schema (label_flags.csv, V4.14)."""

    NO_ESTABLISHMENT = -2
    NO_NUMBER = -1
    """What was measured gives no such number, as a mean of less than half a job."""
    OK = 1


EMPTY = -(2**63)
"""Stands for a number that is not there; it is published as an empty field."""

Margins: TypeAlias = Mapping[str, Integers]
"""How far off values may be: columns by name, each with one number for a cell.

Either `margin` on both sides of the value, or the ends `low` and `high`. The same with `block_`
before the name hold for all worker cells of a workplace cell together. Tables of pay have `low` and
`high`, each of which may be EMPTY, and `count` beside them.
"""


def ends(values: Integers, margins: Margins, of: str = "") -> tuple[Integers, Integers]:
    """The ends of the interval of each value; of="block_" for those that hold together."""
    if of + "low" in margins:
        return margins[of + "low"], margins[of + "high"]
    return values - margins[of + "margin"], values + margins[of + "margin"]


@dataclass(frozen=True)
class Published:
    """Cells in the order of their public codes; the worker cells of a workplace cell in a row.

    `keys` number the workplace cells; `values` is (workplace cells, worker cells); the columns of
    `margins` have the same shape, and there are none without margins; `flags` is one for each
    workplace cell, or one for each value. `establishments` is how many the public frame has in each
    workplace cell, or None where it was not asked for.
    """

    keys: Integers
    values: Integers
    flags: Integers
    margins: Margins = field(default_factory=dict)
    establishments: Integers | None = None

    def __post_init__(self) -> None:
        cells = self.values.shape
        flags = None if self.flags.shape == cells else self.flags
        columns = (self.keys, flags, self.establishments)
        shapes = [column.shape for column in columns if column is not None]
        if len(cells) != 2 or any(shape != cells[:1] for shape in shapes):
            raise ValueError(
                "keys, flags and establishments must have one element for each row of values"
            )
        if any(margin.shape != cells for margin in self.margins.values()):
            raise ValueError("margins must have the shape of values")

    def part(self, some: slice) -> "Published":
        """Some of the workplace cells."""
        margins = {name: margin[some] for name, margin in self.margins.items()}
        frame = None if self.establishments is None else self.establishments[some]
        return Published(self.keys[some], self.values[some], self.flags[some], margins, frame)
