"""Interval: what published sums say of cells that are withheld, rounded or in size classes.

A one-sided test of a release. Where the largest size that fits is below 1+α times the smallest, the
tables prove what an α would hide; where it is not, nothing is proved: an attacker may know more.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook.cells import Integers
from leeward.core.errors import InvalidParameter
from leeward.core.exact import positive
from leeward.core.show.numbers import count, counted, listed, percent
from leeward.core.show.plots import GuessRange, Look, Ranges, Share, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, finds
from leeward.lab.attacks.withheld_tables import (
    CsvTables,
    FrameTable,
    ReleasedIntervals,
    read_tables,
    released_intervals,
)
from leeward.lab.attacks.world import AttackedWorld
from leeward.lab.baselines.feasibility import UNBOUNDED, Intervals, Mask
from leeward.lab.evaluate.workloads import WORKPLACE

BASES = (5, 10)
"""Multiples to which cells and sums are rounded in the comparison."""

NAME, TITLE = "interval", "What sums say of withheld cells"

DRAWN = 9
"""How many establishments are drawn, evenly from small to large."""

LEAST_DRAWN, FAR = 10, 3.0
"""The least size of a drawn establishment, and where its axis ends, in true sizes."""

MOST_TOLD = 20
"""How many intervals of files are told in words."""

NOTHING = Against(0.0, "Without a release every interval starts at 0 and has no upper end.")

ONE_SIDED = (
    "An interval that fails is a proof of disclosure. One that passes proves nothing: an attacker "
    "may have other tables and other knowledge."
)


@finds(NAME)
def attack(
    world: AttackedWorld,
    *,
    alpha: str = "0.1",
    epsilon: str = "1",
    fewest: int = 3,
    seconds: float = 10.0,
) -> AttackFinding:
    """Withhold cells and margins with few establishments, then look for what the others say."""
    growth = positive(alpha, "alpha")
    if not 2 <= fewest <= 100:
        raise InvalidParameter(
            "fewest",
            rule="must be a whole number of establishments from 2 to 100",
            value=str(fewest),
            next_step="Leave it out for 3.",
        )
    marginal = world.marginal(_attributes(world))
    true = world.truth(marginal)
    table = FrameTable.of(true, marginal)
    target = table.single
    if not target.size:
        raise InvalidParameter(
            "tables",
            rule="must have cells with one establishment in the frame, and jobs in it",
            value="none",
            next_step="Choose a finer table: there is nothing here for this attacker.",
        )
    truth = table.counts[target]
    plain = table.withheld(fewest)
    intervals = plain.intervals(target, seconds=seconds)
    classed = table.classed(fewest).intervals(target, seconds=seconds)
    exact, single = int(intervals.exact.sum()), target.size
    released = released_intervals(true, marginal, growth, epsilon)
    right = int(np.sum(released.values[target] == truth))
    further = {
        "single": single,
        "exact": exact,
        "fail": int(intervals.fails(growth).sum()),
        "withheld": int(np.sum(table.in_frame < fewest)),
        "equations": plain.equations.count,
        "by_subtraction": int(plain.equations.subtracted(table.in_frame >= fewest)[target].sum()),
        "inside": intervals.holds(truth) and classed.holds(truth),
        "unsettled": int(np.sum(~intervals.settled)),
        "size_classes": _counts(classed, growth),
        **_coarse(table.by((0, 1)), growth, fewest, seconds),
    }
    return AttackFinding(
        TITLE,
        exact / single,
        f"Of {count(single)} establishments that are alone in a withheld cell, the published sums "
        f"give {count(exact)} exactly, and {count(further['fail'])}, these included, to within "
        f"{percent(float(growth))}.",
        Against(
            0.0,
            "Noise of full support rules no size out: every interval has no upper end. Read as "
            f"exact, the released number is right for {count(right)} of {count(single)} by chance, "
            "and nothing says for which.",
        ),
        NOTHING,
        (_ranges(intervals, released, target, truth), _shares(further)),
        remarks=(ONE_SIDED, *_remarks(further, growth)),
        further=further,
    )


def _attributes(world: AttackedWorld) -> tuple[str, ...]:
    """Those of the first table of a plan with two or more workplace attributes."""
    if not world.planned:
        return WORKPLACE
    wide = [table.workplace for table in world.planned if len(table.workplace) > 1]
    if not wide:
        raise InvalidParameter(
            "tables",
            rule="must have one by two or more workplace attributes, so that there are sums",
            value="none",
            next_step="Add a table such as by: [place, sector] to the plan.",
        )
    return tuple(dimension.name for dimension in wide[0])


def _counts(intervals: Intervals, alpha: Fraction) -> dict[str, int]:
    return {"exact": int(intervals.exact.sum()), "fail": int(intervals.fails(alpha).sum())}


def _coarse(table: FrameTable, alpha: Fraction, fewest: int, seconds: float) -> dict[str, Any]:
    """Two attributes with their one-way margins: withheld, and rounded instead."""
    target = table.single
    truth = table.counts[target]
    ways = {"two_way": table.withheld(fewest, [(0,), (1,)])}
    ways |= {f"rounded_{base}": table.rounded(base) for base in BASES}
    intervals = {name: way.intervals(target, seconds=seconds) for name, way in ways.items()}
    answers = {name: _counts(left, alpha) for name, left in intervals.items()}
    inside = all(left.holds(truth) for left in intervals.values())
    return {"two_way_single": target.size, "two_way_inside": inside, **answers}


def _remarks(further: Mapping[str, Any], alpha: Fraction) -> Iterator[str]:
    classes, single = further["size_classes"], further["two_way_single"]
    yield (
        f"With size classes in place of withheld cells {count(classes['exact'])} are exact and "
        f"{count(classes['fail'])} fail."
    )
    rounded = [count(further[f"rounded_{base}"]["fail"]) for base in BASES]
    yield (
        f"Of a table by two attributes with one-way totals alone, {further['two_way']['exact']} of "
        f"{count(single)} are exact; rounded to base {listed(map(str, BASES), 'or')} instead, "
        f"{listed(rounded, 'or')} fail, the largest ones: a fixed step is little beside "
        f"{percent(float(alpha))} of a large establishment."
    )
    yield from _out_of_time(further["unsettled"])


def _out_of_time(unsettled: int) -> Iterator[str]:
    if unsettled:
        yield (
            f"{counted(unsettled, 'interval')} may be narrower than shown: the solver ran out of "
            "time. Give it more with --with seconds=60."
        )


def _ranges(
    intervals: Intervals, released: ReleasedIntervals, target: Integers, truth: Integers
) -> Ranges:
    """Some establishments from small to large, both intervals in units of the true size."""
    order = np.argsort(truth, kind="stable")
    order = order[truth[order] >= LEAST_DRAWN] if np.any(truth >= LEAST_DRAWN) else order
    places = np.linspace(0, order.size - 1, min(DRAWN, order.size)).round().astype(int)
    rows = []
    for place in order[places].tolist():
        true, cell = int(truth[place]), int(target[place])
        name = counted(true, "job")
        low, high = int(intervals.low[place]), int(intervals.high[place])
        rows.append(GuessRange(f"{name}, sums", low / true, min(high / true, FAR), "theirs", 1.0))
        low, high = int(released.low[cell]), int(released.high[cell])
        rows.append(
            GuessRange(f"{name}, a release", low / true, min(high / true, FAR), "ours", 1.0)
        )
    return Ranges(
        "Sums leave a single value of many withheld establishments; a release leaves a range",
        f"size in units of the true one, cut at {FAR:g} (a release: 90 % interval)",
        tuple(rows),
    )


def _shares(further: Mapping[str, Any]) -> Shares:
    single, coarse = further["single"], further["two_way_single"]
    bars: list[tuple[str, int, int, Look]] = [
        ("Withheld, all sums published", further["exact"], single, "theirs"),
        ("Size classes, all sums published", further["size_classes"]["exact"], single, "theirs"),
        ("Withheld, one-way totals only", further["two_way"]["exact"], coarse, "theirs"),
        ("A release of Leeward", 0, single, "ours"),
        ("No release", 0, single, "nothing"),
    ]
    return Shares(
        "Establishments whose number of jobs is known for certain",
        tuple(
            Share(label, part / max(whole, 1), f"{count(part)} of {count(whole)}", look)
            for label, part, whole, look in bars
        ),
        most=1.0,
    )


def of_files(paths: Sequence[Path], *, alpha: str = "0.1", seconds: float = 30.0) -> AttackFinding:
    """The same test on the tables of a release, read from CSV files.

    The answer is a verdict, not a refusal: the command ends with exit code 0 either way.
    """
    growth = positive(alpha, "alpha")
    tables = read_tables(paths)
    target = tables.open_cells
    intervals = tables.feasible.intervals(target, seconds=seconds)
    fails, exact = intervals.fails(growth), int(intervals.exact.sum())
    failing = int(fails.sum())
    rows = _rows(tables, target, intervals, fails)
    unsettled = int(np.sum(~intervals.settled))
    return AttackFinding(
        TITLE,
        failing / max(target.size, 1),
        f"{'Fail' if failing else 'Pass'}: of {counted(target.size, 'cell')} without an exact "
        f"value, the other numbers give {count(failing)} more closely than "
        f"{percent(float(growth))}; {count(exact)} have a single value left.",
        Against(
            0.0,
            "Noise of full support rules no size out: no interval of a release has an upper end.",
        ),
        NOTHING,
        (_file_ranges(rows),) if rows else (),
        attack=NAME,
        parameters={"alpha": alpha, "tables": len(paths), "seconds": seconds},
        remarks=(
            *_told(rows),
            ONE_SIDED,
            "Cells that the finest table does not list are taken as empty.",
            *_out_of_time(unsettled),
        ),
        further={
            "verdict": "fail" if failing else "pass",
            "cells": rows,
            "exact": exact,
            "fail": failing,
            "equations": tables.feasible.equations.count,
            "unsettled": unsettled,
        },
        internal=True,
    )


def _rows(
    tables: CsvTables, target: Integers, intervals: Intervals, fails: Mask
) -> list[dict[str, Any]]:
    """A row for each cell without an exact value, those that fail first."""
    order = np.argsort(~fails, kind="stable").tolist()
    return [
        {
            "cell": dict(zip(tables.attributes, tables.cells[int(target[place])], strict=True)),
            "low": int(intervals.low[place]),
            "high": None if intervals.high[place] >= UNBOUNDED else int(intervals.high[place]),
            "fails": bool(fails[place]),
        }
        for place in order
    ]


def _told(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The intervals in words, those that fail first; the JSON has all of them."""
    for row in rows[:MOST_TOLD]:
        cell = ", ".join(f"{name} {code}" for name, code in row["cell"].items())
        most = "no upper end" if row["high"] is None else f"at most {count(row['high'])}"
        fails = "; fails" if row["fails"] else ""
        yield f"{cell}: at least {count(row['low'])} and {most}{fails}."
    if len(rows) > MOST_TOLD:
        yield f"{counted(len(rows) - MOST_TOLD, 'more interval')} in the JSON answer."


def _file_ranges(rows: Sequence[Mapping[str, Any]]) -> Ranges:
    shown = [row for row in rows if row["high"] is not None][: 2 * DRAWN]
    return Ranges(
        "What the published numbers leave open, narrowest proofs first",
        "jobs",
        tuple(
            GuessRange(" ".join(row["cell"].values()), row["low"], row["high"], "theirs")
            for row in shown
        ),
    )
