"""`leeward synth inspect`: known likenesses and faults are found, and nothing else is told."""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest
from typer.testing import CliRunner

from leeward.core.noise.scales import Integers
from leeward.core.randomness import SeededBits
from leeward.core.show.notebook import INTERNAL
from leeward.interface.commands.app import build
from leeward.systems.synth.closeness import CellTable, distance, entropy
from leeward.systems.synth.inspection import (
    BAD_AT,
    Inspection,
    InspectionRequest,
    Reproduction,
    inspect,
)
from leeward.systems.synth.inspection_page import _reproduced, page
from tests.systems.synth.scene import INSIDE, domain, write

pytestmark = pytest.mark.usefixtures("folder")

STRANGE = "a word that no list has"
SHUFFLED = "SELECT * FROM people ORDER BY hash(pay * 7 + rowid)"
PERMUTED = (
    "SELECT p.* REPLACE (q.school AS school) FROM people p JOIN people q "
    "ON q.rowid = (p.rowid + 301) % 600"
)
BROKEN = (
    "SELECT * REPLACE (CASE WHEN rowid < 5 THEN 'degree' ELSE school END AS school, "
    "CASE WHEN rowid < 5 THEN 'young' ELSE age END AS age, "
    "CASE WHEN rowid IN (11, 12, 13) THEN 'UNLISTED' ELSE sex END AS sex, "
    "CASE WHEN rowid = 20 THEN '1000' WHEN rowid = 21 THEN 'much' ELSE pay::VARCHAR END AS pay, "
    "CASE WHEN rowid = 30 THEN 2.5 ELSE height END AS height) FROM people"
)


def made(query: str) -> Path:
    """A synthetic file: a query of the real one."""
    with duckdb.connect() as database:
        database.execute("CREATE TABLE people AS FROM 'people.csv'")
        database.execute(f"COPY ({query}) TO 'made.csv'")
    return Path("made.csv")


def found(query: str, ranges: int = 4) -> Inspection:
    return inspect(InspectionRequest(Path("people.csv"), made(query), domain(ranges)))


def command(*options: str, synthetic: str = "made.csv") -> tuple[int, str]:
    words = ["synth", "inspect", "people.csv", synthetic, "--out", "seen", *options]
    result = CliRunner().invoke(build(), words)
    return result.exit_code, result.output


def test_the_same_rows_in_another_order_are_the_same() -> None:
    same = found(SHUFFLED, ranges=100)
    assert {one.distance for one in (*same.columns, *same.pairs, *same.triples)} == {0.0}
    assert all(one.real_information == one.synthetic_information for one in same.pairs)
    assert {one.target for one in same.scores} >= {"sex", "age", "pay"}
    assert all(one.real == one.synthetic for one in same.scores)
    told = {one.target: one for one in same.scores}["age"]
    assert told.most_frequent < 0.7
    assert told.real > 0.9, "pay tells the age of everybody"
    assert all(one.real == one.synthetic == 0 for one in same.violations)
    copied = same.uniqueness
    assert copied.copied == copied.unique > 0.2
    assert copied.of_half > 1.5 * copied.by_holdout, "copies stand out from chance"


def test_a_permuted_column_tells_less_of_the_others() -> None:
    shifted = found(PERMUTED)
    pair = {one.columns: one for one in shifted.pairs}
    hit = pair["age", "school"]
    assert hit.synthetic_information < 0.1 * hit.real_information
    assert hit.distance == pytest.approx(hit.independent, abs=0.05)
    assert pair["age", "pay"].distance == 0
    assert hit.real_information > 0.2
    assert '<td class="under-' in page(shifted), "less information is another colour"


def test_broken_rules_are_counted_and_strange_codes_not_shown() -> None:
    broken = found(BROKEN.replace("UNLISTED", STRANGE))
    told = {one.rule: one.synthetic for one in broken.violations if one.synthetic}
    assert told == {
        "sex is one of its codes": 3,
        "pay is a number within its ends": 2,
        "height is a number within its ends": 1,
        "not age young with school degree": 5,
    }
    shown = page(broken) + json.dumps(broken.as_json())
    assert STRANGE not in shown
    assert "much" not in json.dumps(broken.as_json())


def test_a_folder_of_synthetic_rows_is_inspected_by_its_own_columns_for_its_owner_alone() -> None:
    words = ["synth", "table", "people.csv", "--codebook", "codebook.yaml", "--out", "made"]
    CliRunner().invoke(build(), [*words, "--epsilon", "30", "--ranges", "4", *INSIDE])
    code, said = command("--target", "age", synthetic="made")
    assert code == 0, said
    assert said.startswith("Confidential: ")
    assert all(one in said for one in BAD_AT)
    folder = Path("seen")
    assert {f"{path.stat().st_mode & 0o777:o}" for path in folder.iterdir()} == {"600"}
    assert f"{folder.stat().st_mode & 0o777:o}" == "700"
    html = (folder / "index.html").read_text()
    assert html.count(INTERNAL) > 5
    assert all(one in html for one in BAD_AT)
    told = json.loads((folder / "inspection.json").read_text())
    assert told["internal"] is True
    assert [one["target"] for one in told["scores"]] == ["age"]
    assert {one["synthetic"] for one in told["violations"]} == {0}
    asked = InspectionRequest(Path("people.csv"), Path("made/synthetic.parquet"), domain(), "age")
    by_codebook = json.loads(json.dumps(inspect(asked).as_json()))
    for part in ("rows", "pairs", "scores", "uniqueness"):
        assert told[part] == by_codebook[part], part


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--codebook: must be given where no description.json lies beside SYNTHETIC"),
        (("--codebook", "codebook.yaml", "--target", "town"), "--target: must be a column"),
    ],
)
def test_what_cannot_be_inspected_is_refused(options: tuple[str, ...], said: str) -> None:
    made(SHUFFLED)
    code, output = command(*options)
    assert (code, said in output) == (1, True), output
    assert not Path("seen").exists()


def test_linked_rows_that_are_damaged_are_refused_and_what_contradicts_them_is_told() -> None:
    linked = Path("linked")
    linked.mkdir()
    (linked / "codebook.yaml").write_text(Path("codebook.yaml").read_text())
    (linked / "synthetic.json").write_text("{}")
    code, output = command(synthetic="linked")
    assert code == 1
    assert "synthetic.json: must be what `leeward synth linked` writes" in output
    told = list(_reproduced(Reproduction(("by_sex",), ("by_sex has another total",))))
    assert told == ["Linked rows are not what was published: by_sex has another total."]


def test_a_file_without_rows_is_refused() -> None:
    write(Path(), rows=0)
    made("SELECT * FROM people")
    code, output = command("--codebook", "codebook.yaml")
    assert code == 1
    assert "REAL: must have rows" in output


def tables(sizes: tuple[int, ...]) -> Iterator[Integers]:
    generator = SeededBits(3).generator
    for _ in range(5):
        yield generator.integers(0, 4, sizes) * (generator.random(sizes) < 0.5)


def sparse(counts: Integers) -> CellTable:
    at = np.nonzero(counts)
    return CellTable(at, counts[at] / counts.sum(), int(counts.sum()))


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 4)])
def test_sparse_tables_agree_with_dense_ones(sizes: tuple[int, ...]) -> None:
    for first, second in combinations(tables(sizes), 2):
        one, two = first / first.sum(), second / second.sum()
        assert distance(sparse(first), sparse(second)) == pytest.approx(abs(one - two).sum() / 2)
        others = [tuple(set(range(one.ndim)) - {at}) for at in range(one.ndim)]
        margins = [one.sum(axis=axes) for axes in others]
        product = margins[0]
        for margin in margins[1:]:
            product = np.multiply.outer(product, margin)
        assert sparse(first).from_independent == pytest.approx(abs(one - product).sum() / 2)
        if len(sizes) == 2:
            held = one > 0
            logs = (one[held] * np.log(one[held] / product[held])).sum()
            scale = (entropy(margins[0]) + entropy(margins[1])) / 2
            assert sparse(first).mutual_information == pytest.approx(logs / scale)


@pytest.mark.parametrize("rows", [10, 2_000])
def test_the_distance_of_rows_drawn_anew_is_that_of_a_bootstrap(rows: int) -> None:
    shares = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
    drawn = SeededBits(5).generator.multinomial(rows, shares, 20_000) / rows
    mean = abs(drawn - shares).sum(axis=1).mean() / 2
    table = CellTable((np.arange(5),), shares, 100)
    assert table.resampled(rows) == pytest.approx(mean, rel=0.02)
