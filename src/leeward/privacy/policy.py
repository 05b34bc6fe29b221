"""What is protected: which two databases of one workplace cell a release must not tell apart.

Two databases are neighbours in both directions; equal ones are not neighbours. Where databases
have pay, jobs that are in both keep it: joiners and leavers may have any pay.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import product
from typing import ClassVar, Protocol, TypeAlias, cast

from leeward.errors import InvalidParameter, shown
from leeward.exact import Number, positive
from leeward.privacy.database import Counts, Database, contained


class Neighbours(Protocol):
    """A symmetric relation between databases: a policy of plans, one for pay, or a policy graph."""

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether the two databases are neighbours."""


@dataclass(frozen=True, slots=True)
class WorkerOnly:
    """Protects one job: whether this person works here (edge differential privacy).

    Neighbours: exactly one job differs. The size of a large establishment is not protected.
    """

    name: ClassVar[str] = "worker"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        left: Database,
        right: Database,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one job was added or removed."""
        pair = contained(left, right)
        return pair is not None and pair[1].size == pair[0].size + 1


@dataclass(frozen=True, slots=True)
class EstablishmentRemoval:
    """Protects a whole establishment: whether it has any workers (node differential privacy).

    Neighbours: one of the two workforces is empty, whatever the size of the other.
    """

    name: ClassVar[str] = "establishment"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        left: Database,
        right: Database,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one workforce is empty and the other is not."""
        pair = contained(left, right)
        return pair is not None and pair[0].size == 0


@dataclass(frozen=True, slots=True)
class StrongAlpha:
    """Protects every job, and the size of an establishment within 1+α, whoever joins or leaves.

    Neighbours ([H16] Def 7.1): E ⊆ E' and |E'| ≤ max((1+α)|E|, |E|+1).
    """

    name: ClassVar[str] = "strong"
    uses_alpha: ClassVar[bool] = True

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and is larger by at most α or one job."""
        growth = given_alpha(self.name, alpha)
        pair = contained(left, right)
        return pair is not None and within_growth(pair[0].size, pair[1].size, growth)


@dataclass(frozen=True, slots=True)
class WeakAlpha:
    """Protects every job, and an establishment whose kinds of workers all grow within 1+α.

    Neighbours ([H16] Def 7.3, corrected): E ⊆ E' and, for every union φ of cells of the
    declared worker attributes, φ(E') ≤ max((1+α)φ(E), φ(E)+1).
    """

    name: ClassVar[str] = "weak"
    uses_alpha: ClassVar[bool] = True

    def admits(self, left: Database, right: Database, alpha: Fraction | None = None) -> bool:
        """Whether one contains the other and every union of kinds is within α or one job."""
        growth = given_alpha(self.name, alpha)
        if left.cap is not None:
            raise _no_pay(self.name)
        pair = contained(left, right)
        if pair is None:
            return False
        small, large = pair[0].jobs, pair[1].jobs
        # All 2^d unions (the empty one is always within): kinds of workers, never identities,
        # which would collapse the policy to one job (composition.proof.md).
        chosen = product((False, True), repeat=len(small))
        return all(within_growth(_jobs(small, phi), _jobs(large, phi), growth) for phi in chosen)


Policy: TypeAlias = WorkerOnly | EstablishmentRemoval | StrongAlpha | WeakAlpha

POLICIES: dict[str, Policy] = {
    known.name: known
    for known in (WorkerOnly(), EstablishmentRemoval(), StrongAlpha(), WeakAlpha())
}


def policy(wanted: str | Policy) -> Policy:
    """The policy of this name; a policy stays as it is."""
    if isinstance(wanted, Policy):
        return wanted
    written = wanted.lower() if isinstance(cast(object, wanted), str) else ""
    if written and wanted in POLICIES:
        return POLICIES[wanted]
    nearest = get_close_matches(written, POLICIES, n=1, cutoff=0.4)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else "Write one of these names."
    raise InvalidParameter(
        "policy", rule=f"must be one of {', '.join(POLICIES)}", value=shown(wanted), next_step=hint
    )


def read_alpha(wanted: Policy, alpha: Number | None) -> Fraction | None:
    """α as an exact number where the policy has one; refused where it has none."""
    if wanted.uses_alpha:
        return given_alpha(wanted.name, alpha)
    if alpha is not None:
        raise InvalidParameter(
            "alpha",
            rule=f"has no meaning under the {wanted.name} policy",
            value=alpha,
            next_step="Leave alpha out, or choose the strong or the weak policy.",
        )
    return None


def given_alpha(name: str, alpha: Number | None) -> Fraction:
    """α as an exact number; refused where the policy of this name lacks it."""
    if alpha is None:
        raise InvalidParameter(
            "alpha",
            rule=f"must be given under the {name} policy",
            value=alpha,
            next_step="Give the protected growth of an establishment, such as alpha='0.1'.",
        )
    return positive(alpha, "alpha")


def _jobs(jobs: Counts, phi: tuple[bool, ...]) -> int:
    return sum(count for count, inside in zip(jobs, phi, strict=True) if inside)


def within_growth(small: int, large: int, alpha: Fraction) -> bool:
    """large ≤ max((1+α)·small, small + 1)."""
    # Erratum of [H16] Def 7.3: printed as max((1+α)φ, 1); with φ ≥ 1 and αφ < 1 no worker could
    # join.
    return large <= (1 + alpha) * small or large <= small + 1


def _no_pay(name: str) -> InvalidParameter:
    return InvalidParameter(
        "cap",
        rule=f"has no meaning under the {name} policy, which is not defined for pay",
        value="databases with pay",
        next_step="Leave pay out, or choose the strong policy.",
    )
