"""Blocks are numbered in each tract; everything else is as without them."""

from pathlib import Path

from leeward.core.codebook import read_codebook
from leeward.lab.economy import Economy
from tests.lab.economy.conftest import Written, column, write


def test_an_economy_with_blocks_is_otherwise_the_same(tmp_path: Path, tracts: Written) -> None:
    asked = tracts.economy
    with_blocks = Economy(asked.jobs, asked.establishments, geography="blocks")
    blocks = write(tmp_path, with_blocks)
    assert blocks.jobs.equals(tracts.jobs)
    assert blocks.workers.equals(tracts.workers)
    assert blocks.workplaces.drop_columns(["block"]).equals(tracts.workplaces)
    book = read_codebook(blocks.files.codebook)
    assert book.attributes["block"].public
    assert set(column(blocks.workplaces, "block")) == set(book.attributes["block"].codes)
    assert "block" not in read_codebook(tracts.files.codebook).attributes


def test_a_nation_has_millions_of_them() -> None:
    nation = Economy(130_000_000, 8_000_000, geography="blocks")
    assert nation.place_count * nation.block_count > 3_000_000
    assert Economy(130_000_000, 8_000_000, geography="tracts").block_count == 0


def test_the_smallest_has_one(tmp_path: Path) -> None:
    made = write(tmp_path, Economy(0, 1, 1, geography="blocks"))
    assert column(made.workplaces, "block").tolist() == ["1000"]
