"""Relations: the one door to Ibis, which ships no types."""

from typing import Any

import ibis  # type: ignore[import-untyped] # ships no types
import ibis.expr.operations as ops  # type: ignore[import-untyped] # ships no types

Table = Any
"""A table or a query of Ibis."""

Column = Any
"""A column or a value of Ibis."""


def can(table: Table, operation: str) -> bool:
    """Whether the table's database knows an operation, by its name in Ibis."""
    return bool(table.get_backend().has_operation(getattr(ops, operation)))


__all__ = ["Column", "Table", "can", "ibis"]
