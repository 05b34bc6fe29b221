"""Interruption: Ctrl-C waits while the ledger or the bundle passes from one state to the next."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def postponed(*, forget: bool = False) -> Iterator[None]:
    """Let Ctrl-C take effect only after the block, or not at all if the work is then done.

    Elsewhere than in the main thread Ctrl-C does not arrive, and nothing is to be done.
    """
    if threading.current_thread() is not threading.main_thread():
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
