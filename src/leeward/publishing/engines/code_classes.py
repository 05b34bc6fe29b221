"""Code classes: the codes of a row as a few small numbers, from which every table gets its cells.

Texts of a column that no table distinguishes share a class, so that a hundred filters on one column
cost no more than one. The classes of several columns form one profile as long as they are few. What
a profile means to a table is computed here, as a map of its values: databases look up and add, but
never multiply or divide, so that no product overflows their integers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook import LEFT_OUT, Dimension, NumericRange

Integers = NDArray[np.int64]

Side = tuple[tuple[Dimension, ...], tuple[Dimension, ...]]
"""The dimensions of a table that number its cells, and those that only restrict it."""

MOST_VALUES = 2**12
"""Up to this many combinations, columns share a profile: maps stay small, keys stay few."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of the texts of one column, numbered from 0.

    The texts of a numeric column are the codes of its classes.
    """

    column: str
    numbers: NumericRange | None
    texts: tuple[str, ...]
    of_texts: Integers
    """The class of each text, then that of a null and that of any other text."""

    indices: Mapping[Dimension, Integers]
    """For each dimension, the index of each class among its codes, or LEFT_OUT."""

    @property
    def size(self) -> int:
        """How many classes there are."""
        return int(self.of_texts.max()) + 1


@dataclass(frozen=True, eq=False)
class Profile:
    """Some columns of a table; a value numbers the combinations of their classes."""

    columns: tuple[Classes, ...]

    @property
    def size(self) -> int:
        """How many values there are."""
        return prod(one.size for one in self.columns)

    def shares(self) -> Iterator[tuple[Classes, Integers]]:
        """What each text of each column adds to the value."""
        stride = self.size
        for one in self.columns:
            stride //= one.size
            yield one, one.of_texts * stride

    def concerns(self, side: Side) -> bool:
        """Whether a table has dimensions in it."""
        return any(one in classes.indices for classes in self.columns for one in weights(side))

    def parts(self, side: Side) -> tuple[Integers, Integers]:
        """The values that count in a table, and what each adds to the number of the cell."""
        number = np.zeros(self.size, dtype=np.int64)
        inside = np.ones(self.size, dtype=bool)
        index_of = np.unravel_index(np.arange(self.size), [one.size for one in self.columns])
        for classes, index in zip(self.columns, index_of, strict=True):
            for dimension, weight in weights(side).items():
                if dimension in classes.indices:
                    found = classes.indices[dimension][index]
                    inside &= found != LEFT_OUT
                    number += found * weight
        return np.flatnonzero(inside), number[inside]


def weights(side: Side) -> Mapping[Dimension, int]:
    """How many cells one step in each dimension is, the first slowest; 0 for a filter."""
    found = dict.fromkeys(side[1], 0)
    step = 1
    for one in reversed(side[0]):
        found[one] = step
        step *= one.size
    return found


def one_cell_each(profiles: Iterable[Profile], side: Side) -> bool:
    """Whether no two combinations of values fall into the same cell of a table."""
    numbers = (profile.parts(side)[1] for profile in profiles)
    return all(np.unique(one).size == one.size for one in numbers)


def find_profiles(dimensions: Iterable[Dimension]) -> tuple[Profile, ...]:
    """Profiles of dimensions that belong to one table of the data."""
    by_column: dict[tuple[str, NumericRange | None], list[Dimension]] = defaultdict(list)
    for one in dict.fromkeys(dimensions):
        by_column[one.attribute.column, one.attribute.numbers].append(one)
    groups: list[list[Classes]] = []
    for held in by_column.values():
        classes = find_classes(held)
        for group in groups:
            if classes.size * prod(one.size for one in group) <= MOST_VALUES:
                group.append(classes)
                break
        else:
            groups.append([classes])
    return tuple(Profile(tuple(group)) for group in groups)


def find_classes(dimensions: Sequence[Dimension]) -> Classes:
    """The classes of a column: texts are divided by one dimension after the other."""
    source = dimensions[0].attribute
    texts = tuple(dict.fromkeys(text for one in dimensions for text in one.attribute.recode))
    of_texts = np.zeros(len(texts) + 2, dtype=np.int64)
    found = {one: _indices(one, texts) for one in dimensions}
    for one, index in found.items():
        # At most a few million classes times a million codes: far from the end of int64.
        pairs = of_texts * (one.size + 1) + index + 1
        of_texts = np.unique(pairs, return_inverse=True)[1]
    _, first = np.unique(of_texts, return_index=True)
    indices = {one: index[first] for one, index in found.items()}
    return Classes(source.column, source.numbers, texts, of_texts, indices)


def _indices(dimension: Dimension, texts: Iterable[str]) -> Integers:
    """The index among the kept codes of each text, then of a null and of any other text."""
    attribute = dimension.attribute
    index_of = np.full(len(attribute.codes) + 1, LEFT_OUT, dtype=np.int64)
    index_of[list(dimension.kept)] = np.arange(dimension.size)
    found = [attribute.recode.get(text, attribute.unlisted) for text in texts]
    # A mistake in the data, which the checks report, counts in no cell; so does LEFT_OUT, which
    # as a position is the last one.
    positions = [
        LEFT_OUT if one is None else one for one in (*found, attribute.missing, attribute.unlisted)
    ]
    return index_of[positions]
