"""The page as people meet it: it comes up, keeps strangers out and stays up."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.browser.office import Office
from tests.browser.view import NewView, until


@pytest.mark.parametrize("tab", ["plan", "releases", "ledger"])
def test_every_tab_is_fit_to_be_looked_at(
    view: NewView, address: str, pictures: Path, tab: str
) -> None:
    window = view()
    window.page.goto(address + tab)
    assert window.page.locator("nav [aria-current=page]").inner_text().lower() == tab
    window.look_at(pictures, tab)


class Foreign(BaseHTTPRequestHandler):
    """Another page in the same browser, which would like to save a plan of its own."""

    def do_GET(self) -> None:
        aim = self.path.removeprefix("/?")
        form = (
            f'<form method="post" action="{aim}plan/save"><input name="file" value="own.yaml">'
            f"</form><script>fetch('{aim}plan/save', {{method: 'POST', mode: 'no-cors', body: "
            "new URLSearchParams({file: 'own.yaml', replace: 'yes'})}).catch(() => 0)"
            ".then(() => document.forms[0].submit())</script>"
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(form.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as above)
        """Nothing is to be said."""


@pytest.fixture(scope="module")
def foreigner() -> Iterator[str]:
    """The address of another server on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_foreign_page_cannot_post(
    view: NewView, address: str, foreigner: str, office: Office
) -> None:
    window = view()
    before = sorted(office.folder.iterdir())
    window.page.goto(f"{foreigner}?{address}")
    expect(window.page.locator("body")).to_contain_text("must be sent from this page itself")
    assert sorted(office.folder.iterdir()) == before
    for told in ("403", "NotSameOrigin"):  # a form, and a script
        window.expecting(told)
    window.page.goto(address + "plan")
    expect(window.page.locator("h1")).to_have_text("Plan")
    window.wrongs = [one for one in window.wrongs if "404" not in one]  # an icon without token


def test_a_foreign_page_cannot_show_ours_in_a_frame(view: NewView, address: str) -> None:
    window = view()
    window.page.set_content(f'<iframe src="{address}plan"></iframe>')
    until(window.page, lambda: any("frame-ancestors" in one for one in window.wrongs))
    rejected = ["chrome-error://chromewebdata/"]
    until(window.page, lambda: [frame.url for frame in window.page.frames[1:]] == rejected)
    window.expecting("frame-ancestors")


@pytest.mark.parametrize("path", ["plan", "0" * 64 + "/plan"])
def test_nothing_is_shown_without_the_token(view: NewView, address: str, path: str) -> None:
    window = view()
    stranger = "/".join(address.split("/")[:3]) + "/" + path
    window.page.goto(stranger)
    expect(window.page.locator("body")).to_have_text(
        "Use the address that `leeward serve` printed."
    )
    window.expecting("404")


def test_every_control_is_reached_with_the_keyboard(view: NewView, address: str) -> None:
    page = view().page
    page.goto(address + "plan")
    wanted = page.locator(
        "main input:not([type=hidden]):not([type=radio]):visible, main button:visible, "
        "main select:visible, main a:visible, main summary:visible, "
        "main [tabindex='0']:visible"
    ).count()
    seen: set[str] = set()
    for _ in range(wanted + 40):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate(
                "() => { const at = document.activeElement; if (!at.closest('main') || "
                "at.type === 'radio') return ''; at.dataset.seen ??= String(Math.random()); "
                "const look = getComputedStyle(at.matches('.chip input, .choice input') ? "
                "at : at); return look.outlineStyle === 'none' && look.boxShadow === 'none' ? "
                "'not seen: ' + at.outerHTML.slice(0, 80) : at.dataset.seen; }"
            )
        )
    seen.discard("")
    assert [one for one in seen if one.startswith("not seen")] == []
    assert len(seen) == wanted
