"""Command: what to type once a plan is saved; it works in a shell as it stands."""

import os
import shlex
from itertools import chain, count
from pathlib import Path

from leeward.web.site import Site

LEDGER = Path("ledger.sqlite")
"""What is written where the page has no ledger."""

LONGEST = 90
"""Letters of a plan's name that are kept; a bundle's name may have a hundred, with its number."""


def next_commands(plan: Path, site: Site) -> str:
    """The check and the release of a plan, into a folder that is not there yet."""
    out = free_folder(site.releases, plan.stem[:LONGEST])
    check = ("leeward", "check", str(plan))
    release = ("leeward", "release", str(plan), "--out", str(out))
    ledger = ("--ledger", str(site.ledger or LEDGER))
    return f"{shlex.join(check)}\n{shlex.join((*release, *ledger))}"


def free_folder(parent: Path, name: str) -> Path:
    """The first of `name`, `name-2`, `name-3` … that does not exist."""
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(path for path in (parent / one for one in names) if not os.path.lexists(path))
