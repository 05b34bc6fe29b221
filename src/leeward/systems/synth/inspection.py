"""Inspection: synthetic rows beside the real ones. INTERNAL: every number here is confidential.

It reads the real file, adds no noise and charges nothing: what it finds helps to choose a method
on data that may be looked at, and never leaves with the synthetic rows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from statistics import fmean

import numpy as np

from leeward.core.codebook import Codebook, read_codebook
from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.core.randomness import SeededBits
from leeward.core.show.page_rows import INTERNAL
from leeward.core.show.progress import Silent
from leeward.publishing.bundle.bundle_files import SYNTHETIC as STATEMENT
from leeward.publishing.engines.table_files import opened_files
from leeward.systems.synth.classifier import Classifier, most_frequent
from leeward.systems.synth.closeness import CellTable, distance
from leeward.systems.synth.counting import FileCounts
from leeward.systems.synth.description import read_description
from leeward.systems.synth.domain import Domain, Impossible
from leeward.systems.synth.halves import Halves, Uniqueness, uniqueness
from leeward.systems.synth.linked_folder import CODEBOOK, WORKERS, read_statement
from leeward.systems.synth.output import DESCRIPTION, PARQUET
from leeward.systems.synth.recount import synthetic_findings

REAL, SYNTHETIC = "real", "synthetic"

SILENT = Silent().step
TRIPLES = 20
MOST_CLASSES, MOST_TARGETS = 10, 6
"""Values of a column that is predicted, and columns that are unless one is named."""

TRAINED, TESTED = 5_000, 10_000
"""Rows that a model learns from and is tested on, at most."""

BAD_AT = (
    "Effects of three or more columns that were not measured: rows reproduce pairs at best.",
    "Small groups: where noise is as large as the group, its rows are mostly noise.",
    "Tails: inside the classes of a number its values are uniform, and outliers are gone.",
    "Questions about records: no synthetic row is a person, and no unique row means anything.",
    "Standard errors: those that a program computes from synthetic rows leave out the noise.",
    "Links over time: rows of two releases do not belong to the same people.",
)
"""What synthetic rows are bad at; every inspection ends with it."""


@dataclass(frozen=True)
class Apart:
    """How far two tables of some columns are apart, beside two yardsticks.

    `resampled` is the distance of as many rows drawn anew from the real ones, `independent` that
    of the real table from one whose columns are independent.
    """

    columns: tuple[str, ...]
    distance: float
    resampled: float
    independent: float


@dataclass(frozen=True)
class ColumnPair(Apart):
    """Two columns, with the mutual information of real and of synthetic rows from 0 to 1."""

    real_information: float
    synthetic_information: float


@dataclass(frozen=True)
class OneColumn(Apart):
    """One column, with the rows of each of its values; numbers have classes in order."""

    values: tuple[str | None, ...]
    real: tuple[int, ...]
    synthetic: tuple[int, ...]
    ordered: bool


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
class Violation:
    """A rule of the codebook, and how many rows of each file break it."""

    rule: str
    real: int
    synthetic: int


@dataclass(frozen=True)
class Reproduction:
    """Published tables that linked rows reproduce to the last job, and what contradicts it."""

    tables: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class Inspection:
    """All that was found; rows of one table reproduce no published ones."""

    rows: Mapping[str, int]
    columns: tuple[OneColumn, ...]
    pairs: tuple[ColumnPair, ...]
    triples: tuple[Apart, ...]
    scores: tuple[Score, ...]
    violations: tuple[Violation, ...]
    uniqueness: Uniqueness
    seed: int
    reproduction: Reproduction | None = None

    def as_json(self) -> dict[str, object]:
        """Plain values, with their mark."""
        return {"internal": True, "mark": INTERNAL, **asdict(self), "bad_at": list(BAD_AT)}


@dataclass(frozen=True)
class InspectionRequest:
    """Two files, what their columns mean, and what is predicted.

    `linked` is the folder of synthetic workplaces, workers and jobs, of which workers are compared.
    """

    real: Path
    synthetic: Path
    domain: Domain
    target: str | None = None
    seed: int = 0
    linked: Path | None = None

    @classmethod
    def of(
        cls, real: Path, synthetic: Path, codebook: Codebook | None, target: str | None, seed: int
    ) -> "InspectionRequest":
        """From paths: SYNTHETIC may be the folder that `leeward synth` wrote."""
        linked = synthetic if (synthetic / STATEMENT).is_file() else None
        rows = synthetic / (WORKERS if linked else PARQUET) if synthetic.is_dir() else synthetic
        if linked is not None and codebook is None:
            codebook = read_codebook(linked / CODEBOOK)
        domain = _domain(rows.parent / DESCRIPTION, codebook)
        if target is not None and target not in domain.names:
            raise InvalidParameter(
                "--target",
                rule="must be a column of the codebook",
                value=shown(target),
                next_step=f"Give one of {', '.join(domain.names)}.",
            )
        return cls(real, rows, domain, target, seed, linked)

    @property
    def targets(self) -> tuple[int, ...]:
        """The columns that are predicted: the one that is named, or those of few values."""
        names, columns = self.domain.names, self.domain.columns
        if self.target is not None:
            return (names.index(self.target),)
        known = [sum(value is not None for value in column.values) for column in columns]
        return tuple(at for at, size in enumerate(known) if 2 <= size <= MOST_CLASSES)[
            :MOST_TARGETS
        ]


def inspect(asked: InspectionRequest, step: Callable[[str], None] = SILENT) -> Inspection:
    """Compare the two files."""
    paths = {REAL: asked.real, SYNTHETIC: asked.synthetic}
    reproduced = None if asked.linked is None else _reproduction(asked.linked)
    with opened_files(paths) as files:
        step("reading both files")
        both = Both(asked.domain, *(
            FileCounts(files, asked.domain, name, name.upper())
            for name in paths
        ))  # fmt: skip
        halves = [
            Halves(files, counts.coded, name, asked.seed)
            for name, counts in ((REAL, both.real), (SYNTHETIC, both.synthetic))
        ]
        _require_rows(
            {name: halve.sizes["rows"] for name, halve in zip(paths, halves, strict=True)}
        )
        step("comparing tables")
        columns = tuple(both.columns())
        pairs = tuple(both.pairs())
        triples = tuple(both.triples(asked.seed))
        step("training")
        return Inspection(
            {name: halve.sizes["rows"] for name, halve in zip(paths, halves, strict=True)},
            columns,
            pairs,
            triples,
            tuple(_scores(asked, *halves)),
            tuple(both.violations()),
            uniqueness(files, *halves),
            asked.seed,
            reproduced,
        )


@dataclass(frozen=True)
class Both:
    """The counts of both files."""

    domain: Domain
    real: FileCounts
    synthetic: FileCounts

    def tables(self, columns: Sequence[int]) -> tuple[CellTable, CellTable]:
        """Real and synthetic shares of the cells of some columns."""
        return CellTable.of(self.real, columns), CellTable.of(self.synthetic, columns)

    def apart(self, columns: Sequence[int]) -> Apart:
        """How far they are apart in these columns."""
        return self._apart(columns, *self.tables(columns))

    def _apart(self, columns: Sequence[int], real: CellTable, table: CellTable) -> Apart:
        return Apart(
            tuple(self.domain.names[at] for at in columns),
            distance(real, table),
            real.resampled(table.rows),
            real.from_independent,
        )

    def columns(self) -> Iterator[OneColumn]:
        """Every column alone."""
        groups = [np.arange(size) for size in self.domain.sizes]
        for at, column in enumerate(self.domain.columns):
            real, made = (counts.of((at,), groups) for counts in (self.real, self.synthetic))
            yield OneColumn(
                **vars(self.apart((at,))),
                values=column.values,
                real=tuple(map(int, real)),
                synthetic=tuple(map(int, made)),
                ordered=column.edges is not None or _ascending(column.values),
            )

    def pairs(self) -> Iterator[ColumnPair]:
        """Every pair of columns."""
        for columns in combinations(range(len(self.domain.columns)), 2):
            real, table = self.tables(columns)
            yield ColumnPair(
                **vars(self._apart(columns, real, table)),
                real_information=real.mutual_information,
                synthetic_information=table.mutual_information,
            )

    def triples(self, seed: int) -> Iterator[Apart]:
        """Some triples of columns, chosen by the seed."""
        return map(self.apart, chosen_triples(len(self.domain.columns), seed))

    def violations(self) -> Iterator[Violation]:
        """Code lists and ends of numbers by column, then impossible combinations."""
        unlisted = zip(self.real.unlisted(), self.synthetic.unlisted(), strict=True)
        for column, (real, made) in zip(self.domain.columns, unlisted, strict=True):
            listed = (
                "is one of its codes" if column.edges is None else "is a number within its ends"
            )
            yield Violation(f"{column.name} {listed}", real, made)
        for rule in self.domain.impossible:
            counts = (_breaking(file_counts, rule) for file_counts in (self.real, self.synthetic))
            yield Violation(_told(self.domain, rule), *counts)


def _ascending(values: Sequence[str | None]) -> bool:
    """Whether codes are whole numbers in ascending order."""
    codes = [value for value in values if value is not None]
    if not all(code.isascii() and code.isdigit() for code in codes):
        return False
    return all(one < two for one, two in pairwise(map(int, codes)))


def chosen_triples(columns: int, seed: int) -> list[tuple[int, ...]]:
    """All triples of a few columns, or some of them at random."""
    if comb(columns, 3) <= TRIPLES:
        return list(combinations(range(columns), 3))
    generator, found = SeededBits(seed).generator, set[tuple[int, ...]]()
    while len(found) < TRIPLES:
        found.add(tuple(sorted(map(int, generator.choice(columns, 3, replace=False)))))
    return sorted(found)


def mean_apart(tables: Sequence[Apart]) -> Apart:
    """The means of several."""
    parts = ([getattr(table, name) for table in tables] for name in ("distance", "resampled",
             "independent"))  # fmt: skip
    return Apart((), *(fmean(part) if part else 0.0 for part in parts))


def _scores(request: InspectionRequest, real: Halves, synthetic: Halves) -> Iterator[Score]:
    """Models of real and of synthetic rows, tested on the same real rows."""
    rows = min(TRAINED, real.sizes["first"], synthetic.sizes["first"])
    if rows == 0 or real.sizes["second"] == 0 or len(request.domain.columns) < 2:
        return
    learnt, sample = real.sample("first", rows), synthetic.sample("first", rows)
    tested = real.sample("second", TESTED)
    for target in request.targets:
        usual = tested.rows[:, target] == most_frequent(learnt, target)
        models = (
            Classifier.fit(sample, request.domain.sizes, target) for sample in (learnt, sample)
        )
        yield Score(
            request.domain.names[target],
            float((usual * tested.times).sum() / tested.times.sum()),
            *(model.accuracy(tested) for model in models),
        )


def _reproduction(folder: Path) -> Reproduction:
    return Reproduction(read_statement(folder).reproduced, synthetic_findings(folder))


def _breaking(counts: FileCounts, rule: Impossible) -> int:
    """Rows that have an impossible combination."""
    at, rows = counts.cells([column for column, _ in rule])
    broken = np.logical_and.reduce(
        [np.isin(part, held) for part, (_, held) in zip(at, rule, strict=True)]
    )
    return int(rows[broken].sum())


def _told(domain: Domain, rule: Impossible) -> str:
    parts = (
        f"{domain.names[at]} {' or '.join(str(domain.columns[at].values[one]) for one in held)}"
        for at, held in rule
    )
    return f"not {' with '.join(parts)}"


def _domain(description: Path, codebook: Codebook | None) -> Domain:
    if codebook is not None:
        return Domain.of(codebook)
    if description.is_file():
        return read_description(description).domain
    raise BadFile(
        "--codebook",
        rule=f"must be given where no {DESCRIPTION} lies beside SYNTHETIC",
        value="nothing",
        next_step="Give the codebook of the two files.",
    )


def _require_rows(rows: Mapping[str, int]) -> None:
    for name, count in rows.items():
        if count == 0:
            raise BadFile(
                name.upper(),
                rule="must have rows that the codebook does not leave out",
                value="a file without any",
                next_step="Give a file with rows.",
            )
