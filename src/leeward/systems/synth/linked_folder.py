"""Linked folder: synthetic workplaces, workers and jobs as files that Leeward itself can read.

The release that was paid for and its tidy tables are folders in it. `synthetic.json` is written
last, and names every file with its checksum.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from pydantic import Field

from leeward.core.codebook import Attribute, Codebook
from leeward.core.privacy import Person
from leeward.derived.settle.noisy_table import Integers
from leeward.publishing.bundle import Certificate
from leeward.publishing.bundle.bundle_files import CERTIFICATE, README, SYNTHETIC, sha256
from leeward.publishing.bundle.certificate import BundleName, Time
from leeward.publishing.bundle.certified_table import TableName
from leeward.publishing.bundle.disk import new_file, write_file
from leeward.publishing.bundle.promise_statements import PromiseStatement
from leeward.publishing.bundle.sealed_folder import Faults, SealedFolder, SealedStatement, fixed
from leeward.publishing.bundle.statements import (
    Count,
    FileStatement,
    Listed,
    Prose,
    Sha256,
    Statement,
    TableGuarantee,
    Text,
)
from leeward.systems.synth.assignment import MISSING, Jobs

WORKPLACES, WORKERS, JOBS = "workplaces.parquet", "workers.parquet", "jobs.parquet"
CODEBOOK, PLAN = "codebook.yaml", "plan.yaml"
FILES = (CODEBOOK, JOBS, PLAN, README, WORKERS, WORKPLACES)
WORKPLACE, WORKER = "workplace_id", "worker_id"
KEYS = {
    "workplaces": {"id": WORKPLACE},
    "workers": {"id": WORKER},
    "jobs": {"worker": WORKER, "workplace": WORKPLACE},
}
LEFT_OUT_OF_PLANS = ("jobs", "rows", "sizes")
"""Keys of a plan that say nothing about rows of which each has a worker of its own."""

ONE_JOB = {"max_per_worker": 1}
"""What a plan that protects persons says of such rows."""

MOST_BYTES = 2 << 20
"""Maximum size in bytes of what a folder says about itself: names, checksums, some sentences."""


class GuideStatement(Statement):
    """A coarse table that crosses codes.

    `kept` is the share of what it shows in all its workplaces together that was not taken for
    noise; null where it is not followed.
    """

    table: TableName
    followed: bool
    kept: Annotated[float, Field(ge=0, le=1)] | None
    sentence: Prose


class SourceStatement(Statement):
    """A folder of tables that the rows follow from, by the checksum of its certificate."""

    name: BundleName
    certificate: Sha256


class SyntheticStatement(SealedStatement):
    """What the folder says about itself."""

    kind: Literal["synthetic"]
    format: Literal[1]
    name: BundleName
    leeward: Text
    created: Time
    guarantee: TableGuarantee
    worker: PromiseStatement
    establishment: PromiseStatement | None
    measured: SourceStatement
    tidy: SourceStatement
    seed: Annotated[str, Field(pattern=r"^[0-9]{1,60}$")]
    jobs: Count
    workplaces: Count
    reproduced: Listed[TableName]
    guides: Listed[GuideStatement]
    says: Listed[Prose]
    files: dict[str, FileStatement]

    @property
    def stamped(self) -> tuple[str, ...]:
        """The files of rows and the texts about them."""
        return FILES

    @property
    def folders(self) -> tuple[str, ...]:
        """The release and its tidy tables."""
        return self.measured.name, self.tidy.name


LINKED = SealedFolder(
    SyntheticStatement,
    Faults(
        form="must be what `leeward synth linked` writes",
        unlisted="does not list exactly the files of the folder",
    ),
    fixed(MOST_BYTES),
    name=SYNTHETIC,
    parameter=SYNTHETIC,
)


def read_statement(folder: Path) -> SyntheticStatement:
    """What a folder of synthetic rows says about itself."""
    return LINKED.read(folder)


def source_of(folder: Path) -> SourceStatement:
    """A folder of tables, by its checksum."""
    return SourceStatement(name=folder.name, certificate=sha256(folder / CERTIFICATE))


def write_workplaces(
    folder: Path, attributes: Sequence[Attribute], positions: Mapping[str, Integers], number: int
) -> None:
    """Numbered establishments with their public codes."""
    ids = np.arange(1, 1 + number)
    columns = {
        attribute.name: _codes(attribute.codes, positions[attribute.name])
        for attribute in attributes
    }
    table = pa.table({WORKPLACE: pa.array(ids, pa.int64()), **columns})
    with new_file(folder / WORKPLACES) as file:
        pq.write_table(table, file, compression="zstd")


def write_jobs(
    folder: Path,
    attributes: Sequence[Attribute],
    jobs: Iterable[tuple[Jobs, Integers]],
) -> int:
    """Workers and jobs block by block, each job with its workplace's number; how many there are."""
    of_workers, of_jobs = (
        [attribute.name for attribute in attributes if attribute.table == table]
        for table in ("workers", "jobs")
    )
    text, number = pa.dictionary(pa.int32(), pa.string()), pa.int64()
    people = pa.schema([(WORKER, number), *((name, text) for name in of_workers)])
    places = pa.schema([(WORKER, number), (WORKPLACE, number), *((name, text) for name in of_jobs)])
    done = 0
    with (
        new_file(folder / WORKERS) as first,
        new_file(folder / JOBS) as second,
        pq.ParquetWriter(first, people, compression="zstd") as workers,
        pq.ParquetWriter(second, places, compression="zstd") as written,
    ):
        for block, workplace in jobs:
            ids = pa.array(np.arange(done + 1, done + 1 + len(workplace)), number)
            done += len(workplace)
            codes = {
                attribute.name: _codes(attribute.codes, block.columns[attribute.name])
                for attribute in attributes
            }
            mine = [ids, *(codes[name] for name in of_workers)]
            theirs = [ids, pa.array(workplace, number), *(codes[name] for name in of_jobs)]
            workers.write_table(pa.Table.from_arrays(mine, schema=people))
            written.write_table(pa.Table.from_arrays(theirs, schema=places))
    return done


def _codes(codes: Sequence[str], at: Integers) -> pa.DictionaryArray:
    places = pa.array(at.astype(np.int32), mask=at == MISSING)
    return pa.DictionaryArray.from_arrays(places, pa.array(codes, pa.string()))


def write_texts(
    folder: Path, codebook: Codebook, attributes: Sequence[Attribute], plan: Mapping[str, Any]
) -> None:
    """The codebook of the rows, and the plan that makes the same tables of them."""
    names = {attribute.name for attribute in attributes}
    declared = {attribute.name: _declared(attribute) for attribute in attributes}
    for attribute in attributes:  # in columns of their own names; coarser ones follow from them
        for name, parents in codebook.parents(attribute.name).items():
            if name not in declared and codebook.attributes[name].may_be_tabulated:
                coarse = codebook.attributes[name]
                declared[name] = _declared(coarse, attribute.name, parents)
    ruled_out = [dict(codes) for codes in codebook.impossible if {*codes} <= names]
    impossible = {"impossible": ruled_out} if ruled_out else {}
    write_file(folder / CODEBOOK, _yaml({"tables": KEYS, "attributes": declared, **impossible}))
    kept = {key: value for key, value in plan.items() if key not in LEFT_OUT_OF_PLANS}
    kept["protect"] = {key: value for key, value in kept["protect"].items() if key != "unit"}
    if kept["protect"]["policy"] == Person.name:
        kept["jobs"] = ONE_JOB
    data = {"workplaces": WORKPLACES, "workers": WORKERS, "jobs": JOBS}
    write_file(folder / PLAN, _yaml({"data": data, **kept, "codebook": CODEBOOK}))


def _yaml(content: object) -> bytes:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100).encode()


def _declared(
    attribute: Attribute, origin: str | None = None, parents: Mapping[str, str] | None = None
) -> dict[str, object]:
    written: dict[str, object] = {"table": attribute.table}
    if attribute.of_workplaces:
        written["public"] = True
    if origin is not None:
        written |= {"from": origin, "map": dict(parents or {})}
    written["codes"] = dict(zip(attribute.codes, attribute.labels, strict=True))
    if origin is None and attribute.complete:
        other = attribute.missing if attribute.numbers is not None else attribute.unlisted
        for key, at in (("other", other), ("null_as", attribute.missing)):
            if at is not None:
                written[key] = attribute.codes[at]
    if attribute.total is not None:
        written["total"] = attribute.total
    return written


def seal(folder: Path, release: Certificate, stated: Mapping[str, Any]) -> SyntheticStatement:
    """Write the README and, when everything is on disk, what the folder says about itself."""
    written = "".join(f"{line}\n\n" for line in ("Synthetic rows", *stated["says"]))
    write_file(folder / README, written.encode())
    return LINKED.seal(
        folder,
        SyntheticStatement(
            kind="synthetic",
            format=1,
            name=folder.name,
            leeward=version("leeward"),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            guarantee=TableGuarantee.of(release.guarantee.as_guarantee()),
            worker=release.worker,
            establishment=release.establishment,
            files={},
            **stated,
        ),
    )
