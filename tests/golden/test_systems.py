"""Golden systems: with fixed bits everything beside releases writes the same numbers as before.

Synthetic rows, regressions, surveys, made-up economies, evaluations and attacks.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import partial
from operator import mul
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import leeward
import leeward.lab.evaluate
import leeward.systems.local
from leeward.core import randomness
from leeward.core.codebook import TABLES
from leeward.lab.economy import Economy
from tests.golden.net import OF_THE_MOMENT, digest, fix_bits, keep, kept, numbers
from tests.matrix.office import run, succeed
from tests.systems.local.surveys import PAID, SEVERAL
from tests.systems.regress import scene as jobs
from tests.systems.synth import scene as people
from tests.unchecked import REASON

PART = "systems"
PRECISION = 9
"""Digits of floats that every processor finds alike."""

OF_THE_RUN = (*OF_THE_MOMENT, "charge", "fingerprint", "plan_digest", "pyarrow", "seed", "bias")
"""Keys that change from run to run or with a version; a bias near 0 is an error of rounding."""

PAY = "earnings"
"""Columns of made-up cents."""

Digests: TypeAlias = dict[str, str]


@dataclass(frozen=True)
class Scene:
    """The folder of a case, in which its commands run."""

    folder: Path
    patch: pytest.MonkeyPatch

    def fix_bits(self) -> None:
        """Inputs are written: from now on every bit is known."""
        fix_bits(self.patch)

    def run(self, *words: object) -> str:
        """What a command prints; it must end well."""
        return succeed(run(self.folder, *words))

    def account(self, **cap: object) -> tuple[str, ...]:
        """A new account with this cap, as a command names it."""
        leeward.Ledger(self.folder / "ledger.sqlite").create("golden", **cap)  # type: ignore[arg-type] # a cap as a plan writes it
        return "--ledger", "ledger.sqlite", "--account", "golden"


Case: TypeAlias = Callable[[Scene], Digests]


def lasting(value: object) -> object:
    """The content of a JSON file without what changes by itself."""
    if isinstance(value, Mapping):
        return {key: lasting(part) for key, part in value.items() if key not in OF_THE_RUN}
    if isinstance(value, list):
        return [lasting(part) for part in value]
    return float(f"{value:.{PRECISION}g}") if isinstance(value, float) else value


def numbers_of(scene: Scene, content: object) -> str:
    """A digest of the lasting numbers of an answer."""
    path = scene.folder / "lasting.json"
    path.write_text(json.dumps(lasting(content)))
    return numbers(path)


def values(table: pa.Table) -> str:
    """A digest of columns, types and values of a table."""
    types = [(column.name, str(column.type)) for column in table.schema]
    columns = table.to_pydict()
    if (PAY, "int64") in types:
        columns[PAY] = totals(columns[PAY])
    return digest(json.dumps([types, columns], default=str).encode())


def totals(pay: list[int]) -> list[str]:
    """All pay, and all pay by its place: on some processors single ones differ by a cent."""
    return [f"{total:.5g}" for total in (sum(pay), sum(map(mul, pay, range(len(pay)))))]


def files(scene: Scene, folder: str) -> Digests:
    """Digests of the CSV files, the tables and the JSON numbers of a folder."""
    return {str(path.relative_to(scene.folder)): told for path, told in _files(scene, folder)}


def _files(scene: Scene, folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((scene.folder / folder).rglob("*")):
        if path.suffix == ".csv":
            yield path, digest(path.read_bytes())
        elif path.suffix == ".parquet":
            yield path, values(pq.read_table(path))
        elif path.name == "codebook.yaml":
            yield path, codes(path)
        elif path.suffix == ".json" and not path.name.endswith(("metadata.json", "schema.json")):
            yield path, numbers_of(scene, json.loads(path.read_text()))


def codes(path: Path) -> str:
    """A digest of a codebook's attributes and their codes."""
    attributes = yaml.safe_load(path.read_text())["attributes"]
    listed = {name: sorted(one.get("codes") or ()) for name, one in attributes.items()}
    return digest(json.dumps(listed).encode())


RANGES, DELTA = ("--ranges", "4"), ("--delta", "1e-9")
SYNTH = {
    "random": ("--method", "random", "--rows", "50"),
    "independent": ("--method", "independent", "--epsilon", "30"),
    "tree": ("--method", "tree", "--epsilon", "30", "--seed", "7"),
    "tree-delta": ("--method", "tree", "--epsilon", "30", *DELTA),
    "auto": ("--epsilon", "2"),
    "correlated": ("--method", "correlated", "--epsilon", "60", "--parents", "1"),
    "correlated-delta": ("--method", "correlated", "--epsilon", "30", *DELTA),
    "nist": ("--method", "nist", "--epsilon", "30", "--public", "earlier/people.csv"),
    "nist-delta": ("--method", "nist", "--epsilon", "9", *DELTA, "--public", "earlier/people.csv"),
    "aim": ("--method", "aim", "--epsilon", "3", *DELTA),
}


def synthetic_table(options: tuple[str, ...], scene: Scene) -> Digests:
    """Rows of a table, and further ones of its description."""
    people.write(scene.folder, 300)
    people.write(scene.folder / "earlier", 200)
    paid = () if "random" in options else scene.account(policy="worker", epsilon=99, delta="1e-6")
    scene.fix_bits()
    answer = people.answer(*options, *RANGES, *paid)
    scene.run("synth", "generate", "out/description.json", "--out", "more", "--rows", 20, "--seed",
              3)  # fmt: skip
    told = {key: answer[key] for key in ("rows", "total")}
    return {**files(scene, "out"), **files(scene, "more"), "answer": numbers_of(scene, told)}


LINKED = """\
data: {workplaces: economy/workplaces.parquet, workers: economy/workers.parquet,
       jobs: economy/jobs.parquet}
codebook: economy/codebook.yaml
account: golden
period: "2026"
protect: {policy: strong, alpha: 0.1, epsilon: 40}
tables:
  - {name: wac, by: [place, sector], breakdowns: [[age, schooling], sex, earnings],
     mechanism: joint_clipped, share: 3/5}
  - {name: pairs, by: [region], breakdowns: [[age, earnings], [sex, earnings]],
     mechanism: joint_clipped, share: 1/5}
  - {name: coarse, by: [region, race], share: 1/5}
"""


def linked_tables(scene: Scene) -> Digests:
    """A release with its tidy tables, then workplaces, workers and jobs that reproduce it.

    Rows are seeded by a certificate, which has times and versions: here every seed is the same.
    """
    scene.run("economy", "--out", "economy", "--jobs", 1000, "--establishments", 60)
    (scene.folder / "plan.yaml").write_text(LINKED)
    paid = scene.account(policy="strong", alpha="0.1", epsilon=80)[:2]
    linked = "synth", "linked", "plan.yaml", "--out"
    scene.fix_bits()
    scene.run(*linked, "first", *paid, "--unchecked", REASON)
    scene.patch.setattr(randomness.SeededBits, "__init__", seed_alike)
    scene.run(*linked, "rows", "--measured", "first/first-measured")
    made: Digests = {name: values(pq.read_table(scene.folder / "rows" / f"{name}.parquet"))
            for name in TABLES}  # fmt: skip
    stated = json.loads((scene.folder / "rows" / "synthetic.json").read_text())
    released = {**files(scene, "first/first-measured"), **files(scene, "first/first-tidy")}
    return {**released, **made, "synthetic": numbers_of(scene, stated)}


def seed_alike(bits: randomness.SeededBits, _: int) -> None:
    """Seeded bits that do not follow their seed."""
    bits.generator = np.random.Generator(np.random.PCG64(1))


PRIVATE = ("--epsilon", "8", "--codebook", "codebook.yaml")
REGRESS = {
    "moments": ("--method", "moments", *PRIVATE, "--rank", "0.25", "--rank", "1/2"),
    "moments-scatter": ("--method", "moments", *PRIVATE, "--scatter", "600"),
    "moments-employers": (
        *("--method", "moments", *PRIVATE, "--workplace", "plant", "--alpha", "0.1"),
    ),
    "theil-sen": ("--method", "theil-sen", *PRIVATE, "--counts", "counts.csv"),
}
BASELINES = ("global", "local", "mose", "upper-bound", "suppression")


def regression(options: tuple[str, ...], scene: Scene) -> Digests:
    """The answer of a private method, which is charged."""
    jobs.write(scene.folder, 300)
    protects = (
        {"policy": "strong", "alpha": "0.1"} if "--alpha" in options else {"policy": "worker"}
    )
    paid = scene.account(**protects, epsilon=20)
    scene.fix_bits()
    jobs.answer(*options, *paid, "--out", "regression")
    return files(scene, "regression")


def baseline(method: str, scene: Scene) -> Digests:
    """The answer of a method without a guarantee."""
    jobs.write(scene.folder, 300)
    scene.fix_bits()
    jobs.answer("--method", method, *PRIVATE, "--out", "regression")
    return files(scene, "regression")


CHANNELS = ("subset_selection", "projective", "hadamard", "unary", "hashing", "sketch")
CODES = [f"c{number:02}" for number in range(12)]
SURVEYS: dict[str, dict[str, object]] = {
    "randomised": {**PAID, "method": "randomised"},
    "strata": {**SEVERAL, "ask": "one"},
    "ln": {**SEVERAL, "epsilon": "ln 3"},
    **{method: {**PAID, "method": method, "answers": CODES} for method in CHANNELS},
    "auto": {**PAID, "answers": [str(code) for code in range(300)]},
}
SENDERS, CLIENTS = 5, 400


def survey(content: Mapping[str, Any], scene: Scene) -> Digests:
    """Reports of some people, counted; then the estimates of many people at once."""
    path, reports = scene.folder / "survey.yaml", scene.folder / "reports"
    path.write_text(yaml.safe_dump(dict(content)))
    reports.mkdir()
    asked = leeward.systems.local.read_survey(path)
    strata = [("--stratum", f"region={code}") for code in ("north", "south")]
    scene.fix_bits()
    for person in range(SENDERS):
        scene.patch.setenv("XDG_STATE_HOME", str(scene.folder / f"person{person}"))
        given = [f"{one.name}={_answer(one.answers.codes, person)}" for one in asked.questions]
        given = given if len(given) > 1 else [given[0].partition("=")[2]]
        words = [word for one in given for word in ("--answer", one)]
        words += strata[person % 2] if asked.strata else ()
        scene.run("local", "encode", path, *words, "--out", reports / f"{person}.json")
    scene.run("local", "aggregate", path, reports, "--out", "result")
    sent = b"".join(report.read_bytes() for report in sorted(reports.iterdir()))
    columns = {
        one.name: [_answer(one.answers.codes, person) for person in range(CLIENTS)]
        for one in asked.questions
    }
    regions = {"region": ["north", "south", "south", "north"] * (CLIENTS // 4)}
    clients = leeward.systems.local.encode(asked, columns, strata=regions if asked.strata else None)
    estimates = leeward.systems.local.aggregate(asked, clients).as_json()
    told = {"sent": digest(sent), "estimates": numbers_of(scene, estimates)}
    return {**files(scene, "result"), **told}


def _answer(listed: tuple[str, ...], person: int) -> str:
    """Answers with small numbers are given more often."""
    return listed[min(person % 7, person % 11) % len(listed)]


ECONOMIES = {
    "places": ("--jobs", "600", "--establishments", "60", "--seed", "4"),
    "blocks": ("--jobs", "600", "--establishments", "60", "--geography", "blocks"),
    "tracts": ("--jobs", "600", "--establishments", "60", "--geography", "tracts"),
    "quarters": (
        *("--jobs", "1000", "--establishments", "80", "--quarters", "4", "--cohorts", "--homes"),
        *("--several-jobs", "1/20"),
    ),
}


def economy(options: tuple[str, ...], scene: Scene) -> Digests:
    """Tables of a made-up economy."""
    scene.fix_bits()
    scene.run("economy", "--out", "economy", *options)
    return files(scene, "economy")


def evaluated(workload: str | None, scene: Scene) -> Digests:
    """The points of an evaluation on a small economy."""
    preset = replace(leeward.lab.evaluate.PRESETS["quick"], economy=Economy(2000, 60))
    preset = preset if workload is None else preset.with_workload(workload)
    scene.fix_bits()
    done = leeward.lab.evaluate.run(preset=preset.with_settings(["0.1"], ["4"]), trials=2)
    return {"evaluation": numbers_of(scene, done.as_json())}


def compared(scene: Scene) -> Digests:
    """The points of a comparison of regressions."""
    scene.fix_bits()
    scene.run("evaluate", "--preset", "mose", "--trials", 2, "--epsilon", 4, "--out", "mose")
    return files(scene, "mose")


ATTACKS = (
    "differencing",
    "block",
    "edge",
    "odds",
    "infusion",
    "linkage",
    "margins",
    "blackbox",
)


def attack(name: str, scene: Scene) -> Digests:
    """The findings of an attack."""
    scene.fix_bits()
    told = scene.run("attack", name, "--json")
    return {"findings": numbers_of(scene, json.loads(told))}


CASES: dict[str, Case] = {
    **{f"synth {name}": partial(synthetic_table, words) for name, words in SYNTH.items()},
    "synth linked": linked_tables,
    **{f"regress {name}": partial(regression, words) for name, words in REGRESS.items()},
    **{f"regress {name}": partial(baseline, name) for name in BASELINES},
    **{f"local {name}": partial(survey, content) for name, content in SURVEYS.items()},
    **{f"economy {name}": partial(economy, words) for name, words in ECONOMIES.items()},
    "evaluate all_margins": partial(evaluated, "all_margins"),
    "evaluate lodes_six": partial(evaluated, "lodes_six"),
    "evaluate mose": compared,
    **{f"attack {name}": partial(attack, name) for name in ATTACKS},
}


def digests(folder: Path, patch: pytest.MonkeyPatch, name: str) -> Digests:
    """What a case writes in a folder of its own, on a single core: draws have an order."""
    place = folder / name.replace(" ", "-")
    place.mkdir()
    patch.setenv("XDG_STATE_HOME", str(place / "state"))
    patch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    with chdir(place):
        return CASES[name](Scene(place, patch))


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_give_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert digests(tmp_path, monkeypatch, name) == kept(PART)[name]


def write(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Keep what this tree writes; each case undoes its patches."""
    found = {}
    for name in CASES:
        with patch.context() as own:
            found[name] = digests(folder, own, name)
    keep(PART, found)
