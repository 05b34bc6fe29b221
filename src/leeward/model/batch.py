"""Batch: some workplace cells of a table, public numbers with confidential contents."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.model.confidential import Confidential


@dataclass(frozen=True)
class Batch:
    """Workplace cells with consecutive places in the frame, in the order of their numbers."""

    keys: NDArray[np.int64]
    cells: Confidential
