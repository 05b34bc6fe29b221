"""Every paid output carries its charge: an old ledger that was put back and used is found."""

import json
import os
import shutil
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

import leeward
from leeward.core.errors import BadFile
from leeward.core.privacy import Guarantee
from leeward.interface.commands.app import build
from leeward.lab.economy import Economy, write_economy
from leeward.publishing.bundle import TableGuarantee
from leeward.publishing.bundle.bundle_files import CERTIFICATE, CHECKSUMS, checksum_list, sha256
from leeward.publishing.bundle.paid_folder import read_folder
from leeward.publishing.ledger import Ledger
from leeward.publishing.release.ledger_check import price_findings
from leeward.systems.synth import output as writing
from leeward.systems.synth.description import read_description
from tests.unchecked import UNCHECKED

PEOPLE, PAYROLL = (("--ledger", "ledger.sqlite", "--account", one) for one in ("people", "pay"))
WORKERS = ("economy/workers.parquet", "--codebook", "economy/codebook.yaml")
PAY = """\
attributes:
  sex: {table: workers, codes: [F, M]}
  years: {table: jobs, type: number, low: 0, high: 40}
  pay: {table: jobs, type: number, low: 0, high: 8000}
"""
LINES = ("jobs.csv", "--x", "years", "--y", "pay", "--by", "sex", "--codebook", "pay.yaml")
KINDS: Mapping[str, tuple[str, ...]] = {
    "release": ("release", "plan.yaml", "--ledger", "ledger.sqlite", *UNCHECKED),
    "synth table": ("synth", "table", *WORKERS, "--epsilon", "1", *PEOPLE),
    "synth linked": ("synth", "linked", "plan.yaml", "--ledger", "ledger.sqlite", *UNCHECKED),
    "regress": ("regress", *LINES, "--method", "moments", "--epsilon", "1", *PAYROLL),
}
SEALED = ("synth table", "regress")


def run(*words: str) -> Result:
    return CliRunner().invoke(build(), words)


def made(kind: str, out: str) -> Path:
    result = run(*KINDS[kind], "--out", out)
    assert result.exit_code == 0, result.output
    return Path(out)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An economy, jobs with pay, and a ledger whose accounts pay for one output each."""
    folder = tmp_path_factory.mktemp("office")
    write_economy(Economy(jobs=300, establishments=20, seed=7), folder / "economy")
    data = {one: f"economy/{one}.parquet" for one in ("workplaces", "workers", "jobs")}
    plan = {"data": data, "codebook": "economy/codebook.yaml", "account": "rows",
            "period": "2026", "protect": {"policy": "strong", "alpha": "0.1", "epsilon": "8"},
            "tables": [{"name": "wac", "by": ["place"], "breakdowns": ["sex"],
                        "mechanism": "joint_clipped"}]}  # fmt: skip
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    rows = [f"{n % 40},{2000 + 60 * (n % 40)},{'FM'[n % 2]}" for n in range(300)]
    (folder / "jobs.csv").write_text("\n".join(["years,pay,sex", *rows, ""]))
    (folder / "pay.yaml").write_text(PAY)
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.create("rows", policy="strong", alpha="0.1", epsilon=8)
    ledger.create("people", policy="worker", epsilon=1)
    ledger.create("pay", policy="worker", epsilon=1)
    return folder


@pytest.fixture
def folder(office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the office to work in."""
    shutil.copytree(office, tmp_path / "office")
    monkeypatch.chdir(tmp_path / "office")
    return tmp_path / "office"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", KINDS)
def test_an_old_ledger_that_was_put_back_and_used_is_found(kind: str) -> None:
    """The cap pays for one of them."""
    shutil.copy("ledger.sqlite", "old")
    first = made(kind, "first")
    assert leeward.verify(first, ledger="ledger.sqlite").sound
    against = ("ledger", "verify", "--against")
    assert run(*against, "first").exit_code == 0
    shutil.copy("old", "ledger.sqlite")
    cut = run(*against, "first")
    assert (cut.exit_code, "an old copy was put back" in cut.stdout) == (1, True)
    second = made(kind, "second")
    for one in (first, second):
        assert leeward.verify(one).sound
    apart = run("verify", "first", "second")
    assert (apart.exit_code, "it has two histories" in apart.stdout) == (1, True)
    rewritten = run(*against, "first", "--against", "second")
    assert (rewritten.exit_code, "put back and used" in rewritten.stdout) == (1, True)
    assert not leeward.verify(first, ledger="ledger.sqlite").sound
    assert leeward.verify(second, ledger="ledger.sqlite").sound


@pytest.mark.usefixtures("folder")
def test_outputs_of_all_kinds_tell_one_history() -> None:
    """The rows account pays for a release or for linked rows."""
    kinds = [kind for kind in KINDS if kind != "release"]
    folders = [str(made(kind, kind.replace(" ", "-"))) for kind in kinds]
    agreed = run("verify", *folders, "--ledger", "ledger.sqlite")
    assert (agreed.exit_code, "They agree with each other." in agreed.stdout) == (0, True)


@pytest.mark.usefixtures("folder")
def test_a_printed_regression_carries_its_charge() -> None:
    told = json.loads(run(*KINDS["regress"], "--json").stdout)
    assert (told["internal"], told["charged"], told["entry"]) == (False, True, 4)
    charge, entries = told["charge"], Ledger(Path("ledger.sqlite")).entries()
    at = {"id": told["ledger"], "account": "pay", "entry": 4, "head": entries[3].hash}
    assert charge["ledger"] == at
    assert charge["budget"]["left"]["epsilon"] == "0"
    assert len(charge["data"]["fingerprint"]) == 64


@pytest.mark.parametrize("kind", SEALED)
@pytest.mark.usefixtures("folder")
def test_a_folder_that_was_not_committed_can_be(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise BadFile("ledger", rule="must be writable", value="x", next_step="Free space.")

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "commit", full)
        failed = run(*KINDS[kind], "--out", "whole")
    assert failed.exit_code == 3
    assert "The folder is whole: run `leeward ledger commit whole" in failed.output
    assert "was never committed" in leeward.verify("whole", ledger="ledger.sqlite").problems[0]
    assert run("ledger", "commit", "whole").exit_code == 0
    assert leeward.verify("whole", ledger="ledger.sqlite").sound


def forged(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A copy in which a text is changed and every checksum is computed again."""
    copy = folder.with_name("forged")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    text = (copy / name).read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (copy / name).write_text(text)
    if name != CERTIFICATE:
        path = copy / CERTIFICATE
        stated = json.loads(path.read_text())
        size = (copy / name).stat().st_size
        stated["files"][name] = {"sha256": sha256(copy / name), "bytes": size}
        path.write_text(json.dumps(stated, indent=1, ensure_ascii=False) + "\n")
    names = [one.name for one in copy.iterdir() if one.name != CHECKSUMS]
    (copy / CHECKSUMS).write_bytes(checksum_list({one: sha256(copy / one) for one in names}))
    return copy


FORGED = {
    "a sentence of the rows": (
        "synth table", "description.json", ("a factor 2.72", "a factor 1.01"),
        "sentences that do not follow",
    ),
    "another price of the rows": (
        "synth table", "description.json", ('"epsilon": "1"', '"epsilon": "1/2"'),
        "states another charge",
    ),
    "a row": ("synth table", "synthetic.csv", ('\n"', '\n\n"'), "does not have the rows"),
    "a lower price": (
        "synth table", CERTIFICATE, ('"guarantee": {\n  "policy": "worker",\n  "alpha": null,\n'
                                     '  "epsilon": "1"',
                                     '"guarantee": {\n  "policy": "worker",\n  "alpha": null,\n'
                                     '  "epsilon": "2"'),
        "promises something else than what was charged",
    ),
    "less spent": (
        "regress", CERTIFICATE, ('"spent": {\n   "policy": "worker",\n   "alpha": null,\n'
                                 '   "epsilon": "1"',
                                 '"spent": {\n   "policy": "worker",\n   "alpha": null,\n'
                                 '   "epsilon": "1/2"'),
        "charge does not follow",
    ),
    "a sentence of the lines": (
        "regress", "regression.json", ("a factor 2.72", "a factor 1.01"), "says does not follow",
    ),
    "an estimate": (
        "regress", "estimates.csv", ("slope,", "slope,1"), "estimates.csv does not agree",
    ),
    "noise": (
        "regress", "regression.json", ('"deviation": ', '"deviation": 1'), "noise of another size",
    ),
    "an internal one": (
        "regress", "regression.json", ('"internal": false', '"internal": true'), "INTERNAL",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def sealed(office: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both kinds of sealed folders, each of a ledger of its own."""
    place = tmp_path_factory.mktemp("sealed") / "office"
    shutil.copytree(office, place)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for kind in SEALED:
            made(kind, kind.replace(" ", "-"))
            shutil.copy(office / "ledger.sqlite", place / "ledger.sqlite")
    return place


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_folder_is_found_without_the_ledger(sealed: Path, name: str) -> None:
    kind, file, change, says = FORGED[name]
    folder = sealed / kind.replace(" ", "-")
    assert leeward.verify(folder).sound
    problems = leeward.verify(forged(folder, file, change)).problems
    assert any(says in one for one in problems), problems


def test_a_price_that_was_not_paid_is_found_in_a_folder_that_agrees_with_itself(
    sealed: Path,
) -> None:
    """Half of the ε is promised; description, sentences, rows and checksums are made of it."""
    held = read_description(sealed / "synth-table" / writing.DESCRIPTION)
    charge = held.provenance.charge
    assert charge is not None
    less = Guarantee("worker", None, "1/2")
    cheap = charge.model_copy(update={"guarantee": TableGuarantee.of(less)})
    provenance = replace(held.provenance, guarantee=less, charge=cheap)
    forgery = replace(held, provenance=provenance, says=provenance.sentences)
    writing.write_folder(sealed / "cheap", forgery, 5, 0)
    assert leeward.verify(sealed / "cheap").problems == (
        "its budget states another payment than what its guarantee costs",
    )


def test_a_charge_of_two_accounts_is_found(sealed: Path) -> None:
    stated = read_folder(sealed / "regress")
    other = stated.model_copy(update={"account": "other"})
    assert [*price_findings(stated)] == []
    assert [*price_findings(other)] == ["its charge names two accounts"]


def piped(folder: Path) -> None:
    """Reading the certificate would never end."""
    (folder / CERTIFICATE).unlink()
    os.mkfifo(folder / CERTIFICATE)


BROKEN: tuple[tuple[Callable[[Path], object], str], ...] = (
    (lambda at: (at / "more.txt").write_text("x"), "does not belong"),
    (lambda at: next(at.glob("*.csv")).unlink(), "is missing"),
    (lambda at: next(at.glob("*.csv")).write_text("x"), "is not the file that was sealed"),
    (lambda at: (at / CERTIFICATE).unlink(), "must be there"),
    (lambda at: (at / CERTIFICATE).write_text("{}"), "must be what"),
    (
        lambda at: (at / CERTIFICATE).write_bytes(b" " * (2 << 20)),
        "must be a file of at most 128 KB",
    ),
    (piped, "must be a file"),
    (lambda at: (at / CHECKSUMS).write_text(""), "does not list the files"),
)


@pytest.mark.parametrize("kind", SEALED)
def test_missing_strange_and_changed_files_are_found(sealed: Path, kind: str) -> None:
    whole = sealed / kind.replace(" ", "-")
    for break_it, says in BROKEN:
        copy = sealed / "broken"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        break_it(copy)
        assert any(says in one for one in leeward.verify(copy).problems), says
    assert not leeward.verify(whole, source=whole).sound


def test_wrong_keys_of_a_charge_are_not_gathered(sealed: Path) -> None:
    """A validation error for each of them would take gigabytes."""
    copy = sealed / "long"
    shutil.copytree(sealed / "synth-table", copy)
    told = json.loads((copy / writing.DESCRIPTION).read_text())
    told["charge"] = {f"k{n}": 0 for n in range(500_000)}
    (copy / writing.DESCRIPTION).write_text(json.dumps(told))
    tracemalloc.start()
    problems = leeward.verify(copy).problems
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problems == ("description.json cannot be read, or no rows can be drawn from it",)
    assert most < 200 << 20


def test_rows_drawn_later_carry_the_charge_of_their_description(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sealed)
    words = ("synth", "generate", "synth-table/description.json", "--rows", "7", "--out", "seven")
    assert run(*words).exit_code == 0
    assert leeward.verify("seven").sound
    agreed = run("verify", "synth-table", "seven")
    assert (agreed.exit_code, "They agree" in agreed.stdout) == (0, True)


@pytest.mark.usefixtures("folder")
def test_what_is_not_charged_is_internal_in_every_file() -> None:
    inside = ("--uncharged", "a trial run")
    for words in (
        ("synth", "table", *WORKERS, "--epsilon", "1"),
        ("regress", *LINES, "--method", "moments", "--epsilon", "1"),
    ):
        rejected = run(*words, "--out", "out")
        assert (rejected.exit_code, Path("out").exists()) == (1, False)
        assert "--uncharged REASON" in rejected.output
        assert run(*words, "--out", "out", *inside).stdout.startswith("INTERNAL")
        assert Path("out").stat().st_mode & 0o777 == 0o700
        for one in Path("out").iterdir():
            assert one.stat().st_mode & 0o777 == 0o600
            assert b"INTERNAL" in one.read_bytes(), one
        assert leeward.verify("out").problems == ("it is INTERNAL: no account was charged for it",)
        shutil.rmtree("out")


@pytest.mark.usefixtures("folder")
def test_nothing_is_read_without_a_payer() -> None:
    """The file and the codebook are not there."""
    for words in (
        ("synth", "table", "none.csv", "--codebook", "none.yaml", "--epsilon", "1", "--out", "o"),
        ("regress", "none.csv", *LINES[1:7], "--codebook", "none.yaml", "--method", "moments",
         "--epsilon", "1"),
    ):  # fmt: skip
        assert "--ledger, --account: must be given" in run(*words).output


@pytest.mark.usefixtures("folder")
def test_rows_of_an_internal_description_are_internal() -> None:
    words = ("synth", "table", *WORKERS, "--epsilon", "1", "--uncharged", "a trial")
    assert run(*words, "--out", "first").exit_code == 0
    generated = run("synth", "generate", "first/description.json", "--rows", "3", "--out", "more")
    assert generated.stdout.startswith("INTERNAL")
    assert (Path("more") / writing.CSV).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("folder")
def test_rows_that_nobody_paid_for_since_none_was_read_are_not_internal() -> None:
    words = ("synth", "table", *WORKERS, "--method", "random", "--rows", "3", "--out", "free")
    assert run(*words).exit_code == 0
    assert (Path("free") / writing.CSV).stat().st_mode & 0o777 == 0o644
    assert "nothing was charged" in leeward.verify("free").problems[0]
    assert "reads nothing" in run(*words[:-1], "other", "--uncharged", "why").output
