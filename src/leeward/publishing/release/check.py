"""Check: everything that can be refused before a release is charged, all of it at once."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from shlex import quote

from leeward.core.codebook import EVERY_STEP, Codebook, Finding, Loss, Steps
from leeward.core.codebook.row_rules import IMPOSSIBLE
from leeward.core.errors import (
    BadData,
    BadFile,
    InvalidParameter,
    LeewardError,
    Undisclosed,
    raise_all,
    shown,
)
from leeward.core.exact import Number
from leeward.core.privacy.delta import JOBS_EACH, too_large
from leeward.publishing.engines import Engine, connect
from leeward.publishing.ledger import Account, Ledger
from leeward.publishing.plan.gap import gaps
from leeward.publishing.plan.plan import Plan
from leeward.publishing.release.charge import ReleaseOptions
from leeward.publishing.release.losses import MOST, find_losses, judgement, read_most
from leeward.publishing.release.paid import Charge
from leeward.publishing.release.receipt import Receipt, write_receipt

STAFFED = (
    "workplaces: no establishment is without jobs. Was the frame derived from the jobs? "
    "It must be public, and made without looking at them."
)
FORMULA = ("=", "+", "-", "@")

MEND = "Mend the rows, or remove the combination from `impossible` in the codebook."


def open_data(plan: Plan, *, frank: bool = False) -> Engine:
    """Connect to the three tables; refuses missing ones and headers that do not fit.

    Whoever is `frank` shows what is undisclosed; everybody else hears of it once.
    """
    engine = connect(plan.sources, plan.path.parent, plan.resources, hashed=True)
    try:
        problems = engine.check_headers(plan.codebook, plan.jobs)
        raise_all(problems if frank else {str(problem): problem for problem in problems}.values())
    except LeewardError:
        engine.close()
        raise
    return engine


@contextmanager
def open_ledger(
    plan: Plan,
    out: Path,
    path: Path,
    chosen: ReleaseOptions,
    *,
    unwritable: tuple[LeewardError, ...] = (),
) -> Iterator[Ledger]:
    """The ledger, if it allows the charge and what is corrected, and `out` is not unwritable.

    Nothing confidential is looked at.
    """
    charge = Charge.of(plan, out, chosen)
    with Ledger.open(path) as ledger:
        account, _ = plan.request.account, chosen.reasons  # what is no reason is rejected here
        over = charge.refusal(ledger)
        problems = [*unwritable, *([] if over is None else [over])]
        if chosen.corrects is not None and over is None:
            charges = (e for e in ledger.entries() if e.kind == "reserved")
            if chosen.corrects not in {e.number for e in charges if e.account == account}:
                rule = f"must be the number of an earlier charge of account {account!r}"
                step = "See the numbers with `leeward ledger show`."
                value = shown(chosen.corrects)
                problems.append(
                    InvalidParameter("--corrects", rule=rule, value=value, next_step=step)
                )
        raise_all(problems)
        yield ledger


@dataclass(frozen=True)
class Checked:
    """What a check found. CONFIDENTIAL.

    `losses` are the jobs that tables lose, if nothing rejects a release. Then come the place of the
    receipt, or why there is none.
    """

    findings: tuple[Finding, ...]
    hints: tuple[str, ...]
    losses: tuple[Loss, ...] = ()
    receipt: Path | None = None
    no_receipt: LeewardError | None = None

    def warnings(self, most: Number = MOST) -> tuple[str, ...]:
        """Which tables lose more than this share of the jobs, in words; empty if none does."""
        return tuple(judgement(self.losses, self.findings, read_most(most, "most")))

    @property
    def refused(self) -> tuple[Finding, ...]:
        """What refuses a release; all else falls under a rule."""
        return tuple(finding for finding in self.findings if finding.refuses)


def check_rows(
    plan: Plan, engine: Engine, progress: Callable[[str], None] | None = None
) -> Checked:
    """Everything that is to be said of the data at full size: confidential, for the operator.

    Every check that ends leaves a receipt, where it can be written.
    """
    require_small_delta(plan, engine)
    digest = engine.digest()
    findings = engine.check(plan.codebook, plan.jobs, progress, strict=plan.strict)
    receipt = ended(findings)
    losses: tuple[Loss, ...] = ()
    if receipt.passed:
        tell = progress or (lambda _: None)
        tell("counting lost jobs")
        losses = find_losses(plan, engine, findings, receipt.steps)
        if plan.codebook.impossible:
            tell("looking for impossible combinations")
            counted = losses[0].of - losses[0].lost
            findings += tuple(_impossible(plan, engine, receipt.steps, counted))
    hints = (
        *_formula_hints(plan.codebook),
        # A frame that holds nobody without jobs was perhaps made of the jobs, which would tell.
        *([STAFFED] if engine.is_staffed(plan.codebook) else []),
        *(gap.words for gap in gaps(plan)),
    )
    if not engine.unchanged():
        raise changed()
    try:
        return Checked(findings, hints, losses, write_receipt(receipt, plan, digest))
    except BadFile as refusal:  # what was found is right all the same
        return Checked(findings, hints, losses, no_receipt=refusal)


def _impossible(plan: Plan, engine: Engine, steps: Steps, counted: int) -> Iterator[Finding]:
    """Jobs that should not be, counted as a release of the checked data counts them."""
    counts = engine.count_impossible(plan.codebook, plan.jobs, steps)
    for combination, jobs in zip(plan.codebook.impossible, counts, strict=True):
        if jobs:
            codes = ", ".join(f"{name} {code}" for name, code in combination.items())
            where = (f"impossible combination {codes}", "jobs", "")
            yield Finding(*where, jobs, (), MEND, rule=IMPOSSIBLE.id, refuses=False, of=counted)


def _formula_hints(codebook: Codebook) -> Iterator[str]:
    """Spreadsheets take some texts of a CSV file for formulas and run them."""
    for attribute in codebook.attributes.values():
        for what, texts in (("codes", attribute.codes), ("labels", attribute.labels)):
            found = next((text for text in texts if text.startswith(FORMULA)), None)
            if found is not None and (what == "codes" or found not in attribute.codes):
                yield (
                    f"codebook.attributes.{attribute.name}: a spreadsheet takes {what} such as "
                    f"{shown(found)} for formulas; tell readers to open the Parquet files, or "
                    f"change the {what}."
                )


def require_rows(plan: Plan, engine: Engine, receipt: Receipt | None) -> Steps:
    """The steps by which the rows are counted: those of the receipt, or found by a check.

    Data that fail the check are rejected in words that do not depend on them. The caller has asked
    for the digest before: `engine.unchanged` compares with the data of that moment.
    """
    if receipt is None:
        receipt = ended(engine.check(plan.codebook, plan.jobs, strict=plan.strict))
    if not receipt.passed:
        raise Undisclosed
    return receipt.steps


def not_checked(plan: Plan) -> InvalidParameter:
    """The rejection of data that were not checked: the same whatever the data are."""
    return InvalidParameter(
        "unchecked",
        rule="must be a reason where there is no receipt of a check of these data, with this "
        "codebook and these rules",
        value="nothing",
        next_step=f"Run `leeward check {quote(str(plan.path))}` first (leeward.check in Python), "
        "or release with --unchecked REASON, which the ledger keeps.",
    )


def ended(findings: tuple[Finding, ...]) -> Receipt:
    """The receipt of a check with these findings."""
    return Receipt(not any(finding.refuses for finding in findings), needed_steps(findings))


def needed_steps(findings: Iterable[Finding]) -> Steps:
    """The steps without which the checked data would be counted differently.

    No step makes another one necessary: leaving rows out repeats no other row, and one row of a
    worker points where all of them do.
    """
    return EVERY_STEP & {finding.rule for finding in findings}


def require_small_delta(plan: Plan, engine: Engine, account: Account | None = None) -> None:
    """Refuse a δ, of the plan or of what its account may ever lose, that is too large.

    A δ at which ρ is read is one of them: the ε that is told there would mislead. Only the
    workplaces are counted, which are public.
    """
    cap = Fraction(0) if account is None else account.cap.delta
    if plan.asked.told_delta == cap == 0:
        return
    workplaces = engine.workplaces()
    less = f"Give one below 1/{JOBS_EACH * max(workplaces, 1)}"
    no_delta = "" if plan.asked.rho > 0 else ", or 0"
    refused = (
        too_large("protect.delta", plan.asked.told_delta, workplaces, f"{less}{no_delta}."),
        too_large(
            f"delta of account {plan.request.account!r}",
            cap,
            workplaces,
            f"{less} to an account that is opened for this frame; a cap is never changed.",
        ),
    )
    raise_all(parameter for parameter in refused if parameter is not None)


def changed() -> BadData:
    """The refusal of data that something writes to."""
    return BadData(
        "data",
        rule="must not change while they are checked and released",
        value="a file that changed",
        next_step="Release again from files that nothing writes to.",
    )
