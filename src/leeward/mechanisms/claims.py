"""Which guarantee a mechanism may claim: what its proof covers, and what follows from that."""

from collections.abc import Sequence

from leeward.errors import InvalidParameter, NotCovered, shown
from leeward.mechanisms.measurement import Claims
from leeward.privacy import Guarantee, Policy, policy
from leeward.privacy.policy import unit_of, with_unit

TABLES = ("workplace", "worker", "joint")
"""A workplace table counts every job; anything with a worker part or a filter is a worker table.

Joint are the breakdowns of a product, which are released together.
"""


def claim(
    name: str, claims: Claims, price: Guarantee, wanted: Policy | str, table: str
) -> Guarantee:
    """The price restated for the wanted policy, if the proof for this kind of table covers it."""
    if table not in TABLES:
        raise InvalidParameter(
            "table",
            rule="must be 'workplace', 'worker' or 'joint'",
            value=shown(table),
            next_step="A table with a worker attribute or a filter on workers is a worker table.",
        )
    goal = policy(wanted)
    for proof in claims.get(table, ()):
        # Of employers' parts every proof holds word for word (composition.proof.md).
        proved = with_unit(proof, unit_of(goal)) if proof.uses_alpha else proof
        proven = Guarantee(
            proved,
            price.alpha if proved.uses_alpha else None,
            price.epsilon,
            price.delta,
            price.rho,
            plus=price.plus if proved.uses_alpha else None,
        )
        if proved.name == goal.name and (wanted == goal.name or goal == proven.policy):
            return proven
        if proved.name == goal.name or _follows(proved, goal):
            return proven.weaken(policy=wanted)
    raise NotCovered(
        "policy",
        rule=f"{name} on a {table} table is proved for {_listed(claims.get(table, ()))} only",
        value=f"'{goal.name}'",
        next_step=_advice(goal, table),
    )


def _follows(proved: Policy, goal: Policy) -> bool:
    """Strong implies weak, and both imply worker only, at the same ε (composition.proof.md)."""
    order = ("strong", "weak", "worker")
    if proved.name not in order or goal.name not in order:
        return False
    return order.index(proved.name) < order.index(goal.name)


def _listed(policies: Sequence[Policy]) -> str:
    return ", ".join(f"'{proved.name}'" for proved in policies) or "no policy"


def _advice(goal: Policy, table: str) -> str:
    if table == "joint":
        return "Use joint_pareto or joint_clipped under strong or weak, or tables of their own."
    if goal.name == "strong" and table == "worker":
        return "Use vector_pareto or clipped, which are proved for whole blocks of worker cells."
    if goal.name == "establishment":
        return "Use node_laplace."
    return "Use slope for workplace tables, vector_pareto or clipped for worker tables."
