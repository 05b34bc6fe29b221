"""Made-up bundles for reports: many tables, strangers' texts, and tables of every shape."""

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from leeward.core.codebook import Attribute, Dimension, Marginal, SingleJob
from leeward.core.privacy import Guarantee
from leeward.publishing.bundle import (
    Bundle,
    BundleWriter,
    CertifiedTable,
    DataStatement,
    JobsStatement,
    LedgerStatement,
    ReleaseGuarantee,
    TableGuarantee,
    establishment_promise,
    firm_promise,
    read_bundle,
    worker_promise,
)
from tests.publishing.bundle.made_up import cells, certificate, certified, columns

EVIL = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>'{{ 7 * 7 }}{% raw %}&lt;"
LONG = "An industry whose name has very many letters and does not end soon, " * 3


def labelled(name: str, labels: Mapping[str, str], table: str = "workplaces") -> Dimension:
    """An attribute whose codes have these labels."""
    attribute = Attribute(
        name=name,
        table=table,  # type: ignore[arg-type] # tests name the three tables only
        column="column",
        codes=tuple(labels),
        labels=tuple(labels.values()),
        public=True,
        recode={code: position for position, code in enumerate(labels)},
    )
    return Dimension(attribute, tuple(range(len(labels))))


def bundle_of(
    target: Path,
    marginals: Sequence[Marginal],
    *,
    margins: bool = True,
    empty: bool = False,
    table: Mapping[str, Any] | None = None,
    note: str = "",
    **changes: Any,  # noqa: ANN401 (fields of a certificate)
) -> Bundle:
    """A sealed bundle with every cell of these tables, or none."""
    with BundleWriter(target) as writer:
        done: list[CertifiedTable] = []
        for marginal in marginals:
            with writer.table(marginal, margins=columns(marginal, margins=margins)) as rows:
                keys = range(0 if empty else marginal.workplace_cells)
                rows.write(cells(marginal, keys, margins=margins))
            own = certified(rows, margins=margins)
            wide = own.margins.model_copy(update={"note": note} if note else {})
            done.append(own.model_copy(update={"margins": wide, **(table or {})}))
        writer.seal(certificate(target.name, done, **changes))
    return read_bundle(target)


def many(target: Path, tables: int) -> Bundle:
    """So many tables, each as large as a picture can be, with long labels."""
    place = labelled("place", {f"{n:07d}": f"{LONG}{n}" for n in range(40)})
    kinds = labelled("kind of worker", {f"K{n}": f"{n} {LONG}" for n in range(25)}, "workers")
    return bundle_of(target, [Marginal(f"table_{n}", (place,), (kinds,)) for n in range(tables)])


def hostile(target: Path) -> Bundle:
    """A bundle in which every text that a stranger may choose is hostile."""
    place = labelled(f"place {EVIL}", {f"{EVIL}{n}": f"{EVIL} label {n}" for n in range(3)})
    sex = labelled(f"sex {EVIL}", {"M": EVIL, "F": f"{EVIL}F"}, "workers")
    guarantee = Guarantee("weak", "1/10", 4)
    promise = {"sentence": EVIL}
    return bundle_of(
        target,
        [Marginal("by_sex", (place,), (sex,)), Marginal("total", (), ())],
        table={
            "mechanism": EVIL,
            "bias": EVIL,
            "where": {EVIL: [EVIL, "x"]},
            "parameters": {EVIL: EVIL},
            "guarantee": TableGuarantee.of(guarantee),
        },
        note=EVIL,
        leeward=EVIL,
        period=EVIL,
        account=EVIL,
        plan={EVIL: EVIL},
        guarantee=ReleaseGuarantee.of(guarantee, SingleJob(), strict=True).model_copy(
            update=promise
        ),
        worker=worker_promise(guarantee, SingleJob()).model_copy(update=promise),
        establishment=_required(establishment_promise(guarantee, SingleJob())).model_copy(
            update=promise
        ),
        firm=_required(firm_promise(guarantee)).model_copy(update={"rule": EVIL, **promise}),
        weak_attributes=(EVIL, "sex"),
        jobs=JobsStatement(rule="bounded", column=EVIL, most=2, sentence=EVIL),
        data=DataStatement(fingerprint="c3" * 32, keyed=EVIL),
        ledger=LedgerStatement(id=EVIL, account=EVIL, entry=7, head="3f" * 32),
    )


def _required(statement: Any) -> Any:  # noqa: ANN401 (one of several statements)
    assert statement is not None
    return statement


BLOCKS = {"dt", "dd", "td", "th", "li", "p", "caption", "figcaption", "h2", "h3"}


class Page(HTMLParser):
    """A page as a reader without sympathy sees it: elements, attributes, and the words alone."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words = ""
        self._inside: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.words += " " if tag in BLOCKS else ""
        if tag in {"style", "svg"}:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.words += data

    @property
    def text(self) -> str:
        """All words outside pictures, with single blanks."""
        return " ".join(self.words.split())
