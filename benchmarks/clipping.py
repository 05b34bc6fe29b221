"""Intervals of clipped tables: how often they cover, what of them is noise and what allowance.

`python -m benchmarks.clipping` releases made-up workplace cells by `clipped`, and six tables with
their total by `joint_clipped`, with `margins: free` and with a share of 1/20. Establishments of a
cell are all alike, the worst case, or have log-normal sizes, as economies have. It prints the share
of intervals that have the truth, the mean error, the noise (value − low) and the allowance for
clipping (what high is farther), each as a mean in jobs. `before` is the allowance that takes every
job of a cell to be in a clipped establishment, `covered` what it covers. It ends with an error if
an interval covers less than 90 %, by more than chance. A minute.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

import leeward
from leeward.core.codebook import Entries
from leeward.core.mechanisms.calibrated import Mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.error_margins import PublicMargins
from leeward.core.mechanisms.joint_clipped import JointClipped

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

CELLS = 4000
"""Workplace cells of a case."""

TABLES = (8, 3, 6, 2, 5, 3)
NOMINAL = 0.9
SURE = 4.0
"""Standard errors below the nominal coverage that are taken for chance."""

LARGE = 1000
"""Jobs of establishments that are all alike."""


@dataclass(frozen=True)
class Case:
    """Sizes of the establishments of all cells, with the number of each cell."""

    name: str
    sizes: Integers
    place: Integers
    frame: Integers

    @classmethod
    def alike(cls, number: int) -> "Case":
        """So many establishments of LARGE jobs in every cell."""
        place = np.repeat(np.arange(CELLS), number)
        sizes = np.full(place.size, LARGE)
        return cls(f"{number} alike", sizes, place, np.full(CELLS, number))

    @classmethod
    def mixed(cls, number: int) -> "Case":
        """About so many establishments of log-normal sizes in a cell."""
        draw = np.random.default_rng(number)
        frame = 1 + draw.poisson(number - 1, CELLS)
        place = np.repeat(np.arange(CELLS), frame)
        sizes = np.ceil(draw.lognormal(2.0, 1.3, place.size)).astype(np.int64)
        return cls(f"about {number}, log-normal", sizes, place, frame)

    @property
    def largest(self) -> Integers:
        """The largest establishment of each cell."""
        found = np.zeros(CELLS, np.int64)
        np.maximum.at(found, self.place, self.sizes)
        return found

    def entries(self, tables: tuple[int, ...]) -> Entries:
        """Jobs by the cells of some tables, side by side; every job is in one cell of each."""
        draw = np.random.default_rng(3)
        parts = [draw.multinomial(self.sizes, np.full(d, 1 / d)) for d in tables]
        rows = np.concatenate(parts, axis=1)
        row, cell = np.nonzero(rows)
        shape = CELLS, rows.shape[1]
        return Entries(rows[row, cell], cell, row, self.sizes, self.place, shape,
                       in_frame=self.frame)  # fmt: skip


def table_of(entries: Entries) -> Integers:
    """The true counts (w, d)."""
    found = np.zeros(entries.shape, np.int64)
    np.add.at(found, (entries.workplace[entries.row], entries.cell), entries.counts)
    return found


@dataclass(frozen=True)
class Found:
    """True counts, released values and the ends of their intervals."""

    truth: Integers
    values: Integers
    low: Integers
    high: Integers
    before: Floats

    def part(self, columns: slice) -> "Found":
        """Some columns."""
        parts = (self.truth, self.values, self.low, self.high, self.before)
        return Found(*(one[:, columns] for one in parts))  # type: ignore[arg-type] # in order

    def line(self) -> tuple[float, ...]:
        """Coverage, mean error, noise, allowance, and both as they were before."""
        noise = self.values - self.low
        inside = (self.low <= self.truth) & (self.truth <= self.high)
        wide = (self.low <= self.truth) & (self.truth <= self.before)
        error = np.abs(self.values - self.truth)
        return (
            float(inside.mean()),
            float(error.mean()),
            float(noise.mean()),
            float((self.high - self.values - noise).mean()),
            float((self.before - self.values - noise).mean()),
            float(wide.mean()),
        )


def released(made: Mechanism, case: Case, tables: tuple[int, ...]) -> Found:
    """A release of a case, and the ends that take all jobs to be in clipped establishments."""
    if not isinstance(made, Clipped):
        raise SystemExit("another mechanism than was named")
    entries = case.entries(tables)
    measured = made.measurement(by_cell=False, margins=PublicMargins()).measure(entries)
    truth = table_of(entries)
    if isinstance(made, JointClipped):
        truth = np.concatenate([truth[:, : tables[0]].sum(axis=1, keepdims=True), truth], axis=1)
    values, low = measured.values, measured.margins["low"]
    kappa = np.array([made.suited(int(one)).maximum.kappa for one in _classes(case.frame)])[:, None]
    before = np.floor(kappa * (2 * values - low + 1))
    return Found(truth, values, low, measured.margins["high"], np.maximum(before, 2 * values - low))


def _classes(frame: Integers) -> Integers:
    return np.asarray(2 ** np.ceil(np.log2(frame)), np.int64)


def cases() -> Iterator[Case]:
    """What is examined."""
    yield from (Case.alike(number) for number in (1, 2, 4, 16))
    yield from (Case.mixed(number) for number in (2, 4, 16))


def main() -> None:
    heads = ("covers", "error", "noise", "allowance", "before", "covered")
    print(f"{'':46}" + "".join(f"{head:>10}" for head in heads))
    missed = 0
    for epsilon in ("2", "4", "8"):
        for case in cases():
            single = leeward.mechanism("clipped", alpha="0.1", epsilon=epsilon, cells=8)
            parts = {"clipped, d = 8": released(single, case, (8,))}
            for share, words in (("0", "free"), ("1/20", "1/20")):
                joint = leeward.mechanism(
                    "joint_clipped", alpha="0.1", epsilon=epsilon, tables=TABLES, margins=share
                )
                product = released(joint, case, TABLES)
                parts |= {f"total, {words}": product.part(slice(0, 1)),
                          f"cells, {words}": product.part(slice(1, None))}  # fmt: skip
            for name, found in parts.items():
                line = found.line()
                places = len(found.values)  # cells of one workplace cell hold or miss together
                well = line[0] >= NOMINAL - SURE * sqrt(NOMINAL * (1 - NOMINAL) / places)
                missed += not well
                said = f"epsilon {epsilon:2} {case.name:20} {name:15}"
                numbers = "".join(f"{one:10.3f}" if at in (0, 5) else f"{one:10.1f}"
                                  for at, one in enumerate(line))  # fmt: skip
                print(said.ljust(46) + numbers + ("" if well else "  missed"), flush=True)
    if missed:
        raise SystemExit(f"{missed} of these cover less than 90 %")


if __name__ == "__main__":
    main()
