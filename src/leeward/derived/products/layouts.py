"""Layouts: numbers of sealed bundles in the columns, order and flags of public products.

Which table gives which column follows from its name, which begins with the name of a measure
(`y1_earnings`, `y1_earnings_by_degree`), and from its identifiers. A number is written where its
flag is 1 and left empty elsewhere. Noise takes counts below 0; public products have none, so that
these are written as 0.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from math import inf
from pathlib import Path

from leeward.core.codebook import Flag
from leeward.core.show.numbers import counted, losses, protected
from leeward.derived.products.public_layout import PublicLayout, refused
from leeward.derived.products.public_product import public_layouts
from leeward.derived.products.used_table import Number, UsedTable
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME, checksum_list, sha256
from leeward.publishing.bundle.disk import refused as unwritable
from leeward.publishing.bundle.disk import write_file, writing

DIGITS = re.compile(r"[0-9]+")

RULES = (
    "A number stands where its flag is 1. Flag -1: no table gives it, or the noise left none. "
    "Flag -2 (QWI alone): the public frame has no establishment there. Flag 3 of IPEDS counts: not "
    "available. Flag 5, suppressed, never occurs: noise protects small numbers, and none is held "
    "back."
)


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
        If a bundle is missing or not as it was published, or the folder cannot be written.

    Examples
    --------
    >>> from leeward.derived.products.public_product import public_layouts
    >>> list(public_layouts())
    ['pseoe', 'pseof', 'veo', 'qwi', 'umetrics']
    """
    layouts = public_layouts()
    if form not in layouts:
        raise refused(f"must be one of {', '.join(layouts)}", form, "Choose one of these.")
    if folder.exists() or not folder.parent.is_dir():
        rule = "must be a new folder in one that exists"
        raise unwritable(folder, rule, "Choose a name that is free.")
    opened = [source if isinstance(source, Bundle) else read_bundle(source) for source in bundles]
    return FilledLayout.fill(layouts[form], opened).write(folder)


def measure_of(table: str, measures: Sequence[str]) -> str | None:
    """The longest measure that the name of a table begins with, as a whole word."""
    fitting = [measure for measure in measures if f"{table}_".startswith(f"{measure}_")]
    return max(fitting, key=len, default=None)


@dataclass
class LayoutFile:
    """A file: its columns of codes, and for each row of codes its numbers."""

    name: str
    layout: PublicLayout
    identifiers: tuple[str, ...]
    flags: Mapping[str, str]
    """For each number its flag; empty where it has none."""
    rows: dict[tuple[str, ...], dict[str, Number]] = field(default_factory=dict)

    def put(self, number: Number) -> None:
        """Keep a number; one that another table gave already is rejected."""
        row = self.rows.setdefault(number.key, {})
        known = row.get(number.column)
        if known is not None and known.second == number.second:
            raise refused(
                "needs each number of the layout from one table alone",
                f"{number.column} of {', '.join(number.key)} twice",
                "Leave one of the bundles out, or give one of the tables another name.",
            )
        if known is None or known.second:
            row[number.column] = number

    @property
    def raised(self) -> int:
        """How many numbers are below 0 and are written as 0."""
        every = (number for row in self.rows.values() for number in row.values())
        return sum(
            (cell.value or 0) < 0 and cell.column not in self.layout.signed for cell in every
        )

    def text(self) -> str:
        """The file as CSV: identifiers, numbers, then flags; rows in the order of their codes."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            (*self.identifiers, *self.flags, *dict.fromkeys(filter(None, self.flags.values())))
        )
        for key in sorted(self.rows, key=_order):
            row = self.rows[key]
            flags: dict[str, int] = {}  # of several numbers that share one, the lowest
            for column, flag in self.flags.items():
                if flag:
                    own = self._flag(row.get(column), flag)
                    flags[flag] = min(own, flags.get(flag, own))
            numbers: list[object] = []
            for column, flag in self.flags.items():
                number = row.get(column)
                if number is None or number.value is None or (flag and flags[flag] != Flag.OK):
                    numbers.append("")
                else:
                    signed = column in self.layout.signed
                    numbers.append(number.value if signed else max(number.value, 0))
            writer.writerow([*key, *numbers, *flags.values()])
        return text.getvalue()

    def _flag(self, number: Number | None, flag: str) -> int:
        if number is None:
            return self.layout.absent.get(flag, Flag.NO_NUMBER)
        status = max(number.status, self.layout.lowest_flag)
        return int(min(status, Flag.NO_NUMBER) if number.value is None else status)


def _order(key: tuple[str, ...]) -> list[tuple[float, str]]:
    """Codes by the number that they begin with, so that 10 years come after 2; then the others."""
    begun = [(DIGITS.match(code), code) for code in key]
    return [(inf if number is None else int(number[0]), code) for number, code in begun]


@dataclass(frozen=True)
class FilledLayout:
    """The files of a layout, and the tables that filled them."""

    layout: PublicLayout
    bundles: Sequence[Bundle]
    used: Sequence[UsedTable]
    files: dict[str, LayoutFile] = field(default_factory=dict)

    @classmethod
    def fill(cls, layout: PublicLayout, bundles: Sequence[Bundle]) -> "FilledLayout":
        """Take the numbers of all tables whose names say what of the layout they are."""
        tables = [(bundle, table) for bundle in bundles for table in bundle.certificate.tables]
        measures = [*layout.tables]
        used = [
            UsedTable(layout, bundle, table, measure)
            for bundle, table in tables
            if (measure := measure_of(table.name, measures)) is not None
        ]
        if not used:
            names = ", ".join(measures[:6]) + (", …" if len(measures) > 6 else "")
            raise refused(
                f"needs tables whose names begin with one of {names}",
                ", ".join(table.name for _, table in tables[:6]),
                "Name the tables of the plan so, and release again.",
            )
        filled = cls(layout, bundles, used)
        for table in used:
            for name, number in table.numbers():
                if name not in filled.files:
                    filled.files[name] = filled._empty(name, table.file)
                filled.files[name].put(number)
        return filled

    def _empty(self, name: str, file: str) -> LayoutFile:
        """An empty file. Its name is checked: codes of a bundle come from strangers."""
        bundle = self.used[0].bundle.certificate.name
        named = f"{file}_{bundle}" if file else f"{self.layout.name}_{name or bundle}"
        if not re.fullmatch(BUNDLE_NAME, named):
            rule = "needs codes for names of files: letters, digits, dots, hyphens and underscores"
            raise refused(rule, named, "Give such codes to institutions, and release again.")
        columns, numbers = self.layout.columns_of(file), self.layout.numbers_of(file)
        return LayoutFile(named, self.layout, columns, numbers)

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write all files into a new folder; the paths of those with numbers."""
        texts = {f"{file.name}.csv": file.text() for file in self.files.values()}
        beside = {"about.txt": self.about()} | self.version()
        with writing(folder):
            folder.mkdir()
            for name, text in (texts | beside).items():
                write_file(folder / name, text.encode())
            sums = {name: sha256(folder / name) for name in sorted(texts | beside)}
            write_file(folder / "checksums.txt", checksum_list(sums))
        return tuple(folder / name for name in texts)

    def about(self) -> str:
        """Where the numbers come from, and what was done to them."""
        raised = sum(file.raised for file in self.files.values())
        lines = [
            f"Form of {self.layout.name.upper()}, not data of the Census Bureau. "
            f"Columns: {self.layout.source}.",
            "Numbers are those that were published with noise. Pay is in whole dollars, not "
            "adjusted.",
            f"Below 0, and written as 0: {counted(raised, 'number')}. Sums of such rows are too "
            "large; add up the rows of the bundles instead.",
            RULES,
            "",
        ]
        for path in dict.fromkeys(table.bundle.path for table in self.used):
            tables = [table for table in self.used if table.bundle.path == path]
            stated = tables[0].bundle.certificate
            origin = "" if stated.made_from is None else f", tidied from {stated.made_from.name}"
            lines.append(
                f"{stated.name}{origin}, {stated.period}: {protected(stated.guarantee)}, "
                f"{losses(stated.guarantee)}; Leeward {stated.leeward}; certificate "
                f"{sha256(path / 'certificate.json')}"
            )
            lines += [table.words for table in tables]
        return "\n".join(lines) + "\n"

    def version(self) -> dict[str, str]:
        """The file of an LEHD version line, where the product has one; XX 00 is no named area."""
        if self.layout.version is None:
            return {}
        product = self.layout.version.product
        times = []  # the quarters of all rows, or their cohorts
        for file in self.files.values():
            places = [file.identifiers.index(column) for column in self.layout.version.time]
            times += [":".join(key[place] for place in places) for key in file.rows]
        last = max(bundle.certificate.created for bundle in self.bundles)
        released = f"R{last[:4]}Q{(int(last[5:7]) + 2) // 3}"
        span = f"{min(times)}-{max(times)}"
        words = (product, "XX", "00", span, self.layout.version.schema_, released)
        line = " ".join((*words, f"leeward_{self.bundles[0].certificate.name}"))
        return {f"version_{product.partition('_')[0].lower()}.txt": f"{line}\n"}
