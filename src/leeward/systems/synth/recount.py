"""Recount: whether synthetic rows are what was sealed, and count what the tidy tables say.

Rows are counted by the database from the three files, by queries that share nothing with the way
in which they were made.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook import TABLES, Attribute, Codebook, read_codebook
from leeward.core.codebook.resources import Resources
from leeward.core.errors import Damaged, LeewardError
from leeward.derived.settle.noisy_table import Integers, NoisyTable, read_table
from leeward.derived.settle.noisy_table import numbered as number_of
from leeward.publishing.bundle import Bundle, CertifiedTable, read_bundle, verify_bundle
from leeward.publishing.bundle.bundle_files import CERTIFICATE, SYNTHETIC, sha256
from leeward.publishing.bundle.verify import source_findings
from leeward.publishing.engines.address_reading import read_addresses
from leeward.publishing.engines.database import Table
from leeward.publishing.engines.driver_errors import hiding_errors
from leeward.publishing.engines.table_files import Files
from leeward.systems.synth.linked_folder import (
    CODEBOOK,
    LINKED,
    WORKER,
    WORKPLACE,
    SyntheticStatement,
)

ROWS, NUMBER = "linked", "rows"


def synthetic_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a folder of synthetic rows, in plain words; none if it is sound."""
    try:
        stated = LINKED.read(folder)
        return tuple(_findings(folder, stated))
    except Damaged as refusal:
        return (f"{refusal.parameter} {refusal.rule}",)
    except LeewardError as refusal:
        return (f"its rows cannot be counted: {refusal}",)
    except OSError:
        return ("the folder cannot be read",)


def _findings(folder: Path, stated: SyntheticStatement) -> Iterator[str]:
    changed = [*LINKED.changes(folder, stated)]
    yield from changed
    unsound = []
    sources = {source.name: source.certificate for source in (stated.measured, stated.tidy)}
    for name, certificate in sources.items():
        problems = [*verify_bundle(folder / name)]
        if not problems and sha256(folder / name / CERTIFICATE) != certificate:
            problems.append("it is another bundle than the one that rows were made of")
        unsound += [f"{name}: {problem}" for problem in problems]
    yield from unsound
    if changed or unsound:
        return
    tidy, measured = folder / stated.tidy.name, folder / stated.measured.name
    yield from (f"{tidy.name}: {problem}" for problem in source_findings(tidy, measured))
    # Rows promise what the release does, no more.
    release = read_bundle(measured).certificate
    promised = (stated.guarantee.as_guarantee(), stated.worker, stated.establishment)
    if promised != (release.guarantee.as_guarantee(), release.worker, release.establishment):
        yield f"{SYNTHETIC} promises something else than the release"
    names = [*stated.reproduced, *(guide.table for guide in stated.guides)]
    if sorted(names) != sorted(table.name for table in release.tables):
        yield f"{SYNTHETIC} does not name every table of the release once"
    yield from _recounted(folder, stated, read_bundle(tidy))


def _recounted(folder: Path, stated: SyntheticStatement, tidy: Bundle) -> Iterator[str]:
    """Every reproduced table by the rows, and what no job can be."""
    codebook = read_codebook(folder / CODEBOOK)
    with _Counts(folder, codebook) as counts:
        yield from counts.link_findings(stated)
        for about in tidy.certificate.tables:
            if about.name in stated.reproduced:
                yield from _table(tidy, about, counts)
        for combination in codebook.impossible:
            if counts.having(combination):
                yield f"rows have the impossible combination {', '.join(combination.values())}"


def _table(tidy: Bundle, about: CertifiedTable, counts: "_Counts") -> Iterator[str]:
    _, table = read_table(tidy, about)
    keys, number = counts.of(table)
    found = np.zeros(len(table.keys), np.int64)
    at = np.minimum(np.searchsorted(table.keys, keys), max(len(table.keys) - 1, 0))
    inside = table.keys[at] == keys if len(table.keys) else np.zeros(len(keys), bool)
    np.add.at(found, at[inside], number[inside])
    off = int(np.abs(found - table.values).sum()) + int(number[~inside].sum())
    if off:
        yield f"rows do not reproduce {about.name}: its cells are off by {off} jobs together"


class _Counts:
    """The three files, joined once, and counted by codes."""

    def __init__(self, folder: Path, codebook: Codebook) -> None:
        self._codebook = codebook
        paths = {name: folder.absolute() / f"{name}.parquet" for name in TABLES}
        self._files = Files(read_addresses(paths, folder), Resources())  # type: ignore[arg-type]
        # All three are files, as the type of addresses cannot say.
        own = [
            attribute.name for attribute in codebook.attributes.values() if attribute.origin is None
        ]
        self._short = {name: f"c{number}" for number, name in enumerate(own)}

    def __enter__(self) -> "_Counts":
        hiding_errors(lambda: self._files.hide(ROWS, self._joined()))
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def _joined(self) -> Table:
        tables = self._files.tables()
        workers = tables["jobs"].join(tables["workers"], WORKER)
        linked = workers.join(tables["workplaces"], WORKPLACE)
        return linked.select(**{short: linked[name] for name, short in self._short.items()})

    def link_findings(self, stated: SyntheticStatement) -> Iterator[str]:
        """Whether every job has one workplace and a worker of its own."""
        tables = self._files.tables()
        for name, key, number in (
            ("jobs", WORKER, stated.jobs),
            ("workers", WORKER, stated.jobs),
            ("workplaces", WORKPLACE, stated.workplaces),
        ):
            query = tables[name].aggregate(
                rows=tables[name].count(), ids=tables[name][key].nunique()
            )
            (counted,) = hiding_errors(lambda query=query: self._files.rows(query))  # type: ignore[misc]
            if (counted["rows"], counted["ids"]) != (number, number):
                yield f"{name} do not have {number} rows with an id of their own"
        joined = sum(map(int, self._counted([])[NUMBER]))
        if joined != stated.jobs:
            yield "some job has no worker or no workplace"

    def of(self, table: NoisyTable) -> tuple[Integers, Integers]:
        """The number of each combination that rows have, and how many have it."""
        origins = {}
        for name in table.codes:
            origin = self._codebook.attributes[name]
            while origin.origin is not None:
                origin = self._codebook.attributes[origin.origin]
            origins[name] = origin.name
        rows = self._counted(sorted({*origins.values()}))
        kept, positions = np.ones(len(rows[NUMBER]), bool), {}
        for name, origin_name in origins.items():
            attribute = self._codebook.attributes[name]
            positions[name] = _positions(rows[origin_name], attribute, table.codes[name])
            kept &= positions[name] >= 0
        number = np.asarray(rows[NUMBER], np.int64)[kept]
        coded = {name: at[kept] for name, at in positions.items()}
        return number_of(table.codes, coded, len(number)), number

    def having(self, combination: Mapping[str, str]) -> int:
        """How many rows have these codes."""
        rows = self._counted([*combination])
        same = np.ones(len(rows[NUMBER]), bool)
        for name, code in combination.items():
            same &= np.array([text == code for text in rows[name]], bool)
        return int(np.asarray(rows[NUMBER])[same].sum())

    def _counted(self, columns: Sequence[str]) -> Mapping[str, Any]:
        short = [self._short[name] for name in columns]
        rows = hiding_errors(lambda: self._files.counted(ROWS, short))
        counted = {name: rows[at] for name, at in zip(columns, short, strict=True)}
        return counted | {NUMBER: rows[NUMBER]}


def _positions(texts: Any, attribute: Attribute, codes: Sequence[str]) -> Integers:  # noqa: ANN401 (texts and nulls)
    """Positions in the table's list; −1 without a code."""
    place = {code: at for at, code in enumerate(codes)}
    known = {raw: place.get(attribute.codes[at], -1) for raw, at in attribute.recode.items()}
    mask = np.ma.getmaskarray(texts)
    pairs = zip(np.ma.getdata(texts), mask, strict=True)
    return np.array([-1 if hidden else known.get(text, -1) for text, hidden in pairs], np.int64)
