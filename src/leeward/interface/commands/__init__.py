"""The command line: one thin file per command."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

try:
    from leeward.interface.commands.app import main
    from leeward.publishing.engines.import_hooks import block_pandas, import_compilers_lazily
except KeyboardInterrupt:
    sys.stderr.write("leeward: interrupted; nothing was charged.\n")
    sys.exit(130)

__all__ = ["main", "start"]


def start() -> NoReturn:
    """Run the program, and end the process without freeing its objects.

    Files, databases and folders are closed by then. Python would go on to free every object one
    by one, which takes longer than many commands.
    """
    block_pandas()
    import_compilers_lazily()
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or never open
            stream.flush()
    os._exit(code)
