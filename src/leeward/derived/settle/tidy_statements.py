"""Tidy statements: what a certificate says of tables that were made to add up."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from leeward.core.show.numbers import count
from leeward.derived.settle.noisy_table import Integers
from leeward.publishing.bundle import CertifiedTable
from leeward.publishing.bundle.statements import TidiedStatement

BIAS = (
    "That no value is negative has a price: cells with few jobs come out too high on average, and "
    "cells with many jobs too low. The column released holds the number with noise, and the "
    "margins are around it; a tidy value has no margin of its own. For sums over many cells add "
    "released values."
)
SHRUNK = (
    "Shares of worker cells were moved towards those of workplace cells alike, the more the "
    "smaller a workplace cell is beside its noise. That lowers the usual error and hides what "
    "makes a workplace cell special: cells with many jobs come out further too low, and "
    "differences between workplace cells too small."
)

SHRUNK_METHOD: Final = "tidy, shrunk"
AT_MOST = (
    "Rows of these tables may leave jobs out, so they add up to at most what the others count: "
    "{names}. "
)
LEFT_OUT = (
    " Tables of pay, flows and gains do not add up, so they are not in this bundle: {names}. Read "
    "them in the release {name}."
)


def change(about: CertifiedTable, off: Integers, shrink: bool) -> TidiedStatement:
    """By how much the values of a table changed."""
    added = int(off.sum())
    moved = shrink and about.joint is not None and not about.is_total
    sign = "more" if added >= 0 else "less"
    sentence = (
        f"The tidy values of all cells add up to {count(abs(added))} jobs {sign} than the released "
        f"ones; a cell changed by {np.abs(off).mean():.1f} jobs on average."
    )
    return TidiedStatement(added=added, shrunk=moved, sentence=sentence)


def at_most(tables: Sequence[CertifiedTable]) -> tuple[str, ...]:
    """Tables whose rows may leave jobs out; others bound their sums only from above."""
    if len(tables) < 2:
        return ()
    partial = {t.name: bool(t.partial) if t.joint is None else not t.joint.covers for t in tables}
    return tuple(name for name, leaves_out in partial.items() if leaves_out)


def origin_sentence(
    release: str, left_out: Sequence[str], below: Sequence[str] = (), *, shrink: bool
) -> str:
    """What is said of tables that were made of a release."""
    return (
        f"Tables were made of the release {release} alone, so what it promises and what "
        "was paid for it hold for these too. Values are whole, not negative, and add up. "
        f"{AT_MOST.format(names=', '.join(below)) if below else ''}"
        f"{BIAS}{f' {SHRUNK}' if shrink else ''}"
        f"{LEFT_OUT.format(names=', '.join(left_out), name=release) if left_out else ''}"
    )
