"""Maps of strangers: drawn to scale or refused, and their texts never become markup."""

import json
from pathlib import Path
from typing import Any

import pytest

from leeward.core.errors import BadFile
from leeward.interface.web import geography
from leeward.interface.web.geography import read_map
from tests.derived.derive.test_series import write_quarter
from tests.interface.web.releases_scene import Markup
from tests.interface.web.serving import serving

RING = [[10, 50], [11, 50], [11, 51], [10, 50]]


def area(code: object, rings: object = (RING,), kind: str = "Polygon") -> dict[str, Any]:
    return {"type": "Feature", "properties": {"NUTS_ID": code},
            "geometry": {"type": kind, "coordinates": rings}}  # fmt: skip


def write(path: Path, *areas: object) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": areas}))
    return path


def test_areas_keep_their_shape_and_codes(tmp_path: Path) -> None:
    second = [[[x + 1, y + 1] for x, y in RING]]
    found = read_map(write(tmp_path / "m", area("01"), area(2, [second], "MultiPolygon")))
    assert [one.texts for one in found.outlines] == [{"NUTS_ID": "01"}, {"NUTS_ID": "2"}]
    assert found.outlines[0].path == "M0 1589L500 1589L500 794.5L0 1589Z"
    assert found.height == 1589  # 2 degrees up are 1.59 times 2 degrees across at 51°


DEEP = "[" * 100_000
WRONG = {
    "no JSON": "{",
    "deep": '{"features":[{"geometry":{"type":"Polygon","coordinates":' + DEEP,
    "a list": "[1]",
    "no areas": json.dumps({"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}]}),
    "infinite": '{"features":[{"geometry":{"type":"Polygon","coordinates":[[[Infinity,0]]]}}]}',
    "too large": '{"features":[{"geometry":{"type":"Polygon","coordinates":[[[1e400,0]]]}}]}',
    "huge": '{"features":[{"geometry":{"type":"Polygon","coordinates":[[[%s,0]]]}}]}' % (10**400),
    "texts": '{"features":[{"geometry":{"type":"Polygon","coordinates":[[["0","1"]]]}}]}',
    "short": '{"features":[{"geometry":{"type":"Polygon","coordinates":[[[1]]]}}]}',
    "numbers": '{"features":[{"geometry":{"type":"MultiPolygon","coordinates":7}}]}',
    "features": '{"features":[1]}',
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_map_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "m").write_text(WRONG[name])
    with pytest.raises(BadFile, match="--map"):
        read_map(tmp_path / "m")


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "m", area("01"), area("02"))
    for limit in ("MOST_BYTES", "MOST_AREAS", "MOST_POINTS"):
        with monkeypatch.context() as small:
            small.setattr(geography, limit, 1)
            with pytest.raises(BadFile, match="at most"):
                read_map(path)
    with pytest.raises(BadFile):
        read_map(tmp_path)


def test_a_map_is_shown_and_its_texts_are_texts(tmp_path: Path) -> None:
    write_quarter(tmp_path / "late", "2026Q2", 20)  # with a margin of 30
    evil = "<script>alert(1)</script>"
    drawn = read_map(write(tmp_path / "m.json", area("01"), area(evil), area("02")))
    with serving(releases=tmp_path, geography=drawn) as page:
        answer = page.get("/releases/late/tables/jobs/map")
        picture = page.get("/releases/late/tables/jobs/map/jobs.svg")
        table = page.get("/releases/late/tables/jobs")
    shown = Markup(answer.text)
    assert "2 areas with a number, 2 of these not distinguishable from zero" in shown.plain
    assert "not distinguishable from zero, may be as large as 50" in answer.text
    assert sorted(one["class"].split()[-1] for one in shown.all("path")) == [
        "faded",
        "faded",
        "none",
    ]
    # A pattern each, and 0 has a shade: three meanings that were three whites.
    assert [one.get("fill") for one in shown.all("path")].count("url(#hatched)") == 2
    assert [one.get("fill") for one in shown.all("path")].count("url(#dotted)") == 1
    assert "url(#hatched)" in picture.text
    assert "url(#dotted)" in picture.text
    assert shown.dangers(page.site.base) == []
    assert "<script" not in picture.text
    assert "/map" in table.text
    with serving(releases=tmp_path) as page:
        assert page.get("/releases/late/tables/jobs/map").status == 400
        assert 'jobs/map"' not in page.get("/releases/late/tables/jobs").text
