"""Folders of bundles for the tabs Releases and Ledger, and eyes for what would be a script."""

from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path

from leeward.core.codebook import Marginal
from leeward.publishing.bundle import BundleWriter, LedgerStatement, TableGuarantee
from tests.interface.commands.scene import Office
from tests.publishing.bundle.made_up import GUARANTEE, cells, certificate, certified, dimension

BLOCKS = {"dd", "dt", "h1", "h2", "h3", "li", "option", "p", "td", "th"}
SMALL = Marginal("t", (dimension("place", ["1", "2"]),), ())


def write_small(target: Path, **changes: object) -> Path:
    """A sound bundle of one table of two rows."""
    with BundleWriter(target) as bundle:
        with bundle.table(SMALL, margins=("margin",)) as writer:
            writer.write(cells(SMALL, (0, 1), margins=True))
        paid = {"guarantee": TableGuarantee.of(GUARANTEE)}
        bundle.seal(certificate(target.name, [certified(writer, changes=paid)], **changes))
    return target


def charged(ledger: str, entry: int, head: str) -> LedgerStatement:
    """What a certificate says about its entry."""
    return LedgerStatement(id=ledger, account="office", entry=entry, head=head)


def work(folder: Path) -> Office:
    """An office that has released twice and withdrawn the second."""
    office = Office(folder)
    with chdir(folder):
        office.write()
        office.open_account()
        office.open_account("other", "3")
        office.released(out="first")
        office.released("--again", out="second")
        withdrawn = office.run("ledger", "withdraw", "5", "--reason", "wrong <b>period</b>")
        assert withdrawn.exit_code == 0, withdrawn.output
    return office


class Markup(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def plain(self) -> str:
        """The text with single blanks."""
        return " ".join(self.text.split())

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every tag of this name."""
        return [attributes for name, attributes in self.tags if name == tag]

    def dangers(self, base: str) -> list[str]:
        """What could run, load or lead elsewhere."""
        known = {"src", "href", "action"}
        return [
            f"<{tag} {name}={value!r}>"
            for tag, attributes in self.tags
            for name, value in [("", ""), *attributes.items()]
            if (tag == "script" and not attributes.get("src", "").startswith(f"{base}/static/"))
            or tag in {"img", "iframe", "object", "embed", "style", "base"}
            or name.startswith("on")
            or name == "style"
            or (name in known and not value.startswith((f"{base}/", "#", "?")))
        ]
