"""Connections that keep the page waiting end by themselves, and nobody else notices them."""

import asyncio
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from starlette.types import Receive, Scope, Send

from leeward.interface.web import server
from leeward.interface.web.guard import FORM
from tests.interface.web.serving import Served, serving

MANY = 300
SHORT = 4.0
"""Seconds of patience in these tests: they end soon, and a busy machine sends a request in them."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(server, "PATIENCE", SHORT)
    with serving() as up:
        up.get("/plan")  # it has begun to take connections
        yield up


@contextmanager
def saying(page: Served, words: bytes, times: int = 1) -> Iterator[list[socket.socket]]:
    """So many connections that say this and nothing more."""
    with ExitStack() as stack:
        made = []
        for _ in range(times):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", page.site.port), 10))
            one.sendall(words)
            made.append(one)
        yield made


def ended(connection: socket.socket) -> bool:
    """Whether the other side has closed, without waiting for it."""
    if not select.select([connection], [], [], 0)[0]:
        return False
    try:
        while connection.recv(1 << 16):
            if not select.select([connection], [], [], 0)[0]:
                return False
    except ConnectionResetError:
        pass
    return True


def all_end(connections: list[socket.socket], seconds: float) -> bool:
    deadline, left = time.monotonic() + seconds, list(connections)
    while left and time.monotonic() < deadline:
        left = [one for one in left if not ended(one)]
        time.sleep(0.02)
    return not left


def test_silent_connections_make_room_and_end_by_themselves(impatient: Served) -> None:
    with saying(impatient, b"GET / HT", MANY) as silent:
        begin = time.monotonic()
        assert impatient.get("/plan").status == 200  # one more than may be open, and answered
        assert time.monotonic() - begin < SHORT
        first = [ended(one) for one in silent]
        assert all(first[: MANY - server.MOST_CONNECTIONS])  # those that were silent longest
        assert sum(not gone for gone in first) <= server.MOST_CONNECTIONS
        still = [one for one, gone in zip(silent, first, strict=True) if not gone]
        assert still
        assert all_end(still, 5 * SHORT)
    assert impatient.get("/plan").status == 200


def test_a_second_request_and_a_form_must_be_whole_too(impatient: Served) -> None:
    host = f"Host: {impatient.host}\r\n".encode()
    base = impatient.site.base.encode()
    second = b"GET / HTTP/1.1\r\n" + host + b"\r\nGET / HT"
    form = (
        b"POST " + base + b"/plan HTTP/1.1\r\n" + host
        + f"Origin: http://{impatient.host}\r\nContent-Type: {FORM}\r\n".encode()
        + b"Content-Length: 1000\r\n\r\nname=half"
    )  # fmt: skip
    with saying(impatient, second) as one, saying(impatient, form) as other:
        time.sleep(SHORT / 4)
        assert not any(ended(connection) for connection in (*one, *other))
        assert all_end([*one, *other], 5 * SHORT)


def test_an_answer_may_take_longer_than_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(_: Scope, __: Receive, send: Send) -> None:
        await asyncio.sleep(SHORT + 0.5)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"at last"})

    monkeypatch.setattr(server, "PATIENCE", SHORT)
    monkeypatch.setattr(server, "make_app", lambda _: slow)
    with serving() as up:
        assert up.get("/").text == "at last"
