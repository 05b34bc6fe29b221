"""Policy graphs: distances, sensitivities, graphs that are built in beside the policies' types."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from leeward.core.errors import LeewardError
from leeward.core.privacy.graph import (
    PolicyGraph,
    complete,
    h15,
    h15_printed,
    line,
    partition,
    star,
    strong,
    weak,
)
from leeward.core.privacy.graph_file import read_graph, read_query
from leeward.core.privacy.policy import StrongAlpha, WeakAlpha
from leeward.core.privacy.workforces import Database


def test_adding_or_removing_a_record_puts_all_values_two_steps_apart() -> None:
    """[H15] §4.1: the graph of differential privacy is a star around ⊥."""
    graph = star(6)
    values = [node for node in graph.nodes if node != graph.absent]
    assert {graph.distance(*pair) for pair in combinations(values, 2)} == {2}
    assert graph.sensitivity(graph.histogram()) == 1
    assert complete(6).sensitivity(complete(6).histogram()) == 2


@pytest.mark.parametrize("alpha", ["0.1", "0.5"])
@pytest.mark.parametrize(("make", "policy"), [(strong, StrongAlpha()), (weak, WeakAlpha())])
def test_a_graph_of_workforces_is_the_policy(
    make: type[PolicyGraph], policy: StrongAlpha | WeakAlpha, alpha: str
) -> None:
    """Both say the same of every two workforces of at most 12 jobs."""
    graph = make(12, alpha)  # type: ignore[arg-type,call-arg]
    bases = [Database.of(one) for one in graph.workforces.values()]
    for left, right in combinations(bases, 2):
        assert graph.admits(left, right) == policy.admits(left, right, Fraction(alpha))


def test_as_printed_the_empty_workforce_is_everyone_s_neighbour() -> None:
    """[H15] eq. 4 bounds S' from above alone; its proof takes S ⊆ S' for granted."""
    printed, meant = h15_printed(8), h15(8)
    others = set(printed.nodes) - {"∅"}
    assert printed.neighbours["∅"] == others
    assert meant.neighbours["∅"] == {"0+1", "1+0"}
    assert printed.diameter == 2
    assert meant.edges < printed.edges


def test_near_values_are_few_steps_apart() -> None:
    assert line(10, 3).distance("v1", "v10") == 3
    query = {node: (number,) for number, node in enumerate(line(10, 3).nodes)}
    assert line(10, 3).sensitivity(query) == 3


def test_what_has_no_path_is_public() -> None:
    graph = partition(6, 2)
    assert graph.distance("v1", "v6") is None
    assert "not protected" in graph.sentence("v1", "v6", 1)
    assert "2.72" in graph.sentence("v1", "v3", 1)
    assert "7.39" in star().sentence("v1", "v2", 1)
    public = {node: (int(node in ("v1", "v2", "v3")),) for node in graph.nodes}
    assert graph.sensitivity(public) == 0


def test_graphs_are_read_from_yaml_and_csv(tmp_path: Path) -> None:
    (tmp_path / "pay.yaml").write_text(
        "absent: none\nedges: [[none, low], [low, middle], [middle, high]]\n"
    )
    (tmp_path / "pay.csv").write_text("left,right\nlow,middle\nmiddle,high\nnone,low\n")
    first, second = (read_graph(str(tmp_path / f"pay.{end}")) for end in ("yaml", "csv"))
    assert first.edges == second.edges
    assert (first.absent, second.absent) == ("none", None)
    assert first.distance("none", "high") == 3
    (tmp_path / "query.csv").write_text("node,pay\nnone,0\nlow,1\nmiddle,3\nhigh,9\n")
    assert first.sensitivity(read_query(tmp_path / "query.csv", first)) == 6


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("g.yaml", "edges: [[a, a], [a, b]]", "two different nodes"),
        ("g.yaml", "edges: [[a, b, c]]", "two nodes each"),
        ("g.yaml", "nodes: [a]\nedges: []", "2 to"),
        ("g.yaml", "nodes: [a, b]", "must be given"),
        ("g.csv", "one,two\na,b\n", "left and right"),
        ("g.csv", "left,right\na,b,c\n", "left and right"),
        ("g.txt", "", "must be a file"),
    ],
)
def test_wrong_graphs_are_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(LeewardError, match=words):
        read_graph(str(tmp_path / name))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("stars", "Did you mean 'star'"),
        ("line:x", "whole numbers"),
        ("line:1:2:3", "whole numbers"),
        ("star:0", "1 to 500"),
        ("strong:99", "1 to 40"),
        ("strong:5:-1", "alpha"),
        ("partition:3:9", "parts"),
    ],
)
def test_wrong_names_are_refused(source: str, words: str) -> None:
    with pytest.raises(LeewardError, match=words):
        read_graph(source)


@pytest.mark.parametrize(
    "content", ["node,a\nv1,1\n", "node\nv1\n", "node,a\nv1,x\nv2,1\n", "node,a\nv1,1,2\nv2,1\n"]
)
def test_wrong_queries_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "q.csv").write_text(content)
    with pytest.raises(LeewardError):
        read_query(tmp_path / "q.csv", complete(2))
