"""Promise statements: what a certificate promises to workers, establishments and firms."""

from typing import Literal, Self

from leeward.core.codebook import JobsRule
from leeward.core.errors import NotCovered
from leeward.core.privacy import Guarantee, job_sentences, sentences
from leeward.core.privacy.loss_curve import CurvePoint
from leeward.core.privacy.odds_of_suspicion import odds, suspicion
from leeward.core.privacy.public_parts import PricedTables
from leeward.core.privacy.words import Sentence, joined
from leeward.publishing.bundle.statements import (
    Count,
    Exact,
    Listed,
    Prose,
    SparseStatement,
    Statement,
    Text,
    losses,
)


class PromiseStatement(Statement):
    """What somebody loses at most, an (ε, δ) part and a ρ-zCDP part, and what that means."""

    epsilon: Exact
    delta: Exact
    rho: Exact
    sentence: Prose


class PartsStatement(Statement):
    """How the price follows from those of the tables, where public filters keep some apart.

    `attributes` have one code for all that one step changes. The tables that count `codes` have
    the largest sum; all tables together would add up to `added`.
    """

    attributes: Listed[Text]
    codes: dict[str, str]
    tables: Listed[Text]
    added: Exact
    sentence: Prose

    @classmethod
    def of(cls, priced: PricedTables) -> Self | None:
        """The statement about the price of tables; None where their prices add up."""
        stated = priced.stated()
        return None if stated is None else cls.model_validate(stated)


class CurveStatement(Statement):
    """What is lost at most between two sizes of one establishment, and what that means."""

    name: Literal["job", "growth", "doubling", "hundred", "thousand"]
    epsilon: Exact
    rho: Exact
    sentence: Prose


class FirmLoss(SparseStatement):
    """The loss of a firm with this many establishments, or in this many workplace cells."""

    optional = ("establishments", "workplace_cells")

    establishments: Count | None = None
    workplace_cells: Count | None = None
    epsilon: Exact
    delta: Exact
    rho: Exact


class FirmStatement(Statement):
    """The promise to firms; `two` is null where nothing is promised to two establishments."""

    rule: Prose
    two: FirmLoss | None
    sentence: Prose


class OddsStatement(SparseStatement):
    """What becomes of a suspicion of 1 in 100 about one job: at most `to` in 100.

    It may become more with the probability `failing`, which is left out where it is 0.
    """

    optional = ("failing",)

    to: Count | None
    level: Literal["calm", "attention", "no useful bound"] | None
    failing: Exact | None = None
    sentence: Prose


class JobsStatement(SparseStatement):
    """What was done about workers with several jobs.

    `per` is the attribute under each code of which `most` jobs count; left out where there is none.
    """

    optional = ("per",)

    rule: Literal["every", "single", "primary", "bounded"]
    column: Text | None
    most: Count | None
    per: Text | None = None
    sentence: Prose

    @classmethod
    def of(cls, guarantee: Guarantee, rule: JobsRule) -> Self:
        """The rule in words."""
        chosen = {name: getattr(rule, name, None) for name in ("column", "most", "per")}
        said = joined(job_sentences.jobs(guarantee, rule))
        return cls.model_validate({"rule": rule.name, **chosen, "sentence": said})


class PayStatement(Statement):
    """What is promised about pay, and what is not protected of it."""

    promised: Listed[Prose]
    unprotected: Listed[Prose]

    @classmethod
    def of(cls, said: tuple[Sentence, ...]) -> Self:
        """Sentences that bound something, and those that warn."""
        return cls(
            promised=tuple(sentence.text for sentence in said if sentence.steps is not None),
            unprotected=tuple(sentence.text for sentence in said if sentence.steps is None),
        )


def worker_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement:
    """The promise to a worker with all counted jobs together; with every job, for each."""
    own = guarantee.for_jobs(job_sentences.most_jobs(jobs))
    return _promise(own, sentences.worker(guarantee, jobs))


def establishment_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement | None:
    """The promise about the size of an establishment; None where the sentence bounds nothing."""
    said = sentences.establishment(guarantee, jobs)
    return None if said.steps is None else _promise(guarantee, said)


def make_up_promise(
    guarantee: Guarantee, kinds: tuple[str, ...] | None, *, by_cell: bool
) -> PromiseStatement | None:
    """The promise about the make-up of an establishment; None where the sentence bounds nothing."""
    said = sentences.make_up(guarantee, kinds, by_cell=by_cell)
    if said.steps is None:
        return None
    try:
        return _promise(guarantee.over_steps(said.steps), said)
    except NotCovered:
        return None


def firm_promise(guarantee: Guarantee) -> FirmStatement | None:
    """The promise to a firm whose establishments all change; None where nothing is bounded."""
    said = sentences.firm(guarantee)
    if said.steps is None:
        return None
    try:
        steps = "workplace_cells" if guarantee.unit == "employer" else "establishments"
        lost = {steps: 2, **losses(guarantee.for_firm(2))}
    except NotCovered:
        lost = None
    two = None if lost is None else FirmLoss.model_validate(lost)
    return FirmStatement(rule=sentences.firm_rule(guarantee), two=two, sentence=said.text)


def curve_statements(points: tuple[CurvePoint, ...]) -> tuple[CurveStatement, ...] | None:
    """The loss curve; None where no size is protected."""
    said = tuple(CurveStatement.model_validate(point.as_json()) for point in points)
    return said or None


def odds_statement(guarantee: Guarantee, jobs: JobsRule) -> OddsStatement:
    """What becomes of a suspicion of one in a hundred about one job."""
    bound = odds(guarantee)
    return OddsStatement(
        to=None if bound is None else bound.to,
        level=None if bound is None else bound.level,
        failing=None if bound is None or not bound.failing else str(bound.failing),
        sentence=suspicion(guarantee, jobs).text,
    )


def _promise(guarantee: Guarantee, said: Sentence) -> PromiseStatement:
    return PromiseStatement.model_validate({**losses(guarantee), "sentence": said.text})
