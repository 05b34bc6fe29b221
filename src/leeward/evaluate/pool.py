"""Pool: experiments run on all cores by forked processes, which inherit the benchmarks."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeAlias

from leeward.errors import LeewardError
from leeward.evaluate.benchmark import Benchmarks
from leeward.evaluate.experiment import Experiment, Outcome

Finished: TypeAlias = Callable[[int, int], None]
"""Progress callback: the numbers of finished experiments and of all."""

_work: tuple[Sequence[Experiment], Benchmarks] = ((), {})
"""What the processes inherit: the truth is never sent to one."""


def run_all(
    experiments: Sequence[Experiment], benchmarks: Benchmarks, progress: Finished
) -> list[Outcome]:
    """The outcomes in the order of the experiments, run on all cores where that is safe."""
    cores = min(_cores(), len(experiments))
    if cores < 2:
        return _in_turn(experiments, benchmarks, progress)
    with _processes(cores, experiments, benchmarks) as pool:
        asked = [pool.submit(_run, number) for number in range(len(experiments))]
        for count, done in enumerate(as_completed(asked), 1):
            done.result()  # an error ends the run at once
            progress(count, len(experiments))
        return [one.result() for one in asked]


def _in_turn(
    experiments: Sequence[Experiment], benchmarks: Benchmarks, progress: Finished
) -> list[Outcome]:
    found = []
    for count, one in enumerate(experiments, 1):
        found.append(one.run(benchmarks))
        progress(count, len(experiments))
    return found


def _cores() -> int:
    """Processes share the truth by forking, which only Linux does safely."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@contextmanager
def _processes(
    cores: int, experiments: Sequence[Experiment], benchmarks: Benchmarks
) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes inherit the work; none of them outlives the block."""
    global _work  # noqa: PLW0603 (a forked process inherits globals)
    _work = experiments, benchmarks
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(cores, mp_context=context, initializer=_start)
    try:
        yield pool
    except BaseException as error:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()  # its experiment is no longer wanted
        if isinstance(error, BrokenProcessPool):
            raise _killed() from error
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        _work = (), {}


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


def _run(number: int) -> Outcome:
    experiments, benchmarks = _work
    return experiments[number].run(benchmarks)


def _killed() -> LeewardError:
    return LeewardError(
        "evaluate",
        rule="needs processes that live to the end of their work",
        value="one that was killed, perhaps for want of memory",
        next_step="Make room, or let it run on fewer cores.",
    )
