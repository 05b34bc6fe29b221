"""Relations: the one door to Ibis, which ships no types."""

from typing import Any

import ibis  # type: ignore[import-untyped] # ships no types
from ibis import _ as this

Table = Any
"""A table or a query of Ibis."""

Column = Any
"""A column or a value of Ibis."""

__all__ = ["Column", "Table", "ibis", "this"]
