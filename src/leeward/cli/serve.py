"""`leeward serve`: a local page to plan releases and to read bundles and the ledger."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from leeward.cli.screen import note, say
from leeward.errors import BadFile
from leeward.installation import hint
from leeward.randomness import SecretBits

PLAN, LEDGER = Path("plan.yaml"), Path("ledger.sqlite")
TOKEN_BITS = 256


def serve_command(
    plan: Annotated[
        Path | None, typer.Argument(help="The plan file; plan.yaml of this folder if it is there.")
    ] = None,
    releases: Annotated[Path, typer.Option(help="The folder with bundles.")] = Path(),
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger; ledger.sqlite of this folder if it is there.")
    ] = None,
    gallery: Annotated[
        Path | None,
        typer.Option(help="A folder that `leeward attack all --out` wrote of made-up data."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="0 is any free port.")
    ] = 0,
) -> None:
    """Serve a page with the tabs Plan, Releases and Ledger to a browser on this machine.

    The page opens no confidential data, draws no noise and charges nothing. Its address holds a
    secret: whoever has it, and is on this machine, can read the page and save plans.

    Example: leeward serve plan.yaml --releases . --ledger ledger.sqlite
    """
    _require_web()
    from leeward.web.laboratory import read_gallery  # noqa: PLC0415 (needs the extra web)
    from leeward.web.server import listen, make_server  # noqa: PLC0415 (as above)
    from leeward.web.site import Site  # noqa: PLC0415 (as above)

    _refuse_no_folder(releases)
    pages = {} if gallery is None else read_gallery(gallery)
    listening = listen(port)
    site = Site(
        token=f"{SecretBits().word(TOKEN_BITS):064x}",
        port=listening.getsockname()[1],
        plan=plan or _if_there(PLAN),
        releases=releases,
        ledger=ledger or _if_there(LEDGER),
        gallery=pages,
    )
    server = make_server(site)
    say(site.url)
    sys.stdout.flush()
    note("Open this address in a browser on this machine. Ctrl-C stops the page.")
    with suppress(KeyboardInterrupt):  # the usual way to stop the page
        server.run(sockets=[listening])
    note("Stopped.")


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


def _if_there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _refuse_no_folder(path: Path) -> None:
    if not path.is_dir():
        raise BadFile(
            "--releases",
            rule="must be a folder that exists",
            value=repr(str(path)),
            next_step="Name the folder that holds your bundles.",
        )
