"""Promises: what a guarantee means for one worker, one establishment and one firm."""

from leeward.bundle.statements import (
    FirmLoss,
    FirmStatement,
    OddsStatement,
    PromiseStatement,
    losses,
)
from leeward.errors import NotCovered
from leeward.model import JobsRule
from leeward.privacy import Guarantee, sentences
from leeward.privacy.odds import odds


def worker_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement:
    """The promise to a worker with all counted jobs together; with every job, for each."""
    own = guarantee.for_jobs(sentences.most_jobs(jobs))
    return _promise(own, sentences.worker(guarantee, jobs))


def establishment_promise(guarantee: Guarantee, jobs: JobsRule) -> PromiseStatement | None:
    """The promise about the size of an establishment; none under the worker policy."""
    if guarantee.policy.name == "worker":
        return None
    return _promise(guarantee, sentences.establishment(guarantee, jobs))


def make_up_promise(
    guarantee: Guarantee, kinds: tuple[str, ...] | None, *, by_cell: bool
) -> PromiseStatement | None:
    """The promise about the make-up of an establishment; none where nothing is promised."""
    said = sentences.make_up(guarantee, kinds, by_cell=by_cell)
    if said.steps is None:
        return None
    try:
        return _promise(guarantee.over_steps(said.steps), said)
    except NotCovered:
        return None


def firm_promise(guarantee: Guarantee) -> FirmStatement | None:
    """The promise to a firm whose establishments all change at once."""
    if guarantee.policy.name == "worker":
        return None
    said = sentences.firm(guarantee).text
    try:
        two = guarantee.for_firm(2)
    except NotCovered:
        return FirmStatement(rule=sentences.firm_rule(guarantee), two=None, sentence=said)
    return FirmStatement(
        rule=sentences.firm_rule(guarantee),
        two=FirmLoss.model_validate({"establishments": 2, **losses(two)}),
        sentence=said,
    )


def odds_statement(guarantee: Guarantee, jobs: JobsRule) -> OddsStatement:
    """What becomes of a suspicion of one in a hundred about one job."""
    found = odds(guarantee)
    return OddsStatement(
        to=None if found is None else found.to,
        level=None if found is None else found.level,
        sentence=sentences.suspicion(guarantee, jobs).text,
    )


def _promise(guarantee: Guarantee, said: sentences.Sentence) -> PromiseStatement:
    return PromiseStatement.model_validate({**losses(guarantee), "sentence": said.text})
