"""Odds: three requirements of law, before and after a release.

Two hypotheses are as likely as each other: that an employee works here, that an establishment has
this size and not one a tenth larger, that half of its workers are women and not 55 %. The attacker
reads what is published and compares how likely it was under each. The logarithm of that ratio, the
Bayes factor, is what he learned; it is infinite where an output rules one hypothesis out.

Whatever he believed before, the requirements of Haney et al. (2017, section 4) ask that no output
moves him by more than ε.
"""

from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, isfinite
from typing import Any, cast

import numpy as np

from leeward.core.codebook import EveryJob
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.core.exact import positive
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.privacy.odds_of_suspicion import suspicion
from leeward.core.show.numbers import percent, significant
from leeward.core.show.plots import Look, Needle, Needles, Share, Shares
from leeward.lab.attacks.finding import Against, Finding
from leeward.lab.attacks.world import at_least_one
from leeward.lab.audit.loss import pure_loss, tail_bound
from leeward.lab.audit.outputs import Rounded
from leeward.lab.baselines.noise_infusion import Infusion

EPSILONS = ("1", "2", "4")
"""The ε of the needles."""

STEPS = 20_000
"""Factors of each side that stand for all."""

SURE = 0.999
"""A share below 1 that is not rounded to it."""

FAR = 40
"""Outputs are looked at up to so many times the scale of the noise, or ten times the change."""

LEAST, MOST = 20, 10**6
"""Sizes between which shares of a tenth are whole numbers of jobs, and a table fits memory."""


@dataclass(frozen=True)
class Evidence:
    """|ln Bayes factor| of outputs: median, 95 % point, largest; None where it is infinite.

    `ruled_out` is the share of outputs that rule one hypothesis out.
    """

    median: float | None
    high: float | None
    most: float | None
    ruled_out: float

    @classmethod
    def of(cls, logs: Floats, weights: Floats, *, most: float | None = None) -> "Evidence":
        """From its value at each output and how likely that output is; `most` if it is known."""
        order = np.argsort(logs)
        share = np.cumsum(weights[order]) / weights.sum()
        at = np.minimum(np.searchsorted(share, (0.5, 0.95)), logs.size - 1)
        largest = float(logs.max()) if most is None else most
        median, high = (min(float(one), largest) for one in logs[order][at])
        ruled_out = float(weights[np.isinf(logs)].sum() / weights.sum())
        return cls(_finite(median), _finite(high), _finite(largest), ruled_out)

    @property
    def text(self) -> str:
        """Its largest value, or how often it has none."""
        if self.ruled_out:
            return f"∞ in {percent(self.ruled_out)}"
        return significant(self.most)


Hypotheses = tuple[tuple[int, ...], tuple[int, ...]]
"""Worker cells of an establishment under each; outputs are those of the first."""


def attack(
    *, epsilon: str = "1", alpha: str = "0.1", size: int = 100, draws: int = 100_000
) -> Finding:
    """The three requirements under infusion, edge privacy and Leeward.

    `draws` of a release of Leeward are behind the quantiles of the shape, all else is computed.
    """
    at_least_one(draws=draws)
    asked = hypotheses(size, positive(alpha, "alpha"))
    infused = {name: infusion(one) for name, one in asked.items()}
    edge = {name: noised(one, "edge_laplace", epsilon) for name, one in asked.items()}
    prices = dict.fromkeys((epsilon, *EPSILONS[:2]))
    ours = {one: leeward(asked, alpha, one, draws) for one in prices}
    grown = f"size, {size} v {asked[SIZE][1][0]}"
    largest = max(one.most or 0.0 for one in ours[epsilon].values())
    table = {
        name: {
            "hypotheses": [list(one) for one in asked[name]],
            "infusion": asdict(infused[name]),
            "infusion_integers": asdict(integers(asked[name])),
            "edge": asdict(edge[name]),
            **{f"leeward_{price}": asdict(ours[price][name]) for price in ours},
        }
        for name in asked
    }
    known = factor_known(asked[EMPLOYEE])
    promise = _slope(alpha, epsilon).guarantee("strong", table="workplace")
    return Finding(
        attack="odds",
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
        parameters={"epsilon": epsilon, "alpha": alpha, "size": size, "draws": draws},
        pictures=_pictures(infused, edge, alpha, (epsilon, asked[SIZE])),
        remarks=_remarks(asked, ours[epsilon], known, (alpha, epsilon)),
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


def infusion(pair: Hypotheses) -> Evidence:
    """Unrounded: an output y of n jobs has the density g(y/n)/n of the ramp g.

    Several cells share one factor, so their ratio is exact: it rules every other one out.
    """
    (first, *rest), (second, *_) = pair
    noise = Infusion()
    factors, weights = _ramp(noise)
    if rest:
        return Evidence.of(np.full(1, inf), np.ones(1))
    other = factors * (first / second)
    with np.errstate(divide="ignore"):
        logs = np.abs(
            np.log(_height(noise, factors) / first) - np.log(_height(noise, other) / second)
        )
    return Evidence.of(logs, weights)


def _ramp(noise: Infusion) -> tuple[Floats, Floats]:
    """Factors in the middle of narrow steps, and what each step weighs."""
    edges = np.linspace(noise.lower, noise.upper, STEPS + 1)
    low, high = (
        np.concatenate([1 - edges[1:], 1 + edges[:-1]]),
        np.concatenate([1 - edges[:-1], 1 + edges[1:]]),
    )
    return (low + high) / 2, noise.below(high) - noise.below(low)


def _height(noise: Infusion, factors: Floats) -> Floats:
    """The ramp up to a constant factor; 0 outside."""
    far = np.abs(factors - 1)
    return np.where((far >= noise.lower) & (far <= noise.upper), noise.upper - far, 0.0)


def integers(pair: Hypotheses) -> Evidence:
    """The same of outputs that are rounded: exact masses of whole numbers."""
    noise = Infusion()
    true, other = (np.array(one, dtype=np.float64) for one in pair)
    factors, weights = _pieces(noise, true)
    outputs = np.rint(factors[:, None] * true)
    with np.errstate(divide="ignore"):
        logs = np.abs(np.log(weights) - np.log(_mass(noise, other, outputs)))
    return Evidence.of(logs, weights)


def _pieces(noise: Infusion, *cells: Floats) -> tuple[Floats, Floats]:
    """A factor of each stretch on which all cells round to the same numbers, and its mass."""
    low, high = 1 - noise.upper, 1 + noise.upper
    steps = [
        (np.arange(int(low * c) - 1, int(high * c) + 2) + 0.5) / c for c in np.concatenate(cells)
    ]
    ends = np.array([low, 1 - noise.lower, 1 + noise.lower, high])
    edges = np.unique(np.clip(np.concatenate([ends, *steps]), low, high))
    weights = np.diff(noise.below(edges))
    kept = weights > 1e-15  # a stretch between two equal edges, by rounding
    return ((edges[1:] + edges[:-1]) / 2)[kept], weights[kept]


def _mass(noise: Infusion, cells: Floats, outputs: Floats) -> Floats:
    """P(all cells round to an output): that of the factors which do it for each."""
    low, high = ((outputs - 0.5) / cells).max(axis=1), ((outputs + 0.5) / cells).min(axis=1)
    return np.maximum(noise.below(high) - noise.below(np.minimum(low, high)), 0)


def factor_known(pair: Hypotheses) -> float:
    """The share of rounded outputs that tell one employee more, if the factor is known."""
    (first,), (second,) = pair
    factors, weights = _pieces(Infusion(), np.array([first, second], dtype=np.float64))
    differ = np.rint(first * factors) != np.rint(second * factors)
    return float(weights[differ].sum() / weights.sum())


@lru_cache(maxsize=64)
def noised(pair: Hypotheses, name: str, epsilon: str, alpha: str | None = None) -> Evidence:
    """Noise of each cell by itself: every output, with its mass under both hypotheses."""
    made = cast(Additive, mechanism(name, epsilon=epsilon, alpha=alpha))
    logs, weights, most = np.zeros(1), np.ones(1), 0.0
    for first, second in zip(*pair, strict=True):
        both = [Rounded(one, cast(Any, made.law), made.scale(one, one)) for one in (first, second)]
        outputs = _outputs(both)
        under, other = (_masses(one, outputs) for one in both)
        there = (under > 0) & (other > 0)  # all are above 0; far out float64 has none left
        under, other = under[there], other[there]
        logs = np.add.outer(logs, np.log(under) - np.log(other)).ravel()
        weights = np.multiply.outer(weights, under).ravel()
        most += float(pure_loss(both[0], both[1], Fraction(epsilon)).epsilon)
    return Evidence.of(np.abs(logs), weights, most=most)


def _outputs(both: list[Rounded]) -> Integers:
    """All outputs that are not far out."""
    reach = FAR * max(float(one.scale) for one in both) + 10 * abs(both[0].true - both[1].true)
    middle = both[0].true
    return np.arange(middle - int(reach), middle + int(reach) + 1)


def _masses(released: Rounded, outputs: Integers) -> Floats:
    """P(released = output) in float64, from the tail on the output's own side."""
    scale = float(released.scale)
    z, half = (outputs - released.true) / scale, 0.5 / scale
    (left, right), (left_end, right_end) = (
        released.law.float_tails(end) for end in (z - half, z + half)
    )
    return np.where(z < 0, left_end - left, right - right_end)


def leeward(
    asked: dict[str, Hypotheses], alpha: str, epsilon: str, draws: int
) -> dict[str, Evidence]:
    """What a release says: the default of workplace tables, and of shapes that of whole blocks."""
    found = {
        name: noised(one, "slope", epsilon, alpha) for name, one in asked.items() if name != SHAPE
    }
    return {**found, SHAPE: block(asked[SHAPE], alpha, epsilon, draws)}


def block(pair: Hypotheses, alpha: str, epsilon: str, draws: int) -> Evidence:
    """Worker cells at fixed size, by the density ∝ (1+‖z‖₁)^−(d+k) at what is released."""
    cells, size = len(pair[0]), sum(pair[0])
    made = cast(VectorPareto, mechanism("vector_pareto", alpha=alpha, epsilon=epsilon, cells=cells))
    scale, shape = made.scales(*2 * (np.array([size]),)).exact(0), made.shape
    first, second = np.array(pair)
    released = made.release(np.tile(first, (draws, 1)), np.full(draws, size))
    near, far = (np.abs(released - one).sum(axis=1) / float(scale) for one in (first, second))
    logs = float(cells + shape) * np.abs(np.log1p(near) - np.log1p(far))
    bound = tail_bound(int(np.abs(first - second).sum()), (scale, scale), cells, shape)
    return Evidence.of(logs, np.ones(draws), most=float(bound))


def _slope(alpha: str, epsilon: str) -> Additive:
    return cast(Additive, mechanism("slope", alpha=alpha, epsilon=epsilon))


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


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
    ours = {one: noised(sizes, "slope", one, alpha) for one in prices}
    needles = (
        _needle("infusion", infused[SIZE], "theirs"),
        _needle(f"edge, ε {epsilon}", edge[SIZE], "theirs"),
        *(_needle(f"Leeward, ε {price}", one, "ours") for price, one in ours.items()),
        Needle("no release", 0.5, percent(0.5), "nothing"),
    )
    return (
        Needles(f"How sure one may become that there are {first} jobs and not {second}", needles),
        Shares(
            "Outputs that rule one hypothesis out: none of Leeward's does",
            (
                *(
                    Share(f"infusion, {name}", one.ruled_out, percent(one.ruled_out), "theirs")
                    for name, one in infused.items()
                ),
                Share("Leeward, all of them", 0.0, percent(0.0), "ours"),
            ),
            1.0,
        ),
    )


def _needle(label: str, found: Evidence, look: Look) -> Needle:
    sure = posterior(found.most)
    told = percent(sure) if found.most is None or sure < SURE else f"over {percent(SURE)}"
    return Needle(label, sure, told, look)


def _remarks(
    asked: dict[str, Hypotheses],
    ours: dict[str, Evidence],
    known: float,
    price: tuple[str, str],
) -> tuple[str, ...]:
    alpha, epsilon = price
    size = asked[EMPLOYEE][0][0]
    moved = asked[SHAPE][1][0] - asked[SHAPE][0][0]
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
