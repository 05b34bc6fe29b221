"""Check: everything that can be refused before a release is charged, all of it at once."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from shlex import quote

from leeward.bundle import BundleWriter
from leeward.engines import Engine, Finding, connect
from leeward.errors import BadData, BadFile, InvalidParameter, LeewardError, raise_all, shown
from leeward.ledger import Account, Ledger
from leeward.privacy.delta import JOBS_EACH, too_large
from leeward.release.certify import rehearse
from leeward.release.charge import subject
from leeward.release.plan import Plan
from leeward.release.receipt import Receipt, accepted, receipt_path, write_receipt


def open_data(plan: Plan) -> Engine:
    """Connect to the three tables; refuses missing ones and headers that do not fit."""
    data = plan.request.data
    sources = {"workplaces": data.workplaces, "workers": data.workers, "jobs": data.jobs}
    engine = connect(sources, plan.path.parent, plan.resources)
    try:
        raise_all(engine.check_headers(plan.codebook, plan.jobs))
    except LeewardError:
        engine.close()
        raise
    return engine


def check_surroundings(plan: Plan, out: Path, ledger: Ledger, corrects: int | None = None) -> None:
    """The output folder, the budget, what is corrected: nothing confidential is looked at."""
    unknown_yet = subject(plan, out, "0" * 64)
    over = ledger.would_refuse(plan.request.account, plan.charge, unknown_yet)
    problems = [*BundleWriter.check_target(out), *([] if over is None else [over])]
    if corrects is not None and over is None:
        problems += _no_such_charge(ledger, plan.request.account, corrects)
    raise_all(problems)
    rehearse(plan, out.name)


def _no_such_charge(ledger: Ledger, account: str, number: int) -> list[LeewardError]:
    charges = [e for e in ledger.entries() if e.kind == "reserved" and e.account == account]
    if number in {entry.number for entry in charges}:
        return []
    rule = f"must be the number of an earlier charge of account {account!r}"
    step = "See the numbers with `leeward ledger show`."
    return [InvalidParameter("--corrects", rule=rule, value=shown(number), next_step=step)]


@dataclass(frozen=True)
class Checked:
    """What a check found, and why it could leave no receipt, if it earned one."""

    findings: tuple[Finding, ...]
    no_receipt: LeewardError | None = None


def check_rows(
    plan: Plan, engine: Engine, progress: Callable[[str], None] | None = None
) -> Checked:
    """Every problem of the data at full size: confidential, for the operator's eyes.

    A passed check leaves a receipt beside the plan, where it can be written.
    """
    require_small_delta(plan, engine)
    digest = engine.digest()
    findings = engine.check(plan.codebook, plan.jobs, progress)
    if not engine.unchanged():
        raise changed()
    if findings:
        return Checked(findings)
    try:
        write_receipt(Receipt.of(plan, digest), receipt_path(plan))
    except BadFile as refusal:  # the rows are right all the same
        return Checked((), refusal)
    return Checked(())


def require_rows(plan: Plan, engine: Engine) -> str:
    """Refuse data that fail the check, in words that do not depend on them.

    Returns the digest of the data that passed, now or as a receipt says. It is made once: from
    here on `engine.unchanged` tells whether what is released is still what was checked.
    """
    digest = engine.digest()
    if not accepted(plan, digest) and engine.check(plan.codebook, plan.jobs):
        raise BadData(
            "data",
            rule="must agree with the codebook in every row",
            value="rows that do not (not shown)",
            next_step=f"Run `leeward check {quote(str(plan.path))}`, whose output is confidential.",
        )
    return digest


def require_small_delta(plan: Plan, engine: Engine, account: Account | None = None) -> None:
    """Refuse a δ, of the plan or of what its account may ever lose, that is too large.

    Only the workplaces are counted, which are public.
    """
    cap = Fraction(0) if account is None else account.cap.delta
    if plan.asked.delta == cap == 0:
        return
    found = engine.workplaces()
    less = f"Give one below 1/{JOBS_EACH * max(found, 1)}"
    refused = (
        too_large("protect.delta", plan.asked.delta, found, f"{less}, or 0."),
        too_large(
            f"delta of account {plan.request.account!r}",
            cap,
            found,
            f"{less} to an account that is opened for this frame; a cap is never changed.",
        ),
    )
    raise_all(one for one in refused if one is not None)


def changed() -> BadData:
    """The refusal of data that something writes to."""
    return BadData(
        "data",
        rule="must not change while they are checked and released",
        value="a file that changed",
        next_step="Release again from files that nothing writes to.",
    )
