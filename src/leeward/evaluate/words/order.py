"""Reading order and strata: who keeps the ranking of cells, and in which places it costs most."""

from collections.abc import Iterable, Iterator

from leeward.evaluate.figures.line import line_of
from leeward.evaluate.point import ALL, Point
from leeward.evaluate.words.case import Case, called, ours, published, ranked
from leeward.evaluate.words.sentence import correlation, listed, number, several, share


def order(case: Case) -> tuple[str, ...]:
    """Rank correlations with the truth at the setting of the reading."""
    own = [one for one in ranked(case.here, ours) if one.spearman is not None]
    printed = [one for one in ranked(case.here, published) if one.spearman is not None]
    if not own and not printed:
        return ()
    today = case.infusion
    known = [] if today is None or today.spearman is None else [today]
    told = listed(
        f"{correlation(one.spearman)} for {_name(one)}" for one in (*known, *own, *printed)
    )
    return (
        f"At {case.where} Spearman's rank correlation of the released cells with the truth is "
        f"{told}.",
        *_negative(own),
    )


def _negative(own: Iterable[Point]) -> Iterator[str]:
    for one in own:
        if one.negative is not None:
            yield (
                f"{share(one.negative)} of the values of {called(one)} are below zero: "
                "noise is added, and nothing was tidied."
            )
            return


def _name(point: Point) -> str:
    return "noise infusion" if point.policy == "none" else called(point)


def strata(case: Case) -> tuple[str, ...]:
    """Where the best of ours costs most beside noise infusion."""
    best = next(iter(ranked(case.here, ours)), None)
    if best is None:
        return ()
    line = line_of(best)
    parts = [
        one
        for one in case.points
        if one.stratum != ALL
        and line_of(one) == line
        and (one.alpha, one.epsilon) == (best.alpha, best.epsilon)
        and one.ratio_to_infusion is not None
    ]
    if len(parts) < 2:
        return ()
    parts.sort(key=lambda one: -(one.ratio_to_infusion or 0.0))
    most, least = parts[0], parts[-1]
    by = case.table.strata_by
    return (
        f"At {case.where}, beside noise infusion, {called(best)} costs most {_where(most, by)} and "
        f"least {_where(least, by)}.",
    )


def _where(one: Point, by: str) -> str:
    return (
        f"where the {by} has {one.stratum} jobs ({number(one.ratio_to_infusion)} times infusion's "
        f"error, {number(one.l1)} jobs a cell, {several(one.cells, 'cell')})"
    )
