"""Audited: the result of an audit of this installation, kept for later review sheets.

It is kept under the digest of the program's files, so that the result of one program is never told
of another.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leeward.core.show.numbers import count, counted
from leeward.core.state import read_own, replace_own, require_own, state_folder
from leeward.publishing.bundle.software import package_digest

AUDITS = "audits"
MOST_BYTES = 10_000
"""Maximum size of a kept result in bytes."""


@dataclass(frozen=True)
class Audited:
    """How many rows an audit had and how many were not as expected, of which program, and when."""

    program: str
    when: str
    rows: int
    unexpected: int

    @classmethod
    def of(cls, as_expected: Iterable[bool]) -> "Audited":
        """The result of an audit that ended now, of the running program."""
        verdicts = list(as_expected)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(package_digest(), now, len(verdicts), verdicts.count(False))

    @property
    def sound(self) -> bool:
        """Whether something was examined, and all of it was as expected."""
        return self.rows > 0 and self.unexpected == 0

    @property
    def words(self) -> str:
        """The finding in a sentence."""
        rows = counted(self.rows, "row")
        if not self.sound:
            return f"{count(self.unexpected)} of {rows} NOT as expected."
        return f"All {rows} as expected: every mechanism confirmed, every broken twin rejected."

    def keep(self) -> None:
        """Keep it for later; where that is not possible, the next sheet audits again."""
        with suppress(OSError):
            path = _path(self.program)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_own(path.parent)
            replace_own(path, json.dumps(asdict(self)).encode())


def kept() -> Audited | None:
    """The result of the running program; None where none was kept."""
    program = package_digest()
    try:
        path = _path(program)
        require_own(path.parent)
        written: Any = json.loads(read_own(path, MOST_BYTES))
        audited = Audited(**written)
    except (OSError, ValueError, TypeError):
        return None
    known = audited.program == program and isinstance(audited.when, str)
    numbers = (audited.rows, audited.unexpected)
    return audited if known and all(isinstance(number, int) for number in numbers) else None


def _path(program: str) -> Path:
    return state_folder() / AUDITS / f"{program}.json"
