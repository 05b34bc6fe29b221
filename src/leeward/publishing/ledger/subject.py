"""What a charge is for: which plan on which data, where it goes, and the cost of each table."""

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from leeward.core.errors import InvalidParameter, shown
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger.notation import digest, plain, read_guarantee, words, written
from leeward.publishing.ledger.part_sums import Part

SIZE = 1024
"""Hashes in a sketch: enough to tell an overlap of one half from all or nothing."""

BYTES = 8
ALL = 2 ** (8 * BYTES) - 1


@dataclass(frozen=True)
class FrameSketch:
    """The 1,024 smallest hashes of a frame, ascending, or all of them where there are fewer."""

    hashes: tuple[int, ...]

    def __post_init__(self) -> None:
        hashes = self.hashes
        rises = all(low < high for low, high in pairwise(hashes))
        if len(hashes) > SIZE or not rises or (hashes and not 0 <= hashes[0] <= hashes[-1] <= ALL):
            raise _no_sketch(f"{len(hashes)} numbers that are none")

    @classmethod
    def of(cls, digits: Iterable[str]) -> "FrameSketch":
        """The sketch of hashes in hexadecimal digits, as an engine gives them."""
        return cls(tuple(int(text, 16) for text in digits))

    @classmethod
    def read(cls, text: object) -> "FrameSketch":
        """Read a sketch from its base64 text."""
        try:
            packed = b64decode(text, validate=True) if isinstance(text, str) else b"?"
        except (Error, ValueError):
            raise _no_sketch(text) from None
        if len(packed) % BYTES:
            raise _no_sketch(text)
        parts = (packed[at : at + BYTES] for at in range(0, len(packed), BYTES))
        return cls(tuple(int.from_bytes(part) for part in parts))

    @property
    def written(self) -> str:
        """The hashes as an entry holds them: eight bytes each, the highest first, in base64."""
        return b64encode(b"".join(known.to_bytes(BYTES) for known in self.hashes)).decode()

    @property
    def _reach(self) -> int:
        """The largest hash up to which the frame is known completely."""
        return self.hashes[-1] if len(self.hashes) == SIZE else ALL

    def overlap(self, other: "FrameSketch") -> Fraction:
        """Share of the smaller frame that is in the other: exact where both are complete."""
        reach = min(self._reach, other._reach)
        mine, others = (
            {known for known in sketch.hashes if known <= reach} for sketch in (self, other)
        )
        fewer = min(len(mine), len(others))
        return Fraction(len(mine & others), fewer) if fewer else Fraction(0)


def _no_sketch(value: object) -> InvalidParameter:
    return InvalidParameter(
        "frame",
        rule=f"must be at most {SIZE} ascending numbers of 64 bits in base64",
        value=shown(value),
        next_step="Give what the engine's frame_sketch returns.",
    )


@dataclass(frozen=True)
class TableCharge:
    """One table of a release: the mechanism that makes it and what it costs."""

    name: str
    mechanism: str
    charge: Guarantee

    def __post_init__(self) -> None:
        plain(self.name, "name")
        plain(self.mechanism, "mechanism")

    def written(self) -> dict[str, object]:
        """The table as an entry holds it."""
        return {"name": self.name, "mechanism": self.mechanism, "charge": written(self.charge)}


NO_KINDS = "none"
"""`kinds` of a charge whose guarantee holds for all kinds of workers and all caps of pay."""


@dataclass(frozen=True)
class Subject:
    """One release: digest of its plan, sealed fingerprint of its data, period, bundle, tables.

    `jobs` is the rule for workers with several jobs, `kinds` a digest of the kinds of workers of
    the weak policy, or of the columns and caps of pay of the proportional one, or none: charges add
    up only for the same table and the same kinds. `frame` is the sketch of its establishments; None
    in entries without one. `plain_frame` is the sketch of their ids in plain form, without blanks,
    leading zeros and `.0`; None where it is the same sketch. `keys` are the columns that identify
    workplaces and workers, as pairs of their key in the codebook and their name.
    """

    plan: str
    data: str
    period: str
    bundle: str
    tables: tuple[TableCharge, ...]
    jobs: str = "single"
    kinds: str = NO_KINDS
    frame: str | None = None
    plain_frame: str | None = None
    part: Part | None = None
    """The part of the frame that it reads; None for the whole frame."""

    keys: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        digest(self.plan, "plan")
        digest(self.data, "data")
        plain(self.period, "period")
        plain(self.bundle, "bundle")
        plain(self.jobs, "jobs")
        plain(self.kinds, "kinds")
        for sketch in self.frames:
            FrameSketch.read(sketch)
        tables: object = self.tables
        if not isinstance(tables, tuple) or not {type(table) for table in tables} <= {TableCharge}:
            raise _unreadable(tables)

    @property
    def frames(self) -> tuple[str, ...]:
        """The sketches of its establishments, each once."""
        return tuple(sketch for sketch in (self.frame, self.plain_frame) if sketch is not None)

    def written(self) -> dict[str, object]:
        """The release as an entry holds it."""
        return {
            "plan": self.plan,
            "data": self.data,
            "period": self.period,
            "bundle": self.bundle,
            "tables": [table.written() for table in self.tables],
            "jobs": self.jobs,
            "kinds": self.kinds,
            "frame": self.frame,
            "plain_frame": self.plain_frame,
            **({} if self.part is None else {PART: dict([self.part])}),
            "keys": dict(self.keys),
        }


@dataclass(frozen=True)
class Reasons:
    """Why a release is charged although a rule speaks against it, in public words.

    `same_establishments`: most of its establishments are those of another account. `unchecked`: no
    check of its data is known.
    """

    same_establishments: str | None = None
    unchecked: str | None = None

    def __post_init__(self) -> None:
        if self.same_establishments is not None:
            plain(self.same_establishments, "same_establishments")  # blank in ledgers of before
        if self.unchecked is not None:
            words(self.unchecked, "unchecked")


NO_REASONS = Reasons()

FIRST_PARTS = frozenset({"plan", "data", "period", "bundle", "tables", "jobs", "kinds"})
"""Keys of a subject in an entry of format 1."""

SECOND_PARTS = FIRST_PARTS | {"frame"}
"""Keys of a subject in entries of formats 2 and 3."""

FOURTH_PARTS = SECOND_PARTS | {"keys"}
"""Keys of a subject in an entry of format 4."""

SKETCHES = frozenset({"frame", "plain_frame"})
"""Keys of a subject that statements leave out."""

SUBJECT_PARTS = FOURTH_PARTS | {"plain_frame"}
PART = "part"
"""Key of a subject that reads a part of the frame; the others do not have it."""

TABLE_PARTS = frozenset({"name", "mechanism", "charge"})


def read_subject(parts: Mapping[str, object]) -> Subject:
    """Read a release from an entry."""
    texts = {name: plain(parts[name], name) for name in FIRST_PARTS - {"tables"}}
    tables, charges = parts["tables"], []
    if not isinstance(tables, list):
        raise _unreadable(tables)
    for table in tables:
        if not isinstance(table, Mapping) or table.keys() != TABLE_PARTS:
            raise _unreadable(table)
        cost = read_guarantee(table["charge"])
        charges.append(TableCharge(table["name"], table["mechanism"], cost))
    sketches = (parts.get(name) for name in ("frame", "plain_frame"))
    frame, plain_frame = (None if sketch is None else str(sketch) for sketch in sketches)
    stated = parts.get("keys", {})
    keys: list[tuple[str, Any]]
    keys = sorted(stated.items()) if isinstance(stated, Mapping) else [("", None)]
    if not all(isinstance(name, str) for _, name in keys):
        raise InvalidParameter(
            "keys",
            rule="must be names of columns",
            value=shown(stated),
            next_step="Give the key columns of the codebook.",
        )
    return Subject(
        **texts,
        tables=tuple(charges),
        frame=frame,
        plain_frame=plain_frame,
        part=read_part(parts.get(PART)),
        keys=tuple(keys),
    )


def read_part(stated: object) -> Part | None:
    """The part of the frame of a subject, as an entry states it."""
    if stated is None:
        return None
    if not isinstance(stated, Mapping) or len(stated) != 1:
        raise _unreadable(stated)
    ((name, code),) = stated.items()
    return plain(name, "part"), plain(code, "part")


def _unreadable(tables: object) -> InvalidParameter:
    return InvalidParameter(
        "tables",
        rule="must be a tuple of table charges",
        value=shown(tables),
        next_step="Give one TableCharge for each table.",
    )
