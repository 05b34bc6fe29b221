"""Junction: how the tables of a plan hang together, and in which order rows get their codes.

The finest workplace cells have the tables that rows reproduce: cliques. A clique gives its codes to
the jobs of a workplace cell, those with equal codes of what earlier cliques gave (its separator).
So every clique is exact if cliques agree on separators, which tidying sees to where the plan has a
table of the separator. Tables by coarser workplaces that cross codes of two cliques are guides:
they say how these go together, and are followed as far as the cliques allow.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leeward.core.errors import InvalidParameter, LeewardError, raise_all
from leeward.derived.settle.adding_up import Settlement
from leeward.derived.settle.noisy_table import NoisyTable


@dataclass(frozen=True)
class Link:
    """A guide that ties codes `right` of one clique to codes `left` of another."""

    guide: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    cliques: tuple[str, str]


@dataclass(frozen=True)
class Turn:
    """What jobs get next: codes `new`, by a table, among jobs of equal codes `given`."""

    table: str
    given: tuple[str, ...]
    new: tuple[str, ...]
    link: Link | None = None


@dataclass(frozen=True)
class Junction:
    """The tables of a plan by what they are to the rows; the sums of `base` count every job."""

    base: NoisyTable
    cliques: tuple[NoisyTable, ...]
    sums: tuple[NoisyTable, ...]
    guides: tuple[NoisyTable, ...]

    @classmethod
    def of(
        cls, tables: Sequence[NoisyTable], impossible: Sequence[Mapping[str, str]]
    ) -> "Junction":
        """Tables of counts without filters; what rows cannot reproduce is refused."""
        base = _base(tables)
        fine = [table for table in tables if {*table.workplace} == {*base.workplace}]
        cliques = [table for table in fine if table.worker and not _summed(table, fine)]
        rest = [table for table in tables if table not in cliques]
        sums = [
            table
            for table in rest
            if not table.worker or any(clique.divides(table) for clique in cliques)
        ]
        guides = [table for table in rest if table not in sums]
        if not cliques:
            raise InvalidParameter(
                "tables",
                rule="must have attributes of workers or jobs by the finest workplaces",
                value="none",
                next_step="Write the tables as breakdowns of one product.",
            )
        raise_all(
            [
                *_derived_apart(cliques),
                *_structural_zeros(cliques, impossible),
                *_separators_apart(cliques, fine),
            ]
        )
        Settlement(tables).settle()  # refuses tables that tidying would refuse
        return cls(base, tuple(cliques), tuple(sums), tuple(guides))

    @property
    def worker(self) -> tuple[str, ...]:
        """The attributes that rows have."""
        return tuple(dict.fromkeys(name for clique in self.cliques for name in clique.worker))

    @property
    def worker_codes(self) -> dict[str, tuple[str, ...]]:
        """Their codes."""
        return {name: clique.codes[name] for clique in self.cliques for name in clique.worker}

    def link(self, guide: NoisyTable) -> Link | str:
        """The two cliques that a guide ties, or why it is not followed."""
        sides = []
        for clique in self.cliques:
            both = [name for name in guide.worker if name in clique.worker]
            same = tuple(name for name in both if clique.codes[name] == guide.codes[name])
            sides.append((clique.name, same))
        known = {name for _, side in sides for name in side}
        if {*guide.worker} - known:
            return "it has attributes that rows do not have"
        whole = [table for table in self.cliques if {*guide.worker} & {*table.worker}]
        if guide.partial or any(table.partial for table in whole):
            return "an attribute of it leaves jobs out"
        for first, left in sides:
            for second, right in sides:
                if first != second and left and {*left, *right} == {*guide.worker}:
                    rest = tuple(name for name in right if name not in left)
                    return Link(guide.name, left, rest, (first, second))
        return "it crosses more than two tables"

    def turns(self, links: Sequence[Link]) -> tuple[tuple[Turn, ...], tuple[Link, ...]]:
        """The order in which codes are given, and the links that no stronger one made idle.

        Links come strongest first. Cliques and links that are followed form a forest.
        """
        parts = [[table] for table in self.cliques]
        for clique in self.cliques:
            for other in self.cliques:
                if {*clique.worker} & {*other.worker}:
                    parts = _merged(parts, clique.name, other.name)
        followed = []
        for link in links:
            if _part(parts, link.cliques[0]) is not _part(parts, link.cliques[1]):
                parts = _merged(parts, *link.cliques)
                followed.append(link)
        order = [turn for part in parts for turn in self._spread(part, followed)]
        return tuple(order), tuple(followed)

    def _spread(self, part: Sequence[NoisyTable], links: Sequence[Link]) -> Iterator[Turn]:
        """Through one part of the forest, from its first clique on."""
        left = [*part]
        placed: list[NoisyTable] = []
        while left:
            clique, link = _next(left, placed, links)
            have = {name for table in placed for name in table.worker}
            if link is not None:
                yield Turn(link.guide, link.left, link.right, link)
                have |= {*link.right}
            given = tuple(name for name in clique.worker if name in have)
            new = tuple(name for name in clique.worker if name not in have)
            if new:
                yield Turn(clique.name, given, new)
            placed.append(clique)
            left.remove(clique)


def _next(
    left: Sequence[NoisyTable], placed: Sequence[NoisyTable], links: Sequence[Link]
) -> tuple[NoisyTable, Link | None]:
    """The clique that shares most attributes with those placed, or that a link ties to one."""
    have = {name for table in placed for name in table.worker}
    names = {table.name for table in placed}
    nearest = max(left, key=lambda table: len(have & {*table.worker}))
    if not placed or have & {*nearest.worker}:
        return nearest, None
    for link in links:
        for table in left:
            if table.name in link.cliques and names & {*link.cliques}:
                turned = Link(link.guide, link.right, link.left, link.cliques[::-1])
                return table, link if table.name == link.cliques[1] else turned
    raise AssertionError("a part of the forest hangs together")


def _part(parts: Sequence[list[NoisyTable]], name: str) -> list[NoisyTable]:
    return next(part for part in parts if name in [table.name for table in part])


def _merged(parts: Sequence[list[NoisyTable]], first: str, second: str) -> list[list[NoisyTable]]:
    tables, other = _part(parts, first), _part(parts, second)
    if tables is other:
        return [*parts]
    return [tables + other if part is tables else part for part in parts if part is not other]


def _base(tables: Sequence[NoisyTable]) -> NoisyTable:
    """The table of every job by workplaces that those of all tables are sums of."""
    totals = [table.total() for table in tables]
    for total, table in zip(totals, tables, strict=True):
        if all(total.divides(other) for other in totals) and table.covers(total):
            return table
    raise InvalidParameter(
        "tables",
        rule="must have one that counts every job by workplace attributes of which those of all "
        "others are sums",
        value=", ".join(table.name for table in tables),
        next_step="Write one product by all workplace attributes that you need, and others by "
        "some of them.",
    )


def _summed(table: NoisyTable, tables: Sequence[NoisyTable]) -> bool:
    """Whether a table is the sum of another; of two alike the first one stays."""
    for other in tables:
        if other is table:
            continue
        first = next(each for each in tables if each is other or each is table)
        if other.divides(table) and (first is other or not table.divides(other)):
            return True
    return False


def _derived_apart(cliques: Sequence[NoisyTable]) -> Iterator[LeewardError]:
    """An attribute and a coarser one of it in two tables would be drawn apart."""
    for clique in cliques:
        for other in cliques:
            for name in {*clique.parents} & {*other.worker} if clique is not other else ():
                yield InvalidParameter(
                    "tables.breakdowns",
                    rule="must not have an attribute in one table and a coarser one of it in "
                    "another: rows would not agree with themselves",
                    value=f"{clique.parents[name][0]} in {clique.name}, {name} in {other.name}",
                    next_step=f"Write {clique.parents[name][0]} in place of {name}.",
                )


def _structural_zeros(
    cliques: Sequence[NoisyTable], impossible: Sequence[Mapping[str, str]]
) -> Iterator[LeewardError]:
    """Codes that cannot meet must be drawn together."""
    worker = {name for table in cliques for name in table.worker}
    apart = dict.fromkeys(
        tuple(codes)
        for codes in impossible
        if {*codes} <= worker and not any({*codes} <= {*clique.worker} for clique in cliques)
    )
    for names in apart:
        yield InvalidParameter(
            "tables.breakdowns",
            rule="must cross attributes of which the codebook calls combinations impossible: "
            "rows would have them",
            value=", ".join(names),
            next_step=f"Write [{', '.join(names)}] in place of the single attributes.",
        )


def _separators_apart(
    cliques: Sequence[NoisyTable], fine: Sequence[NoisyTable]
) -> Iterator[LeewardError]:
    """Tables that share attributes must agree on them, and hang together like a tree."""
    left, placed = [*cliques], list[NoisyTable]()
    while left:
        have = {name for table in placed for name in table.worker}
        clique = max(left, key=lambda table: len(have & {*table.worker}))
        shared = [name for name in clique.worker if name in have]
        within = any({*shared} <= {*table.worker} for table in placed)
        agreed = any({*shared} == {*table.worker} for table in fine)
        if shared and not (within and agreed):
            yield InvalidParameter(
                "tables.breakdowns",
                rule="must cross attributes like a tree, with a table of what two tables share: "
                "rows could not reproduce both",
                value=f"{clique.name}, which shares {', '.join(shared)} with others",
                next_step=f"Add [{', '.join(shared)}] to the breakdowns, or cross fewer."
                if within
                else "Cross fewer attributes, or all of them in one table.",
            )
        placed.append(clique)
        left.remove(clique)
