"""All cores at work: order, failures, deaths and interruptions of worker processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest

from leeward.core.codebook import Marginal
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.lab.baselines.noise_infusion import Infusion
from leeward.lab.evaluate.benchmark import Benchmarks, benchmarks
from leeward.lab.evaluate.contender import Contender, Price
from leeward.lab.evaluate.evaluation import run_all
from leeward.lab.evaluate.experiment import Outcome, ScoredExperiment
from leeward.lab.evaluate.point import RefusedSetting
from leeward.lab.evaluate.workloads import Workload
from tests.lab.evaluate.by_hand import Site, truth

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0

TABLE = truth([Site(n, (50 + n,)) for n in range(20)])
LOAD = Workload("t", "t", Marginal("t", (), ()))
BENCHMARKS = benchmarks({LOAD.marginal: TABLE}, Infusion(), 2, lambda _: None)


@dataclass(frozen=True)
class Play:
    """Stands in for an experiment: tells its number and its process, or does something else."""

    number: int
    act: Callable[[], None] = lambda: None

    def run(self, held: Benchmarks) -> Outcome:
        assert held is BENCHMARKS  # inherited, not sent
        self.act()
        return RefusedSetting("t", "m", "c", "p", "a", theta=self.number, reason=str(os.getpid()))


def played(plays: Sequence[Play]) -> tuple[list[RefusedSetting], list[tuple[int, int]]]:
    told: list[tuple[int, int]] = []
    tell: Callable[[int, int], None] = lambda done, of: told.append((done, of))  # noqa: E731
    outcomes = run_all(cast(Sequence[ScoredExperiment], plays), BENCHMARKS, tell)
    return cast(list[RefusedSetting], outcomes), told


@pytest.fixture(params=[1, 2])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    number: int = request.param
    monkeypatch.setattr("leeward.core.processes.cores", lambda: number)
    return number


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leeward.core.processes.cores", lambda: 2)


def test_outcomes_stand_in_the_order_of_the_experiments(cores: int) -> None:
    slow = [Play(n, lambda n=n: time.sleep(0.05 if n % 4 == 0 else 0)) for n in range(12)]  # type: ignore[misc]
    outcomes, told = played(slow)
    assert [one.theta for one in outcomes] == list(range(12))
    assert told == [(n, 12) for n in range(1, 13)]
    workers = {one.reason for one in outcomes}
    assert (str(os.getpid()) in workers) is (cores == 1)
    assert 1 <= len(workers) <= cores
    assert (len(workers) > 1) is (cores > 1)
    assert multiprocessing.active_children() == []


@pytest.mark.usefixtures("two")
def test_few_experiments_are_no_trouble() -> None:
    for count in (0, 1):
        outcomes, told = played([Play(n) for n in range(count)])
        assert len(outcomes) == len(told) == count


def test_one_core_and_several_do_the_same_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    """The truth refuses to be pickled: that this works at all shows that it is not sent."""
    plays = [
        ScoredExperiment(LOAD, one, Price(Fraction("0.1"), Fraction(epsilon), Fraction("0.05")), 3)
        for one in (
            Contender("slope", "strong"),
            Contender("smooth_gamma", "strong", "single", "published"),
            Contender("edge_laplace", "worker"),
            Contender("clipped", "strong"),
        )
        for epsilon in ("0.3", "1", "2")
    ]
    found = []
    for number in (1, 2):
        monkeypatch.setattr("leeward.core.processes.cores", lambda number=number: number)
        found.append(run_all(plays, BENCHMARKS, lambda *_: None))
    shapes = [
        [
            one
            if isinstance(one, RefusedSetting)
            else [(p.mechanism, p.epsilon, p.stratum, p.cells, p.trials) for p in one]
            for one in outcomes
        ]
        for outcomes in found
    ]
    assert shapes[0] == shapes[1]
    assert [isinstance(one, RefusedSetting) for one in found[0]].count(True) == 1
    exact = [[one[0].l1 for one in held if isinstance(one, tuple)] for held in found]
    assert exact[0][:6] == exact[1][:6]


def fail(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


ERRORS = [
    InvalidParameter("alpha", rule="must be another", value="this", next_step="Take another."),
    ArithmeticError("a sum that is none"),
]


@pytest.mark.parametrize("error", ERRORS, ids=["refusal", "mistake"])
def test_what_a_worker_raises_reaches_the_parent(error: Exception, cores: int) -> None:
    plays = [Play(0), Play(1, fail(error)), *(Play(n) for n in range(2, 50))]
    with pytest.raises(type(error)) as caught:
        played(plays)
    assert str(caught.value) == str(error)
    assert multiprocessing.active_children() == []
    assert cores


class Awkward(Exception):
    """Cannot be made again from its arguments."""

    def __init__(self, *, words: str) -> None:
        super().__init__(words)


@pytest.mark.usefixtures("two")
def test_an_error_that_cannot_be_sent_ends_the_run_all_the_same() -> None:
    with pytest.raises(LeewardError) as caught:
        played([Play(0, fail(Awkward(words="a secret"))), Play(1)])
    broken = caught.value.__cause__  # which --debug shows
    assert broken is not None
    assert "Awkward" in str(broken.__cause__)
    assert multiprocessing.active_children() == []


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("when", [0, 7])
def test_a_worker_that_is_killed_ends_the_run(when: int) -> None:
    """Known bad: a pool that waits for ever for the work of a process that is gone."""
    parent = os.getpid()

    def die() -> None:
        assert os.getpid() != parent
        os.kill(os.getpid(), signal.SIGKILL)

    plays = [Play(n, die) if n == when else Play(n) for n in range(8)]
    with pytest.raises(LeewardError) as caught:
        played(plays)
    assert str(caught.value) == (
        "evaluate: needs processes that live to the end of their work; got one that was killed, "
        "perhaps for want of memory. Make room, or let it run on fewer cores."
    )
    assert multiprocessing.active_children() == []


SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
from pathlib import Path
from leeward.core import processes
from leeward.lab.evaluate.evaluation import run_all
from leeward.core.interruption import recognised
from tests.lab.evaluate.test_pool import BENCHMARKS, Play

def wait():
    Path(f"worker-{os.getpid()}").touch()
    time.sleep(float(sys.argv[1]))

processes.cores = lambda: 2
try:
    with recognised():
        run_all([Play(n, wait) for n in range(4)], BENCHMARKS, lambda *_: None)
except KeyboardInterrupt:
    sys.stdout.write("interrupted")
"""


def alive(number: int) -> bool:
    stat = Path(f"/proc/{number}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


ENDS = [
    (signal.SIGINT, True),
    (signal.SIGTERM, True),
    (signal.SIGTERM, False),
    (signal.SIGKILL, False),
]


@pytest.mark.parametrize(("sign", "everyone"), ENDS)
def test_an_interruption_leaves_no_process_and_no_word_of_theirs(
    sign: signal.Signals, everyone: bool, tmp_path: Path
) -> None:
    """Ctrl-C reaches the whole group of a terminal, a batch system only the parent.

    Workers whose parent was killed end with the experiment at hand.
    """
    killed = sign == signal.SIGKILL
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    running = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "1" if killed else "600"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE
    while len(workers := list(tmp_path.glob("worker-*"))) < 2:
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    numbers = [int(path.name.partition("-")[2]) for path in workers]
    assert all(map(alive, numbers))
    (os.killpg if everyone else os.kill)(running.pid, sign)
    out, err = running.communicate(timeout=PATIENCE)  # until nobody holds the streams any more
    assert err == ""
    assert out == ("" if killed else "interrupted")
    while any(map(alive, numbers)):  # a process closes its streams a moment before it is gone
        assert time.monotonic() < deadline
        time.sleep(0.01)
