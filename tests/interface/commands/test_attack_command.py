"""`leeward attack`: what it prints and writes, for whose eyes, and what it refuses."""

import json
import stat

import pytest

from leeward.core.show.notebook import INTERNAL
from leeward.lab.attacks import attack_registry
from leeward.lab.attacks.attack_registry import ATTACKS, Attack
from tests.interface.commands.scene import Office, write_csv

OWN = [name for name, one in ATTACKS.items() if one.own]
ANSWER = {
    *("attack", "number", "sentence", "against_leeward", "against_nothing", "parameters"),
}


@pytest.fixture
def large(office: Office) -> Office:
    """Establishments of 60 jobs, most of them alone in their cell; one table of each kind."""
    rows = [{"worker_id": f"w{n:03}", "sex": "FM"[n % 2], "education": f"E{1 + n % 4}"}
            for n in range(300)]  # fmt: skip
    write_csv(office.folder / "workers.csv", rows)
    jobs = [{"worker_id": one["worker_id"], "workplace_id": f"e{n % 5}"}
            for n, one in enumerate(rows)]  # fmt: skip
    write_csv(office.folder / "jobs.csv", jobs)
    office.edit("plan.yaml", ("by: [place, sex]", "by: [place, sector, sex, education]"))
    return office


def test_attacks_are_listed(office: Office) -> None:
    told = office.run("attack").stdout
    for name, one in ATTACKS.items():
        assert f"{name} " in told
        assert one.line in told


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["egde"], "attack: must be one that `leeward attack` lists, or all; got 'egde'. Did you "
         "mean 'edge'?"),
        (["edge", "--with", "epsilom=1"], "--with: must set a parameter of edge as KEY=VALUE; it "
         "has epsilon, alpha, size; got 'epsilom=1'. Did you mean 'epsilon'?"),
        (["edge", "--with", "size=many"], "--with size: must be a whole number; got 'many'. Give "
         "for example size=1000."),
        (["edge", "--with", "epsilon=0"], "epsilon: "),
        (["edge", "--data", "plan.yaml"], "--data: is for attacks on tables; edge has numbers of "
         "its own; got 'plan.yaml'. Leave it out, or choose one of differencing, "),
        (["edge", "a.csv"], "TABLES: are for interval alone, without --data; got 'a.csv'."),
        (["all", "--with", "epsilon=1"], "--with: sets a parameter of one attack; "),
        (["edge", "--out", "plan.yaml"], "out: "),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused(office: Office, wrong: list[str], says: str) -> None:
    result = office.run("attack", *wrong)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert says in result.stderr


def test_a_run_answers_on_screen_as_json_and_as_a_page(office: Office) -> None:
    shown = office.run("attack", "edge", "--with", "epsilon=2", "--out", "edge")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("± 1 jobs\nThe size of an establishment is known to ± 1 jobs")
    assert shown.stdout.endswith("The page is edge/index.html.\n")
    out = office.folder / "edge"
    assert sorted(one.name for one in out.iterdir()) == ["attacks.json", "index.html"]
    told = json.loads(office.run("attack", "edge", "--json").stdout)
    assert set(told) > ANSWER
    assert told["half_width"] == 3
    assert set(told["against_leeward"]) == set(told["against_nothing"]) == {"number", "sentence"}


@pytest.mark.parametrize("name", OWN)
def test_nothing_of_own_data_lacks_the_mark(large: Office, name: str) -> None:
    result = large.run("attack", name, "--data", "plan.yaml", "--out", "inside")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith(INTERNAL)
    assert result.stdout.startswith(INTERNAL)
    out = large.folder / "inside"
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    for one in out.iterdir():
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
        assert INTERNAL in one.read_text(encoding="utf-8")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert f"<title>{INTERNAL}" in page
    assert page.count("banner") >= page.count("<section")
    told = json.loads((out / "attacks.json").read_text(encoding="utf-8"))
    assert next(iter(told)) == "confidential"
    assert not list(large.folder.glob("*/certificate.json"))


def test_all_attacks_share_a_world_and_say_what_is_left_out(
    large: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = {name: ATTACKS[name] for name in ("edge", "margins", "differencing")}
    monkeypatch.setattr(
        "leeward.interface.commands.attack_command.ATTACKS",
        some | {"unsolved": Attack("none", "", True, True, True)},
    )
    monkeypatch.setattr("leeward.interface.commands.attack_command.has_solver", lambda: False)
    result = large.run("attack", "all", "--data", "plan.yaml", "--out", "gallery")
    assert result.exit_code == 0, result.output
    assert "Left out, since they have numbers of their own: edge." in result.stderr
    assert "Left out, since OR-Tools is missing: unsolved. Type: " in result.stderr
    pages = {one.name for one in (large.folder / "gallery").glob("*.html")}
    assert pages == {"index.html", "margins.html", "differencing.html"}
    assert result.stdout.startswith(f"{INTERNAL}\nmargins: ")


def test_a_parameter_is_read_as_its_default_is() -> None:
    given = attack_registry.parameters("edge", ["epsilon=1/2", "size=20"])
    assert given == {"epsilon": "1/2", "size": 20}
