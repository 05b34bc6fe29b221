"""Run: a checked plan is charged, tabulated, measured and written. Nothing flows back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from leeward.core.errors import FailedAfterCharge
from leeward.core.interruption import postponed, recognised
from leeward.core.mechanisms.measurement import Needs
from leeward.core.noise.selftest import require_accuracy
from leeward.publishing.bundle import BundleWriter
from leeward.publishing.engines.engine import Engine
from leeward.publishing.engines.tabulation import Owners
from leeward.publishing.ledger import Account, Entry
from leeward.publishing.plan.plan import Plan, PlannedTable
from leeward.publishing.release.certify import Draft, Rows, certificate
from leeward.publishing.release.charge import (
    AS_PLANNED,
    Choices,
    Frames,
    PreparedRelease,
    after_charge,
    commit,
    payment,
    reserve,
)
from leeward.publishing.release.check import (
    changed,
    not_checked,
    open_data,
    open_ledger,
    require_rows,
    require_small_delta,
)
from leeward.publishing.release.measuring import AddedTotals, Progress, measured_cells, parts_of
from leeward.publishing.release.receipt import Receipts

__all__ = ["Choices", "Released", "release", "release_plan"]


@dataclass(frozen=True)
class Released:
    """A sealed bundle and the entry that paid for it."""

    bundle: Path
    entry: Entry
    account: Account


def release_plan(
    plan: Plan, out: Path, ledger: Path, progress: Progress, chosen: Choices = AS_PLANNED
) -> Released:
    """Check everything that can be refused, then release."""
    progress.step("checking the plan")
    draft = Draft.of(plan)
    unwritable = BundleWriter.check_target(out)
    require_accuracy()  # a machine that draws nothing is charged nothing
    receipts = Receipts.of(plan)
    paying = open_ledger(plan, out, ledger, chosen, unwritable=unwritable)
    with paying as book, open_data(plan) as engine:
        require_small_delta(plan, engine, book.account(plan.request.account))
        progress.step("checking the rows")
        digest = engine.digest()
        receipt = receipts.found(digest)
        if receipt is None and chosen.unchecked is None:
            raise not_checked(plan)
        frames = Frames.of(plan, engine, book)
        steps = require_rows(plan, engine, receipt)
        prepared = PreparedRelease(plan, engine, book, out, digest, frames, chosen, steps)
        return release(prepared, draft, progress)


def release(prepared: PreparedRelease, draft: Draft, progress: Progress) -> Released:
    """Charge, tabulate, noise, write, commit. Whatever happens after the charge, it stays."""
    if not prepared.engine.unchanged():
        raise changed()
    progress.step("charging the ledger")
    entry: Entry | None = None
    try:
        with postponed():
            entry = reserve(prepared)
        with recognised():
            _write(prepared, draft, entry, progress)
    except FailedAfterCharge:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if entry is None:
            raise
        with postponed(forget=True):  # a second Ctrl-C must not hide what the first one cost
            told = after_charge(error, prepared, entry)
        raise told from error
    return Released(prepared.out, entry, prepared.ledger.account(entry.account))


def _write(prepared: PreparedRelease, draft: Draft, entry: Entry, progress: Progress) -> None:
    """Tabulate, noise and write every table; seal the bundle; commit."""
    plan, engine = prepared.plan, prepared.engine
    progress.step("tabulating")
    rows: dict[str, Rows] = {}
    marginals = [table.marginal for table in plan.tables]
    by_establishment = [
        table.marginal for table in plan.tables if table.measurement.needs is not Needs.CELLS
    ]
    owners: Owners | None = "merged" if plan.charge.unit == "employer" else None
    engine.prepare(
        plan.codebook, plan.jobs, marginals, by_establishment, owners=owners, steps=prepared.steps
    )
    with _hidden(prepared.out) as bundle:
        for table in plan.tables:
            rows |= _write_table(bundle, table, plan.seed(table.name), engine, progress)
        if not engine.unchanged():
            raise changed()
        progress.step("sealing the bundle")
        with postponed(forget=True):
            paid = payment(prepared.ledger, entry)
            digest = bundle.seal(certificate(draft, prepared.out.name, paid, rows))
            commit(prepared, entry, digest)


def _write_table(
    bundle: BundleWriter, table: PlannedTable, seed: int, engine: Engine, progress: Progress
) -> dict[str, Rows]:
    """A table, or all tables of a product side by side, a batch at a time."""
    marginal, made = table.marginal, table.measurement
    with ExitStack() as opened:
        writers = [
            opened.enter_context(
                bundle.table(part, margins=marginal.columns_of(number, made.margin_columns))
            )
            for number, part in enumerate(marginal.published)
        ]
        totals = AddedTotals(marginal, made, seed)
        for published in measured_cells(marginal, made, engine, progress):
            for writer, part in zip(writers, parts_of(published, marginal), strict=True):
                writer.write(part)
            totals.add(published)
        for family, added in totals.rows():
            writers[0].write_totals(family, added)
    parts = zip(marginal.published, writers, strict=True)
    return {part.name: (writer.rows, writer.total_rows) for part, writer in parts}


@contextmanager
def _hidden(out: Path) -> Iterator[BundleWriter]:
    """A bundle of which nothing is left unless it was sealed, however often Ctrl-C is pressed."""
    with BundleWriter(out) as bundle:
        try:
            yield bundle
        except BaseException:
            with postponed(forget=True):
                bundle.discard()
            raise
