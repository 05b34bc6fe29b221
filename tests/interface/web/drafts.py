"""Forms as the page has them, and what of an answer a test compares."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from leeward.interface.web.plan_form import PlanDraft, draft_of, load
from tests.interface.web.serving import Fields


def draft(plan: Path) -> PlanDraft:
    """The draft of a plan file that can be read."""
    loaded = load(plan).request
    assert loaded is not None
    return draft_of(loaded)


def form(sent: PlanDraft, *more: tuple[str, str]) -> Fields:
    """The fields that a browser sends for a draft."""
    fields = list(sent.texts.items())
    for number, table in enumerate(sent.tables):
        at = f"tables[{number}]"
        texts = (
            "name",
            "where",
            "share",
            "margins",
            "mechanism",
            "totals",
            "breakdowns",
            "statistic",
        )
        fields += [(f"{at}.{key}", getattr(table, key)) for key in texts]
        fields += [(f"{at}.by", name) for name in table.by]
        fields += [(f"{at}.complete", "true")] * table.complete
        fields += [(f"{at}.establishments", "true")] * table.establishments
    return [*fields, *more]


class Parts(HTMLParser):
    """The elements of a page by their ids: attributes and texts; and every tag and attribute."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: dict[str, dict[str, str | None]] = {}
        self.texts: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if found.get("id"):
            self.attributes[str(found["id"])] = found
            self.texts.setdefault(str(found["id"]), "")
        if tag not in ("input", "meta", "link", "br"):
            self._open.append((tag, found.get("id")))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            if self._open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        for _, name in self._open:
            if name:
                self.texts[name] += data

    def text(self, name: str) -> str:
        """The words of an element, with single spaces."""
        return re.sub(r"\s+", " ", self.texts[name]).strip()

    def prediction(self, name: str = "promises") -> object:
        """The numbers that an element carries for programs."""
        found = self.attributes[name].get("data-prediction")
        told: object = None if found is None else json.loads(found)
        return told

    def values(self, name: str) -> list[str]:
        """What the controls of a name would send."""
        inputs = [found for tag, found in self.tags if tag == "input" and found.get("name") == name]
        boxes = ("checkbox", "radio")
        sent = [one for one in inputs if one.get("type") not in boxes or "checked" in one]
        return [one.get("value") or "" for one in sent]
