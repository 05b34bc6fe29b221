"""Certificate: everything that a bundle states about itself, and the JSON Schema of it."""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, field_validator, model_validator

from leeward.core.codebook.legal_passages import Law
from leeward.core.exact import printed
from leeward.core.privacy import Person
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME, SCHEMA, TABLES, stamped_files
from leeward.publishing.bundle.certified_table import SINCE_3, CertifiedTable
from leeward.publishing.bundle.first_look import MOST_PARTS
from leeward.publishing.bundle.promise_statements import (
    CurveStatement,
    FirmStatement,
    JobsStatement,
    OddsStatement,
    PartsStatement,
    PayStatement,
    PromiseStatement,
)
from leeward.publishing.bundle.sealed_folder import Faults, SealedFolder, SealedStatement
from leeward.publishing.bundle.statements import (
    AboutStatement,
    BudgetStatement,
    Count,
    DataStatement,
    FileStatement,
    Hex,
    LedgerStatement,
    Listed,
    MadeFromStatement,
    ReleaseGuarantee,
    RowsStatement,
    SoftwareStatement,
    Text,
    json_parts,
)

FORMAT: Final = 3
"""Format of new certificates; those of formats 1 and 2 can be read."""

SINCE_2 = frozenset({"odds", "rows", "software"})
"""Keys that format 2 added and requires."""

UNKNOWN_IN_1 = SINCE_2 | {"make_up"}
"""Keys that format 2 added, required or not."""

LEFT_OUT = ("made_from", "pay", "about", "law", "parts", "curve")
"""Keys that format 3 added; left out where they say nothing."""

OLDER_SCHEMAS = {
    1: "de43e209c22b4377d4165baa36de40850497ad18a5ef70dfb6542be7ac26985f",
    2: "2f97a6ba116c0a86bbe28c9e2d9504c3cca6362271c029e05e2eedf8d0b27c1d",
}
"""SHA-256 of the JSON Schema in bundles of each older format."""

PARAMETER = "bundle"

MOST_CERTIFICATE_BYTES = 1 << 30
"""Maximum size of a certificate in bytes, whatever tables are beside it."""

CERTIFICATE_BYTES = 2 << 20
"""Size in bytes up to which a certificate is read beside any tables."""

PER_TABLE_BYTE = 1 << 10
"""Bytes of a larger one for each byte of its tables; lists of codes are compressed there."""

BYTES_PER_PART = 4
"""Bytes of tables for each further line of a certificate that is no code of a list."""

TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)$"

BundleName = Annotated[str, StringConstraints(pattern=BUNDLE_NAME)]
Time = Annotated[str, StringConstraints(pattern=TIME)]
Anchor = tuple[str, int, str]


class Certificate(SealedStatement):
    """The whole certificate. `files` is empty until the bundle is sealed."""

    format: Literal[1, 2, 3]
    name: BundleName
    leeward: Text
    software: SoftwareStatement | None = None
    created: Time
    period: Text
    account: Text
    plan: dict[str, JsonValue]
    plan_digest: Hex
    codebook_digest: Hex
    guarantee: ReleaseGuarantee
    worker: PromiseStatement
    establishment: PromiseStatement | None
    make_up: PromiseStatement | None = None
    firm: FirmStatement | None
    odds: OddsStatement | None = None
    curve: Listed[CurveStatement] | None = None
    """Left out where no size is protected, and by earlier versions."""

    weak_attributes: Listed[Text] | None
    jobs: JobsStatement
    rows: RowsStatement | None = None
    """None in certificates of format 1, which were all strict."""

    pay: PayStatement | None = None
    """Left out where no table reads pay, unless the policy is proportional."""

    about: AboutStatement | None = None
    """What the publication is called, and whom to ask; left out where the plan does not say."""

    parts: PartsStatement | None = None
    """How public filters keep tables apart; left out where the prices of the tables add up."""

    law: Law | None = None
    """What the office's law asks, for readers; left out where the plan names none."""

    data: DataStatement
    ledger: LedgerStatement
    budget: BudgetStatement
    corrects: Count | None
    made_from: MadeFromStatement | None = None
    """Left out of a release."""

    tables: Listed[CertifiedTable] = Field(min_length=1)
    files: dict[str, FileStatement] = Field(default_factory=dict)

    @field_validator("created")
    @classmethod
    def _is_a_time(cls, written: str) -> str:
        datetime.fromisoformat(written)
        return written

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        newer_keys = {name for name in UNKNOWN_IN_1 if getattr(self, name) is not None}
        if not (newer_keys >= SINCE_2 if self.format > 1 else not newer_keys):
            raise ValueError(f"{', '.join(sorted(SINCE_2))} must be there since format 2 alone")
        stated = (self.guarantee, self.budget.cap, *(table.guarantee for table in self.tables))
        newer: list[object] = []
        for guarantee in stated:
            newer += [guarantee.plus, guarantee.unit, guarantee.reading, guarantee.epsilon_job]
            newer += [guarantee.policy] if guarantee.policy in ("proportional", "person") else []
        newer += [getattr(table, key) for table in self.tables for key in SINCE_3]
        newer += [self.made_from, self.pay, self.about, self.law, self.curve, self.jobs.per]
        if self.format < FORMAT and any(part is not None for part in newer):
            keys = ", ".join(("plus", "unit", "reading", *SINCE_3, *LEFT_OUT))
            raise ValueError(f"{keys} must be there since format {FORMAT} alone")
        if any((table.tidied is None) != (self.made_from is None) for table in self.tables):
            raise ValueError(
                "tables are tidied if the bundle is made from another one, all of them"
            )
        if self.guarantee.policy == Person.name:
            self._limits_rows()
        elif self.jobs.per is not None or any(table.person_rows for table in self.tables):
            raise ValueError("person_rows and per must be there under the person policy alone")
        names = [table.name for table in self.tables]
        if len({name.lower() for name in names}) < len(names):
            raise ValueError("tables must have different names")
        if self.files and tuple(sorted(self.files)) != self.stamped:
            raise ValueError("files must be those of the tables and the texts beside them")
        return self

    def _limits_rows(self) -> None:
        """A person's rows are limited, and each table states as many as its codes let in."""
        if self.jobs.rule == "every":
            raise ValueError("the rows of a person must be limited under the person policy")
        for table in self.tables:
            most, kept = self.jobs.most or 1, 1
            if self.jobs.per is not None and table.statistic is None:
                kept = len(table.kept(self.jobs.per)) or 1
            if table.person_rows is None or table.person_rows < most * kept:
                raise ValueError("person_rows must be the rows of a person that a table counts")
            each = printed(table.parameters.get("epsilon", "0"))
            if each * table.person_rows > printed(table.guarantee.epsilon):
                raise ValueError("epsilon of a row times person_rows must be what a table costs")

    @property
    def stamped(self) -> tuple[str, ...]:
        """Every file whose checksum it holds; descriptions of tables came with format 3."""
        names = [table.name for table in self.tables]
        return stamped_files(self.name, names, described=self.format >= FORMAT)

    @property
    def anchor(self) -> Anchor:
        """Ledger id, entry and head: what the ledger can be asked to confirm."""
        return self.ledger.id, self.ledger.entry, self.ledger.head

    @property
    def origin(self) -> tuple[str, str]:
        """Name and certificate's digest of the release: of its source if it was made of one."""
        if self.made_from is not None:
            return self.made_from.name, self.made_from.certificate
        return self.name, sha256(self.to_json()).hexdigest()

    def table(self, name: str) -> CertifiedTable | None:
        """The table of this name; None if there is none."""
        return next((table for table in self.tables if table.name == name), None)

    @classmethod
    @cache
    def outline(cls) -> dict[str, Any]:
        """The schema that is published."""
        return dict(json.loads(published_schema()))

    def written(self) -> Iterator[bytes]:
        """The same in small parts."""
        unknown = {*UNKNOWN_IN_1} if self.format == 1 else set[str]()
        unknown |= {key for key in LEFT_OUT if getattr(self, key) is None}
        return json_parts(self.model_dump(mode="json", exclude=unknown))


def certificate_schema() -> dict[str, Any]:
    """The schema as the models give it (draft 2020-12)."""
    own = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:leeward:certificate:{FORMAT}",
    }
    new = sorted(SINCE_2)
    formats = {
        "if": {"properties": {"format": {"const": 1}}},
        "then": {"properties": dict.fromkeys(sorted(UNKNOWN_IN_1), False)},
        "else": {"required": new, "properties": {name: {"type": "object"} for name in new}},
    }
    return own | Certificate.model_json_schema() | formats


def schema_bytes() -> bytes:
    """The schema as a file."""
    return (json.dumps(certificate_schema(), indent=1, ensure_ascii=False) + "\n").encode()


@cache
def published_schema() -> bytes:
    """The schema as it was published with this package: what every bundle carries."""
    return files("leeward.publishing.bundle").joinpath(SCHEMA).read_bytes()


def is_published(schema: bytes, of_format: int) -> bool:
    """Whether this is the schema that bundles with certificates of this format carry."""
    if of_format in OLDER_SCHEMAS:
        return sha256(schema).hexdigest() == OLDER_SCHEMAS[of_format]
    return schema == published_schema()


def read_certificate(path: Path) -> Certificate:
    """A certificate that is written exactly as `Certificate.to_json` writes it."""
    return RELEASE.read(path.parent)


def _limits(folder: Path) -> tuple[int, int]:
    """A certificate may be the longer the larger the tables beside it are.

    Every code that it lists is in a Parquet file too.
    """
    beside = os.scandir(folder / TABLES) if (folder / TABLES).is_dir() else ()
    seen = (entry.stat(follow_symlinks=False) for entry in beside)
    tables = sum(file.st_size for file in seen if S_ISREG(file.st_mode))
    most = min(max(CERTIFICATE_BYTES, PER_TABLE_BYTE * tables), MOST_CERTIFICATE_BYTES)
    return most, MOST_PARTS + tables // BYTES_PER_PART


RELEASE = SealedFolder(
    Certificate,
    Faults(
        form="must be a certificate ({reason})",
        large="must be a file, and no larger than its tables can need",
        unlisted="",
    ),
    _limits,
    parameter=PARAMETER,
    next_step="Ask for the bundle again, or see what `leeward verify` finds.",
)
damaged = RELEASE.damaged
