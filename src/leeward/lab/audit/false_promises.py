"""False promises: sentences that were printed, or that sources print; all must be rejected."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from leeward.core.codebook import BoundedJobs, PrimaryJob
from leeward.core.exact import ball, precision
from leeward.core.mechanisms import mechanism
from leeward.core.privacy.words import Sentence
from leeward.lab.audit import job_worlds, pay_worlds, worlds
from leeward.lab.audit.at_one_job import at_one_job
from leeward.lab.audit.local_exam import second_report
from leeward.lab.audit.promises import JOB_PAIRS, PAIRS, Promise, beside, largest_loss
from leeward.lab.audit.publication import Publication, settings, zcdp
from leeward.lab.audit.worlds import Possibilities, WorldPair


@dataclass(frozen=True)
class FalsePromise:
    """A sentence that was printed, or that the sources print, and that must be rejected.

    `pairs` are the worlds that it compares, `setting` changes the release that it is about.
    """

    id: str
    policy: str
    text: str
    pairs: Callable[[Possibilities], Iterable[WorldPair]]
    steps: int = 1
    setting: Callable[[Publication], Publication] = lambda setting: setting
    allowed: Callable[[Publication, int], arb] = Publication.allowed

    def examined(self) -> Promise:
        """The false sentence beside the truth, under the first mechanism of its policy."""
        setting = self.setting(next(known for known in settings() if known.policy == self.policy))
        sentence = Sentence(self.id, self.text, self.steps)
        # It promises the same of all these pairs, however many times further apart they are.
        pairs = (replace(pair, times=Fraction(1)) for pair in self.pairs(setting.population))
        with precision(128):
            promised = self.allowed(setting, self.steps)
        promise = beside(setting, sentence, promised, largest_loss(setting, pairs))
        return replace(promise, control=True)


def false_promises() -> Iterator[Promise]:
    """Every false sentence beside the truth."""
    yield from (false.examined() for false in FALSE_PROMISES)
    yield second_report()


def in_classes() -> Publication:
    """A table by classes of pay."""
    return next(
        setting for setting in settings() if setting.policy == "strong" and setting.read.classes
    )


PRIMARY = PrimaryJob("earnings")
FALSE_PROMISES = (
    FalsePromise(
        "share-within-alpha",
        "weak",
        "[H16] Theorem 7.2: the share of each kind of worker is hidden within 1+α.",
        worlds.share_of_a_kind,
    ),
    FalsePromise(
        "make-up-by-kind",
        "weak",
        "Between make-ups in which every kind differs by 1+α or one worker, two steps.",
        worlds.each_kind,
        steps=2,
    ),
    FalsePromise(
        "size-ceiling",
        "strong",
        "[H16] requirement (4): sizes x and up to (1+α)x rounded up to whole jobs.",
        lambda population: [population.sizes_apart(15, 17)],
    ),
    FalsePromise(
        "person-moved-once",
        "worker",
        "[H16] Theorem 7.1: between any two values of a person the odds change by e^ε.",
        PAIRS["person-moved"],
    ),
    FalsePromise(
        "person-with-any-jobs",
        "strong",
        "A person has the stated epsilon, however many jobs the person holds.",
        PAIRS["jobs"],
    ),
    FalsePromise(
        "size-whoever-joins",
        "strong",
        "With primary jobs, the stated epsilon holds whoever joins, also from elsewhere.",
        lambda population: JOB_PAIRS["jobs-elsewhere"](population, PRIMARY),
    ),
    FalsePromise(
        "job-displaced-once",
        "strong",
        "With primary jobs, one single job has the stated epsilon.",
        lambda population: JOB_PAIRS["job-displaced"](population, PRIMARY),
    ),
    FalsePromise(
        "strict-without-condition",
        "strong",
        "With `rows: strict`, a listed and an unlisted code are one step apart.",
        PAIRS["strict"],
        setting=lambda setting: replace(setting, strict=True),
    ),
    FalsePromise(
        "employer-as-one",
        "strong",
        "With the unit establishment, an employer in one workplace cell has the stated epsilon, "
        "however many establishments it has there.",
        lambda population: (p for p in PAIRS["firm"](population) if len(p.before.cells) == 1),
    ),
    FalsePromise(
        "rho-in-proportion",
        "strong",
        "Under zCDP a firm of two establishments has twice the stated rho.",
        lambda population: (pair for pair in PAIRS["firm"](population) if pair.times == 1),
        steps=2,
        setting=lambda _: zcdp(),
        allowed=lambda setting, steps: ball(steps * setting.rho),
    ),
    FalsePromise(
        "whoever-joins-proportional",
        "proportional",
        "Under the proportional policy sizes x and at most (1+α)x are hidden, whoever joins.",
        pay_worlds.joiners_at_cap,
    ),
    FalsePromise(
        "raise-in-classes",
        "strong",
        "In a table by classes of pay a raise of all within 1+α is one step, as in a payroll.",
        PAIRS["wage-level-open"],
        setting=lambda _: in_classes(),
    ),
    FalsePromise(
        "pay-changed-once",
        "strong",
        "In a table by classes of pay, between two pays of a person the odds change by e^ε.",
        PAIRS["pay-changed"],
        setting=lambda _: in_classes(),
    ),
    FalsePromise(
        "history-as-one-job",
        "worker",
        "Under the worker policy a person with rows in two periods has the stated epsilon.",
        lambda population: job_worlds.history_added(population, BoundedJobs(1, "period")),
    ),
    FalsePromise(
        "row-of-a-history-once",
        "person",
        "Under the person policy, one single row of a history has the stated epsilon.",
        lambda population: job_worlds.one_row_more(population, PRIMARY),
        setting=lambda _: next(
            setting for setting in settings() if setting.policy == "person" and setting.rows == 1
        ),
    ),
    FalsePromise(
        "size-at-one-job",
        "strong",
        "Beside ε = 4 for sizes, ε_job = 1 bounds the odds between sizes x and at most (1+α)x.",
        PAIRS["size"],
        setting=lambda _: at_one_job(),
        allowed=Publication.allowed_jobs,
    ),
    FalsePromise(
        "doubling-as-one-step",
        "strong",
        "An establishment of 10 jobs against one of 20 has the stated epsilon.",
        lambda population: [population.sizes_apart(10, 20)],
        setting=lambda _: at_one_job(),
    ),
    FalsePromise(
        "person-moved-at-one-job",
        "strong",
        "Between two workplaces of a person the odds change by e^ε_job.",
        PAIRS["person-moved"],
        setting=lambda _: at_one_job(),
        allowed=Publication.allowed_jobs,
    ),
    FalsePromise(
        "one-job-without-its-floor",
        "strong",
        "A floor of one job hides one job by ε_job = 1 beside ε = 4.",
        PAIRS["person"],
        setting=lambda _: replace(at_one_job(), made=mechanism("slope", alpha="0.1", epsilon=4)),
        allowed=lambda _, jobs: ball(jobs),
    ),
    FalsePromise(
        "size-without-floor",
        "strong",
        "Noise that follows αx alone hides one job more in a small establishment.",
        lambda population: [population.sizes_apart(5, 6)],
        setting=lambda setting: replace(setting, floor=False),
    ),
)
"""False sentences; the examiner must reject every one of them."""
