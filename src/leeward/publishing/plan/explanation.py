"""Explanation: what a SELECT statement would count, touch and cost, before there is a plan.

Nothing is read but the codebook, and nothing is spent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from leeward.core.codebook import BoundedJobs, Codebook, EveryJob, JobsRule, Marginal
from leeward.core.codebook.size_profile import MOST_JOBS, SizeProfile
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.exact import alpha_text, number_text
from leeward.core.privacy import Guarantee, sequential
from leeward.core.show.numbers import count, counted, crossed, error, listed
from leeward.publishing.plan.planned_table import Context, PlannedTable, priced_tables
from leeward.publishing.plan.prediction import mean_error
from leeward.publishing.plan.reading import OFFERED, require_limit
from leeward.publishing.plan.sql import WORKPLACES, Selected, read_statement, statements
from leeward.publishing.plan.table_reading import read_marginal

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

MOST_STATEMENTS = 20
LARGEST = 100
"""Jobs of the largest establishment of a cell for which errors are predicted."""

NAME = "query"


@dataclass(frozen=True)
class Asked:
    """The promise that statements are explained under, and what is assumed."""

    codebook: Codebook
    promise: Guarantee
    jobs: JobsRule
    largest: int = LARGEST

    def __post_init__(self) -> None:
        if self.promise.policy.name not in OFFERED:
            raise InvalidParameter(
                "--policy",
                rule=f"must be one of {', '.join(OFFERED)}",
                value=self.promise.policy.name,
                next_step="Choose one of these.",
            )
        require_limit(self.promise.policy, self.jobs)
        if not 1 <= self.largest <= MOST_JOBS:
            raise InvalidParameter(
                "--largest",
                rule=f"must be a whole number from 1 to {MOST_JOBS}",
                value=self.largest,
                next_step=f"Leave it out for {LARGEST}.",
            )

    @property
    def profile(self) -> SizeProfile:
        """Cells whose largest establishment has the assumed number of jobs."""
        return SizeProfile((self.largest,), (1,))

    @property
    def step(self) -> int:
        """S: by how many jobs the largest establishment changes in one step of the policy."""
        alpha = self.promise.alpha or Fraction(0)
        return max(int(alpha * self.largest), self.promise.plus or 1)

    @property
    def rows(self) -> int:
        """How many jobs of a person count at most; 1 where the number is not limited."""
        return self.jobs.most if isinstance(self.jobs, BoundedJobs) else 1

    def table(self, selected: Selected, epsilon: Fraction) -> PlannedTable:
        """The table with the mechanism that a plan would take."""
        promise = self.promise.with_amount(epsilon)
        context = Context(self.codebook, promise, self.profile, self.jobs)
        planned_table = context.table(selected.written(NAME), Fraction(1))
        if planned_table is None:
            raise AssertionError("a table with a codebook and a promise was not planned")
        return planned_table


@dataclass(frozen=True)
class Explanation:
    """The verdict on one statement, with its reason."""

    verdict: Literal["accepted", "refused", "public"]
    reason: str
    next_step: str
    steps: tuple[str, ...] = ()
    selected: Selected | None = None
    planned: PlannedTable | None = None
    sensitivity: tuple[int | None, int | None] = (None, None)
    """By how much one worker, and one establishment in one step, changes the numbers."""

    @property
    def epsilon(self) -> Fraction | None:
        """What the statement costs; nothing is charged for one that is refused."""
        if self.verdict == "public":
            return Fraction(0)
        return None if self.planned is None else self.planned.charge.epsilon

    def as_json(self) -> dict[str, object]:
        """The answer of `leeward explain --json`."""
        worker, establishment = self.sensitivity
        selected = self.selected
        table = None if selected is None else {
            "by": list(selected.by),
            "where": {name: list(codes) for name, codes in selected.where.items()},
            "statistic": selected.statistic,
            "of": selected.of,
        }  # fmt: skip
        return {
            "verdict": self.verdict,
            "table": table,
            "sensitivity": {"worker": worker, "establishment": establishment},
            "epsilon": None if self.epsilon is None else number_text(self.epsilon),
            "reason": self.reason,
            "next_step": self.next_step,
            "steps": list(self.steps),
        }

    def lines(self) -> Iterator[str]:
        """The explanation for a person."""
        yield f"{self.verdict.capitalize()}: {self.reason}"
        for number, step in enumerate(self.steps, 1):
            yield f"  {number}. {step}"
        if self.next_step:
            yield f"  Next: {self.next_step}"


@dataclass(frozen=True)
class Cost:
    """What several statements cost together, and why."""

    sequential: Fraction
    together: Fraction
    as_one_table: Fraction | None
    reason: str

    def as_json(self) -> dict[str, object]:
        """The three numbers and the reason."""
        one = self.as_one_table
        return {
            "sequential": number_text(self.sequential),
            "epsilon": number_text(self.together),
            "as_one_table": None if one is None else number_text(one),
            "reason": self.reason,
        }

    def lines(self) -> Iterator[str]:
        """The cost for a person."""
        yield f"Together: epsilon {number_text(self.together)}. {self.reason}"
        if self.together < self.sequential:
            yield f"  One after the other they would add up to {number_text(self.sequential)}."
        if self.as_one_table is not None:
            yield (
                "  Statements that differ in the codes of one attribute are cheaper as one table "
                f"GROUP BY it: {number_text(self.as_one_table)} in all."
            )


def explain(
    text: str | Sequence[str], asked: Asked, epsilons: Sequence[Fraction] = ()
) -> tuple[tuple[Explanation, ...], Cost | None]:
    """Explain statements, and what the accepted ones cost together; None for a single one.

    SQL is text with semicolons between statements, or a list. Without `epsilons`, each statement
    costs what the promise has.
    """
    parsed: list[Expr | LeewardError] = []
    for part in [text] if isinstance(text, str) else text:
        try:
            parsed.extend(statements(part))
        except LeewardError as problem:
            parsed.append(problem)
    if not 1 <= len(parsed) <= MOST_STATEMENTS:
        raise InvalidParameter(
            "SQL",
            rule=f"must be 1 to {MOST_STATEMENTS} statements",
            value=f"{len(parsed)} statements",
            next_step='Give for example "SELECT sex, COUNT(*) FROM jobs GROUP BY sex".',
        )
    if epsilons and len(epsilons) != len(parsed):
        raise InvalidParameter(
            "--epsilon",
            rule="must be given once for all statements, or once for each",
            value=f"{len(epsilons)} for {counted(len(parsed), 'statement')}",
            next_step="Repeat --epsilon in the order of the statements.",
        )
    amounts = tuple(epsilons) or (asked.promise.epsilon,) * len(parsed)
    pairs = zip(parsed, amounts, strict=True)
    explanations = tuple(_explained(statement, asked, amount) for statement, amount in pairs)
    accepted = [explanation for explanation in explanations if explanation.verdict == "accepted"]
    return explanations, cost(accepted, asked) if len(parsed) > 1 and accepted else None


def _explained(statement: "Expr | LeewardError", asked: Asked, epsilon: Fraction) -> Explanation:
    try:
        if isinstance(statement, LeewardError):
            raise statement
        selected = read_statement(statement, asked.codebook)
        if selected.counted != WORKPLACES:
            return _accepted(selected, asked, epsilon)
        # The frame of workplaces is public, and so is every attribute that may be used.
        if not read_marginal(selected.written(NAME), asked.codebook).counts_every_job:
            raise InvalidParameter(
                "sql",
                rule="must name attributes of workplaces where workplaces are counted",
                value="an attribute of workers or jobs",
                next_step="Write FROM jobs, or leave the attribute out.",
            )
    except LeewardError as problem:
        reason = f"{problem.parameter}: {problem.rule}; got {problem.value}."
        return Explanation("refused", reason, problem.next_step)
    return Explanation(
        "public",
        "The frame of workplaces is public: the numbers are exact and cost nothing.",
        "Write establishments: true in a table by the same attributes.",
        selected=selected,
        sensitivity=(0, 0),
    )


def _accepted(selected: Selected, asked: Asked, epsilon: Fraction) -> Explanation:
    table = asked.table(selected, epsilon)
    marginal, statistic = table.marginal, table.marginal.statistic
    kind = "workplace" if marginal.counts_every_job else "worker"
    what = f"the {statistic.words}" if statistic.capped else "jobs"
    kept = " and ".join(
        f"{dimension.name} is {listed(dimension.codes, 'or')}"
        for dimension in (*marginal.filters, *marginal.dimensions)
        if not dimension.whole
    )
    sizes = [f"{count(dimension.size)} {dimension.name}" for dimension in marginal.dimensions]
    product = f"{crossed(sizes)}: " if sizes else ""
    cells = counted(marginal.workplace_cells * marginal.worker_cells, "cell")
    expected = error(mean_error(table, asked.profile))
    steps = (
        f"It counts {what}{f' whose {kept}' if kept else ''}.",
        f"Cells: {product}{cells}, from the code lists of the codebook and not from the data.",
        *_changed(marginal, asked),
        f"A {kind} table, by {table.measurement.name}: {table.why}. It costs epsilon "
        f"{number_text(table.charge.epsilon)}; mean error of a cell {expected} {statistic.unit} "
        f"where the largest establishment has {count(asked.largest)} jobs.",
    )
    reason = f"It is a {kind} table that `leeward release` can publish."
    in_a_step = statistic.cap * asked.step if asked.promise.alpha is not None else None
    changed = (statistic.cap * asked.rows, in_a_step)
    return Explanation("accepted", reason, "", steps, selected, table, changed)


def _changed(marginal: Marginal, asked: Asked) -> Iterator[str]:
    """By how much one worker, and one establishment in one step, changes the numbers.

    One job changes a cell by 1, or by the cap of its pay.
    """
    each, cells = count(marginal.statistic.cap), marginal.worker_cells
    once = f"One worker: a job is in one cell and changes it by at most {each}"
    if asked.rows > 1:
        yield f"One worker: up to {asked.rows} jobs, each changes one cell by {each}."
    elif isinstance(asked.jobs, EveryJob):
        yield f"{once}; m jobs of a worker change cells by m times that."
    else:
        yield f"{once}."
    together = "its cell" if cells == 1 else f"its {count(cells)} cells together"
    if asked.promise.alpha is None:
        yield (
            f"One establishment: all its jobs are in {together}, and how many they are is not "
            f"protected by the {asked.promise.policy.name} policy."
        )
        return
    alpha, plus = alpha_text(asked.promise.alpha), asked.promise.plus or 1
    pay = "" if marginal.statistic.cap == 1 else f", times the cap {each}"
    yield (
        f"One establishment: {together} change{'s' if cells == 1 else ''} by at most "
        f"S = max({alpha} × size, {plus}){pay}; of {count(asked.largest)} jobs S is "
        f"{count(asked.step)}."
    )


PARALLEL: Mapping[tuple[str, bool], str] = {
    ("job", True): "Statements whose filters exclude each other share no job: the largest counts.",
    ("job", False): "A job may be counted by all of them: the losses add up.",
    ("person", True): "Statements whose filters on attributes of workers exclude each other share "
    "no person: the largest counts.",
    ("person", False): "A person may be counted by all of them: the losses add up.",
    ("establishment", True): "Statements whose filters on attributes of workplaces exclude each "
    "other share no establishment: the largest counts.",
    ("establishment", False): "An establishment has workers of all kinds, men and women alike: the "
    "losses add up. Only filters on attributes of workplaces exclude each other here.",
}
"""Why the largest of several losses counts, or why they add up, by what is protected."""


def cost(accepted: Sequence[Explanation], asked: Asked) -> Cost:
    """What statements cost together: those that no one can be in both of take the maximum.

    Under the worker policy that is one job, which has one code of every attribute. With an α it
    is one establishment, which has one code of every workplace attribute and workers of all kinds
    (Theorems 2 and 3). A person has one code of every attribute of workers.
    """
    tables = [explanation.planned for explanation in accepted if explanation.planned is not None]
    priced = priced_tables(asked.promise.policy, tables, asked.codebook)
    charges = priced.charges
    added, together = sequential(*charges).epsilon, priced.price.epsilon
    merged = _as_one_table(accepted, charges)
    better = merged if asked.promise.alpha is not None and merged < together else None
    return Cost(added, together, better, PARALLEL[priced.parts.unit, together < added])


def _as_one_table(accepted: Sequence[Explanation], charges: Sequence[Guarantee]) -> Fraction:
    """The cost if statements that differ in the codes of one attribute were one table by it.

    Of each such table it is the maximum where no code is in two statements, else the sum.
    """
    groups: dict[object, list[tuple[tuple[str, ...], Fraction]]] = {}
    for explanation, charge in zip(accepted, charges, strict=True):
        selected, shape, codes = explanation.selected, object(), tuple[str, ...]()
        if selected is not None and len(selected.where) == 1:
            ((name, codes),) = selected.where.items()
            if name not in selected.by:  # all that is asked for but these codes
                shape = (selected.by, selected.statistic, selected.of, name)
        groups.setdefault(shape, []).append((codes, charge.epsilon))
    total = Fraction(0)
    for rows in groups.values():
        listed_codes = [code for codes, _ in rows for code in {*codes}]
        apart = len(set(listed_codes)) == len(listed_codes)
        amounts = [amount for _, amount in rows]
        total += max(amounts) if apart else sum(amounts, Fraction(0))
    return total
