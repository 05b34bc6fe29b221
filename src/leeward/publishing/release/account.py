"""Account: how a command beside plans pays, whose output is one answer or one folder.

The entry of the charge is on disk before anything is drawn, and stays whatever happens after it.
Without a charge the output is INTERNAL, and the operator says why nothing was charged.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from leeward.core.errors import FailedAfterCharge, InvalidParameter, LeewardError, shown
from leeward.core.interruption import CHARGED, Interrupted, postponed, recognised
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import TableGuarantee
from leeward.publishing.bundle.sealed_folder import read_folder
from leeward.publishing.bundle.witness import Witness
from leeward.publishing.ledger import Entry, Ledger, Subject
from leeward.publishing.ledger.notation import words
from leeward.publishing.release.charge import charged, payment

Released = TypeVar("Released")

UNKNOWN = "0" * 64
"""The digest of data that are not read yet."""


@dataclass(frozen=True)
class Account:
    """The account that is charged."""

    ledger: Path
    name: str
    again: bool = False


@dataclass(frozen=True)
class Uncharged:
    """No account is charged: the output is INTERNAL, and `reason` is written into it."""

    reason: str

    def __post_init__(self) -> None:
        words(self.reason, "--uncharged")


Payer = Account | Uncharged


def read_payer(
    ledger: Path | None, name: str | None, uncharged: str | None, *, again: bool
) -> Payer | None:
    """The account of the options, which belong together, or why none is charged."""
    if uncharged is not None:
        if ledger is not None or name is not None or again:
            raise InvalidParameter(
                "--uncharged",
                rule="must not be given with --ledger, --account or --again",
                value=shown(uncharged),
                next_step="Charge an account, or leave these options out.",
            )
        return Uncharged(uncharged)
    if ledger is None and name is None:
        return None
    if ledger is None or name is None:
        raise InvalidParameter(
            "--ledger, --account",
            rule="must be given together",
            value="one of them",
            next_step=f"Add {'--ledger' if ledger is None else '--account'}.",
        )
    return Account(ledger, name, again)


def required(payer: Payer | None) -> Payer:
    """An account or the reason for none: what is published about the same people adds up."""
    if payer is None:
        raise InvalidParameter(
            "--ledger, --account",
            rule="must be given for an output that may be published: the ledger adds up what is "
            "published about the same people",
            value="nothing",
            next_step="Add --ledger FILE --account NAME. For output that stays inside, add "
            "--uncharged REASON: it is marked INTERNAL.",
        )
    return payer


@dataclass(frozen=True)
class Charge:
    """What a command pays for what, from which account; `out` is the folder to write, if any."""

    command: str
    account: Account
    price: Guarantee
    subject: Subject
    out: Path | None = None

    def require_budget(self) -> None:
        """Ask the ledger before the file is read; nothing confidential is looked at."""
        TableGuarantee.of(self.price)  # what cannot be stated is not paid for
        with Ledger.open(self.account.ledger) as ledger:
            refusal = ledger.would_refuse(
                self.account.name, self.price, self.subject, again=self.account.again
            )
        if refusal is not None:
            raise refusal

    def pay(self, ledger: Ledger, release: Callable[[Witness], tuple[Released, str]]) -> Released:
        """Reserve, release, commit.

        `release` gets what the output must say of its charge, and gives the output and the digest
        that the ledger keeps.
        """
        with postponed():
            entry = ledger.reserve(
                self.account.name, self.price, self.subject, again=self.account.again
            )
            CHARGED.set(charged(entry))
        with self._kept(ledger, entry), recognised():
            released, digest = release(self._witness(ledger, entry))
            with postponed(forget=True):
                ledger.commit(entry.number, digest)
        return released

    def _witness(self, ledger: Ledger, entry: Entry) -> Witness:
        paid = payment(ledger, entry)
        return Witness(
            name=self.subject.bundle,
            account=entry.account,
            plan_digest=self.subject.plan,
            period=self.subject.period,
            guarantee=TableGuarantee.of(self.price),
            data=paid.data,
            ledger=paid.ledger(entry.account),
            budget=paid.budget,
            corrects=paid.corrects,
        )

    @contextmanager
    def _kept(self, ledger: Ledger, entry: Entry) -> Iterator[None]:
        """Say of what breaks off after the charge that it stays, and note it in the ledger."""
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            with postponed(forget=True):  # a second Ctrl-C must not hide what the first one cost
                interrupted = isinstance(error, KeyboardInterrupt)
                step = self._noted(ledger, entry, "interrupted" if interrupted else "broke off")
            if interrupted:
                raise Interrupted(f"{charged(entry)}. {step}") from error
            own = isinstance(error, LeewardError)  # only our own refusals hold nothing confidential
            raise FailedAfterCharge(
                self.command,
                rule="broke off after the charge",
                value=str(error).rstrip(".") if own else "an unexpected error (see --debug)",
                next_step=f"{charged(entry).capitalize()}. {step}",
            ) from error

    def _noted(self, ledger: Ledger, entry: Entry, reason: str) -> str:
        if self.out is not None and _appeared(self.out, entry):
            command = f"leeward ledger commit {self.out} --ledger {ledger.path}"
            return f"The folder is whole: run `{command}`."
        try:
            ledger.fail(entry.number, reason)
        except LeewardError:
            return "The ledger could not note that nothing came of it; see docs/how-to/recover.md."
        return "Nothing was published; the same again costs again."


def _appeared(out: Path, entry: Entry) -> bool:
    """Whether the sealed folder of this charge is there."""
    try:
        stated = read_folder(out).ledger
    except LeewardError:
        return False
    return (stated.id, stated.entry, stated.head) == (entry.ledger, entry.number, entry.hash)
