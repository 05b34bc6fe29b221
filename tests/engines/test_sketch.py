"""The sketch of a frame: the smallest keyed hashes of its ids, the same wherever they lie."""

from hashlib import md5
from pathlib import Path

import pytest

from leeward.engines import connect
from leeward.engines.sketch import MD5
from tests.engines.small import WRITERS, codebook, economy

KEY = "5eed" * 8


def true_sketch(ids: list[object], size: int) -> tuple[str, ...]:
    """By the definition, one id after the other."""
    hashes = {md5(f"{KEY}{one}".encode(), usedforsecurity=False).hexdigest() for one in ids}
    return tuple(one[:16] for one in sorted(hashes)[:size])


@pytest.mark.parametrize("text_ids", [False, True], ids=["numbers", "texts"])
@pytest.mark.parametrize("kind", WRITERS)
def test_it_is_the_same_in_every_kind_of_file(kind: str, text_ids: bool, tmp_path: Path) -> None:
    made, book = economy(3, text_ids=text_ids), codebook(tmp_path)
    ids = [row["workplace_id"] for row in made.workplaces]
    with connect(WRITERS[kind](made, tmp_path), tmp_path) as engine:
        for size in (4, 1024):
            assert engine.frame_sketch(book, KEY, size) == true_sketch(ids, size)
        assert engine.frame_sketch(book, KEY[::-1], 4) != true_sketch(ids, 4)
    assert len(ids) > 4


def test_both_ways_are_tried() -> None:
    assert "duckdb" in MD5
    assert "sqlite" not in MD5
