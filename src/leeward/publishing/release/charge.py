"""Charge: how a release pays, and what is said when it breaks off afterwards."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from leeward.core.codebook import EVERY_STEP, Attribute, Pay, PrimaryJob, Steps
from leeward.core.errors import FailedAfterCharge, LeewardError
from leeward.core.interruption import CHARGED, Interrupted
from leeward.core.privacy.words import amount_text
from leeward.publishing.bundle import read_bundle
from leeward.publishing.ledger import Entry, FrameSketch, Ledger, Reasons, Subject, TableCharge
from leeward.publishing.ledger.subject import NO_KINDS, SIZE
from leeward.publishing.plan.plan import Plan
from leeward.publishing.release.certify import Payment, budget

if TYPE_CHECKING:
    from leeward.publishing.engines import Engine

SKETCHED = b"frame sketch"
KEY_DIGITS = 32
"""128 bits: key and id together fit into one block of the hash."""


@dataclass(frozen=True)
class Choices:
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


AS_PLANNED = Choices()


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
            FrameSketch.of(engine.frame_sketch(plan.codebook, key, SIZE, plain=form)).written
            for form in (False, True)
        )
        return cls(given, None if plain == given else plain)


@dataclass(frozen=True)
class PreparedRelease:
    """What is released where: everything has been checked.

    `digest` is that of the data whose rows passed the check, `frames` the sketches of their
    establishments, and `steps` are what the rows need to be counted right.
    """

    plan: Plan
    engine: "Engine"
    ledger: Ledger
    out: Path
    digest: str
    frames: Frames
    chosen: Choices = AS_PLANNED
    steps: Steps = EVERY_STEP


def reserve(prepared: PreparedRelease) -> Entry:
    """Charge the account; the entry is on disk when this returns."""
    plan, ledger = prepared.plan, prepared.ledger
    data = ledger.sealed(prepared.digest.encode())
    entry = ledger.reserve(
        plan.request.account,
        plan.charge,
        subject(plan, prepared.out, data, prepared.frames),
        again=prepared.chosen.again,
        corrects=prepared.chosen.corrects,
        reasons=prepared.chosen.reasons,
    )
    CHARGED.set(charged(entry))
    return entry


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
        keys=tuple(sorted(keys(plan).items())),
    )


def keys(plan: Plan) -> dict[str, str]:
    """The columns that say which workplace, worker or employer a row is about, and if it counts.

    Texts that mean missing there decide it too; a text that is no number anyway decides nothing.
    """
    held, nulls = plan.codebook.keys, plan.codebook.nulls
    employer = held.workplaces.employer if plan.charge.unit == "employer" else None
    ordered = plan.jobs.column if isinstance(plan.jobs, PrimaryJob) else ""
    missing = {
        "tables.nulls": nulls.get(("jobs", held.jobs.worker), ()),
        "nulls of jobs.primary": _numbers(nulls.get(("jobs", ordered), ())),
    }
    return {
        **{key: json.dumps(texts) for key, texts in missing.items() if texts},
        "workplaces.id": held.workplaces.id,
        "workers.id": held.workers.id,
        "jobs.worker": held.jobs.worker,
        "jobs.workplace": held.jobs.workplace,
        **({} if employer is None else {"workplaces.employer": employer}),
    }


def kinds(plan: Plan) -> str:
    """SHA-256 of what neighbours depend on beside the policy, if anything.

    Under the weak policy that is what makes kinds of workers: columns and their recoding. Names of
    attributes, labels and every order are left out: they make no other kinds. Under the
    proportional policy it is the columns of pay that are read, with their caps and nulls.
    """
    statistics = (one.marginal.statistic for one in plan.tables)
    paid = [_capped(one) for one in statistics if isinstance(one, Pay)]
    if plan.asked.policy.name == "proportional" and paid:
        return _sum_of(paid)
    if plan.weak_attributes is None:
        return NO_KINDS
    return _sum_of(_recoding(plan.codebook.attributes[name]) for name in plan.weak_attributes)


def _sum_of(parts: Iterable[dict[str, object]]) -> str:
    told = sorted({json.dumps(one, sort_keys=True) for one in parts})
    return sha256("\n".join(told).encode()).hexdigest()


def _capped(statistic: Pay) -> dict[str, object]:
    """What is counted as the pay of a job."""
    column, numbers = statistic.of, statistic.numbers
    counted = {"low": numbers.low, "cap": numbers.cap, **_missing(_numbers(column.nulls))}
    return {"table": column.table, "column": column.column, **counted}


def _missing(nulls: tuple[str, ...]) -> dict[str, object]:
    """The texts that mean missing; nothing where no text does."""
    return {"nulls": nulls} if nulls else {}


def _numbers(nulls: Iterable[str]) -> tuple[str, ...]:
    """The texts that may be numbers if they do not mean missing, also those without an end."""
    return tuple(
        one
        for one in nulls
        if any(sign.isdigit() for sign in one) or any(name in one.casefold() for name in ENDLESS)
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
    stands = budget(ledger.account_at(entry), entry.paid)
    return Payment(entry.anchor, fingerprint(ledger, entry), stands, entry.corrects)


def commit(prepared: PreparedRelease, entry: Entry, digest: str) -> None:
    """The bundle is whole: a ledger that cannot note it now can be told later."""
    try:
        prepared.ledger.commit(entry.number, digest)
    except LeewardError as error:
        raise FailedAfterCharge(
            "ledger",
            rule="must note that the bundle is complete",
            value=str(error),
            next_step=f"Mend the ledger. {_whole(prepared)}",
        ) from error


def charged(entry: Entry) -> str:
    """What stands in the ledger, in one sentence."""
    charge = entry.charge
    amount = "nothing" if charge is None else amount_text(charge)
    return f"entry {entry.number} of the ledger stays: {amount} of account {entry.account}"


def after_charge(error: BaseException, prepared: PreparedRelease, entry: Entry) -> BaseException:
    """The same failure with what was charged; the ledger is told if no bundle came of it."""
    interrupted = isinstance(error, KeyboardInterrupt)
    # Only our own refusals are known to hold nothing confidential.
    own = isinstance(error, LeewardError)
    said = str(error).rstrip(".") if own else "an unexpected error (see --debug)"
    told = _told(prepared, entry, "interrupted" if interrupted else "broke off")
    if interrupted:
        return Interrupted(f"{charged(entry)}. {told}")
    return FailedAfterCharge(
        "release",
        rule="broke off after the charge",
        value=said,
        next_step=f"{charged(entry)[0].upper()}{charged(entry)[1:]}. {told}",
    )


def _told(prepared: PreparedRelease, entry: Entry, reason: str) -> str:
    """Note in the ledger that the release failed, unless its bundle is already whole."""
    if _appeared(prepared, entry):
        return _whole(prepared)
    try:
        prepared.ledger.fail(entry.number, reason)
    except LeewardError:
        return "No bundle was written, which the ledger could not note; see docs/how-to/recover.md."
    return "No bundle was written; releasing again costs again."


def _whole(prepared: PreparedRelease) -> str:
    command = f"leeward ledger commit {prepared.out} --ledger {prepared.ledger.path}"
    return f"The bundle is whole: run `{command}`."


def _appeared(prepared: PreparedRelease, entry: Entry) -> bool:
    """Whether the bundle of this very charge stands where it was to appear."""
    try:
        held = read_bundle(prepared.out).certificate
    except LeewardError:
        return False
    return held.anchor == (entry.ledger, entry.number, entry.hash)
