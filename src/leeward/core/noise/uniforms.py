"""Uniforms: numbers in [0, 1) of the system's bits, for protections without a guarantee."""

import numpy as np
from numpy.typing import NDArray

from leeward.core.randomness import SecretBits


def secret_uniforms(count: int) -> NDArray[np.float64]:
    """In double precision: what has no guarantee needs no exact draws."""
    return (SecretBits().words64(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
