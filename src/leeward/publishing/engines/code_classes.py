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
class TextClasses:
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
        return int(self.of_texts.max()) + 1


@dataclass(frozen=True, eq=False)
class Profile:
    """Some columns of a table; a value numbers the combinations of their classes."""

    columns: tuple[TextClasses, ...]

    @property
    def size(self) -> int:
        return prod(column.size for column in self.columns)

    def shares(self) -> Iterator[tuple[TextClasses, Integers]]:
        """What each text of each column adds to the value."""
        stride = self.size
        for column in self.columns:
            stride //= column.size
            yield column, column.of_texts * stride

    def concerns(self, side: Side) -> bool:
        """Whether a table has dimensions in it."""
        sides = weights(side)
        return any(sides.keys() & column.indices.keys() for column in self.columns)

    def parts(self, side: Side) -> tuple[Integers, Integers]:
        """The values that count in a table, and what each adds to the number of the cell."""
        number = np.zeros(self.size, dtype=np.int64)
        inside = np.ones(self.size, dtype=bool)
        index_of = np.unravel_index(np.arange(self.size), [column.size for column in self.columns])
        for classes, index in zip(self.columns, index_of, strict=True):
            for dimension, weight in weights(side).items():
                if dimension in classes.indices:
                    place = classes.indices[dimension][index]
                    inside &= place != LEFT_OUT
                    number += place * weight
        return np.flatnonzero(inside), number[inside]


def weights(side: Side) -> Mapping[Dimension, int]:
    """How many cells one step in each dimension is, the first slowest; 0 for a filter."""
    steps = dict.fromkeys(side[1], 0)
    step = 1
    for dimension in reversed(side[0]):
        steps[dimension] = step
        step *= dimension.size
    return steps


def one_cell_each(profiles: Iterable[Profile], side: Side) -> bool:
    """Whether no two combinations of values fall into the same cell of a table."""
    numbers = (profile.parts(side)[1] for profile in profiles)
    return all(np.unique(cells).size == cells.size for cells in numbers)


def find_profiles(dimensions: Iterable[Dimension]) -> tuple[Profile, ...]:
    """Profiles of dimensions that belong to one table of the data."""
    by_column: dict[tuple[str, NumericRange | None], list[Dimension]] = defaultdict(list)
    for dimension in dict.fromkeys(dimensions):
        source = dimension.attribute
        by_column[source.column, source.numbers].append(dimension)
    groups: list[list[TextClasses]] = []
    for of_column in by_column.values():
        classes = find_classes(of_column)
        for group in groups:
            if classes.size * prod(column.size for column in group) <= MOST_VALUES:
                group.append(classes)
                break
        else:
            groups.append([classes])
    return tuple(Profile(tuple(group)) for group in groups)


def find_classes(dimensions: Sequence[Dimension]) -> TextClasses:
    """The classes of a column: texts are divided by one dimension after the other."""
    attributes = [dimension.attribute for dimension in dimensions]
    source = attributes[0]
    texts = tuple(dict.fromkeys(text for listed in attributes for text in listed.recode))
    of_texts = np.zeros(len(texts) + 2, dtype=np.int64)
    indices: dict[Dimension, Integers] = {}
    for dimension in dimensions:
        attribute = dimension.attribute
        index_of = np.full(len(attribute.codes) + 1, LEFT_OUT, dtype=np.int64)
        index_of[list(dimension.kept)] = np.arange(dimension.size)
        places = [attribute.recode.get(text, attribute.unlisted) for text in texts]
        places += [attribute.missing, attribute.unlisted]
        # A mistake in the data, which the checks report, counts in no cell; so does LEFT_OUT,
        # which as a position is the last one.
        positions = [LEFT_OUT if place is None else place for place in places]
        indices[dimension] = index_of[positions]
    for dimension, index in indices.items():
        # At most a few million classes times a million codes: far from the end of int64.
        pairs = of_texts * (dimension.size + 1) + index + 1
        of_texts = np.unique(pairs, return_inverse=True)[1]
    _, first = np.unique(of_texts, return_index=True)
    of_classes = {dimension: index[first] for dimension, index in indices.items()}
    return TextClasses(source.column, source.numbers, texts, of_texts, of_classes)
