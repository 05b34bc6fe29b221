"""Interruption: Ctrl-C waits while the ledger or the bundle passes from one state to the next."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def postponed(*, forget: bool = False) -> Iterator[None]:
    """Let Ctrl-C take effect only after the block, or not at all if the work is then done."""
    if not _arrives():
        yield
        return
    pressed: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        pressed.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed and not forget:
        raise KeyboardInterrupt


@contextmanager
def recognised() -> Iterator[None]:
    """Let Ctrl-C be Ctrl-C: a database in the middle of a query makes an error of its own of it."""
    if not _arrives():
        yield
        return
    pressed: list[int] = []

    def press(number: int, _: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    except Exception as error:
        if pressed:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _arrives() -> bool:
    """Whether Ctrl-C comes to this thread at all: not outside the main one, not if ignored."""
    main = threading.current_thread() is threading.main_thread()
    return main and callable(signal.getsignal(signal.SIGINT))
