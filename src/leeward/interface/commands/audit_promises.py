"""`leeward audit --promises`: printed sentences about a guarantee, and the computed losses.

Its table and that of the mechanisms have verdicts, which are counted and shown in one way.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import typer
from rich.console import Console
from rich.markup import escape

from leeward.interface.commands.screen import REFUSED, say, say_json
from leeward.lab.audit import Promise, Row, examine

COLUMNS = ("sentence", "policy", "mechanism", "α", "ε", "promised", "computed", "verdict")
WIDTHS = (30, 13, 22, 4, 3, 9, 9, 0)

Verdicts = Sequence[Row | Promise]


def promises_command(*, as_json: bool, as_markdown: bool) -> None:
    """Print every sentence with its verdict; the exit code is 1 if any verdict is unexpected."""
    rows = list(examine())
    table = (COLUMNS, *map(cells, rows))
    show_verdicts(
        rows, lines(rows), lambda: markdown_table(table), as_json=as_json, as_markdown=as_markdown
    )


def show_verdicts(
    rows: Verdicts,
    lines: Iterable[str],
    markdown: Callable[[], str],
    *,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Show rows in one of three forms; the exit code is 1 if any verdict is unexpected."""
    if as_json:
        say_json([row.as_json() for row in rows])
    elif as_markdown:
        say(markdown())
    else:
        console = Console(highlight=False, soft_wrap=True)
        for line in lines:
            console.print(line)
    if not all(row.as_expected for row in rows):
        raise typer.Exit(REFUSED)


def verdict_counts(genuine: Verdicts, controls: Verdicts, names: tuple[str, str]) -> str:
    """Both counts in one sentence."""
    kept, caught = (sum(row.as_expected for row in part) for part in (genuine, controls))
    confirmed = f"{kept} of {len(genuine)} {names[0]} confirmed"
    return f"{confirmed}, {caught} of {len(controls)} {names[1]} rejected."


def cells(row: Promise) -> tuple[str, ...]:
    """A row as texts."""
    fields = row.as_json()
    name = f"{row.id} (false)" if row.control else row.id
    numbers = [fields[key] for key in ("alpha", "epsilon", "promised", "computed")]
    texts = ("–" if number is None else "∞" if number == "inf" else f"{number:.4g}"
             for number in numbers)  # fmt: skip
    return (name, row.policy, row.mechanism, *texts, row.verdict)


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """A table for a document; its first line are the heads."""
    heads, *rows = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


def lines(rows: Sequence[Promise]) -> Iterator[str]:
    """The rows for a terminal, the text of each unexpected one, and the counts."""
    yield "What is printed about a guarantee, and the loss that is computed\n"
    yield _line(COLUMNS)
    for row in rows:
        colour = "green" if row.as_expected else "bold red"
        *first, verdict = cells(row)
        yield f"{_line(first)} [{colour}]{verdict}[/]"
    for row in rows:
        if not row.as_expected:
            yield escape(f"\n{row.id}: {row.text}")
    genuine = [row for row in rows if not row.control]
    false = [row for row in rows if row.control]
    yield f"\n{verdict_counts(genuine, false, ('sentences', 'false sentences'))}"


def _line(texts: Iterable[str]) -> str:
    padded = (f"{text:<{width}}" for text, width in zip(texts, WIDTHS, strict=False))
    return " ".join(padded).rstrip()
