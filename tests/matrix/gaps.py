"""The combinations that a consumer rejects by design: the table of a page of the documents."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.matrix.consumers import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "combinations.md"
LINE = re.compile(r"^\| (?P<kinds>`[^|]*) \| (?P<consumers>`[^|]*) \| (?P<error>[^|]*) \|$", re.M)
NAMED = re.compile(r"`([^`]*)`")

Gaps = Mapping[tuple[str, str], str]
"""The beginning of an error by kind of table and consumer."""


def read_gaps() -> Gaps:
    """The gaps that the page lists."""
    return dict(_listed(PAGE.read_text(encoding="utf-8")))


def _listed(page: str) -> Iterator[tuple[tuple[str, str], str]]:
    for line in LINE.finditer(page):
        for kind in NAMED.findall(line["kinds"]):
            for consumer in NAMED.findall(line["consumers"]):
                yield (kind, consumer), line["error"]


def differences(outcomes: Iterable[Outcome], gaps: Gaps) -> list[str]:
    """Errors that the page does not list, and listed ones that are none."""
    found = []
    for outcome in outcomes:
        listed = gaps.get((outcome.kind, outcome.consumer))
        named = f"{outcome.consumer} of {outcome.kind}"
        if outcome.error is None and listed is not None:
            found.append(f"{named} works, and is listed with the error: {listed}")
        elif outcome.error is not None and listed is None:
            found.append(f"{named} is not listed: {outcome.error}")
        elif outcome.error is not None and not outcome.error.startswith(str(listed)):
            found.append(f"{named} is listed with {listed!r}, its error is: {outcome.error}")
    return found
