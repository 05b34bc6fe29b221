"""Halves: the different rows of a coded file, whose copies fall by chance into two halves.

Which copies fall where follows from the row and a seed, so that equal files have equal halves
whatever the order of their rows. The database holds the rows; samples alone are read. A model
learns from one half and is tested on the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leeward.publishing.engines.database import Column, Table, ibis
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.table_files import Files
from leeward.systems.synth.domain import Domain

Reals = NDArray[np.float64]

STEPS, PACE, RIDGE = 60, 0.5, 1e-4
"""Steps along the gradient, the length of the first, and what large weights cost."""

TRAINED, TESTED = 5_000, 10_000
"""Rows that a model learns from and is tested on, at most."""

COINS = 60
"""Copies of one row that are thrown singly; of more, all others are shared out evenly."""

BITS = 2**62 - 1
"""The bits of a hash that are used: the sign is none."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator] # Ibis ships no types
def bit_count(bits: int) -> int:
    """The number of ones."""
    raise NotImplementedError(bits)


@dataclass(frozen=True)
class Sample:
    """Different rows by positions, and how many times each stands in the sample."""

    rows: NDArray[np.int64]
    times: NDArray[np.float64]


@dataclass(frozen=True)
class Uniqueness:
    """Shares of rows that equal a row which is there once.

    `copied` is of synthetic rows and the whole real file; the other two compare with rows that are
    once in a half of the real file: synthetic rows, and those of the other half.
    """

    unique: float
    copied: float
    of_half: float
    by_holdout: float


class Halves:
    """The different rows of a coded table, and how many copies are in each half."""

    def __init__(self, files: Files, coded: Table, name: str, seed: int) -> None:
        self._files, self._seed = files, seed
        self._columns = list(coded.columns)
        rows = coded.group_by(self._columns).aggregate(rows=coded.count())
        # Each copy of a row goes to the first half with a probability of one half.
        thrown = ibis.least(rows["rows"], COINS + rows["rows"] % 2)
        coins = self._hash(rows, "half") & ((ibis.literal(1, "int64") << thrown) - 1)
        first = (rows["rows"] - thrown) // 2 + bit_count(coins)
        query = rows.mutate(first=first, second=rows["rows"] - first)
        self.table: Table = hiding_errors(lambda: files.hide(f"halves_{name}", query))

    def _hash(self, rows: Table, purpose: str) -> Column:
        """Bits that depend on the row, the seed and the purpose."""
        salt = {"salt": ibis.literal(f"{purpose} {self._seed}")}
        salted = ibis.struct({column: rows[column] for column in self._columns} | salt)
        return salted.hash() & BITS

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of rows in each half, and in both."""
        table = self.table
        sums = {half: table[half].sum() for half in ("first", "second", "rows")}
        (added,) = hiding_errors(lambda: self._files.rows(table.aggregate(**sums)))
        return {name: int(value or 0) for name, value in added.items()}

    def sample(self, half: str, size: int) -> Sample:
        """About this many rows of a half; a row that is there often is so in the sample."""
        table = self.table
        part = min(1.0, size / max(self.sizes[half], 1))
        by_chance = self._hash(table, "sample") / (BITS + 1)
        times = (table[half] * part + by_chance).floor().cast("int64")
        chosen = table.mutate(times=times)
        query = chosen.filter(chosen["times"] > 0).select(*self._columns, "times")
        pieces = hiding_errors(lambda: list(self._files.stream(query.order_by(query.columns))))
        if not pieces:
            return Sample(np.zeros((0, len(self._columns)), np.int64), np.zeros(0))
        *rows, copies = (np.asarray(column) for column in pa.Table.from_batches(pieces).columns)
        return Sample(np.stack(rows, axis=1).astype(np.int64), copies.astype(np.float64))


def uniqueness(files: Files, real: Halves, synthetic: Halves) -> Uniqueness:
    """How often synthetic rows equal unique real ones, beside real rows that were held out."""
    ours, theirs = real.table, synthetic.table
    keys = [column for column in ours.columns if column.startswith("c")]
    both = ours.left_join(theirs.select(*keys, synthetic=theirs["rows"]), keys)
    joined = both.select(*(both[name] for name in ("rows", "first", "second", "synthetic")))
    once, half_once = joined["rows"] == 1, joined["first"] == 1
    sums = {
        "unique": joined["rows"].sum(where=once),
        "copied": joined["synthetic"].sum(where=once),
        "of_half": joined["synthetic"].sum(where=half_once),
        "by_holdout": joined["second"].sum(where=half_once),
    }
    (added,) = hiding_errors(lambda: files.rows(joined.aggregate(**sums)))
    of = {
        "unique": real.sizes["rows"],
        "copied": synthetic.sizes["rows"],
        "of_half": synthetic.sizes["rows"],
        "by_holdout": real.sizes["second"],
    }
    return Uniqueness(**{name: int(added[name] or 0) / max(of[name], 1) for name in sums})


@dataclass(frozen=True)
class Score:
    """How often a model tells a column of real rows that it has not seen.

    `real` learnt from real rows, `synthetic` from as many synthetic ones; `most_frequent` always
    says the most frequent value.
    """

    target: str
    most_frequent: float
    real: float
    synthetic: float


@dataclass(frozen=True)
class Classifier:
    """A small model of one column by all others, to compare what rows teach.

    A logistic regression with a weight for each value of each other column (rows) and each value of
    the target (columns), fitted by steps along the gradient that shrink where it was large
    (AdaGrad). Nothing is drawn: equal rows give equal models.
    """

    target: int
    starts: NDArray[np.int64]
    weights: Reals

    @classmethod
    def fit(cls, sample: Sample, sizes: Sequence[int], target: int) -> "Classifier":
        """Learn from a sample; a column of one value stands for the constant."""
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        model = cls(target, starts, np.zeros((sum(sizes) + 1, sizes[target])))
        places = model.places(sample.rows)
        share = sample.times / sample.times.sum()
        wanted = np.zeros((len(share), sizes[target]))
        wanted[np.arange(len(share)), sample.rows[:, target]] = 1
        weights, seen = model.weights, np.full_like(model.weights, 1e-12)
        flat, size = places.ravel(), len(weights)
        for _ in range(STEPS):
            scores = _scores(weights, places)
            raised = np.exp(scores - scores.max(axis=1, keepdims=True))
            error = share[:, None] * (raised / raised.sum(axis=1, keepdims=True) - wanted)
            each = [np.repeat(column, places.shape[1]) for column in error.T]
            gathered = [np.bincount(flat, column, minlength=size) for column in each]
            gradient = np.stack(gathered, axis=1) + RIDGE * weights
            seen += gradient**2
            weights = weights - PACE * gradient / np.sqrt(seen)
        return cls(target, starts, weights)

    def accuracy(self, sample: Sample) -> float:
        """The share of rows whose target it tells."""
        predicted = _scores(self.weights, self.places(sample.rows)).argmax(axis=1)
        right = predicted == sample.rows[:, self.target]
        return float((right * sample.times).sum() / max(sample.times.sum(), 1.0))

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The weights that a row adds up: one for each other column, and the constant."""
        placed = rows + self.starts
        placed[:, self.target] = len(self.weights) - 1
        return placed


def _scores(weights: Reals, places: NDArray[np.int64]) -> Reals:
    total = np.zeros((len(places), weights.shape[1]))
    for column in places.T:
        total += weights[column]
    return total


def scores_of(
    domain: Domain, targets: Sequence[int], real: Halves, synthetic: Halves
) -> Iterator[Score]:
    """Models of real and of synthetic rows, tested on the same real rows."""
    rows = min(TRAINED, real.sizes["first"], synthetic.sizes["first"])
    if rows == 0 or real.sizes["second"] == 0 or len(domain.columns) < 2:
        return
    learnt, sample = real.sample("first", rows), synthetic.sample("first", rows)
    tested = real.sample("second", TESTED)
    for target in targets:
        most_frequent = np.bincount(learnt.rows[:, target], learnt.times).argmax()
        usual = tested.rows[:, target] == most_frequent
        models = (Classifier.fit(sample, domain.sizes, target) for sample in (learnt, sample))
        yield Score(
            domain.names[target],
            float((usual * tested.times).sum() / tested.times.sum()),
            *(model.accuracy(tested) for model in models),
        )
