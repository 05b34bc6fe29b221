"""Audit queries: exact sums that fix secret bits, and denials that disclose.

An office answers sums of yes/no secrets exactly, and denies those that would fix somebody's. The
attacker solves the sums in whole numbers, by a solver (CP-SAT): a bit is fixed if no secret has the
other value. An office that checks by linear algebra does not see it, and one that checks as the
attacker does needs more and more time as the number of people grows.

A denial is an answer too. The largest of three numbers is told, the largest of the first two is
denied: then the third is the largest (Kenthapadi, Mishra and Nissim, "Simulatable Auditing", PODS
2005).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.exact import rational
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, percent, significant
from leeward.core.show.plots import Plot, PlotSeries, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import noisy_counts, require_between
from leeward.lab.baselines.feasibility import solved, solver

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Bits: TypeAlias = tuple[int | None, ...]
"""Each bit where it is determined, None where it can be either."""

SEED = 1
DENSITY = 0.3
"""Sums for each person, where the time of a solver is measured."""


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Exact sums of 0/1 secrets: which people each counts (sums, people), and what it is."""

    members: Integers
    values: Integers

    @classmethod
    def of(cls, members: Sequence[Sequence[int]], secret: Sequence[int]) -> "ExactSums":
        """The sums that are published of a secret."""
        counted = np.array(members)
        return cls(counted, counted @ np.array(secret))

    @classmethod
    def drawn(cls, people: int, sums: int, seed: int) -> "ExactSums":
        """Sums over random halves of made-up people."""
        draw = SeededBits(seed).generator
        members, secret = draw.integers(0, 2, (sums, people)), draw.integers(0, 2, people)
        return cls(members, members @ secret)

    @property
    def people(self) -> int:
        """The number of secrets."""
        return int(self.members.shape[1])


EXAMPLE = ExactSums.of([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]], [1, 0, 0, 1])
"""x1+x2 = 1, x1+x3 = 1, x2+x3+x4 = 1."""


def by_linear_algebra(sums: ExactSums) -> Bits:
    """The bits whose unit vector is a combination of the sums."""
    rank = np.linalg.matrix_rank(sums.members)
    solved, *_ = np.linalg.lstsq(sums.members.astype(np.float64), sums.values)
    units = np.eye(sums.people, dtype=np.int64)
    inside = (np.linalg.matrix_rank(np.vstack([sums.members, unit])) == rank for unit in units)
    return tuple(round(x) if fixed else None for x, fixed in zip(solved, inside, strict=True))


def by_brute_force(sums: ExactSums) -> Bits:
    """All secrets that agree with the sums, tried one after another."""
    every = (np.arange(2**sums.people)[:, None] >> np.arange(sums.people)) & 1
    left = every[(every @ sums.members.T == sums.values).all(axis=1)]
    low, high = left.min(axis=0).tolist(), left.max(axis=0).tolist()
    return tuple(a if a == b else None for a, b in zip(low, high, strict=True))


def by_solver(sums: ExactSums, seconds: float = 10.0) -> Bits | None:
    """A bit is determined if no secret has the other value; None if there is too little time."""
    end = perf_counter() + seconds
    first = _secret(sums, {}, seconds)
    if first is None:
        return None
    open_ = set(range(sums.people))
    fixed: dict[int, int] = {}
    while open_:
        at = open_.pop()
        other = _secret(sums, {at: 1 - first[at]}, end - perf_counter())
        if other is None:
            return None
        if not other:
            fixed[at] = first[at]
        open_ -= {person for person, bit in enumerate(other) if bit != first[person]}
    return tuple(fixed.get(at) for at in range(sums.people))


def _secret(sums: ExactSums, given: dict[int, int], seconds: float) -> tuple[int, ...] | None:
    """A secret with the sums and the given bits; empty if there is none, None if out of time."""
    cp_model = solver()
    model: CpModel = cp_model.CpModel()
    bits = [model.new_bool_var("") for _ in range(sums.people)]
    for members, value in zip(sums.members.tolist(), sums.values.tolist(), strict=True):
        model.add(sum(bit for bit, counted in zip(bits, members, strict=True) if counted) == value)
    for at, value in given.items():
        model.add(bits[at] == value)
    done, status = solved(model, seconds)
    if status == cp_model.INFEASIBLE:
        return ()
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return tuple(int(done.value(bit)) for bit in bits)


Numbers: TypeAlias = tuple[int, int, int]


def denied(most: int) -> list[Numbers]:
    """All numbers up to a public bound with max(a, b, c) told, 5, and max(a, b) denied.

    The office denies what would fix a number in all worlds that agree with its answers.
    """
    every = range(most + 1)
    worlds = [numbers for numbers in product(every, every, every) if max(numbers) == 5]

    def fixes(answer: int) -> bool:
        left = [numbers for numbers in worlds if max(numbers[:2]) == answer]
        return any(len(set(values)) == 1 for values in zip(*left, strict=True))

    refused = {answer for answer in range(most + 1) if fixes(answer)}
    return [numbers for numbers in worlds if max(numbers[:2]) in refused]


def posterior(sums: ExactSums, epsilon: str, draws: int) -> Floats:
    """P(bit = 1) after noisy sums that share an epsilon, (draws, people); even chances before."""
    each = rational(epsilon, "epsilon") / len(sums.values)
    released = noisy_counts("edge_laplace", each).release(np.tile(sums.values, (draws, 1)))
    every = (np.arange(2**sums.people)[:, None] >> np.arange(sums.people)) & 1
    apart = np.abs(released[:, None, :] - every @ sums.members.T).sum(axis=2)
    weights = np.exp(-float(each) * (apart - apart.min(axis=1, keepdims=True)))
    shares: Floats = weights @ every / weights.sum(axis=1, keepdims=True)
    return shares


def timed(sizes: Sequence[int], seconds: float) -> Iterator[tuple[int, float, bool]]:
    """People, seconds of the solver, and whether it came to an end."""
    for people in sizes:
        start = perf_counter()
        answer = by_solver(ExactSums.drawn(people, ceil(DENSITY * people), SEED), seconds)
        yield people, perf_counter() - start, answer is not None


@finds("audit-queries")
def attack(
    *, epsilon: str = "1", draws: int = 2000, most: int = 60, step: int = 10, seconds: float = 4.0
) -> AttackFinding:
    """Solve three exact sums of four secret bits; time the solver on up to `most` people."""
    require_between(1, 10**5, draws=draws)
    require_between(step, 200, most=most)
    require_between(1, 200, step=step)
    require_between(0.1, 3600, seconds=seconds)
    solution, linear = by_solver(EXAMPLE), by_linear_algebra(EXAMPLE)
    if solution is None:
        raise AssertionError("three sums take no time")
    share, seen = _determined(solution), posterior(EXAMPLE, epsilon, draws)
    sure = np.maximum(seen, 1 - seen)
    right = float(((seen > 0.5) == np.array(solution)).mean())
    times = list(timed(range(step, most + 1, step), seconds))
    thirds = {c for _, _, c in denied(9)}
    return AttackFinding(
        title="Exact sums and denials",
        number=share,
        sentence=f"x1+x2 = 1, x1+x3 = 1 and x2+x3+x4 = 1 fix {percent(share)} of four secret bits: "
        f"x = {solution}. Linear algebra says that {percent(_determined(linear))} are fixed.",
        against_leeward=Against(
            float((sure == 1).mean()),
            f"With noise at ε {epsilon} for the three sums together no bit is ever certain: "
            f"the surest belief in {count(draws)} releases is {percent(sure.max())}, and guesses "
            f"are right in {percent(right)}. Nothing is denied, so no denial tells anything.",
        ),
        against_nothing=Against(0.0, "Without any sum every bit can be either."),
        pictures=_pictures((share, _determined(linear), float(sure.mean())), times),
        remarks=(
            f"Of all numbers up to 9 with max(a, b, c) = 5 told and max(a, b) denied, c is "
            f"{' or '.join(map(str, sorted(thirds)))}: the denial discloses it.",
            "Whether sums of 0/1 secrets fix one of them is a coNP-complete question: an office "
            "that denies what would disclose has no fast way to know "
            "(Kleinberg, Papadimitriou and Raghavan, PODS 2000).",
        ),
        further={
            "determined": list(solution),
            "linear_algebra": list(linear),
            "denied_third": sorted(thirds),
            "guesses_right": right,
            "seconds": [{"people": n, "seconds": t, "ended": ended} for n, t, ended in times],
        },
    )


def _determined(bits: Bits) -> float:
    return sum(bit is not None for bit in bits) / len(bits)


def _pictures(
    shares: tuple[float, float, float], times: Sequence[tuple[int, float, bool]]
) -> tuple[Shares, Plot]:
    exact, linear, ours = shares
    believed = (
        bar("solved in whole numbers: bits fixed", exact),
        bar("solved as equations: bits fixed", linear),
        bar("noisy sums: belief in a bit", ours, "ours"),
        bar("no sums: belief in a bit", 0.5, "nothing"),
    )
    ended = [(n, t) for n, t, done in times if done]
    stopped = [(n, t) for n, t, done in times if not done]
    series = [PlotSeries("all bits decided", "theirs", ended)]
    if stopped:
        series.append(PlotSeries("given up", "nothing", stopped, joined=False))
    slowest = significant(max(t for _, t, _ in times))
    return (
        Shares("Three exact sums fix all four secrets, though equations alone fix none",
               believed, most=1),
        Plot(
            f"Auditing exact sums gets slow quickly: up to {slowest} seconds here",
            x="people",
            y="seconds",
            series=tuple(series),
            log_y=True,
        ),
    )  # fmt: skip
