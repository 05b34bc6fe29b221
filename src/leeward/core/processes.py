"""Processes: work on all cores by forked processes, which inherit it and send their results."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from leeward.core.errors import LeewardError

R = TypeVar("R")
Work = Callable[[int], R]
"""A task by its number."""

_work: Work[Any] | None = None
"""What the processes inherit: nothing of it is sent to one."""


def on_all_cores(work: Work[R], tasks: int, command: str) -> Iterator[tuple[int, R]]:
    """Each task's number with its result, as they are finished; in turn where that is not safe.

    An error ends the run at once, and no process outlives it. `command` is named in errors.
    """
    processes = min(cores(), tasks)
    if processes < 2:
        yield from ((number, work(number)) for number in range(tasks))
        return
    with _forked(processes, work, command) as pool:
        asked = {pool.submit(_run, number): number for number in range(tasks)}
        for done in as_completed(asked):
            yield asked[done], done.result()


def in_order(results: Iterator[tuple[int, R]]) -> Iterator[R]:
    """The results in the order of the tasks, each as soon as those before it are there."""
    waiting: dict[int, R] = {}
    due = 0
    for number, result in results:
        waiting[number] = result
        while due in waiting:
            yield waiting.pop(due)
            due += 1


def cores() -> int:
    """Processes share what is loaded by forking, which only Linux does safely."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@contextmanager
def _forked(processes: int, work: Work[Any], command: str) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes inherit the work; none of them outlives the block."""
    global _work  # noqa: PLW0603 (a forked process inherits globals)
    _work = work
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_start)
    try:
        yield pool
    except BaseException as error:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()  # its task is no longer wanted
        if isinstance(error, BrokenProcessPool):
            raise LeewardError(
                command,
                rule="needs processes that live to the end of their work",
                value="one that was killed, perhaps for want of memory",
                next_step="Make room, or let it run on fewer cores.",
            ) from error
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        _work = None


def _start() -> None:
    """In a new process: Ctrl-C is for the parent; the process ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed cannot end its processes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(number: int) -> Any:  # noqa: ANN401 (any result)
    if _work is None:
        raise RuntimeError("a process of the pool inherits its work")
    return _work(number)
