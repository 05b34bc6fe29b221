"""Differencing: two exact tables and one known leaver.

The attacker knows that one person left an establishment between two quarters, from a colleague or
from a newspaper. Both quarters are published exactly: jobs by sex and education.

He subtracts one table from the other. One cell is one lower, all others stay: that cell is the
leaver's sex and education. Against tables with noise he names the cell that fell most.
"""

from dataclasses import dataclass

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.codebook.marginal import Marginal
from leeward.core.errors import InvalidParameter
from leeward.core.show.numbers import count, percent
from leeward.core.show.plots import Look, Share, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import additive
from leeward.lab.attacks.world import WORKPLACE, AttackedWorld

KIND = ("sex", "education")
EPSILONS = ("1", "2", "4", "8")
"""Of each of the two tables."""


@dataclass(frozen=True, eq=False)
class Leavers:
    """Tables (n, d) of establishments, all their jobs (n,), and the cell that somebody left.

    `weights` (n,) say how many workers a row stands for: every worker of an establishment is as
    likely to leave, and every establishment counts the same.
    """

    before: Integers
    sizes: Integers
    kind: Integers
    weights: Floats

    @classmethod
    def everybody(cls, tables: Integers, sizes: Integers, times: int) -> "Leavers":
        """One row for every kind of worker of every table, each repeated."""
        table, kind = np.tile(np.nonzero(tables), times)
        return cls(
            tables[table],
            sizes[table],
            kind,
            tables[table, kind] / tables.sum(axis=1)[table],
        )

    @property
    def after(self) -> Integers:
        """The tables without the leavers."""
        left = self.before.copy()
        left[np.arange(len(left)), self.kind] -= 1
        return left

    def only(self, row: int) -> "Leavers":
        """One of the rows."""
        at = slice(row, row + 1)
        return Leavers(self.before[at], self.sizes[at], self.kind[at], self.weights[at])

    def found(self, first: Integers, second: Integers) -> float:
        """How often the cell that fell most is the leaver's."""
        right = (first - second).argmax(axis=1) == self.kind
        return float(np.average(right, weights=self.weights))


@finds("differencing")
def attack(
    world: AttackedWorld,
    *,
    epsilon: str = "1",
    alpha: str = "0.1",
    least: int = 20,
    times: int = 20,
) -> AttackFinding:
    """Subtract two tables of every establishment that is alone in its cell."""
    table = world.worker_table((*WORKPLACE, *KIND))
    tables, sizes = _alone(world, table, least)
    people = Leavers.everybody(tables, sizes, times)
    exact = people.found(people.before, people.after)
    prices = dict.fromkeys((epsilon, *EPSILONS))
    ours = {price: people.found(*_twice(people, alpha, price)) for price in prices}
    noise = additive("edge_laplace", epsilon=epsilon)
    edge = people.found(noise.release(people.before), noise.release(people.after))
    guess = float(np.mean(tables.max(axis=1) / tables.sum(axis=1)))
    better = [price for price, share in ours.items() if share > guess]
    shares = (
        bar("two exact tables", exact),
        bar(f"noise for single jobs, ε {epsilon} each", edge),
        *(bar(f"Leeward, ε {price} each", share, "ours") for price, share in ours.items()),
        bar("the commonest kind of the establishment", guess, "nothing"),
    )
    return AttackFinding(
        "Two exact tables and one leaver: the difference is the person",
        exact,
        f"The leaver's sex and education are found in {percent(exact)} of cases: one cell fell by "
        "one, and no other cell moved.",
        Against(
            ours[epsilon],
            f"The cell that fell most is the leaver's in {percent(ours[epsilon])} of cases at ε "
            f"{epsilon} for each table; of {tables.shape[1]} cells, blind chance finds "
            f"{percent(1 / tables.shape[1])}.",
        ),
        Against(
            guess,
            "Whoever names the commonest kind of worker of the establishment is right in "
            f"{percent(guess)} of cases.",
        ),
        (*([] if world.internal else _example(table, (tables, sizes), (alpha, epsilon))),
         Shares("How often the leaver's kind is found", shares, 1.0)),
        remarks=(
            *([f"Ours leaks too: at ε {' and '.join(better)} for each table the difference says "
               "more than the guess."] if better else []),
            f"Two tables cost their ε together: a leaver is in both of them. Noise for single jobs "
            f"at ε {epsilon} finds {percent(edge)}.",
        ),
        parameters={"data": world.words},
        further={"by_epsilon": ours, "edge": edge, "establishments": len(tables)},
    )  # fmt: skip


def _alone(world: AttackedWorld, table: Marginal, least: int) -> tuple[Integers, Integers]:
    """Tables and sizes of establishments alone in their cell of the frame, not too small."""
    truth = world.truth(table)
    frame = truth.entries.in_frame
    if frame is None:
        raise TypeError("the entries were tabulated without the frame")
    chosen = (frame == 1) & (truth.counts.sum(axis=1) >= least)
    if not chosen.any():
        raise InvalidParameter(
            "least",
            rule="must leave an establishment that is alone in its cell of the table",
            value=str(least),
            next_step="Lower it, or choose a plan with a finer table.",
        )
    return truth.counts[chosen], truth.cells.largest[chosen]


def _twice(people: Leavers, alpha: str, epsilon: str) -> tuple[Integers, Integers]:
    """The tables before and after, released for ε each, all worker cells together."""
    cells = people.before.shape[1]
    noise = additive("vector_pareto", alpha=alpha, epsilon=epsilon, cells=cells)
    first = noise.release(people.before, people.sizes)
    return first, noise.release(people.after, people.sizes - 1)


def _example(
    table: Marginal, chosen: tuple[Integers, Integers], price: tuple[str, str]
) -> tuple[Shares, Shares]:
    """The two tables of one made-up establishment; of real ones no single one is shown."""
    tables, sizes = chosen
    middle = np.argsort(sizes, kind="stable")[[len(sizes) // 2]]
    everybody = Leavers.everybody(tables[middle], sizes[middle], 1)
    leaver = everybody.only(int(everybody.weights.argmax()))
    alpha, epsilon = price
    first, second = _twice(leaver, alpha, epsilon)
    kinds = [
        [dimension.attribute.labels[dimension.kept[at]] for at in positions]
        for dimension, positions in zip(table.worker, table.worker_positions(), strict=True)
    ]
    names = [", ".join(labels) for labels in zip(*kinds, strict=True)]
    exact = "Exact tables, before and after: one cell differs, that of the leaver"
    ours = f"The same two tables from Leeward at ε {epsilon} each: every cell differs"
    return (
        _difference(exact, names, (leaver.before[0], leaver.after[0]), "theirs"),
        _difference(ours, names, (first[0], second[0]), "ours"),
    )


def _difference(
    title: str, names: list[str], tables: tuple[Integers, Integers], look: Look
) -> Shares:
    rows = (
        Share(name, abs(int(before - after)), f"{count(int(before))} → {count(int(after))}", look)
        for name, before, after in zip(names, *tables, strict=True)
    )
    return Shares(title, tuple(rows))
