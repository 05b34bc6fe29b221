"""Reconstruct: secret bits from many noisy counts.

The attacker asks how many of a random half of n people have some property, again and again, and
each answer has noise of its own. He solves all answers at once by least squares, and rounds.
Noise below √n does not protect anybody against a few times n answers (Dinur and Nissim, "Revealing
Information while Preserving Privacy", PODS 2003).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.exact import rational
from leeward.core.randomness import SeededBits
from leeward.core.show.heat import HeatMap, Shades
from leeward.core.show.numbers import count, percent
from leeward.core.show.plots import Plot, PlotSeries
from leeward.lab.attacks.finding import Against, AttackFinding, finds
from leeward.lab.attacks.released_counts import most_right, noisy_counts, require_between

NOISES, TIMES = (0.25, 0.5, 1.0), (4, 16)
"""What is simulated: noise in units of √n, and counts for each bit."""

HEAT_NOISES, HEAT_TIMES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0), (2, 4, 8, 16, 32, 64)
SMALL = 200
"""Secret bits behind the counts of a release, four counts for each."""

EPSILONS = ("1", "4", "16")
LINEAR_SCALE, LINEAR_TRIALS = 5.0, 2
MOST_EXHAUSTIVE = 12
"""Bits of which all subsets are asked for, and all answers tried."""

SEED = 1

Shares: TypeAlias = dict[tuple[float, int], float]


def expected(noise: float, times: int) -> float:
    """P(a bit is right) by least squares on times·n random subset counts, n large.

    A is a matrix of fair coins, so the variance of an estimate is 2(c√n)²·4/((k−1)n) for Laplace
    noise of scale c√n: Φ(√(k−1)/(4√2·c)).
    """
    return NormalDist().cdf(sqrt(times - 1) / (4 * sqrt(2) * noise))


def simulated(bits: int, noises: Sequence[float], times: Sequence[int], seed: int) -> Shares:
    """The share of bits that are right, for each noise and number of counts."""
    seeded = SeededBits(seed)
    secret = seeded.generator.integers(0, 2, bits)
    gram, sums = np.zeros((bits, bits)), np.zeros((bits, len(noises)))
    shares: Shares = {}
    for done in range(1, max(times) + 1):
        subsets, true = _asked(seeded, secret, bits)
        noise = seeded.generator.laplace(size=(bits, 1)) * np.array(noises) * sqrt(bits)
        gram += subsets.T @ subsets
        sums += subsets.T @ (true[:, None] + noise)
        if done in times:
            right = (np.linalg.solve(gram, sums) > 0.5) == secret[:, None]
            shares |= {
                (c, done): float(share) for c, share in zip(noises, right.mean(axis=0), strict=True)
            }
    return shares


def _asked(seeded: SeededBits, secret: Integers, counts: int) -> tuple[Floats, Floats]:
    """Random subsets, one a row, and how many ones each holds."""
    subsets = seeded.generator.integers(0, 2, (counts, secret.size)).astype(np.float64)
    return subsets, subsets @ secret


@dataclass(frozen=True)
class Exhaustive:
    """All 2^n subset counts, each wrong by at most `error`: what bits are left possible.

    `by_chance` and `worst` are the most wrong bits of an answer that agrees with all counts, for
    errors drawn by chance and for errors chosen to mislead; `bound` is 4·error.
    """

    bits: int
    error: int
    by_chance: int
    worst: int

    @property
    def bound(self) -> int:
        """Dinur and Nissim, Theorem 2: asking for the ones missed, and for those too many."""
        return 4 * self.error

    @classmethod
    def of(cls, bits: int, error: int, seed: int = SEED) -> "Exhaustive":
        """Search all answers."""
        draw = SeededBits(seed).generator
        every = (np.arange(2**bits)[:, None] >> np.arange(bits)) & 1
        ones = every.astype(np.float32)
        counts = (ones @ ones.T).astype(np.int16)
        # Half of the bits are ones; the twin has 2·error of them more and 2·error fewer.
        secret = sum(4**at for at in range((bits + 1) // 2))
        twin = secret ^ (2 ** min(4 * error, bits) - 1)
        near = draw.integers(-error, error + 1, 2**bits)
        between = (counts[secret] + counts[twin]) // 2
        wrong = (every != every[secret]).sum(axis=1)
        most = [
            int(wrong[(np.abs(counts - answers) <= error).all(axis=1)].max())
            for answers in (counts[secret] + near, between)
        ]
        return cls(bits, error, *most)


def linear_program(subsets: Floats, answers: Floats) -> Floats | None:
    """The bits, each between 0 and 1, with the least sum of absolute errors; None: no solver."""
    try:
        program = import_module("ortools.linear_solver.pywraplp")
    except ImportError:
        return None
    solver = program.Solver.CreateSolver("GLOP")
    bits = [solver.NumVar(0, 1, "") for _ in range(subsets.shape[1])]
    errors = [solver.NumVar(0, solver.infinity(), "") for _ in answers]
    for row, value, error in zip(subsets, answers.tolist(), errors, strict=True):
        for low, high, sign in ((-solver.infinity(), value, -1), (value, solver.infinity(), 1)):
            constraint = solver.Constraint(low, high)
            constraint.SetCoefficient(error, sign)
            for at in np.flatnonzero(row).tolist():
                constraint.SetCoefficient(bits[at], 1)
    solver.Minimize(solver.Sum(errors))
    solver.Solve()
    return np.array([bit.solution_value() for bit in bits])


def _linear_share(trials: int) -> float | None:
    """The share of bits that linear programs have right."""
    seeded, shares = SeededBits(SEED), []
    for _ in range(trials):
        secret = seeded.generator.integers(0, 2, SMALL)
        subsets, true = _asked(seeded, secret, 4 * SMALL)
        noise = seeded.generator.laplace(scale=LINEAR_SCALE, size=true.size)
        bits = linear_program(subsets, true + noise)
        if bits is None:
            return None
        shares.append(((bits > 0.5) == secret).mean())
    return float(np.mean(shares))


def released(epsilon: str, times: int, trials: int) -> float:
    """The share of bits that are right from counts of one release, which share its epsilon."""
    seeded, counts = SeededBits(SEED), times * SMALL
    noise = noisy_counts("edge_laplace", rational(epsilon, "epsilon") / counts)
    shares = []
    for _ in range(trials):
        secret = seeded.generator.integers(0, 2, SMALL)
        subsets, true = _asked(seeded, secret, counts)
        answers = noise.release(true.astype(np.int64))
        bits = np.linalg.solve(subsets.T @ subsets, subsets.T @ answers)
        shares.append(((bits > 0.5) == secret).mean())
    return float(np.mean(shares))


@finds("reconstruct")
def attack(
    *,
    epsilon: str = "1",
    noise: float = 0.25,
    times: int = 16,
    bits: int = 1000,
    trials: int = 10,
    few: int = MOST_EXHAUSTIVE,
) -> AttackFinding:
    """Find secret bits from times·bits subset counts with Laplace noise of scale noise·√bits.

    `few` bits are searched to the end; `trials` is the number of releases that are attacked.
    """
    require_between(2, 5000, bits=bits)
    require_between(2, 64, times=times)
    require_between(0.01, 100, noise=noise)
    require_between(1, 1000, trials=trials)
    require_between(4, MOST_EXHAUSTIVE, few=few)
    shares = simulated(bits, sorted({noise, *NOISES}), sorted({times, *TIMES}), SEED)
    ours = {price: released(price, 4, trials) for price in dict.fromkeys((epsilon, *EPSILONS))}
    small, linear = Exhaustive.of(few, 1), _linear_share(LINEAR_TRIALS)
    number = shares[noise, times]
    return AttackFinding(
        title="Reconstruct secret bits",
        number=number,
        sentence=f"{count(times * bits)} counts of random subsets of {count(bits)} people, each "
        f"with Laplace noise of scale {noise * sqrt(bits):.1f}, give away {percent(number)} of "
        f"their secret bits by least squares. The formula says {percent(expected(noise, times))}.",
        against_leeward=Against(
            ours[epsilon],
            f"{count(4 * SMALL)} counts of {SMALL} people, released together at ε {epsilon}, "
            f"give {percent(ours[epsilon])} right. No attacker can be right in more than "
            f"{percent(most_right(epsilon))}.",
        ),
        against_nothing=Against(0.5, "A coin is right about half of the bits."),
        pictures=_pictures(epsilon, noise, shares, trials),
        remarks=tuple(_remarks(small, linear)),
        further={
            "simulated": _told(shares),
            "formula": _told({key: expected(*key) for key in shares}),
            "linear_program": linear,
            "exhaustive": {**vars(small), "bound": small.bound},
            "by_epsilon": {
                price: {"share": share, "cap": most_right(price)} for price, share in ours.items()
            },
        },
    )


def _told(shares: Mapping[tuple[float, int], float]) -> list[dict[str, Any]]:
    return [{"noise": c, "times": k, "share": share} for (c, k), share in sorted(shares.items())]


def _remarks(small: Exhaustive, linear: float | None) -> Iterator[str]:
    yield (
        f"With all {count(2**small.bits)} subset counts of {small.bits} people, each wrong by at "
        f"most {small.error}, every answer that agrees with them has at most {small.bound} wrong "
        f"bits: {small.by_chance} found for errors by chance, {small.worst} for the worst ones."
    )
    yield (
        "The formula is Φ(√(k−1)/(4√2·c)) for k counts a bit and Laplace noise of scale c√n: noise "
        "must grow with √n and with √k to protect anybody."
    )
    yield "At ε 16 the cap is all but 1: a promise that no longer promises anything."
    if linear is None:
        yield "A linear program was not tried: it needs OR-Tools."
    else:
        yield (
            f"A linear program does better than least squares: {percent(linear)} of {SMALL} bits "
            f"from {count(4 * SMALL)} counts with noise of scale {LINEAR_SCALE:g}."
        )


def _pictures(epsilon: str, noise: float, shares: Shares, trials: int) -> tuple[HeatMap, Plot]:
    """More counts help against fixed noise, and not where they share one epsilon."""
    heat = HeatMap(
        "Enough counts undo any fixed noise: per cent of secret bits that are found",
        [f"noise {c:g}·√n" for c in HEAT_NOISES],
        [f"{k}n" for k in HEAT_TIMES],
        [[round(100 * expected(c, k)) for k in HEAT_TIMES] for c in HEAT_NOISES],
        Shades((0, 55, 65, 75, 85, 95, 99), "The darkest shade is 99 % and more."),
        "% of bits",
        "",
    )
    fixed = [(k, expected(noise, k)) for k in HEAT_TIMES]
    tried = [(k, share) for (c, k), share in sorted(shares.items()) if c == noise]
    ours = [(k, released(epsilon, k, trials)) for k in HEAT_TIMES if k <= max(TIMES)]
    growing = Plot(
        "More counts find more bits, unless all counts share one ε",
        x="counts for each person",
        y="share of bits found",
        series=(
            PlotSeries("fixed noise, formula", "theirs", fixed),
            PlotSeries("fixed noise, tried", "theirs", tried, joined=False),
            PlotSeries(f"one release at ε {epsilon}", "ours", ours),
            PlotSeries("a coin", "nothing", [(k, 0.5) for k in HEAT_TIMES]),
        ),
        log_x=True,
        level=(most_right(epsilon), f"cap of ε {epsilon}"),
    )
    return heat, growing
