"""`leeward read`: what follows from a published table, with margins, from the bundle alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from leeward.bundle import Bundle, read_bundle
from leeward.bundle.published_table import PublishedTable
from leeward.cli.screen import note, say, say_json
from leeward.errors import BadFile, InvalidParameter
from leeward.show.numbers import count, cut, significant
from leeward.tidy.derived import TOP, Against, Derived, derive

PARTED = "  "
NUMBERS = 3
"""Columns of numbers: value, low and high."""


def read_command(  # noqa: PLR0913 (a parameter for each option)
    bundle: Annotated[Path, typer.Argument(help="The bundle's folder.")],
    table: Annotated[str, typer.Argument(help="A table with margins.")],
    *,
    by: Annotated[
        str, typer.Option(help="Identifiers of the groups, with commas; none for the whole.")
    ] = "",
    quantity: Annotated[
        str, typer.Option("--as", help="Some of sum, mean, share, change, ratio, rank, growth.")
    ] = "sum",
    against: Annotated[
        str | None,
        typer.Option(help="For change and ratio: another bundle, or a group such as place=01."),
    ] = None,
    against_table: Annotated[
        str | None, typer.Option(help="For change and ratio: another table, of either bundle.")
    ] = None,
    of: Annotated[
        str, typer.Option(help="For share: some of --by, whose groups are the wholes.")
    ] = "",
    top: Annotated[int, typer.Option(help="For rank: how many of the largest count.")] = TOP,
    labels: Annotated[bool, typer.Option("--labels", help="Labels beside the codes.")] = False,
    csv: Annotated[Path | None, typer.Option(help="A new file for the rows.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The rows as JSON.")] = False,
) -> None:
    """Sums, shares, changes, ratios and ranks of a published table, with margins.

    Reads sealed bundles alone and spends nothing. low and high hold in nine of ten cases, by
    draws of the public law of the noise. An end that is missing is infinite; the method says why.

    Example: leeward read bundle place_sector --by place --as sum,share
    """
    held = read_bundle(bundle)
    found = derive(
        held,
        table,
        _listed(by),
        _listed(quantity),
        against=_against(held, table, against, against_table),
        of=_listed(of),
        top=top,
    )
    if csv is not None:
        _write(csv, found.to_csv(labels=labels))
        note(f"{len(found):,} rows are in {csv}.")
    if as_json:
        say_json(found.to_dict(labels=labels))
    elif csv is None:
        _show(found, labels=labels)


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _against(
    held: Bundle, table: str, against: str | None, other_table: str | None
) -> Against | None:
    """Another bundle or table, or the codes of a group."""
    if against is not None and "=" in against:
        if other_table is not None:
            raise InvalidParameter(
                "--against-table",
                rule="must be left out where --against is a group",
                value=repr(other_table),
                next_step="Leave --against-table out, or give the folder of a bundle as --against.",
            )
        return _codes(against)
    if against is None and other_table is None:
        return None
    other = held if against is None else read_bundle(against)
    chosen: PublishedTable = other[other_table or table]
    return chosen


def _codes(text: str) -> Mapping[str, str]:
    pairs = [one.partition("=") for one in _listed(text)]
    return {name.strip(): code.strip() for name, _, code in pairs}


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        there = isinstance(error, FileExistsError)
        raise BadFile(
            "--csv",
            rule="must be a new file" if there else "must be a file that can be written",
            value=repr(str(path)),
            next_step="Give another path.",
        ) from None


def _show(found: Derived, *, labels: bool) -> None:
    """The rows in columns, numbers to the right, and the notes."""
    names = found.columns(labels=labels)
    first = len(names) - NUMBERS - 1
    lines = [
        [
            _number(one) if first <= at < first + NUMBERS else cut(str(one))
            for at, one in enumerate(line)
        ]
        for line in found.lines(labels=labels)
    ]
    wide = [max(map(len, column)) for column in zip(names, *lines, strict=True)]
    for line in ([*names], *lines):
        cells = [
            text.rjust(width) if first <= at < first + NUMBERS else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, wide, strict=True))
        ]
        say(PARTED.join(cells).rstrip())
    say()
    for one in found.notes:
        say(one)


def _number(number: object) -> str:
    if number is None:
        return ""
    return count(number) if isinstance(number, int) else significant(float(str(number)))
