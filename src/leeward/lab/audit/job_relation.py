"""More jobs at one establishment: what is claimed of one job, and between two sizes.

These are questions beside the policies. An audit line names one in place of a policy; exams take
the relation in place of the policy's neighbours.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar, TypeAlias

from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.privacy import Policy
from leeward.core.privacy.workforces import Database, contained

ONE_JOB = "one job"
GROWN, DOUBLED, ALL_JOBS = "jobs by alpha", "twice the jobs", "all its jobs"
BETWEEN_SIZES = (GROWN, DOUBLED, ALL_JOBS)
JOB_QUESTIONS = (ONE_JOB, *BETWEEN_SIZES)


@dataclass(frozen=True)
class MoreJobs:
    """One establishment has `more` jobs more, of any kinds and pay; it is examined at `sizes`."""

    name: str
    sizes: tuple[int, ...]
    more: int = 1
    uses_alpha: ClassVar[bool] = False

    @classmethod
    def of(cls, name: str, parameters: Parameters) -> "MoreJobs":
        """Around the floor Δ/α of the noise, where one job costs most."""
        floor = ceil(parameters.floor)
        if name == GROWN:
            return cls(name, (10 * floor,), int(parameters.growth * 10 * floor))
        if name == DOUBLED:
            return cls(name, (floor,), floor)
        if name == ALL_JOBS:
            return cls(name, (0,), 3 * floor)
        around = (0, 1, 2, floor - 1, floor, floor + 1, 2 * floor + 1, 10 * floor)
        return cls(name, tuple(sorted({size for size in around if size >= 0})))

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one has all jobs of the other, and `more` beside them."""
        pair = contained(left, right)
        return pair is not None and pair[1].size - pair[0].size == self.more

    def claimed(self, mechanism: Mechanism) -> tuple[Fraction, Fraction]:
        """ε and ρ that the mechanism says this costs at most."""
        if self.name == ONE_JOB:
            return mechanism.one_job()
        (size,) = self.sizes
        lost, none = mechanism.loss(size, size + self.more), Fraction(0)
        return (none, lost) if mechanism.price().currency == "rho" else (lost, none)


Examined: TypeAlias = Policy | MoreJobs
"""What neighbours an exam takes."""
