"""File request: what is asked of one file by one method, settled when it is made."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from leeward.core.errors import InvalidParameter


@dataclass(frozen=True)
class FileRequest(ABC):
    """One file; everything that can be refused without reading it has been."""

    file: Path

    @property
    @abstractmethod
    def decisive(self) -> Mapping[str, object]:
        """All that decides what is released from the file, as plain values."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides what is released from the file."""
        return sha256(json.dumps(self.decisive, sort_keys=True).encode()).hexdigest()


def require_method(method: str, methods: Sequence[str], next_step: str) -> None:
    """Refuse a method that is not there."""
    if method not in methods:
        raise InvalidParameter.unknown("--method", method, methods, next_step=next_step)
