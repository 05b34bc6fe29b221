"""Blocks: the smallest areas, numbered within each tract as those of a census are."""

from typing import Any

import numpy as np
import pyarrow as pa

from leeward.economy.economy import SEEDS, Economy

FIRST = 1000
"""The number of the first block of every tract."""

STREAM = SEEDS - 1
"""Bits that no batch of jobs uses, so that an economy with blocks is otherwise the same."""


def block_codes(economy: Economy) -> list[str]:
    """The numbers that blocks have, in every tract the same."""
    return [str(FIRST + number) for number in range(economy.block_count)]


def block_column(economy: Economy) -> dict[str, pa.Array]:
    """The block of each establishment, if this economy has blocks."""
    if not economy.block_count:
        return {}
    bits = economy.stream(STREAM)
    drawn = bits.generator.integers(economy.block_count, size=economy.establishments)
    codes = pa.array(block_codes(economy))
    return {"block": pa.DictionaryArray.from_arrays(pa.array(drawn.astype(np.uint16)), codes)}


def block_attribute(economy: Economy) -> dict[str, dict[str, Any]]:
    """What the codebook says of it: public, as places are."""
    if not economy.block_count:
        return {}
    labels = {code: f"Block {code}" for code in block_codes(economy)}
    return {"block": {"table": "workplaces", "public": True, "codes": labels}}
