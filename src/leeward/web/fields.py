"""Fields: which control of the form a refusal speaks of."""

import re
from collections.abc import Iterable, Mapping

from leeward.errors import LeewardError

PROTECT = ("policy", "alpha", "epsilon", "delta")
TOGETHER = {"tables.share": "tables", "jobs.rule": "jobs"}
PARTS = re.compile(r"\.[^.\[]*$|\[[0-9]+\]$")


def by_field(
    refusals: Iterable[LeewardError], known: Iterable[str]
) -> Mapping[str, list[LeewardError]]:
    """Refusals by the control beside which they are told; those of none under the empty name."""
    controls, found = frozenset(known), dict[str, list[LeewardError]]()
    for refusal in refusals:
        found.setdefault(field_of(refusal.parameter, controls), []).append(refusal)
    return found


def field_of(parameter: str, controls: frozenset[str]) -> str:
    """The nearest control: `tables[1].by[0]` is told at `tables[1].by`."""
    name = parameter.removeprefix("plan.")
    name = f"protect.{name}" if name in PROTECT else TOGETHER.get(name, name)
    while name and name not in controls:
        shorter = PARTS.sub("", name)
        name = "" if shorter == name else shorter
    return name


def controls(tables: int) -> Iterable[str]:
    """Every control of a form with so many tables, in the order of the page."""
    yield from (f"protect.{name}" for name in PROTECT)
    yield from ("account", "period", "jobs", "jobs.primary", "jobs.max_per_worker", "tables")
    for number in range(tables):
        for key in ("name", "by", "where", "share", "margins", "mechanism", "complete"):
            yield f"tables[{number}].{key}"
