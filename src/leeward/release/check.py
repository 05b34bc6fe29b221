"""Check: everything that can be refused before a release is charged, all of it at once."""

from collections.abc import Callable
from pathlib import Path

from leeward.bundle import BundleWriter
from leeward.engines import Engine, Finding, connect
from leeward.errors import BadData, LeewardError, raise_all
from leeward.ledger import Ledger
from leeward.release.plan import Plan
from leeward.release.receipt import Receipt, accepted, receipt_path, write_receipt


def open_data(plan: Plan) -> Engine:
    """Connect to the three tables; refuses missing ones and headers that do not fit."""
    data = plan.request.data
    sources = {"workplaces": data.workplaces, "workers": data.workers, "jobs": data.jobs}
    engine = connect(sources, plan.path.parent)
    try:
        raise_all(engine.check_headers(plan.codebook, plan.jobs))
    except LeewardError:
        engine.close()
        raise
    return engine


def check_surroundings(plan: Plan, out: Path, ledger: Ledger) -> None:
    """The output folder and the budget: nothing confidential is looked at."""
    over = ledger.would_refuse(plan.request.account, plan.charge, None)
    raise_all([*BundleWriter.check_target(out), *([] if over is None else [over])])


def check_rows(
    plan: Plan, engine: Engine, progress: Callable[[str], None] | None = None
) -> tuple[Finding, ...]:
    """Every problem of the data at full size: confidential, for the operator's eyes.

    A passed check leaves a receipt beside the plan.
    """
    digest = engine.digest()
    findings = engine.check(plan.codebook, plan.jobs, progress)
    if not findings:
        write_receipt(Receipt.of(plan, digest), receipt_path(plan))
    return findings


def require_rows(plan: Plan, engine: Engine) -> bool:
    """Refuse data that fail the check, in words that do not depend on them.

    Returns whether a receipt was accepted in place of looking at the rows.
    """
    if accepted(plan, engine.digest()):
        return True
    if engine.check(plan.codebook, plan.jobs):
        raise BadData(
            "data",
            rule="must agree with the codebook in every row",
            value="rows that do not (not shown)",
            next_step=f"Run `leeward check {plan.path}`, whose output is confidential.",
        )
    return False
