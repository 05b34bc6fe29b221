"""Paid: reserve, do, commit or explain; how every output is paid for.

The entry of the charge is on disk before anything is drawn, and stays whatever happens after it.
Without a charge the output of a command beside plans is INTERNAL, and the operator says why nothing
was charged.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from leeward.core.codebook import EveryJob
from leeward.core.errors import FailedAfterCharge, InvalidParameter, LeewardError, shown
from leeward.core.interruption import CHARGED, Interrupted, postponed, recognised
from leeward.core.privacy import Guarantee
from leeward.core.privacy.words import amount_text
from leeward.publishing.bundle import TableGuarantee
from leeward.publishing.bundle.paid_folder import read_paid
from leeward.publishing.bundle.witness import Witness
from leeward.publishing.ledger import Entry, Ledger, Subject, TableCharge
from leeward.publishing.ledger.notation import words
from leeward.publishing.plan.plan import Plan
from leeward.publishing.release.charge import AS_PLANNED, Frames, ReleaseOptions, payment, subject

Output = TypeVar("Output")

UNKNOWN = "0" * 64
"""The digest of data that are not read yet."""

NOTHING_CAME = {
    "bundle": (
        "No bundle was written; releasing again costs again.",
        "No bundle was written, which the ledger could not note; see docs/how-to/recover.md.",
    ),
    "folder": (
        "Nothing was published; the same again costs again.",
        "The ledger could not note that nothing came of it; see docs/how-to/recover.md.",
    ),
}
"""Of an output that broke off: what the ledger has noted, and what it could not note."""


@dataclass(frozen=True)
class FileRequest(ABC):
    """What is asked of one file; everything that can be refused without reading it has been."""

    file: Path

    @property
    @abstractmethod
    def decisive(self) -> Mapping[str, object]:
        """All that decides what is released from the file, as plain values."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides what is released from the file."""
        return sha256(json.dumps(self.decisive, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Charge:
    """What is paid for which output, from which account; `out` is the folder to write, if any.

    `command` names what broke off if something does.
    """

    account: str
    price: Guarantee
    subject: Subject
    out: Path | None = None
    options: ReleaseOptions = AS_PLANNED
    command: str = "release"

    @classmethod
    def of(
        cls,
        plan: Plan,
        out: Path,
        options: ReleaseOptions,
        data: str = UNKNOWN,
        frames: Frames | None = None,
    ) -> "Charge":
        """What a release of a plan pays for; `data` is the sealed digest."""
        about = subject(plan, out, data, frames)
        return cls(plan.request.account, plan.charge, about, out, options)

    def refusal(self, ledger: Ledger) -> LeewardError | None:
        """What the ledger would say now."""
        return ledger.would_refuse(self.account, self.price, self.subject, again=self.options.again)

    def pay(self, ledger: Ledger, produce: Callable[["Paid"], Output]) -> Output:
        """Reserve, then let the output be made and committed, or say that the charge stays."""
        paid: Paid | None = None
        try:
            with postponed():
                options, about = self.options, (self.account, self.price, self.subject)
                again, corrects = options.again, options.corrects
                entry = ledger.reserve(
                    *about, again=again, corrects=corrects, reasons=options.reasons
                )
                paid = Paid(self, ledger, entry)
                CHARGED.set(charged(entry))
            with recognised():
                return produce(paid)
        except (Exception, KeyboardInterrupt) as error:
            if paid is None:
                raise
            with postponed(forget=True):  # a second Ctrl-C must not hide what the first one cost
                explained = paid.explained(error)
            raise explained from error


@dataclass(frozen=True)
class Paid:
    """A charge whose entry is on disk: what its output says of it, and what becomes of it."""

    charge: Charge
    ledger: Ledger
    entry: Entry

    @property
    def witness(self) -> Witness:
        """What an output that is no release says of its charge."""
        stated, subject = payment(self.ledger, self.entry), self.charge.subject
        return Witness(
            name=subject.bundle,
            account=self.entry.account,
            plan_digest=subject.plan,
            period=subject.period,
            guarantee=TableGuarantee.of(self.charge.price),
            data=stated.data,
            ledger=stated.ledger(self.entry.account),
            budget=stated.budget,
            corrects=stated.corrects,
        )

    def commit(self, digest: str) -> None:
        """Note that the output is whole; a ledger that cannot now can be told later."""
        with postponed(forget=True):
            self.ledger.commit(self.entry.number, digest)

    def explained(self, error: BaseException) -> BaseException:
        """The same failure with what was charged; the ledger is told if nothing came of it."""
        interrupted = isinstance(error, KeyboardInterrupt)
        noun = "bundle" if self.charge.command == "release" else "folder"
        step, not_noted = NOTHING_CAME[noun]
        if self._appeared():
            command = f"leeward ledger commit {self.charge.out} --ledger {self.ledger.path}"
            step = f"The {noun} is whole: run `{command}`."
        else:
            try:
                self.ledger.fail(self.entry.number, "interrupted" if interrupted else "broke off")
            except LeewardError:
                step = not_noted
        stays = charged(self.entry)
        if interrupted:
            return Interrupted(f"{stays}. {step}")
        own = isinstance(error, LeewardError)  # only our own refusals hold nothing confidential
        return FailedAfterCharge(
            self.charge.command,
            rule="broke off after the charge",
            value=str(error).rstrip(".") if own else "an unexpected error (see --debug)",
            next_step=f"{stays[0].upper()}{stays[1:]}. {step}",
        )

    def _appeared(self) -> bool:
        """Whether the output of this very charge stands where it was to appear."""
        if self.charge.out is None:
            return False
        try:
            stated = read_paid(self.charge.out).ledger
        except LeewardError:
            return False
        entry = self.entry
        return (stated.id, stated.entry, stated.head) == (entry.ledger, entry.number, entry.hash)


def charged(entry: Entry) -> str:
    """What stands in the ledger, in one sentence."""
    charge = entry.charge
    amount = "nothing" if charge is None else amount_text(charge)
    return f"entry {entry.number} of the ledger stays: {amount} of account {entry.account}"


@dataclass(frozen=True)
class Charged:
    """The account that is charged."""

    ledger: Path
    name: str
    again: bool = False

    def charge(
        self,
        command: str,
        output: str,
        table: TableCharge,
        out: Path | None,
        *,
        plan: str,
        keys: tuple[tuple[str, str], ...] = (),
    ) -> Charge:
        """What the ledger keeps: there is no bundle, so the output is named in its place."""
        subject = Subject(
            plan=plan,
            data=UNKNOWN,
            period=table.mechanism,
            bundle=output,
            tables=(table,),
            jobs=EveryJob().words,
            keys=keys,
        )
        return Charge(self.name, table.charge, subject, out, ReleaseOptions(self.again), command)

    def require_budget(self, charge: Charge) -> None:
        """Ask the ledger before the file is read; nothing confidential is looked at."""
        TableGuarantee.of(charge.price)  # what cannot be stated is not paid for
        with Ledger.open(self.ledger) as ledger:
            refusal = charge.refusal(ledger)
        if refusal is not None:
            raise refusal

    def pay(
        self, charge: Charge, digest: str, produce: Callable[[Witness], tuple[Output, str]]
    ) -> Output:
        """Reserve, produce, commit; `digest` is that of the data.

        `produce` gets what the output must say of its charge, and gives the output and the digest
        that the ledger keeps.
        """

        def committed(paid: Paid) -> Output:
            output, kept = produce(paid.witness)
            paid.commit(kept)
            return output

        with Ledger.open(self.ledger) as ledger:
            subject = replace(charge.subject, data=ledger.sealed(digest.encode()))
            return replace(charge, subject=subject).pay(ledger, committed)


@dataclass(frozen=True)
class Uncharged:
    """No account is charged: the output is INTERNAL, and `reason` is written into it."""

    reason: str

    def __post_init__(self) -> None:
        words(self.reason, "--uncharged")


Payer = Charged | Uncharged


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
    return Charged(ledger, name, again)


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
