"""Pool: experiments worked on by all cores, which share one scene."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from leeward.evaluate.experiment import Experiment, Outcome
from leeward.evaluate.scene import Scene

_HELD: list[tuple[Scene, Sequence[Experiment]]] = []
"""What a worker process works on. It inherits this from its parent: the truth is never sent."""


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
    cores = _cores()
    if cores == 1:
        yield from ((number, play.run(scene)) for number, play in enumerate(plays))
        return
    _HELD.append((scene, plays))
    try:
        with multiprocessing.get_context("fork").Pool(cores, _deaf) as pool:
            yield from pool.imap_unordered(_run, range(len(plays)))
    finally:
        _HELD.clear()


def _cores() -> int:
    """Processes share the truth by forking, which only Linux does safely."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _deaf() -> None:
    """Ctrl-C is for the parent, which ends the others; they end without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, signal.SIG_DFL)


def _run(number: int) -> tuple[int, Outcome]:
    scene, plays = _HELD[-1]
    return number, plays[number].run(scene)
