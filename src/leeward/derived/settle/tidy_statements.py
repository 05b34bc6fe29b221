"""Tidy statements: what a certificate says of tables that were made to add up.

What a released or settled bundle says and its other parts do not, is found here for `verify`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from leeward.core.codebook.marginal import RELEASED
from leeward.core.show.numbers import count
from leeward.derived.settle.noisy_table import Integers
from leeward.publishing.bundle import Bundle, CertifiedTable
from leeward.publishing.bundle.bundle_files import CERTIFICATE
from leeward.publishing.bundle.software import wrote_words
from leeward.publishing.bundle.table_statements import TidiedStatement
from leeward.publishing.release.restatement import certificate_findings

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


def restated_findings(bundle: Bundle) -> tuple[str, ...]:
    """What does not follow from the rest of a sound bundle, in plain words; none if all does."""
    findings = certificate_findings(bundle.certificate)
    if not findings and wrote_words(bundle.certificate):
        findings = tuple(tidied_findings(bundle))
    return tuple(f"{CERTIFICATE} contradicts itself: {finding}" for finding in findings)


def tidied_findings(bundle: Bundle) -> Iterator[str]:
    """Whether a tidy bundle says of itself what follows from its rows, in plain words."""
    stated = bundle.certificate.made_from
    if stated is None:
        return
    written: Any = bundle.certificate.plan["tables"]
    tables = bundle.certificate.tables
    names = {table.joint.name if table.joint else table.name for table in tables}
    left_out = [table["name"] for table in written if table["name"] not in names]
    shrink = stated.method == SHRUNK_METHOD
    below = at_most(tables)
    if stated.sentence != origin_sentence(stated.name, left_out, below, shrink=shrink):
        yield "made_from.sentence does not follow from the rest"
    for at, about in enumerate(tables):
        rows = bundle.table(about.name, totals=False)
        off = rows["value"].to_numpy() - rows[RELEASED].fill_null(0).to_numpy()
        if about.tidied != change(about, off, shrink):
            yield f"tables[{at}].tidied does not follow from the rows"
