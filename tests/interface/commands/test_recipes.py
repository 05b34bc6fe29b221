"""`leeward init --recipe`: what is prepared from wage records and cohorts, and what is refused.

That each recipe runs from one command to verified bundles is shown by the pages on them.
"""

import csv
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from shlex import split
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from leeward.core.codebook import TABLES as TABLES_OF_PLANS
from leeward.core.show.progress import Silent
from leeward.derived.products.public_product import product
from leeward.interface.commands.recipes.preparation import LEAST_PAY, prepare
from leeward.interface.commands.recipes.recipe import Given, read_recipe
from leeward.publishing.plan.plan import Plan, read_plan
from leeward.publishing.plan.statistic_reading import pseo_edges
from tests.interface.commands.scene import Office

TABLES: Mapping[str, tuple[str, ...]] = {
    "wages": ("worker_id", "workplace_id", "quarter", "earnings"),
    "cohorts": ("worker_id", "kind", "institution", "year", "title", "degree", "cip"),
    "workplaces": ("workplace_id", "sector", "ownership", "place"),
}
WAGES = """
ann  uni   2021Q1  500000
ann  uni   2021Q2  500000
ann  bank  2021Q3 1000099
ann  uni   2022Q1  900000
ann  bank  2022Q2  900000
ann  uni   2022Q3       1
bob  city  2021Q1 4000000
bob  city  2021Q2 4000000
cid  bank  2021Q1  502600
cid  bank  2021Q2  502600
cid  bank  2021Q3  502799
cid  bank  2021Q3     -50
cid  bank  2021Q4     -50
dot  bank  2021Q1  502700
dot  bank  2021Q2  502700
dot  bank  2021Q3  502700
fay  city  2021Q1  800000
fay  bank  2021Q2  800000
fay  uni   2021Q3     100
"""
COHORTS = """
ann leaver   A 2020 staff   - -
bob leaver   A 2020 student - -
cid leaver   B 2020 faculty - -
cid graduate B 2020 -       05 11
dot graduate A 2020 -       03 52
eve graduate A 2020 -       03 52
bob graduate A 2020 -       03 52
fay graduate A 2020 -       03 52
ann graduate A 2021 -       07 52
"""
WORKPLACES = """
uni  61 2 01
city 92 3 01
bank 52 5 02
"""


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, str]:
    """The tables of an office by option; CSV holds texts alone."""
    rows = dict(zip(TABLES, (WAGES, COHORTS, WORKPLACES), strict=True))
    for name, columns in TABLES.items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(
                line.replace("-\n", "\n").split() for line in rows[name].split("\n")[1:-1]
            )
    return {name: str(tmp_path / f"{name}.csv") for name in TABLES}


def prepared(name: str, tables: Mapping[str, str], file: str) -> list[dict[str, Any]]:
    recipe = read_recipe(name, Given("workplaces.csv", "workers.csv", "2020-2022"))
    folder = Path(tables["wages"]).parent / name
    prepare(recipe, tables, folder, Silent())
    written = [folder / "confidential" / one for one in recipe.prepared]
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert (folder / "confidential").stat().st_mode & 0o777 == 0o700
    rows: list[dict[str, Any]] = pq.read_table(folder / "confidential" / file).to_pylist()
    return rows


def test_a_leaver_counts_where_most_was_paid_in_each_year(tables: dict[str, str]) -> None:
    rows = prepared("umetrics", tables, "umetrics.parquet")
    assert [tuple(row.values()) for row in rows] == [
        ("ann", "staff", 1, "A", "I", 20000),  # 10,000.99 at the bank, 10,000 at the university
        ("ann", "staff", 2, "A", "A", 18000),  # 9,000.01 at the university, 9,000 at the bank
        ("bob", "student", 1, "A", "G", 80000),
        ("cid", "faculty", 1, "B", "I", 15079),
    ]


def test_graduates_without_attachment_have_no_pay_and_no_employer(tables: dict[str, str]) -> None:
    rows = prepared("pseo", tables, "pseo.parquet")
    assert [
        (row["worker_id"], row["attachment"], row["industry"], row["earnings"]) for row in rows
    ] == [
        ("ann", "emp", "61", 18000),
        ("bob", "nme", None, 0),  # two quarters
        ("cid", "nme", None, 0),  # 15,079 dollars
        ("dot", "emp", "52", 15081),
        ("eve", "nme", None, 0),
        ("fay", "emp", "52", 16001),  # as much at the bank as at the city
    ]
    assert {row["years"] for row in rows} == {1}  # years five and ten are not covered
    ours = Path(tables["wages"]).parent / "pseo" / "confidential" / "pseo-y1.parquet"
    found = pq.read_table(ours).to_pylist()
    assert [(row["worker_id"], row["workplace_id"], row["earnings"]) for row in found] == [
        ("ann", "uni", 18000),
        ("dot", "bank", 15081),
        ("fay", "bank", 16001),
    ]


@pytest.mark.parametrize(
    ("told", "separate", "together"),
    [
        ({}, Fraction(4), Fraction(4)),
        ({"target": "APD 10 % in 90 %", "size": 30}, Fraction("23.58"), Fraction("17.14")),
    ],
    ids=["as printed", "by target"],
)
def test_the_reports_cost_the_sum_over_years(
    tmp_path: Path, told: dict[str, Any], separate: Fraction, together: Fraction
) -> None:
    recipe = read_recipe("umetrics", Given("w.csv", "p.csv", "2016-2026", **told))
    for name, text in recipe.texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "institution.csv").write_text("code,label\nA,One\nB,Two\n")
    plan, joint = (read_plan(tmp_path / name).charge for name in ("plan.yaml", "joint.yaml"))
    assert (plan.policy.name, plan.epsilon) == ("person", separate)
    assert joint.epsilon == together


@pytest.mark.parametrize("name", ["pseo", "veo"])
def test_numbers_in_texts_are_those_of_the_source(name: str) -> None:
    """Edges of classes are every second of PSEO's; the first class ends below the least pay."""
    texts = read_recipe(name, Given("w.csv", "p.csv", "2016-2026")).texts
    (table,) = yaml.safe_load(texts["ours-y5.yaml"])["tables"]
    assert table["bins"] == list(pseo_edges()[::2])
    for codebook in ("codebook.yaml", "employers.yaml"):
        classes = yaml.safe_load(texts[codebook])["attributes"]["earnings"]["classes"]
        assert classes["low"] == LEAST_PAY - 1
    assert f"less than {LEAST_PAY:,} dollars" in texts["published.yaml"]


GIVEN = "--wages w.csv --workplaces w.csv --workers w.csv --cohorts w.csv"
TABLES_ONLY = "--workplaces workplaces.csv --workers workers.csv --jobs jobs.csv"
ADDRESS = "--wages postgres://me@host/db#w --workplaces w.csv --workers w.csv"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--recipe lode", "--recipe: must be one of lodes, umetrics, pseo, veo, qwi; got 'lode'."),
        ("--recipe lodes --jobs j.csv", "--workplaces: must be given for the recipe lodes"),
        (f"--recipe lodes {TABLES_ONLY}", "--period: must be given for the recipe lodes"),
        (f"--recipe lodes {TABLES_ONLY} --size 9", "--size: has no meaning for the recipe lodes"),
        (
            f"--recipe lodes {TABLES_ONLY} --period 2026Q2",
            "--workers: must have the column 'age'; got no such column among 3",
        ),
        ("--recipe pseo --workers w.csv", "--wages: must be given for the recipe pseo"),
        (f"--recipe pseo {GIVEN}", "--years: must be the first and the last calendar year"),
        (f"--recipe qwi {GIVEN}", "--quarter: must be given for the recipe qwi"),
        (f"--recipe veo {GIVEN} --size 9", "--size: has no meaning for the recipe veo"),
        (f"--recipe veo --demo {GIVEN}", "--cohorts: has no meaning with --demo"),
        ("--recipe veo --demo-jobs 9", "--demo-jobs: has no meaning without --demo"),
        ("--recipe veo --jobs j.csv", "--jobs: has no meaning for the recipe veo"),
        ("--years 2016-2026", "--years: has no meaning without --recipe"),
        ("--workers w.csv --jobs j.csv", "--workplaces: must be given; got nothing."),
        (
            f"--recipe umetrics {GIVEN} --years 2016-2026 --target 'APD 5 % in 90 %'",
            "--size: must be given beside --target",
        ),
        (
            f"--recipe qwi {ADDRESS} --quarter 2026Q2",
            "--wages: must be a Parquet or CSV file: what a recipe prepares are files",
        ),
    ],
)
def test_what_a_recipe_cannot_use_is_refused(office: Office, options: str, says: str) -> None:
    result = office.run("init", *split(options), "--out", "new")
    assert result.exit_code == 1
    assert says in result.stderr
    assert not (office.folder / "new").exists()


def test_a_column_that_is_missing_is_named(office: Office, tables: dict[str, str]) -> None:
    options = [part for name, path in tables.items() for part in (f"--{name}", path)]
    result = office.run("init", "--recipe", "veo", *options, "--workers", "workers.csv",
                        "--years", "2020-2022", "--out", "new")  # fmt: skip
    assert result.exit_code == 1
    assert "--cohorts: must have the column 'occupation'" in result.stderr
    assert not (office.folder / "new" / "confidential").exists()


def lodes_plan(folder: Path, *, homes: bool) -> Plan:
    """The plan of the recipe, whose lists an office has filled."""
    given = Given("w.csv", "p.csv", jobs="j.csv", period="2026Q2", homes=homes)
    recipe = read_recipe("lodes", given)
    (folder / "codes").mkdir()
    rows = {
        "place": "01,One\n",
        "home": "H1,One\n",
        "home_zone": "Z1,Zone\n",
        "home_zone_of": "H1,Z1\n",
    }
    for name in recipe.lists:
        begun = recipe.begun.get(name, "code,label\n")
        (folder / "codes" / f"{name}.csv").write_text(begun + rows[name])
    for name, text in recipe.texts.items():
        (folder / name).write_text(text)
    return read_plan(folder / "plan.yaml")


@pytest.mark.parametrize("homes", [False, True])
def test_the_lodes_recipe_has_the_names_and_codes_of_the_files(
    tmp_path: Path, *, homes: bool
) -> None:
    """Known bad: names that `tidy --lodes` wants were found out after paying."""
    plan = lodes_plan(tmp_path, homes=homes)
    attributes = plan.codebook.attributes
    for form in product("lodes").added_up.values():
        for name, codes in form.groups.items():
            assert {*attributes[name].codes} <= {*codes}
            assert attributes[name].complete or attributes[name].of_workplaces
    assert [one.name for one in plan.request.tables] == (["wac", "homes"] if homes else ["wac"])
    assert ("home_zone" in attributes) == homes
    assert plan.charge.epsilon == (8 if homes else 4)


def test_homes_of_workers_make_residence_and_flow_files(office: Office) -> None:
    """From three tables with homes, by the commands that the recipe prints, to three files."""
    made = office.run("economy", "--homes", "--jobs", "900", "--establishments", "60",
                      "--places", "12", "--out", "e")  # fmt: skip
    assert made.exit_code == 0
    tables = [part for one in TABLES_OF_PLANS for part in (f"--{one}", f"e/{one}.parquet")]
    said = office.run("init", "--recipe", "lodes", *tables, "--period", "2026Q2", "--out", "new")
    assert said.exit_code == 0, said.output
    new, places = office.folder / "new", (office.folder / "e" / "place.csv").read_text()
    rows = places.partition("\n")[2]
    zones = (office.folder / "e" / "home_zone.csv").read_text().partition("\n")[2]
    named = {line.split(",")[1] for line in zones.splitlines()}
    (new / "codes" / "place.csv").write_text(places)
    for name, text in (
        ("home", rows),
        ("home_zone_of", zones),
        ("home_zone", "".join(f"{one},{one}\n" for one in sorted(named))),
    ):
        path = new / "codes" / f"{name}.csv"
        path.write_text(path.read_text() + text)
    commands = [line.split()[1:] for line in said.stdout.splitlines() if "  leeward " in line]
    assert [words[0] for words in commands] == ["ledger", "plan", "check", "release", "tidy"]
    for words in commands:
        result = office.run(*words)
        assert result.exit_code == 0, result.output
    forms = {path.name.split("_")[1] for path in (new / "lodes").glob("*.csv.gz")}
    assert forms == {"wac", "rac", "od"}
