"""Receipt: a check of these very tables with this very codebook has ended, and how.

Every check that ends writes one, whatever it found: a release asks for it, so whether there is one
must not depend on rows. It is in the user's state folder and not beside the plan, which may be
given away. It is sealed with a key that only its owner can read, like the receipt itself.
"""

import hmac
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from leeward.core.codebook import EVERY_STEP, Steps
from leeward.core.errors import BadFile
from leeward.core.randomness import SecretBits
from leeward.core.state import create_own, read_own, replace_own, require_own, state_folder
from leeward.publishing.bundle.software import package_digest
from leeward.publishing.plan.plan import Plan

MOST_BYTES = 10_000
KEY_BYTES = 32
KEY = "receipts.key"


@dataclass(frozen=True, repr=False)
class Receipt:
    """Whether the rows `passed` a check, and the steps without which they would count differently.

    CONFIDENTIAL, so neither is in its repr.
    """

    passed: bool
    steps: Steps

    def sealed(self, key: bytes, name: str) -> dict[str, object]:
        """What its file holds; the name stands for data, codebook, rules and program."""
        said = {"passed": self.passed, "steps": sorted(self.steps)}
        return {**said, "seal": _keyed(key, json.dumps([name, said]))}


@dataclass(frozen=True, repr=False)
class Receipts:
    """Where the receipts of a plan are: of all that their names depend on, only the data lack.

    CONFIDENTIAL: the key, which is not in its repr. Without a key there is no receipt.
    """

    folder: Path
    key: bytes | None
    rules: str

    @classmethod
    def of(cls, plan: Plan, *, make: bool = False) -> "Receipts":
        """Those of a plan; with `make` the folder and the key are made where they are missing."""
        reading = [plan.resources.encoding, plan.resources.quotes]
        rules = [plan.codebook_digest, repr(plan.jobs), plan.strict, *reading, package_digest()]
        try:
            folder = state_folder()
            if make:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_own(folder)
            return cls(folder, _key(folder, make=make), json.dumps(rules))
        except (OSError, RuntimeError):  # RuntimeError: there is no home folder
            if make:
                raise
            return cls(Path(), None, json.dumps(rules))

    def found(self, data_digest: str) -> Receipt | None:
        """The receipt of these data; a file that cannot be read is none."""
        if self.key is None:
            return None
        path = self._path(self.key, data_digest)
        try:
            content = json.loads(read_own(path, MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(content, Mapping) or not isinstance(content.get("steps"), list):
            return None
        steps = frozenset(map(str, content["steps"])) & EVERY_STEP
        receipt = Receipt(content.get("passed") is True, steps)
        seal = receipt.sealed(self.key, path.name)["seal"]
        stated = str(content.get("seal")).encode("utf-8", "surrogatepass")
        return receipt if hmac.compare_digest(str(seal).encode(), stated) else None

    def written(self, receipt: Receipt, data_digest: str) -> Path:
        """Write the receipt of these data, for all plans of this codebook and these rules."""
        if self.key is None:
            raise PermissionError(1, "there is no key")
        path = self._path(self.key, data_digest)
        replace_own(path, json.dumps(receipt.sealed(self.key, path.name)).encode())
        return path

    def _path(self, key: bytes, data_digest: str) -> Path:
        """One name for data, how they are read, codebook, rules and program together."""
        return self.folder / f"{_keyed(key, f'receipt {data_digest} {self.rules}')}.json"


def write_receipt(receipt: Receipt, plan: Plan, data_digest: str) -> Path:
    """Keep the receipt of a check that has ended; gives its place."""
    try:
        return Receipts.of(plan, make=True).written(receipt, data_digest)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "no home folder"
        try:
            place = repr(str(state_folder()))
        except RuntimeError:
            place = "no folder"
        raise BadFile(
            "receipt",
            rule=f"must be writable ({reason})",
            value=place,
            next_step="The check itself ended. Let only its owner write into the state folder "
            "(XDG_STATE_HOME names another) and check again, or release with --unchecked "
            "REASON.",
        ) from None


def _keyed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _key(folder: Path, *, make: bool) -> bytes:
    """The user's key; a new one if there is none and one is to be made."""
    path = folder / KEY
    if make and not path.exists():
        fresh = SecretBits().word(8 * KEY_BYTES).to_bytes(KEY_BYTES, "little")
        with suppress(FileExistsError):  # another process was first
            create_own(path, fresh)
    key = read_own(path, MOST_BYTES)
    if len(key) != KEY_BYTES:
        raise PermissionError(1, "its key is damaged")
    return key
