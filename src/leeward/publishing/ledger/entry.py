"""One entry of the ledger: what happened, and a hash that covers it and the entry before."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from leeward.core.errors import Damaged, InvalidParameter
from leeward.core.exact import alpha_text
from leeward.core.privacy import Guarantee
from leeward.core.privacy.guarantee import JOB_LOSSES
from leeward.core.privacy.words import both_losses
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.notation import PLUS, READ_AT, UNIT, digest, plain, read_guarantee
from leeward.publishing.ledger.subject import (
    FIRST_PARTS,
    FOURTH_PARTS,
    PART,
    SECOND_PARTS,
    SUBJECT_PARTS,
    Subject,
    read_subject,
)

FORMAT = 6
"""Format of new entries; an entry of format 1 has no `format` key."""

FORMATS = (2, 3, 4, 5, FORMAT)
"""What `format` may be."""

EVERY = frozenset({"kind", "account", "time", "format"})
KINDS = {
    "opened": EVERY | {"cap", "box"},
    "reserved": EVERY
    | {"charge", "paid", "subject", "corrects", "salt", "same_establishments", "unchecked"},
    "committed": EVERY | {"names", "digest"},
    "failed": EVERY | {"names", "reason"},
    "withdrawn": EVERY | {"names", "reason"},
}
"""The exact keys of each kind of entry."""

PARTS_OF_SUBJECTS = {1: FIRST_PARTS, 2: SECOND_PARTS, 3: SECOND_PARTS, 4: FOURTH_PARTS}
"""The exact keys of a subject in entries of earlier formats."""

NEW_PARTS = {3: frozenset({PLUS, UNIT, READ_AT}), 6: frozenset(JOB_LOSSES)}
"""The parts that a guarantee may have since a format: 3 Δ, unit, the δ of ρ; 6 those of one job."""

SINCE_2 = frozenset({"format", "salt", "same_establishments"})
"""Keys that format 2 added."""

SINCE_5 = frozenset({"unchecked"})
"""Keys that format 5 added."""

ADDED = {2: SINCE_2, 4: {"box"}, 5: SINCE_5}
"""The keys that each format added."""

PARTS, BY_PARTS = "parts", 6
"""Key of the opening of an account by parts of the frame, and the format since which it may be."""

NUMBERS = frozenset({"names", "corrects"})
OPTIONAL = frozenset({"box", "corrects", "same_establishments", "unchecked"})
GUARANTEES = frozenset({"cap", "charge", "paid"})
OBJECTS = GUARANTEES | {"box", "subject"}


@dataclass(frozen=True)
class Anchor:
    """Number, hash and ledger of an entry, as bundles keep them; 0 is the empty ledger."""

    number: int
    hash: str
    ledger: str

    def __post_init__(self) -> None:
        if type(self.number) is not int or self.number < 0:
            step = "Copy the anchor from the certificate of a bundle."
            raise InvalidParameter.not_whole("number", self.number, 0, next_step=step)
        digest(self.hash, "hash")
        plain(self.ledger, "ledger")


@dataclass(frozen=True)
class Entry:
    """An entry that agrees with its own hash and holds what its kind holds.

    `text` is the body as it is hashed, `previous` the hash of the entry before.
    """

    number: int
    previous: str
    text: str
    hash: str
    ledger: str
    body: Mapping[str, object] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        entry = f"entry {self.number}"
        if self.hash != link(self.number, self.previous, self.text):
            raise damaged(f"{entry}: its text does not agree with its hash")
        try:
            body = json.loads(self.text)
        except (ValueError, RecursionError):
            raise damaged(f"{entry}: its text cannot be read") from None
        unknown = damaged(f"{entry}: it is of no known kind")
        if not isinstance(body, dict):
            raise unknown
        keys, edition = KINDS.get(str(body.get("kind"))), body.get("format", 1)
        if keys is None or type(edition) is not int:
            raise unknown
        later = (added for since, added in ADDED.items() if since > edition)
        by_parts = {PARTS} if body["kind"] == "opened" and edition >= BY_PARTS else set[str]()
        if body.keys() - by_parts != keys.difference(*later):
            raise unknown
        known = PARTS_OF_SUBJECTS.get(edition, SUBJECT_PARTS)
        if edition >= BY_PARTS and isinstance(subject := body.get("subject"), dict):
            known |= {PART} & subject.keys()
        if not all(_fits(name, value, known) for name, value in body.items()):
            raise damaged(f"{entry}: it holds a value of the wrong type")
        stated = [body[name] for name in GUARANTEES & body.keys()]
        new = {part for since, parts in NEW_PARTS.items() if since > edition for part in parts}
        if any(parts.keys() & new for parts in stated if isinstance(parts, dict)):
            raise damaged(f"{entry}: it states a guarantee that its format does not know")
        object.__setattr__(self, "body", body)

    @classmethod
    def after(cls, head: Anchor, body: Mapping[str, object]) -> "Entry":
        """The entry that follows the head of a ledger."""
        number = head.number + 1
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return cls(number, head.hash, text, link(number, head.hash, text), head.ledger)

    @property
    def kind(self) -> str:
        """One of opened, reserved, committed, failed, withdrawn."""
        return str(self.body["kind"])

    @property
    def format(self) -> int:
        """Of which format the entry is, from 1."""
        return self._number("format") or 1

    @property
    def account(self) -> str:
        return str(self.body["account"])

    @property
    def time(self) -> str:
        """When it was written, in UTC, by the clock of the machine."""
        return str(self.body["time"])

    @cached_property
    def cap(self) -> Guarantee | None:
        """What an opened account may lose in all."""
        return self._guarantee("cap")

    @cached_property
    def box(self) -> Box | None:
        """How the cap of an opened account is divided; None where one kind of charge uses it."""
        box = self.body.get("box")
        return None if box is None else Box.read(box)

    @property
    def parts(self) -> str | None:
        """The attribute by whose codes an account is kept; None where it is one sum."""
        return self._text(PARTS)

    @cached_property
    def charge(self) -> Guarantee | None:
        """What a reserved release costs, as the release states it."""
        return self._guarantee("charge")

    @cached_property
    def paid(self) -> Guarantee | None:
        """The same cost under the policy and α of the account: this is what adds up."""
        return self._guarantee("paid")

    @property
    def subject(self) -> Subject | None:
        """What a reserved entry pays for."""
        subject = self.body.get("subject")
        return read_subject(subject) if isinstance(subject, Mapping) else None

    @property
    def names(self) -> int | None:
        """The reserved entry that a committed, failed or withdrawn one is about."""
        return self._number("names")

    @property
    def corrects(self) -> int | None:
        """The earlier reserved entry whose release this one corrects."""
        return self._number("corrects")

    @property
    def salt(self) -> str | None:
        """Random digits of a charge, so that no fingerprint is ever made twice."""
        return self._text("salt")

    @property
    def same_establishments(self) -> str | None:
        """The reason given for establishments that most are also in another account."""
        return self._text("same_establishments")

    @property
    def unchecked(self) -> str | None:
        """The reason given for data that were released without a check."""
        return self._text("unchecked")

    @property
    def digest(self) -> str | None:
        return self._text("digest")

    @property
    def reason(self) -> str | None:
        """Why a release failed or was withdrawn."""
        return self._text("reason")

    @property
    def anchor(self) -> Anchor:
        """What a certificate keeps of this entry."""
        return Anchor(self.number, self.hash, self.ledger)

    def _guarantee(self, name: str) -> Guarantee | None:
        return read_guarantee(self.body[name]) if name in self.body else None

    def _number(self, name: str) -> int | None:
        number = self.body.get(name)
        return number if isinstance(number, int) else None

    def _text(self, name: str) -> str | None:
        text = self.body.get(name)
        return text if isinstance(text, str) else None


def link(number: int, previous: str, text: str) -> str:
    """SHA-256 over number, hash before and body, a line each; the first two hold no line break."""
    return sha256(f"{number}\n{previous}\n{text}".encode()).hexdigest()


def _fits(name: str, value: object, subject_parts: frozenset[str]) -> bool:
    if value is None:
        return name in OPTIONAL
    if name == "subject":
        return isinstance(value, dict) and value.keys() == subject_parts
    if name == "format":
        return type(value) is int and value in FORMATS
    if name in OBJECTS:
        return isinstance(value, dict)
    return type(value) is int if name in NUMBERS else isinstance(value, str)


def damaged(finding: str) -> Damaged:
    """The refusal to use a ledger that is not what was written."""
    return Damaged(
        "ledger",
        rule="every entry must be as it was written",
        value=finding,
        next_step="Release nothing from it and run `leeward ledger verify`.",
    )


def price(guarantee: Guarantee) -> str:
    """Policy and losses in one line."""
    alpha = "" if guarantee.alpha is None else f", alpha {alpha_text(guarantee.alpha)}"
    plus = f", plus {guarantee.plus}" if (guarantee.plus or 1) > 1 else ""
    unit = ", unit employer" if guarantee.unit == "employer" else ""
    return f"{guarantee.policy.name}{alpha}{plus}{unit}, {both_losses(guarantee)}"


def happened(entry: Entry) -> str:
    """What an entry says, for a person."""
    if entry.kind == "reserved":
        if entry.charge is None or entry.subject is None:
            return ""
        part = "" if entry.subject.part is None else f", part {' '.join(entry.subject.part)}"
        corrects = f", corrects entry {entry.corrects}" if entry.corrects else ""
        reason = entry.same_establishments
        shared = "" if reason is None else f", establishments of another account ({reason})"
        unchecked = "" if entry.unchecked is None else f", data not checked ({entry.unchecked})"
        return (
            f"charged {price(entry.charge)} for {entry.subject.bundle} "
            f"({entry.subject.period}){part}{corrects}{shared}{unchecked}"
        )
    texts = {
        "opened": "account opened",
        "committed": f"entry {entry.names} committed: its bundle is complete",
        "failed": f"entry {entry.names} failed ({entry.reason}); its charge stays",
        "withdrawn": f"entry {entry.names} withdrawn ({entry.reason}); its charge stays",
    }
    return texts[entry.kind]


def line(entry: Entry) -> str:
    """An entry in one line."""
    return f"{entry.number:>4}  {entry.time}  {happened(entry)}"
