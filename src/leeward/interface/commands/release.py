"""`leeward release`: from a plan to a bundle that may be published."""

from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Annotated, Any

import pyarrow as pa
import typer

from leeward import api as front
from leeward.core.exact import number_text
from leeward.core.privacy.words import amount_text
from leeward.interface.commands.check import Memory, Spill, allowing
from leeward.interface.commands.screen import note, progress, say, say_json
from leeward.publishing.bundle import REPORT, Bundle
from leeward.publishing.plan.plan import Plan, read_plan

Unchecked = Annotated[
    str | None,
    typer.Option(
        metavar="REASON",
        help="Release although no `leeward check` of these data has ended; the ledger keeps the "
        "reason.",
    ),
]
LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger file.")]


def release_command(  # noqa: PLR0913 (a parameter for each option)
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    out: Annotated[Path, typer.Option("--out", help="The bundle's folder; must not exist.")],
    ledger: LedgerFile,
    *,
    again: Annotated[
        bool, typer.Option("--again", help="Release a plan that was charged before, and pay again.")
    ] = False,
    corrects: Annotated[
        int | None, typer.Option(help="Entry of an earlier release that this one corrects.")
    ] = None,
    same_establishments: Annotated[
        str | None,
        typer.Option(
            metavar="REASON",
            help="Release although another account holds most of these establishments; the "
            "ledger keeps the reason.",
        ),
    ] = None,
    unchecked: Unchecked = None,
    memory: Memory = None,
    spill: Spill = None,
    as_json: Annotated[bool, typer.Option("--json", help="What was published as JSON.")] = False,
) -> None:
    """Charge the ledger, tabulate, add noise, write the bundle.

    Run `leeward check` first: a release needs its receipt. What is charged stays charged, whatever
    happens.

    Example: leeward release plan.yaml --out bundle --ledger ledger.sqlite
    """
    asked = read_plan(plan)
    if memory is not None or spill is not None:
        asked = allowing(asked, memory, spill)
    reasons = {"same_establishments": same_establishments, "unchecked": unchecked}
    done = run(asked, out, ledger, again=again, corrects=corrects, **reasons)
    if as_json:
        added = report(done)
        with suppress(OSError):  # a closed stream does not undo the release
            say_json(_as_json(done, added))
        return
    with suppress(OSError):  # as above
        for line in summary(done):
            say(line)
    report(done)


def run(asked: Plan, out: Path, ledger: Path, **chosen: Any) -> Bundle:  # noqa: ANN401 (see `front.release`)
    """The whole release with a progress bar; the report is still missing."""
    pa.set_memory_pool(pa.system_memory_pool())  # the other pools keep freed memory
    Thread(target=_load_report, daemon=True).start()
    with progress() as bar:
        return front.release(asked, out=out, ledger=ledger, progress=bar, report=False, **chosen)


def _load_report() -> None:
    """Import the modules of the report and compile its template while the database works."""
    with suppress(Exception):  # `report` does the same again and says what is wrong
        import_module("leeward.interface.report.document").page_template()


def report(bundle: Bundle) -> Path | None:
    """Add the report to a published bundle; a failure does not undo the release."""
    with progress() as bar:
        bar.step("writing the report")
        missing = front.add_report(bundle)
    if missing:
        with suppress(OSError):  # the stream may be closed
            note(missing)
        return None
    return bundle.path / REPORT


def _as_json(done: Bundle, added: Path | None) -> dict[str, object]:
    """What was published, what it cost and what is left; `added` is the report."""
    held = done.certificate
    charge, paid, left = held.guarantee, held.budget.paid, held.budget.left
    return {
        "bundle": str(done.path),
        "report": None if added is None else str(added),
        "account": held.account,
        "entry": held.ledger.entry,
        "charge": {"epsilon": charge.epsilon, "delta": charge.delta, "rho": charge.rho},
        "paid": {"epsilon": paid.epsilon, "delta": paid.delta, "rho": paid.rho},
        "left": left.model_dump(),
    }


def summary(done: Bundle) -> list[str]:
    """What was published, what it cost and what is left."""
    held = done.certificate
    charge, paid = (one.as_guarantee() for one in (held.guarantee, held.budget.paid))
    budget = held.budget.left
    in_rho = budget.rho is not None and paid.currency == "rho"
    left = f"rho {_told(budget.rho or '0')}" if in_rho else _told(budget.epsilon)
    at_account = ""
    if (charge.currency, charge.amount) != (paid.currency, paid.amount):
        told = amount_text(paid).removeprefix(f"{charge.currency} ")
        alpha = "" if charge.currency != paid.currency else " at the alpha of the account"
        at_account = f", which is {told}{alpha},"
    return [
        f"Published: {done.path}",
        f"Charged:   {amount_text(charge)}{at_account} to account {held.account} "
        f"(entry {held.ledger.entry}); {left} left.",
    ]


def _told(exact: str) -> str:
    return number_text(Fraction(exact))
