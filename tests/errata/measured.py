"""Mechanisms of the texts, and what they lose between two databases, from exact masses."""

from fractions import Fraction

import leeward
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.privacy.workforces import Counts, Database
from leeward.lab.audit.exams import block_loss
from leeward.lab.audit.loss import pure_loss
from leeward.lab.audit.recording import released, released_block

ALPHA, EPSILON = Fraction(1, 10), Fraction(1)


def made(name: str, **options: object) -> Additive:
    """A mechanism at α = 0.1 and ε = 1, unless told otherwise."""
    built = leeward.mechanism(name, **{"alpha": ALPHA, "epsilon": EPSILON, **options})  # type: ignore[arg-type]
    assert isinstance(built, Additive)
    return built


def loss(mechanism: Additive, before: tuple[int, int], after: tuple[int, int]) -> float:
    """Between two cells, each a count and its largest establishment."""
    left, right = (released(mechanism, *state) for state in (before, after))
    return float(pure_loss(left, right, mechanism.parameters.epsilon).epsilon)


def alone(mechanism: Additive, before: int, after: int) -> float:
    """Between two sizes of an establishment that is alone in its cell."""
    return loss(mechanism, (before, before), (after, after))


def block_loss(mechanism: Additive, before: Counts, after: Counts) -> tuple[float, float]:
    """Between two make-ups of an establishment alone in its block: what is found, and its bound."""
    assert isinstance(mechanism, VectorPareto)
    left, right = (released_block(mechanism, Database.of(force)) for force in (before, after))
    found = block_loss(left, right, mechanism.parameters.epsilon)
    assert found.bound is not None
    return float(found.epsilon), float(found.bound)


def steps(before: int, after: int, alpha: Fraction = ALPHA) -> int:
    """How many times a size must grow by α, or by one, to become the other."""
    taken = 0
    while before < after:
        before, taken = max(int((1 + alpha) * before), before + 1), taken + 1
    return taken
