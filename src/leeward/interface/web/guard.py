"""Guard: which requests the page accepts, and which headers every answer carries.

The page listens on this machine alone, but every program here can send requests, and so can every
web site that is open in a browser here. So the address holds a secret token, the Host header must
name this machine (DNS rebinding), and a POST must come from the page itself (cross-site request
forgery).
"""

from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leeward.interface.web.site import Site

METHODS = ("GET", "HEAD", "POST")
FORM = "application/x-www-form-urlencoded"
MOST_BODY = 1 << 20
"""Maximum size of a form in bytes."""

MOST_DRAINED = 16 << 20
"""Maximum number of bytes read of a form that is too long; a browser shows the answer only after
it has sent the form."""

MOST_URL = 4096
"""Maximum length of path and query in characters."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # With no-referrer, browsers send `Origin: null` with forms of our own.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class Rejection:
    """An answer without content: its status and one sentence."""

    status: int
    words: str


WRONG_ADDRESS = Rejection(404, "Use the address that `leeward serve` printed.")
WRONG_HOST = Rejection(421, "This page is served under the name 127.0.0.1 or localhost only.")
WRONG_METHOD = Rejection(405, "Only GET, HEAD and POST are answered.")
WRONG_ORIGIN = Rejection(403, "A form must be sent from this page itself.")
WRONG_CONTENT = Rejection(415, f"A form must be sent as {FORM}.")
LONG_URL = Rejection(414, f"An address may have at most {MOST_URL} characters.")
LONG_BODY = Rejection(413, f"A form may have at most {MOST_BODY:,} bytes.")
CUT_BODY = Rejection(400, "A form must be sent whole.")


class Guard:
    """ASGI middleware around the whole page."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app = app
        self.site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; only HTTP is answered."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)  # a report has a stricter policy
            await send(message)

        refused = refusal(scope, self.site)
        body = b""
        if refused is None and scope["method"] == "POST":
            read = await _body(receive)
            refused, body = (read, b"") if isinstance(read, Rejection) else (None, read)
        if refused is not None:
            answer = PlainTextResponse(refused.words + "\n", refused.status)
            await answer(scope, receive, guarded)
            return
        base, path = self.site.base, scope["path"]
        path += "/" if path == base else ""
        inside = {**scope, "path": path, "root_path": base, "state": {"body": body}}
        with suppress(Exception):  # answered already; the message may be confidential
            await self.app(inside, receive, guarded)


def refusal(scope: Scope, site: Site) -> Rejection | None:
    """Why a request is not answered; without the token nothing else can be learnt."""
    headers = Headers(scope=scope)
    if len(scope["path"]) + len(scope["query_string"]) > MOST_URL:
        return LONG_URL
    hosts = headers.getlist("host")
    if len(hosts) != 1 or hosts[0] not in site.hosts:
        return WRONG_HOST
    first = scope["path"].removeprefix("/").partition("/")[0]
    if not compare_digest(first.encode(), site.token.encode()):  # in constant time
        return WRONG_ADDRESS
    if scope["method"] not in METHODS:
        return WRONG_METHOD
    return _form_refusal(headers, hosts[0]) if scope["method"] == "POST" else None


def _form_refusal(headers: Headers, host: str) -> Rejection | None:
    own = headers.getlist("origin") == [f"http://{host}"]
    if not own or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return WRONG_ORIGIN
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return None if kind == FORM else WRONG_CONTENT


async def _body(receive: Receive) -> bytes | Rejection:
    """The whole body, counted while it is read; an incomplete one is refused."""
    parts, size, more = list[bytes](), 0, True
    while more and size <= MOST_DRAINED:
        message = await receive()
        if message["type"] == "http.disconnect":
            return CUT_BODY
        part = message.get("body", b"")
        size += len(part)
        if size <= MOST_BODY:
            parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts) if size <= MOST_BODY else LONG_BODY
