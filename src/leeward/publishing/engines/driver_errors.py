"""Driver errors: the messages of databases are hidden, since they quote the rows they failed on.

An error becomes a refusal in fixed words, and nothing of the original is kept, not even as its
context: it would reach a log. Which table of workers and jobs failed, and how, is shown by internal
commands only.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from leeward.core.errors import BadFile, LeewardError, Undisclosed

Result = TypeVar("Result")
Element = TypeVar("Element")

INTERRUPTED = "Query interrupted"
"""The message of DuckDB after Ctrl-C."""

UNREADABLE = "must be readable from the first row to the last"
TOO_LARGE = "must fit into memory and the folder for temporary files"


def hiding_errors(
    work: Callable[[], Result],
    parameter: str = "data",
    rule: str = UNREADABLE,
    *,
    public: bool = False,
) -> Result:
    """The result of some work on the data, or a refusal that reveals nothing about their rows.

    With `public` the refusal depends on an address or on the public frame alone.
    """
    try:
        with warnings.catch_warnings():
            # Ibis 12 still calls by their old names what DuckDB has renamed.
            warnings.simplefilter("ignore", DeprecationWarning)
            return work()
    except LeewardError:
        raise
    except Exception as error:  # noqa: BLE001 (whichever driver fails, its message may hold rows)
        kind = type(error).__name__
        interrupted = str(error) == INTERRUPTED or _is_of_interruption(error)
    if interrupted:
        raise KeyboardInterrupt
    # Raised here and not above, where Python would attach the original as its context.
    if kind in ("OutOfMemoryException", "MemoryError"):
        rule, value = TOO_LARGE, "more than that"
        step = "Free disk space or memory, or tabulate fewer attributes at once."
    else:
        value = f"a failure of the kind {kind} (its message may quote rows and is not shown)"
        step = "Look at the file or the database with its own tools."
    refusal = BadFile(parameter, rule=rule, value=value, next_step=step)
    raise refusal if public else hidden(refusal)


def hidden(refusal: LeewardError) -> LeewardError:
    """The refusal itself if it is about the public frame or this machine, else undisclosed."""
    public = refusal.parameter.startswith("data.workplaces") or refusal.rule == TOO_LARGE
    return refusal if public else Undisclosed(refusal)


def disclosed(refusal: LeewardError) -> LeewardError:
    """What a refusal says to those who may know of rows."""
    return (refusal.inside or refusal) if isinstance(refusal, Undisclosed) else refusal


@contextmanager
def frankly() -> Iterator[None]:
    """Say of a table what a release hides: types and kinds of failures, never rows."""
    try:
        yield
    except Undisclosed as refusal:
        said = disclosed(refusal)
    else:
        return
    raise said


def _is_of_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C is among its causes: drivers put several errors of their own on top."""
    causes: dict[int, BaseException] = {}
    unseen: list[BaseException | None] = [error]
    while unseen:
        cause = unseen.pop()
        if cause is not None and id(cause) not in causes:
            causes[id(cause)] = cause
            unseen += [cause.__cause__, cause.__context__]
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes.values())


def hiding_errors_in(
    items: Iterator[Element], parameter: str = "data", rule: str = UNREADABLE
) -> Iterator[Element]:
    """The same for results that are read piece by piece."""
    while (item := hiding_errors(lambda: next(items, None), parameter, rule)) is not None:
        yield item
