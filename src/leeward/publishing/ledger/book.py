"""The book: accounts and charges as all entries give them, contradictions, and a statement."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from leeward.core.errors import InvalidParameter, LeewardError, shown
from leeward.core.exact import exact_text, number_text
from leeward.core.privacy import Guarantee, sequential
from leeward.core.privacy.job_sentences import cap_of_jobs
from leeward.core.privacy.odds_of_suspicion import suspicion_in_all
from leeward.core.privacy.pay_sentences import joiners_at_cap
from leeward.core.show.notebook import html_table
from leeward.publishing.ledger.account import Account, certainly_past, covers, owed
from leeward.publishing.ledger.entry import Entry, line, price
from leeward.publishing.ledger.part_sums import PartSums, part_lines, part_texts
from leeward.publishing.ledger.subject import SKETCHES

BOUNDED_JOBS = re.compile(r"max_per_worker: ([0-9]+)")
EVERY_JOB = "every"
MIXING = 3
"""The last format in which charges of two kinds could share a cap without a box."""


@dataclass(frozen=True)
class Objection:
    """How an entry contradicts the entries before it."""

    parameter: str
    rule: str
    value: str


@dataclass(frozen=True)
class Book:
    """All entries, in order."""

    entries: tuple[Entry, ...]

    @cached_property
    def opened(self) -> dict[str, Entry]:
        """The entry that opened each account: the first, since a cap is set once."""
        return {e.account: e for e in reversed(self.entries) if e.kind == "opened"}

    @cached_property
    def reserved(self) -> dict[int, Entry]:
        return {e.number: e for e in self.entries if e.kind == "reserved"}

    @cached_property
    def ended(self) -> dict[int | None, Entry]:
        """How a reserved release ended: the first committed or failed entry that names it."""
        return {e.names: e for e in reversed(self.entries) if e.kind in {"committed", "failed"}}

    @cached_property
    def withdrawn(self) -> dict[int | None, Entry]:
        return {e.names: e for e in reversed(self.entries) if e.kind == "withdrawn"}

    @cached_property
    def payments(self) -> dict[str, list[Guarantee]]:
        """What every account paid, in order."""
        paid: dict[str, list[Guarantee]] = {name: [] for name in sorted(self.opened)}
        for entry in self.reserved.values():
            if entry.paid is not None:
                paid.setdefault(entry.account, []).append(entry.paid)
        return paid

    def account(self, name: str) -> Account:
        if name not in self._accounts:
            opening = self.opened.get(name)
            if opening is None or opening.cap is None:
                known = sorted(self.opened)
                near = get_close_matches(name, known, n=1, cutoff=0.4)
                raise InvalidParameter(
                    "account",
                    rule=f"must be open in this ledger ({', '.join(known) or 'it has none'})",
                    value=shown(name),
                    next_step=f"Did you mean {near[0]!r}?"
                    if near
                    else "Open it with its cap first.",
                )
            paid, sums = self.payments[name], PartSums.of(opening, self.reserved.values())
            spent = sequential(*paid) if paid and sums is None else None
            stated = (name, opening.cap, sums.spent if sums else spent, len(paid), opening.time)
            self._accounts[name] = Account(*stated, box=opening.box, sums=sums)
        return self._accounts[name]

    def accounts(self) -> tuple[Account, ...]:
        return tuple(map(self.account, sorted(self.opened)))

    @cached_property
    def _accounts(self) -> dict[str, Account]:
        """Sums of accounts, kept since a charge needs them twice."""
        return {}

    def charge(self, number: int, parameter: str) -> Entry:
        """The reserved entry of this number."""
        entry = self.reserved.get(number) if type(number) is int else None
        if entry is None:
            raise InvalidParameter(
                parameter,
                rule="must be the number of a reserved entry",
                value=shown(number),
                next_step="See the numbers with `leeward ledger show`.",
            )
        return entry

    def objection(self, entry: Entry) -> Objection | None:
        """How this entry, old or new, contradicts the entries before it; None if it does not."""
        if entry.kind == "opened":
            return self._against_opening(entry)
        if entry.kind == "reserved":
            return self._against_charge(entry)
        return self._against_end(entry)

    def nonsense(self) -> Iterator[str]:
        """Every contradiction, in plain words."""
        for entry in self.entries:
            try:
                objection = self.objection(entry)
            except LeewardError as error:  # an invalid guarantee
                yield _words(entry, error)
                return  # nothing that depends on it can be judged
            if objection:
                yield _words(entry, objection)
        for name, opening in self.opened.items():
            try:
                account = self.account(name)
            except LeewardError:  # an invalid sum, such as δ ≥ 1
                past = True
            else:
                past = account.spent is not None and certainly_past(account, account.spent)
            if past:
                yield f"account {name}: its charges pass its cap"
            elif opening.format > MIXING and self.account(name).mixes_without_a_box:
                yield f"account {name}: its charges are of two kinds, and it has no box for them"

    def unreadable_subjects(self) -> Iterator[str]:
        """Charges whose subject cannot be read. Later charges compare only its text."""
        for entry in self.reserved.values():
            try:
                _ = entry.subject
            except LeewardError as error:
                yield _words(entry, error)

    def _against_opening(self, entry: Entry) -> Objection | None:
        first = self.opened.get(entry.account)
        if first is not None and first.number < entry.number:
            rule = "must be new: a cap is set once"
            return Objection("account", rule, f"{entry.account!r}, opened in entry {first.number}")
        if entry.cap is not None and entry.cap.measure == "mixed":
            rule = "must be in epsilon and delta, or in rho alone"
            return Objection("cap", rule, f"rho {shown(entry.cap.rho)} beside them")
        cap = entry.cap
        if cap is not None and cap.has_job_losses and (cap.rho > 0 or entry.box is not None):
            rule = "must be in epsilon and without a box where one job has a cap of its own"
            return Objection("cap", rule, "a rho")
        if entry.box is not None and not (entry.cap is None or entry.box.keeps(entry.cap)):
            parts = f"epsilon {exact_text(entry.box.epsilon)} and rho {exact_text(entry.box.rho)}"
            return Objection("box", "must keep the cap", parts)
        return None

    def _against_charge(self, entry: Entry) -> Objection | None:
        opening = self.opened.get(entry.account)
        if opening is None or opening.number > entry.number:
            return Objection("account", "must be open", repr(entry.account))
        paid, cap = entry.paid, opening.cap
        if paid is None or cap is None:
            in_full = False
        elif entry.body["charge"] == entry.body["paid"]:  # nothing to convert or to compute
            in_full = (paid.policy, paid.alpha) == (cap.policy, cap.alpha)
        else:
            in_full = entry.charge is not None and covers(paid, owed(entry.charge, cap))
        if not in_full:
            rule = "must be paid in full under the policy, alpha, plus and unit of the account"
            return Objection("charge", rule, "less")
        if entry.corrects is not None:
            return self._against_naming(entry, entry.corrects, "corrects")
        return None

    def _against_end(self, entry: Entry) -> Objection | None:
        number = entry.names or 0  # no entry has the number 0
        if wrong := self._against_naming(entry, number, "entry"):
            return wrong
        earlier = [self.withdrawn.get(number)]
        if entry.kind != "withdrawn":
            earlier.append(self.ended.get(number))
        for other in earlier:
            if other is not None and other.number < entry.number:
                rule = f"must be a charge that was not {other.kind}"
                return Objection("entry", rule, f"{number}, {other.kind} in {other.number}")
        return None

    def _against_naming(self, entry: Entry, number: int, parameter: str) -> Objection | None:
        named = self.reserved.get(number)
        if named is not None and named.number < entry.number and named.account == entry.account:
            return None
        rule = f"must be the number of an earlier charge of account {entry.account!r}"
        return Objection(parameter, rule, str(number))


def _words(entry: Entry, fault: Objection | LeewardError) -> str:
    return f"entry {entry.number}: {fault.parameter} {fault.rule}; got {fault.value}"


def meaning(cap: Guarantee, entries: Iterable[Entry] = ()) -> list[str]:
    """What a cap means to a suspicion, for joiners, and for a worker of whom several jobs count."""
    words = [suspicion_in_all(cap)]
    if cap.policy.name == "proportional":
        words.append(joiners_at_cap(cap))
    if cap.policy.name != "person":  # all rows of a person are one step
        rules = {entry.subject.jobs for entry in entries if entry.subject is not None}
        bounds = {rule: BOUNDED_JOBS.match(rule) for rule in rules}
        # The number of jobs of a worker that count under a stored rule; 0 for all of them.
        most = [
            0 if rule == EVERY_JOB else int(bound[1]) if bound else 1
            for rule, bound in bounds.items()
        ]
        words += [cap_of_jobs(cap, jobs) for jobs in sorted(most) if jobs != 1]
    return [sentence.text for sentence in words]


def states(entries: Iterable[Entry]) -> dict[int, str]:
    """What became of each charge: committed, failed, withdrawn, or open where nothing is said."""
    fates: dict[int, str] = {}
    for entry in entries:
        if entry.kind == "reserved":
            fates[entry.number] = "open"
        elif entry.names in fates and fates[entry.names] != "withdrawn":
            fates[entry.names] = entry.kind
    return fates


@dataclass(frozen=True)
class Statement:
    """Every account of a ledger, and every entry."""

    ledger: str
    accounts: tuple[Account, ...]
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Accounts, what their caps mean, and what happened to them."""
        for account in self.accounts:
            cap, box = account.cap, account.box
            yield f"{account.name}: {price(cap)} in all; {_left(account)} left"
            own = [entry for entry in self.entries if entry.account == account.name]
            divided = (*(() if box is None else (box.words,)), *part_lines(account))
            yield from (f"  {text}" for text in (*divided, *meaning(cap, own), *map(line, own)))

    def to_dict(self) -> dict[str, object]:
        """What `leeward ledger show --json` prints.

        Of entries without their sketch: a thousand numbers that mean nothing to a reader.
        """
        accounts, entries = [], []
        for account in self.accounts:
            cap, box = account.cap, account.box
            stated: dict[str, object] = {
                "name": account.name,
                "policy": cap.policy.name,
                "alpha": None if cap.alpha is None else str(cap.alpha),
                "plus": cap.plus,
                "unit": cap.unit,
                "epsilon": str(cap.epsilon),
                "delta": str(cap.delta),
                "rho": str(cap.rho),
                "spent": None if account.spent is None else str(account.lost),
                "left": str(account.remaining),
            }
            divided: dict[str, object] = {} if box is None else {"box": box.written()}
            accounts.append({**stated, **account.job_texts(), **divided, **part_texts(account)})
        for entry in self.entries:
            body = dict(entry.body)
            subject = body.get("subject")
            if isinstance(subject, dict):
                parts = subject.items()
                body["subject"] = {part: text for part, text in parts if part not in SKETCHES}
            entries.append({"number": entry.number, "hash": entry.hash, **body})
        return {"accounts": accounts, "entries": entries}

    def _repr_html_(self) -> str:
        rows = [
            (account.name, price(account.cap), _left(account), account.charges)
            for account in self.accounts
        ]
        heads = ("account", "in all", "left", "charges")
        return html_table(f"Ledger {self.ledger}", heads, rows)


def _left(account: Account) -> str:
    rho = "" if account.box is None else f" and rho {number_text(account.left.rho)}"
    rest = account.left.epsilon_job
    job = "" if rest is None else f" ({number_text(rest)} for one job)"
    return f"{account.cap.currency} {number_text(account.remaining)}{rho}{job}"
