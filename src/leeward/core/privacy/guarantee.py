"""A promise as a value: what is protected, by how much, and what else follows from it.

Under a policy with an α it has two numbers: ε between neighbours, and ε_job for one job more at one
establishment. Such a pair is a pair of neighbours too, so one job costs ε at most, and these are
two guarantees of one release: each composes by itself (composition.proof.md, Theorem 11).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Literal

from leeward.core.codebook import EveryJob, JobsRule
from leeward.core.errors import CannotCompose, InvalidParameter, NotCovered, shown
from leeward.core.exact import Number, rational, whole_within
from leeward.core.privacy.delta import steps_delta, zcdp_epsilon
from leeward.core.privacy.policy import (
    EstablishmentRemoval,
    Person,
    Policy,
    Unit,
    WeakAlpha,
    WorkerOnly,
    plus_of,
    read_alpha,
    unit_of,
    with_plus,
    with_unit,
)
from leeward.core.privacy.policy import policy as named_policy
from leeward.core.privacy.sentences import whole
from leeward.core.privacy.steps import steps_between, why_not
from leeward.core.privacy.words import READING, joined

Measure = Literal["pure", "approximate", "zCDP", "mixed"]
Currency = Literal["epsilon", "rho"]

JOB_LOSSES = ("epsilon_job", "rho_job")
"""What one job costs of ε and of ρ."""


@dataclass(frozen=True, init=False)
class Guarantee:
    """One release under one policy: a part that is (ε, δ) and a part that is ρ-zCDP.

    Every number is exact. Whatever is computed from a guarantee is rounded towards more loss.

    Parameters
    ----------
    policy
        What is protected: ``"strong"``, ``"weak"``, ``"proportional"``, ``"worker"``,
        ``"person"``, ``"establishment"``, or a policy.
    alpha
        The protected growth of an establishment; None where the policy has none.
    epsilon, delta
        The (ε, δ) part: texts, whole numbers or fractions.
    rho
        The part that is ρ-zCDP.
    plus
        Δ of the policy: small establishments are hidden within this number of jobs.
    reading
        The δ at which ρ is read as an ε and a factor. It is no loss: it is not spent and does not
        add up. Without a ρ it has no meaning and is not kept.
    epsilon_job, rho_job
        What one job more at one establishment costs of each, where it is less than ε and ρ. Without
        them it is what the steps cost that one job is: one, and two under establishment removal.

    Raises
    ------
    InvalidParameter
        If a number is negative, α is missing or has no meaning, nothing is lost at all, or one job
        would cost more than the steps that it is.

    Examples
    --------
    >>> promise = leeward.Guarantee("strong", "0.1", "1/2")
    >>> promise.sentence().partition(",")[0]
    'The strong policy with α = 0.1 protects single jobs and the sizes of establishments'
    >>> promise.weaken(alpha="0.2").epsilon  # three steps of a tenth reach a fifth from every size
    Fraction(3, 2)
    >>> promise.for_firm(3).epsilon
    Fraction(3, 2)
    >>> beside = leeward.Guarantee("strong", "0.1", 4, epsilon_job=1)
    >>> beside.epsilon, beside.for_jobs(1).epsilon, beside.for_jobs(3).epsilon
    (Fraction(4, 1), Fraction(1, 1), Fraction(3, 1))
    >>> zcdp = leeward.Guarantee("strong", "0.1", 0, rho="0.2", reading="1e-9")
    >>> round(float(zcdp.restated.epsilon), 2), zcdp.for_firm(3).rho
    (3.93, Fraction(9, 5))
    """

    policy: Policy
    alpha: Fraction | None
    epsilon: Fraction
    delta: Fraction
    rho: Fraction
    reading: Fraction
    epsilon_job: Fraction = field(repr=False)
    rho_job: Fraction = field(repr=False)

    def __init__(  # noqa: PLR0913 (one for each number)
        self,
        policy: str | Policy,
        alpha: Number | None,
        epsilon: Number,
        delta: Number = 0,
        rho: Number = 0,
        *,
        plus: int | None = None,
        reading: Number = READING,
        epsilon_job: Number | None = None,
        rho_job: Number | None = None,
    ) -> None:
        protected = with_plus(named_policy(policy), plus)
        object.__setattr__(self, "policy", protected)
        object.__setattr__(self, "alpha", read_alpha(protected, alpha))
        object.__setattr__(self, "epsilon", _loss(epsilon, "epsilon"))
        object.__setattr__(self, "delta", _probability(delta))
        object.__setattr__(self, "rho", _loss(rho, "rho"))
        object.__setattr__(self, "reading", _read_at(reading) if self.rho > 0 else READING)
        if self.epsilon == self.delta == self.rho == 0:
            raise InvalidParameter(
                "epsilon",
                rule="must be above 0 unless delta or rho is: no data, no cost",
                value=self.epsilon,
                next_step="Give the loss that this release costs.",
            )
        usual = _usual_job(protected, self.epsilon, self.rho)
        for name, given, most in zip(JOB_LOSSES, (epsilon_job, rho_job), usual, strict=True):
            loss = most if given is None else job_loss(protected, name, given, most)
            object.__setattr__(self, name, loss)

    def __repr__(self) -> str:
        shown = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr]
        own = [f"{name}={getattr(self, name)!r}" for name in JOB_LOSSES if self.has_job_losses]
        return f"Guarantee({', '.join(shown + own)})"

    @property
    def plus(self) -> int | None:
        """Δ: small establishments are hidden within this number of jobs; None without an α."""
        return plus_of(self.policy)

    @property
    def unit(self) -> Unit | None:
        """Whether sizes are those of establishments or of employers' parts; None without an α."""
        return unit_of(self.policy)

    @property
    def measure(self) -> Measure:
        """Which parts there are: ε alone, (ε, δ), ρ alone, or both kinds."""
        if self.rho > 0:
            return "mixed" if self.epsilon > 0 or self.delta > 0 else "zCDP"
        return "approximate" if self.delta > 0 else "pure"

    @property
    def has_job_losses(self) -> bool:
        """Whether one job costs less than the steps that it is."""
        usual = _usual_job(self.policy, self.epsilon, self.rho)
        return (self.epsilon_job, self.rho_job) != usual

    def job_texts(self) -> dict[str, str]:
        """The losses of one job as exact texts, where it costs less than the steps that it is."""
        return {name: str(getattr(self, name)) for name in JOB_LOSSES if self.has_job_losses}

    def loss_texts(self) -> dict[str, str]:
        """ε, δ and ρ as exact texts, then those of one job."""
        losses = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        return {name: str(loss) for name, loss in losses.items()} | self.job_texts()

    @property
    def told_delta(self) -> Fraction:
        """The δ that readers are told: what is lost, and where ρ is read."""
        return self.delta + (self.reading if self.rho > 0 else 0)

    @property
    def currency(self) -> Currency:
        """Which loss the others are told beside: ρ where it is all there is, else ε."""
        return "rho" if self.measure == "zCDP" else "epsilon"

    @property
    def amount(self) -> Fraction:
        """The loss in its currency."""
        return self.rho if self.measure == "zCDP" else self.epsilon

    def with_amount(self, amount: Fraction) -> "Guarantee":
        """A budget with another loss in its currency; one job may cost what it may now, at most."""
        if self.measure != "zCDP":
            return self.with_epsilon(amount)
        return self._with({"rho": amount, "rho_job": self._job(min(self.rho_job, amount))})

    def with_epsilon(self, epsilon: Fraction) -> "Guarantee":
        """A budget with another ε; one job may cost what it may now, and ε at most."""
        job = self._job(min(self.epsilon_job, epsilon))
        return self._with({"epsilon": epsilon, "epsilon_job": job})

    def _job(self, loss: Fraction) -> Fraction | None:
        """This loss of one job; None where it follows from its steps."""
        return loss if self.has_job_losses else None

    def _with(self, changed: Mapping[str, Any]) -> "Guarantee":
        """The same with other parts; what one job costs follows where it did."""
        own = {name: self._job(getattr(self, name)) for name in JOB_LOSSES}
        return replace(self, **{**own, **changed})

    def with_job(self, epsilon: Fraction, rho: Fraction) -> "Guarantee":
        """The same where one job costs no more than this; without an α what its steps cost."""
        if not self.policy.uses_alpha:
            return self
        job = {"epsilon_job": min(epsilon, self.epsilon), "rho_job": min(rho, self.rho)}
        return self._with(job)

    def share(self, part: Fraction) -> "Guarantee":
        """This part of every loss: the budget of a table of many."""
        return replace(
            self,
            epsilon=self.epsilon * part,
            delta=self.delta * part,
            rho=self.rho * part,
            epsilon_job=self.epsilon_job * part,
            rho_job=self.rho_job * part,
        )

    def sentence(self, rule: JobsRule | None = None) -> str:
        """The promise in plain words; `rule` says which jobs of one person count."""
        return joined(whole(self, EveryJob() if rule is None else rule))

    def implies(self, other: "Guarantee") -> bool:
        """Whether a proof shows that what keeps this promise keeps the other one too."""
        try:
            here = self.weaken(other.policy, other.alpha)
        except NotCovered:
            return False
        # Two guarantees where the other one has an α: each follows by a proof of its own.
        job = WorkerOnly()
        jobs = not other.policy.uses_alpha or _follows(here.weaken(job), other.weaken(job))
        return jobs and _follows(here, other)

    def weaken(
        self,
        policy: str | Policy | None = None,
        alpha: Number | None = None,
        plus: int | None = None,
        unit: str | None = None,
    ) -> "Guarantee":
        """The guarantee that follows under another policy, another α, Δ or unit."""
        wanted = self.policy if policy is None else named_policy(policy)
        if isinstance(policy, str) and wanted.uses_alpha:  # by its name it has our Δ and unit
            wanted = with_unit(with_plus(wanted, self.plus), self.unit)
        wanted = with_unit(with_plus(wanted, plus), unit)
        kept = self.alpha if alpha is None and wanted.uses_alpha else alpha
        growth = read_alpha(wanted, kept)
        if (wanted, growth) == (self.policy, self.alpha):
            return self
        steps = steps_between(self.policy, self.alpha, wanted, growth)
        if steps is None:
            raise NotCovered(
                "policy" if wanted != self.policy else "alpha",
                rule=why_not(self.policy, wanted),
                value=f"{place(self.policy, self.alpha)} to {place(wanted, growth)}",
                next_step="Make the release under the policy and alpha that it has to promise.",
            )
        if isinstance(wanted, WorkerOnly) and self.policy.uses_alpha:  # one step, which is a job
            return Guarantee(
                wanted, None, self.epsilon_job, self.delta, self.rho_job, reading=self.reading
            )
        return self.over_steps(steps)._with({"policy": wanted, "alpha": growth})

    def to_approximate(self, delta: Number) -> "Guarantee":
        """The same promise as one (ε, δ): what this δ has left after the own one pays for ρ."""
        total = _probability(delta)
        if total < self.delta or (self.rho > 0 and total == self.delta):
            raise InvalidParameter(
                "delta",
                rule=f"must be above the delta of the guarantee, {self.delta}",
                value=total,
                next_step="Give a larger delta.",
            )
        if self.rho == 0:
            return self
        epsilon, rest = self.epsilon + zcdp_epsilon(self.rho, total - self.delta), None
        if self.has_job_losses:
            read = zcdp_epsilon(self.rho_job, total - self.delta)
            rest = min(epsilon, self.epsilon_job + read)
        return Guarantee(self.policy, self.alpha, epsilon, total, epsilon_job=rest)

    @property
    def restated(self) -> "Guarantee":
        """The same promise without ρ, which is read as ε at the δ `reading`."""
        return self if self.rho == 0 else self.to_approximate(self.told_delta)

    def for_firm(self, establishments: int) -> "Guarantee":
        """The promise to a firm whose establishments all change at once, one step each.

        With the unit employer all of them in one workplace cell are one step: count the cells.
        """
        count = _count(establishments, "establishments")
        if isinstance(self.policy, WorkerOnly | Person):
            protected = "single jobs" if isinstance(self.policy, WorkerOnly) else "single people"
            raise NotCovered(
                "establishments",
                rule=f"the {self.policy.name} policy protects {protected}, not establishments or "
                "firms",
                value=count,
                next_step="Release under the strong or the weak policy.",
            )
        return self.over_steps(count)

    def for_jobs(self, jobs: int) -> "Guarantee":
        """The promise to a worker who has up to this many jobs, all gone at once.

        Each costs what one job costs. Under the person policy all are one step.
        """
        count = _count(jobs, "jobs")
        return self if isinstance(self.policy, Person) else self.job.over_steps(count)

    @property
    def job(self) -> "Guarantee":
        """The promise to one job: ε_job, δ and ρ_job under the worker policy."""
        return self.weaken(WorkerOnly())

    def for_person(self, rows: int) -> "Guarantee":
        """The promise to a person of whom at most this many rows count: each of them is a step.

        It follows from what is promised to a job (person.proof.md).
        """
        over = self.job.over_steps(_count(rows, "rows"))
        return replace(over, policy=Person())

    def for_each_row(self, rows: int) -> "Guarantee":
        """What each of up to this many rows of a person may lose of this: `for_person` undone.

        A δ is left to none of them: (e^(mε)−1)/(e^ε−1) has no exact inverse, and no mechanism
        that hides one job spends any.
        """
        count = _count(rows, "rows")
        each, rho = self.epsilon / count, self.rho / count**2
        return Guarantee(WorkerOnly(), None, each, 0, rho, reading=self.reading)

    def over_steps(self, steps: int) -> "Guarantee":
        """The promise to pairs that are `steps` steps apart (group privacy).

        With an α one job stays one job: it costs what it did.
        """
        count = _count(steps, "steps")
        delta = steps_delta(self.epsilon, self.delta, count)
        if delta == 1:
            raise NotCovered(
                "delta",
                rule=f"must stay below 1 over {count} steps",
                value=f"delta {self.delta} with epsilon {self.epsilon}",
                next_step="Release with a smaller delta or epsilon.",
            )
        # zCDP over k steps costs k²ρ: Bun and Steinke 2016, Prop. 27.
        rho = count**2 * self.rho
        over = {"epsilon": count * self.epsilon, "delta": delta, "rho": rho}
        job = {name: getattr(self, name) for name in JOB_LOSSES if self.policy.uses_alpha}
        return self._with(over | job)

    def as_zcdp(self) -> "Guarantee":
        """The same promise as one ρ; refused where there is a δ, which no ρ implies."""
        if self.delta > 0:
            raise NotCovered(
                "delta",
                rule="must be 0 where a loss is counted in rho: zCDP allows no delta",
                value=self.delta,
                next_step="Release with pure epsilon or with rho.",
            )
        # Pure ε is ε²/2-zCDP: Bun and Steinke 2016, Prop. 3.3.
        rho, job = self.rho + self.epsilon**2 / 2, self.rho_job + self.epsilon_job**2 / 2
        pure = {"epsilon": Fraction(0), "epsilon_job": None}
        return self._with({**pure, "rho": rho, "rho_job": self._job(job)})


def _follows(here: Guarantee, other: Guarantee) -> bool:
    """Whether this loss is within the other one, as it is or read as a ρ."""
    return _costs_at_most(here, other) or (
        here.delta == 0 and here.epsilon > 0 and _costs_at_most(here.as_zcdp(), other)
    )


def _usual_job(policy: Policy, epsilon: Fraction, rho: Fraction) -> tuple[Fraction, Fraction]:
    """What one job costs as the steps that it is: one, or one out and one in."""
    steps = 2 if isinstance(policy, EstablishmentRemoval) else 1
    return steps * epsilon, steps**2 * rho


def job_loss(policy: Policy, name: str, given: Number, most: Fraction) -> Fraction:
    """What one job costs, at most what a step costs; without an α it is what its steps cost."""
    loss, number = name.removesuffix("_job"), rational(given, name)
    if number == most:
        return number
    if not policy.uses_alpha:
        raise InvalidParameter(
            name,
            rule=f"has a meaning beside an alpha only: under the {policy.name} policy one job "
            f"costs {shown(most)}",
            value=shown(number),
            next_step="Leave it out.",
        )
    if not 0 < number < most:
        raise InvalidParameter(
            name,
            rule=f"must be above 0 and at most {loss}, {shown(most)}: one job more is one step",
            value=shown(number),
            next_step=f"Give a smaller {name}, or leave it out: then one job costs {loss}.",
        )
    return number


def _costs_at_most(here: Guarantee, other: Guarantee) -> bool:
    """Whether the other one allows the loss of this one, with ρ as it is or converted."""
    if here.rho <= other.rho and here.epsilon <= other.epsilon and here.delta <= other.delta:
        return True
    if here.rho == 0 or other.delta <= here.delta:
        return False
    return here.to_approximate(other.delta).epsilon <= other.epsilon


def place(policy: Policy, alpha: Fraction | None) -> str:
    """What is protected, in short."""
    if alpha is None:
        return policy.name
    plus = "" if plus_of(policy) == 1 else f", plus {plus_of(policy)}"
    unit = ", unit employer" if unit_of(policy) == "employer" else ""
    return f"{policy.name} at alpha {alpha}{plus}{unit}"


def _loss(value: Number, parameter: str) -> Fraction:
    step = "Give the loss as a number that is not negative."
    return _number(value, parameter, lambda loss: loss >= 0, "must be 0 or more", step)


def _probability(value: Number) -> Fraction:
    rule, step = "must be at least 0 and below 1", "Give a small probability, such as 1e-6, or 0."
    return _number(value, "delta", lambda delta: 0 <= delta < 1, rule, step)


def _read_at(value: Number) -> Fraction:
    step = "Give the delta at which rho is read as an epsilon, such as 1e-9."
    rule = "must be above 0 and below 1"
    return _number(value, "reading", lambda delta: 0 < delta < 1, rule, step)


def _number(
    value: Number, parameter: str, fits: Callable[[Fraction], bool], rule: str, next_step: str
) -> Fraction:
    number = rational(value, parameter)
    if not fits(number):
        raise InvalidParameter(parameter, rule=rule, value=number, next_step=next_step)
    return number


def _count(value: object, parameter: str) -> int:
    return whole_within(value, parameter, 1, next_step=f"Give the number of {parameter}.")


def sequential(*guarantees: Guarantee) -> Guarantee:
    """Releases from the same data, also of several periods: every loss adds up (Theorem 1).

    Those of one job do so by themselves (Theorem 11). ρ is read at the smallest of their δ.
    """
    policy, alpha = _common_policy(guarantees)
    delta = sum((each.delta for each in guarantees), Fraction(0))
    if delta >= 1:
        raise CannotCompose(
            "guarantees",
            rule="the sum of their delta must stay below 1",
            value=delta,
            next_step="Make fewer releases, or each with a smaller delta.",
        )
    return Guarantee(
        policy,
        alpha,
        sum((each.epsilon for each in guarantees), Fraction(0)),
        delta,
        sum((each.rho for each in guarantees), Fraction(0)),
        reading=_reading(guarantees),
        epsilon_job=sum((each.epsilon_job for each in guarantees), Fraction(0)),
        rho_job=sum((each.rho_job for each in guarantees), Fraction(0)),
    )


def over_workplaces(*guarantees: Guarantee) -> Guarantee:
    """Disjoint workplace cells of the public frame, independent noise: the maximum (Theorem 2).

    One establishment lies in one cell. Each measure takes its own maximum, since the (ε, δ)
    parts of all cells are one part, and the zCDP parts of all cells another. A person may have
    rows in all cells: under the person policy the losses add up.
    """
    policy, _ = _common_policy(guarantees)
    return (sequential if isinstance(policy, Person) else over_parts)(*guarantees)


def over_parts(*guarantees: Guarantee) -> Guarantee:
    """Releases where one step changes the data of a single one: of each loss the maximum.

    The public parts of a plan are such releases (Theorem 2P).
    """
    policy, alpha = _common_policy(guarantees)
    return Guarantee(
        policy,
        alpha,
        max(each.epsilon for each in guarantees),
        max(each.delta for each in guarantees),
        max(each.rho for each in guarantees),
        reading=_reading(guarantees),
        epsilon_job=max(each.epsilon_job for each in guarantees),
        rho_job=max(each.rho_job for each in guarantees),
    )


def over_workers(*guarantees: Guarantee) -> Guarantee:
    """Disjoint worker cells of the same establishments: the sum (Theorem 3).

    Erratum: [H15] §5 and [H16] Theorem 7.5 let such cells compose in parallel. Counter-example:
    50 women and 50 men, α = 0.1; 55 and 55 is one step (110 ≤ 1.1·100), strong and weak, and
    each half alone is one full step as well. Only where one job differs is it the maximum.
    """
    policy, _ = _common_policy(guarantees)
    if isinstance(policy, WorkerOnly):
        return over_workplaces(*guarantees)  # one job lies in one worker cell
    return sequential(*guarantees)


def _reading(guarantees: tuple[Guarantee, ...]) -> Fraction:
    """Every reading of a ρ is true; the smallest δ has the largest factor."""
    return min((each.reading for each in guarantees if each.rho > 0), default=READING)


def _common_policy(guarantees: tuple[Guarantee, ...]) -> tuple[Policy, Fraction | None]:
    """The strongest policy and α that all of them imply without more loss.

    Strong with weak is weak; the smallest Δ and unit are implied by all at the same loss.
    """
    if not guarantees:
        raise CannotCompose(
            "guarantees",
            rule="must be at least one",
            value="none",
            next_step="Give the guarantee of every release.",
        )
    policies = [each.policy for each in guarantees]
    names = {policy.name for policy in policies}
    if len(names) > 1 and names != {"strong", "weak"}:
        raise CannotCompose(
            "guarantees",
            rule="must protect the same thing (strong with weak is weak)",
            value=", ".join(sorted(names)),
            next_step="Weaken each to one policy first, for instance guarantee.weaken('worker').",
        )
    kept = policies[0] if len(names) == 1 else WeakAlpha()
    least = [plus for policy in policies if (plus := plus_of(policy)) is not None]
    units = {unit_of(policy) for policy in policies}
    unit = units.pop() if len(units) == 1 else "establishment"
    alphas = [each.alpha for each in guarantees if each.alpha is not None]
    common = with_unit(with_plus(kept, min(least, default=None)), unit)
    return common, min(alphas, default=None)
