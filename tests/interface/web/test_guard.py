"""The guard: each refusal by itself, and the headers that every answer carries."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leeward.interface.web.guard import FORM, HEADERS, MOST_BODY, MOST_URL
from leeward.interface.web.site import Site
from tests.interface.web.serving import PATIENCE, TOKEN, Answer, Served, serving

ANY = {"GET": "/plan", "HEAD": "/plan", "POST": "/plan/preview"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(releases=tmp_path_factory.mktemp("releases")) as up:
        yield up


def strict(answer: Answer) -> Answer:
    """The same answer, which carries every strict header, and none that tells of the server."""
    assert {name: answer.headers.get(name.lower()) for name in HEADERS} == HEADERS
    assert not {"server", "date", "x-powered-by", "set-cookie"} & set(answer.headers)
    return answer


@pytest.mark.parametrize("path", ["/plan", "/releases", "/ledger", "/static/style.css"])
def test_every_tab_is_there(page: Served, path: str) -> None:
    assert strict(page.get(path)).status == 200


@pytest.mark.parametrize("path", ["", "/"])
def test_the_printed_address_leads_to_the_first_tab(page: Served, path: str) -> None:
    answer = strict(page.get(path))
    assert (answer.status, answer.headers["location"]) == (303, f"/{TOKEN}/plan")


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy


@pytest.mark.parametrize(
    "target",
    ["/", "/static/style.css", f"/{TOKEN[:-1]}/plan", f"/{TOKEN}0/plan", f"/{TOKEN.upper()}/plan",
     f"/x/{TOKEN}/plan", f"//{TOKEN}/plan", "/%ff%fe/plan", f"/?{TOKEN}"],
)  # fmt: skip
def test_without_the_token_nothing_is_told(page: Served, target: str) -> None:
    own = {"Origin": f"http://{page.host}", "Content-Type": FORM}
    for method in ("GET", "POST", "DELETE"):
        answer = page.ask(method, target, body=b"", headers=own)
        assert strict(answer).status == 404
        assert answer.text == "Use the address that `leeward serve` printed.\n"


@pytest.mark.parametrize(
    "host",
    ["evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}",
     "127.0.0.1.nip.example:{port}", "localhost.:{port}", ""],
)  # fmt: skip
def test_another_name_for_this_machine_is_refused(page: Served, host: str) -> None:
    named = host.format(port=page.site.port)
    own = {"Host": named, "Origin": f"http://{named}", "Content-Type": FORM}
    for method, path in ANY.items():
        answer = page.ask(method, page.site.base + path, body=b"", headers=own)
        assert strict(answer).status == 421


def test_a_request_without_a_host_is_refused(page: Served) -> None:
    assert b" 421 " in raw(page, f"GET /{TOKEN}/plan HTTP/1.0\r\n\r\n".encode()).splitlines()[0]


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}"])
def test_both_names_of_this_machine_are_served(page: Served, host: str) -> None:
    named = host.format(port=page.site.port)
    assert page.ask("GET", page.site.base + "/plan", headers={"Host": named}).status == 200
    own = {"Host": named, "Origin": f"http://{named}", "Content-Type": FORM}
    answer = page.ask("POST", page.site.base + "/plan/preview", body=b"", headers=own)
    assert answer.status == 400  # no plan is loaded: the guard has let it through


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "get"])
def test_other_methods_are_refused(page: Served, method: str) -> None:
    answer = strict(page.ask(method, page.site.base + "/plan"))
    assert (answer.status, answer.text) == (405, "Only GET, HEAD and POST are answered.\n")


FOREIGN = [
    {},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "https://{host}"},
    {"Origin": "http://{host}.evil.example"},
    {"Origin": "http://localhost:{port}"},  # while the Host is 127.0.0.1
    {"Origin": "http://{host}", "Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_form_from_elsewhere_is_refused(page: Served, foreign: dict[str, str]) -> None:
    sent = {k: v.format(host=page.host, port=page.site.port) for k, v in foreign.items()}
    for path in ("/plan", "/plan/save"):
        own = {"Content-Type": FORM} | sent
        answer = page.ask("POST", page.site.base + path, body=b"a=b", headers=own)
        assert strict(answer).status == 403


def test_a_form_from_the_page_itself_passes(page: Served) -> None:
    assert page.post("/plan/preview", []).status == 400  # no plan is loaded
    assert page.post("/plan/preview", [], **{"Sec-Fetch-Site": "same-origin"}).status == 400


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "", f"x{FORM}"])
def test_a_form_of_another_kind_is_refused(page: Served, kind: str) -> None:
    answer = page.post("/plan/preview", [("a", "b")], **{"Content-Type": kind})
    assert strict(answer).status == 415


def test_the_kind_may_name_its_letters(page: Served) -> None:
    kind = "Application/X-WWW-Form-URLencoded; charset=UTF-8"
    assert page.post("/plan/preview", [], **{"Content-Type": kind}).status == 400


def test_a_body_that_is_too_long_is_refused_and_one_that_just_fits_is_not(page: Served) -> None:
    name = len("a=")
    assert page.post("/plan/preview", [("a", "x" * (MOST_BODY - name))]).status == 400
    assert strict(page.post("/plan/preview", [("a", "x" * (MOST_BODY - name + 1))])).status == 413


def test_a_body_is_measured_while_it_comes(page: Served) -> None:
    head = (
        f"POST /{TOKEN}/plan/preview HTTP/1.1\r\nHost: {page.host}\r\nOrigin: http://{page.host}\r\n"
        f"Content-Type: {FORM}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert b" 413 " in raw(page, head + 17 * chunk + b"0\r\n\r\n").splitlines()[0]


def test_a_long_address_is_refused(page: Served) -> None:
    fits = MOST_URL - len(page.site.base + "/plan")
    assert page.get("/plan?" + "x" * fits).status == 200
    assert strict(page.get("/plan?" + "x" * (fits + 1))).status == 414
    assert strict(page.get("/" + "x" * MOST_URL)).status == 414


@pytest.mark.parametrize("path", ["/plan/preview", "/plan/save"])
def test_a_link_cannot_send_a_form(page: Served, path: str) -> None:
    for method in ("GET", "HEAD"):
        assert strict(page.ask(method, page.site.base + path)).status == 405


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/plan/", "/static/", "/static/../app.py", "/static/..%2fapp.py",
     "/static//etc/passwd"],
)  # fmt: skip
def test_an_address_that_leads_nowhere_is_a_page_that_says_so(page: Served, path: str) -> None:
    answer = strict(page.get(path))
    assert answer.status == 404
    assert "There is no such page." in answer.text


def test_forwarding_headers_change_nothing(page: Served) -> None:
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "for=x"}
    answer = page.ask("GET", page.site.base + "/", headers=told)
    assert "evil" not in str(answer)
    assert answer.headers["location"] == f"/{TOKEN}/plan"


def test_the_address_holds_the_token_and_this_machine_alone() -> None:
    site = Site("abc", 8000, None, Path(), None)
    assert site.url == "http://127.0.0.1:8000/abc/"
    assert site.hosts == ("127.0.0.1:8000", "localhost:8000")


CLOSED = {errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN}
"""What a system says of a connection that the other side closed first."""


@contextmanager
def closed_early() -> Iterator[None]:
    """The server may close before it has read everything; what it answered can still be read."""
    try:
        yield
    except OSError as error:
        if error.errno not in CLOSED:
            raise


def raw(page: Served, sent: bytes) -> bytes:
    """Whatever comes back for these bytes."""
    found = b""
    with socket.create_connection(("127.0.0.1", page.site.port), timeout=PATIENCE) as line:
        with closed_early():
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
        with closed_early():
            while part := line.recv(1 << 16):
                found += part
    return found


GARBAGE = [
    b"",
    b"\r\n\r\n",
    b"\x00" * 100,
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /%ZZ%\xff HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
]


def test_the_page_answers_after_garbage(page: Served) -> None:
    for garbage in GARBAGE:
        found = raw(page, garbage)
        assert b" 200 " not in found.partition(b"\r\n")[0]
        assert TOKEN.encode() not in found
    assert page.get("/plan").status == 200
