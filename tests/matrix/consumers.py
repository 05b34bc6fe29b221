"""What reads a plan or a bundle: each consumer does its whole work, or is rejected with an error.

A consumer yields an `Outcome` for each thing that it was asked; `gaps` has the outcomes that are
errors by design, and every other error fails the matrix.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from typer.testing import Result

import leeward
from leeward import Bundle, derive
from leeward.core.errors import LeewardError
from leeward.derived.products.lodes import forms as lodes_forms
from leeward.derived.products.public_product import public_layouts
from leeward.publishing.bundle import CertifiedTable
from tests.matrix.office import run

COUNTS_ONLY = "counts without margins"
"""The kind of tables of counts whose plan has `margins: none`."""

OTHER_TABLES = "bundles without its tables"
"""The kind of bundles that lack the tables of a public product."""

BROKEN = re.compile(r"Traceback|[Uu]nexpected [A-Z]\w+|object at 0x|<class '")
"""What a program prints that was not written for a person."""


@dataclass(frozen=True)
class Outcome:
    """What a consumer answered about tables of one kind: an error, or nothing."""

    consumer: str
    kind: str
    error: str | None = None


def kind_of(table: CertifiedTable) -> str:
    """The statistic of a table, as the list of gaps calls it."""
    name = "count" if table.statistic is None else table.statistic.name
    return COUNTS_ONLY if name == "count" and not table.has_margins else name


def answered(result: Result, consumer: str, kind: str) -> Outcome:
    """The outcome of a command: done, or one error that was written for a person."""
    assert BROKEN.search(result.output) is None, result.output
    if result.exit_code == 0:
        return Outcome(consumer, kind)
    assert result.exit_code == 1, result.output
    error = (result.stderr or result.stdout).removeprefix("leeward: ").strip()
    return Outcome(consumer, kind, error)


class Text(HTMLParser):
    """The words of a page that a person sees."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self._hidden = "", 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        self.words += "" if self._hidden else data

    def require_proper(self) -> None:
        """Fail on words that no person should see."""
        place = self.words.find("`")
        assert place < 0, f"a literal backtick: {self.words[max(0, place - 80) : place + 80]!r}"
        assert BROKEN.search(self.words) is None, self.words


def proper(page: str) -> None:
    """Fail on HTML with words that no person should see."""
    Text(page).require_proper()


# Consumers of plans


def plan_text(plan: Path) -> Iterator[Outcome]:
    yield answered(run(plan.parent, "plan", plan), "plan", "plan")


def plan_json(plan: Path) -> Iterator[Outcome]:
    result = run(plan.parent, "plan", plan, "--json")
    outcome = answered(result, "plan --json", "plan")
    assert outcome.error or json.loads(result.stdout)["tables"]
    yield outcome


def explained(plan: Path) -> Iterator[Outcome]:
    written = yaml.safe_load(plan.read_text())
    statements = [table["sql"] for table in written["tables"] if "sql" in table]
    codebook = plan.parent / written["codebook"]
    for statement in statements:
        result = run(plan.parent, "explain", statement, "--codebook", codebook)
        yield answered(result, "explain", "plan")
        assert result.stdout.startswith("Accepted"), result.stdout


def predicted(plan: Path) -> Iterator[Outcome]:
    with chdir(plan.parent):
        prediction = leeward.predict(leeward.read_plan(plan))
    proper(prediction._repr_html_())
    assert json.dumps(prediction.to_dict())
    yield Outcome("Python predict", "plan")


OF_PLANS: Mapping[str, Callable[[Path], Iterator[Outcome]]] = {
    "plan": plan_text,
    "plan --json": plan_json,
    "explain": explained,
    "Python predict": predicted,
}


# Consumers of bundles


def verified(bundle: Path, second: Path | None) -> Iterator[Outcome]:
    several = () if second is None else (second,)
    yield answered(run(bundle.parent, "verify", bundle, *several), "verify", "bundle")


def reported(bundle: Path, _: Path | None) -> Iterator[Outcome]:
    if leeward.read_bundle(bundle).certificate.made_from is None:
        proper((bundle / "report.html").read_text())
    sheet = bundle.parent / f"{bundle.name}-review.html"
    yield answered(run(bundle.parent, "report", bundle, "--out", sheet), "report", "bundle")
    proper(sheet.read_text())
    readme = (bundle / "README.txt").read_text()
    assert BROKEN.search(readme) is None, readme


def settled(bundle: Path, _: Path | None) -> Iterator[Outcome]:
    certificate = leeward.read_bundle(bundle).certificate
    if certificate.made_from is not None:
        return
    tidied = bundle.parent / f"{bundle.name}-tidy"
    kinds = {kind_of(table) for table in certificate.tables}
    kind = "count" if kinds & {"count", COUNTS_ONLY, "classes"} else min(kinds)
    outcome = answered(run(bundle.parent, "tidy", bundle, "--out", tidied), "tidy", kind)
    yield outcome
    if outcome.error is None:
        yield answered(run(bundle.parent, "verify", tidied, "--source", bundle), "verify", "tidy")


def examples(bundle: Path) -> Sequence[CertifiedTable]:
    """One table of each kind and number of identifiers."""
    tables = leeward.read_bundle(bundle).certificate.tables
    return [*{(kind_of(one), len(one.identifiers)): one for one in tables}.values()]


Words = tuple[str, ...]


def quantities(bundle: Path, table: CertifiedTable, second: Path | None) -> Mapping[str, Words]:
    """The words behind `leeward read BUNDLE TABLE` for each quantity."""
    names = table.identifiers
    by = ("--by", names[0]) if names else ()
    of = ("--by", ",".join(names), "--of", names[-1]) if len(names) > 1 else by
    words: dict[str, Words] = {
        "read sum": (*by, "--as", "sum"),
        "read mean": (*by, "--as", "mean"),
        "read share": (*of, "--as", "share"),
        "read rank": (*by, "--as", "rank"),
        "read growth": (*by, "--as", "growth"),
    }
    if second is not None:
        words["read change"] = (*by, "--as", "change", "--against", str(second))
        words["read ratio"] = (*by, "--as", "ratio", "--against", str(second))
    if names:
        cell = ",".join(f"{name}={next(iter(table.listed(name)))}" for name in names)
        words["read cell"] = ("--cell", cell, "--over", str(bundle.parent))
    return words


def derived(bundle: Path, second: Path | None) -> Iterator[Outcome]:
    for table in examples(bundle):
        for consumer, words in quantities(bundle, table, second).items():
            result = run(bundle.parent, "read", bundle, table.name, *words)
            yield answered(result, consumer, kind_of(table))


def shown(bundle: Path, _: Path | None) -> Iterator[Outcome]:
    opened: Bundle = leeward.read_bundle(bundle)
    verification = leeward.verify(bundle)
    for value in (opened, verification, *(opened[name] for name in opened)):
        proper(value._repr_html_())  # type: ignore[attr-defined]
        assert BROKEN.search(repr(value)) is None, repr(value)
    yield Outcome("notebook", "bundle")
    for table in examples(bundle):
        try:
            rows = derive(opened, table.name, list(table.identifiers[:1]), ["sum"])
        except LeewardError as error:
            yield Outcome("Python derive", kind_of(table), str(error))
        else:
            proper(rows._repr_html_())
            yield Outcome("Python derive", kind_of(table))


def laid_out(bundle: Path, _: Path | None) -> Iterator[Outcome]:
    """The forms of public products, of bundles that have their tables and of others."""
    opened = leeward.read_bundle(bundle)
    if opened.certificate.made_from is not None:
        return
    with TemporaryDirectory() as home:
        for name in public_layouts():
            result = run(Path(home), "read", bundle, "--form", name, "--out", name)
            outcome = answered(result, f"read --form {name}", "bundle")
            lacks = (outcome.error or "").startswith("--form: needs ")
            yield replace(outcome, kind=OTHER_TABLES) if lacks else outcome
        made, _missing = lodes_forms(opened)
        result = run(Path(home), "tidy", bundle, "--out", "settled", "--lodes", "lodes")
        yield answered(result, "tidy --lodes", "bundle" if made else OTHER_TABLES)


OF_BUNDLES: Mapping[str, Callable[[Path, Path | None], Iterator[Outcome]]] = {
    "verify": verified,
    "report": reported,
    "tidy": settled,
    "read": derived,
    "notebook": shown,
    "layouts": laid_out,
}
