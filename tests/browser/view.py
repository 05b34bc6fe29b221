"""A window of the browser that remembers what went wrong in it, and eyes to look at it with."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.browser import seen

OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text")].filter(one => one.textContent.trim());
    const boxes = texts.map(one => one.getBoundingClientRect());
    for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
      const [one, two] = [boxes[a], boxes[b]];
      const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const down = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      const halo = texts[a].textContent === texts[b].textContent && one.x === two.x;
      if (across > 2 && down > 4 && !halo)
        found.push(texts[a].textContent.trim() + " / " + texts[b].textContent.trim());
    }
  }
  return found.slice(0, 10);
}"""

PATIENCE = 60_000
"""Milliseconds after which something that should appear is given up, also on a busy machine."""


@dataclass(frozen=True)
class Look:
    """How somebody looks at a page."""

    name: str
    width: int = 1280
    height: int = 900
    dark: bool = False
    paper: bool = False

    def __str__(self) -> str:
        return self.name


WIDE, DARK, PHONE = Look("wide"), Look("dark", dark=True), Look("phone", 360, 740)
PAPER = Look("paper", 673, 986, paper=True)
"""The room between the margins of A4."""

LOOKS = (WIDE, DARK, PHONE, PAPER)
STANDARD = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")
RULES = {WIDE: STANDARD, DARK: ("color-contrast",), PHONE: ("scrollable-region-focusable",)}
"""Rules of axe: all of them once, and those whose answer another look may change."""


@dataclass
class View:
    """One window."""

    context: BrowserContext
    page: Page
    wrongs: list[str] = field(default_factory=list)

    @classmethod
    def new(cls, browser: Browser, look: Look) -> "View":
        """A window in which nothing was opened yet."""
        context = browser.new_context(
            viewport={"width": look.width, "height": look.height},
            color_scheme="dark" if look.dark else "light",
            reduced_motion="reduce",
        )
        made = cls(context, context.new_page())
        made.page.on("console", made._heard)
        made.page.on("pageerror", lambda error: made.wrongs.append(f"script: {error}"))
        made.page.on("request", made._asked)
        return made

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrongs.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        where = urlsplit(request.url)
        if where.scheme not in ("file", "data") and where.hostname != "127.0.0.1":
            self.wrongs.append(f"asked {request.url}")

    def expecting(self, wrong: str) -> None:
        """Something that had to be heard is taken off the list."""
        found = [one for one in self.wrongs if wrong in one]
        assert found, f"{wrong!r} was not heard: {self.wrongs}"
        self.wrongs = [one for one in self.wrongs if wrong not in one]

    def faults(self) -> list[str]:
        """What a careful eye would mind: texts over each other, and what `seen` finds."""
        return self.overlaps() + seen.on_screen(self.page)

    def overlaps(self) -> list[str]:
        """Texts of charts over each other."""
        return [f"over each other: {one}" for one in self.page.evaluate(OVERLAPS)]

    def barriers(self, *rules: str) -> list[str]:
        """What keeps people out who do not see or do not use a mouse (axe, WCAG 2.1 AA)."""
        wanted = {"runOnly": list(rules or STANDARD)}
        found: dict[str, Any] = Axe().run(self.page, options=wanted).response
        return [
            f"{one['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:160]})"
            for one in found["violations"]
            for node in one["nodes"][:3]
        ]

    def wear(self, look: Look) -> None:
        """The same page in a window of another size, in the dark, or on paper."""
        self.page.set_viewport_size({"width": look.width, "height": look.height})
        self.page.emulate_media(
            color_scheme="dark" if look.dark else "light",
            media="print" if look.paper else "null",
        )

    def look_at(
        self, folder: Path, name: str, looks: Sequence[Look] = LOOKS, *, whole: bool = True
    ) -> None:
        """Look at the page that is open: all of axe once, then what each look may change."""
        for look in looks:
            self.wear(look)
            if look.paper:
                faults = self.overlaps() + seen.on_paper(self.page)
                assert faults == [], f"{look}: {faults}"
                continue
            faults = seen.faint(self.page) if look is DARK else self.faults()
            self.keep(folder, f"{name}-{look}", whole=whole)
            faults += self.barriers(*RULES[look])
            assert faults == [], f"{look}: {faults}"
        self.wear(WIDE)

    def keep(self, folder: Path, name: str, *, whole: bool = True) -> None:
        """A picture of it for people to look at."""
        if whole:
            self.page.evaluate("scrollTo(0, 0)")
        self.page.screenshot(path=folder / f"{name}.png", full_page=whole)

    def close(self) -> None:
        self.context.close()


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Let the page go on until this is so; after the patience of a test it never was."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        page.wait_for_timeout(20)


class NewView(Protocol):
    """Opens a window."""

    def __call__(self, look: Look = WIDE) -> View: ...
