"""A point of a ledger that others keep: enough to see later that the ledger still agrees."""

from dataclasses import dataclass

from leeward.errors import InvalidParameter, shown
from leeward.ledger.text import digest, plain


@dataclass(frozen=True)
class Anchor:
    """One entry's number and hash, and the ledger it belongs to; number 0 is the empty ledger."""

    number: int
    hash: str
    ledger: str

    def __post_init__(self) -> None:
        if type(self.number) is not int or self.number < 0:
            raise InvalidParameter(
                "number",
                rule="must be a whole number of at least 0",
                value=shown(self.number),
                next_step="Copy the anchor from the certificate of a bundle.",
            )
        digest(self.hash, "hash")
        plain(self.ledger, "ledger")
