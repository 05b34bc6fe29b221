"""Restated: statements of a released or settled bundle that do not follow from its other parts."""

from collections.abc import Iterator
from typing import Any

from leeward.core.codebook.marginal import RELEASED
from leeward.derived.settle.tidy_statements import (
    SHRUNK_METHOD,
    at_most,
    change,
    origin_sentence,
)
from leeward.publishing.bundle import Bundle
from leeward.publishing.bundle.bundle_files import CERTIFICATE
from leeward.publishing.bundle.software import wrote_words
from leeward.publishing.release.restatement import certificate_findings


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
