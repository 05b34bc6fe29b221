"""`--json` of release, verify, doctor and init: the same answers for programs."""

import json
from typing import Any

from leeward.core.codebook import TABLES
from tests.interface.commands.scene import Office
from tests.unchecked import UNCHECKED

DATA = [part for name in TABLES for part in (f"--{name}", f"{name}.csv")]
RELEASE = ("release", "plan.yaml", "--out", "bundle", "--ledger", "ledger.sqlite", *UNCHECKED)


def answer(office: Office, *words: str, code: int = 0) -> Any:  # noqa: ANN401 (it is JSON)
    result = office.run(*words, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_release_tells_where_and_how_much(office: Office) -> None:
    assert answer(office, *RELEASE) == {
        "bundle": "bundle",
        "report": "bundle/report.html",
        "account": "office",
        "entry": 2,
        "charge": {"epsilon": "4", "delta": "0", "rho": "0"},
        "paid": {"epsilon": "4", "delta": "0", "rho": "0"},
        "left": {"epsilon": "12", "delta": "0"},
    }


def test_a_refused_release_prints_no_json(office: Office) -> None:
    result = office.run("release", "no.yaml", *RELEASE[2:], "--json")
    assert (result.exit_code, result.stdout) == (1, "")


def test_verify_tells_of_a_sound_bundle_and_its_sign_offs(office: Office) -> None:
    office.released()
    words = ("--sign-off", "--name", "One", "--role", "author", "--decision", "submitted")
    told = answer(office, "verify", "bundle", *words)
    assert (told["sound"], told["disagreements"]) == (True, [])
    (bundle,) = told["bundles"]
    (signed,) = bundle["sign_offs"]
    assert (bundle["bundle"], bundle["sound"], bundle["problems"]) == ("bundle", True, [])
    assert bundle["decision"] is None
    assert (signed["name"], signed["decision"], signed["of_this_bundle"]) == (
        "One",
        "submitted",
        True,
    )


def test_verify_tells_what_is_wrong_with_which_bundle(office: Office) -> None:
    office.released()
    with (office.folder / "bundle" / "tables" / "by_place.csv").open("a") as file:
        file.write("01,A,1,1,1\n")
    told = answer(office, "verify", "bundle", "nothing", code=1)
    assert told["sound"] is False
    changed, missing = told["bundles"]
    assert "tables/by_place.csv is not the file that was published" in changed["problems"]
    assert missing == {
        "bundle": "nothing",
        "sound": False,
        "problems": ["it is not a folder"],
        "notes": [],
        "sign_offs": [],
        "decision": None,
    }


def test_doctor_tells_each_check(office: Office) -> None:
    told = answer(office, "doctor", "--ledger", "ledger.sqlite")
    assert told["ok"] is True
    assert {"check": "exact noise", "ok": True, "found": "draws"} in told["checks"]
    bad = answer(office, "doctor", "--bundles", "none", code=1)
    assert bad["ok"] is False
    assert [one["check"] for one in bad["checks"] if not one["ok"]] == ["leftovers in none"]


def test_init_tells_which_files_it_wrote_and_no_code(office: Office) -> None:
    assert answer(office, "init", *DATA, "--out", "new", "--list-codes") == {
        "codebook": "new/codebook.yaml",
        "plan": "new/plan.yaml",
        "keys": {
            place: {"column": column, "sure": True, "why": "by its name"}
            for place, column in {
                "workplaces.id": "workplace_id",
                "workers.id": "worker_id",
                "jobs.worker": "worker_id",
                "jobs.workplace": "workplace_id",
            }.items()
        },
        "to_type": ["account", "period"],
        "classifications": {
            "sex": "standard:lehd/sex",
            "education": "standard:lehd/education",
        },
        "lists_to_confirm": ["new/codes/place.csv", "new/codes/sector.csv"],
        "lists_to_fill": ["new/codes/owner.csv"],
        "pay_to_declare": [],
        "not_proposed": [],
        "weights": [],
        "left_out": {},
        "to_provide": None,
    }
