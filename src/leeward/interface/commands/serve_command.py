"""`leeward serve`: a local page to plan releases and to read bundles and the ledger."""

import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from leeward.core.errors import BadFile
from leeward.core.installation import hint
from leeward.core.randomness import SecretBits
from leeward.core.state import create_own
from leeward.interface.commands.screen import DEBUGGING, note, say, traced

PLAN, LEDGER = Path("plan.yaml"), Path("ledger.sqlite")
TOKEN_BITS = 256
DOOR = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"><title>Leeward</title></head>
<body><p><a href="{url}">Open the page</a></p></body></html>
"""

Plan = Annotated[
    Path | None, typer.Argument(help="The plan file; plan.yaml of this folder if it is there.")
]
Releases = Annotated[Path, typer.Option(help="The folder with bundles.")]
Ledger = Annotated[
    Path | None, typer.Option(help="The ledger; ledger.sqlite of this folder if it is there.")
]
Gallery = Annotated[
    Path | None,
    typer.Option(help="A folder that `leeward attack all --out` wrote of made-up data."),
]
Tables = Annotated[
    Path | None,
    typer.Option(help="A folder of tables: `leeward init` drafts a plan from their headers."),
]
Geography = Annotated[
    Path | None,
    typer.Option("--map", help="A GeoJSON file of areas whose codes are those of tables."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, metavar="PORT", help="0 is any free port.")]
Opening = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]


def serve_command(  # noqa: PLR0913, PLR0917 (one for each option)
    plan: Plan = None,
    releases: Releases = Path(),
    ledger: Ledger = None,
    gallery: Gallery = None,
    tables: Tables = None,
    geography: Geography = None,
    port: Port = 0,
    *,
    opening: Opening = False,
) -> None:
    """Serve a page with the tabs Plan, Releases and Ledger to a browser on this machine.

    The page opens no confidential data, draws no noise and charges nothing. With --tables it lets
    `leeward init` read headers to draft a plan. Its address holds a secret: whoever has it, and is
    on this machine, can read the page, save plans and sign bundles.

    Example: leeward serve plan.yaml --releases . --ledger ledger.sqlite --open
    """
    _require_web()
    from leeward.interface.web.geography import read_map  # noqa: PLC0415 (needs the extra web)
    from leeward.interface.web.laboratory import read_gallery  # noqa: PLC0415 (needs the extra web)
    from leeward.interface.web.server import listen, make_server  # noqa: PLC0415 (as above)
    from leeward.interface.web.site import Site  # noqa: PLC0415 (as above)

    plan = _plan(plan, releases, tables)
    pages = {} if gallery is None else read_gallery(gallery)
    areas = None if geography is None else read_map(geography)
    listening = listen(port)
    site = Site(
        token=f"{SecretBits().word(TOKEN_BITS):064x}",
        port=listening.getsockname()[1],
        plan=plan,
        releases=releases,
        ledger=ledger or _if_there(LEDGER),
        gallery=pages,
        tables=tables,
        geography=areas,
        failed=traced if DEBUGGING.get() else None,
    )
    server = make_server(site)
    say(site.url)
    sys.stdout.flush()
    note("Open this address in a browser on this machine. Ctrl-C stops the page.")
    with opened(site.url) if opening else nullcontext(), suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    note("Stopped.")


@contextmanager
def opened(url: str) -> Iterator[None]:
    """Open a browser on a private file that leads to the page, which is removed in the end.

    Every user of the machine may read the command lines of programs, and so a token in one.
    """
    with TemporaryDirectory(prefix="leeward-") as folder:  # of this user alone, 0700
        door = Path(folder) / "open.html"
        create_own(door, DOOR.format(url=url).encode())
        if not webbrowser.open(door.as_uri()):
            note("No browser was found to open it.")
        yield


def _require_web() -> None:
    """Refuse if the packages of the extra `web` are missing."""
    try:
        import starlette  # noqa: F401, PLC0415 (an optional extra)
        import uvicorn  # noqa: F401, PLC0415 (as above)
    except ImportError as missing:
        raise BadFile(
            "serve",
            rule="needs the packages starlette and uvicorn",
            value=f"no {missing.name}",
            next_step=hint("web"),
        ) from None


def _plan(plan: Path | None, releases: Path, tables: Path | None) -> Path | None:
    """The plan file; one that is drafted has the name that `leeward init` gives it."""
    _require_folder("--releases", releases, "Name the folder that holds your bundles.")
    if tables is None:
        return plan or _if_there(PLAN)
    _require_folder("--tables", tables, "Name the folder that holds your tables.")
    plan = plan or PLAN
    if not plan.exists() and plan.name != PLAN.name:
        raise BadFile(
            "plan",
            rule=f"must be called {PLAN.name} to be drafted with --tables",
            value=repr(str(plan)),
            next_step=f"Write {plan.parent / PLAN}, or leave it out.",
        )
    return plan


def _if_there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _require_folder(option: str, path: Path, next_step: str) -> None:
    if not path.is_dir():
        raise BadFile(
            option, rule="must be a folder that exists", value=repr(str(path)), next_step=next_step
        )
