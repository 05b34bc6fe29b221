"""Membership: whether a person was among the rows that a table was made from.

The attacker knows all other rows of a small table and wants to know of one person, whose codes are
rare, whether he is in it. Shadow models say what synthetic rows look like with him and without
him: the attacker runs the synthesiser many times on both, learns a linear rule from one half of the
runs, and is tested on the other half (Stadler, Oprisanu and Troncoso, "Synthetic Data –
Anonymisation Groundhog Day", USENIX Security 2022). Where the description is published too, he adds
up the likelihood ratios of its noisy counts.

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

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.exact import rational
from leeward.core.noise.exact_selection import SECRET
from leeward.core.noise.noise_source import secret
from leeward.core.privacy import Guarantee, WorkerOnly
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, percent
from leeward.core.show.plots import Plot, PlotSeries, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import masses, most_right, noisy_counts, require_between
from leeward.systems.synth.counting import Groups
from leeward.systems.synth.domain import Column, Domain
from leeward.systems.synth.drawing import blocks
from leeward.systems.synth.measurer import Margin, Measurer
from leeward.systems.synth.table_request import FITS

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


@dataclass(frozen=True)
class Shadow:
    """One run of the synthesiser as an attacker sees it.

    `agreeing` are the synthetic rows that agree with the target in some columns; `evidence` is the
    logarithm of the likelihood ratio of the released counts, of which the target's cells tell all.
    """

    agreeing: tuple[int, ...]
    evidence: float

    @classmethod
    def of(cls, rows: Integers, without: Integers, epsilon: str, seed: int) -> "Shadow":
        """Synthetic rows of some rows, by an attacker who knows all but the target's."""
        measurer = Measurer(KnownRows(rows), secret(), SECRET)
        fit = FITS["tree"](DOMAIN, measurer, Guarantee(WorkerOnly(), None, epsilon))
        none = np.zeros((0, len(TARGET)), np.uint16)
        drawn = np.concatenate([none, *blocks(fit.network, DOMAIN, round(fit.total or 0), seed)])
        same = (
            (drawn[:, agreement] == TARGET[list(agreement)]).all(axis=1) for agreement in AGREEMENTS
        )
        known = KnownRows(without)
        evidence = sum(_evidence(margin, fit.network.groups, known) for margin in fit.margins)
        return cls(tuple(int(agreeing.sum()) for agreeing in same), evidence)


def _evidence(margin: Margin, groups: Groups, known: KnownRows) -> float:
    """ln P(count | target in) − ln P(count | target out) of Laplace noise, at the target's cell."""
    groups_of = [groups[at] for at in margin.columns]
    if margin.counts.shape != tuple(int(each.max()) + 1 for each in groups_of):
        groups = [np.arange(size) for size in DOMAIN.sizes]
    cell = tuple(int(groups[at][TARGET[at]]) for at in margin.columns)
    noise = int(margin.counts[cell] - known.of(margin.columns, groups)[cell])
    return (abs(noise) - abs(noise - 1)) / float(margin.scale)


def shadows_of(epsilon: str, rows: int, number: int) -> tuple[list[Shadow], list[Shadow]]:
    """Runs without the target and with it."""
    without = others(rows)
    inside = np.vstack([without, TARGET])
    out, with_target = (
        [Shadow.of(world, without, epsilon, seed) for seed in range(number)]
        for world in (without, inside)
    )
    return out, with_target


def right_by_evidence(out: Sequence[Shadow], inside: Sequence[Shadow]) -> float:
    """How often the sign of the evidence is right."""
    right = [*(shadow.evidence <= 0 for shadow in out), *(shadow.evidence > 0 for shadow in inside)]
    return sum(right) / len(right)


def right_by_rows(out: Sequence[Shadow], inside: Sequence[Shadow]) -> float:
    """How often a rule that is learned from rows is right; each half is tested by the other."""
    a, b = (np.array([shadow.agreeing for shadow in some], np.float64) for some in (out, inside))
    first = _right(a[::2], b[::2], a[1::2], b[1::2])
    return (first + _right(a[1::2], b[1::2], a[::2], b[::2])) / 2


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
        noise = noisy_counts(self.name, epsilon, self.alpha)
        reach = 100 * max(self.size, self.other)
        own, other = (masses(noise, size, -reach, reach) for size in (self.size, self.other))
        return float(np.abs(own - other).sum() / 2)

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


@finds("membership")
def attack(*, epsilon: str = "1", rows: int = 50, shadows: int = 100) -> AttackFinding:
    """Guess whether a person is behind synthetic rows, with shadow models."""
    require_between(1, 10**5, rows=rows)
    require_between(4, 10**4, shadows=shadows)
    bare = right_by_rows(*shadows_of(NOISELESS, rows, max(shadows // 5, 10)))
    runs = shadows_of(epsilon, rows, shadows)
    ours, by_rows = right_by_evidence(*runs), right_by_rows(*runs)
    sampled, most = (1 + SAMPLED) / 2, most_right(epsilon)
    best = [
        _told(attacker, price) for attacker in ATTACKERS for price in dict.fromkeys((epsilon, "4"))
    ]
    return AttackFinding(
        title="Was this person in the table?",
        number=bare,
        sentence=f"Synthetic rows drawn from exact counts of {count(rows)} people tell in "
        f"{percent(bare)} of runs whether one more person is among them.",
        against_leeward=Against(
            ours,
            f"Synthetic rows at ε {epsilon} and their description tell it in {percent(ours)} of "
            f"{count(2 * shadows)} runs, the rows alone in {percent(by_rows)}. No attacker can be "
            f"right in more than {percent(most)}.",
        ),
        against_nothing=Against(0.5, "Without any rows a coin is right in 50 %."),
        pictures=_pictures(epsilon, bare, sampled, ours),
        remarks=(
            f"Who publishes a random half of the rows as they are gives {percent(sampled)}: a "
            "person whose codes nobody else has is known wherever he is seen.",
            *(
                f"One released count at ε {epsilon}, {rival.words}: the best attacker is right "
                f"in {percent(rival.right(epsilon))}."
                for rival in ATTACKERS
            ),
        ),
        further={"sampled": sampled, "cap": most, "by_rows": by_rows, "best_attackers": best},
    )


def _told(attacker: BestAttacker, epsilon: str) -> dict[str, Any]:
    promised = attacker.alpha is not None or attacker.other == attacker.size + 1
    cap = tanh(float(rational(epsilon, "epsilon")) / 2) if promised else None
    return {
        **vars(attacker),
        "epsilon": epsilon,
        "advantage": attacker.advantage(epsilon),
        "cap": cap,
    }


def _pictures(epsilon: str, bare: float, sampled: float, ours: float) -> tuple[Shares, Plot]:
    """How often each attacker is right, and how often the best ones by ε."""
    bars = (
        bar("the rows themselves", 1),
        bar("synthetic rows without noise", bare),
        bar("half of the rows", sampled),
        bar(f"synthetic rows at ε {epsilon}", ours, "ours"),
        bar("no rows", 0.5, "nothing"),
    )
    lines = (
        PlotSeries(
            attacker.words,
            "ours" if attacker.alpha else "theirs",
            [(float(rational(e, "epsilon")), attacker.right(e)) for e in EPSILONS],
        )
        for attacker in ATTACKERS
    )
    return (
        Shares("Was this person in the table? How often an attacker is right", bars, most=1),
        Plot(
            "One released count: noise for workers alone shows the employer's size",
            x="ε",
            y="share of right guesses",
            series=tuple(lines),
            log_x=True,
            level=(0.5, "a coin"),
        ),
    )
