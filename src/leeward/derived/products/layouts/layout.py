"""Layout: the files of a public product, written from sealed bundles alone.

Which table gives which column follows from its name, which begins with the name of a measure
(`y1_earnings`, `y1_earnings_by_degree`), and from its identifiers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from leeward.core.show.numbers import counted, crossed, losses, protected
from leeward.derived.products.layouts.pseo import Pseoe, Pseof
from leeward.derived.products.layouts.qwi import Qwi
from leeward.derived.products.layouts.sheet import Number, Sheet, refused
from leeward.derived.products.layouts.umetrics import Umetrics
from leeward.derived.products.layouts.veo import Veo
from leeward.publishing.bundle import Bundle, CertifiedTable, read_bundle
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME, checksum_list, sha256
from leeward.publishing.bundle.disk import refused as unwritable
from leeward.publishing.bundle.disk import write_file, writing


class Form(Protocol):
    """A public product: the tables that it is made of, and what their rows become."""

    @property
    def name(self) -> str:
        """What `--form` calls it."""

    @property
    def source(self) -> str:
        """Where its columns are described."""

    @property
    def tables(self) -> tuple[str, ...]:
        """What names of tables begin with."""

    @property
    def version(self) -> str | None:
        """The first word of the version line; None where the product has no such line."""

    def sheet(self, part: str, name: str) -> Sheet:
        """An empty file; `name` is that of the first bundle."""

    def numbers(self, bundle: Bundle, table: CertifiedTable, measure: str) -> Iterator[Number]:
        """The numbers that the rows of a table give."""


FORMS: Mapping[str, Form] = {one.name: one for one in (Pseoe(), Pseof(), Veo(), Qwi(), Umetrics())}
SCHEMA = "V4.14"

RULES = (
    "A number stands where its flag is 1. Flag -1: no table gives it, or the noise left none. "
    "Flag -2 (QWI alone): the public frame has no establishment there. Flag 3 of IPEDS counts: not "
    "available. Flag 5, suppressed, never occurs: noise protects small numbers, and none is held "
    "back."
)

Used = list[tuple[Bundle, CertifiedTable, str]]


def write_layout(
    bundles: Sequence[Bundle | Path | str], form: str, folder: Path
) -> tuple[Path, ...]:
    """Write the files of a form into a new folder; the paths of its CSV files.

    Parameters
    ----------
    bundles
        Bundles or their folders, whose tables are named as the form says; nothing else is read.
    form
        ``pseoe``, ``pseof``, ``veo``, ``qwi`` or ``umetrics``.
    folder
        A new folder, in one that exists.

    Returns
    -------
    tuple[Path, ...]
        One file, or one for each group of veterans, or for each institution.

    Raises
    ------
    InvalidParameter
        If no table of the form is there, or a table does not fit into it.
    BadFile, Damaged
        If a bundle is none, is not as it was published, or the folder cannot be written.

    Examples
    --------
    >>> from leeward.derived.products.layouts import FORMS
    >>> list(FORMS)
    ['pseoe', 'pseof', 'veo', 'qwi', 'umetrics']
    """
    if form not in FORMS:
        raise refused(f"must be one of {', '.join(FORMS)}", form, "Choose one of these.")
    if folder.exists() or not folder.parent.is_dir():
        rule = "must be a new folder in one that exists"
        raise unwritable(folder, rule, "Choose a name that is free.")
    chosen = FORMS[form]
    held = [one if isinstance(one, Bundle) else read_bundle(one) for one in bundles]
    used = _used(chosen, held)
    sheets = _filled(chosen, used)
    texts = {f"{sheet.name}.csv": sheet.text() for sheet in sheets}
    beside = {"about.txt": _about(chosen, used, sheets)} | _version(chosen, held, sheets)
    with writing(folder):
        folder.mkdir()
        for name, text in (texts | beside).items():
            write_file(folder / name, text.encode())
        sums = {name: sha256(folder / name) for name in sorted(texts | beside)}
        write_file(folder / "checksums.txt", checksum_list(sums))
    return tuple(folder / name for name in texts)


def _used(form: Form, bundles: Sequence[Bundle]) -> Used:
    """The tables whose names say what of the form they are."""
    tables = ((bundle, one) for bundle in bundles for one in bundle.certificate.tables)
    named = [(bundle, one, measure_of(one.name, form.tables)) for bundle, one in tables]
    found = [(bundle, one, measure) for bundle, one, measure in named if measure is not None]
    if not found:
        names = ", ".join(form.tables[:6]) + (", …" if len(form.tables) > 6 else "")
        raise refused(
            f"needs tables whose names begin with one of {names}",
            ", ".join(table.name for _, table, _ in named[:6]),
            "Name the tables of the plan so, and release again.",
        )
    return found


def measure_of(table: str, measures: Sequence[str]) -> str | None:
    """The longest measure that the name of a table begins with, as a whole word."""
    fitting = [one for one in measures if f"{table}_".startswith(f"{one}_")]
    return max(fitting, key=len, default=None)


def _filled(form: Form, used: Used) -> list[Sheet]:
    sheets: dict[str, Sheet] = {}
    name = used[0][0].certificate.name
    for bundle, table, measure in used:
        for number in form.numbers(bundle, table, measure):
            if number.sheet not in sheets:
                sheets[number.sheet] = _named(form.sheet(number.sheet, name))
            sheets[number.sheet].put(number)
    return list(sheets.values())


def _named(sheet: Sheet) -> Sheet:
    """A sheet whose name is that of a file: codes of a bundle come from strangers."""
    if not re.fullmatch(BUNDLE_NAME, sheet.name):
        rule = "needs codes for names of files: letters, digits, dots, hyphens and underscores"
        raise refused(rule, sheet.name, "Give such codes to institutions, and release again.")
    return sheet


def _about(form: Form, used: Used, sheets: Sequence[Sheet]) -> str:
    """Where the numbers come from, and what was done to them."""
    raised = sum(sheet.raised for sheet in sheets)
    lines = [
        f"Form of {form.name.upper()}, not data of the Census Bureau. Columns: {form.source}.",
        "Numbers are those that were published with noise. Pay is in whole dollars, not adjusted.",
        f"Below 0, and written as 0: {counted(raised, 'number')}. Sums of such rows are too large; "
        "add up the rows of the bundles instead.",
        RULES,
        "",
    ]
    for bundle in dict.fromkeys(bundle.path for bundle, _, _ in used):
        mine = [(held, table, measure) for held, table, measure in used if held.path == bundle]
        lines += _told(mine[0][0], [(table, measure) for _, table, measure in mine])
    return "\n".join(lines) + "\n"


def _told(bundle: Bundle, tables: Sequence[tuple[CertifiedTable, str]]) -> Iterator[str]:
    stated = bundle.certificate
    origin = "" if stated.made_from is None else f", tidied from {stated.made_from.name}"
    yield (
        f"{stated.name}{origin}, {stated.period}: {protected(stated.guarantee)}, "
        f"{losses(stated.guarantee)}; Leeward {stated.leeward}; certificate "
        f"{sha256(bundle.path / 'certificate.json')}"
    )
    for table, measure in tables:
        jobs = "".join(
            f", {name} in {_listed(codes)}" for name, codes in (table.where or {}).items()
        )
        yield f"  {table.name}, {crossed(table.identifiers)}{jobs}: {measure}, by {table.mechanism}"


def _listed(codes: object) -> str:
    return ", ".join(map(str, codes)) if isinstance(codes, list) else str(codes)


def _version(form: Form, bundles: Sequence[Bundle], sheets: Sequence[Sheet]) -> dict[str, str]:
    """The line of an LEHD version file; XX 00 is an area that is not named."""
    if form.version is None:
        return {}
    times = sorted({_time(sheet, key) for sheet in sheets for key in sheet.rows})
    last = max(one.certificate.created for one in bundles)
    released = f"R{last[:4]}Q{(int(last[5:7]) + 2) // 3}"
    words = (form.version, "XX", "00", f"{times[0]}-{times[-1]}", SCHEMA, released)
    product = form.version.partition("_")[0].lower()
    line = " ".join((*words, f"leeward_{bundles[0].certificate.name}"))
    return {f"version_{product}.txt": f"{line}\n"}


def _time(sheet: Sheet, key: tuple[str, ...]) -> str:
    """The quarter of a row, or its cohort."""
    codes = dict(zip(sheet.identifiers, key, strict=True))
    return codes["grad_cohort"] if "quarter" not in codes else f"{codes['year']}:{codes['quarter']}"
