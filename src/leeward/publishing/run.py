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
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import checked_entries
from leeward.mechanisms.margins import (
    COVERAGE,
    NoMargins,
    for_all,
    released_margins,
    whole,
)
from leeward.model import Batch, Cells, Entries, Flag, Published
from leeward.noise.sampling import MOST, Integers
from leeward.noise.selftest import require_accuracy
from leeward.publishing.certify import certificate
from leeward.publishing.charge import Order, after_charge, commit, payment, reserve
from leeward.publishing.check import changed
from leeward.publishing.completion import completed
from leeward.publishing.interruption import postponed, recognised
from leeward.publishing.offer import Offer
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
        by_establishment = [t.marginal for t in plan.tables if needs_establishments(t.offer)]
        marginals = [t.marginal for t in plan.tables]
        engine.prepare(plan.codebook, plan.jobs, marginals, by_establishment, steps=order.steps)
        for table in plan.tables:
            with bundle.table(table.marginal, margins=has_margins(table.offer)) as writer:
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


def needs_establishments(offer: Offer) -> bool:
    """Whether rows of single establishments are needed, not only cells."""
    return own_largest(offer) or isinstance(offer.mechanism, Clipped)


def own_largest(offer: Offer) -> bool:
    """Whether the noise of a worker cell follows its own largest establishment."""
    return offer.per_cell and isinstance(offer.mechanism, Additive) and (
        offer.mechanism.needs == "largest"
    )  # fmt: skip


def has_margins(offer: Offer) -> bool:
    """Whether the table has a margin column."""
    return not isinstance(offer.margins, NoMargins)


def cells(table: PlannedTable, engine: Engine, progress: Progress) -> Iterator[Published]:
    """All cells of a table in order, noised, a batch at a time."""
    marginal, offer = table.marginal, table.offer
    size = max(1, ROWS // marginal.worker_cells)
    batches: Iterator[Batch[Cells]] | Iterator[Batch[Entries]]
    if isinstance(offer.mechanism, Clipped):
        batches = engine.establishments(marginal, batch=size)
    else:
        batches = engine.cells(marginal, batch=size, cell_largest=own_largest(offer))
    released = (publish(batch, offer) for batch in batches)
    done, total = 0, engine.frame_cells(marginal)
    for published in completed(released, marginal, size) if marginal.complete else released:
        yield published
        done += int(np.count_nonzero(published.flags == Flag.OK))
        progress.cells(table.name, done, total)


def publish(batch: Batch[Cells] | Batch[Entries], offer: Offer) -> Published:
    """Confidential cells become published ones: here, and nowhere else."""
    columns = batch.cells.opened()
    made = offer.mechanism
    if isinstance(columns, Cells):
        values, margins = _noised(columns, offer)
    elif isinstance(made, Clipped):
        values, margins = _clipped(columns, made)
    else:
        raise TypeError("the mechanism takes no entries of establishments")
    flags = np.full(len(batch.keys), Flag.OK, dtype=np.int64)
    return Published(batch.keys, values, flags, margins if has_margins(offer) else None)


def _noised(columns: Cells, offer: Offer) -> tuple[Integers, Integers | None]:
    """Counts with noise that follows the largest establishment, and their margins."""
    made = offer.mechanism
    if not isinstance(made, Additive):
        raise TypeError("the mechanism is not one of noise added to counts")
    counts = columns.counts
    # The noise of a block follows all jobs of an establishment, that of a single cell its own:
    # the wrong one of the two would break the promise.
    largest = columns.own_largest() if own_largest(offer) else columns.largest
    _refuse_broken(counts, largest)
    if largest.ndim < counts.ndim and made.parameters.cells == 1:
        largest = largest[:, None]
    values = made.release(counts, largest if made.needs == "largest" else None)
    return values, released_margins(offer.margins, made, values, largest)


def _clipped(columns: Entries, made: Clipped) -> tuple[Integers, Integers]:
    """The three steps of the clipped mechanism on entries of establishments."""
    entries = checked_entries(columns, MOST // made.clipping.lattice)
    values, theta = made.release_entries(entries)
    return values, for_all(whole(made.margin(theta, COVERAGE)), values)


def _refuse_broken(counts: Integers, largest: Integers) -> None:
    """An engine that counts jobs of no establishment would get too little noise: stop."""
    jobs = counts if largest.ndim == counts.ndim else counts.sum(axis=1)
    if (counts < 0).any() or ((jobs > 0) & (largest <= 0)).any():
        raise ArithmeticError("counts and largest establishments do not belong together")
