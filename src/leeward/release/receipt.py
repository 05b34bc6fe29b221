"""Receipt: that the rows of these very tables passed the check of this very codebook.

It stays inside: it holds a plain digest of confidential files.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from leeward.errors import BadFile
from leeward.release.plan import Plan

MOST_BYTES = 10_000


@dataclass(frozen=True)
class Receipt:
    """Digests of the data, the codebook and the jobs rule that were checked together, by whom."""

    data: str
    codebook: str
    jobs: str
    leeward: str

    @classmethod
    def of(cls, plan: Plan, data_digest: str) -> "Receipt":
        """The receipt that a passed check of this plan's data earns."""
        return cls(data_digest, plan.codebook_digest, repr(plan.jobs), version("leeward"))


def receipt_path(plan: Plan) -> Path:
    """Beside the plan."""
    return plan.path.with_name(f"{plan.path.stem}.receipt.json")


def write_receipt(receipt: Receipt, path: Path) -> None:
    """Write it for the owner's eyes alone."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(receipt), file, indent=1)
    except OSError as error:
        raise BadFile(
            "receipt",
            rule=f"must be writable ({error.strerror})",
            value=repr(str(path)),
            next_step="The check itself passed. Make the plan's folder writable, or the release "
            "looks at the rows again.",
        ) from None


def accepted(plan: Plan, data_digest: str) -> bool:
    """Whether a receipt beside the plan speaks of these data and this codebook."""
    try:
        text = receipt_path(plan).read_bytes()[:MOST_BYTES]
        held = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(held, Mapping) and held == asdict(Receipt.of(plan, data_digest))
