"""`leeward read`: what follows from a published table, with margins, from the bundle alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from leeward.core.errors import BadFile, InvalidParameter
from leeward.core.show.numbers import count, cut, significant
from leeward.derived.derive.derived import TOP, Derived, derive
from leeward.derived.derive.question import Against
from leeward.derived.derive.series import COLUMNS, alike, is_bundle, left_out, releases_at, series
from leeward.interface.commands.options import BundleFolder
from leeward.interface.commands.screen import given_options, note, say, show
from leeward.publishing.bundle import Bundle, read_bundle
from leeward.publishing.bundle.published_table import PublishedTable

NUMBERS = 3
"""Columns of numbers: value, low and high."""

Table = Annotated[
    list[str] | None,
    typer.Argument(metavar="TABLE", help="A table; with --form further bundles instead."),
]
GroupedBy = Annotated[
    str, typer.Option(help="Identifiers of the groups, with commas; none for the whole.")
]
Quantities = Annotated[
    str, typer.Option("--as", help="Some of sum, mean, share, change, ratio, rank, growth.")
]
Reference = Annotated[
    str | None,
    typer.Option(help="For change and ratio: another bundle, or a group such as place=01."),
]
AgainstTable = Annotated[
    str | None, typer.Option(help="For change and ratio: another table, of either bundle.")
]
Wholes = Annotated[str, typer.Option(help="For share: some of --by, whose groups are the wholes.")]
Top = Annotated[int, typer.Option(help="For rank: how many of the largest count.")]
Labels = Annotated[bool, typer.Option("--labels", help="Labels beside the codes.")]
Cell = Annotated[
    str | None, typer.Option(help="One cell over periods, such as place=01,sector=52.")
]
Over = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="<path>",
        help="For --cell: another bundle, or a folder of bundles; may be repeated.",
    ),
]
Form = Annotated[
    str | None, typer.Option(help="Write a public layout: pseoe, pseof, veo, qwi or umetrics.")
]
Out = Annotated[Path | None, typer.Option(help="For --form: a new folder.")]
Csv = Annotated[Path | None, typer.Option(help="A new file for the rows.")]
AsJson = Annotated[bool, typer.Option("--json", help="The rows as JSON.")]


def read_command(  # noqa: PLR0913 (a parameter for each option)
    context: typer.Context,
    bundle: BundleFolder,
    table: Table = None,
    *,
    by: GroupedBy = "",
    quantity: Quantities = "sum",
    against: Reference = None,
    against_table: AgainstTable = None,
    of: Wholes = "",
    top: Top = TOP,
    labels: Labels = False,
    cell: Cell = None,
    over: Over = None,
    form: Form = None,
    out: Out = None,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Sums, shares, changes, ratios and ranks of a published table, with margins.

    Reads sealed bundles only and spends nothing. low and high are intervals of 90 %, by draws of
    the public law of the noise. An end that is missing is infinite; the method says why.
    With --cell it shows one cell over releases, and with --form it writes the files of a public
    product, whose further bundles stand in place of the table.

    Example: leeward read bundle place_sector --by place --as sum,share
    """
    given = given_options(context)
    if form is not None:
        _refuse_beside(given, "--form", {"--out"})
        _write_layout([bundle, *map(Path, table or ())], form, out)
        return
    if table is None or len(table) != 1:
        raise InvalidParameter(
            "TABLE",
            rule="must be one table of the bundle",
            value=", ".join(table or ()) or "nothing",
            next_step="Give its name after the bundle; several bundles go with --form.",
        )
    name, release = table[0], read_bundle(bundle)
    if cell is not None:
        _refuse_beside(given, "--cell", {"--over", "--csv", "--json"})
        answer = ReadAnswer.over_periods(release, name, _codes(cell), over or [])
    else:
        _refuse_alone(given)
        derived = derive(release, name, _listed(by), _listed(quantity), of=_listed(of), top=top,
                         against=_against(release, name, against, against_table))  # fmt: skip
        answer = ReadAnswer.of(derived, labels=labels)
    _tell(answer, csv, as_json=as_json)


def _refuse_beside(given: set[str], way: str, beside: set[str]) -> None:
    """Refuse options that mean nothing beside this one."""
    for option in sorted(given - {way} - beside):
        raise InvalidParameter.unwanted(
            option,
            f"with {way}",
            value=option,
            next_step=f"Leave one of them out; {way} goes with {', '.join(sorted(beside))}.",
        )


def _refuse_alone(given: set[str]) -> None:
    """Refuse options that need another one."""
    for option, way in {"--out": "--form", "--over": "--cell"}.items():
        if option in given:
            raise InvalidParameter(
                option,
                rule=f"belongs to {way}",
                value=option,
                next_step=f"Give {way} too, or leave it out.",
            )


def _write_layout(bundles: list[Path], form: str, out: Path | None) -> None:
    from leeward.derived.products.layouts import write_layout  # noqa: PLC0415 (for this option alone)

    if out is None:
        raise InvalidParameter(
            "--out",
            rule="is needed with --form",
            value="nothing",
            next_step="Give a new folder for the files.",
        )
    for path in write_layout(bundles, form, out):
        say(f"{path} has the form of {form.upper()}.")
    say(f"{out / 'about.txt'} says where its numbers come from. Nothing was charged.")


@dataclass(frozen=True)
class ReadAnswer:
    """Rows to show; the last columns but one are value, low and high."""

    columns: tuple[str, ...]
    lines: list[tuple[Any, ...]]
    csv: str
    json: dict[str, Any]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, derived: Derived, *, labels: bool) -> "ReadAnswer":
        """The rows of derived numbers."""
        return cls(
            columns=derived.columns(labels=labels),
            lines=list(derived.lines(labels=labels)),
            csv=derived.to_csv(labels=labels),
            json=derived.to_dict(labels=labels),
            notes=derived.notes,
        )

    @classmethod
    def over_periods(
        cls, release: Bundle, table: str, cell: Mapping[str, str], over: list[Path]
    ) -> "ReadAnswer":
        """One cell in this release and in others; of a folder, those with the same table."""
        others, notes = [], []
        for path in over:
            releases = releases_at(path)
            if not is_bundle(path):
                releases, lacking = alike(release, table, releases)
                notes += [left_out(lacking, path)] if lacking else []
            others += releases
        periods = series(release, table, cell, others)
        periods = replace(periods, notes=(*periods.notes, *notes))
        return cls(
            columns=COLUMNS,
            lines=list(periods.lines()),
            csv=periods.to_csv(),
            json=periods.to_dict(),
            notes=periods.notes,
        )

    def shown(self) -> Iterator[str]:
        """The rows in columns, numbers to the right, and the notes."""
        first = len(self.columns) - NUMBERS - 1
        numbers = range(first, first + NUMBERS)
        lines = [
            [_number(cell) if at in numbers else cut(str(cell)) for at, cell in enumerate(line)]
            for line in self.lines
        ]
        wide = [max(map(len, column)) for column in zip(self.columns, *lines, strict=True)]
        for line in ([*self.columns], *lines):
            cells = [
                text.rjust(width) if at in numbers else text.ljust(width)
                for at, (text, width) in enumerate(zip(line, wide, strict=True))
            ]
            yield "  ".join(cells).rstrip()
        yield ""
        yield from self.notes


def _tell(answer: ReadAnswer, csv: Path | None, *, as_json: bool) -> None:
    if csv is not None:
        try:
            with csv.open("x", encoding="utf-8", newline="") as file:
                file.write(answer.csv)
        except OSError as error:
            there = isinstance(error, FileExistsError)
            raise BadFile(
                "--csv",
                rule="must be a new file" if there else "must be a file that can be written",
                value=repr(str(csv)),
                next_step="Give another path.",
            ) from None
        note(f"{len(answer.lines):,} rows are in {csv}.")
    if as_json or csv is None:
        show(answer.shown(), lambda: answer.json, as_json=as_json)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _against(
    release: Bundle, table: str, against: str | None, other_table: str | None
) -> Against | None:
    """Another bundle or table, or the codes of a group."""
    if against is not None and "=" in against:
        if other_table is not None:
            raise InvalidParameter.unwanted(
                "--against-table",
                "where --against is a group",
                value=repr(other_table),
                next_step="Leave --against-table out, or give the folder of a bundle as --against.",
            )
        return _codes(against)
    if against is None and other_table is None:
        return None
    other = release if against is None else read_bundle(against)
    reference: PublishedTable = other[other_table or table]
    return reference


def _codes(text: str) -> Mapping[str, str]:
    pairs = [part.partition("=") for part in _listed(text)]
    return {name.strip(): code.strip() for name, _, code in pairs}


def _number(number: object) -> str:
    if number is None:
        return ""
    return count(number) if isinstance(number, int) else significant(float(str(number)))
