"""Spark session: one that exists is joined, else one is started that leaves nothing behind.

What spark-submit, spark-defaults.conf, PYSPARK_SUBMIT_ARGS, MASTER or SPARK_REMOTE have set up is
kept. Work is done in a session of its own, so that views and settings touch no other session.
"""

import os
import socket
import weakref
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import RLock, Thread
from time import monotonic
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlsplit

from leeward.core.errors import BadFile, InvalidParameter, LeewardError
from leeward.core.installation import hint
from leeward.publishing.engines.import_hooks import unblock_pandas
from leeward.publishing.engines.spark.java import (
    PATIENCE,
    SETTINGS,
    Context,
    launched,
    same_signals,
)

Session = Any
"""A session of PySpark, classic or Connect."""

TALKING = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Loggers of PySpark that print whole error messages."""

USUAL_PORT = 15002
"""The default port of Spark Connect."""


Result = TypeVar("Result")
Tasks = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]

PAUSE = 0.2
"""Seconds between two calls to stop: a query may not have begun at the first."""


@dataclass(frozen=True)
class Opened:
    """A session of our own, and what ends all that was started for it."""

    session: Session
    end: Callable[[], None]


def chosen_remote(written: str | None) -> str | None:
    """The server that a plan names, or else the environment; an empty text names none."""
    return written or os.environ.get("SPARK_REMOTE") or None


def open_session(remote: str | None) -> Opened:
    """A session at the server named, or where Spark has been set up, or in this machine."""
    unblock_pandas()  # Ibis needs it for Spark
    try:
        import pandas  # type: ignore[import-untyped] # noqa: F401, PLC0415 (loaded if asked for)
        import pyspark  # noqa: F401, PLC0415 (loaded if asked for)
    except ImportError:
        raise BadFile(
            "data.engine",
            rule="spark needs PySpark, which is not installed",
            value="no PySpark",
            next_step=hint("spark"),
        ) from None
    try:
        with ExitStack() as ends:  # whatever fails, all that was opened is ended
            Loggers.silenced(ends)
            session = _started(ends) if remote is None else _connected(remote, ends)
            for key, value in SETTINGS.items():
                session.conf.set(key, value)
            return Opened(session, ends.pop_all().close)
    except LeewardError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever fails, nothing of it is shown)
        kind = type(error).__name__
    raise BadFile(
        "data.engine",
        rule="must be a Spark that starts here"
        if remote is None
        else "must be a Spark Connect server that answers",
        value=f"a failure of the kind {kind}",
        next_step="Try `pyspark` with the same settings; Spark 4.0 needs Java 17 or 21.",
    )


def _connected(remote: str, ends: ExitStack) -> Session:
    """A new session at a Spark Connect server."""
    if not remote.startswith("sc://"):
        raise InvalidParameter(
            "data.remote",
            rule="must be the address of a Spark Connect server, which begins with sc://",
            value="another address (not shown)",
            next_step="Write sc://host:15002, or leave it out for Spark on this machine.",
        )
    try:
        import grpc  # type: ignore[import-untyped] # noqa: F401, PLC0415 (loaded if asked for)
    except ImportError:
        raise BadFile(
            "data.remote",
            rule="needs the parts of PySpark for Spark Connect, which are not installed",
            value="no grpcio",
            next_step=hint("spark"),
        ) from None
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 (loaded if asked for)

    server = urlsplit(remote)
    # PySpark would try for ten minutes.
    socket.create_connection((server.hostname or "", server.port or USUAL_PORT), PATIENCE).close()
    # Not by its builder, which would make a Connect program of the whole process.
    session = SparkSession(remote)
    # Not by its `stop`, which may end a server that the process has started for itself.
    ends.callback(session.client.close)
    ends.callback(session.client.release_session)
    return session


def _started(ends: ExitStack) -> Session:
    """A session beside one that is there; else beside one that is started, and ends with it.

    The session that was active before ours worked will be active again.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 (loaded if asked for)

    running = Running.joined()
    ends.callback(running.left)
    context = running.context
    java = SparkSession._get_j_spark_session_class(context._jvm)
    python, active = SparkSession._activeSession, java.getActiveSession()

    def again() -> None:
        if context._jsc is None:  # stopped meanwhile
            return
        SparkSession._activeSession = python
        if active.isDefined():
            java.setActiveSession(active.get())
        else:
            java.clearActiveSession()

    ends.callback(again)
    # Not by its builder, which looks for other modes in the environment.
    return SparkSession(context).newSession()


class Running:
    """The Spark of this process, for one engine or several: what was started ends with the last.

    A context that is there gets its messages back.
    """

    _current: ClassVar[Self | None] = None
    _lock: ClassVar[RLock] = RLock()

    def __init__(self) -> None:
        self._users = 0
        from pyspark import SparkContext  # noqa: PLC0415 (loaded if asked for)

        context = SparkContext._active_spark_context
        if context is not None:
            end = _silenced(context)
        elif SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ:
            with same_signals():
                context = SparkContext()
            _silenced(context)
            end = context.stop
        else:
            context, end = launched()
        self.context, self._end = context, end

    @classmethod
    def joined(cls) -> Self:
        """One more that uses it."""
        from pyspark import SparkContext  # noqa: PLC0415 (loaded if asked for)

        with cls._lock:
            there = SparkContext._active_spark_context
            if cls._current is None or there is None or cls._current.context is not there:
                cls._current = cls()
            cls._current._users += 1
            return cls._current

    def left(self) -> None:
        """One less."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                if type(self)._current is self:
                    type(self)._current = None
                self._end()


def _silenced(context: Context) -> Callable[[], None]:
    """Turn off the log of the driver; and what turns it on again."""
    root = context._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
    before = root.getLevel().toString()
    context.setLogLevel("OFF")

    def again() -> None:
        if context._jsc is not None:
            context.setLogLevel(before)

    return again


class Loggers:
    """The loggers of PySpark in Python, silent as long as an engine is open."""

    _users: ClassVar[int] = 0
    _before: ClassVar[tuple[bool, ...]] = ()
    _lock: ClassVar[RLock] = RLock()

    @classmethod
    def silenced(cls, ends: ExitStack) -> None:
        """Silence them until `ends` is closed."""
        with cls._lock:
            if cls._users == 0:
                cls._before = tuple(logger.disabled for logger in _talking())
            cls._users += 1
            for logger in _talking():
                logger.disabled = True
        ends.callback(cls._given_back)

    @classmethod
    def _given_back(cls) -> None:
        with cls._lock:
            cls._users -= 1
            if cls._users == 0:
                for logger, disabled in zip(_talking(), cls._before, strict=True):
                    logger.disabled = disabled


def _talking() -> list[Any]:
    """Created by PySpark, which could not use loggers that Python has created."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 (loaded if asked for)

    return [PySparkLogger.getLogger(name) for name in TALKING]


class Worker:
    """The thread that queries Spark, so that the main thread, which waits, receives Ctrl-C.

    PySpark waits for the end of a query even after Ctrl-C, and a shared Spark would go on with it.
    `stop` cancels the queries of this thread.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._tasks: Tasks = SimpleQueue()
        Thread(target=_work, args=(self._tasks,), daemon=True).start()
        self.end = weakref.finalize(self, self._tasks.put, None)

    def ask(self, work: Callable[[], Result]) -> Result:
        """The result of some work of Spark, which is cancelled if the wait is interrupted."""
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
