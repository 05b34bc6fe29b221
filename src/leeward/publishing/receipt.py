"""Receipt: that the rows of these very tables passed the check of this very codebook.

It lies in the user's state folder and not beside the plan, which may be given away. It is
sealed with a key that only its owner can read, like the receipt itself, which names the steps.
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


def write_receipt(plan: Plan, data_digest: str, steps: Steps) -> Path:
    """Note that the data passed, and which steps they need; gives the place of the receipt."""
    folder = None
    try:
        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_own(folder)
        key = _key(folder, make=True)
        path = _path(folder, key, plan)
        said = {"steps": sorted(steps), "seal": _seal(key, plan, data_digest, steps)}
        replace_own(path, json.dumps(said).encode())
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        reason = getattr(error, "strerror", None) or "no home folder"
        raise BadFile(
            "receipt",
            rule=f"must be writable ({reason})",
            value=repr(str(folder)) if folder else "no folder",
            next_step="The check itself passed. Give the state folder to its owner alone "
            "(XDG_STATE_HOME names another), or the release looks at the rows again.",
        ) from None
    return path


@dataclass(frozen=True, repr=False)
class Receipt:
    """What the file of a plan's receipt says, if there is one; its seal is not checked yet.

    CONFIDENTIAL: the key, and which rules touch rows; neither is in its repr.
    """

    key: bytes = b""
    named: Steps = frozenset()
    seal: str | None = None

    @classmethod
    def of(cls, plan: Plan) -> "Receipt":
        """Read it; a file that cannot be read is no receipt."""
        try:
            folder = state_folder()
            require_own(folder)
            key = _key(folder, make=False)
            held = json.loads(read_own(_path(folder, key, plan), MOST_BYTES))
        except (OSError, RuntimeError, ValueError, RecursionError):
            return cls()
        if not isinstance(held, Mapping) or not isinstance(held.get("steps"), list):
            return cls()
        named = frozenset(str(one) for one in held["steps"]) & EVERY_STEP
        return cls(key, named, str(held.get("seal")))

    def steps(self, plan: Plan, data_digest: str) -> Steps | None:
        """The steps that it names for these data and this plan; None if it is not theirs."""
        if self.seal is None:
            return None
        seal = _seal(self.key, plan, data_digest, self.named)
        same = hmac.compare_digest(seal.encode(), self.seal.encode("utf-8", "surrogatepass"))
        return self.named if same else None


def _seal(key: bytes, plan: Plan, data_digest: str, steps: Steps) -> str:
    """One number for data, how they are read, codebook, rules and program together."""
    reading = [plan.resources.encoding, plan.resources.quotes]
    rules = [repr(plan.jobs), plan.strict, *reading, sorted(steps)]
    said = json.dumps([data_digest, plan.codebook_digest, rules, package_digest()])
    return _keyed(key, f"receipt {said}")


def _path(folder: Path, key: bytes, plan: Plan) -> Path:
    return folder / f"{_keyed(key, f'plan {plan.path.resolve()}')}.json"


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
