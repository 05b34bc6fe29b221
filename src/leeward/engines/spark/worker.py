"""Spark worker: the thread that asks Spark, so that the one that waits for it hears Ctrl-C.

PySpark waits for the end of a query even after Ctrl-C, and a Spark of others would go on with it.
"""

import weakref
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from leeward.engines.spark.java import PATIENCE

Result = TypeVar("Result")
Tasks = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]

PAUSE = 0.2
"""Seconds between two calls to stop: a query may not have begun at the first."""


class Worker:
    """One thread; `stop` ends what Spark does for it."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._tasks: Tasks = SimpleQueue()
        Thread(target=_work, args=(self._tasks,), daemon=True).start()
        self.end = weakref.finalize(self, self._tasks.put, None)

    def ask(self, work: Callable[[], Result]) -> Result:
        """The result of some work of Spark, which ends early if whoever waits is interrupted."""
        future: Future[Result] = Future()
        self._tasks.put((future, work))
        try:
            return future.result()
        except BaseException:
            deadline = monotonic() + PATIENCE
            while not future.done() and monotonic() < deadline:
                with suppress(Exception):
                    self._stop()
                wait([future], PAUSE)
            raise


def _work(tasks: Tasks) -> None:
    while (task := tasks.get()) is not None:
        future, work = task
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 (it is raised where it is waited for)
            future.set_exception(error)
        del future, work, task
