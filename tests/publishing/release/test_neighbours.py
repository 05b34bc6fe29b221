"""Neighbouring databases, released with the same random bits: nothing but noisy numbers differs."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from leeward.publishing.bundle import verify_bundle
from tests.publishing.compared import NOISY, assert_alike, differences, files, masked, read_csv
from tests.publishing.neighbours import JOBS, NAMES, Database, Pair, make_databases
from tests.publishing.office import Changes, Driver, Ended, Office, release

STRONG = """\
protect: {policy: strong, alpha: 0.1, epsilon: 30}
tables:
  - {name: slope_spent, by: [place, sector, ownership], mechanism: slope, margins: 1/10,
     establishments: true}
  - {name: slope_none, by: [region, sector], mechanism: slope, margins: none, complete: true}
  - {name: stairs, by: [place, sector], mechanism: staircase}
  - {name: pareto_spent, by: [place, sex, education], mechanism: vector_pareto, complete: true,
     establishments: true}
  - {name: pareto_none, by: [place, sector], mechanism: vector_pareto, margins: none,
     where: {sex: M, sector: ["11", "23", "42", "62"]}}
  - {name: clipped, by: [region, ownership, sex, race], mechanism: clipped, establishments: true}
  - {name: clipped_none, by: [place, age], mechanism: clipped, margins: none,
     where: {education: E4}}
  - {name: log, by: [place, sector, ownership], mechanism: log_laplace, complete: true}
  - {name: payroll, by: [region, sex], statistic: payroll, of: earnings, mechanism: pay_centred}
  - {name: pay_clipped, by: [region], statistic: payroll, of: earnings, mechanism: pay_clipped}
"""
WEAK = """\
protect: {policy: weak, alpha: 0.1, epsilon: 24}
tables:
  - {name: gamma_spent, by: [place, sector, ownership], mechanism: smooth_gamma, complete: true}
  - {name: gamma_cells, by: [place, sex], mechanism: smooth_gamma, margins: none}
  - {name: slope_cells, by: [place, sex, age], mechanism: slope, margins: 1/5}
  - {name: log_cells, by: [place, sex], mechanism: log_laplace, where: {ownership: "5"}}
"""
SMALL = """\
protect: {policy: strong, alpha: 0.1, epsilon: 4}
tables:
  - {name: by_cell, by: [place, sector, ownership], mechanism: slope, margins: none}
"""
PLANS = {"strong": STRONG, "weak": WEAK}
NEIGHBOURS = ("one job more", "from 50 to 55", "from 0 to 1", "another kind of worker")
BITS = "tests.publishing.twins:repeat_bits"


@dataclass(frozen=True)
class Made:
    """A release: its bundle, what the command said, and what the ledger shows."""

    bundle: Path
    said: Ended
    ledger: str


class Scene:
    """One ledger and one place in the world for every database: only the data differ."""

    def __init__(self, driver: Driver, folder: Path) -> None:
        self.folder = folder
        self.driver = driver
        drawn = folder / "drawn"
        self.base, self.pairs = make_databases(drawn)
        self.codebook = [path for path in drawn.iterdir() if path.suffix != ".parquet"]
        self.made: dict[tuple[str, ...], Made] = {}

    def database(self, name: str) -> Database:
        return self.base if name == "base" else self.pairs[name].database

    def release(self, name: str, plan: str, twin: str = "") -> Made:
        """Release a database, once."""
        key = (name, plan, twin)
        if key not in self.made:
            self.made[key] = self._release(name, plan, twin)
        return self.made[key]

    def _release(self, name: str, plan: str, twin: str) -> Made:
        office = Office(self.driver, self.folder / twin / name / plan)
        office.folder.mkdir(parents=True)
        self._write(name, office.folder / "economy")
        office.write_plan(Path("economy"), tables=PLANS.get(plan, SMALL))
        template = Office(self.driver, self.folder / f"ledger of {plan}")
        if not template.folder.exists():
            template.folder.mkdir()
            template.open_account(30, "weak" if plan == "weak" else "strong")
        shutil.copy(template.ledger, office.ledger)
        changes: Changes = {BITS: {}, **({f"tests.publishing.twins:{twin}": {}} if twin else {})}
        said = office.run("run", *release(), changes=changes)
        assert said.code == 0, said.err
        shown = office.run("show", "ledger", "show", "--ledger", "../ledger.sqlite")
        return Made(office.folder / "run" / "bundle", said, shown.out)

    def _write(self, name: str, economy: Path) -> None:
        economy.mkdir()
        self.database(name).write(economy)
        for path in self.codebook:
            shutil.copy(path, economy)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, driver: Driver) -> Scene:
    return Scene(driver, tmp_path_factory.mktemp("scene"))


def compare(one: Made, other: Made) -> None:
    assert one.said == other.said
    assert masked(one.ledger) == masked(other.ledger)
    assert_alike(one.bundle, other.bundle)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_differ_in_noisy_numbers_alone(scene: Scene, plan: str, name: str) -> None:
    base, neighbour = scene.release("base", plan), scene.release(name, plan)
    compare(base, neighbour)
    assert verify_bundle(neighbour.bundle) == ()
    for table, before, after in differences(base.bundle, neighbour.bundle):
        assert {key: before[key] for key in before if key not in NOISY} == {
            key: after[key] for key in after if key not in NOISY
        }
        assert before["status"] == "1"
        assert is_of(scene.pairs[name], before), (table, before, after)
        one, two = int(before["value"]), int(after["value"])
        assert abs(one - two) <= 6 + 0.2 * max(abs(one), abs(two)), (table, before, after)


@pytest.mark.parametrize(
    ("table", "by"),
    [
        ("slope_spent", ["place", "sector", "ownership"]),
        ("pareto_spent", ["place"]),
        ("clipped", ["region", "ownership"]),
    ],
)
def test_establishments_are_those_of_the_frame(scene: Scene, table: str, by: list[str]) -> None:
    found = scene.base.workplaces.to_pandas()
    counted = found.assign(region=found["place"].str[:2]).groupby(by).size()
    frame = {key if isinstance(key, tuple) else (key,): int(n) for key, n in counted.items()}
    one, two = (
        read_csv(scene.release(name, "strong").bundle / "tables" / f"{table}.csv").to_pylist()
        for name in ("base", "one job more")
    )
    assert list(one[0])[-1] == "establishments"
    assert [row["establishments"] for row in one] == [row["establishments"] for row in two]
    stated = {tuple(row[name] for name in by): int(row["establishments"]) for row in one}
    assert {key: number for key, number in stated.items() if number} == frame
    assert {row["status"] for row in one if row["establishments"] == "0"} <= {"-2"}


def is_of(pair: Pair, row: dict[str, str]) -> bool:
    """Whether a row is of the establishment that changed: no other number moves."""
    place = dict(pair.workplace)
    public = {
        **{k: place[k] for k in ("place", "sector", "ownership")},
        "region": place["place"][:2],
    }
    return all(row[name] == code for name, code in public.items() if name in row)


@pytest.mark.parametrize("plan", PLANS)
def test_a_growing_establishment_is_seen_through_the_noise_alone(scene: Scene, plan: str) -> None:
    base, grown = scene.release("base", plan), scene.release("from 50 to 55", plan)
    tables = {table for table, _, _ in differences(base.bundle, grown.bundle)}
    wanted = {path.stem for path in base.bundle.glob("tables/*.csv")}
    assert len(tables) >= len(wanted) - 2  # the filtered ones may not know the establishment


def test_a_change_of_kind_leaves_workplace_tables_as_they_are(scene: Scene) -> None:
    base, changed = (scene.release(n, "strong") for n in ("base", "another kind of worker"))
    tables = {table for table, _, _ in differences(base.bundle, changed.bundle)}
    assert tables
    assert not tables & {"slope_spent", "slope_none", "stairs", "log"}


@pytest.mark.parametrize("plan", PLANS)
def test_an_establishment_of_nobody_is_a_row_with_noise(scene: Scene, plan: str) -> None:
    bundle = scene.release("base", plan).bundle
    table = "slope_spent" if plan == "strong" else "gamma_spent"
    place = scene.pairs["from 0 to 1"].workplace
    rows = [
        row
        for row in read_csv(bundle / "tables" / f"{table}.csv").to_pylist()
        if is_of(scene.pairs["from 0 to 1"], row)
    ]
    assert [(row["place"], row["status"]) for row in rows] == [(place["place"], "1")]


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", ["base", "from 50 to 55"])
def test_no_file_tells_the_number_of_jobs_or_where_the_data_are(
    scene: Scene, plan: str, name: str
) -> None:
    made = scene.release(name, plan)
    total = scene.database(name).jobs.num_rows
    assert total in {JOBS, JOBS + 5}
    texts = [made.said.out.encode(), made.said.err.encode()]
    texts += [(made.bundle / name).read_bytes() for name in files(made.bundle)]
    # Not inside a hash or a longer number, where these digits may stand by chance.
    number = re.compile(rf"(?<![0-9a-f]){total // 1000},?{total % 1000}(?![0-9a-f])".encode())
    for text in texts:
        assert not number.search(text)
        assert str(scene.folder).encode() not in text
        assert not any(f"{table}.parquet".encode() in text for table in NAMES)


@pytest.mark.parametrize(
    "twin",
    [
        "drop_empty_rows",
        "certify_the_total",
        "hint_at_the_total",
        "print_the_total",
        "report_the_total",
    ],
)
def test_a_bad_twin_is_noticed(scene: Scene, twin: str) -> None:
    compare(scene.release("base", "small"), scene.release("from 0 to 1", "small"))
    base, neighbour = (
        scene.release("base", "small", twin),
        scene.release("from 0 to 1", "small", twin),
    )
    with pytest.raises(AssertionError):
        compare(base, neighbour)
