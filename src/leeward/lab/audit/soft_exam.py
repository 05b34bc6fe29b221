"""The soft staircase at one job, and twins that each leave out a part of its proof."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from leeward.core.exact import ball, dyadic_up, log_growth, precision
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.soft_staircase import SoftStaircase
from leeward.core.mechanisms.soft_stairs import Lines, SoftStairs
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import (
    ALPHA,
    FOUR,
    QUICK_GRID,
    AuditLine,
    Control,
    Options,
    code_line,
)
from leeward.lab.audit.exams import examine_scalar, scalar, workplace_view
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import DatabasePair, Depth, most
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.recording import released
from leeward.lab.audit.released_code import COUNT_CODE
from leeward.lab.audit.row import Claim, Grid, PolicyLine, Row

ONE_JOB = "one job"


def examine_one_job(mechanism: SoftStaircase, depth: Depth) -> PrivacyLoss:
    """One establishment gains one job: by itself, beside a larger one, or level with another."""
    kink = int(mechanism.parameters.floor)
    sizes = {0, kink - 1, kink, kink + 1, kink * 3 // 2, 10 * kink, 10**6}
    sizes |= {kink + 7 * step for step in range(2 * depth.scatter)}
    neighbours = (
        DatabasePair.of((size,), (size + 1,), *others)
        for size in sorted(sizes)
        for others in ((), ((size,),), ((9 * size + 9,),))
    )
    return scalar(workplace_view(mechanism), neighbours, mechanism.one_job()[0])


@dataclass(frozen=True)
class SoftLine(PolicyLine):
    """One job at the price of one job."""

    epsilon: str
    job: str
    alpha: str = "0.1"
    policy: str = "strong"
    options: Options = ()
    mechanism: str = "soft_staircase"

    def rows(self, grid: Grid, depth: Depth) -> Iterator[Row]:
        """One row."""
        if self.deep and grid == QUICK_GRID:
            return
        soft = _soft(self.alpha, self.epsilon, self.job, **dict(self.options))
        shown = (f"{key} {value}" for key, value in self.options)
        cap = soft.one_job()[0]
        detail = ", ".join((f"epsilon {self.epsilon}", *shown, ONE_JOB))
        claim = Claim(
            self.mechanism, "tight", self.policy, soft.parameters.growth, cap, detail=detail
        )
        yield Row(claim, examine_one_job(soft, depth))


class DeepSoftLine(SoftLine):
    """In the full audit only."""

    deep = True


def _soft(alpha: str, epsilon: str, job: str, **options: Any) -> SoftStaircase:  # noqa: ANN401
    soft = mechanism("soft_staircase", alpha=alpha, epsilon=epsilon, epsilon_job=job, **options)
    if not isinstance(soft, SoftStaircase):
        raise TypeError("soft_staircase is another mechanism")
    return soft


CAPPED: Options = (("epsilon_job", "1"),)
HALF_CAP: Options = (("epsilon_job", "1/2"),)

SOFT_LINES = (
    AuditLine("soft_staircase", examine_scalar, options=CAPPED, at=FOUR),
    AuditLine("soft_staircase", examine_scalar, options=HALF_CAP, at=(("0.3", "2"),), deep=True),
    AuditLine(
        "soft_staircase",
        examine_scalar,
        options=CAPPED,
        at=(("0.05", "3.3"), ("0.13", "4"), ("0.3", "5"), ("1", "6")),
        deep=True,
    ),
    AuditLine(
        "soft_staircase", examine_scalar, options=(("plus", 10), *CAPPED), at=FOUR, deep=True
    ),
    AuditLine(
        "soft_staircase",
        examine_scalar,
        ("weak",),
        options=(("cells", 2), *CAPPED),
        at=(("0.1", "8"),),
    ),
    SoftLine("4", "1"),
    DeepSoftLine("2", "1/2", alpha="0.3"),
    SoftLine("4", "1", options=(("plus", 10),)),
    SoftLine("8", "1", policy="weak", options=(("cells", 2),)),
    code_line("soft_staircase", COUNT_CODE, options=CAPPED, at=FOUR),
)


class NearerLeft(SoftStairs):
    """Left steps .9 of a job apart."""

    @cached_property
    def places_left(self) -> Lines:
        return _nearer(super().places_left, len(self.rises), Fraction(9, 10))


class NearerRight(SoftStairs):
    """Right steps .97 of a job apart."""

    @cached_property
    def places_right(self) -> Lines:
        return _nearer(super().places_right, len(self.falls), Fraction(97, 100))


def _nearer(places: Lines, steps: int, part: Fraction) -> Lines:
    """The places of one round after its first one, nearer to it."""
    firsts = [constant for _, constant in places[::steps]]
    return [
        (slope, firsts[i // steps] + (constant - firsts[i // steps]) * part)
        for i, (slope, constant) in enumerate(places)
    ]


def _as(kind: type[SoftStairs]) -> Callable[[SoftStairs], SoftStairs]:
    """Stairs with the same constants and other places."""
    return lambda stairs: kind(**{each.name: getattr(stairs, each.name) for each in fields(stairs)})


def dilation_unpaid(stairs: SoftStairs) -> SoftStairs:
    """D = ε: left steps that leave nothing for the change of A."""
    return replace(stairs, rises=stairs.falls)


def growth_of_one_unpaid(stairs: SoftStairs) -> SoftStairs:
    """η = ε_job: the same for one job."""
    job, rest = stairs.falls[0], sum(stairs.rises)
    each = (min(job, max(Fraction(0), rest - k * job)) for k in range(len(stairs.falls)))
    return replace(stairs, rises=tuple(each))


def higher_steps(stairs: SoftStairs) -> SoftStairs:
    """Every step a tenth higher."""
    falls, rises = (
        tuple(step * Fraction(11, 10) for step in steps) for steps in (stairs.falls, stairs.rises)
    )
    return replace(stairs, falls=falls, rises=rises)


def steep_tails(stairs: SoftStairs) -> SoftStairs:
    """r = ε/λ, as of a staircase."""
    with precision(128):
        return replace(
            stairs, order=dyadic_up(ball(stairs.epsilon) / log_growth(stairs.growth), 64)
        )


def low_floor(stairs: SoftStairs) -> SoftStairs:
    """Δ = q − 1: the last step of one growth is beyond the first of the next."""
    return replace(stairs, plus=Fraction(len(stairs.falls) - 1))


def falling_mass(stairs: SoftStairs) -> SoftStairs:
    """N₀ < 0: the normaliser grows faster than A."""
    half = Fraction(1, 2)
    return replace(stairs, plus=Fraction(4), before=half, behind=half)


@dataclass(frozen=True)
class SpoiltSoft:
    """A soft staircase with other constants than its own, where one establishment grows."""

    spoil: Callable[[SoftStairs], SoftStairs]
    size: int
    one_job: bool = True
    numbers: tuple[str, str] = ("4", "1")

    def __call__(self, _: Depth) -> PrivacyLoss:
        """On one pair that shows it."""
        genuine = _soft("0.1", *self.numbers)
        stairs = self.spoil(genuine.stairs)
        twin = replace(genuine, stairs=stairs, law=stairs.law(stairs.large))
        after = self.size + 1 if self.one_job else most(ALPHA, self.size, int(stairs.plus))
        pair = DatabasePair.of((self.size,), (after,))
        return scalar(workplace_view(twin), [pair], self.claimed)

    @property
    def claimed(self) -> Fraction:
        """ε_job or ε."""
        return Fraction(self.numbers[self.one_job])

    def control(self, defect: str) -> Control:
        """As a line of the audit."""
        detail = ONE_JOB if self.one_job else ""
        return Control(defect, "soft_staircase", self, epsilon=self.claimed, detail=detail)


def uncounted(_: Depth) -> PrivacyLoss:
    """A filter: a job that is not counted joins the largest establishment."""
    genuine = _soft("0.1", "4", "1")

    def view(database: Database) -> Rounded:
        return released(genuine, 0, database.largest)

    return scalar(view, [DatabasePair.of((40,), (41,))], Fraction(1))


SOFT_CONTROLS: tuple[Control, ...] = (
    SpoiltSoft(dilation_unpaid, 1000, one_job=False).control("left steps of ε in all"),
    SpoiltSoft(growth_of_one_unpaid, 40).control("left steps of ε_job"),
    SpoiltSoft(_as(NearerLeft), 57).control("left steps .9 of a job apart"),
    SpoiltSoft(higher_steps, 1000).control("steps higher by a tenth"),
    SpoiltSoft(_as(NearerRight), 1000).control("right steps .97 of a job apart"),
    SpoiltSoft(steep_tails, 39).control("tails of ε/λ"),
    SpoiltSoft(low_floor, 30).control("a floor of q − 1"),
    SpoiltSoft(falling_mass, 40, one_job=False, numbers=("2", "3/2")).control("N₀ below 0"),
    Control("jobs that are not counted", "soft_staircase", uncounted, detail=ONE_JOB),
)
