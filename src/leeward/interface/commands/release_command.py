"""`leeward release`: from a plan to a bundle that may be published."""

from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Annotated, Any

import pyarrow as pa
import typer

from leeward import api
from leeward.core.exact import number_text
from leeward.core.privacy.words import amount_text
from leeward.interface.commands.check_command import allowing
from leeward.interface.commands.options import (
    LedgerFile,
    Memory,
    PlanAgain,
    PlanFile,
    Spill,
    Unchecked,
)
from leeward.interface.commands.screen import note, progress, say_json, say_lines
from leeward.publishing.bundle import REPORT, Bundle
from leeward.publishing.plan.plan import Plan, read_plan

Out = Annotated[Path, typer.Option("--out", help="The bundle's folder; must not exist.")]
Corrects = Annotated[
    int | None, typer.Option(help="Entry of an earlier release that this one corrects.")
]
SameEstablishments = Annotated[
    str | None,
    typer.Option(
        metavar="REASON",
        help="Release although another account holds most of these establishments; the "
        "ledger keeps the reason.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="What was published as JSON.")]


def release_command(  # noqa: PLR0913 (a parameter for each option)
    plan: PlanFile,
    out: Out,
    ledger: LedgerFile,
    *,
    again: PlanAgain = False,
    corrects: Corrects = None,
    same_establishments: SameEstablishments = None,
    unchecked: Unchecked = None,
    memory: Memory = None,
    spill: Spill = None,
    as_json: AsJson = False,
) -> None:
    """Charge the ledger, tabulate, add noise, write the bundle.

    Run `leeward check` first: a release needs its receipt. What is charged stays charged, whatever
    happens.

    Example: leeward release plan.yaml --out bundle --ledger ledger.sqlite
    """
    request = read_plan(plan)
    if memory is not None or spill is not None:
        request = allowing(request, memory, spill)
    reasons = {"same_establishments": same_establishments, "unchecked": unchecked}
    bundle = run(request, out, ledger, again=again, corrects=corrects, **reasons)
    if as_json:
        added = report(bundle)
        with suppress(OSError):  # a closed stream does not undo the release
            say_json(_as_json(bundle, added))
        return
    with suppress(OSError):  # as above
        say_lines(summary(bundle))
    report(bundle)


def run(plan: Plan, out: Path, ledger: Path, **chosen: Any) -> Bundle:  # noqa: ANN401 (see `api.release`)
    """The whole release with a progress bar; the report is still missing."""
    pa.set_memory_pool(pa.system_memory_pool())  # the other pools keep freed memory
    Thread(target=_load_report, daemon=True).start()
    with progress() as bar:
        return api.release(plan, out=out, ledger=ledger, progress=bar, report=False, **chosen)


def _load_report() -> None:
    """Import the modules of the report and compile its template while the database works."""
    with suppress(Exception):  # `report` does the same again and says what is wrong
        import_module("leeward.interface.report.document").page_template()


def report(bundle: Bundle) -> Path | None:
    """Add the report to a published bundle; a failure does not undo the release."""
    with progress() as bar:
        bar.step("writing the report")
        missing = api.add_report(bundle)
    if missing:
        with suppress(OSError):  # the stream may be closed
            note(missing)
        return None
    return bundle.path / REPORT


def _as_json(bundle: Bundle, added: Path | None) -> dict[str, object]:
    """What was published, what it cost and what is left; `added` is the report."""
    certificate = bundle.certificate
    charge, budget = certificate.guarantee, certificate.budget
    paid, left = budget.paid, budget.left
    return {
        "bundle": str(bundle.path),
        "report": None if added is None else str(added),
        "account": certificate.account,
        "entry": certificate.ledger.entry,
        "charge": {"epsilon": charge.epsilon, "delta": charge.delta, "rho": charge.rho},
        "paid": {"epsilon": paid.epsilon, "delta": paid.delta, "rho": paid.rho},
        "left": left.model_dump(),
    }


def summary(bundle: Bundle) -> list[str]:
    """What was published, what it cost and what is left."""
    certificate = bundle.certificate
    charge, paid = (certificate.guarantee.as_guarantee(), certificate.budget.paid.as_guarantee())
    budget = certificate.budget.left
    in_rho = budget.rho if paid.currency == "rho" else None
    left = number_text(Fraction(budget.epsilon if in_rho is None else in_rho))
    at_account = ""
    if (charge.currency, charge.amount) != (paid.currency, paid.amount):
        amount = amount_text(paid).removeprefix(f"{charge.currency} ")
        alpha = "" if charge.currency != paid.currency else " at the alpha of the account"
        at_account = f", which is {amount}{alpha},"
    return [
        f"Published: {bundle.path}",
        f"Charged:   {amount_text(charge)}{at_account} to account {certificate.account} "
        f"(entry {certificate.ledger.entry}); {'' if in_rho is None else 'rho '}{left} left.",
    ]
