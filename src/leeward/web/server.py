"""Server: a socket on this machine alone, and the page behind it."""

import errno
import socket

import uvicorn

from leeward.errors import BadFile
from leeward.web.app import make_app
from leeward.web.site import ADDRESS, Site

GRACE = 2
"""Seconds that open connections get when the page is stopped."""


def listen(port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise _unusable(port, error) from None
    return listening


def make_server(site: Site) -> uvicorn.Server:
    """The page as a server that says nothing: its addresses hold the token."""
    return uvicorn.Server(
        uvicorn.Config(
            make_app(site),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=GRACE,
        )
    )


def _unusable(port: int, error: OSError) -> BadFile:
    taken = error.errno == errno.EADDRINUSE
    return BadFile(
        "--port",
        rule="must be free" if taken else "must be one that this user may listen on",
        value=f"{port}, which another program uses" if taken else str(port),
        next_step="Choose another port, or leave it out for any free one.",
    )
