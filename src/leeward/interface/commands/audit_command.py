"""`leeward audit`: the table of what is claimed and what is true."""

from collections.abc import Iterable, Iterator
from math import isinf, isnan
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from leeward.interface.commands.audit_graph import graph_command
from leeward.interface.commands.audit_promises import markdown_table, promises_command
from leeward.interface.commands.screen import REFUSED, say, say_json
from leeward.lab.audit import Row, audit

COLUMNS = (
    "mechanism",
    "policy",
    "α",
    "ε claimed",
    "ε computed",
    "δ computed",
    "verdict",
    "reading",
)

AsJson = Annotated[bool, typer.Option("--json", help="Rows as JSON, for programs.")]
AsMarkdown = Annotated[
    bool, typer.Option("--markdown", help="The table as Markdown, for documents.")
]
Sentences = Annotated[
    bool,
    typer.Option(
        "--promises", help="Examine the printed sentences instead of the mechanisms: a minute."
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Fewer α, ε and databases: below two minutes.")
]
Graph = Annotated[
    str | None,
    typer.Option(help="Examine a policy graph: a file .yaml or .csv, or such as line:10:2."),
]
Query = Annotated[
    Path | None, typer.Option(help="With --graph: CSV, what each node adds to the numbers.")
]
Epsilon = Annotated[str, typer.Option(help="With --graph: what every edge is hidden by.")]
Out = Annotated[Path | None, typer.Option(help="With --graph: a page with its picture to write.")]


def audit_command(  # noqa: PLR0913 (a parameter for each option)
    *,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    sentences: Sentences = False,
    quick: Quick = False,
    graph: Graph = None,
    query: Query = None,
    epsilon: Epsilon = "1",
    out: Out = None,
) -> None:
    """Compute the true privacy loss of every mechanism, and of known-bad controls.

    The code that releases call is run on neighbouring databases with noise that tells what it was
    asked for; losses are computed from these exact integer distributions. Rows of "released code"
    compare it with its definition and sample it: their ε is a lower bound. Mechanisms must be
    confirmed and controls rejected; otherwise the exit code is 1. With --promises the same is done
    for every sentence that is printed about a guarantee, on pairs of possible worlds. With --graph
    a policy as data is examined instead: star, complete, line, partition, h15, h15-printed, strong,
    weak, or a file.

    Example: leeward audit --quick
    """
    if graph is not None:
        graph_command(graph, epsilon=epsilon, query=query, out=out, as_json=as_json)
        return
    if sentences:
        promises_command(as_json=as_json, as_markdown=as_markdown)
        return
    rows = list(_watched(audit(quick=quick)))
    if as_json:
        say_json([row.as_json() for row in rows])
    elif as_markdown:
        say(markdown(rows))
    else:
        _print(rows)
    if not all(row.as_expected for row in rows):
        raise typer.Exit(REFUSED)


def _print(rows: list[Row]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for line in ("Privacy loss, computed from exact distributions", *lines(rows)):
        console.print(line)
    say("\n" + summary(rows))


def _watched(rows: Iterable[Row]) -> Iterator[Row]:
    """Show on the error stream how far the work is."""
    console = Console(stderr=True)
    with console.status("examining neighbouring databases …") as status:
        for number, row in enumerate(rows, start=1):
            status.update(f"{number} rows, last: {row.claim.mechanism} ({row.claim.policy})")
            yield row


def cells(row: Row) -> tuple[str, ...]:
    """A row as text."""
    delta, claim = row.delta, row.claim
    published = "published" if claim.calibration == "published" else ""
    bound, digits = ("≥ ", 3) if row.sampled else ("", 4)
    loss = "∞" if isinf(row.epsilon) else f"{bound}{row.epsilon:.{digits}g}"
    return (
        ", ".join(filter(None, (claim.mechanism, published, claim.detail))),
        claim.policy,
        "–" if claim.alpha is None else f"{float(claim.alpha):g}",
        f"{float(claim.epsilon):g}",
        "–" if isnan(row.epsilon) else loss,
        "–" if delta is None else f"{delta:.3g}",
        row.verdict,
        row.reading,
    )


def lines(rows: Iterable[Row]) -> Iterator[str]:
    """The rows for a terminal, 80 columns wide: a heading for each claim, a line for each α and ε.

    Green is an expected verdict, yellow a rejected control, red an unexpected verdict.
    """
    last = ""
    for row in rows:
        name, policy, alpha, claimed, computed, _, verdict, reading = cells(row)
        heading = f"control: {row.claim.control}; {name}" if row.claim.control else name
        if f"{heading}, {policy}" != last:
            last = f"{heading}, {policy}"
            yield f"\n[bold]{last}[/]"
        colour = "red" if not row.as_expected else "yellow" if row.claim.control else "green"
        numbers = f"α {alpha:<5} ε {claimed:<4} computed {computed:<8}"
        short = reading.removeprefix(f"{row.claim.control}: ")
        yield f"  {numbers} [{colour}]{verdict}[/]  {short}"


def markdown(rows: Iterable[Row]) -> str:
    """The table for a document; sampled losses differ each time and are left out."""
    at = COLUMNS.index("ε computed")
    lines = ((row.sampled, cells(row)) for row in rows)
    steady = ((*line[:at], "sampled", *line[at + 1 :]) if sampled else line
              for sampled, line in lines)  # fmt: skip
    return markdown_table((COLUMNS, *steady))


def summary(rows: list[Row]) -> str:
    """Both counts in one sentence."""
    genuine = [row for row in rows if not row.claim.control]
    controls = [row for row in rows if row.claim.control]
    kept, caught = (sum(row.as_expected for row in part) for part in (genuine, controls))
    return (
        f"{kept} of {len(genuine)} claims confirmed, "
        f"{caught} of {len(controls)} known-bad controls rejected."
    )
