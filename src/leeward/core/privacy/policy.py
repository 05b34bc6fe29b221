"""What is protected: which two databases of one workplace cell a release must not tell apart.

Two databases are neighbours in both directions; equal ones are not neighbours. Every policy is
asked with an α, which those without one do not use. Where databases have pay, jobs that are in
both keep it, except under `proportional`: joiners and leavers may have any pay from 0 to the cap.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import compress, product
from typing import ClassVar, Literal, Protocol, TypeAlias, cast, get_args

from leeward.core.errors import InvalidParameter, did_you_mean, shown
from leeward.core.exact import Number, positive, rational
from leeward.core.privacy.workforces import Database, added, changed, contained

Unit: TypeAlias = Literal["establishment", "employer"]
"""What a policy with an α protects: one establishment, or an employer's part.

An employer's part in a workplace cell is all its establishments there. Databases of that unit have
one workforce for each part.
"""

UNITS: tuple[Unit, ...] = get_args(Unit)


class Neighbours(Protocol):
    """A symmetric relation between databases: a policy, raises alone, or a policy graph."""

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether the two databases are neighbours."""


@dataclass(frozen=True, slots=True)
class WorkerOnly:
    """Protects one job: whether this person works here (edge differential privacy).

    Neighbours: exactly one job differs. The size of a large establishment is not protected.

    Examples
    --------
    >>> leeward.Guarantee("worker", None, 1).policy
    WorkerOnly()
    """

    name: ClassVar[str] = "worker"
    uses_alpha: ClassVar[bool] = False

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one job was added or removed."""
        pair = contained(left, right)
        return pair is not None and pair[1].size == pair[0].size + 1


@dataclass(frozen=True, slots=True)
class Person:
    """Protects a person with the entire history: all rows of the person that count.

    Neighbours: rows of one person are added or removed, at any establishments, of any kinds and in
    any periods (person.proof.md). Databases do not say whose a row is, so that any rows may be one
    person's; how many of them count is limited by the plan. Employers are not protected.

    Examples
    --------
    >>> leeward.Guarantee("person", None, 4).implies(leeward.Guarantee("worker", None, 4))
    True
    """

    name: ClassVar[str] = "person"
    uses_alpha: ClassVar[bool] = False

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether rows were added to one of the two, and none was taken from it."""
        return added(left, right)


@dataclass(frozen=True, slots=True)
class EstablishmentRemoval:
    """Protects a whole establishment: whether it has any workers (node differential privacy).

    Neighbours: one of the two workforces is empty, whatever the size of the other.

    Examples
    --------
    >>> leeward.Guarantee("establishment", None, 1).policy
    EstablishmentRemoval()
    """

    name: ClassVar[str] = "establishment"
    uses_alpha: ClassVar[bool] = False

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one workforce is empty and the other is not."""
        pair = contained(left, right)
        return pair is not None and pair[0].size == 0


@dataclass(frozen=True, slots=True)
class Growing:
    """A policy with an α: it has Δ and a unit."""

    name: ClassVar[str]
    uses_alpha: ClassVar[bool] = True

    plus: int = 1
    unit: Unit = "establishment"


@dataclass(frozen=True, slots=True)
class StrongAlpha(Growing):
    """Protects every job, and the size of an establishment within 1+α, whoever joins or leaves.

    Neighbours ([H16] Def 7.1, where Δ is 1): E ⊆ E' and |E'| ≤ max((1+α)|E|, |E|+Δ).

    Parameters
    ----------
    plus
        Δ, the number of jobs within which a small establishment is hidden.
    unit
        What E is: ``"establishment"``, or ``"employer"``, its establishments in one cell together.

    Examples
    --------
    >>> strong = leeward.Guarantee("strong", "0.1", 1)
    >>> strong.policy
    StrongAlpha(plus=1, unit='establishment')
    >>> strong.implies(leeward.Guarantee("worker", None, 1))
    True
    """

    name: ClassVar[str] = "strong"

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and is larger by at most α or Δ jobs."""
        growth = given_alpha(self.name, alpha)
        pair = contained(left, right)
        return pair is not None and within_growth(pair[0].size, pair[1].size, growth, self.plus)


@dataclass(frozen=True, slots=True)
class WeakAlpha(Growing):
    """Protects every job, and an establishment whose kinds of workers all grow within 1+α.

    Neighbours ([H16] Def 7.3, corrected): E ⊆ E' and, for every union φ of cells of the
    declared worker attributes, φ(E') ≤ max((1+α)φ(E), φ(E)+Δ).

    Parameters
    ----------
    plus
        Δ, the number of jobs within which a small establishment is hidden.
    unit
        What E is: ``"establishment"``, or ``"employer"``, its establishments in one cell together.

    Examples
    --------
    >>> weak = leeward.Guarantee("weak", "0.1", 1)
    >>> weak.policy
    WeakAlpha(plus=1, unit='establishment')
    >>> weak.implies(leeward.Guarantee("strong", "0.1", 1))
    False
    """

    name: ClassVar[str] = "weak"

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and every union of kinds is within α or Δ jobs."""
        growth = given_alpha(self.name, alpha)
        if left.cap is not None:
            raise InvalidParameter.meaningless(
                "cap",
                f"under the {self.name} policy, which is not defined for pay",
                value="databases with pay",
                next_step="Leave pay out, or choose the strong policy.",
            )
        pair = contained(left, right)
        if pair is None:
            return False
        small, large = pair[0].jobs, pair[1].jobs
        # All 2^d unions (the empty one is always within): kinds of workers, never identities,
        # which would collapse the policy to one job (composition.proof.md).
        chosen = product((False, True), repeat=len(small))
        sizes = ((sum(compress(small, phi)), sum(compress(large, phi))) for phi in chosen)
        return all(within_growth(few, many, growth, self.plus) for few, many in sizes)


@dataclass(frozen=True, slots=True)
class ProportionalAlpha(Growing):
    """Protects every job and its pay, and size and payroll of an establishment within 1+α.

    Neighbours (mathematics/policies.md 3): no job leaves, no pay of those who stay falls,
    |E'| ≤ max((1+α)|E|, |E|+Δ) and P' ≤ max((1+α)P, P + Δ·cap), P the payroll. Many joiners at
    the cap, one strong step, may be several steps here. Of databases without pay the neighbours
    are those of the strong policy: it is what these neighbours look like.

    Parameters
    ----------
    plus
        Δ, the number of jobs, each at the cap, within which a small establishment is hidden.
    unit
        What E is: ``"establishment"``, or ``"employer"``, its establishments in one cell together.

    Examples
    --------
    >>> proportional = leeward.Guarantee("proportional", "0.1", 1)
    >>> proportional.policy
    ProportionalAlpha(plus=1, unit='establishment')
    >>> proportional.implies(leeward.Guarantee("worker", None, 1))
    True
    >>> proportional.implies(leeward.Guarantee("strong", "0.1", 1))
    False
    """

    name: ClassVar[str] = "proportional"

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one has grown from the other, in size and in payroll, by at most α or Δ."""
        growth = given_alpha(self.name, alpha)
        forces = changed(left, right)
        if forces is None:
            return False
        small, large = sorted(forces, key=lambda force: (force.size, force.payroll))
        additional = self.plus * (left.cap or 0)
        return (
            small.rises_to(large)
            and within_growth(small.size, large.size, growth, self.plus)
            and within_growth(small.payroll, large.payroll, growth, additional)
        )


Policy: TypeAlias = (
    WorkerOnly | Person | EstablishmentRemoval | StrongAlpha | WeakAlpha | ProportionalAlpha
)

POLICIES: dict[str, Policy] = {
    known.name: known
    for known in (
        *(WorkerOnly(), Person(), EstablishmentRemoval()),
        *(StrongAlpha(), WeakAlpha(), ProportionalAlpha()),
    )
}


def policy(wanted: str | Policy) -> Policy:
    """The policy of this name; a policy stays as it is."""
    if isinstance(wanted, Policy):
        return wanted
    written = wanted.lower() if isinstance(cast(object, wanted), str) else ""
    if written and wanted in POLICIES:
        return POLICIES[wanted]
    hint = did_you_mean(written, POLICIES, "Write one of these names.")
    raise InvalidParameter.unknown("policy", wanted, POLICIES, next_step=hint)


def read_alpha(wanted: Policy, alpha: Number | None) -> Fraction | None:
    """α as an exact number where the policy has one; refused where it has none."""
    if wanted.uses_alpha:
        return given_alpha(wanted.name, alpha)
    if alpha is not None:
        raise InvalidParameter.meaningless(
            "alpha",
            f"under the {wanted.name} policy",
            value=alpha,
            next_step="Leave alpha out, or choose the strong or the weak policy.",
        )
    return None


def given_alpha(name: str, alpha: Number | None) -> Fraction:
    """α as an exact number; refused where the policy of this name lacks it."""
    if alpha is None:
        raise InvalidParameter.missing(
            "alpha",
            where=f"under the {name} policy",
            value=alpha,
            next_step="Give the protected growth of an establishment, such as alpha='0.1'.",
        )
    return positive(alpha, "alpha")


def with_plus(wanted: Policy, plus: Number | None) -> Policy:
    """The policy with this Δ; None leaves it as it is. Refused where the policy has none."""
    if plus is None:
        return wanted
    growing = _growing(wanted, "plus", plus)
    jobs = rational(plus, "plus")
    if jobs.denominator != 1 or not 1 <= jobs <= MOST_PLUS:
        raise InvalidParameter(
            "plus",
            rule=f"must be a whole number of jobs from 1 to {MOST_PLUS}",
            value=shown(plus),
            next_step="Give the number of jobs within which small establishments are hidden, "
            "such as 5.",
        )
    return replace(growing, plus=int(jobs))


def with_unit(wanted: Policy, unit: str | None) -> Policy:
    """The policy with this unit; None leaves it as it is. Refused where the policy has none."""
    if unit is None:
        return wanted
    growing = _growing(wanted, "unit", unit)
    for known in UNITS:
        if unit == known:
            return replace(growing, unit=known)
    raise InvalidParameter(
        "unit",
        rule=f"must be {' or '.join(UNITS)}",
        value=shown(unit),
        next_step="Write employer to protect all establishments of an employer in a workplace "
        "cell as one, or leave unit out.",
    )


def _growing(
    wanted: Policy, parameter: str, value: object
) -> StrongAlpha | WeakAlpha | ProportionalAlpha:
    if isinstance(wanted, Growing):
        return wanted
    raise InvalidParameter.meaningless(
        parameter,
        f"under the {wanted.name} policy",
        value=shown(value),
        next_step=f"Leave {parameter} out, or choose the strong or the weak policy.",
    )


def plus_of(protected: Policy) -> int | None:
    """Δ, or None under a policy that has none."""
    return protected.plus if isinstance(protected, Growing) else None


def unit_of(protected: Policy) -> Unit | None:
    """The unit, or None under a policy that has none."""
    return protected.unit if isinstance(protected, Growing) else None


def within_growth(small: int, large: int, alpha: Fraction, plus: int = 1) -> bool:
    """large ≤ max((1+α)·small, small + Δ)."""
    # Erratum of [H16] Def 7.3: printed as max((1+α)φ, 1); with φ ≥ 1 and αφ < 1 no worker could
    # join.
    return large <= (1 + alpha) * small or large <= small + plus


MOST_PLUS = 10_000
"""Maximum of Δ in jobs."""
