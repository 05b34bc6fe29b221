"""The soft staircase at one job, and twins that each leave out a part of its proof."""

from collections.abc import Callable
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
    AuditLine,
    Control,
    Options,
    TableLine,
    code_line,
)
from leeward.lab.audit.exams import examine_scalar, scalar, workplace_view
from leeward.lab.audit.job_relation import BETWEEN_SIZES, ONE_JOB
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import DatabasePair, Depth, most
from leeward.lab.audit.outputs import Rounded
from leeward.lab.audit.recording import released
from leeward.lab.audit.released_code import COUNT_CODE
from leeward.lab.audit.row import Grid


def _soft(alpha: str, epsilon: str, job: str, **options: Any) -> SoftStaircase:  # noqa: ANN401
    soft = mechanism("soft_staircase", alpha=alpha, epsilon=epsilon, epsilon_job=job, **options)
    if not isinstance(soft, SoftStaircase):
        raise TypeError("soft_staircase is another mechanism")
    return soft


CAPPED: Options = (("epsilon_job", "1"),)
HALF_CAP: Options = (("epsilon_job", "1/2"),)
TWO_CELLS: Options = (("cells", 2), *CAPPED)
LARGER_FLOOR: Options = (("plus", 10), *CAPPED)
EIGHT: Grid = (("0.1", "8"),)
ODD: Grid = (("0.3", "2"),)


def _line(at: Grid = FOUR, options: Options = CAPPED, *names: str, deep: bool = False) -> AuditLine:
    policies = names or ("strong",)
    return AuditLine("soft_staircase", examine_scalar, policies, options=options, at=at, deep=deep)


SOFT_LINES = (
    _line(),
    _line(ODD, HALF_CAP, deep=True),
    _line((("0.05", "3.3"), ("0.13", "4"), ("0.3", "5"), ("1", "6")), deep=True),
    _line(FOUR, LARGER_FLOOR, deep=True),
    _line(EIGHT, TWO_CELLS, "weak"),
    _line(FOUR, CAPPED, ONE_JOB, *BETWEEN_SIZES),
    _line(ODD, HALF_CAP, ONE_JOB, deep=True),
    _line(FOUR, LARGER_FLOOR, ONE_JOB),
    _line(EIGHT, TWO_CELLS, ONE_JOB),
    TableLine("soft_staircase", epsilon="4", epsilon_job="1"),
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
        question = ONE_JOB if self.one_job else "strong"
        return Control(defect, "soft_staircase", self, question, self.claimed)


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
    Control("jobs that are not counted", "soft_staircase", uncounted, ONE_JOB),
)
