"""A real server on this machine, asked through bare connections: every header is the test's own."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from leeward.interface.web.guard import FORM
from leeward.interface.web.server import listen, make_server
from leeward.interface.web.site import Site

TOKEN = "5ec1e7" * 10
PATIENCE = 60

Fields = list[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class Served:
    """A page that is up."""

    site: Site

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.site.port}"

    def ask(
        self,
        method: str,
        target: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request with exactly these headers, beside Host and the length."""
        connection = HTTPConnection("127.0.0.1", self.site.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            sent = {"Host": self.host, **(headers or {})}
            if body is not None:
                sent.setdefault("Content-Length", str(len(body)))
            for name, value in sent.items():
                connection.putheader(name, value)
            with suppress(BrokenPipeError, ConnectionResetError):  # answered before it was read
                connection.endheaders(body)
            got = connection.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        """A page of ours."""
        return self.ask("GET", self.site.base + path)

    def post(self, path: str, fields: Fields, **headers: str) -> Answer:
        """A form of ours, as a browser sends it."""
        own = {"Origin": f"http://{self.host}", "Content-Type": FORM}
        body = urlencode(fields).encode()
        return self.ask("POST", self.site.base + path, body=body, headers=own | headers)


@contextmanager
def serving(
    plan: Path | None = None,
    releases: Path = Path(),
    ledger: Path | None = None,
    gallery: Mapping[str, str] | None = None,
    **more: Any,  # noqa: ANN401 (further fields of a site)
) -> Iterator[Served]:
    """The page of these files while the block runs."""
    listening = listen(0)
    site = Site(TOKEN, listening.getsockname()[1], plan, releases, ledger, gallery or {}, **more)
    server = make_server(site)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Served(site)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
