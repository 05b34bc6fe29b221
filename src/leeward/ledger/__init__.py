"""Ledger: durable accounts of privacy loss; what is reserved counts for ever.

One file holds everything. Every entry hashes the one before, so an edit shows, and each bundle
carries the entry that paid for it, so that a cut end or an old copy put back shows as well.
Known limits: the locks of SQLite need a local disk; whoever may write the file may also rewrite
it whole, and only the bundles outside tell; the same establishments under two accounts are seen
by their ids alone.
"""

from leeward.ledger.account import Account, Left
from leeward.ledger.anchor import Anchor
from leeward.ledger.entry import Entry
from leeward.ledger.frame import FrameSketch
from leeward.ledger.ledger import Ledger
from leeward.ledger.subject import Subject, TableCharge

__all__ = ["Account", "Anchor", "Entry", "FrameSketch", "Ledger", "Left", "Subject", "TableCharge"]
