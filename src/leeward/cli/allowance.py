"""Allowance: what a command line allows the embedded database, over what the plan says."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from leeward.model.resources import read_memory
from leeward.publishing.plan import Plan

Memory = Annotated[
    str | None, typer.Option("--memory", help="What DuckDB may use at most, such as 6GB.")
]
Spill = Annotated[
    Path | None, typer.Option("--spill", help="Folder for what does not fit into memory.")
]


def allowing(plan: Plan, memory: str | None, spill: Path | None) -> Plan:
    """The plan with the resources of the command line, where they are given."""
    given = {"memory": read_memory(memory, "--memory"), "spill": spill}
    told = {name: value for name, value in given.items() if value is not None}
    return replace(plan, resources=replace(plan.resources, **told)) if told else plan  # type: ignore[arg-type]
