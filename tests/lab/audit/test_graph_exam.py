"""The auditor over policy graphs: calibrated noise at equality, half of it rejected."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import mechanism
from leeward.core.privacy.graph import partition, strong
from leeward.core.privacy.graph_file import read_graph
from leeward.interface.commands.app import build
from leeward.lab.audit.graph_exam import GraphExam, loss_over
from leeward.lab.audit.recording import released


@pytest.mark.parametrize("name", ["star", "complete", "line:6:2", "partition", "weak:4", "h15:4"])
def test_noise_for_the_sensitivity_loses_epsilon_and_half_of_it_twice(name: str) -> None:
    graph = read_graph(name)
    kept, control = GraphExam.of(graph, graph.counts(), 1).rows()
    assert (kept.verdict, control.verdict) == ("confirmed", "rejected")
    assert kept.tight
    assert control.epsilon == pytest.approx(2, rel=1e-6)


def test_a_sentence_of_k_steps_is_true() -> None:
    graph = strong(4, "0.5")
    exam = GraphExam.of(graph, graph.counts(), 1)
    for node in graph.nodes[1:]:
        steps = graph.distance("∅", node)
        assert steps is not None
        assert float(exam.between("∅", node).epsilon) <= steps + 1e-9


def test_released_code_is_examined_over_the_edges_of_a_graph() -> None:
    """The auditor takes any neighbours: here those of the strong policy as a graph."""
    graph = strong(4, "0.5")
    made = mechanism("slope", alpha="0.5", epsilon=1)

    def answer(node: str) -> tuple[object, ...]:
        size = sum(graph.workforces[node])
        return (released(made, size, size),)  # type: ignore[arg-type] # a mechanism of counts

    assert 0.9 < float(loss_over(graph.pairs(), answer, made.parameters.epsilon).epsilon) <= 1  # type: ignore[arg-type]


def test_a_public_query_needs_no_noise() -> None:
    graph = partition(4, 2)
    public = {node: (int(node in ("v1", "v2")),) for node in graph.nodes}
    with pytest.raises(InvalidParameter, match="public"):
        GraphExam.of(graph, public, 1)


def test_the_command(tmp_path: Path) -> None:
    page = tmp_path / "graph.html"
    words = ["audit", "--graph", "strong:4", "--out", str(page), "--json"]
    shown = CliRunner().invoke(build(), words)
    assert shown.exit_code == 0
    told = json.loads(shown.stdout)
    assert (told["nodes"], told["edges"], told["sensitivity"]) == (15, 20, 1)
    assert [one["verdict"] for one in told["rows"]] == ["confirmed", "rejected"]
    assert page.read_text().count("<circle") == 15
    assert CliRunner().invoke(build(), words).exit_code == 1  # the page is there already
