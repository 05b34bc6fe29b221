"""Public parts: what several tables cost together where public filters keep them apart.

What is protected has one code of certain attributes, so it is in the tables that count these codes
and in no others. The price is the largest sum over such tables (composition.proof.md, Theorem 2P).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from leeward.core.codebook.attribute import TABLES, Table
from leeward.core.exact import number_text
from leeward.core.privacy.guarantee import Guarantee, over_parts, sequential
from leeward.core.privacy.policy import Person, Policy, WorkerOnly, unit_of
from leeward.core.show.numbers import listed

MOST_PARTS = 1000
"""Maximum number of sets of tables that are distinguished; with more, the losses add up."""

MOST_CROSSED = 20_000
"""Maximum number of sets before those inside others are left out."""

Kept = Mapping[str, frozenset[str]]
"""The codes that a table counts, of each attribute that it filters by."""


def separating(policy: Policy) -> tuple[Table, ...]:
    """The tables of the data whose attributes have one code for all that one step changes.

    With an α that is one establishment: X counts all its jobs, so no filter on workers or jobs
    keeps a table from seeing it. A person has one row of workers, and jobs of several codes. With
    the unit employer no attribute counts: sentences about employers count the cells of each table.
    """
    if unit_of(policy) == "employer":
        return ()
    if isinstance(policy, WorkerOnly):
        return TABLES
    return ("workers",) if isinstance(policy, Person) else ("workplaces",)


Codes = tuple[tuple[str, str], ...]
"""A combination of codes: attributes with one code each."""

Sets = dict[int, Codes]
"""Sets of tables, a bit for each, and the first combination of codes in all tables of a set."""


@dataclass(frozen=True)
class PublicPart:
    """Tables that count one combination of codes; no other combination is in all these and more.

    `codes` names the combination, an attribute and its code at a time.
    """

    tables: tuple[int, ...]
    codes: Codes = ()

    @property
    def place(self) -> str:
        """The combination in words; nothing without one."""
        return ", ".join(f"{name} {code}" for name, code in self.codes)


@dataclass(frozen=True)
class PublicParts:
    """The public parts of a set of tables, and the price of tables that are spread over them."""

    policy: Policy
    parts: tuple[PublicPart, ...]
    too_many: bool = False
    """Whether there are more parts than are distinguished, so that the losses add up."""

    @classmethod
    def of(cls, policy: Policy, kept: Sequence[Kept]) -> "PublicParts":
        """The parts of tables, by the codes of separating attributes that each one counts."""
        every = (1 << len(kept)) - 1
        sets: Sets = {every: ()}
        for name in sorted({name for own in kept for name in own}):
            free = sum(1 << at for at, own in enumerate(kept) if name not in own)
            counting = dict[str, int]()  # which tables count a code
            for at, own in enumerate(kept):
                for value in own.get(name, ()):
                    counting[value] = counting.get(value, free) | 1 << at
            distinct: Sets = {}
            for value in sorted(counting):
                distinct.setdefault(counting[value], ((name, value),))
            groups = _largest(distinct)
            if [*groups] == [every]:
                continue
            crossed: Sets = {}
            for others, code in groups.items():
                for tables, codes in sets.items():
                    crossed.setdefault(tables & others, (*codes, *code))
                if len(crossed) > MOST_CROSSED:
                    break
            sets = _largest(crossed)
            if max(len(groups), len(sets)) > MOST_PARTS or len(crossed) > MOST_CROSSED:
                return cls(policy, (_part(every, ()),), too_many=True)
        return cls(policy, tuple(_part(tables, codes) for tables, codes in sets.items()))

    @property
    def apart(self) -> bool:
        """Whether some tables have nothing in common that is protected."""
        return len(self.parts) > 1

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that keep tables apart."""
        return tuple(name for name, _ in self.parts[0].codes)

    @property
    def unit(self) -> str:
        """What is in one part only."""
        if isinstance(self.policy, Person | WorkerOnly):
            return "job" if isinstance(self.policy, WorkerOnly) else "person"
        return "establishment"

    def price(self, charges: Sequence[Guarantee]) -> Guarantee:
        """What all tables cost: of each loss the largest sum over the tables of a part."""
        return over_parts(
            *(sequential(*(charges[at] for at in part.tables)) for part in self.parts)
        )

    def largest(self, amounts: Sequence[Fraction]) -> tuple[Fraction, PublicPart]:
        """The largest sum, and the first part that has it."""
        sums = [sum((amounts[at] for at in part.tables), Fraction(0)) for part in self.parts]
        return max(sums), self.parts[sums.index(max(sums))]


@dataclass(frozen=True)
class PricedTables:
    """Tables with what each one costs: their price, and how it follows."""

    parts: PublicParts
    names: tuple[str, ...]
    charges: tuple[Guarantee, ...]

    @cached_property
    def price(self) -> Guarantee:
        """What they cost together."""
        return self.parts.price(self.charges)

    @property
    def sentence(self) -> str:
        """How the price follows from those of the tables; nothing where they simply add up."""
        if self.parts.too_many:
            return (
                f"The filters make more than {MOST_PARTS:,} parts, which are not distinguished: "
                "the losses add up."
            )
        if not self.parts.apart:
            return ""
        most, part = self.parts.largest(self._amounts)
        return (
            f"Each {self.parts.unit} has one code of {listed(self.parts.attributes)}, so the price "
            "is the largest sum over tables that count the same codes: "
            f"{self.price.currency} {number_text(most)} for {part.place} "
            f"({listed(self.names[at] for at in part.tables)}). All tables together would add up "
            f"to {number_text(sum(self._amounts, Fraction(0)))}."
        )

    def stated(self) -> dict[str, object] | None:
        """The same for programs, with exact numbers as text; None where the prices add up."""
        if not self.parts.apart:
            return None
        _, part = self.parts.largest(self._amounts)
        return {
            "attributes": self.parts.attributes,
            "codes": dict(part.codes),
            "tables": tuple(self.names[at] for at in part.tables),
            "added": str(sum(self._amounts, Fraction(0))),
            "sentence": self.sentence,
        }

    @property
    def _amounts(self) -> tuple[Fraction, ...]:
        """What each table costs, in the currency of the price."""
        rho = self.price.currency == "rho"
        return tuple(charge.rho if rho else charge.epsilon for charge in self.charges)


def _largest(sets: Sets) -> Sets:
    """The sets of tables that are inside no other one, the most tables first.

    They are counted up to one above the bound.
    """
    chosen: Sets = {}
    for tables in sorted(sets, key=lambda tables: (-tables.bit_count(), sets[tables])):
        if all(tables & ~other for other in chosen):
            chosen[tables] = sets[tables]
        if len(chosen) > MOST_PARTS:
            break
    return chosen


def _part(tables: int, codes: Codes) -> PublicPart:
    return PublicPart(tuple(at for at in range(tables.bit_length()) if tables >> at & 1), codes)
