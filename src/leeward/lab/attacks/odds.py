"""Odds: three requirements of law, before and after a release.

Two hypotheses are as likely as each other: that an employee works here, that an establishment has
this size and not one a tenth larger, that half of its workers are women and not 55 %. The attacker
reads what is published and compares how likely it was under each. The logarithm of that ratio, the
Bayes factor, is what he learned; it is infinite where an output rules one hypothesis out.

Whatever he believed before, the requirements of Haney et al. (2017, section 4) ask that no output
moves him by more than ε.
"""

from dataclasses import asdict
from fractions import Fraction
from math import exp

from leeward.core.codebook import EveryJob
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import positive
from leeward.core.privacy.odds_of_suspicion import suspicion
from leeward.core.show.numbers import percent, significant
from leeward.core.show.plots import Look, Needle, Needles, Shares
from leeward.lab.attacks.evidence import (
    Evidence,
    Hypotheses,
    block,
    factor_known,
    infusion,
    integers,
    noised,
)
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import additive
from leeward.lab.attacks.world import at_least_one

EPSILONS = ("1", "2", "4")
"""The ε of the needles."""


SURE = 0.999
"""A share below 1 that is not rounded to it."""


LEAST, MOST = 20, 10**6
"""Sizes between which shares of a tenth are whole numbers of jobs, and a table fits memory."""


@finds("odds")
def attack(
    *, epsilon: str = "1", alpha: str = "0.1", size: int = 100, draws: int = 100_000
) -> AttackFinding:
    """The three requirements under infusion, edge privacy and Leeward.

    `draws` of a release of Leeward are behind the quantiles of the shape, all else is computed.
    """
    at_least_one(draws=draws)
    cases = hypotheses(size, positive(alpha, "alpha"))
    infused = {name: infusion(pair) for name, pair in cases.items()}
    edge = {name: noised(pair, "edge_laplace", epsilon) for name, pair in cases.items()}
    prices = dict.fromkeys((epsilon, *EPSILONS[:2]))
    ours = {price: leeward(cases, alpha, price, draws) for price in prices}
    grown = f"size, {size} v {cases[SIZE][1][0]}"
    largest = max(our.most or 0.0 for our in ours[epsilon].values())
    table = {
        name: {
            "hypotheses": [list(cells) for cells in cases[name]],
            "infusion": asdict(infused[name]),
            "infusion_integers": asdict(integers(cases[name])),
            "edge": asdict(edge[name]),
            **{f"leeward_{price}": asdict(ours[price][name]) for price in ours},
        }
        for name in cases
    }
    known = factor_known(cases[EMPLOYEE])
    slope = additive("slope", alpha=alpha, epsilon=epsilon)
    promise = slope.guarantee("strong", table="workplace")
    return AttackFinding(
        title="Three requirements of law, before and after a release",
        number=infused[SIZE].ruled_out,
        sentence=f"Under noise infusion {percent(infused[SIZE].ruled_out)} of all outputs rule one "
        f"of two sizes out ({grown}), and {percent(infused[SHAPE].ruled_out)} one of two shapes; "
        f"under edge privacy at ε = {epsilon} an output speaks for one of two sizes with a Bayes "
        f"factor of e to the {significant(edge[SIZE].most)}.",
        against_leeward=Against(
            largest,
            f"Under Leeward at α = {alpha}, ε = {epsilon} the largest logarithm of a Bayes factor, "
            f"over all outputs and all three, is {largest:.3f}. "
            f"{suspicion(promise, EveryJob()).text}",
            text=f"{largest:.3f}",
        ),
        against_nothing=Against(0.0, "With no release both stay as likely as they were.", text="0"),
        pictures=_pictures(infused, edge, alpha, (epsilon, cases[SIZE])),
        remarks=_remarks(cases, ours[epsilon], known, (alpha, epsilon)),
        further={"table": table, "factor_known": known},
    )


EMPLOYEE, SIZE, LARGE, SHAPE = "employee", "size", "large", "shape"


def hypotheses(size: int, alpha: Fraction) -> dict[str, Hypotheses]:
    """One employee more, α times as many jobs more, the same of a large one, and shares."""
    grown, moved = int(size * (1 + alpha)), int(size // 2 * alpha)
    if not LEAST <= size <= MOST or moved < 1 or alpha > 1:
        raise InvalidParameter(
            "size, alpha",
            rule=f"must be a whole number from {LEAST} to {MOST:,}, and a share up to 1 of which "
            "half of the size makes one job or more",
            value=f"{shown(size)}, {shown(str(alpha))}",
            next_step="Give for example size=100 and alpha=0.1.",
        )
    half = size // 2
    return {
        EMPLOYEE: ((size,), (size + 1,)),
        SIZE: ((size,), (grown,)),
        LARGE: ((10 * size,), (int(10 * size * (1 + alpha)),)),
        SHAPE: ((half, size - half), (half + moved, size - half - moved)),
    }


def leeward(
    cases: dict[str, Hypotheses], alpha: str, epsilon: str, draws: int
) -> dict[str, Evidence]:
    """What a release says: the default of workplace tables, and of shapes that of whole blocks."""
    evidence = {
        name: noised(pair, "slope", epsilon, alpha) for name, pair in cases.items() if name != SHAPE
    }
    return {**evidence, SHAPE: block(cases[SHAPE], alpha, epsilon, draws)}


def posterior(log: float | None) -> float:
    """What even odds become; 1 where one hypothesis is ruled out."""
    return 1.0 if log is None else 1 / (1 + exp(-log))


def _pictures(
    infused: dict[str, Evidence],
    edge: dict[str, Evidence],
    alpha: str,
    at: tuple[str, Hypotheses],
) -> tuple[Needles, Shares]:
    epsilon, sizes = at
    (first,), (second,) = sizes
    prices = dict.fromkeys((*EPSILONS, epsilon))
    ours = {price: noised(sizes, "slope", price, alpha) for price in prices}
    needles = (
        _needle("infusion", infused[SIZE], "theirs"),
        _needle(f"edge, ε {epsilon}", edge[SIZE], "theirs"),
        *(_needle(f"Leeward, ε {price}", evidence, "ours") for price, evidence in ours.items()),
        Needle("no release", 0.5, percent(0.5), "nothing"),
    )
    return (
        Needles(f"How sure one may become that there are {first} jobs and not {second}", needles),
        Shares(
            "Outputs that rule one hypothesis out: none of Leeward's does",
            (
                *(bar(f"infusion, {name}", each.ruled_out) for name, each in infused.items()),
                bar("Leeward, all of them", 0.0, "ours"),
            ),
            1.0,
        ),
    )


def _needle(label: str, evidence: Evidence, look: Look) -> Needle:
    sure = posterior(evidence.most)
    shown = percent(sure) if evidence.most is None or sure < SURE else f"over {percent(SURE)}"
    return Needle(label, sure, shown, look)


def _remarks(
    cases: dict[str, Hypotheses],
    ours: dict[str, Evidence],
    known: float,
    price: tuple[str, str],
) -> tuple[str, ...]:
    alpha, epsilon = price
    size = cases[EMPLOYEE][0][0]
    moved = cases[SHAPE][1][0] - cases[SHAPE][0][0]
    return (
        f"One employee of {size} costs {ours[EMPLOYEE].most:.3f} of ε = {epsilon}: noise that is "
        f"made for {alpha} of all jobs is wide for one of them.",
        f"Shape: {moved} of {size} workers swapped at fixed size cost {ours[SHAPE].most:.3f}, "
        f"within ε and not 2ε: whole blocks move by {2 * moved} jobs in all, no farther than one "
        f"step of α = {alpha} moves them (first condition of the theorem of vector_pareto).",
        f"Infusion with a known factor tells one employee more in {percent(known)} of outputs in "
        "whole numbers, and in all of them unrounded.",
        "Edge privacy is made for one employee; sizes and shapes are many of them.",
    )
