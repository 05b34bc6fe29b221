"""Growth: how time follows jobs and rows, fitted to measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True)
class Cost:
    """One measurement; `workers` is whether the table has attributes of workers."""

    jobs: int
    rows: int
    workers: bool
    seconds: float

    @property
    def parts(self) -> tuple[float, ...]:
        """What the time is made of: a start, jobs, jobs that meet their workers, rows."""
        millions = self.jobs / 1e6
        return 1.0, millions, millions * self.workers, self.rows / 1e6


@dataclass(frozen=True)
class Growth:
    """Seconds for each part of a cost; `furthest` is the largest deviation, as a share."""

    start: float
    jobs: float
    workers: float
    rows: float
    furthest: float


def fitted(costs: Sequence[Cost]) -> Growth:
    """The fit whose relative deviations are smallest in squares; no part of it is negative."""
    seconds = np.array([one.seconds for one in costs])
    parts = np.array([one.parts for one in costs])
    found, _ = nnls(parts / seconds[:, None], np.ones(len(costs)))
    furthest = float(np.max(np.abs(parts @ found / seconds - 1)))
    start, jobs, workers, rows = map(float, found)
    return Growth(start, jobs, workers, rows, furthest)


def spoken(fit: Growth) -> str:
    """The fit in words."""
    return (
        f"{fit.start:.2f} s, and for each million {fit.jobs:.3f} s for jobs, {fit.workers:.3f} s "
        f"more if they meet their workers, {fit.rows:.2f} s for rows "
        f"(every measurement within {100 * fit.furthest:.0f} %)"
    )
