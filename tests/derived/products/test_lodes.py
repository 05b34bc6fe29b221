"""The forms of LODES: groups of columns add up to all jobs, in zones and in areas inside them."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leeward import tidy
from leeward.core.codebook import Flag, Marginal, Published
from leeward.core.errors import LeewardError
from leeward.derived.products.lodes import Lodes
from leeward.derived.products.public_product import product
from leeward.derived.products.small_areas import SmallAreas, shared_out
from leeward.interface.commands.tidy_command import tidy_command
from leeward.publishing.bundle import Bundle, BundleWriter
from tests.derived.settle.joint_bundle import certified, joint
from tests.publishing.bundle.made_up import certificate, dimension

WAC, RAC, OD = product("lodes").added_up.values()
GROUPS, SECTORS = WAC.groups, [*WAC.groups["sector"]]
PLACE = dimension("place", ["p1", "p2", "p3"])
SECTOR = dimension("sector", SECTORS)
ZONES = ["z1", "z2"]
BREAKDOWNS = [name for name in GROUPS if name != "sector"]
HOMES = ["home_zone", *(f"home_zone_{name}" for name in BREAKDOWNS)]
FLOWS = ["home_zone", "home_zone_age", "home_zone_earnings"]
PEOPLE = "area,home_zone,people\na,z1,30\nb,z2,5\nc,z1,10\nd,z2,5\ne,z1,0\n"


def release(target: Path, breakdowns: list[str]) -> Path:
    """Two places in two sectors each, with noise that adds up."""
    keys, done = np.array([0, 3, 20, 39]), []
    flags = np.full(4, int(Flag.OK), np.int64)
    with BundleWriter(target) as bundle:
        for name in ("total", *breakdowns):
            parts = [] if name == "total" else name.replace("home_zone", "home").split("_")
            worker = tuple(
                dimension("home_zone", ZONES, "workers")
                if one == "home"
                else dimension(one, list(GROUPS[one]), "workers")
                for one in parts
            )
            marginal = Marginal(f"wac_{name}", (PLACE, SECTOR), worker)
            jobs = np.tile(np.array([[-3], [20], [7], [100]]), (1, marginal.worker_cells))
            jobs[:, 1:] = -2
            if "home" in parts:  # a third of them in the second zone
                jobs[:, marginal.worker_cells // 2] = [0, 7, 2, 33]
            jobs[:, 0] = np.array([-3, 20, 7, 100]) - jobs[:, 1:].sum(axis=1)
            with bundle.table(marginal, margins=()) as writer:
                writer.write(Published(keys, jobs, flags))
            done.append(certified(writer.facts(), joint(covers=True, unit=None)))
        bundle.seal(certificate(target.name, done))
    return target


def made(tmp_path: Path, breakdowns: list[str]) -> Bundle:
    return tidy(release(tmp_path / "source", breakdowns), tmp_path / "tidy")


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def people(tmp_path: Path) -> SmallAreas:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return SmallAreas.read(path)


def test_every_group_of_columns_adds_up_to_all_jobs(tmp_path: Path) -> None:
    paths = Lodes(tmp_path / "lodes").write(made(tmp_path, BREAKDOWNS))
    assert list(paths) == ["wac"]
    rows = read(paths["wac"])
    assert (len(WAC.header), tuple(rows[0])) == (53, WAC.header)
    assert [(row["w_geocode"], row["C000"], row["CNS04"]) for row in rows] == [
        ("p1", "20", "20"),
        ("p2", "107", "0"),
    ]
    for attribute in ("age", "earnings", "sector", "race", "ethnicity", "sex", "schooling"):
        names = [one for one in GROUPS[attribute].values() if one]
        assert sum(int(rows[1][name]) for name in names) == 107
    assert {row[name] for row in rows for name in ("CFA01", "CFS05")} == {"0"}
    listed = (tmp_path / "lodes" / "lodes_tidy.sha256sum").read_text()
    assert "tidy_wac_S000_JT00_2026Q2.csv.gz" in listed
    assert "not data of the Census Bureau" in (tmp_path / "lodes" / "version.txt").read_text()


def test_residences_and_flows_have_their_columns_and_agree(tmp_path: Path) -> None:
    paths = Lodes(tmp_path / "lodes").write(made(tmp_path, [*BREAKDOWNS, *HOMES]))
    assert [path.name for path in paths.values()] == [
        "tidy_wac_S000_JT00_2026Q2.csv.gz",
        "tidy_rac_S000_JT00_2026Q2.csv.gz",
        "tidy_od_main_JT00_2026Q2.csv.gz",
    ]
    work, homes, flows = (read(path) for path in paths.values())
    assert (len(RAC.header), tuple(homes[0])) == (43, RAC.header)
    assert tuple(flows[0]) == OD.header == (
        *("w_geocode", "h_geocode", "S000", "SA01", "SA02", "SA03", "SE01", "SE02", "SE03"),
        *("SI01", "SI02", "SI03", "createdate"),
    )  # fmt: skip
    assert [row["h_geocode"] for row in homes] == ZONES
    for rows, key, total in ((work, "w_geocode", "C000"), (homes, "h_geocode", "C000")):
        summed: Counter[str] = Counter()
        for row in flows:
            summed[row[key]] += int(row["S000"])
        assert summed == {row[key]: int(row[total]) for row in rows}
    for row in flows:
        for group in ("SA", "SE", "SI"):
            assert sum(int(row[f"{group}0{number}"]) for number in (1, 2, 3)) == int(row["S000"])
    # Sectors 23 of p1, 11 and 92 of p2.
    by_place = {name: sum(int(r[name]) for r in flows if r["w_geocode"] == "p2") for name in
                ("SI01", "SI02", "SI03")}  # fmt: skip
    assert by_place == {"SI01": 7, "SI02": 0, "SI03": 100}
    assert "h_geocode holds the codes of home_zone" in (tmp_path / "lodes/version.txt").read_text()


def test_areas_inside_a_zone_follow_the_people_and_are_called_decoration(
    tmp_path: Path, people: SmallAreas
) -> None:
    bundle = made(tmp_path, [*BREAKDOWNS, *HOMES])
    plain = Lodes(tmp_path / "plain").write(bundle)
    fine = Lodes(tmp_path / "fine", people).write(bundle)
    for form in ("rac", "od"):
        zone = {"a": "z1", "b": "z2", "c": "z1", "d": "z2", "e": "z1"}
        summed: Counter[tuple[str, ...]] = Counter()
        for row in read(fine[form]):
            numbers = {name: int(one) for name, one in row.items() if name[0] in "CS"}
            for group in ("SA", "SE", "SI") if form == "od" else ("CA", "CE", "CNS", "CS"):
                parts = [one for name, one in numbers.items() if name.startswith(group)]
                assert sum(parts) == numbers["S000" if form == "od" else "C000"]
            for name, one in numbers.items():
                summed[row.get("w_geocode", ""), zone[row["h_geocode"]], name] += one
        assert summed == {
            (row.get("w_geocode", ""), row["h_geocode"], name): int(one)
            for row in read(plain[form])
            for name, one in row.items()
            if name[0] in "CS"
        }
    jobs = {row["h_geocode"]: int(row["C000"]) for row in read(fine["rac"])}
    assert (list(jobs), jobs["e"]) == (["a", "b", "c", "d", "e"], 0)
    assert jobs["a"] == pytest.approx(3 * jobs["c"], abs=3)
    said = (tmp_path / "fine" / "version.txt").read_text()
    assert "made from public population, not from data (people.csv, sha256 " in said
    assert "decoration" in said


@given(
    st.lists(st.lists(st.integers(0, 40), min_size=2, max_size=2), min_size=1, max_size=5),
    st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any),
)
def test_parts_add_up_in_every_area(parts: list[list[int]], people: list[int]) -> None:
    given = [np.array(one) for one in parts]
    found = list(shared_out(given, np.array(people)))
    assert all((one >= 0).all() for one in found)
    assert [one.sum(axis=1).tolist() for one in found] == parts
    whole = np.sum(given, axis=0)
    (alone,) = shared_out([whole], np.array(people))
    assert np.array_equal(np.sum(found, axis=0), alone)
    exact = whole[:, None] * np.array(people) / sum(people)
    assert np.abs(alone - exact).max() < 1


def test_a_missing_table_is_named_before_anything_is_written(tmp_path: Path) -> None:
    source = release(tmp_path / "source", [one for one in BREAKDOWNS if one != "race"])
    with pytest.raises(LeewardError, match="without a table of race for WAC"):
        Lodes(tmp_path / "lodes").require(source)
    with pytest.raises(LeewardError, match="must be a new folder"):
        Lodes(tmp_path).require(release(tmp_path / "whole", BREAKDOWNS))


def test_flows_alone_are_enough(tmp_path: Path, people: SmallAreas) -> None:
    source = release(tmp_path / "source", FLOWS)
    Lodes(tmp_path / "lodes", people).require(source)
    assert list(Lodes(tmp_path / "lodes").write(tidy(source, tmp_path / "tidy"))) == ["od"]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "must have different columns"),
        ("area,home_zone,peopel\na,z1,3\n", "one called people"),
        ("area,home_zone,people\na,z1\n", "as many fields"),
        ("area,home_zone,people\na,z1,3\na,z2,3\n", "each area once"),
        ("area,home_zone,people\na,z1,-3\n", "must have whole numbers"),
        ("area,zone,people\na,z1,3\n", "without the column home_zone"),
        ("area,home_zone,people\na,z1,3\n", "'z2', which only one"),
        ("area,home_zone,people\na,z1,3\nb,z2,0\n", "'z2', with 0 people"),
    ],
)
def test_a_population_that_does_not_fit_is_refused(tmp_path: Path, text: str, refusal: str) -> None:
    (tmp_path / "people.csv").write_text(text)
    source = release(tmp_path / "source", FLOWS)
    with pytest.raises(LeewardError, match=refusal):
        Lodes(tmp_path / "lodes", SmallAreas.read(tmp_path / "people.csv")).require(source)


def test_people_need_homes(tmp_path: Path, people: SmallAreas) -> None:
    source = release(tmp_path / "source", BREAKDOWNS)
    with pytest.raises(LeewardError, match="needs tables of which RAC or OD"):
        Lodes(tmp_path / "lodes", people).require(source)


def test_people_share_out_nothing_but_lodes_files(tmp_path: Path) -> None:
    with pytest.raises(LeewardError, match="needs --lodes"):
        tidy_command(tmp_path, tmp_path / "tidy", population=tmp_path / "people.csv")
