"""Inspection page: an inspection as sentences, charts and one HTML file that needs no network."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil

from leeward.core.show.charts import Couples, couples
from leeward.core.show.environment import template
from leeward.core.show.heat import HeatMap, Shades
from leeward.core.show.notebook import INTERNAL, PageRow
from leeward.core.show.numbers import count, counted, crossed, listed, percent
from leeward.systems.synth.closeness import Apart, ColumnPair, OneColumn, mean_apart
from leeward.systems.synth.inspection import BAD_AT, Inspection, Reproduction

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


def findings(inspection: Inspection) -> Iterator[str]:
    """The answer of the command in sentences."""
    rows = inspection.rows
    yield (
        f"{counted(rows['synthetic'], 'synthetic row')} beside "
        f"{counted(rows['real'], 'real row')}, {counted(len(inspection.columns), 'column')}."
    )
    for name, tables in (
        ("column", inspection.columns),
        ("pair", inspection.pairs),
        ("random triple", inspection.triples),
    ):
        if tables:
            mean, worst = mean_apart(tables), max(tables, key=lambda apart: apart.distance)
            alone = "" if name == "column" else f", independent columns {mean.independent:.4f}"
            yield (
                f"Mean distance (TVD) over {counted(len(tables), name)}: {mean.distance:.4f}; rows "
                f"drawn anew from the real ones {mean.resampled:.4f}{alone}. Worst: "
                f"{crossed(worst.columns)}, {worst.distance:.4f}."
            )
    for score in inspection.scores:
        yield (
            f"A model of {score.target} is right for {percent(score.synthetic)} of real rows if "
            f"trained on synthetic ones, {percent(score.real)} if on real ones; always the most "
            f"frequent value: {percent(score.most_frequent)}."
        )
    yield from _sound(inspection)


def _sound(inspection: Inspection) -> Iterator[str]:
    broken, broken_by_real = (
        sum(bool(getattr(violation, name)) for violation in inspection.violations)
        for name in ("synthetic", "real")
    )
    yield (
        f"Of {counted(len(inspection.violations), 'rule')} of the codebook, synthetic rows break "
        f"{broken} and real ones {broken_by_real}."
    )
    unique = inspection.uniqueness
    yield (
        f"Of synthetic rows {percent(unique.copied)} equal a real row that is unique. With rows "
        f"that are unique in one half of the real file: {percent(unique.of_half)} of synthetic "
        f"rows, {percent(unique.by_holdout)} of the other half."
    )
    if inspection.reproduction is not None:
        yield from _reproduced(inspection.reproduction)


def _reproduced(reproduction: Reproduction) -> Iterator[str]:
    if not reproduction.findings:
        yield f"Linked rows reproduce every published table exactly: {listed(reproduction.tables)}."
    yield from (
        f"Linked rows are not what was published: {finding}." for finding in reproduction.findings
    )


def page(inspection: Inspection) -> str:
    """The whole page."""
    names = [column.columns[0] for column in inspection.columns]
    columns = sorted(inspection.columns, key=lambda column: -column.distance)
    pairs = sorted(inspection.pairs, key=lambda pair: -pair.distance)
    triples = sorted(inspection.triples, key=lambda triple: -triple.distance)
    return template("synth/inspection.html.j2").render(
        mark=INTERNAL,
        found=inspection,
        findings=list(_sound(inspection)),
        summary=list(_summary(inspection)),
        columns=[(column, column_chart(column)) for column in columns],
        heats=list(_heats(names, inspection)) if inspection.pairs else [],
        worst=[_row(pair) for pair in pairs[:WORST]],
        triples=[_row(three) for three in triples],
        scores=[PageRow(score.target,
                        tuple(map(percent, (score.synthetic, score.real, score.most_frequent))))
                for score in inspection.scores],
        broken=[PageRow(violation.rule, (count(violation.synthetic), count(violation.real)))
                for violation in inspection.violations if violation.real or violation.synthetic],
        bad_at=BAD_AT,
    )  # fmt: skip


def _summary(inspection: Inspection) -> Iterator[PageRow]:
    for name, tables in (
        ("Single columns", inspection.columns),
        ("Pairs", inspection.pairs),
        ("Random triples", inspection.triples),
    ):
        if tables:
            mean = mean_apart(tables)
            worst = max(tables, key=lambda apart: apart.distance)
            farthest = f"{crossed(worst.columns)} ({worst.distance:.4f})"
            three = _three(mean, alone=tables is inspection.columns)
            yield PageRow(name, (farthest, f"{len(tables)}", *three))


def _row(apart: Apart) -> PageRow:
    return PageRow(crossed(apart.columns), _three(apart))


def _three(apart: Apart, *, alone: bool = False) -> tuple[str, ...]:
    """A distance and its two yardsticks; a column alone has nothing to be independent of."""
    last = "–" if alone else f"{apart.independent:.4f}"
    return f"{apart.distance:.4f}", f"{apart.resampled:.4f}", last


def column_chart(column: OneColumn) -> Couples:
    """Shares of real and synthetic rows by value; many values are added up."""
    real, synthetic = max(sum(column.real), 1), max(sum(column.synthetic), 1)
    items = [(label, first / real, second / synthetic) for label, first, second in _bars(column)]
    title = f"{column.columns[0]}: shares of real and of synthetic rows"
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
    seen = sum(row[1] + row[2] for row in frequent)
    if column.ordered and 2 * seen < sum(column.real) + sum(column.synthetic):
        classes = [row for row in rows if row[0] != MISSING]
        step = ceil(len(classes) / (MOST_BARS - 1))
        parts = [classes[at : at + step] for at in range(0, len(classes), step)]
        joined = [
            (" … ".join(dict.fromkeys((part[0][0], part[-1][0]))), *_added(part)) for part in parts
        ]
        return [*joined, *(row for row in rows if row[0] == MISSING)]
    rest = [row for row in rows if row not in frequent]
    other = (f"{len(rest)} other values", *_added(rest))
    return [*(row for row in rows if row in frequent), other]


def _added(rows: Sequence[Value]) -> tuple[int, int]:
    return sum(row[1] for row in rows), sum(row[2] for row in rows)


def _heats(names: Sequence[str], inspection: Inspection) -> Iterator[HeatMap]:
    alone = {column.columns[0]: column.distance for column in inspection.columns}
    pairs = inspection.pairs
    real = _square(names, pairs, lambda pair: 100 * pair.real_information)
    made_up = _square(names, pairs, lambda pair: 100 * pair.synthetic_information)
    change = _square(names, pairs, lambda pair: 100 * (pair.synthetic_information
                                                       - pair.real_information))  # fmt: skip
    apart = _square(names, pairs, lambda pair: 1000 * pair.distance)
    for at, name in enumerate(names):
        apart[at][at] = round(1000 * alone[name])
    same = "the same column"
    for title, cells, shades, unit in (
        ("Distance of pairs; on the diagonal, of single columns", apart, DISTANCES, "thousandths"),
        ("Mutual information, real", real, INFORMATION, "hundredths"),
        ("Mutual information, synthetic", made_up, INFORMATION, "hundredths"),
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
