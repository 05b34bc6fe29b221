"""Growth: how time follows jobs and rows, fitted to measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True)
class Cost:
    """One measurement."""

    jobs: int
    rows: int
    seconds: float


@dataclass(frozen=True)
class Growth:
    """seconds = start + per_million_jobs · jobs/10⁶ + per_million_rows · rows/10⁶.

    `furthest` is the largest deviation of a measurement, as a share of it.
    """

    start: float
    per_million_jobs: float
    per_million_rows: float
    furthest: float

    def seconds(self, jobs: int, rows: int) -> float:
        """What the fit expects."""
        of_jobs = self.per_million_jobs * jobs / 1e6
        return self.start + of_jobs + self.per_million_rows * rows / 1e6


def fitted(costs: Sequence[Cost]) -> Growth:
    """The fit whose relative deviations are smallest in squares; no part of it is negative."""
    seconds = np.array([one.seconds for one in costs])
    parts = np.array([[1.0, one.jobs / 1e6, one.rows / 1e6] for one in costs])
    found, _ = nnls(parts / seconds[:, None], np.ones(len(costs)))
    furthest = float(np.max(np.abs(parts @ found / seconds - 1)))
    start, of_jobs, of_rows = map(float, found)
    return Growth(start, of_jobs, of_rows, furthest)


def spoken(fit: Growth) -> str:
    """The fit in words."""
    return (
        f"{fit.start:.2f} s + {fit.per_million_jobs:.3f} s for each million jobs "
        f"+ {fit.per_million_rows:.3f} s for each million rows "
        f"(every measurement within {100 * fit.furthest:.0f} %)"
    )
