"""Flows: jobs of a quarter by whether they were paid in the quarters before and after.

A class is two digits: paid in the quarter before, paid in the quarter after. Employment, hires,
separations and job change are sums and differences of the four classes (Abowd et al. 2009, the
Quarterly Workforce Indicators); job gains and losses are sums over establishments.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.attribute import Attribute

Numbers = NDArray[Any]

MEASURE = "measure"
"""The identifier of the rows of flows and gains."""

FLOW_LABELS = {
    "11": "Paid in the quarter before and in the quarter after",
    "10": "Paid in the quarter before only",
    "01": "Paid in the quarter after only",
    "00": "Paid in neither",
}
FLOW_CODES = tuple(FLOW_LABELS)
"""The classes, as codes of the attribute that flows are of."""

MEASURES: Mapping[str, tuple[int, ...]] = {
    "EmpTotal": (1, 1, 1, 1),
    "Emp": (1, 1, 0, 0),
    "EmpEnd": (1, 0, 1, 0),
    "EmpS": (1, 0, 0, 0),
    "HirA": (0, 0, 1, 1),
    "Sep": (0, 1, 0, 1),
    "FrmJbC": (0, -1, 1, 0),
}
"""How often each class counts in each measure; the names are those of QWI."""

LABELS = {
    "EmpTotal": "jobs at any time of the quarter",
    "Emp": "jobs at the beginning of the quarter",
    "EmpEnd": "jobs at the end of the quarter",
    "EmpS": "jobs of the full quarter",
    "HirA": "hires, recalls among them",
    "Sep": "separations",
    "FrmJbC": "job change: jobs at the end less jobs at the beginning",
    "FrmJbGn": "job gains: growth of establishments that grew",
    "FrmJbLs": "job losses: decline of establishments that shrank",
}
GAINS = ("FrmJbGn", "FrmJbLs")
CHANGE, EMPLOYED = "FrmJbC", ("Emp", "EmpEnd")
"""A rate of growth is the change over the mean of the jobs before and after it."""

CHANGING = ("01", "10")
"""The classes whose difference is the net change of an establishment."""

WEIGHTS = np.array(list(MEASURES.values()), dtype=np.int64)
"""(7, 4): the measures of a row of classes."""

BACK = np.array(
    [[0, 0, 0, 1, 0, 0, 0], [0, 1, 0, -1, 0, 0, 0], [0, 0, 1, -1, 0, 0, 0], [1, -1, -1, 1, 0, 0, 0]]
)
"""(4, 7): the classes that measures were made of."""

ONE_CLASS = list(MEASURES).index("EmpS")
"""The measure that is one class, so that its margin is that of a class."""


def measures(classes: Numbers) -> Numbers:
    """Measures (w, o·7, …) of classes (w, o·4, …)."""
    return _combined(WEIGHTS, classes)


def classes(measured: Numbers) -> Numbers:
    """Classes (w, o·4, …) of measures (w, o·7, …)."""
    return _combined(BACK, measured)


def measured_ends(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Ends of measures from ends of classes: the far ones of classes that are subtracted."""
    plus, minus = np.maximum(WEIGHTS, 0), np.minimum(WEIGHTS, 0)
    lowest: Numbers = _combined(plus, low) + _combined(minus, high)
    highest: Numbers = _combined(plus, high) + _combined(minus, low)
    return lowest, highest


def _combined(weights: Numbers, columns: Numbers) -> Numbers:
    """Weighted sums over each stretch of the second axis."""
    w, width, *rest = columns.shape
    out, each = weights.shape
    parts = columns.reshape(w, width // each, each, *rest)
    kind = columns.dtype if columns.dtype.kind == "f" else weights.dtype
    found: Numbers = np.einsum("ij,woj...->woi...", weights.astype(kind), parts)
    return found.reshape(w, width // each * out, *rest)


@dataclass(frozen=True)
class Flows:
    """Seven measures of each cell, from the counts of the four classes of `of`."""

    of: Attribute
    name: ClassVar[str] = "flows"
    unit: ClassVar[str] = "jobs"
    counts: ClassVar[bool] = True
    needs: ClassVar[tuple[Attribute, ...]] = ()
    tabulated: ClassVar[tuple[str, ...]] = FLOW_CODES

    @property
    def identifier(self) -> Attribute:
        """The measures in place of the classes."""
        return _identifier(self.of, tuple(MEASURES))

    @property
    def order(self) -> list[int]:
        """Where each class is in the codes of the attribute."""
        return [self.of.codes.index(code) for code in FLOW_CODES]


@dataclass(frozen=True)
class Gains:
    """Jobs gained by establishments that grew, and lost by those that shrank.

    What an establishment gained is its jobs of class 01 less those of 10, what it lost the
    contrary, neither below 0.
    """

    of: Attribute
    name: ClassVar[str] = "gains"
    unit: ClassVar[str] = "jobs"
    counts: ClassVar[bool] = True
    needs: ClassVar[tuple[Attribute, ...]] = ()
    tabulated: ClassVar[tuple[str, ...]] = CHANGING
    note: ClassVar[str] = (
        "A net change of one establishment that is small against its size is meant to be hidden, "
        "so gains and losses of few establishments are mostly noise. Choose their cells beforehand "
        "from public figures, or judge a row by its released margin; never by what the data say."
    )

    @property
    def identifier(self) -> Attribute:
        """Gains and losses in place of the classes."""
        return _identifier(self.of, GAINS)

    @property
    def gained(self) -> int:
        """The place of the jobs that began among the two classes, in the order of the codes."""
        began, ended = (self.of.codes.index(code) for code in CHANGING)
        return int(began > ended)


def _identifier(of: Attribute, codes: tuple[str, ...]) -> Attribute:
    labels = tuple(LABELS[code] for code in codes)
    return Attribute(MEASURE, of.table, of.column, codes, labels, public=False, recode={})
