"""What a public column holds can be listed, and no other column."""

from pathlib import Path

import pytest

from leeward.engines import code_texts, connect
from leeward.errors import BadData
from tests.engines.small import WRITERS, Economy, economy, parquet


def rows(*sectors: str | None) -> Economy:
    made = economy(8)
    workplaces = [
        {"workplace_id": k, "place": f"0{k % 3}", "sector": one, "state_owned": k == 1}
        for k, one in enumerate(sectors)
    ]
    return Economy(workplaces, made.workers, [])


@pytest.mark.parametrize("place", WRITERS)
def test_texts_stand_once_and_in_order(place: str, tmp_path: Path) -> None:
    made = rows("B", None, "ä", "A", "B", "A b", "a")
    with connect(WRITERS[place](made, tmp_path), tmp_path) as engine:
        assert engine.codes("sector") == ("A", "A b", "B", "a", "ä")
        assert engine.codes("place") == ("00", "01", "02")
        assert engine.codes("state_owned") == ("false", "true")
        assert engine.codes("workplace_id") == ("0", "1", "2", "3", "4", "5", "6")


@pytest.mark.parametrize(("column", "step"), [("sectr", "'sector'"), ("sex", "mend the codebook")])
def test_columns_of_other_tables_are_not_listed(column: str, step: str, tmp_path: Path) -> None:
    refused = pytest.raises(BadData, match=f"must have the column '{column}'")
    with connect(parquet(rows("A"), tmp_path), tmp_path) as engine, refused as caught:
        engine.codes(column)
    assert step in str(caught.value)


def test_fractions_are_no_codes(tmp_path: Path) -> None:
    made = Economy([{"workplace_id": 1, "pay": 1.5}], [], [])
    refused = pytest.raises(BadData, match="must hold text, whole numbers")
    with connect(parquet(made, tmp_path), tmp_path) as engine, refused as caught:
        engine.codes("pay")
    assert "1.5" not in str(caught.value)


def test_too_many_texts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_texts, "MOST_TEXTS", 3)
    with connect(parquet(rows("A", "B", "C", "C"), tmp_path), tmp_path) as engine:
        assert engine.codes("sector") == ("A", "B", "C")
        with pytest.raises(BadData, match="must hold at most 3 different texts"):
            engine.codes("workplace_id")
