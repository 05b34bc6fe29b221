"""Confidential: true counts and sizes, between the engine that made them and the noise.

The type has no printable contents, cannot be pickled, compared or iterated, and gives its
columns only to the one caller that turns them into published values.
"""

from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@final
class Confidential:
    """Columns of true values that nothing but a mechanism may read."""

    __slots__ = ("__columns",)

    def __init__(self, **columns: Integers) -> None:
        self.__columns = columns

    def opened(self) -> dict[str, Integers]:
        """The columns, for the one place where confidential data and noise meet."""
        return dict(self.__columns)

    def __repr__(self) -> str:
        return "Confidential(not shown)"

    def __format__(self, spec: str) -> str:
        return repr(self)

    def _refused(self, *_: object) -> NoReturn:
        raise TypeError("Confidential values are not copied, compared, counted or stored")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refused
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = _refused
