"""Run: a checked plan is charged, tabulated, noised and written. Nothing flows back.

This is the one module that turns confidential cells into published ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from leeward.bundle import BundleWriter
from leeward.engines import Engine
from leeward.errors import FailedAfterCharge
from leeward.ledger import Account, Entry
from leeward.mechanisms.measurement import Measurement, Needs
from leeward.model import Batch, Cells, Entries, Flag, Published
from leeward.noise.selftest import require_accuracy
from leeward.publishing.certify import certificate
from leeward.publishing.charge import Order, after_charge, commit, payment, reserve
from leeward.publishing.check import changed
from leeward.publishing.completion import completed
from leeward.publishing.interruption import postponed, recognised
from leeward.publishing.plan import PlannedTable

ROWS = 1 << 18
"""Rows of a batch: memory is bounded by this, whatever the size of the table."""


class Progress(Protocol):
    """Who is told how far the work is; only public numbers are told."""

    def step(self, words: str) -> None:
        """A new step begins."""

    def cells(self, table: str, done: int, of: int) -> None:
        """So many workplace cells of a table are done."""


@dataclass(frozen=True)
class Released:
    """A sealed bundle and the entry that paid for it."""

    bundle: Path
    entry: Entry
    account: Account


def release(order: Order, progress: Progress) -> Released:
    """Charge, tabulate, noise, write, commit. Whatever happens after the charge, it stays."""
    require_accuracy()  # a machine that draws nothing is charged nothing
    if not order.engine.unchanged():
        raise changed()
    progress.step("charging the ledger")
    entry: Entry | None = None
    try:
        with postponed():
            entry = reserve(order)
        with recognised():
            _write(order, entry, progress)
    except FailedAfterCharge:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if entry is None:
            raise
        with postponed(forget=True):  # a second Ctrl-C must not hide what the first one cost
            told = after_charge(error, order, entry)
        raise told from error
    return Released(order.out, entry, order.ledger.account(entry.account))


def _write(order: Order, entry: Entry, progress: Progress) -> None:
    """Tabulate, noise and write every table; seal the bundle; commit."""
    plan, engine = order.plan, order.engine
    progress.step("tabulating")
    rows: dict[str, int] = {}
    with _hidden(order.out) as bundle:
        marginals = [table.marginal for table in plan.tables]
        by_establishment = [
            table.marginal for table in plan.tables if table.measurement.needs is not Needs.CELLS
        ]
        engine.prepare(plan.codebook, plan.jobs, marginals, by_establishment, steps=order.steps)
        for table in plan.tables:
            margins = table.measurement.margins.coverage is not None
            with bundle.table(table.marginal, margins=margins) as writer:
                for published in cells(table, engine, progress):
                    writer.write(published)
            rows[table.name] = writer.rows
        if not engine.unchanged():
            raise changed()
        progress.step("sealing the bundle")
        with postponed(forget=True):
            paid = payment(order.ledger, entry)
            digest = bundle.seal(certificate(plan, order.out.name, paid, rows))
            commit(order, entry, digest)


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


def cells(table: PlannedTable, engine: Engine, progress: Progress) -> Iterator[Published]:
    """All cells of a table in order, measured, a batch at a time."""
    marginal, needs = table.marginal, table.measurement.needs
    size = max(1, ROWS // marginal.worker_cells)
    batches: Iterator[Batch[Cells]] | Iterator[Batch[Entries]]
    if needs is Needs.ENTRIES:
        batches = engine.establishments(marginal, batch=size)
    else:
        own = needs is Needs.OWN_LARGEST
        batches = engine.cells(marginal, batch=size, cell_largest=own)
    released = (publish(batch, table.measurement) for batch in batches)
    done, total = 0, engine.frame_cells(marginal)
    for published in completed(released, marginal, size) if marginal.complete else released:
        yield published
        done += int(np.count_nonzero(published.flags == Flag.OK))
        progress.cells(table.name, done, total)


def publish(batch: Batch[Cells] | Batch[Entries], made: Measurement) -> Published:
    """Confidential cells become published ones: here, and nowhere else."""
    values, margins, _ = made.measure(batch.cells.opened())
    flags = np.full(len(batch.keys), Flag.OK, dtype=np.int64)
    return Published(batch.keys, values, flags, margins)
