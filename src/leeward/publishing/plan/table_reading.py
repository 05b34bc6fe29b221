"""Table reading: the tables of a plan, looked up in the codebook."""

from collections.abc import Iterator, Mapping
from functools import partial

from leeward.core.codebook import COUNT, Attribute, Breakdown, Codebook, Dimension, Marginal
from leeward.core.codebook.totals import families
from leeward.core.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.core.mechanisms.parameters import MOST_CELLS
from leeward.publishing.plan.reading import Gathering
from leeward.publishing.plan.request import ALL, WrittenTable, as_list, total_names
from leeward.publishing.plan.statistic_reading import forbidden, read_statistic

MOST_WORKPLACE_CELLS = 2**40
MOST_COMPLETE_ROWS = 10**9
MOST_COMPLETE_TOTALS = 10**8
MOST_TOTALS = 6
"""Maximum number of attributes with totals."""

MOST_DRAWN_TOTALS = 1 << 15
"""Maximum number of totals whose draws are in memory together, 8,000 bytes each."""


def read_marginal(written: WrittenTable, codebook: Codebook) -> Marginal:
    """Look up the attributes and codes; rejects the undeclared, the private and the unlisted."""
    gathering, beside = Gathering(), Gathering()
    statistic = beside.attempt(lambda: read_statistic(written, codebook)) or COUNT
    if len(set(written.by)) < len(written.by):
        gathering.problems.append(
            InvalidParameter(
                "by",
                rule="must name each attribute once",
                value=f"[{', '.join(written.by)}]",
                next_step="List the attributes of the table; [] is one total.",
            )
        )
    breakdowns = _breakdowns(written, codebook, gathering) if written.breakdowns else ()
    gathering.keep(beside.problems)  # after those of the breakdowns
    gathering.problems.extend(forbidden(written))
    by = _attributes(written.by, "by", codebook, gathering)
    where = _attributes(list(written.where), "where", codebook, gathering)
    kept = {
        name: gathering.attempt(partial(_kept, attribute, written.where[name]))
        for name, attribute in where.items()
    }
    raise_all(gathering.problems)
    dimensions = [kept.get(name) or Dimension.every(attribute) for name, attribute in by.items()]
    if statistic.classes is not None:
        dimensions.append(statistic.classes)
    filters = (dimension for name, dimension in kept.items() if name not in by)
    marginal = Marginal(
        written.name,
        workplace=tuple(part for part in dimensions if part.attribute.of_workplaces),
        worker=tuple(part for part in dimensions if not part.attribute.of_workplaces),
        filters=tuple(dimension for dimension in filters if dimension is not None),
        complete=written.complete,
        statistic=statistic,
        establishments=written.establishments,
        totals=_totals(written, by),
        breakdowns=breakdowns,
    )
    raise_all((*_too_large(marginal), *_total_problems(marginal, margins=written.margins)))
    return marginal


def _breakdowns(
    written: WrittenTable, codebook: Codebook, gathering: Gathering
) -> tuple[Breakdown, ...]:
    """The tables of a product; each attribute is of workers or jobs, and `by` of workplaces."""
    gathering.keep(_beside_breakdowns(written, codebook.attributes))
    parts = []
    for names in map(as_list, written.breakdowns):
        attributes = _attributes(names, "breakdowns", codebook, gathering)
        gathering.keep(
            InvalidParameter(
                "breakdowns",
                rule="must name attributes of workers or jobs",
                value=shown(name),
                next_step=f"Move {name} to by.",
            )
            for name, attribute in attributes.items()
            if attribute.of_workplaces
        )
        parts.append(Breakdown(tuple(map(Dimension.every, attributes.values()))))
        if not names or len(set(names)) < len(names):
            gathering.problems.append(_repeated(", ".join(names) or "no attribute"))
    labels = [part.name for part in parts]
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    gathering.problems.extend(map(_repeated, repeated))
    return tuple(parts)


def _beside_breakdowns(
    written: WrittenTable, known: Mapping[str, Attribute]
) -> Iterator[LeewardError]:
    """Other keys that a product must not have, and attributes of workers in `by`."""
    for key, given in {
        "where": written.where,
        "statistic": written.statistic != COUNT.name,
        "totals": written.totals is not None,
    }.items():
        if given:
            yield InvalidParameter.unwanted(
                key,
                "beside breakdowns: all jobs of a workplace cell are counted",
                value="given",
                next_step=f"Leave {key} out, or write a table of its own.",
            )
    for name in written.by:
        if name in known and not known[name].of_workplaces:
            yield InvalidParameter(
                "by",
                rule="must name attributes of workplaces alone beside breakdowns",
                value=shown(name),
                next_step=f"Move {name} to breakdowns.",
            )


def _repeated(value: str) -> InvalidParameter:
    return InvalidParameter(
        "breakdowns",
        rule="must name each table once, by attributes that differ",
        value=value,
        next_step="List each attribute once; write [a, b] for a table of two attributes crossed.",
    )


def _totals(written: WrittenTable, by: Mapping[str, Attribute]) -> tuple[str, ...]:
    """The attributes with totals; rejects those that are not in `by` or have no total code."""
    named = total_names(written)
    for name in named:
        if name not in by:
            raise InvalidParameter(
                "totals",
                rule=f"must be {ALL}, or a list of attributes in by: {', '.join(written.by)}",
                value=shown(name),
                next_step="Name an attribute of the table, or leave it out.",
            )
        if by[name].total is None:
            raise InvalidParameter(
                "totals",
                rule="must name attributes with a total code in the codebook",
                value=f"{name}, which has none",
                next_step='Add total: "00", or another code, to the attribute in the codebook.',
            )
    return tuple(name for name in written.by if name in named)


def _total_problems(marginal: Marginal, *, margins: str | None) -> Iterator[LeewardError]:
    """Totals that do not add up, are too many, or whose draws would not fit into memory."""
    kinds = [dimension.name for dimension in marginal.worker if dimension.name in marginal.totals]
    if kinds and "worker_totals" in marginal.statistic.forbids:
        yield marginal.statistic.rejection("worker_totals", ", ".join(kinds), parameter="totals")
    if len(marginal.totals) > MOST_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must name at most {MOST_TOTALS} attributes: each combination has rows",
            value=f"{len(marginal.totals)} attributes",
            next_step="Name fewer attributes.",
        )
        return
    sums = families(marginal.published[0])
    waiting = sum(family.unfinished for family in sums)
    if margins != "none" and waiting > MOST_DRAWN_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must have at most {MOST_DRAWN_TOTALS} rows in memory while a table with margins "
            "is written: the codes of the attributes after the first one with a total, multiplied",
            value=f"{waiting} rows",
            next_step="Name fewer attributes, put one with many codes first in by and without a "
            "total, or write margins: none.",
        )
    rows = sum(one.marginal.workplace_cells * one.marginal.worker_cells for one in sums)
    if marginal.complete and rows > MOST_COMPLETE_TOTALS:
        yield InvalidParameter(
            "totals",
            rule=f"must have at most {MOST_COMPLETE_TOTALS} rows of a complete table",
            value=f"{rows} rows",
            next_step="Name fewer attributes, or leave complete out.",
        )


def _attributes(
    names: list[str], key: str, codebook: Codebook, gathering: Gathering
) -> dict[str, Attribute]:
    tried = {name: gathering.attempt(partial(codebook.attribute, name, key)) for name in names}
    return {name: attribute for name, attribute in tried.items() if attribute is not None}


def _kept(attribute: Attribute, written: list[str] | str) -> Dimension:
    """The named codes, in the order of the list."""
    codes, known = as_list(written), {*attribute.codes}
    unlisted = [code for code in codes if code not in known]
    if unlisted or not codes:
        raise InvalidParameter(
            f"where.{attribute.name}",
            rule="must name codes of the codebook",
            value=shown(unlisted[0]) if unlisted else "none",
            next_step=f"Its codes begin {', '.join(attribute.codes[:5])}.",
        )
    return Dimension.keeping(attribute, {*codes})


def _too_large(marginal: Marginal) -> Iterator[LeewardError]:
    rows = marginal.worker_cells * marginal.workplace_cells
    if marginal.complete and rows > MOST_COMPLETE_ROWS:
        yield InvalidParameter(
            "complete",
            rule=f"writes every combination of the codes, at most {MOST_COMPLETE_ROWS} rows",
            value=f"{rows} rows",
            next_step="Leave it out: combinations without an establishment are zeros anyway.",
        )
    for part, cells, most in (
        ("worker", marginal.worker_cells, MOST_CELLS),
        ("workplace", marginal.workplace_cells, MOST_WORKPLACE_CELLS),
    ):
        if cells > most:
            yield InvalidParameter(
                "by",
                rule=f"must have at most {most} combinations of its {part} part",
                value=f"{cells} combinations",
                next_step="Use fewer or coarser attributes, or a filter.",
            )
