"""Layouts: numbers of sealed bundles in the columns, order and flags of public products.

Which table gives which column follows from its name, which begins with the name of a measure
(`y1_earnings`, `y1_earnings_by_degree`), and from its identifiers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leeward.core.show.numbers import counted, crossed, losses, protected
from leeward.derived.products.layout_file import LayoutFile
from leeward.derived.products.public_layout import PublicLayout, refused
from leeward.derived.products.public_product import public_layouts
from leeward.derived.products.used_table import UsedTable
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.bundle_files import BUNDLE_NAME, checksum_list, sha256
from leeward.publishing.bundle.disk import refused as unwritable
from leeward.publishing.bundle.disk import write_file, writing

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
            lines += _sources([table for table in self.used if table.bundle.path == path])
        return "\n".join(lines) + "\n"

    def version(self) -> dict[str, str]:
        """The file of an LEHD version line, where the product has one; XX 00 is no named area."""
        if self.layout.version is None:
            return {}
        product, times = self.layout.version.product, sorted({*self._times()})
        last = max(bundle.certificate.created for bundle in self.bundles)
        released = f"R{last[:4]}Q{(int(last[5:7]) + 2) // 3}"
        span = f"{times[0]}-{times[-1]}"
        words = (product, "XX", "00", span, self.layout.version.schema_, released)
        line = " ".join((*words, f"leeward_{self.bundles[0].certificate.name}"))
        return {f"version_{product.partition('_')[0].lower()}.txt": f"{line}\n"}

    def _times(self) -> Iterator[str]:
        """The quarters of all rows, or their cohorts."""
        time = self.layout.version.time if self.layout.version else ()
        for file in self.files.values():
            places = [file.identifiers.index(column) for column in time]
            yield from (":".join(key[place] for place in places) for key in file.rows)


def _sources(tables: Sequence[UsedTable]) -> Iterator[str]:
    """A bundle, and the tables of it that were used."""
    bundle = tables[0].bundle
    stated = bundle.certificate
    origin = "" if stated.made_from is None else f", tidied from {stated.made_from.name}"
    yield (
        f"{stated.name}{origin}, {stated.period}: {protected(stated.guarantee)}, "
        f"{losses(stated.guarantee)}; Leeward {stated.leeward}; certificate "
        f"{sha256(bundle.path / 'certificate.json')}"
    )
    for used in tables:
        table = used.table
        listed = {
            name: ", ".join(map(str, codes)) if isinstance(codes, list) else str(codes)
            for name, codes in (table.where or {}).items()
        }
        jobs = "".join(f", {name} in {codes}" for name, codes in listed.items())
        yield (
            f"  {table.name}, {crossed(table.identifiers)}{jobs}: {used.measure}, "
            f"by {table.mechanism}"
        )
