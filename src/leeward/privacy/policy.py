"""What is protected: which two workforces of one establishment a release must not tell apart.

A workforce is a tuple of jobs per kind of worker (one kind = one cell of the declared worker
attributes). The frame of establishments is public: an establishment with zero jobs remains in
it, so workforces of different establishments never mix and "gone" is the workforce of zeros.
Two workforces are neighbours in both directions; equal ones are not neighbours.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import product
from typing import ClassVar, TypeAlias, cast

from leeward.errors import InvalidParameter, shown
from leeward.exact import Number, positive

Workforce: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WorkerOnly:
    """Protects one job: whether this person works here (edge differential privacy).

    Neighbours: exactly one job differs. The size of a large establishment is not protected.
    """

    name: ClassVar[str] = "worker"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        before: Workforce,
        after: Workforce,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one job was added or removed."""
        pair = _smaller_first(before, after)
        return pair is not None and sum(pair[1]) == sum(pair[0]) + 1


@dataclass(frozen=True, slots=True)
class EstablishmentRemoval:
    """Protects a whole establishment: whether it has any workers (node differential privacy).

    Neighbours: one of the two workforces is empty, whatever the size of the other.
    """

    name: ClassVar[str] = "establishment"
    uses_alpha: ClassVar[bool] = False

    def admits(
        self,
        before: Workforce,
        after: Workforce,
        alpha: Fraction | None = None,  # not used: one call for all policies
    ) -> bool:
        """Whether one workforce is empty and the other is not."""
        pair = _smaller_first(before, after)
        return pair is not None and not any(pair[0])


@dataclass(frozen=True, slots=True)
class StrongAlpha:
    """Protects every job, and the size of an establishment within 1+α, whoever joins or leaves.

    Neighbours ([H16] Def 7.1): E ⊆ E' and |E'| ≤ max((1+α)|E|, |E|+1).
    """

    name: ClassVar[str] = "strong"
    uses_alpha: ClassVar[bool] = True

    def admits(self, before: Workforce, after: Workforce, alpha: Fraction | None) -> bool:
        """Whether one contains the other and is larger by at most α or one job."""
        growth = _given_alpha(self, alpha)
        pair = _smaller_first(before, after)
        return pair is not None and _within(sum(pair[0]), sum(pair[1]), growth)


@dataclass(frozen=True, slots=True)
class WeakAlpha:
    """Protects every job, and an establishment whose kinds of workers all grow within 1+α.

    Neighbours ([H16] Def 7.3, corrected): E ⊆ E' and, for every union φ of cells of the
    declared worker attributes, φ(E') ≤ max((1+α)φ(E), φ(E)+1).
    """

    name: ClassVar[str] = "weak"
    uses_alpha: ClassVar[bool] = True

    def admits(self, before: Workforce, after: Workforce, alpha: Fraction | None) -> bool:
        """Whether one contains the other and every union of kinds is within α or one job."""
        growth = _given_alpha(self, alpha)
        pair = _smaller_first(before, after)
        if pair is None:
            return False
        # All 2^d unions (the empty one is always within): kinds of workers, never identities,
        # which would collapse the policy to one job (composition.proof.md).
        chosen = product((False, True), repeat=len(before))
        return all(_within(_jobs(pair[0], phi), _jobs(pair[1], phi), growth) for phi in chosen)


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
        return _given_alpha(wanted, alpha)
    if alpha is not None:
        raise InvalidParameter(
            "alpha",
            rule=f"has no meaning under the {wanted.name} policy",
            value=alpha,
            next_step="Leave alpha out, or choose the strong or the weak policy.",
        )
    return None


def _given_alpha(wanted: Policy, alpha: Number | None) -> Fraction:
    if alpha is None:
        raise InvalidParameter(
            "alpha",
            rule=f"must be given under the {wanted.name} policy",
            value=alpha,
            next_step="Give the protected growth of an establishment, such as alpha='0.1'.",
        )
    return positive(alpha, "alpha")


def _smaller_first(before: Workforce, after: Workforce) -> tuple[Workforce, Workforce] | None:
    """The pair with the contained workforce first; None if equal or neither contains the other."""
    _check_kinds(before, after)
    if before == after:
        return None
    small, large = sorted((before, after), key=sum)
    contained = all(few <= many for few, many in zip(small, large, strict=True))
    return (small, large) if contained else None


def _check_kinds(before: Workforce, after: Workforce) -> None:
    # The counts themselves are confidential and stay out of the messages.
    if len(before) != len(after):
        raise InvalidParameter(
            "after",
            rule="must have as many kinds of workers as before",
            value=f"{len(after)} kinds against {len(before)}",
            next_step="Write a zero for a kind that has no jobs.",
        )
    if any(count < 0 for count in (*before, *after)):
        raise InvalidParameter(
            "before, after",
            rule="must be counts of at least 0",
            value="a count below 0",
            next_step="Count the jobs of each kind of worker.",
        )


def _jobs(workforce: Workforce, phi: tuple[bool, ...]) -> int:
    return sum(count for count, inside in zip(workforce, phi, strict=True) if inside)


def _within(small: int, large: int, alpha: Fraction) -> bool:
    # Erratum of [H16] Def 7.3: printed as max((1+α)φ, 1); with φ ≥ 1 and αφ < 1 nobody could join.
    return large <= (1 + alpha) * small or large <= small + 1
