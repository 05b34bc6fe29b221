"""Inspection page: an inspection as sentences, charts and one HTML file that needs no network."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil

from leeward.core.show.charts import Couples, couples
from leeward.core.show.environment import template
from leeward.core.show.heat import HeatMap, Shades
from leeward.core.show.numbers import count, counted, crossed, listed, percent
from leeward.core.show.page_rows import INTERNAL, PageRow
from leeward.systems.synth.inspection import (
    BAD_AT,
    Apart,
    ColumnPair,
    Inspection,
    OneColumn,
    Reproduction,
    Score,
    mean_apart,
)

MOST_BARS = 12
"""Bars of a column; of more values the rest is added up."""

WORST = 10
"""Pairs that are listed."""

NAMES = ("Real", "Synthetic")
MISSING = "missing"
DISTANCES = Shades((0, 10, 20, 50, 100, 200, 400), "0 is equal, 1,000 is disjoint.")
INFORMATION = Shades((0, 1, 2, 5, 10, 20, 40), "0 is independent, 100 is the same column.")
CHANGES = Shades((0, 1, 2, 5, 10, 20, 40), "Below 0, synthetic columns tell less of each other.",
                 signed=True)  # fmt: skip
"""Fixed steps: pages of two methods can be laid side by side."""


def findings(found: Inspection) -> Iterator[str]:
    """The answer of the command in sentences."""
    yield (
        f"{counted(found.rows['synthetic'], 'synthetic row')} beside "
        f"{counted(found.rows['real'], 'real row')}, {counted(len(found.columns), 'column')}."
    )
    for name, tables in (
        ("column", found.columns),
        ("pair", found.pairs),
        ("random triple", found.triples),
    ):
        if tables:
            yield _distances(name, tables)
    yield from map(_taught, found.scores)
    yield from _sound(found)


def _distances(name: str, tables: Sequence[Apart]) -> str:
    mean, worst = mean_apart(tables), max(tables, key=lambda one: one.distance)
    apart = "" if name == "column" else f", independent columns {mean.independent:.4f}"
    return (
        f"Mean distance (TVD) over {counted(len(tables), name)}: {mean.distance:.4f}; rows drawn "
        f"anew from the real ones {mean.resampled:.4f}{apart}. Worst: {crossed(worst.columns)}, "
        f"{worst.distance:.4f}."
    )


def _taught(score: Score) -> str:
    return (
        f"A model of {score.target} is right for {percent(score.synthetic)} of real rows if "
        f"trained on synthetic ones, {percent(score.real)} if on real ones; always the most "
        f"frequent value: {percent(score.most_frequent)}."
    )


def _sound(found: Inspection) -> Iterator[str]:
    yield _rules(found)
    yield _copies(found)
    if found.reproduction is not None:
        yield from _reproduced(found.reproduction)


def _reproduced(reproduction: Reproduction) -> Iterator[str]:
    if not reproduction.findings:
        yield f"Linked rows reproduce every published table exactly: {listed(reproduction.tables)}."
    yield from (
        f"Linked rows are not what was published: {finding}." for finding in reproduction.findings
    )


def _rules(found: Inspection) -> str:
    made, real = (
        sum(bool(getattr(violation, name)) for violation in found.violations)
        for name in ("synthetic", "real")
    )
    return (
        f"Of {counted(len(found.violations), 'rule')} of the codebook, synthetic rows break {made} "
        f"and real ones {real}."
    )


def _copies(found: Inspection) -> str:
    unique = found.uniqueness
    return (
        f"Of synthetic rows {percent(unique.copied)} equal a real row that is unique. With rows "
        f"that are unique in one half of the real file: {percent(unique.of_half)} of synthetic "
        f"rows, {percent(unique.by_holdout)} of the other half."
    )


def page(found: Inspection) -> str:
    """The whole page."""
    names = [column.columns[0] for column in found.columns]
    ordered = sorted(found.columns, key=lambda column: -column.distance)
    return template("synth/inspection.html.j2").render(
        mark=INTERNAL,
        found=found,
        findings=list(_sound(found)),
        summary=list(_summary(found)),
        columns=[(column, column_chart(column)) for column in ordered],
        heats=list(_heats(names, found)) if found.pairs else [],
        worst=[_row(pair) for pair in sorted(found.pairs, key=lambda pair: -pair.distance)[:WORST]],
        triples=[_row(three) for three in sorted(found.triples, key=lambda three: -three.distance)],
        scores=[PageRow(score.target,
                        tuple(map(percent, (score.synthetic, score.real, score.most_frequent))))
                for score in found.scores],
        broken=[PageRow(violation.rule, (count(violation.synthetic), count(violation.real)))
                for violation in found.violations if violation.real or violation.synthetic],
        bad_at=BAD_AT,
    )  # fmt: skip


def _summary(found: Inspection) -> Iterator[PageRow]:
    for name, tables in (
        ("Single columns", found.columns),
        ("Pairs", found.pairs),
        ("Random triples", found.triples),
    ):
        if tables:
            mean = mean_apart(tables)
            worst = max(tables, key=lambda apart: apart.distance)
            farthest = f"{crossed(worst.columns)} ({worst.distance:.4f})"
            three = _three(mean, alone=tables is found.columns)
            yield PageRow(name, (farthest, f"{len(tables)}", *three))


def _row(apart: Apart) -> PageRow:
    return PageRow(crossed(apart.columns), _three(apart))


def _three(apart: Apart, *, alone: bool = False) -> tuple[str, ...]:
    """A distance and its two yardsticks; a column alone has nothing to be independent of."""
    last = "–" if alone else f"{apart.independent:.4f}"
    return f"{apart.distance:.4f}", f"{apart.resampled:.4f}", last


def column_chart(one: OneColumn) -> Couples:
    """Shares of real and synthetic rows by value; many values are added up."""
    real, made = max(sum(one.real), 1), max(sum(one.synthetic), 1)
    items = [(label, first / real, second / made) for label, first, second in _bars(one)]
    title = f"{one.columns[0]}: shares of real and of synthetic rows"
    return couples(items, title=title, head="Value", names=NAMES)


Value = tuple[str, int, int]
"""A value with its real and its synthetic rows."""


def _bars(column: OneColumn) -> list[Value]:
    """All values if they are few; else the most frequent, or neighbours joined if none is."""
    rows = [
        (MISSING if value is None else value, first, second)
        for value, first, second in zip(column.values, column.real, column.synthetic, strict=True)
        if value is not None or first or second
    ]
    if len(rows) <= MOST_BARS:
        return rows
    frequent = sorted(rows, key=lambda row: -row[1] - row[2])[: MOST_BARS - 1]
    held = sum(row[1] + row[2] for row in frequent)
    if column.ordered and 2 * held < sum(column.real) + sum(column.synthetic):
        return list(_joined(rows))
    rest = [row for row in rows if row not in frequent]
    other = (f"{len(rest)} other values", sum(r[1] for r in rest), sum(r[2] for r in rest))
    return [*(row for row in rows if row in frequent), other]


def _joined(rows: Sequence[Value]) -> Iterator[Value]:
    classes = [row for row in rows if row[0] != MISSING]
    step = ceil(len(classes) / (MOST_BARS - 1))
    for at in range(0, len(classes), step):
        part = classes[at : at + step]
        ends = dict.fromkeys((part[0][0], part[-1][0]))
        yield " … ".join(ends), sum(r[1] for r in part), sum(r[2] for r in part)
    yield from (row for row in rows if row[0] == MISSING)


def _heats(names: Sequence[str], found: Inspection) -> Iterator[HeatMap]:
    alone = {column.columns[0]: column.distance for column in found.columns}
    real = _square(names, found.pairs, lambda pair: 100 * pair.real_information)
    made = _square(names, found.pairs, lambda column_pair: 100 * column_pair.synthetic_information)
    change = _square(names, found.pairs, lambda pair: 100 * (pair.synthetic_information
                                                            - pair.real_information))  # fmt: skip
    apart = _square(names, found.pairs, lambda pair: 1000 * pair.distance)
    for at, name in enumerate(names):
        apart[at][at] = round(1000 * alone[name])
    same = "the same column"
    for title, cells, shades, unit in (
        ("Distance of pairs; on the diagonal, of single columns", apart, DISTANCES, "thousandths"),
        ("Mutual information, real", real, INFORMATION, "hundredths"),
        ("Mutual information, synthetic", made, INFORMATION, "hundredths"),
        ("Mutual information, synthetic less real", change, CHANGES, "hundredths"),
    ):
        yield HeatMap(title, names, names, cells, shades, unit, same)


def _square(
    names: Sequence[str], pairs: Sequence[ColumnPair], value: Callable[[ColumnPair], float]
) -> list[list[int | None]]:
    """A number for each pair, on both sides of the diagonal."""
    at = {name: place for place, name in enumerate(names)}
    cells: list[list[int | None]] = [[None] * len(names) for _ in names]
    for pair in pairs:
        first, second = (at[name] for name in pair.columns)
        cells[first][second] = cells[second][first] = round(value(pair))
    return cells
