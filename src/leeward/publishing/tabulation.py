"""Tabulation: from the `by` and `where` of a plan's table to a marginal."""

from collections.abc import Iterator, Mapping

from leeward.errors import InvalidParameter, LeewardError, raise_all, shown
from leeward.mechanisms.parameters import MOST_CELLS
from leeward.model import STATISTICS, Attribute, Codebook, Dimension, Marginal
from leeward.publishing.gathering import Gathering
from leeward.publishing.request import WrittenTable

MOST_WORKPLACE_CELLS = 2**40
MOST_COMPLETE_ROWS = 10**9


def read_marginal(written: WrittenTable, codebook: Codebook) -> Marginal:
    """Look up the attributes and codes; refuses the undeclared, the private and the unlisted."""
    found = Gathering()
    found.problems.extend(_shape_problems(written))
    by = _attributes(written.by, "by", codebook, found)
    where = _attributes(list(written.where), "where", codebook, found)
    kept = {
        name: found.attempt(lambda name=name: _kept(where[name], written.where[name]))  # type: ignore[misc]
        for name in where
    }
    raise_all(found.problems)
    dimensions = [Dimension(one, kept.get(one.name) or _all(one)) for one in by.values()]
    marginal = Marginal(
        written.name,
        workplace=tuple(d for d in dimensions if d.attribute.of_workplaces),
        worker=tuple(d for d in dimensions if not d.attribute.of_workplaces),
        filters=tuple(
            Dimension(one, kept[name] or ()) for name, one in where.items() if name not in by
        ),
        complete=written.complete,
        statistic=STATISTICS[written.statistic],
    )
    raise_all(_too_large(marginal))
    return marginal


def _attributes(
    names: list[str], key: str, codebook: Codebook, found: Gathering
) -> dict[str, Attribute]:
    tried = {name: found.attempt(lambda n=name: codebook.attribute(n, key)) for name in names}  # type: ignore[misc]
    return {name: one for name, one in tried.items() if one is not None}


def _all(attribute: Attribute) -> tuple[int, ...]:
    return tuple(range(len(attribute.codes)))


def _kept(attribute: Attribute, codes: list[str] | str) -> tuple[int, ...]:
    """Positions of the named codes, in the order of the list."""
    wanted = [codes] if isinstance(codes, str) else codes
    places = {code: position for position, code in enumerate(attribute.codes)}
    unlisted = [code for code in wanted if code not in places]
    if unlisted or not wanted:
        raise InvalidParameter(
            f"where.{attribute.name}",
            rule="must name codes of the codebook",
            value=shown(unlisted[0]) if unlisted else "none",
            next_step=f"Its codes begin {', '.join(attribute.codes[:5])}.",
        )
    return tuple(sorted({places[code] for code in wanted}))


def _shape_problems(written: WrittenTable) -> Iterator[LeewardError]:
    if not written.by or len(set(written.by)) < len(written.by):
        yield InvalidParameter(
            "by",
            rule="must name at least one attribute, each once",
            value=f"[{', '.join(written.by)}]",
            next_step="List the attributes of the table.",
        )
    if written.statistic not in STATISTICS:
        yield InvalidParameter(
            "statistic",
            rule=f"must be {', '.join(STATISTICS)}",
            value=shown(written.statistic),
            next_step="Leave it out: every table counts jobs.",
        )


def _too_large(marginal: Marginal) -> Iterator[LeewardError]:
    limits: Mapping[str, tuple[int, int]] = {
        "worker": (marginal.worker_cells, MOST_CELLS),
        "workplace": (marginal.workplace_cells, MOST_WORKPLACE_CELLS),
    }
    rows = marginal.worker_cells * marginal.workplace_cells
    if marginal.complete and rows > MOST_COMPLETE_ROWS:
        yield InvalidParameter(
            "complete",
            rule=f"writes every combination of the codes, at most {MOST_COMPLETE_ROWS} rows",
            value=f"{rows} rows",
            next_step="Leave it out: combinations without an establishment are zeros anyway.",
        )
    for part, (cells, most) in limits.items():
        if cells > most:
            yield InvalidParameter(
                "by",
                rule=f"must have at most {most} combinations of its {part} part",
                value=f"{cells} combinations",
                next_step="Use fewer or coarser attributes, or a filter.",
            )
