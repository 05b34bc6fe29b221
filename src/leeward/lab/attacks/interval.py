"""Interval: what published sums say of cells that are withheld, rounded or in size classes.

A one-sided test of a release. Where the largest size that fits is below 1+α times the smallest, the
tables prove what an α would hide; where it is not, nothing is proved: an attacker may know more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Integers
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.errors import InvalidParameter
from leeward.core.exact import positive
from leeward.core.mechanisms.choice import AUTO, choose
from leeward.core.privacy import Guarantee
from leeward.core.show.numbers import count, counted, listed, percent
from leeward.core.show.plots import GuessRange, Look, Ranges, Share, Shares
from leeward.lab.attacks.csv_tables import CsvTables, read_tables
from leeward.lab.attacks.finding import Against, Finding
from leeward.lab.attacks.world import World
from leeward.lab.baselines.feasibility import UNBOUNDED, Equations, Feasible, Intervals, Mask
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import WORKPLACE

CLASSES = (0, 5, 10, 20, 50, 100, 250, 500, 1000)
"""The least size of each employment size class of the Quarterly Census of Employment and Wages
(U.S. Bureau of Labor Statistics)."""

BASES = (5, 10)
"""Multiples to which cells and sums are rounded in the comparison."""

NAME, TITLE = "interval", "What sums say of withheld cells"

DRAWN = 9
"""How many establishments are drawn, evenly from small to large."""

LEAST_DRAWN, FAR = 10, 3.0
"""The least size of a drawn establishment, and where its axis ends, in true sizes."""

MOST_TOLD = 20
"""How many intervals of files are told in words."""

ONE_SIDED = (
    "An interval that fails is a proof of disclosure. One that passes proves nothing: an attacker "
    "may have other tables and other knowledge."
)


@dataclass(frozen=True, eq=False, repr=False)
class FrameTable:
    """True cells by workplace attributes, and how many establishments the frame has in each."""

    counts: Integers
    in_frame: Integers
    codes: tuple[Integers, ...]

    @classmethod
    def of(cls, truth: Truth, marginal: Marginal) -> "FrameTable":
        """A table of a world; the frame is public."""
        if truth.cells.in_frame is None:
            raise TypeError("the cells were tabulated without a frame")
        codes = marginal.workplace_positions(truth.numbered())
        return cls(truth.counts[:, 0], truth.cells.in_frame, codes)

    def by(self, attributes: Sequence[int]) -> "FrameTable":
        """The margin by some of the attributes as a table of its own."""
        equations = Equations.of(self.codes, [attributes])
        first = np.searchsorted(equations.row, np.arange(equations.count))
        codes = tuple(self.codes[one][equations.cell[first]] for one in attributes)
        return FrameTable(equations.totals(self.counts), equations.totals(self.in_frame), codes)

    @property
    def single(self) -> Integers:
        """The cells that are one establishment with jobs: their count is its size."""
        return np.flatnonzero((self.in_frame == 1) & (self.counts > 0))

    def withheld(self, fewest: int, sets: Iterable[Sequence[int]] | None = None) -> Feasible:
        """Cells and margins with fewer establishments are withheld, all others are exact."""
        equations = Equations.of(self.codes, sets)
        equations = equations.kept(equations.totals(self.in_frame) >= fewest)
        hidden, sums = self.in_frame < fewest, equations.totals(self.counts)
        low = np.where(hidden, 0, self.counts)
        return Feasible(equations, low, np.where(hidden, UNBOUNDED, self.counts), sums, sums)

    def classed(self, fewest: int) -> Feasible:
        """The same, and a size class stands in place of each cell that is withheld."""
        hidden, plain = self.in_frame < fewest, self.withheld(fewest)
        ends = np.array((*CLASSES, UNBOUNDED + 1))
        number = np.searchsorted(ends, self.counts, side="right") - 1
        low = np.where(hidden, ends[number], self.counts)
        high = np.where(hidden, ends[number + 1] - 1, self.counts)
        return Feasible(plain.equations, low, high, plain.least, plain.most)

    def rounded(self, base: int) -> Feasible:
        """Every cell and margin to the nearest multiple; how ties are rounded is not known."""
        equations = Equations.of(self.codes)
        sums = equations.totals(self.counts)
        (low, high), (least, most) = (_box(one, base) for one in (self.counts, sums))
        return Feasible(equations, low, high, least, most)


def _box(values: Integers, base: int) -> tuple[Integers, Integers]:
    rounded = (values + base // 2) // base * base
    return np.maximum(rounded - base // 2, 0), rounded + base // 2


def attack(
    world: World,
    *,
    alpha: str = "0.1",
    epsilon: str = "1",
    fewest: int = 3,
    seconds: float = 10.0,
) -> Finding:
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
    held = world.truth(marginal)
    table = FrameTable.of(held, marginal)
    target = table.single
    _refuse_none(target)
    truth = table.counts[target]
    plain = table.withheld(fewest)
    found = plain.intervals(target, seconds=seconds)
    classed = table.classed(fewest).intervals(target, seconds=seconds)
    exact, single = int(found.exact.sum()), target.size
    released = _released(held, marginal, growth, epsilon)
    right = int(np.sum(released.values[target] == truth))
    further = {
        "single": single,
        "exact": exact,
        "fail": int(found.fails(growth).sum()),
        "withheld": int(np.sum(table.in_frame < fewest)),
        "equations": plain.equations.count,
        "by_subtraction": int(plain.equations.subtracted(table.in_frame >= fewest)[target].sum()),
        "inside": found.holds(truth) and classed.holds(truth),
        "unsettled": int(np.sum(~found.settled)),
        "size_classes": _counts(classed, growth),
        **_coarse(table.by((0, 1)), growth, fewest, seconds),
    }
    return Finding(
        NAME,
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
        Against(0.0, "Without a release every interval starts at 0 and has no upper end."),
        {"alpha": alpha, "epsilon": epsilon, "fewest": fewest, "seconds": seconds},
        (_ranges(found, released, target, truth), _shares(further)),
        remarks=(ONE_SIDED, *_remarks(further, growth)),
        further=further,
        internal=world.internal,
    )


def _attributes(world: World) -> tuple[str, ...]:
    """Those of the first table of a plan with two or more workplace attributes."""
    if not world.planned:
        return WORKPLACE
    found = [tuple(d.name for d in one.workplace) for one in world.planned]
    wide = [one for one in found if len(one) > 1]
    if not wide:
        raise InvalidParameter(
            "tables",
            rule="must have one by two or more workplace attributes, so that there are sums",
            value="none",
            next_step="Add a table such as by: [place, sector] to the plan.",
        )
    return wide[0]


def _refuse_none(target: Integers) -> None:
    if not target.size:
        raise InvalidParameter(
            "tables",
            rule="must have cells with one establishment in the frame, and jobs in it",
            value="none",
            next_step="Choose a finer table: there is nothing here for this attacker.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Released:
    """Released values with the ends of their 90 % intervals, all (w,)."""

    values: Integers
    low: Integers
    high: Integers


def _released(truth: Truth, marginal: Marginal, alpha: Fraction, epsilon: str) -> _Released:
    """The same table by the code that a release calls, with the system's bits."""
    asked = Guarantee("strong", alpha, positive(epsilon, "epsilon"))
    made, _ = choose(marginal, asked, AUTO, SizeProfile())
    drawn = made.measure(truth.columns(made))
    values, ends = drawn.values[:, 0], [one[:, 0] for one in drawn.margins.values()]
    match ends:
        case [margin]:
            return _Released(values, np.maximum(values - margin, 0), values + margin)
        case [low, high]:
            return _Released(values, low, high)
    return _Released(values, np.zeros_like(values), values)


def _counts(found: Intervals, alpha: Fraction) -> dict[str, int]:
    return {"exact": int(found.exact.sum()), "fail": int(found.fails(alpha).sum())}


def _coarse(table: FrameTable, alpha: Fraction, fewest: int, seconds: float) -> dict[str, Any]:
    """Two attributes with their one-way margins: withheld, and rounded instead."""
    target = table.single
    truth = table.counts[target]
    ways = {"two_way": table.withheld(fewest, [(0,), (1,)])}
    ways |= {f"rounded_{base}": table.rounded(base) for base in BASES}
    found = {name: one.intervals(target, seconds=seconds) for name, one in ways.items()}
    answers = {name: _counts(one, alpha) for name, one in found.items()}
    inside = all(one.holds(truth) for one in found.values())
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


def _ranges(found: Intervals, released: _Released, target: Integers, truth: Integers) -> Ranges:
    """Some establishments from small to large, both intervals in units of the true size."""
    order = np.argsort(truth, kind="stable")
    order = order[truth[order] >= LEAST_DRAWN] if np.any(truth >= LEAST_DRAWN) else order
    places = np.linspace(0, order.size - 1, min(DRAWN, order.size)).round().astype(int)
    rows: list[GuessRange] = []
    for one in order[places].tolist():
        true, cell = int(truth[one]), int(target[one])
        ends: list[tuple[str, Look, int, int]] = [
            ("sums", "theirs", int(found.low[one]), int(found.high[one])),
            ("a release", "ours", int(released.low[cell]), int(released.high[cell])),
        ]
        rows += [
            GuessRange(
                f"{counted(true, 'job')}, {by}", low / true, min(high / true, FAR), look, 1.0
            )
            for by, look, low, high in ends
        ]
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


def of_files(paths: Sequence[Path], *, alpha: str = "0.1", seconds: float = 30.0) -> Finding:
    """The same test on the tables of a release, read from CSV files.

    The answer is a verdict, not a refusal: the command ends with exit code 0 either way.
    """
    growth = positive(alpha, "alpha")
    tables = read_tables(paths)
    target = tables.open_cells
    found = tables.feasible.intervals(target, seconds=seconds)
    fails, exact = found.fails(growth), int(found.exact.sum())
    failing, verdict = int(fails.sum()), "fail" if fails.any() else "pass"
    rows = _rows(tables, target, found, fails)
    unsettled = int(np.sum(~found.settled))
    return Finding(
        NAME,
        TITLE,
        failing / max(target.size, 1),
        f"{'Fail' if failing else 'Pass'}: of {counted(target.size, 'cell')} without an exact "
        f"value, the other numbers give {count(failing)} more closely than "
        f"{percent(float(growth))}; {count(exact)} have a single value left.",
        Against(
            0.0,
            "Noise of full support rules no size out: no interval of a release has an upper end.",
        ),
        Against(0.0, "Without a release every interval starts at 0 and has no upper end."),
        {"alpha": alpha, "tables": len(paths), "seconds": seconds},
        (_file_ranges(rows),) if rows else (),
        remarks=(
            *_told(rows),
            ONE_SIDED,
            "Cells that the finest table does not list are taken as empty.",
            *_out_of_time(unsettled),
        ),
        further={
            "verdict": verdict,
            "cells": rows,
            "exact": exact,
            "fail": failing,
            "equations": tables.feasible.equations.count,
            "unsettled": unsettled,
        },
        internal=True,
    )


def _rows(
    tables: CsvTables, target: Integers, found: Intervals, fails: Mask
) -> list[dict[str, Any]]:
    """A row for each cell without an exact value, those that fail first."""
    order = np.argsort(~fails, kind="stable").tolist()
    return [
        {
            "cell": dict(zip(tables.attributes, tables.cells[int(target[one])], strict=True)),
            "low": int(found.low[one]),
            "high": None if found.high[one] >= UNBOUNDED else int(found.high[one]),
            "fails": bool(fails[one]),
        }
        for one in order
    ]


def _told(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The intervals in words, those that fail first; the JSON has all of them."""
    for one in rows[:MOST_TOLD]:
        cell = ", ".join(f"{name} {code}" for name, code in one["cell"].items())
        most = "no upper end" if one["high"] is None else f"at most {count(one['high'])}"
        fails = "; fails" if one["fails"] else ""
        yield f"{cell}: at least {count(one['low'])} and {most}{fails}."
    if len(rows) > MOST_TOLD:
        yield f"{counted(len(rows) - MOST_TOLD, 'more interval')} in the JSON answer."


def _file_ranges(rows: Sequence[Mapping[str, Any]]) -> Ranges:
    shown = [one for one in rows if one["high"] is not None][: 2 * DRAWN]
    return Ranges(
        "What the published numbers leave open, narrowest proofs first",
        "jobs",
        tuple(
            GuessRange(" ".join(one["cell"].values()), one["low"], one["high"], "theirs")
            for one in shown
        ),
    )
