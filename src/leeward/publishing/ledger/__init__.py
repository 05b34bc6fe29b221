"""Ledger: durable accounts of privacy loss; what is reserved counts for ever.

One file holds everything. Every entry hashes the one before, so an edit shows, and each bundle
carries the entry that paid for it, so that a truncated file or a restored old copy shows as well.
Known limits: the locks of SQLite need a local disk; a person who may write the file may also
rewrite all of it, which only the bundles outside reveal; the same establishments under two
accounts are recognised by their ids alone.
"""

from leeward.publishing.ledger.account import Account, Left
from leeward.publishing.ledger.entry import Anchor, Entry
from leeward.publishing.ledger.ledger import Ledger
from leeward.publishing.ledger.subject import FrameSketch, Reasons, Subject, TableCharge

__all__ = [
    "Account",
    "Anchor",
    "Entry",
    "FrameSketch",
    "Ledger",
    "Left",
    "Reasons",
    "Subject",
    "TableCharge",
]
