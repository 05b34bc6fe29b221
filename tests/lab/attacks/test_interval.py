"""The auditor of releases finds what sums give away: on made-up tables, and in files."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leeward.core.errors import BadFile, InvalidParameter, LeewardError
from leeward.lab.attacks import interval
from leeward.lab.attacks.finding import AttackFinding
from leeward.lab.attacks.world import AttackedWorld, made_up
from leeward.lab.economy import Economy

WITHHELD = """place,sector,value
A,1,
A,2,20
B,1,30
B,2,
A,*,25
B,total,70
"""


@pytest.fixture(scope="module")
def world() -> Iterator[AttackedWorld]:
    """A tenth of the laboratory's economy: its own numbers take ten seconds."""
    with made_up(Economy(20_000, 1_000)) as one:
        yield one


@pytest.fixture(scope="module")
def found(world: AttackedWorld) -> AttackFinding:
    return interval.attack(world)


def test_sums_give_withheld_establishments_away(found: AttackFinding) -> None:
    told = found.further
    assert (told["withheld"], told["equations"], told["single"]) == (100, 192, 64)
    assert (told["by_subtraction"], told["exact"], told["fail"]) == (10, 25, 25)
    assert told["size_classes"] == {"exact": 25, "fail": 30}
    assert found.number == 25 / 64
    assert told["unsettled"] == 0
    assert told["inside"]


def test_one_way_totals_say_little_and_rounding_fails_on_large_ones(
    world: AttackedWorld, found: AttackFinding
) -> None:
    """|x − v| ≤ 2 fails above 42 jobs, |x − v| ≤ 5 from 105 on, which is rounded to 110."""
    told = found.further
    truth = world.truth(world.marginal(("place", "sector")))
    assert truth.cells.in_frame is not None
    sizes = truth.counts[truth.cells.in_frame == 1]
    assert told["two_way_single"] == np.sum(sizes > 0)
    assert told["two_way"] == {"exact": 0, "fail": 0}
    assert told["rounded_5"]["fail"] >= np.sum(sizes > 42)
    assert told["rounded_10"]["fail"] >= np.sum(sizes >= 105)
    assert told["two_way_inside"]


def test_a_release_leaves_no_interval_with_an_end(found: AttackFinding) -> None:
    assert found.against_leeward.number == found.against_nothing.number == 0
    assert not found.internal


def test_few_is_at_least_two(world: AttackedWorld) -> None:
    with pytest.raises(InvalidParameter, match="fewest"):
        interval.attack(world, fewest=1)


def of(folder: Path, *tables: str) -> AttackFinding:
    paths = [folder / f"{number}.csv" for number in range(len(tables))]
    for path, text in zip(paths, tables, strict=True):
        path.write_text(text, encoding="utf-8")
    return interval.of_files(paths)


def test_totals_in_rows_and_in_tables_are_sums(tmp_path: Path) -> None:
    found = of(tmp_path, WITHHELD, "sector,value\n2,60\n")
    cells = {"".join(one["cell"].values()): one for one in found.further["cells"]}
    assert (cells["A1"]["low"], cells["A1"]["high"], cells["A1"]["fails"]) == (5, 5, True)
    assert cells["B2"]["low"] == cells["B2"]["high"] == 40
    assert found.further["verdict"] == "fail"
    assert found.internal


def test_classes_and_open_ends_are_boxes(tmp_path: Path) -> None:
    text = "place,value\nA,10..19\nB,20-49\nC,1000..\nD,\n,1100\n"
    found = of(tmp_path, text)
    ends = {one["cell"]["place"]: (one["low"], one["high"]) for one in found.further["cells"]}
    assert ends == {"A": (10, 19), "B": (20, 49), "C": (1000, 1070), "D": (0, 70)}
    assert found.further["verdict"] == "fail"  # C: 1070 is below 1.1 times 1000


def test_a_table_without_sums_passes_and_proves_nothing(tmp_path: Path) -> None:
    found = of(tmp_path, "place,value\nA,\nB,7\n")
    (cell,) = found.further["cells"]
    assert (cell["low"], cell["high"], found.further["verdict"]) == (0, None, "pass")


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (["place,number\nsecret,77\n"], "one of them value"),
        (["place,place,value\nsecret,77,1\n"], "different column names"),
        (["place,value\nsecret\n"], "as many fields"),
        (["place,value\nsecret,77x\n"], "whole number"),
        (["place,value\nsecret,9..7\n"], "whole number"),
        (["place,value\nsecret,-77\n"], "whole number"),
        (["place,value\nsecret,77\nsecret,77\n"], "each cell once"),
        (["place,value\nsecret,77\n", "sector,value\n1,77\n"], "attribute columns of all"),
        (["place,sector,value\nsecret,1,77\n", "place,value\nother,77\n"], "a sum of none"),
        (["place,value\nsecret,77\n*,78\n"], "contradict"),
        (['place,value\n"secret,77\n'], "CSV file"),
        ([""], "one of them value"),
    ],
)
def test_malformed_files_are_refused_without_their_content(
    tmp_path: Path, tables: list[str], words: str
) -> None:
    with pytest.raises(LeewardError, match=words) as refusal:
        of(tmp_path, *tables)
    assert "secret" not in str(refusal.value)
    assert "77" not in str(refusal.value).replace(str(tmp_path), "")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="can be read"):
        interval.of_files([tmp_path / "none.csv"])
