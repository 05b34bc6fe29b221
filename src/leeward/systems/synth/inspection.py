"""Inspection: synthetic rows beside the real ones. INTERNAL: every number here is confidential.

It reads the real file, adds no noise and charges nothing: what it finds helps to choose a method
on data that may be looked at, and never leaves with the synthetic rows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from leeward.core.codebook import Codebook, read_codebook
from leeward.core.errors import BadFile, InvalidParameter, shown
from leeward.core.show.notebook import INTERNAL
from leeward.core.show.progress import Silent
from leeward.publishing.bundle.bundle_files import SYNTHETIC as STATEMENT
from leeward.publishing.engines.table_files import opened_files
from leeward.systems.synth.closeness import Apart, Both, ColumnPair, OneColumn
from leeward.systems.synth.counting import FileCounts
from leeward.systems.synth.description import read_description
from leeward.systems.synth.domain import Domain
from leeward.systems.synth.halves import Halves, Score, Uniqueness, scores_of, uniqueness
from leeward.systems.synth.linked_folder import CODEBOOK, WORKERS, read_statement
from leeward.systems.synth.output import DESCRIPTION, PARQUET
from leeward.systems.synth.recount import synthetic_findings

REAL, SYNTHETIC = "real", "synthetic"

SILENT = Silent().step
MOST_CLASSES, MOST_TARGETS = 10, 6
"""Values of a column that is predicted, and columns that are unless one is named."""

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
        description = rows.parent / DESCRIPTION
        if codebook is not None:
            domain = Domain.of(codebook)
        elif description.is_file():
            domain = read_description(description).domain
        else:
            raise BadFile.missing(
                "--codebook",
                where=f"where no {DESCRIPTION} lies beside SYNTHETIC",
                next_step="Give the codebook of the two files.",
            )
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


def inspect(request: InspectionRequest, step: Callable[[str], None] = SILENT) -> Inspection:
    """Compare the two files."""
    paths = {REAL: request.real, SYNTHETIC: request.synthetic}
    reproduced = None
    if request.linked is not None:
        tables = read_statement(request.linked).reproduced
        reproduced = Reproduction(tables, synthetic_findings(request.linked))
    with opened_files(paths) as files:
        step("reading both files")
        counts = [FileCounts(files, request.domain, name, name.upper()) for name in paths]
        both = Both(request.domain, *counts)
        halves = [
            Halves(files, of_file.coded, name, request.seed)
            for name, of_file in zip(paths, counts, strict=True)
        ]
        rows = {name: half.sizes["rows"] for name, half in zip(paths, halves, strict=True)}
        for name in (name for name in paths if rows[name] == 0):
            raise BadFile(
                name.upper(),
                rule="must have rows that the codebook does not leave out",
                value="a file without any",
                next_step="Give a file with rows.",
            )
        step("comparing tables")
        columns, pairs = tuple(both.columns()), tuple(both.pairs())
        triples = tuple(both.triples(request.seed))
        step("training")
        return Inspection(
            rows,
            columns,
            pairs,
            triples,
            tuple(scores_of(request.domain, request.targets, *halves)),
            tuple(_violations(both)),
            uniqueness(files, *halves),
            request.seed,
            reproduced,
        )


def _violations(both: Both) -> Iterator[Violation]:
    """Code lists and ends of numbers by column, then impossible combinations."""
    columns, files = both.domain.columns, (both.real, both.synthetic)
    unlisted = zip(*(counts.unlisted() for counts in files), strict=True)
    for column, numbers in zip(columns, unlisted, strict=True):
        listed = "is one of its codes" if column.edges is None else "is a number within its ends"
        yield Violation(f"{column.name} {listed}", *numbers)
    for rule in both.domain.impossible:
        broken = []
        for counts in files:
            at, rows = counts.cells([column for column, _ in rule])
            inside = [np.isin(part, codes) for part, (_, codes) in zip(at, rule, strict=True)]
            broken.append(int(rows[np.logical_and.reduce(inside)].sum()))
        parts = (
            f"{columns[at].name} {' or '.join(str(columns[at].values[code]) for code in codes)}"
            for at, codes in rule
        )
        yield Violation(f"not {' with '.join(parts)}", *broken)
