"""The tables and pictures of the performance page are those of what is kept beside it."""

from docs import performance
from docs.slot import current
from tests.docs.test_examples import ROOT


def test_the_tables_are_those_of_the_kept_measurements() -> None:
    tables = performance.blocks()
    assert {name: current(performance.PAGE, name) for name in tables} == tables


def test_the_pictures_are_kept_and_shown() -> None:
    page = performance.PAGE.read_text(encoding="utf-8")
    for stem in performance.pictures(performance.read(performance.SCALE)):
        assert f"](../pictures/{stem}.svg)" in page
        assert (performance.PICTURES / f"{stem}.svg").is_file()


def test_the_kept_run_is_that_of_the_nation_and_its_bounds_held() -> None:
    kept = performance.read(performance.SCALE)["measured"]
    assert {one["jobs"] for one in kept} == {1_000_000, 10_000_000, 130_000_000}
    nation = [one for one in kept if one["jobs"] == 130_000_000]
    assert {one["establishments"] for one in nation} == {8_000_000}
    for one in nation:
        assert one["release"]["megabytes"] <= 8_000
        assert one["release"]["seconds"] <= 1.5 * one["query"]["seconds"] + 5


def test_the_kept_peers_had_the_whole_data() -> None:
    kept = performance.read(performance.PEERS)
    assert kept["jobs"] == 10_900_000
    ran = {one["name"] for one in kept["results"] if one["run"] is not None}
    assert {"opendp", "tumult", "leeward_worker", "leeward_strong", "duckdb"} <= ran


def test_the_page_names_the_commands_that_made_it() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    page = performance.PAGE.read_text(encoding="utf-8")
    for target in ("bench-scale", "bench-peers"):
        assert f"make {target}" in page
        assert f"\n{target}: " in makefile
