"""`leeward audit --promises`: printed sentences about a guarantee, and the computed losses."""

from collections.abc import Iterable, Sequence

import typer
from rich.console import Console

from leeward.interface.commands.screen import REFUSED, say, say_json
from leeward.lab.audit import Promise, examine

COLUMNS = ("sentence", "policy", "mechanism", "α", "ε", "promised", "computed", "verdict")


def promises_command(*, as_json: bool, as_markdown: bool) -> None:
    """Print every sentence with its verdict; the exit code is 1 if any verdict is unexpected."""
    rows = list(examine())
    if as_json:
        say_json([row.as_json() for row in rows])
    elif as_markdown:
        say(markdown_table((COLUMNS, *map(cells, rows))))
    else:
        _print(rows)
    if not all(row.as_expected for row in rows):
        raise typer.Exit(REFUSED)


def cells(row: Promise) -> tuple[str, ...]:
    """A row as texts."""
    fields = row.as_json()
    name = f"{row.id} (false)" if row.control else row.id
    numbers = (_text(fields[key]) for key in ("alpha", "epsilon", "promised", "computed"))
    return (name, row.policy, row.mechanism, *numbers, row.verdict)


def _text(value: object) -> str:
    if value is None:
        return "–"
    return "∞" if value == "inf" else f"{value:.4g}"


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """A table for a document; its first line are the heads."""
    heads, *rows = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


def _print(rows: list[Promise]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print("What is printed about a guarantee, and the loss that is computed\n")
    console.print(_line(COLUMNS))
    for row in rows:
        colour = "green" if row.as_expected else "bold red"
        *first, verdict = cells(row)
        console.print(f"{_line(first)} [{colour}]{verdict}[/]")
    for row in rows:
        if not row.as_expected:
            console.print(f"\n{row.id}: {row.text}", markup=False)
    console.print(f"\n{summary(rows)}")


def _line(texts: Iterable[str]) -> str:
    widths = (30, 13, 22, 4, 3, 9, 9)
    padded = (f"{text:<{width}}" for text, width in zip(texts, (*widths, 0), strict=False))
    return " ".join(padded).rstrip()


def summary(rows: list[Promise]) -> str:
    """Both counts in one sentence."""
    genuine = [row for row in rows if not row.control]
    false = [row for row in rows if row.control]
    kept, caught = (sum(row.as_expected for row in part) for part in (genuine, false))
    return (
        f"{kept} of {len(genuine)} sentences confirmed, {caught} of {len(false)} false sentences "
        "rejected."
    )
