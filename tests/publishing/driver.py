"""A process that has the program in memory and forks a real `leeward` process for every order.

A fork spares each of them the import of the program, and nothing else: it has its own memory, its
own files, and can be killed or interrupted at any moment. What is changed inside one of them
(`changes`) is changed there alone.
"""

import importlib
import json
import os
import signal
import sys
import traceback
from typing import Any, NoReturn, TypedDict

from leeward.core.noise.tabulated import require_accuracy
from leeward.interface.commands import main

IMPORTED = (
    *(
        f"leeward.interface.commands.{name}_command"
        for name in ("release", "check", "verify", "ledger")
    ),
    "leeward.core.noise.block_draws",
    "leeward.core.noise.draws",
    "leeward.interface.report.writing",
    "ibis.backends.duckdb",
    "pyarrow.parquet",
)


class Order(TypedDict):
    """One command line, where it runs and keeps receipts, and what is changed there first."""

    arguments: list[str]
    folder: str
    state: str
    changes: dict[str, dict[str, Any]]
    """Functions as `module:name`, with their arguments."""


def serve() -> None:
    """Start what is ordered; `gone PID` asks whether a process ended, `reap PID` how."""
    require_accuracy()
    for name in IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        words, _, number = line.partition(" ")
        if words == "reap":
            _, status = os.waitpid(int(number), 0)
            answer(os.waitstatus_to_exitcode(status))
            continue
        if words == "gone":
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            answer(os.waitid(os.P_PID, int(number), flags) is not None)
            continue
        order: Order = json.loads(line)
        child = os.fork()
        if child == 0:
            become(order)
        answer(child)


def answer(number: int) -> None:
    sys.stdout.write(f"{number:d}\n")
    sys.stdout.flush()


def become(order: Order) -> NoReturn:
    """Run the command in this process, which has nothing else to do."""
    code = 99
    try:
        os.chdir(order["folder"])
        os.environ["XDG_STATE_HOME"] = order["state"]
        for stream, name in ((0, os.devnull), (1, "stdout.txt"), (2, "stderr.txt")):
            flags = os.O_RDONLY if stream == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
            os.dup2(os.open(name, flags, 0o600), stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name, arguments in order["changes"].items():
            module, _, function = name.partition(":")
            getattr(importlib.import_module(module), function)(**arguments)
        sys.argv = ["leeward", *order["arguments"]]
        code = run()
    except BaseException:  # noqa: BLE001 (nothing may return into the driver's own loop)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run() -> int:
    """The exit code of the command."""
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 98
    return 0


if __name__ == "__main__":
    serve()
