"""`leeward audit`: the table of what is claimed and what is true, and of a policy as data."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import isinf, isnan
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from leeward.core.errors import BadFile
from leeward.core.privacy.graph import PolicyGraph
from leeward.core.privacy.graph_file import read_graph, read_query
from leeward.core.show.environment import template
from leeward.core.show.node_chart import MOST_DRAWN, network
from leeward.core.show.numbers import count, counted
from leeward.interface.commands.audit_promises import (
    markdown_table,
    promises_command,
    show_verdicts,
    verdict_counts,
)
from leeward.interface.commands.screen import REFUSED, show
from leeward.lab.audit import Row, audit
from leeward.lab.audit.graph_exam import GraphExam
from leeward.publishing.bundle.disk import write_file
from leeward.publishing.plan.reading import read_number

COLUMNS = (
    *("mechanism", "policy", "α", "ε claimed", "ε computed", "δ computed"),
    *("verdict", "reading"),
)

SENTENCES = 4
"""Pairs of nodes that are told about, each at another distance."""

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
    rows = []
    with Console(stderr=True).status("examining neighbouring databases …") as status:
        for row in audit(quick=quick):
            rows.append(row)
            status.update(f"{len(rows)} rows, last: {row.claim.mechanism} ({row.claim.policy})")
    show_verdicts(
        rows, lines(rows), lambda: markdown(rows), as_json=as_json, as_markdown=as_markdown
    )


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


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows for a terminal, 80 columns wide: a heading for each claim, a line for each α and ε.

    The counts come last.

    Green is an expected verdict, yellow a rejected control, red an unexpected verdict.
    """
    last = ""
    yield "Privacy loss, computed from exact distributions"
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
    yield f"\n{summary(rows)}"


def markdown(rows: Iterable[Row]) -> str:
    """The table for a document; sampled losses differ each time and are left out."""
    at = COLUMNS.index("ε computed")
    lines = ((row.sampled, cells(row)) for row in rows)
    steady = ((*line[:at], "sampled", *line[at + 1 :]) if sampled else line
              for sampled, line in lines)  # fmt: skip
    return markdown_table((COLUMNS, *steady))


def summary(rows: Sequence[Row]) -> str:
    """Both counts in one sentence."""
    genuine = [row for row in rows if not row.claim.control]
    controls = [row for row in rows if row.claim.control]
    return verdict_counts(genuine, controls, ("claims", "known-bad controls"))


def graph_command(
    source: str, *, epsilon: str, query: Path | None, out: Path | None, as_json: bool
) -> None:
    """Show a graph and examine the noise; the exit code is 1 if a verdict is unexpected."""
    graph = read_graph(source)
    answers = graph.counts() if query is None else read_query(query, graph)
    exam = GraphExam.of(graph, answers, read_number(epsilon, "--epsilon"))
    rows = exam.rows()
    answer = tuple(graph_lines(exam, rows))
    if out is not None:
        if out.exists():
            raise BadFile(
                "--out",
                rule="must be a file that does not exist",
                value=repr(str(out)),
                next_step="Give another name.",
            )
        write_file(out, page(graph, answer).encode())
    place = () if out is None else (f"The page is {out}.",)
    content = {
        "graph": graph.name,
        "epsilon": str(exam.epsilon),
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "parts": len(graph.components),
        "diameter": graph.diameter,
        "sensitivity": exam.sensitivity,
        "rows": [row.as_json() for row in rows],
        "sentences": list(sentences(graph, exam.epsilon)),
    }
    show((*answer, *place), lambda: content, as_json=as_json)
    if not all(row.as_expected for row in rows):
        raise typer.Exit(REFUSED)


def sentences(graph: PolicyGraph, epsilon: Fraction) -> Iterator[str]:
    """One pair of nodes for each distance from the first node, and one without a path."""
    start = graph.absent or graph.nodes[0]
    distances = graph.distances(start)
    steps = range(1, max(distances.values()) + 1)
    first = (next(node for node in graph.nodes if distances.get(node) == step) for step in steps)
    apart = (node for node in graph.nodes if node not in distances)
    for node in (*islice(first, SENTENCES), *islice(apart, 1)):
        yield graph.sentence(start, node, epsilon)


def graph_lines(exam: GraphExam, rows: tuple[Row, ...]) -> Iterator[str]:
    """The answer for a person."""
    graph = exam.graph
    yield (
        f"Policy graph {graph.name}: {counted(len(graph.nodes), 'node')}, "
        f"{counted(len(graph.edges), 'edge')}, {counted(len(graph.components), 'part')}, at most "
        f"{counted(graph.diameter, 'step')} between nodes."
    )
    yield f"Sensitivity of the query: {count(exam.sensitivity)}."
    for row in rows:
        bad = f"Known bad, Laplace noise for {row.claim.control}"
        noise = bad if row.claim.control else "Calibrated Laplace noise"
        losses = f"claimed {float(exam.epsilon):g}, computed {row.epsilon:.4g}"
        yield f"{noise}: {losses}, {row.verdict}."
    yield from sentences(graph, exam.epsilon)


def page(graph: PolicyGraph, answer: Sequence[str]) -> str:
    """One HTML file, with a picture of a small graph."""
    picture = None
    if len(graph.nodes) <= MOST_DRAWN:
        from_absent = None if graph.absent is None else graph.distances(graph.absent)
        words = f", in rows by their distance from {graph.absent}" if graph.absent else ""
        size = f"{counted(len(graph.nodes), 'node')} and {counted(len(graph.edges), 'edge')}"
        picture = network(f"{size}{words}", graph.nodes, graph.pairs(), from_absent)
    return template("show/graph.html.j2").render(graph=graph, picture=picture, lines=answer)
