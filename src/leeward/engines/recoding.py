"""Recoding: from the text that a column holds to the index of a code, by a join with a map.

A join serves every database, and code lists of any length, alike.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from leeward.engines.relations import Column, Table, ibis
from leeward.engines.scratch import Scratch
from leeward.model import LEFT_OUT, Attribute, Dimension


def as_text(column: Column) -> Column:
    """A column as the text that code lists are compared with."""
    kind = column.type()
    if kind.is_string():
        return column
    if kind.is_boolean():
        return ibis.cases((column, "true"), (~column, "false"))
    return column.cast("string")


def same_id(left: Column, right: Column) -> Column:
    """Whether two ids are equal: as numbers if both are, else as texts."""
    if left.type().is_integer() and right.type().is_integer():
        return left == right
    return as_text(left) == as_text(right)


def code_name(index: int) -> str:
    """The column that holds the index of a code in the dimension of this number."""
    return f"code_{index}"


def recoded(
    scratch: Scratch, table: Table, ids: Mapping[str, str], dimensions: Sequence[Dimension]
) -> Table:
    """The ids under new names and, for each dimension, the index of the row's code or LEFT_OUT."""
    raw = {f"raw_{k}": table[one.attribute.column] for k, one in enumerate(dimensions)}
    chosen = table.select(**{new: table[old] for new, old in ids.items()}, **raw)
    for k, dimension in enumerate(dimensions):
        codes = scratch.keep(code_map(dimension)).rename({f"text_{k}": "text", f"map_{k}": "index"})
        chosen = chosen.left_join(codes, as_text(chosen[f"raw_{k}"]) == codes[f"text_{k}"])
    indices = {code_name(k): _index(chosen, k, one) for k, one in enumerate(dimensions)}
    return chosen.select(*ids, **indices)


def _index(table: Table, k: int, dimension: Dimension) -> Column:
    attribute, place = dimension.attribute, places(dimension)
    unlisted = place.get(_settled(attribute.unlisted), LEFT_OUT)
    missing = place.get(_settled(attribute.missing), LEFT_OUT)
    rest = ibis.ifelse(table[f"raw_{k}"].isnull(), missing, unlisted)
    return ibis.coalesce(table[f"map_{k}"], rest).cast("int32")


def code_map(dimension: Dimension) -> pa.Table:
    """Each known text with its index among the kept codes, or LEFT_OUT."""
    place, recode = places(dimension), dimension.attribute.recode
    index = [place.get(position, LEFT_OUT) for position in recode.values()]
    return pa.table({"text": list(recode), "index": pa.array(index, pa.int32())})


def places(dimension: Dimension) -> dict[int, int]:
    """The index among the kept codes of each kept position."""
    return {position: index for index, position in enumerate(dimension.kept)}


def _settled(position: int | None) -> int:
    """A mistake in the data, which the checks report, counts in no cell."""
    return LEFT_OUT if position is None else position


def known_texts(attribute: Attribute) -> pa.Table:
    """The texts that the codebook knows."""
    return pa.table({"text": list(attribute.recode)})
