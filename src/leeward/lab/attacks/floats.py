"""Floats: outputs that floating-point noise cannot reach from the neighbour.

A textbook sampler draws k up to 2^53 and adds ±b·ln(k/2^53) to a count, in double precision. Its
outputs lie on a comb, and the comb of another count has its teeth elsewhere. The attacker asks
whether an output can be reached from each of two counts; where it can be from one alone, the other
is ruled out for certain, whatever the claimed ε (Mironov, "On Significance of the Least
Significant Bits for Differential Privacy", CCS 2012).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leeward.core.codebook.cells import Floats
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, percent
from leeward.core.show.plots import Comb, Shares, Teeth
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import noisy_counts, require_between

GRID = 2.0**53
REACH = 8
"""Draws beside the estimated ones that are tried: more than rounding can move an estimate."""

SEED = 1
TEETH = 40
"""Outputs side by side in the picture."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class CountPair:
    """Two counts, and the scale b of the Laplace noise that should hide which of them it is."""

    true: int
    other: int
    scale: float

    @property
    def words(self) -> str:
        """As text."""
        return f"{self.true} v {self.other}, b = {self.scale:g}"


CASES = (
    CountPair(0, 1, 10.0),
    CountPair(100, 110, 10.0),
    CountPair(1000, 1100, 100.0),
    CountPair(100, 101, 1.0),
)
"""What is tried beside the two counts that are given."""


def drawn(true: int, scale: float, draws: int, bits: SeededBits) -> Floats:
    """The textbook sampler: n ± b·ln(k/2^53), every step rounded to double precision."""
    k = bits.generator.integers(1, 2**53, draws, endpoint=True).astype(np.float64)
    sign = bits.generator.choice([-1.0, 1.0], draws)
    return true + sign * (scale * np.log(k / GRID))


def reachable(outputs: Floats, true: int, scale: float) -> Mask:
    """Whether the sampler has a draw that gives each output from this count."""
    noise = outputs - true
    sign = np.where(noise > 0, -1.0, 1.0)
    guess = np.rint(np.exp(-np.abs(noise) / scale) * GRID)
    # All draws whose output rounds to the same number, and some more.
    steps = np.spacing(np.maximum(np.abs(outputs), np.abs(noise))) / scale
    wide = int(np.ceil((guess * steps).max(initial=0))) + REACH
    reached = np.zeros(outputs.shape, dtype=bool)
    for shift in range(-wide, wide + 1):
        k = np.clip(guess + shift, 1, GRID)
        reached |= true + sign * (scale * np.log(k / GRID)) == outputs
    return reached


def impossible(case: CountPair, draws: int, seed: int = SEED) -> float:
    """The share of outputs that the other count cannot have given."""
    outputs = drawn(case.true, case.scale, draws, SeededBits(seed))
    return float((~reachable(outputs, case.other, case.scale)).mean())


def impossible_integers(case: CountPair, epsilon: str, draws: int) -> float:
    """The same of a release, whose outputs are integers with an exact mass."""
    noise = noisy_counts("edge_laplace", epsilon)
    values, times = np.unique(noise.release(np.full(draws, case.true)), return_counts=True)
    scale = noise.scale(case.other, None)
    ruled_out = [not noise.mass(value - case.other, scale) > 0 for value in values.tolist()]
    return float(times[ruled_out].sum() / draws)


@finds("floats")
def attack(
    *, epsilon: str = "1", true: int = 0, other: int = 1, scale: float = 1.0, draws: int = 4000
) -> AttackFinding:
    """Ask of floating-point Laplace noise whether an output can come from the other count."""
    require_between(0, 10**4, true=true, other=other)
    require_between(0.5, 10**6, scale=scale)
    require_between(1, 10**6, draws=draws)
    chosen = CountPair(true, other, scale)
    shares = {case: impossible(case, draws) for case in dict.fromkeys((chosen, *CASES))}
    ours = impossible_integers(chosen, epsilon, draws)
    return AttackFinding(
        title="Holes in floating-point noise",
        number=shares[chosen],
        sentence=f"{percent(shares[chosen])} of {count(draws)} outputs of {true} plus "
        f"floating-point Laplace noise of scale {scale:g} cannot come from {other}: each rules "
        f"{other} out for certain.",
        against_leeward=Against(
            ours,
            f"{percent(ours)} of {count(draws)} releases: noise is a whole number, and each whole "
            "number has an exact probability above 0 from either count.",
        ),
        against_nothing=Against(0.0, "Without an output nothing is ruled out."),
        pictures=_pictures(chosen, shares, ours),
        remarks=(
            "One output is enough: that the other count cannot give it is a proof.",
            "Rounding fills most holes of large counts, not all: "
            + ", ".join(f"{percent(s)} for {case.words}" for case, s in shares.items())
            + ".",
        ),
        further={"cases": [{**vars(case), "impossible": share} for case, share in shares.items()]},
    )


def _pictures(
    case: CountPair, shares: Mapping[CountPair, float], ours: float
) -> tuple[Comb, Shares]:
    """Neighbouring doubles beside one output, and which of them each count can give; the shares."""
    start = case.true + 0.3 * case.scale
    outputs = start + np.spacing(start) * np.arange(TEETH)
    rows = []
    for true in (case.true, case.other):
        places: list[float] = (
            np.flatnonzero(reachable(outputs, true, case.scale)).astype(float).tolist()
        )
        rows.append(Teeth(f"from {true}", "theirs", places))
    every = tuple(float(at) for at in range(TEETH))
    comb = Comb(
        "Which of 40 neighbouring outputs each count can give: where the combs differ, they tell",
        "neighbouring outputs (floating-point numbers; whole numbers in a release)",
        -1.0,
        float(TEETH),
        (*rows, Teeth("a release, from either", "ours", every)),
    )
    bars = (
        *(bar(case.words, share) for case, share in shares.items()),
        bar("integers with exact mass", ours, "ours"),
    )
    return comb, Shares("How often one output rules the other count out for certain", bars, most=1)
