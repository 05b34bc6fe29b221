"""`leeward read` in its three ways; options of one way are refused in another."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from leeward.interface.commands.app import build
from tests.derived.derive.test_series import write_quarter
from tests.derived.products.test_layouts import counts, write
from tests.publishing.bundle.made_up import dimension


def read(*arguments: str | Path) -> Result:
    given = ["read", *map(str, arguments)]
    return CliRunner().invoke(build(), given, prog_name="leeward")


def test_a_cell_is_read_over_the_releases_of_a_folder(tmp_path: Path) -> None:
    late, folder = write_quarter(tmp_path / "late", "2026Q2", 120).path, tmp_path / "more"
    folder.mkdir()
    write_quarter(folder / "early", "2025Q4", -5)
    write(folder / "other", counts("flows", (dimension("place", ["1"]),), [[1]]))
    shown = read(late, "jobs", "--cell", "place=01", "--over", folder).stdout
    assert shown.splitlines()[:3] == [
        "period  release  value  low  high  status",
        "2025Q4  early       −5  −35    25  1",
        "2026Q2  late       120   90   150  1",
    ]
    assert f"1 bundle of {folder} without the same table left out." in shown
    answer = json.loads(read(late, "jobs", "--cell", "place=01", "--over", folder, "--json").stdout)
    assert [one["value"] for one in answer["points"]] == [-5, 120]
    assert answer["notes"][-1].endswith("left out.")


def test_several_bundles_become_one_layout(tmp_path: Path) -> None:
    by = (dimension("place", ["03"]), dimension("measure", ["Emp"], "jobs"))
    for name, period in (("one", "2026Q1"), ("two", "2026Q2")):
        write(tmp_path / name, counts("flows", by, [[4]]), period=period)
    out = tmp_path / "qwi"
    told = read(tmp_path / "one", tmp_path / "two", "--form", "qwi", "--out", out)
    assert told.stdout.splitlines()[0] == f"{out / 'qwi_one.csv'} has the form of QWI."
    assert len((out / "qwi_one.csv").read_text().splitlines()) == 3


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_quarter(tmp_path_factory.mktemp("read") / "late", "2026Q2", 120).path


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--form", "qwi", "--by", "place", "--out", "x"], "--by: must be left out with --form"),
        (["jobs", "--cell", "place=01", "--as", "sum"], "--as: must be left out with --cell"),
        (["jobs", "--over", "b"], "--over: belongs to --cell"),
        (["jobs", "--out", "b"], "--out: belongs to --form"),
        (["--form", "qwi"], "--out: is needed with --form"),
        ([], "TABLE: must be one table of the bundle; got nothing"),
        (["jobs", "more"], "TABLE: must be one table of the bundle; got jobs, more"),
    ],
)
def test_options_of_another_way_are_refused(given: list[str], says: str, held: Path) -> None:
    ended = read(held, *given)
    assert (ended.exit_code, says in ended.stderr) == (1, True)
