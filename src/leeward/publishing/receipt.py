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

from leeward.bundle.software import package_digest
from leeward.errors import BadFile
from leeward.model import EVERY_STEP, Steps
from leeward.publishing.plan import Plan
from leeward.randomness import SecretBits
from leeward.state import create_own, read_own, replace_own, require_own, state_folder

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

    def write(self, plan: Plan, data_digest: str) -> Path:
        """Keep it for these data and all plans of this codebook and these rules; its place."""
        folder = None
        try:
            folder = state_folder()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_own(folder)
            key = _key(folder, make=True)
            path = folder / _name(key, plan, data_digest)
            replace_own(path, json.dumps(self._sealed(key, path.name)).encode())
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
            reason = getattr(error, "strerror", None) or "no home folder"
            raise BadFile(
                "receipt",
                rule=f"must be writable ({reason})",
                value=repr(str(folder)) if folder else "no folder",
                next_step="The check itself ended. Let only its owner write into the state folder "
                "(XDG_STATE_HOME names another) and check again, or release with --unchecked "
                "REASON.",
            ) from None
        return path

    @classmethod
    def of(cls, plan: Plan, data_digest: str) -> "Receipt | None":
        """The receipt of these data and this plan; a file that cannot be read is none."""
        try:
            folder = state_folder()
            require_own(folder)
            key = _key(folder, make=False)
            path = folder / _name(key, plan, data_digest)
            held = json.loads(read_own(path, MOST_BYTES))
        except (OSError, RuntimeError, ValueError, RecursionError):
            return None
        if not isinstance(held, Mapping) or not isinstance(held.get("steps"), list):
            return None
        found = cls(held.get("passed") is True, frozenset(map(str, held["steps"])) & EVERY_STEP)
        stated, seal = str(held.get("seal")), found._sealed(key, path.name)["seal"]
        same = hmac.compare_digest(str(seal).encode(), stated.encode("utf-8", "surrogatepass"))
        return found if same else None

    def _sealed(self, key: bytes, name: str) -> dict[str, object]:
        """What its file holds; the name stands for data, codebook, rules and program."""
        said = {"passed": self.passed, "steps": sorted(self.steps)}
        return {**said, "seal": _keyed(key, json.dumps([name, said]))}


def _name(key: bytes, plan: Plan, data_digest: str) -> str:
    """One name for data, how they are read, codebook, rules and program together."""
    rules = [repr(plan.jobs), plan.strict, plan.resources.encoding, plan.resources.quotes]
    said = json.dumps([data_digest, plan.codebook_digest, rules, package_digest()])
    return f"{_keyed(key, f'receipt {said}')}.json"


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
