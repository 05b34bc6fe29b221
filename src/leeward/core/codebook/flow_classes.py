"""Flows: jobs of a quarter by whether they were paid in the quarters before and after.

A class is two digits: paid in the quarter before, paid in the quarter after. Employment, hires,
separations and job change are sums and differences of the four classes (Abowd et al. 2009, the
Quarterly Workforce Indicators); job gains and losses are sums over establishments.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    sums: Numbers = np.einsum("ij,woj...->woi...", weights.astype(kind), parts)
    return sums.reshape(w, width // each * out, *rest)
