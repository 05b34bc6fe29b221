"""Run: a checked plan is charged, tabulated, measured and written. Nothing flows back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from leeward.core.codebook import Steps
from leeward.core.interruption import postponed
from leeward.core.mechanisms.measurement import Needs
from leeward.core.noise.tabulated import require_accuracy
from leeward.publishing.bundle import BundleWriter
from leeward.publishing.engines.engine import Engine
from leeward.publishing.ledger import Account, Entry
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable
from leeward.publishing.release.certify import Draft, Rows, certificate
from leeward.publishing.release.charge import AS_PLANNED, Frames, ReleaseOptions, payment
from leeward.publishing.release.check import (
    changed,
    not_checked,
    open_data,
    open_ledger,
    require_rows,
    require_small_delta,
)
from leeward.publishing.release.measuring import AddedTotals, Progress, measured_cells, parts_of
from leeward.publishing.release.paid import Charge, Paid
from leeward.publishing.release.receipt import Receipts

__all__ = ["ReleaseOptions", "Released", "release_plan"]


@dataclass(frozen=True)
class Released:
    """A sealed bundle and the entry that paid for it."""

    bundle: Path
    entry: Entry
    account: Account


def release_plan(
    plan: Plan, out: Path, ledger: Path, progress: Progress, chosen: ReleaseOptions = AS_PLANNED
) -> Released:
    """Check everything that can be refused, then charge, tabulate, noise, write and commit.

    Whatever happens after the charge, it stays.
    """
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
        data = book.sealed(digest.encode())
        charge = Charge.of(plan, out, chosen, data, Frames.of(plan, engine, book))
        steps = require_rows(plan, engine, receipt)
        if not engine.unchanged():
            raise changed()
        progress.step("charging the ledger")
        tabulation = _Tabulation(plan, engine, draft, steps)
        entry = charge.pay(book, lambda paid: tabulation.write(out, paid, progress))
        return Released(out, entry, book.account(entry.account))


@dataclass(frozen=True)
class _Tabulation:
    """What is tabulated of a checked plan; `steps` are what the rows need to be counted right."""

    plan: Plan
    engine: Engine
    draft: Draft
    steps: Steps

    def write(self, out: Path, paid: Paid, progress: Progress) -> Entry:
        """Tabulate, noise and write every table; seal the bundle; commit."""
        progress.step("tabulating")
        tables = self.plan.tables
        self.engine.prepare(
            self.plan.codebook,
            self.plan.jobs,
            [table.marginal for table in tables],
            [table.marginal for table in tables if table.measurement.needs is not Needs.CELLS],
            owners="merged" if self.plan.charge.unit == "employer" else None,
            steps=self.steps,
        )
        rows: dict[str, Rows] = {}
        with _hidden(out) as bundle:
            for table in tables:
                seed = self.plan.seed(table.name)
                rows |= _write_table(bundle, table, seed, self.engine, progress)
            if not self.engine.unchanged():
                raise changed()
            progress.step("sealing the bundle")
            with postponed(forget=True):
                stated = payment(paid.ledger, paid.entry)
                paid.commit(bundle.seal(certificate(self.draft, out.name, stated, rows)))
        return paid.entry


def _write_table(
    bundle: BundleWriter, table: PlannedTable, seed: int, engine: Engine, progress: Progress
) -> dict[str, Rows]:
    """A table, or all tables of a product side by side, a batch at a time."""
    marginal, measurement = table.marginal, table.measurement
    with ExitStack() as opened:
        writers = [
            opened.enter_context(
                bundle.table(part, margins=marginal.columns_of(number, measurement.margin_columns))
            )
            for number, part in enumerate(marginal.published)
        ]
        totals = AddedTotals(marginal, measurement, seed)
        for published in measured_cells(marginal, measurement, engine, progress):
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
