"""Server: a socket on this machine alone, and the page behind it.

Every program of this machine can open connections, also without the token. So a connection that
does not bring a whole request in time is closed, and when there are too many, the one that has
been idle longest is closed: complete requests are always answered.
"""

import asyncio
import errno
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from leeward.core.errors import BadFile
from leeward.interface.web.application import make_app
from leeward.interface.web.site import ADDRESS, Site

GRACE = 2
"""Seconds that open connections get when the page is stopped."""

PATIENCE = 10.0
"""Seconds in which a connection must bring a whole request, from its start or its last answer."""

MOST_CONNECTIONS = 200
BACKLOG = 128
"""Length of the accept queue; with the open connections far below the limit of open files."""


class Connection(H11Protocol):
    """A connection that is closed when its request takes too long."""

    _deadline: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> bool:
        """Whether it has no complete request that is still to be answered."""
        cycle = self.cycle
        if cycle is None:
            return True
        return cycle.more_body or cycle.response_complete

    @property
    def since(self) -> float:
        """Its deadline on the loop's clock, which orders connections by the start of their wait."""
        return self._deadline.when() if self._deadline is not None else 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as there
        """Begin to wait; if there are too many connections, close the longest waiting one."""
        super().connection_made(transport)
        self._begin_to_wait()
        known = (each for each in self.connections if isinstance(each, Connection))
        still_open = [each for each in known if not each.transport.is_closing()]
        if len(still_open) > MOST_CONNECTIONS:
            waiting = [each for each in still_open if each.waiting]  # this one at least
            min(waiting, key=lambda each: each.since).transport.abort()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._begin_to_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _begin_to_wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(PATIENCE, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _give_up(self) -> None:
        if self.waiting:
            self.transport.abort()


def listen(port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        raise BadFile(
            "--port",
            rule="must be free" if taken else "must be one that this user may listen on",
            value=f"{port}, which another program uses" if taken else str(port),
            next_step="Choose another port, or leave it out for any free one.",
        ) from None
    return listening


def make_server(site: Site) -> uvicorn.Server:
    """The page as a server without logs, since its addresses hold the token."""
    return uvicorn.Server(
        uvicorn.Config(
            make_app(site),
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE,
        )
    )
