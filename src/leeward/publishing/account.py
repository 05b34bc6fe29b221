"""Account: how a command beside plans pays, whose output is one answer or one folder.

The entry of the charge is on disk before anything is drawn, and stays whatever happens after it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from leeward.errors import FailedAfterCharge, InvalidParameter, LeewardError
from leeward.interruption import CHARGED, Interrupted, postponed, recognised
from leeward.ledger import Entry, Ledger, Subject
from leeward.privacy import Guarantee
from leeward.publishing.charge import charged

Released = TypeVar("Released")

UNKNOWN = "0" * 64
"""The digest of data that are not read yet."""


@dataclass(frozen=True)
class Account:
    """The account that is charged."""

    ledger: Path
    name: str
    again: bool = False


def read_account(ledger: Path | None, name: str | None, *, again: bool) -> Account | None:
    """The account of the options, which belong together."""
    if ledger is None and name is None:
        return None
    if ledger is None or name is None:
        raise InvalidParameter(
            "--ledger, --account",
            rule="must be given together",
            value="one of them",
            next_step="Add the other, or leave both out: then nothing is charged.",
        )
    return Account(ledger, name, again)


@dataclass(frozen=True)
class Charge:
    """What a command pays for what, from which account."""

    command: str
    account: Account
    price: Guarantee
    subject: Subject

    def require_budget(self) -> None:
        """Ask the ledger before the file is read; nothing confidential is looked at."""
        with Ledger.open(self.account.ledger) as ledger:
            refusal = ledger.would_refuse(
                self.account.name, self.price, self.subject, again=self.account.again
            )
        if refusal is not None:
            raise refusal

    def pay(self, ledger: Ledger, release: Callable[[Entry], tuple[Released, str]]) -> Released:
        """Reserve, release, commit; `release` gives what came of it and its digest."""
        with postponed():
            entry = ledger.reserve(
                self.account.name, self.price, self.subject, again=self.account.again
            )
            CHARGED.set(charged(entry))
        with self._kept(ledger, entry), recognised():
            released, digest = release(entry)
            with postponed(forget=True):
                ledger.commit(entry.number, digest)
        return released

    @contextmanager
    def _kept(self, ledger: Ledger, entry: Entry) -> Iterator[None]:
        """Say of what breaks off after the charge that it stays, and note it in the ledger."""
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            with postponed(forget=True):  # a second Ctrl-C must not hide what the first one cost
                interrupted = isinstance(error, KeyboardInterrupt)
                step = _noted(ledger, entry, "interrupted" if interrupted else "broke off")
            if interrupted:
                raise Interrupted(f"{charged(entry)}. {step}") from error
            own = isinstance(error, LeewardError)  # only our own refusals hold nothing confidential
            raise FailedAfterCharge(
                self.command,
                rule="broke off after the charge",
                value=str(error).rstrip(".") if own else "an unexpected error (see --debug)",
                next_step=f"{charged(entry).capitalize()}. {step}",
            ) from error


def _noted(ledger: Ledger, entry: Entry, reason: str) -> str:
    try:
        ledger.fail(entry.number, reason)
    except LeewardError:
        return "The ledger could not note that nothing came of it; see docs/how-to/recover.md."
    return "Nothing was published; the same again costs again."
