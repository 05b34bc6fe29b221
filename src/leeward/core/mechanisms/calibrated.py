"""Calibrated: what all mechanisms of a table have in common, and what they may claim.

A guarantee may be claimed if the proof covers it, or if it follows from what the proof covers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, Self, TypeAlias

from leeward.core.codebook.cells import Margins
from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import CellNoise, Integers
from leeward.core.privacy import Guarantee, Policy, ProportionalAlpha, StrongAlpha, policy
from leeward.core.privacy.policy import unit_of, with_unit
from leeward.core.privacy.steps import Growth, steps_from

if TYPE_CHECKING:
    from leeward.core.mechanisms.measurement import Measurement

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


JobLoss: TypeAlias = tuple[Fraction, Fraction]
"""ε and ρ that one job costs at most."""

Origin: TypeAlias = Literal["ours", "paper", "baseline"]
"""Where a mechanism comes from, as comparisons group them."""


@dataclass(frozen=True)
class Words:
    """How a mechanism is named and explained to readers.

    `bias` is a warning, or None; `allowance` says what intervals do about it, where a table has
    some.
    """

    label: str
    noise: str
    bias: str | None = None
    allowance: str | None = None


class Mechanism(ABC):
    """A calibrated mechanism: frozen, with a proof beside it."""

    name: ClassVar[str]
    words: ClassVar[Words]
    claims: ClassVar[Claims]
    origin: ClassVar[Origin] = "ours"
    counted: ClassVar[bool] = True
    """Whether what it releases are counts."""

    in_plans: ClassVar[bool] = True
    """Whether a plan may name it."""

    free_margins: ClassVar[bool] = False
    """Whether its scale is public or follows from what is released, so that margins are free."""

    spends_delta: ClassVar[bool] = False
    """Whether it needs a δ above 0."""

    gaussian: ClassVar[bool] = False
    """Whether it has a form with Gaussian noise (`noise="gaussian"`) whose price is given as ρ.

    The margins of that form are free.
    """

    follows_counts: ClassVar[bool] = False
    """Whether its noise grows with the count itself, not with the largest establishment."""

    parameters: Parameters
    """What it was calibrated for."""

    @property
    @abstractmethod
    def usual_table(self) -> str:
        """The kind of table that its guarantee is about where none is named."""

    @property
    def proved(self) -> Claims:
        """What the proof covers with these numbers."""
        return self.claims

    def price(self) -> Guarantee:
        """What one release costs, under the policy that the proof starts from."""
        p = self.parameters
        return Guarantee(p.policy, p.growth, p.epsilon)

    def one_job(self) -> JobLoss:
        """What one job more at one establishment costs at most: one job is one step at most."""
        return self.parameters.epsilon, Fraction(0)

    def job_at(self, least: Fraction) -> JobLoss:
        """The least that one job could cost with this floor: what a cap is compared with."""
        return self.at_floor(least).one_job()

    def at_floor(self, least: Fraction) -> Self:
        """The same with another floor, to ask what one job costs there; never to release."""
        return replace(self, parameters=replace(self.parameters, least=least))  # type: ignore[type-var] # all are dataclasses

    def loss(self, small: int, large: int) -> Fraction:
        """The most that a release loses between two sizes of an establishment, in its currency.

        Whoever joins: as many jobs one by one, or as many steps where the strong policy is proved.
        """
        price, jobs = self.price(), large - small
        pure = price.currency == "epsilon"
        by_job = self.one_job()[0] * jobs if pure else self.one_job()[1] * jobs * jobs
        if StrongAlpha() not in self.proved.get(self.usual_table, ()):
            return by_job
        step = Growth(self.parameters.growth, int(self.parameters.least))
        steps = steps_from(small, step, Growth(Fraction(0), jobs))
        return min(by_job, price.amount * (steps if pure else steps * steps))

    def guarantee(self, policy: Policy | str, *, table: str | None = None) -> Guarantee:
        """The guarantee of releasing all cells of a table; rejects what is not proved.

        `table` is a kind of `TABLES`.
        """
        kind = self.usual_table if table is None else table
        price = self.price().with_job(*self.one_job())
        return claim(self.name, self.proved, price, policy, kind)

    @abstractmethod
    def measurement(self, *, by_cell: bool, margins: "MarginRule") -> "Measurement":
        """This mechanism on a table."""


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
            epsilon_job=price.epsilon_job if proved.uses_alpha else None,
            rho_job=price.rho_job if proved.uses_alpha else None,
        )
        if proved.name == goal.name and (wanted == goal.name or goal == proven.policy):
            return proven
        # The policies that follow; weak is not defined for pay.
        implied = goal.name in FOLLOWS.get(proved.name, ())
        if proved.name == goal.name or (implied and (goal.name != "weak" or table in COUNTS)):
            return proven.weaken(policy=wanted)
    proofs = ", ".join(f"'{proof.name}'" for proof in _proofs(claims, table)) or "no policy"
    raise NotCovered(
        "policy",
        rule=f"{name} on a {table} table is proved for {proofs} only",
        value=f"'{goal.name}'",
        next_step=_advice(goal, table),
    )


def _proofs(claims: Claims, table: str) -> tuple[Policy, ...]:
    """What is proved; on counts that read no pay, of proportional what is proved of strong.

    Such a table sees a proportional step as a strong one, or as none (Lemma P 6). That it reads no
    pay is required where a table is at hand: by `registry.candidates` and
    `table_measurement.measurement`.
    """
    proofs = tuple(claims.get(table, ()))
    return (*proofs, ProportionalAlpha()) if table in COUNTS and StrongAlpha() in proofs else proofs


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


MarginMethod: TypeAlias = Literal["none", "public", "spent", "free"]


class MarginRule(Protocol):
    """How a table gets its margins, and what of its ε pays for them."""

    note: ClassVar[str]
    ends: ClassVar[bool]
    """Whether intervals may reach farther on one side: `low` and `high` in place of `margin`."""

    @property
    def method(self) -> MarginMethod:
        """Where they come from."""

    @property
    def coverage(self) -> Fraction | None:
        """The share of cells that margins cover; None where there are none."""

    @property
    def epsilon(self) -> Fraction:
        """What the margins of all worker cells cost together."""

    @property
    def epsilon_job(self) -> Fraction:
        """What one job costs."""

    def released(
        self, mechanism: "PublicScale", values: Integers, largest: Integers, noise: Noise
    ) -> Margins:
        """Margins of released values; only bought ones look at the largest establishments."""

    def typical(self, mechanism: "PublicScale", size: int) -> int | None:
        """The margin of a cell of this size if the noise of its scale were zero."""

    def noise(self, mechanism: "PublicScale") -> CellNoise | None:
        """The noise of a cell as it follows from its margin; None where there are no margins."""


class PublicScale(Protocol):
    """A mechanism whose margins follow from what it releases."""

    @property
    def parameters(self) -> Parameters:
        """What the mechanism was calibrated for."""

    @property
    def lean(self) -> float:
        """The most that rounding moves the mean of the noise by, over all sizes."""

    def public_noise(self) -> CellNoise:
        """The noise of a cell as it follows from its margin."""

    def public_margins(self, values: Integers, coverage: Fraction) -> Integers:
        """Margins of released values that hold with this probability, from public numbers."""
