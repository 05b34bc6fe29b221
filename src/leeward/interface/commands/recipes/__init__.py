"""Recipes: public products from wage records and cohorts, by ordinary plans."""

from collections.abc import Mapping
from pathlib import Path


def start_recipe(
    name: str,
    out: Path,
    office: Mapping[str, str | None],
    options: Mapping[str, object],
    demo_jobs: int | None,
) -> None:
    """Write the plans and tables of a recipe; with a number of jobs, on made-up data."""
    from leeward.interface.commands.recipes.demonstration import demonstrate  # noqa: PLC0415 (loads a database)
    from leeward.interface.commands.recipes.folder import start  # noqa: PLC0415 (as above)

    given = {name: value for name, value in options.items() if value is not None}
    if demo_jobs is not None:
        demonstrate(name, out, demo_jobs, given)
    else:
        start(name, out, office, given)
