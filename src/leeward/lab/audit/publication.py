"""Publication: what a mechanism releases of a world, as exact masses, and the loss of a pair."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, Literal

from flint import arb

from leeward.core.exact import ball, precision
from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.privacy import Guarantee, policy
from leeward.core.privacy.pay_sentences import PayRead
from leeward.core.privacy.policy import Unit, with_plus, with_unit
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.clipped_exam import gaussian_rho, pair_loss, pair_rho
from leeward.lab.audit.exams import block_loss, kept_view, scalar, workplace_view
from leeward.lab.audit.loss import INFINITE, pure_loss
from leeward.lab.audit.neighbours import QUICK, pairs
from leeward.lab.audit.outputs import Independent, Rounded
from leeward.lab.audit.pair_block import PairBlock, density_bounds
from leeward.lab.audit.pay_exam import released_pay
from leeward.lab.audit.pay_worlds import CAP
from leeward.lab.audit.recording import EntryMechanism, released, released_block
from leeward.lab.audit.table_exam import Part
from leeward.lab.audit.worlds import Possibilities, PossibleWorld, WorldPair, alone

Table = Literal[
    "all jobs",
    "each kind by itself",
    "kept establishments",
    "block",
    "clipped block",
    "payroll",
]
"""What is tabulated: a workplace table, a worker table cell by cell, or as one block; payrolls."""

Released = Rounded | Independent | Part

EMPLOYER: Unit = "employer"
OTHERS, LIKELY = 11, Fraction(1, 3)
"""An attacker who does not know the others: each of them works here with this probability."""


@dataclass(frozen=True)
class Publication:
    """A mechanism that releases one table under one policy."""

    policy: str
    made: Mechanism
    table: Table
    strict: bool = False
    floor: bool = True
    unit: Unit | None = None
    rows: int = 1
    """Under the person policy, how many rows of a person the table counts at most."""

    @property
    def name(self) -> str:
        """The mechanism, for a reader."""
        kinds = self.population.kinds
        name = self.made.name + (f", cells {kinds}" if kinds > 1 else "")
        name += f", plus {plus}" if (plus := self.made.parameters.plus) > 1 else ""
        name += f", one job {cap}" if (cap := self.made.parameters.epsilon_job) else ""
        name += "" if self.unit is None else f", unit {self.unit}"
        name += f", rho {self.rho}" if self.rho else ""
        name += f", rows {self.rows}" if self.rows > 1 else ""
        return name if self.floor else f"{name}, no floor"

    @property
    def alpha(self) -> Fraction | None:
        """α, where the policy has one."""
        return self.made.parameters.alpha if policy(self.policy).uses_alpha else None

    @property
    def epsilon(self) -> Fraction:
        """What the table costs."""
        return self.rows * self.made.parameters.epsilon

    @property
    def rho(self) -> Fraction:
        """What it costs where the budget is a ρ, else 0."""
        return self.made.parameters.rho

    def allowed(self, steps: int | Fraction) -> arb:
        """The loss of k steps: k·ε, or k²·ρ (group privacy)."""
        return ball(steps**2 * self.rho if self.rho else steps * self.epsilon)

    def allowed_jobs(self, jobs: int | Fraction) -> arb:
        """The same of single jobs, each at ε_job, or ρ_job."""
        own, job = self.guarantee.has_job_losses, self.guarantee.job
        return ball(job.over_steps(int(jobs)).amount) if own else self.allowed(jobs)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised of it."""
        if self.policy == "person":
            return self.made.guarantee("worker").for_person(self.rows)
        return self.made.guarantee(self.population.policy)

    @property
    def payroll(self) -> bool:
        """Whether payrolls are published."""
        return self.table == "payroll"

    @property
    def read(self) -> PayRead:
        """What it reads of pay; the kinds of a worker table may be classes of it."""
        classes = self.population.kinds > 1 and self.policy != "proportional"
        return PayRead(classes=classes, payroll=self.payroll, whole=self.payroll)

    @property
    def by_cell(self) -> bool:
        """Whether each worker cell is paid for by itself."""
        return self.table == "each kind by itself" and self.policy == "weak"

    @property
    def _suited(self) -> Any:  # noqa: ANN401 (`settings` joins tables with mechanisms that release them)
        return self.made

    @property
    def population(self) -> Possibilities:
        """What worlds are made of."""
        kinds = 1 if self.table in ("all jobs", "kept establishments", "payroll") else 2
        wanted, plus = policy(self.policy), self.made.parameters.plus  # the Δ of the guarantee
        wanted = with_plus(wanted, plus) if wanted.uses_alpha else wanted
        return Possibilities(with_unit(wanted, self.unit), self.alpha, kinds, self.payroll)

    def loss(self, pair: WorldPair) -> arb:
        """The largest log-likelihood ratio either way: cells are independent, so it adds up.

        Under zCDP it is the ρ that Rényi divergences show, which adds up too.
        """
        before, after = pair.before, pair.after
        if len(before.cells) != len(after.cells):
            return INFINITE  # a row that is there in one world alone
        if self.strict and before.passes != after.passes:
            return INFINITE  # a bundle that appears in one world alone
        forward = backward = arb(0)
        with precision(128):
            for both in zip(before.cells, after.cells, strict=True):
                if self.table == "clipped block":
                    parts = [_clipped_losses(self._suited, both, zcdp=self.rho > 0)]
                else:  # what is drawn independently of a workplace cell
                    drawn = zip(*map(self._outputs, both), strict=True)
                    parts = [_losses(left, right) for left, right in drawn]
                for ahead, behind in parts:
                    forward, backward = forward + ahead, backward + behind
        return forward.max(backward)

    def masses(self, world: PossibleWorld) -> Callable[[tuple[int, ...]], arb]:
        """The mass function of the first number that is released of the first cell."""
        return self._outputs(world.cells[0])[0].mass

    def outputs(self, world: PossibleWorld) -> Iterable[tuple[int, ...]]:
        """Where its likelihood ratios may be extreme."""
        return self._outputs(world.cells[0])[0].landmarks()

    def _outputs(self, cell: Database) -> tuple[Released, ...]:
        """What is released of a workplace cell: independent numbers, or one joint block."""
        if self.table == "block":
            return (released_block(self._suited, cell),)
        if self.payroll:
            return tuple(released_pay(self._suited, [cell]))
        if self.table == "kept establishments":
            return (kept_view(self._suited)(cell),)
        if self.table == "all jobs":
            total = workplace_view(self._suited)(cell)
            # Without the floor, A = x instead of max(x, 1/α).
            return (total if self.floor else replace(total, scale=Fraction(cell.largest)),)
        forces = [force.jobs[: self.population.kinds] for force in cell.establishments]
        kinds = zip(*forces, strict=True)
        return tuple(released(self._suited, sum(kind), max(kind)) for kind in kinds)


def _losses(before: Released, after: Released) -> tuple[arb, arb]:
    """Only the distance of the centres and both scales matter."""
    if before == after:
        return arb(0), arb(0)
    if isinstance(before, Independent) and isinstance(after, Independent):
        return _losses_apart(before.seen_from(before.true), after.seen_from(before.true))
    if isinstance(before, PairBlock) and isinstance(after, PairBlock):
        return density_bounds(before.seen_from(before), after.seen_from(before))
    if isinstance(before, Rounded) and isinstance(after, Rounded):
        return _losses_apart(replace(before, true=0), replace(after, true=after.true - before.true))
    raise TypeError("two releases of one table are of one form")


@lru_cache(maxsize=1 << 14)  # sentences share many of their pairs
def _losses_apart(before: Released, after: Released) -> tuple[arb, arb]:
    if isinstance(before, Independent) and isinstance(after, Independent):
        loss = block_loss(before, after, Fraction(0))
        # The density bounds the ratios of outputs between those that were examined.
        return (loss.bound, loss.bound) if loss.bound is not None else (INFINITE, INFINITE)
    loss = pure_loss(before, after, Fraction(0))
    return loss.forward, loss.backward


@lru_cache(maxsize=1 << 12)
def _clipped_losses(
    clipped: EntryMechanism, both: tuple[Database, Database], *, zcdp: bool
) -> tuple[arb, arb]:
    if both[0] == both[1]:
        return arb(0), arb(0)
    if zcdp:
        rho = pair_rho(clipped, both)
        return rho, rho
    loss = pair_loss(clipped, both)
    return loss.forward, loss.backward


def averaged_loss(setting: Publication) -> arb:
    """How far the odds of one person move if the others are not known, by exact posteriors.

    Each other worker of a universe of twelve works here independently; what is released is
    averaged over all of them. Of `clipped` no single mass is at hand, and nothing is averaged.
    """
    if setting.table == "clipped block":
        return arb(0)
    weights = [
        comb(OTHERS, here) * LIKELY**here * (1 - LIKELY) ** (OTHERS - here)
        for here in range(OTHERS + 1)
    ]
    rest = (0,) * (setting.population.kinds - 1)
    laws = [setting.masses(alone((here, *rest))) for here in range(OTHERS + 2)]
    largest = arb(0)
    with precision(128):
        for output in setting.outputs(alone((OTHERS // 2, *rest))):
            here = [mass(output) for mass in laws]
            absent, present = (
                sum((ball(w) * here[at + more] for at, w in enumerate(weights)), arb(0))
                for more in (0, 1)
            )
            moved = (present / absent).log()
            largest = largest.max(moved).max(-moved)
    return largest


def _made(name: str, alpha: str | None, epsilon: str | None, **options: object) -> Mechanism:
    return mechanism(name, alpha=alpha, epsilon=epsilon, **options)  # type: ignore[arg-type] # as in plans


def zcdp() -> Publication:
    """Gaussian noise as a plan with a budget in ρ gets it."""
    gaussian = _made("clipped", "0.1", None, cells=2, rho="1/10", noise="gaussian")
    return Publication("strong", gaussian, "clipped block")


@lru_cache(maxsize=1)
def settings() -> tuple[Publication, ...]:
    """The mechanisms under which sentences are examined; warnings, under the first of a policy."""
    return (
        Publication("strong", _made("slope", "0.1", "1"), "all jobs"),
        Publication("strong", _made("slope", "1", "4"), "all jobs"),
        Publication("strong", _made("slope", "0.1", "1", plus=5), "all jobs"),
        Publication("strong", _made("slope", "0.1", "1"), "all jobs", unit=EMPLOYER),
        Publication("strong", _made("vector_pareto", "0.1", "1", cells=2), "block"),
        Publication("strong", _made("clipped", "0.1", "1", cells=2), "clipped block"),
        zcdp(),
        *(
            Publication(name, _made(pay, "0.1", "1", cap=CAP), "payroll")
            for name, pay in (
                ("strong", "pay_centred"),
                ("strong", "pay_pareto"),
                ("proportional", "pay_two_scales"),
                ("proportional", "payroll_slope"),
                ("proportional", "log_pair"),
            )
        ),
        Publication("proportional", _made("slope", "0.1", "1"), "all jobs"),
        Publication("proportional", _made("vector_pareto", "0.1", "1", cells=2), "block"),
        Publication("weak", _made("slope", "0.1", "1", cells=2), "each kind by itself"),
        Publication("weak", _made("slope", "0.1", "1", cells=2, plus=3), "each kind by itself"),
        Publication(
            "weak", _made("slope", "0.1", "1", cells=2), "each kind by itself", unit="employer"
        ),
        Publication("weak", _made("vector_pareto", "0.1", "1", cells=2), "block"),
        Publication("worker", _made("edge_laplace", None, "1"), "each kind by itself"),
        Publication("worker", _made("edge_pay", None, "1", cap=CAP), "payroll"),
        Publication("person", _made("edge_laplace", None, "1/2"), "each kind by itself", rows=2),
        Publication("person", _made("edge_laplace", None, "1"), "each kind by itself"),
        Publication(
            "establishment", _made("node_laplace", None, "1", theta=8), "kept establishments"
        ),
    )


def approximate_delta() -> tuple[Publication, arb]:
    """A mechanism with a δ, and the δ of its worst neighbours."""
    setting = Publication("strong", _made("smooth_laplace", "0.1", "1", delta="1/1000"), "all jobs")
    neighbours = pairs(policy("strong"), setting.alpha, QUICK)
    return setting, scalar(workplace_view(setting._suited), neighbours, setting.epsilon).delta


def zcdp_rho() -> tuple[Publication, arb]:
    """A mechanism with a ρ, and the ρ that Rényi divergences of its worst neighbours show."""
    setting = zcdp()
    return setting, gaussian_rho(setting._suited, policy("strong"), QUICK)
