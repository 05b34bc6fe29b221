"""Identifiers that tell nothing about the order in which units were made."""

from math import gcd

import numpy as np
from numpy.typing import NDArray


def shuffled_numbers(rank: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Identifiers 1 to `count`, a different one per rank, in an order that tells nothing.

    Multiplying by a number without common divisors is a bijection modulo `count`; one near the
    golden section sends neighbours far apart. Products stay below 2^62 up to 2·10^9 ranks.
    """
    step = max(round(count * 0.6180339887498949), 1)
    while gcd(step, count) > 1:
        step += 1
    return (rank * step + count // 3) % max(count, 1) + 1
