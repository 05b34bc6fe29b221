"""Interruption: Ctrl-C waits while the ledger or the bundle passes from one state to the next.

SIGTERM, which batch schedulers send, is treated as Ctrl-C is. A command that ends early states
what it charged before.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], None]

CHARGED: ContextVar[str | None] = ContextVar("charged", default=None)
"""The latest charge of the command in words: its last message must not deny the charge."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after the charge: what was charged stays."""


@contextmanager
def postponed(*, forget: bool = False) -> Iterator[None]:
    """Let Ctrl-C take effect only after the block, or not at all if the work is then done."""
    pressed: list[int] = []
    with _handled_by(lambda number, _: pressed.append(number)):
        yield
    if pressed and not forget:
        raise KeyboardInterrupt


@contextmanager
def recognised() -> Iterator[None]:
    """Let Ctrl-C be Ctrl-C: a database in the middle of a query makes an error of its own of it."""
    pressed: list[int] = []

    def press(number: int, _: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    with _handled_by(press):
        try:
            yield
        except Exception as error:
            if pressed:
                raise KeyboardInterrupt from error
            raise


@contextmanager
def _handled_by(handler: Handler) -> Iterator[None]:
    """Another handler for the block; elsewhere than in the main thread no signal arrives."""
    main = threading.current_thread() is threading.main_thread()
    heard = [stop for stop in STOPS if main and signal.getsignal(stop) != signal.SIG_IGN]
    before = {stop: signal.signal(stop, handler) for stop in heard}
    try:
        yield
    finally:
        for stop, kept in before.items():
            signal.signal(stop, signal.SIG_DFL if kept is None else kept)
