"""Screen: output, progress bar and exit codes of all commands."""

import functools
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn, ParamSpec

import typer

from leeward.core.errors import FailedAfterCharge, LeewardError
from leeward.core.interruption import CHARGED, Interrupted, recognised
from leeward.core.show.notebook import INTERNAL
from leeward.core.show.progress import Silent

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

REFUSED, FAILED_AFTER_CHARGE, EXCEEDED, INTERRUPTED = 1, 3, 4, 130
CONFIDENTIAL = "Confidential: what follows may hold facts about the data. It stays inside."

OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters but tab and line break; names of columns and files may contain them."""

DEBUGGING: ContextVar[bool] = ContextVar("debugging", default=False)
"""Whether --debug asks for tracebacks."""

Parameters = ParamSpec("Parameters")


def say(text: str = "") -> None:
    """One line of a command's answer."""
    typer.echo(_harmless(text))


def say_lines(lines: Iterable[str]) -> None:
    """A command's answer, line by line."""
    for line in lines:
        say(line)


def say_json(answer: object) -> None:
    """A command's whole answer as JSON."""
    say(json.dumps(answer, indent=1, ensure_ascii=False))


def show(lines: Iterable[str], content: Callable[[], object], *, as_json: bool) -> None:
    """A command's answer: lines for people, or its content for programs; only one is made."""
    if as_json:
        say_json(content())
    else:
        say_lines(lines)


def show_charged(
    lines: Iterable[str], content: Callable[[], object], *, internal: bool, as_json: bool
) -> None:
    """The answer of a command that may have charged: a closed stream does not undo the charge."""
    with suppress(OSError):
        if internal:
            (note if as_json else say)(INTERNAL)
        show(lines, content, as_json=as_json)


def note(text: str) -> None:
    """One line beside the answer, on the error stream."""
    typer.echo(_harmless(text), err=True)


def traced(error: BaseException) -> None:
    """The traceback of an exception, on the error stream; only for --debug."""
    note("".join(traceback.format_exception(error)))


def _harmless(text: str) -> str:
    """The text with escapes in place of characters that a terminal obeys."""
    return OBEYED.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def given_options(context: typer.Context) -> set[str]:
    """The options that the command line has."""
    sources = {
        parameter.opts[0]: context.get_parameter_source(parameter.name or "")
        for parameter in context.command.params
        if parameter.param_type_name == "option"
    }
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def guarded(command: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """A command that turns every exception into one message and an exit code."""

    @functools.wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        CHARGED.set(None)
        try:
            with recognised():
                command(*args, **kwargs)
        except typer.Exit:
            raise
        except BrokenPipeError:  # the reader of the pipe has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(REFUSED if CHARGED.get() is None else 0) from None
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (it becomes an exit code)
            if DEBUGGING.get():
                traced(error)
            _end(error)

    return run


def _end(error: BaseException) -> NoReturn:
    """The message of an exception, and its exit code."""
    if isinstance(error, Interrupted):
        note(f"leeward: interrupted; {error}")
        raise typer.Exit(INTERRUPTED) from None
    if isinstance(error, KeyboardInterrupt):
        note(f"leeward: interrupted; {_standing()}")
        raise typer.Exit(INTERRUPTED) from None
    if isinstance(error, LeewardError):
        note(f"leeward: {error}")
    else:  # its message may hold confidential values
        note(f"leeward: unexpected {type(error).__name__}; {_standing()} --debug shows it.")
    after = isinstance(error, FailedAfterCharge) or CHARGED.get() is not None
    raise typer.Exit(FAILED_AFTER_CHARGE if after else REFUSED) from None


def _standing() -> str:
    """What the command charged before the error, in words."""
    charged = CHARGED.get()
    if charged is None:
        return "nothing was charged."
    return f"{charged}. `leeward ledger show` says what became of it."


class ProgressBar:
    """A progress bar on the error stream; it shows public numbers only."""

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar
        self._task: TaskID | None = None
        self._words = ""

    def step(self, words: str) -> None:
        """A new step begins."""
        self._show(words, None)

    def cells(self, table: str, done: int, of: int) -> None:
        """`done` of `of` workplace cells of a table are finished."""
        self.part(f"table {table}", done, of)

    def part(self, words: str, done: int, of: int) -> None:
        """`done` of `of` parts are finished."""
        self._show(words, max(of, 1))
        if self._task is not None:
            self._bar.update(self._task, completed=done)

    def _show(self, words: str, total: int | None) -> None:
        if words == self._words:
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._words = words
        self._task = self._bar.add_task(words, total=total)


@contextmanager
def progress() -> Iterator[ProgressBar | Silent]:
    """A progress bar while the block runs, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console  # noqa: PLC0415 (only a terminal needs it)
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 (as above)

    columns, console = (TextColumn("{task.description}"), BarColumn()), Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        yield ProgressBar(bar)
