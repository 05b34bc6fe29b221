"""Neighbouring databases with pay: joiners at any pay, raises, and both.

On small and on large establishments; every pair is checked against the policy's own definition.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product

from leeward.core.privacy import Policy
from leeward.core.privacy.steps import RaiseAlpha
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit.job_relation import MoreJobs
from leeward.lab.audit.neighbours import DatabasePair, Depth, additive, even, gain

Relation = Policy | RaiseAlpha | MoreJobs
Paid = tuple[Counts, ...]
"""The pay of the jobs of an establishment, kind by kind."""

MANY = 1000
"""Above this size few changes are examined: pay is listed job by job."""

SOME = 2
"""Scattered sizes of a quick audit: beyond it, more sizes and pays are examined."""

LARGE = 100
"""S of the largest establishments."""


@lru_cache(maxsize=32)  # several mechanisms are examined on the same pairs
def paid_pairs(
    policy: Relation, alpha: Fraction, cap: int, kinds: int, depth: Depth
) -> tuple[DatabasePair, ...]:
    """One establishment changes: alone, or beside one that is larger in jobs, in pay, or both.

    A policy without α lets one job join, and has no kink in its sizes.
    """
    plus, neighbours = additive(policy), dict[DatabasePair, None]()
    alpha, thorough = alpha if policy.uses_alpha else Fraction(1), depth.scatter > SOME
    kink = int(plus / alpha)
    sizes = {0, 1, kink, kink + 1, int(LARGE / alpha)}  # empty, tiny, at the kink Δ/α, and large
    sizes |= {2, 3, kink - 1, 2 * kink + 1} if thorough else set()
    sizes = set(policy.sizes) if isinstance(policy, MoreJobs) else sizes
    for size in sorted(size for size in sizes if size >= 0):
        grown = gain(policy, alpha, size)
        single = (size, *(0,) * (kinds - 1))
        workforces = dict.fromkeys((single, even(size, kinds), single[::-1]))
        # All are paid nothing, a third of the cap, or the cap.
        for jobs, pay in product(workforces, (0, cap // 3, cap)):
            before = tuple((pay,) * count for count in jobs)
            limit = max(int(alpha * sum(map(sum, before))), plus * cap)
            for after in _changed(before, cap, grown, limit, thorough=thorough):
                alone = size > MANY or not before[0]
                for others in ((),) if alone else _others(before, after, cap):
                    both = (
                        Database.capped(cap, *others, workforce) for workforce in (before, after)
                    )
                    for pair in DatabasePair(*both).admitted(policy, alpha):
                        neighbours[pair] = None
    return tuple(neighbours)


def _changed(before: Paid, cap: int, grown: int, limit: int, *, thorough: bool) -> Iterator[Paid]:
    """Joiners at 0, at the cap and in between; raises up to the limit of the payroll; and both."""
    kinds = range(len(before))
    turns = tuple(cap * (i % 2) for i in range(grown))
    each = limit // grown if grown else 0  # as much pay as the payroll may grow by
    whole = tuple(min(each + (i < limit - each * grown), cap) for i in range(grown))
    joiners = [(0,) * grown, (cap,) * grown, (cap,), turns]
    joiners += [(cap // 2,) * grown, whole] if thorough else [whole]
    for kind, pay in product(kinds, joiners):
        yield _with(before, kind, before[kind] + pay)
    for kind, more in product(kinds, (limit, limit // 2) if thorough else (limit,)):
        rise = _with(before, kind, tuple(pay_raised(before[kind], more, cap)))
        yield rise
        if more == limit:
            yield from (_with(rise, other, rise[other] + (0,) * grown) for other in kinds)


def _with(force: Paid, kind: int, pay: Counts) -> Paid:
    return (*force[:kind], pay, *force[kind + 1 :])


def pay_raised(pay: Iterable[int], more: int, cap: int) -> list[int]:
    """So much more pay in all, for the first jobs first; none above the cap."""
    after = []
    for before in pay:
        after.append(before + min(more, cap - before))
        more -= after[-1] - before
    return after


def _others(before: Paid, after: Paid, cap: int) -> Iterator[tuple[Paid, ...]]:
    """Nobody; as many jobs at no pay; as much payroll in few jobs; and more of both."""
    jobs, payroll = sum(map(len, after)), max(sum(map(sum, force)) for force in (before, after))
    none = ((),) * (len(before) - 1)
    yield ()
    yield (((0,) * jobs, *none),)
    yield (((cap,) * -(-payroll // cap), *none),)
    yield (((cap // 2,) * (2 * jobs + 1), *none),)
