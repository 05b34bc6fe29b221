"""Impossible combinations: a check counts the jobs that have them, a release never looks."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from leeward.core import randomness
from leeward.publishing.engines.engine import Engine
from leeward.publishing.plan.plan import read_plan
from tests.golden.net import fixed_bits
from tests.interface.commands.scene import Office

RULES = "impossible: [{sex: M, education: E2}, {sex: F, education: E2}]\n"
"""Of the 40 workers ten are men with E2, and no woman is."""


@pytest.fixture
def ruled(office: Office) -> Office:
    office.edit("codebook.yaml", ("attributes:", f"{RULES}attributes:"))
    return office


def test_the_check_counts_them_and_refuses_nothing(ruled: Office) -> None:
    said = ruled.run("check", "plan.yaml")
    assert said.exit_code == 0
    assert said.stdout.splitlines()[1:4] == [
        "jobs: impossible combination sex M, education E2, 10 of 40 rows",
        "  A job with a combination of codes that the codebook calls impossible counts like any "
        "other; a release does not look for it.",
        "  Mend the rows, or remove the combination from `impossible` in the codebook.",
    ]
    assert "sex F" not in said.stdout
    ruled.edit("plan.yaml", ("period:", "rows: strict\nperiod:"))
    strict = ruled.run("check", "plan.yaml", "--json")
    assert strict.exit_code == 0
    (found,) = json.loads(strict.stdout)["findings"]
    assert (found["rows"], found["rule"], found["refuses"]) == (10, "impossible", False)


def test_rows_that_refuse_a_release_come_first(ruled: Office) -> None:
    ruled.edit("workplaces.csv", ("01,A", "09,A"))
    (found,) = json.loads(ruled.run("check", "plan.yaml", "--json").stdout)["findings"]
    assert found["problem"] == "unlisted code"


def test_a_release_does_not_look(ruled: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object) -> None:
        raise AssertionError("a release counted impossible combinations")

    monkeypatch.setattr(Engine, "count_impossible", looked)
    tables = []
    for out in ("ruled", "free"):
        if out == "free":
            ruled.edit("codebook.yaml", (RULES, ""))
        monkeypatch.setattr(randomness, "os", SimpleNamespace(urandom=fixed_bits()))
        ruled.released("--again", out=out)
        files = (one for one in sorted(Path(out, "tables").iterdir()) if one.suffix != ".json")
        tables.append([one.read_bytes() for one in files])
    assert tables[0] == tables[1]


def test_the_digest_of_a_codebook_has_them(ruled: Office) -> None:
    digests = [read_plan(Path("plan.yaml")).codebook_digest]
    for change in ((RULES, RULES.replace("E2}]", "E3}]")), (RULES.replace("E2}]", "E3}]"), "")):
        ruled.edit("codebook.yaml", change)
        digests.append(read_plan(Path("plan.yaml")).codebook_digest)
    assert len(set(digests)) == 3
    # As it was before codebooks had them.
    assert digests[2] == "030e815a50c651decc8128f7f083036cab4c6cfb37cb279b5567f48e737ff5eb"
