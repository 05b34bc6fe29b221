"""Block: all people of a block of seven, from the table that was published about it.

The attacker reads one published table: counts, medians and means of age of the people of a block,
with half of the rows withheld. He tries all people whom its numbers allow, by age, sex, race and
whether they are married; nobody below 15 is. The table is made up, by Garfinkel, Abowd and
Martindale, "Understanding Database Reconstruction Attacks on Public Data" (ACM Queue 16(5), 2018).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.show.numbers import count, counted, percent
from leeward.core.show.plots import Share, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.released_counts import noisy_counts, require_between

OLDEST, MARRIED_FROM = 125, 15


class Resident(NamedTuple):
    """An age and three letters: F or M, B or W, M (married) or S (single)."""

    age: int
    sex: str
    race: str
    married: str

    def __str__(self) -> str:
        return f"{self.age}{self.sex}{self.race}{self.married}"


Block: TypeAlias = tuple[Resident, ...]

KINDS = tuple(product("FM", "BW", "MS"))
"""Sex, race and whether married: the eight cells of a block."""


@dataclass(frozen=True)
class BlockRow:
    """A published row: who is counted, how many they are, median and mean of their ages.

    `who` has a letter or a dot for each of sex, race and married.
    """

    name: str
    who: str
    count: int
    median: int
    mean: float

    @cached_property
    def total(self) -> int:
        """The one sum of ages that rounds to the mean."""
        near = round(self.count * self.mean)
        (total,) = (
            total
            for total in range(near - 1, near + 2)
            if abs(total / self.count - self.mean) <= 1 / 20
        )
        return total

    def counts(self, kind: Sequence[str]) -> bool:
        """Whether a person of this kind is counted."""
        return all(letter in (".", own) for letter, own in zip(self.who, kind, strict=True))

    def fits(self, ages: Sequence[int]) -> bool:
        """Whether these are the ages of the people who are counted."""
        half, even = len(ages) // 2, len(ages) % 2 == 0
        if len(ages) != self.count or sum(ages) != self.total:
            return False
        ordered = sorted(ages)
        return ordered[half - even] + ordered[half] == 2 * self.median

    def ages(self) -> Iterator[tuple[int, ...]]:
        """All ages, in order, of the people who are counted: three or four of them."""
        rest, middle = self.total - 2 * self.median, 2 * self.median
        for b in range(self.median + 1):
            if self.count == 3 and b <= (last := self.total - self.median - b) <= OLDEST:
                yield b, self.median, last
            if self.count == 4:
                for a in range(b + 1):
                    if middle - b <= rest - a <= OLDEST:
                        yield a, b, middle - b, rest - a


TABLE = (
    BlockRow("1A", "...", 7, 30, 38),
    BlockRow("2A", "F..", 4, 30, 33.5),
    BlockRow("2B", "M..", 3, 30, 44),
    BlockRow("2C", ".B.", 4, 51, 48.5),
    BlockRow("2D", ".W.", 3, 24, 24),
    BlockRow("3B", "..M", 4, 51, 54),
    BlockRow("4A", "FB.", 3, 36, 36.7),
)
"""The rows with numbers; all others of the table are withheld as (D), which tells nothing more."""

PAIRS = (("F..", "M.."), (".B.", ".W."))
"""Rows that divide the block in two, by sex and by race."""


def solutions(rows: Sequence[BlockRow] = TABLE) -> list[Block]:
    """All blocks that the rows allow, people in order of age.

    Both rows of sex or both rows of race must be among them: the search begins with their ages.
    """
    by_who = {row.who: row for row in rows}
    place = 1 if set(PAIRS[1]) <= set(by_who) else 0
    first, second = (by_who[who] for who in PAIRS[place])
    whole = by_who.get("...")
    blocks: set[Block] = set()
    for some, others in product(first.ages(), second.ages()):
        ages = (*some, *others)
        if whole is None or whole.fits(ages):
            own = (first.who[place],) * len(some) + (second.who[place],) * len(others)
            for other in _other_letters(ages, 1 - place, by_who):
                letters = zip(*((own, other) if place == 0 else (other, own)), strict=True)
                people = [(age, *two) for age, two in zip(ages, letters, strict=True)]
                blocks.update(_married(people, by_who))
    return sorted(blocks)


def _other_letters(
    ages: Sequence[int], place: int, by_who: Mapping[str, BlockRow]
) -> Iterator[tuple[str, ...]]:
    """The letters of the other attribute; one of its rows is given, or both."""
    who, rest = sorted(PAIRS[place], key=lambda who: who not in by_who)
    chosen, against = by_who[who], by_who.get(rest)
    if any(row and row.count % 2 and row.median not in ages for row in (chosen, against)):
        return  # the median of an odd number of people is the age of one
    for group in combinations(range(len(ages)), chosen.count):
        if chosen.fits([ages[at] for at in group]):
            outside = [age for at, age in enumerate(ages) if at not in group]
            if against is None or against.fits(outside):
                yield tuple((who if at in group else rest)[place] for at in range(len(ages)))


def _married(
    people: Sequence[tuple[int, str, str]], by_who: Mapping[str, BlockRow]
) -> Iterator[Block]:
    """The blocks of people of known age, sex and race; the married are old enough."""
    row, both = by_who.get("..M"), by_who.get("FB.")
    if both and not both.fits([age for age, *two in people if two == ["F", "B"]]):
        return
    grown = [at for at, (age, *_) in enumerate(people) if age >= MARRIED_FROM]
    sizes = range(len(grown) + 1) if row is None else [row.count]
    for group in chain.from_iterable(combinations(grown, size) for size in sizes):
        if row is None or row.fits([people[at][0] for at in group]):
            residents = (
                Resident(*person, "M" if at in group else "S") for at, person in enumerate(people)
            )
            yield tuple(sorted(residents))


RISKY = "4"
"""An epsilon that is too large for seven people."""

HISTOGRAMS = np.array(
    [
        np.bincount(kinds, minlength=len(KINDS))
        for kinds in combinations_with_replacement(range(len(KINDS)), TABLE[0].count)
    ]
)
"""All numbers of people in the eight cells of a block of seven."""


def counted_histograms() -> list[Integers]:
    """Those that agree with the counts of the table."""
    inside = np.array([[row.counts(kind) for kind in KINDS] for row in TABLE])
    wanted = np.array([row.count for row in TABLE])
    return list(HISTOGRAMS[(wanted == HISTOGRAMS @ inside.T).all(axis=1)])


def blocks_of(histogram: Integers) -> int:
    """The number of blocks with such cells: in each, ages with repetition."""
    sizes = [OLDEST + 1 - (MARRIED_FROM if kind[2] == "M" else 0) for kind in KINDS]
    return prod(comb(size + n - 1, n) for size, n in zip(sizes, histogram.tolist(), strict=True))


@dataclass(frozen=True)
class Guess:
    """An attacker who knows n: how often a release, read as exact, is some block, or the true one.

    `right` is how often the most likely histogram, all alike before, is the true one.
    """

    possible: float
    exact: float
    right: float

    @classmethod
    def of(cls, block: Block, epsilon: str, alpha: str, draws: int) -> "Guess":
        """From releases of the block as one establishment."""
        kinds = [KINDS.index(resident[1:]) for resident in block]
        true = np.bincount(kinds, minlength=len(KINDS))
        noise = noisy_counts("vector_pareto", epsilon, alpha, len(KINDS))
        released = noise.release(np.tile(true, (draws, 1)), np.full(draws, len(block)))
        possible = (released >= 0).all(axis=1) & (released.sum(axis=1) == len(block))
        return cls(
            float(possible.mean()),
            float((released == true).all(axis=1).mean()),
            float(np.mean([_share_of_truth(counts, true) for counts in released])),
        )


def _share_of_truth(released: Integers, true: Integers) -> float:
    """How often the true histogram is drawn from the most likely ones.

    The noise of a block depends on its L1 norm; of two of equal norm the one with fewer zeros has
    more mass, since a zero is the narrower half of a rounded density.
    """
    apart = np.abs(HISTOGRAMS - released)
    order = (len(KINDS) + 1) * apart.sum(axis=1) + (apart == 0).sum(axis=1)
    likely = HISTOGRAMS[order == order.min()]
    return float((likely == true).all(axis=1).mean())


def _erratum() -> str:
    """What the lecture counts otherwise."""
    (men,) = (row for row in TABLE if row.name == "2B")
    ages = list(men.ages())
    born = sum(three[0] > 0 for three in ages)
    distinct = sum(three[0] > 0 and len(set(three)) == 3 for three in ages)
    return (
        f"Three ages with median {men.median} and mean {men.mean:g} are {born} combinations from "
        f"age 1 on ({len(ages)} with age 0, {distinct} if all differ). A lecture that shows the "
        "table lists as many and writes 40 (Stoyanovich, Responsible Data Science, 2022)."
    )


@finds("block")
def attack(*, epsilon: str = "1", alpha: str = "0.1", draws: int = 2000) -> AttackFinding:
    """Find all blocks of seven people that a published table allows."""
    require_between(1, 10**5, draws=draws)
    blocks = solutions()
    without = {out.name: len(solutions([row for row in TABLE if row != out])) for out in TABLE}
    few = len(solutions(TABLE[:5]))
    steps = {"1A to 2D": few, "and 3B": without["4A"], "and 4A": len(blocks)}
    left = counted_histograms()
    guess = Guess.of(blocks[0], epsilon, alpha, draws)
    risky = Guess.of(blocks[0], RISKY, alpha, draws)
    return AttackFinding(
        title="Reconstruct a block",
        number=len(blocks),
        text=counted(len(blocks), "block"),
        sentence=f"The published table leaves {counted(len(blocks), 'block')} of seven people: "
        f"{', '.join(map(str, blocks[0]))} (age, sex, race, married or single).",
        against_leeward=Against(
            round(guess.right, 4),
            f"A release of the block's eight cells at ε {epsilon} has neither medians nor "
            f"means, so no ages. Sex, race and marriage are all guessed right in "
            f"{percent(round(guess.right, 4))} of {count(draws)} releases.",
        ),
        against_nothing=Against(
            1 / len(HISTOGRAMS),
            f"Who knows of seven people alone guesses one of {count(len(HISTOGRAMS))} combinations "
            "of sex, race and marriage.",
        ),
        pictures=_pictures(steps, {epsilon: guess, RISKY: risky}),
        remarks=(
            f"The table withholds half of its rows, marked (D). Rows 1A to 2D alone leave "
            f"{count(steps['1A to 2D'])} blocks.",
            f"The counts of the table without medians and means leave {count(len(left))} of "
            f"{count(len(HISTOGRAMS))} combinations of sex, race and marriage, and "
            f"{count(sum(map(blocks_of, left)))} blocks with ages.",
            f"At ε {RISKY} the same guess is right in {percent(risky.right)} of releases: "
            f"so large an ε on seven people does leak.",
            _erratum(),
        ),
        further={
            "solutions": [[str(person) for person in block] for block in blocks],
            "without": without,
            "steps": steps,
            "histograms": len(left),
            "blocks": sum(map(blocks_of, left)),
            "by_epsilon": {epsilon: vars(guess), RISKY: vars(risky)},
        },
    )


def _pictures(steps: Mapping[str, int], guesses: Mapping[str, Guess]) -> tuple[Shares, Shares]:
    """Blocks that are left, row by row; and all seven people right, ages left out."""
    fewer = tuple(Share(rows, n, counted(n, "block"), "theirs") for rows, n in steps.items())
    right = (
        bar("the published table", 1),
        *(
            Share(f"eight cells at ε {e}", guess.right, percent(round(guess.right, 4)), "ours")
            for e, guess in guesses.items()
        ),
        bar("no release", 1 / len(HISTOGRAMS), "nothing"),
    )
    left = Shares("Each published row leaves fewer blocks, until one is left", fewer)
    title = "Sex, race and marriage of all seven: how often an attacker has them right"
    return left, Shares(title, right, most=1)
