"""Databases: the establishments of one workplace cell, and the jobs of each of them.

Policies say of two databases whether they are neighbours. The frame of establishments is public:
an establishment without jobs remains in it, at its place, so databases that are compared have the
same establishments and workforces of different establishments never mix.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from leeward.core.errors import InvalidParameter

Counts: TypeAlias = tuple[int, ...]
"""Jobs by kind of worker. A kind is one cell of the declared worker attributes."""


@dataclass(frozen=True)
class Workforce:
    """The jobs of one establishment by kind of worker, and the pay of each job where it is known.

    `pay` lists for each kind the pay of all its jobs in ascending order, in whole units; it is
    None in a database of counts alone.
    """

    jobs: Counts
    pay: tuple[Counts, ...] | None = None

    def __post_init__(self) -> None:
        # The numbers themselves are confidential and stay out of the messages.
        if any(count < 0 for count in self.jobs):
            raise _refused("jobs", "must be counts of at least 0", "a count below 0")
        if self.pay is not None and tuple(map(len, self.pay)) != self.jobs:
            raise _refused("pay", "must have one number a job", "another number of them")

    @classmethod
    def paid(cls, *pay: Iterable[int]) -> "Workforce":
        """A workforce by the pay of its jobs, kind by kind."""
        ordered = tuple(tuple(sorted(kind)) for kind in pay)
        return cls(tuple(map(len, ordered)), ordered)

    @cached_property
    def size(self) -> int:
        """All jobs."""
        return sum(self.jobs)

    @property
    def payroll(self) -> int:
        """The pay of all jobs together."""
        return sum(map(sum, self.pay or ()))

    def within(self, other: "Workforce") -> bool:
        """Whether the other one has every job of this one, of the same kind and with its pay."""
        if self.pay is None or other.pay is None:
            return all(few <= many for few, many in zip(self.jobs, other.jobs, strict=True))
        kinds = zip(self.pay, other.pay, strict=True)
        return all(Counter(few) <= Counter(many) for few, many in kinds)

    def rises_to(self, other: "Workforce") -> bool:
        """Whether the other one has every job of this one, of the same kind and paid no less.

        Such an assignment of jobs exists if and only if, kind by kind, the highest pay of the
        other one is at least the highest here, the second highest at least the second, and so on.
        """
        if self.pay is None or other.pay is None:
            return self.within(other)
        return all(
            len(few) <= len(many)
            and all(y <= more for y, more in zip(few[::-1], many[::-1], strict=False))
            for few, many in zip(self.pay, other.pay, strict=True)
        )


@dataclass(frozen=True)
class Database:
    """The workforce of each establishment of one workplace cell, and the public cap of pay.

    Every pay is a whole number from 0 to `cap`; without a cap there is no pay.
    """

    establishments: tuple[Workforce, ...]
    cap: int | None = None

    def __post_init__(self) -> None:
        if len({len(each.jobs) for each in self.establishments}) > 1:
            raise _refused("establishments", "must have the same kinds of workers", "several")
        if any((each.pay is None) != (self.cap is None) for each in self.establishments):
            raise _refused("cap", "must be given with pay, and only with pay", "one of the two")
        if self.cap is not None:
            kinds = [kind for each in self.establishments for kind in each.pay or () if kind]
            # Pay is in ascending order, so both ends are enough.
            if any(kind[0] < 0 or kind[-1] > self.cap for kind in kinds):
                raise _refused("pay", "must be from 0 to the cap", "other pay")

    @classmethod
    def of(cls, *jobs: Sequence[int]) -> "Database":
        """Establishments by their jobs of each kind of worker, without pay."""
        return cls(tuple(Workforce(tuple(each)) for each in jobs))

    @classmethod
    def capped(cls, cap: int, *pay: Sequence[Iterable[int]]) -> "Database":
        """Establishments by the pay of their jobs, kind by kind; pay outside 0…cap is moved to it.

        The cap is applied job by job before anything else: neighbours are relations between
        capped databases (mathematics/policies.md 3).
        """
        forces = ([[min(max(y, 0), cap) for y in kind] for kind in each] for each in pay)
        return cls(tuple(Workforce.paid(*force) for force in forces), cap)

    @cached_property
    def sizes(self) -> Counts:
        """All jobs of each establishment."""
        return tuple(each.size for each in self.establishments)

    @property
    def size(self) -> int:
        """All jobs."""
        return sum(self.sizes)

    @property
    def largest(self) -> int:
        """The size of the largest establishment."""
        return max(self.sizes)

    @property
    def by_kind(self) -> Counts:
        """All jobs of each kind of worker."""
        return tuple(map(sum, zip(*(each.jobs for each in self.establishments), strict=True)))


def changed(left: Database, right: Database) -> tuple[Workforce, Workforce] | None:
    """Both workforces of the only establishment that differs; None where none or several do.

    Databases that do not have the same establishments, kinds of workers and cap are refused.
    """
    differing = [pair for pair in _both(left, right) if pair[0] != pair[1]]
    return differing[0] if len(differing) == 1 else None


def _both(left: Database, right: Database) -> list[tuple[Workforce, Workforce]]:
    """The two workforces of every establishment."""
    if left.cap != right.cap:
        raise _refused("cap", "must be the same in both databases", "two caps")
    if len(left.establishments) != len(right.establishments):
        numbers = f"{len(right.establishments)} against {len(left.establishments)}"
        raise _refused("establishments", "must be the same in both databases", numbers)
    both = list(zip(left.establishments, right.establishments, strict=True))
    if both and len(both[0][0].jobs) != len(both[0][1].jobs):
        kinds = f"{len(both[0][1].jobs)} kinds against {len(both[0][0].jobs)}"
        raise _refused("kinds", "must be as many in both databases", kinds)
    return both


def contained(left: Database, right: Database) -> tuple[Workforce, Workforce] | None:
    """The workforces of the only establishment that differs, if one contains the other; it second.

    Jobs that are in both keep their pay.
    """
    forces = changed(left, right)
    if forces is None:
        return None
    small, large = sorted(forces, key=lambda force: force.size)
    return (small, large) if small.within(large) else None


def added(left: Database, right: Database) -> bool:
    """Whether one has every job of the other and some more, at whatever establishments."""
    both = _both(left, right)
    grown, shrunk = all(a.within(b) for a, b in both), all(b.within(a) for a, b in both)
    return left != right and (grown or shrunk)


def _refused(parameter: str, rule: str, value: str) -> InvalidParameter:
    return InvalidParameter(
        parameter,
        rule=rule,
        value=value,
        next_step="Write a zero for a kind or an establishment without jobs.",
    )
