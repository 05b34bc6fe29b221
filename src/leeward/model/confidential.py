"""Confidential: true counts and sizes, between the engine that made them and the noise.

The type has no printable contents, cannot be pickled, compared or iterated, and gives what it
holds only to the one caller that turns it into published values.
"""

from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar, final

from leeward.model.cells import Cells, Entries, Integers

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
