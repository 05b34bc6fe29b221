"""`leeward audit --graph`: a policy as data, and what noise that is calibrated to it loses."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path

import typer

from leeward.core.errors import BadFile
from leeward.core.privacy.graph import PolicyGraph
from leeward.core.privacy.graph_file import read_graph, read_query
from leeward.core.show.environment import template
from leeward.core.show.node_chart import MOST_DRAWN, network
from leeward.core.show.numbers import count, counted
from leeward.interface.commands.screen import REFUSED, show
from leeward.lab.audit.graph_exam import GraphExam
from leeward.lab.audit.row import Row
from leeward.publishing.bundle.disk import write_file
from leeward.publishing.plan.reading import read_number

SENTENCES = 4
"""Pairs of nodes that are told about, each at another distance."""


def graph_command(
    source: str, *, epsilon: str, query: Path | None, out: Path | None, as_json: bool
) -> None:
    """Show a graph and examine the noise; the exit code is 1 if a verdict is unexpected."""
    graph = read_graph(source)
    answers = graph.counts() if query is None else read_query(query, graph)
    exam = GraphExam.of(graph, answers, read_number(epsilon, "--epsilon"))
    rows = exam.rows()
    answer = tuple(lines(exam, rows))
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
    show((*answer, *place), lambda: _as_json(exam, rows), as_json=as_json)
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


def lines(exam: GraphExam, rows: tuple[Row, ...]) -> Iterator[str]:
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


def _as_json(exam: GraphExam, rows: tuple[Row, ...]) -> dict[str, object]:
    return {
        "graph": exam.graph.name,
        "epsilon": str(exam.epsilon),
        "nodes": len(exam.graph.nodes),
        "edges": len(exam.graph.edges),
        "parts": len(exam.graph.components),
        "diameter": exam.graph.diameter,
        "sensitivity": exam.sensitivity,
        "rows": [row.as_json() for row in rows],
        "sentences": list(sentences(exam.graph, exam.epsilon)),
    }


def page(graph: PolicyGraph, answer: Sequence[str]) -> str:
    """One HTML file, with a picture of a small graph."""
    picture = None
    if len(graph.nodes) <= MOST_DRAWN:
        from_absent = None if graph.absent is None else graph.distances(graph.absent)
        words = f", in rows by their distance from {graph.absent}" if graph.absent else ""
        size = f"{counted(len(graph.nodes), 'node')} and {counted(len(graph.edges), 'edge')}"
        picture = network(f"{size}{words}", graph.nodes, graph.pairs(), from_absent)
    return template("show/graph.html.j2").render(graph=graph, picture=picture, lines=answer)
