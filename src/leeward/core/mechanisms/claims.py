"""Which guarantee a mechanism may claim: what its proof covers, and what follows from that."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.privacy import Guarantee, Policy, ProportionalAlpha, StrongAlpha, policy
from leeward.core.privacy.policy import unit_of, with_unit

Claims: TypeAlias = Mapping[str, Sequence[Policy]]
"""The policies that a mechanism's proof covers, by kind of table."""

COUNTS = ("workplace", "worker", "joint", "gains")
"""A workplace table counts every job; anything with a worker part or a filter is a worker table.

Joint are the breakdowns of a product, which are released together. Gains and losses are of
establishments, each by its net change.
"""

PAY = ("pay", "worker_pay")
"""Tables of payrolls or means, of the first two of these kinds."""

TABLES = (*COUNTS, *PAY)

FOLLOWS = {"strong": ("weak", "worker"), "weak": ("worker",), "proportional": ("worker",)}
"""What each policy implies at the same ε (composition.proof.md)."""


def claim(
    name: str, claims: Claims, price: Guarantee, wanted: Policy | str, table: str
) -> Guarantee:
    """The price restated for the wanted policy, if the proof for this kind of table covers it."""
    if table not in TABLES:
        raise InvalidParameter.unknown(
            "table",
            table,
            TABLES,
            next_step="A table with a worker attribute or a filter on workers is a worker table.",
        )
    goal = policy(wanted)
    for proof in _proofs(claims, table):
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
        if proved.name == goal.name or goal.name in _implied(proved, table):
            return proven.weaken(policy=wanted)
    raise NotCovered(
        "policy",
        rule=f"{name} on a {table} table is proved for {_listed(_proofs(claims, table))} only",
        value=f"'{goal.name}'",
        next_step=_advice(goal, table),
    )


def _proofs(claims: Claims, table: str) -> tuple[Policy, ...]:
    """What is proved; on counts that read no pay, of proportional what is proved of strong.

    Such a table sees a proportional step as a strong one, or as none (Lemma P 6). That it reads no
    pay is looked at where a table is at hand (`choice.measurement`).
    """
    proofs = tuple(claims.get(table, ()))
    return (*proofs, ProportionalAlpha()) if table in COUNTS and StrongAlpha() in proofs else proofs


def _implied(proved: Policy, table: str) -> tuple[str, ...]:
    """The policies that follow; weak is not defined for pay."""
    names = FOLLOWS.get(proved.name, ())
    return tuple(name for name in names if name != "weak" or table in COUNTS)


def _listed(policies: Sequence[Policy]) -> str:
    return ", ".join(f"'{proved.name}'" for proved in policies) or "no policy"


def _advice(goal: Policy, table: str) -> str:
    if table in PAY:
        return {
            "strong": "Use pay_centred, pay_pareto or pay_clipped.",
            "proportional": "Use pay_pareto, pay_two_scales or pay_clipped; of all jobs also "
            "log_pair, of payrolls payroll_pareto or payroll_slope.",
            "worker": "Use edge_pay.",
        }.get(goal.name, "Plan tables of pay under strong, proportional or worker.")
    if table == "joint":
        return "Use joint_pareto or joint_clipped with an alpha, or tables of their own."
    if table == "gains" and goal.name != "establishment":
        return "Use vector_pareto or clipped with an alpha, or leave it out for auto."
    if goal.name in ("strong", "proportional") and table == "worker":
        return "Use vector_pareto or clipped, which are proved for whole blocks of worker cells."
    if goal.name == "establishment":
        return "Use node_laplace."
    return "Use slope for workplace tables, vector_pareto or clipped for worker tables."
