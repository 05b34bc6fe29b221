"""Pool: experiments worked on by all cores, which share one scene."""

import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeAlias

from leeward.errors import LeewardError
from leeward.evaluate.experiment import Experiment, Outcome
from leeward.evaluate.scene import Scene

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Pipe: TypeAlias = "Connection[Any, Any]"
Failure = tuple[Exception, str]
"""What a worker raised, and where."""


def run_all(
    plays: Sequence[Experiment], scene: Scene, told: Callable[[int, int], None]
) -> list[Outcome]:
    """The outcomes in the order of the experiments, worked on by all cores where that is safe."""
    found: dict[int, Outcome] = {}
    for number, outcome in _worked(plays, scene):
        found[number] = outcome
        told(len(found), len(plays))
    return [found[number] for number in range(len(plays))]


def _worked(plays: Sequence[Experiment], scene: Scene) -> Iterator[tuple[int, Outcome]]:
    cores = min(_cores(), len(plays))
    if cores < 2:
        yield from ((number, play.run(scene)) for number, play in enumerate(plays))
        return
    left = iter(range(len(plays)))
    with _workers(cores, plays, scene) as pipes:
        busy = {pipe: _ask(pipe, number) for pipe, number in zip(pipes, left, strict=False)}
        while busy:
            for pipe in _ready(busy):
                yield busy.pop(pipe), _answer(pipe)
                for number in islice(left, 1):
                    busy[pipe] = _ask(pipe, number)


def _cores() -> int:
    """Processes share the truth by forking, which only Linux does safely."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@contextmanager
def _workers(cores: int, plays: Sequence[Experiment], scene: Scene) -> Iterator[list[Pipe]]:
    """Processes that inherit the scene: the truth is never sent. None outlives the block."""
    context = multiprocessing.get_context("fork")
    hired, pipes = [], []
    try:
        for _ in range(cores):
            ours, theirs = context.Pipe()
            pipes.append(ours)
            given = (theirs, tuple(pipes), plays, scene)
            worker = context.Process(target=_work, args=given, daemon=True)
            worker.start()
            hired.append(worker)
            theirs.close()  # or nobody would notice that the worker is gone
        yield pipes
    finally:
        for one in hired:
            one.terminate()
        for one in hired:
            one.join()
        for pipe in pipes:
            pipe.close()


def _ready(busy: Iterable[Pipe]) -> list[Pipe]:
    """Those whose worker has answered, or is gone."""
    known = list(busy)
    heard = wait(known)
    return [one for one in known if one in heard]


def _ask(pipe: Pipe, number: int) -> int:
    try:
        pipe.send(number)
    except OSError:
        raise _killed() from None
    return number


def _answer(pipe: Pipe) -> Outcome:
    try:
        outcome, failure = pipe.recv()
    except (EOFError, OSError):
        raise _killed() from None
    if failure is not None:
        error, where = failure
        error.add_note(where)
        raise error
    return outcome  # type: ignore[no-any-return]


def _killed() -> LeewardError:
    return LeewardError(
        "evaluate",
        rule="needs processes that live to the end of their work",
        value="one that was killed, perhaps for want of memory",
        next_step="Make room, or let it run on fewer cores.",
    )


def _work(pipe: Pipe, parents: Sequence[Pipe], plays: Sequence[Experiment], scene: Scene) -> None:
    """The life of a worker: experiment after experiment, until nobody asks any more."""
    _deaf()
    for one in parents:
        one.close()  # or this process would not notice that its parent is gone
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_run(plays[pipe.recv()], scene))


def _deaf() -> None:
    """Ctrl-C is for the parent, which ends the others; they end without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, signal.SIG_DFL)


def _run(play: Experiment, scene: Scene) -> tuple[Outcome | None, Failure | None]:
    try:
        return play.run(scene), None
    except Exception as error:  # noqa: BLE001 (it is raised where somebody hears it)
        return None, (_sendable(error), "".join(traceback.format_exception(error)))


def _sendable(error: Exception) -> Exception:
    """The error itself, or one that names it where it would not arrive."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (its own bytes)
    except Exception:  # noqa: BLE001 (whatever an error does when it is copied)
        return LeewardError(
            "evaluate",
            rule="met a mistake in a process of its own",
            value=type(error).__name__,
            next_step="--debug shows it.",
        )
    return error
