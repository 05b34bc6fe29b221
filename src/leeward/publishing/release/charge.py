"""Charge: what a release is charged for, as the ledger and the certificate state it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

from leeward.core.codebook import Attribute, PrimaryJob
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle.statements import (
    BudgetStatement,
    DataStatement,
    LedgerStatement,
    LeftStatement,
    TableGuarantee,
)
from leeward.publishing.ledger import (
    Account,
    Anchor,
    Entry,
    FrameSketch,
    Ledger,
    Reasons,
    Subject,
    TableCharge,
)
from leeward.publishing.ledger.part_sums import in_part
from leeward.publishing.ledger.subject import NO_KINDS, SIZE
from leeward.publishing.plan.plan import Plan

if TYPE_CHECKING:
    from leeward.publishing.engines import Engine

SKETCHED = b"frame sketch"
KEY_DIGITS = 32
"""128 bits: key and id together fit into one block of the hash."""

KEYED = (
    "HMAC-SHA256 of a digest of the data, the number of the ledger's entry and 128 random bits "
    "that the entry keeps, keyed with a secret of the ledger. Whoever holds the ledger can check "
    "it. To everyone else it is a random number, and it differs between releases whether or not "
    "their data do, also if an old copy of the ledger was put back in between."
)

SMALLEST_PART = 10**100
"""Largest denominator of a budget's exact numbers; longer ones are rounded towards less left."""


@dataclass(frozen=True)
class ReleaseOptions:
    """The options of a release that are not in its plan.

    `same_establishments` and `unchecked` are reasons in public words.
    """

    again: bool = False
    corrects: int | None = None
    same_establishments: str | None = None
    unchecked: str | None = None

    @property
    def reasons(self) -> Reasons:
        """The reasons, as the ledger keeps them."""
        return Reasons(self.same_establishments, self.unchecked)


AS_PLANNED = ReleaseOptions()


@dataclass(frozen=True)
class Frames:
    """The sketches of the establishments, comparable only within one ledger.

    `plain` is that of their ids in plain form; None where it is the same.
    """

    given: str
    plain: str | None

    @classmethod
    def of(cls, plan: Plan, engine: "Engine", ledger: Ledger) -> "Frames":
        """Those of the frame of a plan."""
        key = ledger.sealed(SKETCHED)[:KEY_DIGITS]
        given, plain = (
            FrameSketch.of(
                engine.frame_sketch(plan.codebook, key, SIZE, plain=form, part=plan.context.part)
            ).written
            for form in (False, True)
        )
        return cls(given, None if plain == given else plain)


def subject(plan: Plan, out: Path, data: str, frames: Frames | None = None) -> Subject:
    """What the charge is for, as the ledger keeps it; `data` is the sealed digest."""
    return Subject(
        plan=plan.digest,
        data=data,
        period=plan.request.period,
        bundle=out.name,
        tables=tuple(TableCharge(t.name, t.measurement.name, t.charge) for t in plan.tables),
        jobs=plan.rule,
        kinds=kinds(plan),
        frame=None if frames is None else frames.given,
        plain_frame=None if frames is None else frames.plain,
        part=plan.request.named_part,
        keys=tuple(sorted(keys(plan).items())),
    )


def keys(plan: Plan) -> dict[str, str]:
    """The columns that say which workplace, worker or employer a row is about, and if it counts.

    Texts that mean missing there decide it too; a text that is no number anyway decides nothing.
    """
    columns, nulls = plan.codebook.keys, plan.codebook.nulls
    employer = columns.workplaces.employer if plan.charge.unit == "employer" else None
    ordered = plan.jobs.column if isinstance(plan.jobs, PrimaryJob) else ""
    missing = {
        "tables.nulls": nulls.get(("jobs", columns.jobs.worker), ()),
        "nulls of jobs.primary": _numbers(nulls.get(("jobs", ordered), ())),
    }
    return {
        **{key: json.dumps(texts) for key, texts in missing.items() if texts},
        "workplaces.id": columns.workplaces.id,
        "workers.id": columns.workers.id,
        "jobs.worker": columns.jobs.worker,
        "jobs.workplace": columns.jobs.workplace,
        **({} if employer is None else {"workplaces.employer": employer}),
    }


def kinds(plan: Plan) -> str:
    """SHA-256 of what neighbours depend on beside the policy, if anything.

    Under the weak policy that is what makes kinds of workers: columns and their recoding. Names of
    attributes, labels and every order are left out: they make no other kinds. Under the
    proportional policy it is the columns of pay that are read, with their caps and nulls.
    """
    statistics = (table.marginal.statistic for table in plan.tables)
    paid = [_capped(column) for statistic in statistics for column in statistic.needs]
    if plan.asked.policy.name == "proportional" and paid:
        return _sum_of(paid)
    if plan.weak_attributes is None:
        return NO_KINDS
    return _sum_of(_recoding(plan.codebook.attributes[name]) for name in plan.weak_attributes)


def _sum_of(parts: Iterable[dict[str, object]]) -> str:
    decisive = sorted({json.dumps(part, sort_keys=True) for part in parts})
    return sha256("\n".join(decisive).encode()).hexdigest()


def _capped(column: Attribute) -> dict[str, object]:
    """What is counted as the pay of a job."""
    numbers = column.numeric_range
    counted = {"low": numbers.low, "cap": numbers.cap, **_missing(_numbers(column.nulls))}
    return {"table": column.table, "column": column.column, **counted}


def _missing(nulls: tuple[str, ...]) -> dict[str, object]:
    """The texts that mean missing; nothing where no text does."""
    return {"nulls": nulls} if nulls else {}


def _numbers(nulls: Iterable[str]) -> tuple[str, ...]:
    """The texts that may be numbers if they do not mean missing, also those without an end."""
    return tuple(
        null
        for null in nulls
        if any(sign.isdigit() for sign in null) or any(name in null.casefold() for name in ENDLESS)
    )


ENDLESS = ("inf", "nan")
"""What a column of floats has beside numbers with digits."""


def _recoding(attribute: Attribute) -> dict[str, object]:
    """Which texts of which column count as the same; null where a job counts in no cell."""
    codes = (*attribute.codes, None)  # the position of what is left out is -1
    others = {"other": attribute.unlisted, "null_as": attribute.missing}
    return {
        "table": attribute.table,
        "column": attribute.column,
        "codes": sorted(attribute.codes),
        "recode": {text: codes[position] for text, position in attribute.recode.items()},
        # A list, so that "left out" differs from "refused".
        **{name: [] if at is None else [codes[at]] for name, at in others.items()},
        **({} if attribute.numbers is None else {"bounds": attribute.numbers.bounds}),
        **_missing(attribute.nulls),
    }


@dataclass(frozen=True)
class Payment:
    """The ledger's part of a certificate."""

    anchor: Anchor
    fingerprint: str
    budget: BudgetStatement
    corrects: int | None = None

    @property
    def data(self) -> DataStatement:
        """The keyed fingerprint of the data."""
        return DataStatement(fingerprint=self.fingerprint, keyed=KEYED)

    def ledger(self, account: str) -> LedgerStatement:
        """The entry of the charge."""
        at = self.anchor
        return LedgerStatement(id=at.ledger, account=account, entry=at.number, head=at.hash)


def budget(account: Account, paid: Guarantee) -> BudgetStatement:
    """The account with a charge in it, in numbers that a certificate can say."""
    spent = paid if account.spent is None else account.spent
    rest, job = account.left, account.left.epsilon_job
    return BudgetStatement(
        cap=TableGuarantee.of(account.cap),
        paid=sayable(paid),
        spent=sayable(spent),
        left=LeftStatement(
            epsilon=str(_short(rest.epsilon, floor)),
            delta=str(_short(rest.delta, floor)),
            rho=str(_short(rest.rho, floor)) if account.cap.rho > 0 or account.box else None,
            epsilon_job=None if job is None else str(_short(job, floor)),
        ),
        parts=None if account.sums is None else account.sums.words,
    )


def sayable(guarantee: Guarantee) -> TableGuarantee:
    """A guarantee in numbers that a certificate can say, never less than it is."""
    job = {name: _short(getattr(guarantee, name), ceil) for name in guarantee.job_texts()}
    rounded = Guarantee(
        guarantee.policy,
        guarantee.alpha,
        _short(guarantee.epsilon, ceil),
        _short(guarantee.delta, ceil),
        _short(guarantee.rho, ceil),
        plus=guarantee.plus,
        reading=guarantee.reading,
        **job,
    )
    return TableGuarantee.of(rounded)


def _short(number: Fraction, rounded: Callable[[Fraction], int]) -> Fraction:
    """The number itself, unless sums of odd fractions made it longer than anyone reads."""
    if number.denominator < SMALLEST_PART:
        return number
    return Fraction(rounded(number * SMALLEST_PART), SMALLEST_PART)


def fingerprint(ledger: Ledger, entry: Entry) -> str:
    """What a certificate says of the data: it differs in every release, also of the same data.

    Otherwise two bundles would tell anyone for certain whether a single job had changed.
    """
    data = "" if entry.subject is None else entry.subject.data
    # Entries of the first format have no salt: theirs repeats after a restored ledger.
    salt = "" if entry.salt is None else f" with {entry.salt}"
    return ledger.sealed(f"entry {entry.number} of data {data}{salt}".encode())


def payment(ledger: Ledger, entry: Entry) -> Payment:
    """What a certificate says of the charge: the same whatever is charged after it."""
    if entry.paid is None:
        raise AssertionError("a release is paid for by a charge")
    part = None if entry.subject is None else entry.subject.part
    stands = budget(in_part(ledger.account_at(entry), part), entry.paid)
    return Payment(entry.anchor, fingerprint(ledger, entry), stands, entry.corrects)
