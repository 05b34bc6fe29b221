"""`leeward evaluate`: what it writes, for whose eyes, and what it refuses before any work."""

import csv
import doctest
import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leeward.core.installation import hint
from leeward.core.show.notebook import INTERNAL
from leeward.lab.economy import Economy
from leeward.lab.evaluate import run
from leeward.lab.evaluate.panel_sheet import PanelPicture
from leeward.lab.evaluate.point import COLUMNS
from leeward.lab.evaluate.presets import PRESETS
from leeward.lab.evaluate.workloads import Grid, exact
from tests.interface.commands.scene import Office

SMALL = Grid(alphas=exact("0.1"), epsilons=exact("1", "4"), further=(), thetas=(100,), trials=2)
PUBLIC = (0o755, 0o644)
PRIVATE = (0o700, 0o600)
DATA = ("evaluate", "--data", "plan.yaml")
PAGES = ("evaluation.json", "findings.json", "gaps.csv", "index.html", "points.csv")


@pytest.fixture
def small(office: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A preset with a tiny economy and a tiny grid."""
    tiny = replace(PRESETS["quick"], economy=Economy(2_000, 100), grid=SMALL)
    monkeypatch.setitem(PRESETS, "quick", tiny)
    return office


@pytest.fixture
def plain(small: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """The same with one table and one picture, where what is measured and drawn plays no part."""

    def only(*_: object, mark: str | None, **__: object) -> dict[str, PanelPicture]:
        return {"only": PanelPicture(f"<svg>{mark}</svg>", "", "a picture")}

    grid = replace(SMALL, epsilons=exact("4"), further=())
    tiny = replace(PRESETS["quick"], asked=PRESETS["quick"].asked[:1], grid=grid)
    monkeypatch.setitem(PRESETS, "quick", tiny)
    monkeypatch.setattr("leeward.core.processes.cores", lambda: 1)  # calibrations are kept
    monkeypatch.setattr("leeward.lab.evaluate.evaluation_folder.png", lambda _: b"png")
    monkeypatch.setattr("leeward.lab.evaluate.evaluation_folder.figures", only)
    monkeypatch.setattr(
        "leeward.lab.evaluate.evaluation_folder.page", lambda done, _: f"{done.study.mark}"
    )
    return small


@pytest.fixture
def idle(small: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """Nothing may be made up, opened or written."""

    def work(*_: object) -> None:
        pytest.fail("the work has begun")

    monkeypatch.setattr("leeward.lab.evaluate.open_economy", work)
    monkeypatch.setattr("leeward.publishing.release.check.open_data", work)
    monkeypatch.setattr("leeward.interface.commands.evaluate_command.write", work)
    return small


def files(folder: Path) -> Iterator[Path]:
    yield folder
    yield from sorted(folder.rglob("*"))


def modes(folder: Path) -> set[tuple[bool, int]]:
    """Whether it is a folder, and who may do what, of everything that was written."""
    return {(one.is_dir(), stat.S_IMODE(one.stat().st_mode)) for one in files(folder)}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


KEYS = {
    *("workload", "mechanism", "calibration", "policy", "alpha", "epsilon", "l1"),
    *("ratio_to_infusion", "spearman", "bias", "coverage"),
}


def test_made_up_data_are_evaluated(
    small: Office, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    aside = tmp_path_factory.mktemp("aside")
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    before = os.umask(0o022)
    try:
        result = small.run("evaluate", "--preset", "quick", "--trials", "3", "--out", "e")
    finally:
        os.umask(before)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert result.stdout.endswith("Written: e/index.html and what it shows\n")
    assert list(aside.iterdir()) == []  # nothing is left of the economy
    out = small.folder / "e"
    assert modes(out) == {(True, PUBLIC[0]), (False, PUBLIC[1])}
    assert sorted(one.name for one in out.iterdir()) == sorted((*PAGES, "figures"))
    stems = {one.stem for one in (out / "figures").glob("*.svg")}
    assert {"summary", "coverage", "place_sector_ownership-error"} <= stems
    assert stems == {one.stem for one in (out / "figures").glob("*.png")}
    told = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    check_tables(out, told)
    assert told["made_up"] is True
    assert told["mark"] is None
    assert told["trials"] == 3
    assert {one["trials"] for one in told["points"]} == {0, 3}  # none where there is no mean
    assert {one["workload"] for one in told["points"]} == {
        "place_sector_ownership",
        "single_queries",
        "whole_marginal",
    }
    for one in files(out):
        if one.suffix in {".html", ".svg", ".json", ".csv"}:
            assert "INTERNAL" not in one.read_text(encoding="utf-8"), one
    png = (out / "figures" / "summary.png").read_bytes()
    assert png.startswith(b"\x89PNG")


def check_tables(out: Path, told: Any) -> None:  # noqa: ANN401 (JSON)
    """The tidy files hold what the JSON holds."""
    points, gaps = rows(out / "points.csv"), rows(out / "gaps.csv")
    marked = [] if told["mark"] is None else ["mark"]
    assert list(points[0]) == [*COLUMNS, *marked]
    assert all(one["mark"] == told["mark"] for one in (*points, *gaps) if marked)
    assert len(points) == len(told["points"])
    assert [one["reason"] for one in gaps] == [one["reason"] for one in told["refused"]]
    for row, point in zip(points, told["points"], strict=True):
        assert set(point) >= KEYS
        for name, value in point.items():
            if isinstance(value, float):
                assert float(row[name]) == pytest.approx(value, rel=1e-5)
            else:
                assert row[name] == ("" if value is None else str(value))


PROGRAM = """
from dataclasses import replace
from leeward.interface.commands import start
from leeward.lab.evaluate.presets import (PRESETS)
from leeward.lab.evaluate.workloads import (Grid, exact)
grid = Grid(alphas=exact("0.1"), epsilons=exact("1", "4"), further=(), thetas=(100,), trials=2)
PRESETS["quick"] = replace(PRESETS["quick"], grid=grid)
start()
"""
"""The program with a tiny grid."""


def test_the_program_itself_on_confidential_data(office: Office) -> None:
    """A process of its own, everything open to everyone by default, and the answer as JSON."""
    office.edit("plan.yaml", ("  - {name: by_place, by: [place, sector], share: 1/2}\n", ""))
    command = [sys.executable, "-c", PROGRAM, *DATA, "--trials", "2", "--out", "e", "--json"]
    ended = subprocess.run(
        command, cwd=office.folder, check=False, capture_output=True, umask=0, timeout=200
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.decode() == f"{INTERNAL}\n"
    out = office.folder / "e"
    assert modes(out) == {(True, PRIVATE[0]), (False, PRIVATE[1])}
    told = json.loads(ended.stdout)
    assert told == json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    check_tables(out, told)
    assert told["made_up"] is False
    assert told["mark"] == INTERNAL
    assert told["data"] == "the data of plan.yaml"
    assert {one["workload"] for one in told["points"]} == {"by_sex.queries", "by_sex"}
    assert INTERNAL in (out / "index.html").read_text(encoding="utf-8")
    drawn = list((out / "figures").glob("*.svg"))
    assert drawn
    for one in drawn:
        assert "INTERNAL" in one.read_text(encoding="utf-8"), one
    identifiers = [f"w{n:02}" for n in range(40)] + [f"e{n}" for n in range(6)]
    page = ended.stdout.decode()
    assert not [one for one in identifiers if f'"{one}"' in page]


@pytest.mark.parametrize(
    ("umask", "data"), [(0, ()), (0o022, ()), (0o077, ()), (0, ("--data", "plan.yaml"))]
)
def test_who_may_read_what(plain: Office, umask: int, data: tuple[str, ...]) -> None:
    before = os.umask(umask)
    try:
        result = plain.run("evaluate", *data, "--out", "e")
    finally:
        os.umask(before)
    assert result.exit_code == 0, result.output
    folder, file = PRIVATE if data else (0o777 & ~umask, 0o666 & ~umask)
    assert modes(plain.folder / "e") == {(True, folder), (False, file)}
    assert result.stderr == (f"{INTERNAL}\n" if data else "")
    told = json.loads((plain.folder / "e" / "evaluation.json").read_text())
    assert (told["mark"] == INTERNAL) is bool(data)
    for name, held in (
        ("figures/only.svg", f"<svg>{told['mark']}</svg>"),
        ("index.html", told["mark"]),
    ):
        assert (plain.folder / "e" / name).read_text() == str(held)


def test_tables_of_the_plan_are_asked_whole_and_by_worker_cell(plain: Office) -> None:
    plain.edit("plan.yaml", ("alpha: 0.1", "alpha: 0.07, plus: 5"))
    result = plain.run(*DATA, "--out", "e", "--json")
    told = json.loads(result.stdout)
    assert told["plus"] == 5
    assert {one["alpha"] for one in told["points"]} == {None, 0.07, 0.1}  # the plan's, the grid's
    assert [(one["name"], one["words"]) for one in told["workloads"]] == [
        ("by_place", "place × sector"),
        ("by_sex.queries", "single queries of place × sex"),
        ("by_sex", "place × sex"),
    ]
    for one in told["workloads"]:
        assert {p["mechanism"] for p in told["points"] if p["workload"] == one["name"]} >= {
            *("infusion", "slope", "vector_pareto", "clipped", "edge_laplace", "node_laplace"),
            *("log_laplace", "smooth_gamma", "smooth_laplace"),
        }


@pytest.mark.parametrize("option", [("--plus", "5"), ("--workload", "all_margins")])
def test_a_plan_has_its_own_tables_and_its_own_plus(plain: Office, option: tuple[str, str]) -> None:
    result = plain.run(*DATA, "--out", "e", *option)
    assert result.exit_code == 1
    assert f"{option[0]}: is for made-up economies" in result.stderr


def test_quarters_are_printed_and_nothing_is_written(idle: Office) -> None:
    result = idle.run("evaluate", "--quarters", "--alpha", "0.05", "--epsilon", "4")
    assert result.exit_code == 0
    assert [line.split()[:3] for line in result.stdout.splitlines()[1:4]] == [
        ["0.05,", "4,", quarters] for quarters in ("4", "20", "40")
    ]
    assert "What clipping takes is left out" in result.stdout


REGRESSIONS = ("evaluate", "--preset", "mose", "--epsilon", "8", "--trials", "2", "--out", "e")


def test_regressions_are_compared_on_made_up_cells(office: Office) -> None:
    result = office.run(*REGRESSIONS)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert result.stdout.endswith("Written: e/index.html and what it shows\n")
    out = office.folder / "e"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "INTERNAL" not in page
    told = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    assert (told["preset"], told["made_up"], told["mark"]) == ("mose", True, None)
    assert len(rows(out / "points.csv")) == len(told["points"]) == 7 * 2


def test_regressions_of_a_file_are_internal(plain: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {"only": PanelPicture("<svg/>", "", "a picture")}
    monkeypatch.setattr(
        "leeward.lab.evaluate.evaluation_folder.regression_figures", lambda _: drawn
    )
    people = [f"{n / 30},{(n * 7 % 30) / 30},{n % 10}\n" for n in range(30)]
    (plain.folder / "people.csv").write_text("".join(("x,y,cell\n", *people)))
    result = plain.run(*REGRESSIONS, "--cells", "people.csv", "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == f"{INTERNAL}\n"
    out = plain.folder / "e"
    assert modes(out) == {(True, PRIVATE[0]), (False, PRIVATE[1])}
    assert result.stdout == (out / "evaluation.json").read_text(encoding="utf-8")
    assert json.loads(result.stdout)["mark"] == INTERNAL
    assert {one["mark"] for one in rows(out / "points.csv")} == {INTERNAL}
    assert f'<p class="banner">{INTERNAL}</p>' in (out / "index.html").read_text(encoding="utf-8")


def test_the_json_is_the_file(plain: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Withholding and rounding are in it where they are asked for, and in the tidy files."""
    monkeypatch.setattr("leeward.lab.evaluate.classical.SOLVED", 0)  # no solver for intervals
    result = plain.run("evaluate", "--out", "e", "--json", "--classical")
    assert result.exit_code == 0
    assert result.stdout == (plain.folder / "e" / "evaluation.json").read_text()
    told = json.loads(result.stdout, parse_constant=pytest.fail)
    names = [one["protection"] for one in told["classical"]]
    tidy = rows(plain.folder / "e" / "points.csv")[len(told["points"]) :]
    assert [one["mechanism"] for one in tidy] == names
    assert {one["policy"] for one in tidy} == {"none"}
    assert [one["protection"] for one in rows(plain.folder / "e" / "classical.csv")] == names


@pytest.mark.usefixtures("plain")
def test_the_example_of_the_function_runs() -> None:
    """The same work without a command; the preset of the example takes a minute, this one not."""
    (example,) = doctest.DocTestFinder(recurse=False).find(run, "run", globs={})
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert (runner.tries, runner.failures) == (3, 0)


def test_the_bounds_of_infusion_and_the_grid_may_be_others(plain: Office) -> None:
    grid = ("--alpha", "0.2", "--epsilon", "3", "--epsilon", "1/2")
    result = plain.run("evaluate", "--out", "e", "--json", "--infusion", "0.05", "0.15", *grid)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["infusion"]["lower"], told["infusion"]["upper"]) == (0.05, 0.15)
    assert {one["alpha"] for one in told["points"]} == {None, 0.2}
    assert {one["epsilon"] for one in told["points"]} == {None, 0.5, 3}


TAKEN = (
    "--out: must not exist yet, in a folder that does and can be written; got {}. "
    "Choose another folder."
)
REFUSALS: list[tuple[tuple[str, ...], str]] = [
    ((), "--out: must be a folder to write; got none. Give for example --out evaluation."),
    (
        ("--out", "e", "--workload", "lodes"),
        "--workload: must be all_margins or lodes_six, or left out for those of the preset; "
        "got 'lodes'. Did you mean 'lodes_six'?",
    ),
    (
        ("--out", "e", "--epsilon", "0"),
        "--epsilon: must be above 0; got 0. Give a positive number.",
    ),
    (("--out", "taken"), TAKEN.format("'taken'")),
    (("--out", "plan.yaml"), TAKEN.format("'plan.yaml'")),
    (("--out", "nowhere/e"), TAKEN.format("'nowhere/e'")),
    (("--out", "plan.yaml/e"), TAKEN.format("'plan.yaml/e'")),
    (("--out", "loose"), TAKEN.format("'loose'")),
    (
        ("--out", "e", "--preset", "h18"),
        "--preset: must be one of quick, h17, h15, mose; got 'h18'. Did you mean 'h17'?",
    ),
    (
        ("--out", "e", "--preset", "everything"),
        "--preset: must be one of quick, h17, h15, mose; got 'everything'. Choose one of these.",
    ),
    (
        ("--out", "e", "--cells", "people.csv"),
        "--cells: is for --preset mose: other presets evaluate tables; got --cells. Leave it out.",
    ),
    (
        ("--out", "e", "--preset", "mose", "--plus", "5"),
        "--plus: is for tables; --preset mose compares regressions; got --plus. Leave it out.",
    ),
    (
        ("--out", "e", "--trials", "1"),
        "trials: must be a whole number from 2 to 1000; got 1. "
        "Leave it out for what the preset has.",
    ),
    (
        ("--out", "e", "--infusion", "0.3", "0.2"),
        "infusion: needs 0 < lower < upper < 1, and a distortion above 0 to flag; "
        "got 0.3, 0.2, 0.15. Give for example --infusion 0.10 0.25.",
    ),
    (
        ("--out", "e", "--infusion", "nan", "0.2"),
        "infusion: needs 0 < lower < upper < 1, and a distortion above 0 to flag; "
        "got nan, 0.2, 0.15. Give for example --infusion 0.10 0.25.",
    ),
]


@pytest.mark.parametrize(("options", "says"), REFUSALS)
def test_it_is_refused_before_any_work(idle: Office, options: tuple[str, ...], says: str) -> None:
    (idle.folder / "taken").mkdir()
    (idle.folder / "loose").symlink_to("nothing")
    idle.refuse("evaluate", *options, says=says)


def test_a_place_that_a_plan_lacks_is_refused_before_its_data_are_opened(idle: Office) -> None:
    result = idle.run(*DATA, "--out", "e", "--place", "plaec")
    assert result.exit_code == 1
    assert result.stderr == (
        f"{INTERNAL}\nleeward: --place: must be a workplace attribute of a table that is "
        "evaluated; got 'plaec'. Did you mean 'place'?\n"
    )


def test_a_place_that_made_up_tables_lack_is_refused(small: Office) -> None:
    result = small.run("evaluate", "--trials", "2", "--out", "e", "--place", "secto")
    assert result.exit_code == 1
    assert "--place: must be a workplace attribute of a table that is evaluated" in result.stderr
    assert "Did you mean 'sector'?" in result.stderr
    assert not (small.folder / "e").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(
    idle: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leeward.lab.evaluate.evaluation_folder.os.access", lambda *_: False)
    idle.refuse("evaluate", "--out", "e", says=TAKEN.format("'e'"))


def test_missing_pictures_are_told_before_any_work(
    idle: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = idle.run("evaluate", "--out", "e")
    assert result.exit_code == 1
    assert result.stderr == (
        "leeward: pictures: need the package vl-convert-python; got no vl_convert. "
        f"{hint('pictures')}\n"
    )


def test_a_plan_that_is_wrong_is_refused(small: Office) -> None:
    small.edit("plan.yaml", ("by: [place, sex]", "by: [place, sx]"))
    result = small.run(*DATA, "--out", "e")
    assert result.exit_code == 1
    assert "Did you mean 'sex'?" in result.stderr
    assert not (small.folder / "e").exists()


def test_rows_that_fail_the_check_are_refused_without_showing_them(small: Office) -> None:
    small.edit("jobs.csv", ("w03,e3", "w03,e4711"))
    small.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    result = small.run(*DATA, "--out", "e")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"{INTERNAL}\nleeward: data: must be readable and agree with the codebook in every row; "
        "got files or rows that do not (not shown). Run `leeward check`, whose output is "
        "confidential.\n"
    )
    assert not (small.folder / "e").exists()


def test_rows_that_do_not_fit_are_counted_by_the_rules_of_a_release(plain: Office) -> None:
    plain.edit("jobs.csv", ("w03,e3", "w03,e4711"), ("w04,e4", "w04,e4\nw04,e4\n,e1"))
    result = plain.run(*DATA, "--out", "e")
    assert result.exit_code == 0, result.output


def test_nothing_is_charged_and_no_ledger_is_touched(plain: Office) -> None:
    before = plain.ledger
    assert plain.run(*DATA, "--out", "e").exit_code == 0
    assert plain.ledger == before


def test_a_table_without_workplaces_is_refused(small: Office) -> None:
    text = (small.folder / "workplaces.csv").read_text()
    (small.folder / "workplaces.csv").write_text(text.replace(",03,", ",02,"))
    small.edit("plan.yaml", ("by: [place, sector]", "by: [sector], where: {place: ['03']}"))
    result = small.run(*DATA, "--out", "e")
    assert result.exit_code == 1
    assert result.stderr == (
        f"{INTERNAL}\nleeward: tables: must have workplaces in the frame to be evaluated; got none "
        "for table 'by_place'. Leave the table out, or widen its filter.\n"
    )


def after(calls: int, error: BaseException) -> Callable[..., None]:
    """A disk that takes so many files and no more."""
    from leeward.lab.evaluate import evaluation_folder as module  # noqa: PLC0415 (before it is replaced)

    real = module._write
    done: list[Path] = []

    def write(path: Path, content: bytes, *, private: bool) -> None:
        if len(done) == calls:
            raise error
        done.append(path)
        real(path, content, private=private)

    return write


@pytest.mark.parametrize("calls", [0, 1, 5])
@pytest.mark.parametrize("data", [(), ("--data", "plan.yaml")], ids=["made up", "data"])
def test_a_full_disk_leaves_nothing(
    plain: Office, monkeypatch: pytest.MonkeyPatch, calls: int, data: tuple[str, ...]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr("leeward.lab.evaluate.evaluation_folder._write", after(calls, full))
    result = plain.run("evaluate", *data, "--out", "e")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == (
        "leeward: --out: must be a folder that can be written (No space left on device); "
        "got 'e'. Choose another folder, or make room."
    )
    assert result.stdout == ""
    assert not (plain.folder / "e").exists()


def test_an_interruption_while_writing_leaves_nothing(
    plain: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "leeward.lab.evaluate.evaluation_folder._write", after(3, KeyboardInterrupt())
    )
    result = plain.run("evaluate", "--out", "e")
    assert result.exit_code == 130
    assert result.stderr == "leeward: interrupted; nothing was charged.\n"
    assert not (plain.folder / "e").exists()


def test_a_folder_that_somebody_made_meanwhile_is_left_alone(
    plain: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*_: object) -> str:
        (plain.folder / "e").mkdir()
        (plain.folder / "e" / "theirs").touch()
        return ""

    monkeypatch.setattr("leeward.lab.evaluate.evaluation_folder.page", meanwhile)
    result = plain.run("evaluate", "--out", "e")
    assert result.exit_code == 1
    assert "must be a folder that can be written (File exists); got 'e'" in result.stderr
    assert [one.name for one in (plain.folder / "e").iterdir()] == ["theirs"]
