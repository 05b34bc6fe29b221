"""Sign-off: who submitted a bundle and who decided on it, in a record beside the bundle.

A record names the checksum of the certificate, so it belongs to exactly this bundle. It is a note
of decisions, not a cryptographic signature: a person who may write the folder may write it.
"""

import fcntl
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, BinaryIO, Literal, get_args
from unicodedata import category, normalize

from pydantic import StringConstraints, ValidationError, field_validator

from leeward.core.errors import BadFile, Damaged, InvalidParameter, LeewardError, shown
from leeward.publishing.bundle.bundle_files import CERTIFICATE, SYNTHETIC
from leeward.publishing.bundle.certificate import Time
from leeward.publishing.bundle.statements import (
    Sha256,
    Statement,
)

Decision = Literal["submitted", "approved", "rejected"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
MOST_BYTES = 1 << 20
"""Maximum size of a record in bytes."""

SAFELY = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Open flags: no symlink is followed, and a pipe does not block."""

INVISIBLE = frozenset(
    map(chr, [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, *range(0x180B, 0x1810),
              *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)  # fmt: skip
"""Letters and marks that show nothing; other such signs are known by their category."""

Line = Annotated[
    str,
    # Bidirectional controls would let one name be read as another.
    StringConstraints(
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]{1,200}$",
    ),
]


class SignOff(Statement):
    """One line of the record."""

    certificate: Sha256
    name: Line
    role: Line
    decision: Decision
    date: Time

    @field_validator("name")
    @classmethod
    def _has_a_letter(cls, name: str) -> str:
        if not _words(name):
            raise ValueError("must have a letter")
        return name


def record_path(bundle: Path) -> Path:
    """The path of the record: beside the bundle, whose checksums allow no further file."""
    folder = bundle.resolve()
    return folder.with_name(f"{folder.name}.sign-off.jsonl")


def certificate_digest(bundle: Path) -> str:
    """SHA-256 of the certificate, which the record and the ledger keep.

    Of synthetic rows it is that of what their folder says about itself.
    """
    rows = bundle / SYNTHETIC
    path = rows if rows.is_file() else bundle / CERTIFICATE
    return sha256(path.read_bytes()).hexdigest()


def read_sign_offs(bundle: Path) -> tuple[SignOff, ...]:
    """Every line of the record, in order; none if there is no record."""
    path = record_path(bundle)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | SAFELY), "rb") as file:
            return _lines(file, path)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise _unusable(path, error) from None


def standing(records: Iterable[SignOff], certificate: str) -> SignOff | None:
    """The latest decision on this certificate."""
    about = [record for record in records if record.certificate == certificate]
    return next((off for off in reversed(about) if off.decision != "submitted"), None)


def sign(
    bundle: Path, name: str, role: str, decision: str, *, verified: str | None = None
) -> SignOff:
    """Add one line to the record of a bundle that was verified before; on disk when it returns.

    `verified` is the digest of the certificate from before it was; another one is not signed.
    """
    record = _new_record(certificate_digest(bundle), name, role, decision)
    if verified not in (None, record.certificate):
        raise Damaged(
            "bundle",
            rule="must stay the same while it is verified and signed",
            value=f"another certificate in {str(bundle)!r}",
            next_step="Find out who replaced it, then verify and sign again.",
        )
    path = record_path(bundle)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | SAFELY
    try:
        with os.fdopen(os.open(path, flags, 0o644), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # one process at a time reads and adds
            earlier = [
                line for line in _lines(file, path) if line.certificate == record.certificate
            ]
            _check_order(record, earlier)
            file.write((record.model_dump_json() + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unusable(path, error) from None
    return record


def _new_record(certificate: str, name: str, role: str, decision: str) -> SignOff:
    given = {"name": " ".join(name.split()), "role": " ".join(role.split()), "decision": decision}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return SignOff.model_validate({"certificate": certificate, "date": now, **given})
    except ValidationError as error:
        part = str(error.errors()[0]["loc"][0])
        rules = {"decision": f"must be one of {', '.join(DECISIONS)}"}
        raise InvalidParameter(
            f"--{part}",
            rule=rules.get(part, "must be one line of 1 to 200 plain characters"),
            value=shown(given[part]) if given[part] else "nothing",
            next_step="Give it with --sign-off.",
        ) from None


def same_person(name: str, other: str) -> bool:
    """Whether two names are equal up to case, blanks, punctuation and the order of the words.

    It recognises other ways of writing a name (`Surname, Name`), not another name.
    """
    left, right = _words(name), _words(other)
    return "".join(left) == "".join(right) or sorted(left) == sorted(right)


def _words(name: str) -> list[str]:
    """The words of a name: letters, marks and digits that can be seen, in one spelling."""
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    seen = "".join(sign for sign in folded if category(sign)[0] != "C" and sign not in INVISIBLE)
    groups = groupby(seen, lambda sign: category(sign)[0] in "LMN")
    return ["".join(signs) for is_word, signs in groups if is_word]


def _check_order(record: SignOff, earlier: Sequence[SignOff]) -> None:
    """A bundle is submitted by one person and decided on by another."""
    submitters = [off.name for off in earlier if off.decision == "submitted"]
    deciders = [off.name for off in earlier if off.decision != "submitted"]
    if record.decision == "submitted":
        if any(same_person(record.name, name) for name in deciders):
            raise _refused(record, "must not be submitted by someone who has decided on it")
        return
    if not submitters:
        raise _refused(record, "must be submitted before it is decided on", "submit it first")
    if any(same_person(record.name, name) for name in submitters):
        raise _refused(record, "must be decided on by someone other than who submitted it")


def _refused(record: SignOff, rule: str, step: str = "let another person sign") -> LeewardError:
    return InvalidParameter(
        "--sign-off",
        rule=f"a bundle {rule}",
        value=f"{record.decision} by {shown(record.name)}",
        next_step=f"{step[0].upper()}{step[1:]}.",
    )


def _lines(file: BinaryIO, path: Path) -> tuple[SignOff, ...]:
    if not S_ISREG(os.fstat(file.fileno()).st_mode):
        raise _damaged(path, "must be a plain file")
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _damaged(path, "must be at most 1 MB")
    if content and not content.endswith(b"\n"):
        raise _damaged(path, "must end with a whole line")
    try:
        return tuple(SignOff.model_validate_json(line) for line in content.splitlines())
    except ValidationError:
        raise _damaged(path, "must hold one sign-off on each line") from None


def _damaged(path: Path, rule: str) -> Damaged:
    return Damaged(
        "sign-off",
        rule=rule,
        value=repr(str(path)),
        next_step="Mend the line, or keep the file elsewhere and sign anew.",
    )


def _unusable(path: Path, error: OSError) -> BadFile:
    return BadFile(
        "sign-off",
        rule=f"must be a file that can be read and written ({error.strerror})",
        value=repr(str(path)),
        next_step="Look at the folder of the bundle.",
    )
