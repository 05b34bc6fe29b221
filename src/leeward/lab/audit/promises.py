"""Promises: every sentence that is printed about a guarantee, beside the loss that is computed.

For each sentence, pairs of worlds; for each pair, the largest log-likelihood ratio of what is
released, from exact masses. A sentence that bounds the odds must hold on all of its pairs, and
one that warns must be right: what it warns of loses more than a step.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isinf

from flint import arb

from leeward.core.codebook import BoundedJobs, EveryJob, JobsRule, PrimaryJob, SingleJob
from leeward.core.exact import ball, dyadic_up, precision
from leeward.core.privacy import Guarantee, job_sentences, sentences
from leeward.core.privacy.delta import tail_epsilon
from leeward.core.privacy.loss_curve import largest_loss as largest_loss_of_sizes
from leeward.core.privacy.odds_of_suspicion import OF, odds, suspicion, suspicion_in_all
from leeward.core.privacy.pay_sentences import NO_PAY, PayRead, about_pay
from leeward.core.privacy.words import Sentence
from leeward.lab.audit import job_worlds, pay_worlds, worlds
from leeward.lab.audit.at_one_job import every_setting
from leeward.lab.audit.loss import INFINITE
from leeward.lab.audit.publication import (
    Publication,
    approximate_delta,
    averaged_loss,
    zcdp_rho,
)
from leeward.lab.audit.row import CONFIRMED, REJECTED, UNDECIDED
from leeward.lab.audit.worlds import Possibilities, WorldPair

PAIRS: dict[str, Callable[[Possibilities], Iterator[WorldPair]]] = {
    "policy": pay_worlds.neighbours,
    "person": pay_worlds.person,
    "person-moved": worlds.person_moved,
    "size": worlds.size,
    "size-far": worlds.size_far,
    "group": worlds.group,
    "make-up": worlds.make_up,
    "make-up-share": worlds.share_of_a_kind,
    "workforce": worlds.workforce,
    "firm": worlds.firm,
    "growth-of-one-kind": worlds.one_kind_alone,
    "size-open": worlds.size_of_a_large_one,
    "firm-open": worlds.size_of_a_large_one,
    "frame": worlds.frame,
    "scope": worlds.neighbours,
    "odds": worlds.person,
    "strict": worlds.rows_checked,
    "total": worlds.row_rules,
    "jobs": worlds.person_with_jobs,
    "pay-changed": pay_worlds.pay_changed,
    "payroll": pay_worlds.payrolls,
    "joiners-at-cap": pay_worlds.joiners_at_cap,
    "payroll-open": pay_worlds.payroll_of_a_large_one,
    "raise": pay_worlds.raised,
    "wage-level": pay_worlds.wage_level,
    "wage-level-open": pay_worlds.wage_level_of_many,
}
"""The pairs of worlds of every sentence that does not depend on a jobs rule."""

JOB_PAIRS: dict[str, Callable[[Possibilities, JobsRule], Iterator[WorldPair]]] = {
    "person": job_worlds.all_jobs,
    "person-moved": job_worlds.all_jobs_moved,
    "jobs": job_worlds.all_jobs,
    "job-displaced": job_worlds.displaced,
    "jobs-elsewhere": job_worlds.joiners_from_elsewhere,
    "pay-changed": pay_worlds.pay_changed_in_jobs,
}
"""The same where some jobs of a person count and others do not."""

HISTORY_PAIRS: dict[str, Callable[[Possibilities, JobsRule], Iterator[WorldPair]]] = {
    **dict.fromkeys(("policy", "scope", "person", "jobs", "odds"), job_worlds.history_added),
    **dict.fromkeys(("person-moved", "pay-changed"), job_worlds.history_changed),
    "job-displaced": job_worlds.one_row_more,
}
"""The same under the person policy, with rows in two periods."""

WITH_PAY = (
    *("policy", "person", "pay-changed", "payroll", "payroll-open", "joiners-at-cap", "raise"),
)
"""The sentences whose worlds have pay; the others are examined where jobs are counted."""

MEASURED = ("further", "zcdp")
"""Sentences that explain a measure: they have no worlds, `measures` examines them."""

CURVE_SIZES = ((0, 8), (10, 20), (0, 40), (30, 90))
"""Sizes of one establishment between which the loss curve is examined: of blocks the first two."""

SURVEYS = ("local", "local-reports", "local-odds", "local-anew", "local-part", "local-employer")
"""Sentences of surveys: they compare answers of a person, `survey_promises` examines them."""

RULES: tuple[JobsRule, ...] = (EveryJob(), SingleJob(), PrimaryJob("earnings"), BoundedJobs(2))
PERSON_RULES: dict[int, tuple[JobsRule, ...]] = {
    1: (SingleJob(), PrimaryJob("earnings")),
    2: (BoundedJobs(1, "period"), BoundedJobs(2)),
}
"""Of the person policy, by the number of rows of a person that a table of two periods counts."""


@dataclass(frozen=True)
class Promise:
    """A sentence beside the truth; both numbers are ε, but of δ, ρ and odds what they compare.

    Under a budget in ρ, whose ε is 0, they are ρ.
    """

    id: str
    policy: str
    mechanism: str
    alpha: Fraction | None
    epsilon: Fraction
    promised: arb
    computed: arb
    text: str
    control: bool = False
    warns: bool = False

    @property
    def verdict(self) -> str:
        """By balls; a warning is right if what it warns of loses more than one step."""
        with precision(128):
            if self.warns:
                return _compared(ball(self.epsilon), self.computed)
            return _compared(self.computed, self.promised)

    @property
    def as_expected(self) -> bool:
        """Sentences must be confirmed, controls rejected."""
        return self.verdict == (REJECTED if self.control else CONFIRMED)

    def as_json(self) -> dict[str, object]:
        """Plain values; an infinite number is the string "inf"."""
        return {
            "id": self.id,
            "policy": self.policy,
            "mechanism": self.mechanism,
            "alpha": None if self.alpha is None else float(self.alpha),
            "epsilon": float(self.epsilon),
            "promised": _number(self.promised),
            "computed": _number(self.computed),
            "verdict": self.verdict,
            "control": self.control,
        }


def _compared(smaller: arb, larger: arb) -> str:
    if smaller <= larger:
        return CONFIRMED
    return REJECTED if smaller > larger else UNDECIDED


def _number(value: arb) -> float | str:
    return "inf" if isinf(float(value)) else float(value)


def true_promises() -> Iterator[Promise]:
    """Every sentence under every policy and mechanism."""
    warned = set[tuple[str, str]]()
    for setting in every_setting():
        for sentence, rule in printed(setting):
            warning = (setting.policy, sentence.id)
            if sentence.id in MEASURED or warning in warned:
                continue
            if sentence.steps is None:  # of the policy: one mechanism that shows it is enough
                warned.add(warning)
            yield examined(setting, sentence, rule)
    yield from measures()
    for setting in every_setting():
        if setting.policy == "strong" and setting.table in ("all jobs", "block"):
            yield from curve(setting)


def curve(setting: Publication) -> Iterator[Promise]:
    """What the loss curve says of pairs of sizes."""
    for small, large in CURVE_SIZES[: 2 if setting.table == "block" else None]:
        bound = largest_loss_of_sizes(setting.guarantee, setting.made.loss, small, large)
        text = f"An establishment of {small} jobs against one of {large}: {float(bound):.3g}."
        apart = [setting.population.sizes_apart(small, large)]
        promised, computed = ball(bound), largest_loss(setting, apart)
        yield beside(setting, Sentence("curve", text), promised, computed)


def printed(setting: Publication) -> Iterator[tuple[Sentence, JobsRule]]:
    """The sentences that may be printed about a setting, those that differ in id and steps."""
    seen = set[tuple[str, int | None, str]]()
    rules = PERSON_RULES[setting.rows] if setting.policy == "person" else RULES
    for rule in rules[:1] if setting.payroll else rules:
        said = printable(setting.guarantee, rule, setting.read, by_cell=setting.by_cell)
        for sentence in (
            candidate for candidate in said if not setting.payroll or candidate.id in WITH_PAY
        ):
            apart = rule.words if sentence.id in JOB_PAIRS else ""
            if (sentence.id, sentence.steps, apart) not in seen:
                seen.add((sentence.id, sentence.steps, apart))
                yield sentence, rule


def printable(
    guarantee: Guarantee, rule: JobsRule, read: PayRead = NO_PAY, *, by_cell: bool
) -> Iterator[Sentence]:
    """All sentences that plan, certificate, README.txt, report, page and ledger can print."""
    kinds = ("sex",) if guarantee.policy.name == "weak" else None
    strict = isinstance(rule, SingleJob)
    yield sentences.IN_GENERAL[guarantee.policy.name]
    yield sentences.IN_SHORT.get(guarantee.policy.name, sentences.FRAME)
    yield from sentences.whole(guarantee, rule, strict=strict)
    yield sentences.worker(guarantee, rule)
    yield sentences.establishment(guarantee, rule)
    yield sentences.make_up(guarantee, kinds, by_cell=by_cell)
    if kinds is not None:
        yield sentences.MAKE_UP_SHARE
    if guarantee.alpha is not None:
        yield sentences.far_sizes(guarantee)
    yield sentences.firm(guarantee)
    yield suspicion(guarantee, rule)
    yield suspicion_in_all(guarantee)
    yield from job_sentences.jobs(guarantee, rule)
    if isinstance(rule, (EveryJob, BoundedJobs)) and guarantee.policy.name != "person":
        most = rule.most if isinstance(rule, BoundedJobs) else 0
        yield job_sentences.cap_of_jobs(guarantee, most)
    yield job_sentences.rows(strict=strict)
    yield from about_pay(guarantee, rule, read)
    yield sentences.SCOPE


def pairs(setting: Publication, sentence: Sentence, rule: JobsRule) -> Iterator[WorldPair]:
    """The pairs of worlds of a sentence; some depend on which jobs of a person count."""
    if setting.policy == "person" and sentence.id in HISTORY_PAIRS:
        yield from HISTORY_PAIRS[sentence.id](setting.population, rule)
    elif sentence.id in JOB_PAIRS and isinstance(rule, (PrimaryJob, BoundedJobs)):
        yield from JOB_PAIRS[sentence.id](setting.population, rule)
    elif sentence.id in ("person", "jobs") and isinstance(rule, SingleJob):
        yield from worlds.person(setting.population)
    else:
        yield from PAIRS[sentence.id](setting.population)


def examined(setting: Publication, sentence: Sentence, rule: JobsRule) -> Promise:
    """A sentence on all of its pairs.

    Of odds: what becomes of 1 in 100, in hundredths; also where the other workers are not known.
    """
    if sentence.id == "odds":
        limits = odds(setting.guarantee)
        if limits is None:
            raise ValueError("odds are examined where there are some")
        loss = largest_loss(setting, pairs(setting, sentence, rule)).max(averaged_loss(setting))
        with precision(128):
            if setting.rho:  # the loss passes this with the probability that the sentence names
                loss = ball(tail_epsilon(dyadic_up(loss, 96), limits.failing))
            posterior = OF * loss.exp() / (OF - 1 + loss.exp())
        return beside(setting, sentence, arb(limits.to), posterior)
    examined_setting = replace(setting, strict=sentence.id == "strict")
    computed = largest_loss(examined_setting, pairs(setting, sentence, rule))
    if sentence.steps is None:
        return replace(beside(setting, sentence, INFINITE, computed), warns=True)
    allowed = setting.allowed_jobs if sentence.jobs else setting.allowed
    return beside(setting, sentence, allowed(sentence.steps), computed)


def largest_loss(setting: Publication, worlds_apart: Iterable[WorldPair]) -> arb:
    """The largest loss, each restated for what the sentence prints."""
    largest, some = arb(0), False
    with precision(128):
        for pair in worlds_apart:
            some = True
            times = pair.times**2 if setting.rho else pair.times
            largest = largest.max(setting.loss(pair) / ball(times))
    if not some:
        raise ValueError("a sentence without worlds is not examined")
    return largest


def beside(setting: Publication, sentence: Sentence, promised: arb, computed: arb) -> Promise:
    """A sentence with what it says and what is true."""
    return Promise(
        sentence.id,
        setting.policy,
        setting.name,
        setting.alpha,
        setting.epsilon,
        promised,
        computed,
        sentence.text,
    )


def measures() -> Iterator[Promise]:
    """What δ and ρ mean: `further` compares δ, `zcdp` compares ρ."""
    for setting, computed in (approximate_delta(), zcdp_rho()):
        name = "zcdp" if setting.guarantee.rho > 0 else "further"
        whole = sentences.whole(setting.guarantee, EveryJob())
        sentence = next(said for said in whole if said.id == name)
        claimed = setting.guarantee.rho or setting.guarantee.delta
        yield beside(setting, sentence, ball(claimed), computed)
