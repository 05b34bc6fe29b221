"""Membership: whether a person was among the rows that a table was made from.

The attacker knows all other rows of a small table and wants to know of one person, whose codes are
rare, whether she is in it. Shadow models say what synthetic rows look like with her and without
her: the attacker runs the synthesiser many times on both, learns a linear rule from one half of the
runs, and is tested on the other half (Stadler, Oprisanu and Troncoso, "Synthetic Data –
Anonymisation Groundhog Day", USENIX Security 2022). A coin is right in half of the cases.

For counts there is nothing to learn: the best rule is known, and how often it is right follows from
the exact total variation between two releases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leeward.attacks.finding import Against, Finding
from leeward.attacks.release import masses, most_right, noisy_counts
from leeward.exact import rational
from leeward.model.cells import Floats, Integers
from leeward.noise.scales import secret
from leeward.noise.selection import SECRET
from leeward.privacy import Guarantee, WorkerOnly
from leeward.randomness import SeededBits
from leeward.show.numbers import count, percent
from leeward.show.plots import Plot, Series, Share, Shares
from leeward.synth.counting import Groups
from leeward.synth.domain import Column, Domain
from leeward.synth.drawing import blocks
from leeward.synth.measuring import Measurer
from leeward.synth.request import FITS

DOMAIN = Domain(
    (
        Column("sex", ("F", "M")),
        Column("age", ("below 25", "25 to 54", "55 to 64", "65 and over")),
        Column("education", ("school", "training", "doctorate")),
    )
)
TARGET = np.array([size - 1 for size in DOMAIN.sizes])
"""A man with a doctorate at 65 and over, the only one of his age and education if he is there."""

NOISELESS = "1000"
"""An epsilon at which the noise of every count is 0 but for a negligible chance."""

SEED, SAMPLED = 1, 0.5
EPSILONS = ("1/4", "1/2", "1", "2", "4")


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Rows of positions in memory, as counts that a method may ask for."""

    rows: Integers

    def of(self, columns: Sequence[int], groups: Groups) -> Integers:
        """The number of rows for all groups of values of these columns."""
        counts = np.zeros([int(groups[at].max()) + 1 for at in columns], dtype=np.int64)
        np.add.at(counts, tuple(groups[at][self.rows[:, at]] for at in columns), 1)
        return counts


def others(rows: int) -> Integers:
    """Made-up people, none of the target's age or education."""
    draw = SeededBits(SEED).generator
    return np.stack([draw.integers(0, max(size - 1, 2), rows) for size in DOMAIN.sizes], axis=1)


AGREEMENTS = tuple(chain.from_iterable(combinations(range(len(DOMAIN.sizes)), n) for n in range(4)))


def shadow(rows: Integers, epsilon: str, seed: int) -> list[int]:
    """Synthetic rows as the attacker sees them: how many agree with the target in some columns."""
    measurer = Measurer(KnownRows(rows), secret(), SECRET)
    fit = FITS["tree"](DOMAIN, measurer, Guarantee(WorkerOnly(), None, epsilon))
    drawn = np.concatenate(
        [
            np.zeros((0, len(TARGET)), np.uint16),
            *blocks(fit.network, DOMAIN, round(fit.total or 0), seed),
        ]
    )
    return [int((drawn[:, held] == TARGET[list(held)]).all(axis=1).sum()) for held in AGREEMENTS]


def right_by_shadows(epsilon: str, rows: int, shadows: int) -> float:
    """How often the learned rule is right; each half of the runs is tested by the other."""
    without = others(rows)
    worlds = (without, np.vstack([without, TARGET]))
    seen = [np.array([shadow(w, epsilon, at) for at in range(shadows)], float) for w in worlds]
    halves = [[one[::2], one[1::2]] for one in seen]
    tests = ((0, 1), (1, 0))
    return float(
        np.mean(
            [
                _right(halves[0][learn], halves[1][learn], halves[0][test], halves[1][test])
                for learn, test in tests
            ]
        )
    )


def _right(out: Floats, inside: Floats, test_out: Floats, test_inside: Floats) -> float:
    """Fisher's linear rule from runs without and with the target, on other such runs."""
    low, high = out.mean(axis=0), inside.mean(axis=0)
    spread = np.cov(out.T) + np.cov(inside.T) + 1e-6 * np.eye(low.size)
    rule = np.linalg.solve(spread, high - low)
    cut = rule @ (low + high) / 2
    said: NDArray[np.bool_] = np.concatenate([test_out @ rule <= cut, test_inside @ rule > cut])
    return float(said.mean())


@dataclass(frozen=True)
class BestAttacker:
    """The best rule to tell two sizes of an establishment apart, from one released count."""

    name: str
    alpha: str | None
    size: int
    other: int

    def advantage(self, epsilon: str) -> float:
        """The total variation between the two releases: right more often than wrong, by this."""
        made = noisy_counts(self.name, epsilon, self.alpha)
        reach = 100 * max(self.size, self.other)
        one, other = (masses(made, size, -reach, reach) for size in (self.size, self.other))
        return float(np.abs(one - other).sum() / 2)

    def right(self, epsilon: str) -> float:
        """How often it is right, from even chances."""
        return (1 + self.advantage(epsilon)) / 2

    @property
    def words(self) -> str:
        """As text."""
        policy = "employers protected" if self.alpha else "workers protected alone"
        return f"{self.size} or {self.other} jobs, {policy}"


ATTACKERS = (
    BestAttacker("slope", "0.1", 100, 101),
    BestAttacker("slope", "0.1", 100, 110),
    BestAttacker("edge_laplace", None, 100, 101),
    BestAttacker("edge_laplace", None, 100, 110),
)


def attack(*, epsilon: str = "1", rows: int = 50, shadows: int = 100) -> Finding:
    """Guess whether a person is behind synthetic rows, with shadow models."""
    bare = right_by_shadows(NOISELESS, rows, max(shadows // 5, 10))
    ours = right_by_shadows(epsilon, rows, shadows)
    sampled, most = (1 + SAMPLED) / 2, most_right(epsilon)
    best = [_told(one, held) for one in ATTACKERS for held in dict.fromkeys((epsilon, "4"))]
    return Finding(
        attack="membership",
        title="Was this person in the table?",
        number=bare,
        sentence=f"Synthetic rows drawn from exact counts of {count(rows)} people tell in "
        f"{percent(bare)} of runs whether one more person is among them.",
        against_leeward=Against(
            ours,
            f"Synthetic rows at ε {epsilon} tell it in {percent(ours)} of "
            f"{count(2 * shadows)} runs. No attacker can be right in more than {percent(most)}.",
        ),
        against_nothing=Against(0.5, "Without any rows a coin is right in 50 %."),
        parameters={"epsilon": epsilon, "rows": rows, "shadows": shadows},
        pictures=(_guesses(epsilon, bare, sampled, ours), _best()),
        remarks=(
            f"Who publishes a random half of the rows as they are gives {percent(sampled)}: a "
            "person whose codes nobody else has is known wherever she is seen.",
            *(
                f"One released count at ε {epsilon}, {one.words}: the best attacker is right "
                f"in {percent(one.right(epsilon))}."
                for one in ATTACKERS
            ),
        ),
        further={"sampled": sampled, "cap": most, "best_attackers": best},
    )


def _told(one: BestAttacker, epsilon: str) -> dict[str, Any]:
    promised = one.alpha is not None or one.other == one.size + 1
    cap = tanh(float(rational(epsilon, "epsilon")) / 2) if promised else None
    return {**vars(one), "epsilon": epsilon, "advantage": one.advantage(epsilon), "cap": cap}


def _guesses(epsilon: str, bare: float, sampled: float, ours: float) -> Shares:
    return Shares(
        "Was this person in the table? How often an attacker is right",
        (
            Share("the rows themselves", 1, percent(1), "theirs"),
            Share("synthetic rows without noise", bare, percent(bare), "theirs"),
            Share("half of the rows", sampled, percent(sampled), "theirs"),
            Share(f"synthetic rows at ε {epsilon}", ours, percent(ours), "ours"),
            Share("no rows", 0.5, percent(0.5), "nothing"),
        ),
        most=1,
    )


def _best() -> Plot:
    """Advantages of the best attackers, by ε."""
    lines = (
        Series(
            one.words,
            "ours" if one.alpha else "theirs",
            [(float(rational(e, "epsilon")), one.right(e)) for e in EPSILONS],
        )
        for one in ATTACKERS
    )
    return Plot(
        "One released count: the best attacker tells one job less well than one size",
        x="ε",
        y="share of right guesses",
        series=tuple(lines),
        log_x=True,
        level=(0.5, "a coin"),
    )
