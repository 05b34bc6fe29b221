"""Exams of public parts: tables of a plan with filters, priced as plans price them.

One establishment changes, in one place. A table whose filter leaves the place out draws from the
same laws before and after; all others lose, and their losses add up. Tables with a filter on
workers count some jobs of the establishment, and their noise follows the size of all.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

from leeward.core.codebook import Attribute, Dimension, Marginal
from leeward.core.codebook.attribute import Table
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.table_measurement import measurement
from leeward.core.privacy import Guarantee, policy
from leeward.core.privacy.public_parts import Kept, PublicParts, separating
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import ALPHA, EPSILON
from leeward.lab.audit.loss import NONE, PrivacyLoss, worst
from leeward.lab.audit.neighbours import DatabasePair, Depth, block_pairs
from leeward.lab.audit.row import Claim, PolicyLine, Row
from leeward.lab.audit.table_exam import Part, Recorded, part_loss, step


def _attribute(name: str, table: Table, *codes: str) -> Attribute:
    recode = {code: at for at, code in enumerate(codes)}
    return Attribute(name, table, name, codes, codes, table == "workplaces", recode)


PLACE = _attribute("place", "workplaces", "north", "south")
SEX = _attribute("sex", "workers", "M", "F")
AGE = _attribute("age", "workers", "to 20", "above 20")
ATTRIBUTES = {attribute.name: attribute for attribute in (PLACE, SEX, AGE)}
KINDS = tuple(product(SEX.codes, AGE.codes))
"""The kinds of workers of every establishment."""

Filters = tuple[tuple[str, str], ...]
"""The one code that a table keeps of each attribute that it filters by."""


@dataclass(frozen=True)
class FilteredTable:
    """A total with filters: its measurement, and what it costs."""

    filters: Filters
    measurement: Measurement
    charge: Guarantee

    @classmethod
    def planned(cls, mechanism: str, filters: Filters, part: Guarantee) -> "FilteredTable":
        """The table of a plan; margins are left out."""
        kept = (Dimension.keeping(ATTRIBUTES[name], (code,)) for name, code in filters)
        marginal = Marginal("table", (), (), filters=tuple(kept))
        calibrated = measurement(mechanism, marginal, part, None)
        price = calibrated.guarantee(part.policy, table=marginal.kind)
        return cls(filters, calibrated, price)

    def kept(self, attributes: Iterable[str]) -> Kept:
        """Its filters by these attributes."""
        return {name: frozenset({code}) for name, code in self.filters if name in attributes}

    def parts(self, place: str, database: Database) -> tuple[Part, ...]:
        """The distributions of its draws, if all establishments are in this place."""
        wanted = dict(self.filters)
        if wanted.get(PLACE.name, place) != place:
            return ()
        counted = [
            wanted.get(SEX.name, sex) == sex and wanted.get(AGE.name, age) == age
            for sex, age in KINDS
        ]
        split = []  # the jobs that count, and the others, which are only in the size
        for force in database.establishments:
            inside = sum(jobs for jobs, counts in zip(force.jobs, counted, strict=True) if counts)
            split.append((inside, force.size - inside))
        return Recorded.of(self.measurement, Database.of(*split)).parts


def priced(
    tables: Iterable[FilteredTable], *, attributes: Iterable[str] | None = None
) -> Guarantee:
    """What a plan of these tables costs; `attributes` in place of those that keep tables apart."""
    listed = tuple(tables)
    protected = listed[0].charge.policy
    homes = separating(protected)
    named = [name for name, known in ATTRIBUTES.items() if known.table in homes]
    apart = tuple(named if attributes is None else attributes)
    parts = PublicParts.of(protected, [table.kept(apart) for table in listed])
    return parts.price([table.charge for table in listed])


def neighbours(name: str, depth: Depth) -> Iterator[DatabasePair]:
    """Establishments with workers of all kinds; one establishment changes."""
    protected, kinds = policy(name), len(KINDS)
    if protected.uses_alpha:
        yield from block_pairs(protected, ALPHA, (kinds,), depth, 100, first=4)
        return
    for others, at in product((0, 1, 100), range(kinds)):
        after = tuple(others + (at == kind) for kind in range(kinds))
        yield from DatabasePair.of((others,) * kinds, after).admitted(protected, None)


def table_loss(
    table: FilteredTable, place: str, pair: DatabasePair, claimed: Fraction
) -> PrivacyLoss:
    """The loss of one table where the establishments of a pair are in a place."""
    before, after = (table.parts(place, database) for database in pair.databases)
    drawn = zip(before, after, strict=True)
    return reduce(PrivacyLoss.plus, (part_loss(*both, claimed) for both in drawn), NONE)


def examine_parts(
    tables: Iterable[FilteredTable], pairs: Iterable[DatabasePair], claimed: Fraction
) -> PrivacyLoss:
    """The worst pair in the worst place; of all tables together."""
    released, known = tuple(tables), dict[object, PrivacyLoss]()
    for pair, place in product(pairs, PLACE.codes):
        moves = tuple(
            tuple(map(step, *(table.parts(place, database) for database in pair.databases)))
            for table in released
        )
        if moves not in known:  # pairs that agree in these lose alike
            losses = (table_loss(table, place, pair, claimed) for table in released)
            known[moves] = reduce(PrivacyLoss.plus, losses)
    return worst(known.values())


@dataclass(frozen=True)
class PartsLine(PolicyLine):
    """Tables of a plan with filters, each at its own ε."""

    detail: str
    tables: tuple[tuple[Filters, Fraction], ...]
    mechanism: str = "slope"
    policy: str = "strong"

    @property
    def planned(self) -> tuple[FilteredTable, ...]:
        """The tables, as a plan has them."""
        alpha = ALPHA if policy(self.policy).uses_alpha else None
        return tuple(
            FilteredTable.planned(self.mechanism, filters, Guarantee(self.policy, alpha, epsilon))
            for filters, epsilon in self.tables
        )

    def rows(self, _: object, depth: Depth) -> Iterator[Row]:
        """One row: the price of the plan, beside what all tables lose."""
        tables = self.planned
        charge = priced(tables)
        claim = Claim(
            self.mechanism, "tight", self.policy, charge.alpha, charge.epsilon, detail=self.detail
        )
        yield Row(claim, examine_parts(tables, neighbours(self.policy, depth), charge.epsilon))


NORTH, SOUTH = ((PLACE.name, "north"),), ((PLACE.name, "south"),)
WOMEN, MEN, OLDER = ((SEX.name, "F"),), ((SEX.name, "M"),), ((AGE.name, "above 20"),)
FOUR_STATEMENTS = tuple(
    zip(((), MEN, WOMEN, OLDER), map(Fraction, ("0.5", "0.2", "0.25", "0.25")), strict=True)
)
"""Those of the lecture: 1.2 in all, and 1 for one job."""

PLACES = PartsLine("two places, two tables", ((NORTH, EPSILON), (SOUTH, EPSILON)))
OVERLAP = PartsLine("a place, and all places", ((NORTH, EPSILON), ((), EPSILON)))
SEXES = PartsLine(
    "women, and men", ((WOMEN, Fraction(2)), (MEN, Fraction(2))), mechanism="vector_pareto"
)
PARTS_LINES: tuple[PartsLine, ...] = (
    PLACES,
    OVERLAP,
    SEXES,
    PartsLine(
        "four statements of a lecture", FOUR_STATEMENTS, mechanism="edge_laplace", policy="worker"
    ),
)


def overlap_priced_apart(depth: Depth) -> PrivacyLoss:
    """The largest price of two tables that both count a place."""
    return examine_parts(OVERLAP.planned, neighbours("strong", depth), EPSILON)


def workers_priced_apart(depth: Depth) -> PrivacyLoss:
    """The price if a filter on workers kept tables from seeing the same establishment."""
    claimed = priced(SEXES.planned, attributes=[SEX.name]).epsilon
    return examine_parts(SEXES.planned, neighbours("strong", depth), claimed)


PARTS_FAULTS: dict[str, tuple[PartsLine, Fraction, Callable[[Depth], PrivacyLoss]]] = {
    "tables that overlap priced as if apart": (OVERLAP, EPSILON, overlap_priced_apart),
    "filters on workers taken to keep apart": (SEXES, Fraction(2), workers_priced_apart),
}
"""Broken twins: what they are about, the price that they claim, and what is lost."""
