"""A receipt speaks of these data, this codebook, these rules and this program, to its owner."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from pyarrow.csv import write_csv

import leeward
from leeward.core.errors import LeewardError
from leeward.core.state import state_folder
from leeward.publishing.engines import duckdb
from leeward.publishing.engines.engine import Engine
from leeward.publishing.engines.private_file import SpillFolder
from leeward.publishing.ledger.entry import line
from leeward.publishing.plan.plan import read_plan
from leeward.publishing.release import receipt
from leeward.publishing.release.check import Checked, check_rows, open_data, require_rows
from tests.publishing.office import Driver, Office, checked_release, noted, release, steps
from tests.publishing.release.test_order import (
    LOOKED,
    another_sex,
    make_strict,
    rewrite,
    second_job,
)
from tests.unchecked import REASON


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "leeward"


@pytest.fixture
def office(tmp_path: Path, driver: Driver, small_economy: Path) -> Office:
    made = Office(driver, tmp_path)
    made.open_account(40)
    shutil.copytree(small_economy, tmp_path / "economy")
    made.write_plan(Path("economy"))
    return made


def checked(office: Office) -> Checked:
    plan = read_plan(office.folder / "2026Q2.yaml")
    with open_data(plan) as engine:
        return check_rows(plan, engine)


def spoil(table: str, edit: Callable[[pa.Table], pa.Table]) -> Callable[[Office], None]:
    return lambda office: rewrite(office, table, edit)


def another_codebook(office: Office) -> None:
    codebook = office.folder / "economy" / "codebook.yaml"
    text, line = codebook.read_text(), '"92": Public Administration\n'
    assert text.count(line) == 1
    codebook.write_text(text.replace(line, f'{line}      "99": Unknown\n'))


def another_rule(office: Office) -> None:
    plan = office.folder / "2026Q2.yaml"
    plan.write_text(plan.read_text() + "jobs: {max_per_worker: 2}\n")


def another_encoding(office: Office) -> None:
    plan = office.folder / "2026Q2.yaml"
    plan.write_text(plan.read_text().replace("data:\n", "data:\n  encoding: cp1252\n", 1))


def only(office: Office) -> Path:
    """The one receipt of a test."""
    (found,) = (office.folder / "state" / "leeward").glob("*.json")
    return found


def forged(**parts: object) -> Callable[[Office], None]:
    """A receipt in which some parts are others."""

    def forge(office: Office) -> None:
        held = json.loads(only(office).read_text())
        assert parts.keys() <= held.keys()
        only(office).write_text(json.dumps({**held, **parts}))

    return forge


def written(content: bytes) -> Callable[[Office], None]:
    """A receipt that is none."""

    def write(office: Office) -> None:
        only(office).write_bytes(content)

    return write


def another_key(office: Office) -> None:
    (office.folder / "state" / "leeward" / receipt.KEY).write_bytes(bytes(32))


def open_to_all(name: str) -> Callable[[Office], None]:
    """Others could have written it."""

    def change(office: Office) -> None:
        path = office.folder / "state" / "leeward" / name if name else only(office)
        path.chmod(0o644)

    return change


def writable_folder(office: Office) -> None:
    """Others could have put a file there, or taken one away."""
    only(office).parent.chmod(0o770)


def linked(office: Office) -> None:
    path = only(office)
    path.rename(office.folder / "elsewhere.json")
    path.symlink_to(office.folder / "elsewhere.json")


def nothing(_: Office) -> None:
    """All stays as it was checked."""


FORGED: tuple[dict[str, object], ...] = (
    {"seal": "0" * 64},
    {"steps": ["lost_job"]},
    {"passed": False},
)


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(
    ("change", "looks"),
    [
        (nothing, False),
        (spoil("workers", another_sex), True),
        (spoil("jobs", second_job), True),
        (another_codebook, True),
        (another_rule, True),
        (another_encoding, True),
        (make_strict, True),
        (another_key, True),
        (linked, True),
        (writable_folder, True),
        *((open_to_all(name), True) for name in ("", receipt.KEY)),
        *((forged(**part), True) for part in FORGED),
        *((written(one), True) for one in (b"", b"{}", b"null", b"[" * 5000, b"\xff")),
    ],
)
def test_it_is_accepted_for_the_same_data_codebook_and_rules_alone(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Office], None],
    looks: bool,
) -> None:
    looked: list[str] = []

    def check(*_: object, strict: bool) -> tuple[()]:
        looked.append(f"strict: {strict}")
        return ()

    monkeypatch.setattr(Engine, "check", check)
    checked(office)
    looked.clear()
    change(office)
    plan = read_plan(office.folder / "2026Q2.yaml")
    with open_data(plan) as engine:
        require_rows(plan, engine, receipt.Receipts.of(plan).found(engine.digest()))
    assert bool(looked) == looks


@pytest.mark.usefixtures("state")
def test_another_program_looks_again(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(office)
    plan = read_plan(office.folder / "2026Q2.yaml")
    with open_data(plan) as engine:
        digest = engine.digest()
    found = receipt.Receipts.of(plan).found(digest)
    assert found is not None
    assert (found.passed, found.steps) == (True, frozenset())
    assert "True" not in repr(found)
    monkeypatch.setattr(receipt, "package_digest", lambda: "of another program")
    assert receipt.Receipts.of(plan).found(digest) is None


def test_it_tells_nothing_without_the_key(office: Office, state: Path) -> None:
    """Known bad: a plain digest, which anyone can compute who guesses the rows."""
    assert checked(office).receipt == only(office)
    files = [office.folder / "economy" / f"{n}.parquet" for n in ("workplaces", "workers", "jobs")]
    plain = sha256(b"".join(sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    plan = read_plan(office.folder / "2026Q2.yaml")
    with open_data(plan) as engine:
        assert engine.digest() == plain
    for path in state.iterdir():
        told = f"{path.name} {path.read_bytes()!r}"
        for known in (plain, plan.codebook_digest, "2026Q2"):
            assert known not in told
        assert path.stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700


def test_no_link_is_followed_and_nothing_else_is_left(office: Office, state: Path) -> None:
    checked(office)
    path, victim = only(office), office.folder / "victim"
    path.unlink()
    victim.write_text("precious")
    path.symlink_to(victim)
    assert checked(office).no_receipt is None
    assert victim.read_text() == "precious"
    assert not path.is_symlink()
    assert sorted(state.iterdir()) == sorted([path, state / receipt.KEY])


def test_no_receipt_is_written_where_others_may_write(office: Office, state: Path) -> None:
    state.mkdir(mode=0o700, parents=True)
    state.chmod(0o770)
    refused = checked(office).no_receipt
    assert refused is not None
    assert "others may write into the folder" in str(refused)
    assert list(state.iterdir()) == []


def test_a_key_that_is_a_link_or_too_short_is_no_key(office: Office, state: Path) -> None:
    state.mkdir(parents=True)
    elsewhere = office.folder / "key"
    elsewhere.write_bytes(bytes(32))
    elsewhere.chmod(0o600)
    (state / receipt.KEY).symlink_to(elsewhere)
    told = checked(office)
    assert (told.receipt, told.refused) == (None, ())
    assert "The check itself ended." in str(told.no_receipt)
    (state / receipt.KEY).unlink()
    elsewhere.rename(state / receipt.KEY)
    (state / receipt.KEY).write_bytes(b"short")
    assert "its key is damaged" in str(checked(office).no_receipt)


@pytest.mark.parametrize("home", [None, "relative"])
def test_without_a_state_folder_of_their_own_people_have_one_at_home(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    if home is not None:
        monkeypatch.setenv("XDG_STATE_HOME", home)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder() == tmp_path / ".local" / "state" / "leeward"


def test_a_release_with_a_receipt_does_not_look_at_the_rows(office: Office) -> None:
    assert office.run("check", "check", "../2026Q2.yaml").code == 0
    assert office.run("release", *release(), changes=noted()).code == 0
    assert LOOKED not in steps(office.folder / "release")
    rewrite(office, "jobs", second_job)
    assert office.run("other", *release("--again"), changes=noted()).code == 0
    assert LOOKED in steps(office.folder / "other")


def upside_down(table: pa.Table) -> pa.Table:
    """The same rows, which no other test checks in this order."""
    return table.take(list(reversed(range(table.num_rows))))


def strict_second_job(office: Office) -> None:
    """What a strict plan rejects."""
    make_strict(office)
    rewrite(office, "jobs", second_job)


NOT_CHECKED = (
    "leeward: unchecked: must be a reason where there is no receipt of a check of these data, with "
    "this codebook and these rules; got nothing. Run `leeward check ../2026Q2.yaml` first "
    "(leeward.check in Python), or release with --unchecked REASON, which the ledger keeps.\n"
)


@pytest.mark.parametrize(
    "change",
    [
        spoil("jobs", upside_down),
        spoil("jobs", lambda table: table.slice(0, 0)),
        spoil("jobs", second_job),
        spoil("workers", another_sex),
        make_strict,
        strict_second_job,
        spoil("workplaces", lambda table: table.slice(0, 0)),
    ],
)
def test_without_one_a_release_stops_in_the_same_words_whatever_the_data_are(
    office: Office, change: Callable[[Office], None]
) -> None:
    change(office)
    before = office.ledger.read_bytes()
    stopped = office.run("stopped", *checked_release(), changes=noted())
    assert (stopped.code, stopped.out, stopped.err) == (1, "", NOT_CHECKED)
    assert LOOKED not in steps(office.folder / "stopped")
    assert office.ledger.read_bytes() == before
    assert not (office.folder / "stopped" / "bundle").exists()


@pytest.mark.parametrize(("lost", "code"), [(another_sex, 0), (lambda table: table.slice(0, 0), 4)])
def test_every_check_that_ends_leaves_one_whatever_is_lost(
    office: Office, lost: Callable[[pa.Table], pa.Table], code: int
) -> None:
    rewrite(office, "workers", lost)
    assert office.run("check", "check", "../2026Q2.yaml").code == code
    assert office.run("released", *checked_release()).code == 0


def test_data_that_a_check_rejects_are_rejected_by_its_receipt(office: Office) -> None:
    """The words of a release stay those of a check that it makes itself."""
    make_strict(office)
    rewrite(office, "jobs", second_job)
    assert office.run("check", "check", "../2026Q2.yaml").code == 1
    by_receipt = office.run("one", *checked_release(), changes=noted())
    assert LOOKED not in steps(office.folder / "one")
    looked = office.run("two", *release(), changes=noted())
    assert (by_receipt.code, by_receipt.err) == (looked.code, looked.err)
    assert "files or rows that do not (not shown)" in by_receipt.err


def test_all_plans_of_a_codebook_share_it(office: Office) -> None:
    assert office.run("check", "check", "../2026Q2.yaml").code == 0
    office.write_plan(Path("economy"), period="2026Q3")
    assert office.run("other", *checked_release(period="2026Q3")).code == 0


def test_a_reason_in_place_of_a_check_is_kept(office: Office) -> None:
    assert office.run("release", *release()).code == 0
    (entry,) = (one for one in office.entries() if one.kind == "reserved")
    assert entry.unchecked == REASON
    assert line(entry).endswith(f", data not checked ({REASON})")
    refused = office.run("none", *checked_release(), "--unchecked", "")
    assert "unchecked: must be text of 1 to 1000 characters" in refused.err
    assert office.run("check", "check", "../2026Q2.yaml").code == 0
    assert office.run("checked", *checked_release("--again")).code == 0
    assert [one.unchecked for one in office.entries() if one.kind == "reserved"] == [REASON, None]


@pytest.mark.usefixtures("state")
def test_frames_and_plans_from_mappings_have_one_too(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(office.folder / "economy")
    codebook = yaml.safe_load((office.folder / "economy" / "codebook.yaml").read_text())
    request = yaml.safe_load((office.folder / "2026Q2.yaml").read_text()) | {"codebook": codebook}
    plan = leeward.read_plan({key: value for key, value in request.items() if key != "data"})
    tables = {
        name: pq.read_table(office.folder / "economy" / f"{name}.parquet")
        for name in ("workplaces", "workers", "jobs")
    }
    with pytest.raises(LeewardError, match="must be a reason where there is no receipt"):
        leeward.release(plan, out=tmp_path / "none", ledger=office.ledger, **tables)
    assert leeward.check(plan, **tables).warnings() == ()
    leeward.release(plan, out=tmp_path / "bundle", ledger=office.ledger, **tables)
    changed = tables | {"jobs": second_job(tables["jobs"])}
    with pytest.raises(LeewardError, match="must be a reason where there is no receipt"):
        leeward.release(plan, out=tmp_path / "two", ledger=office.ledger, again=True, **changed)


@pytest.mark.usefixtures("state")
def test_there_is_none_for_a_file_that_is_replaced_between_its_digest_and_its_conversion(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known bad: the receipt of good rows for the digest of bad ones."""
    another_encoding(office)
    plan, economy = office.folder / "2026Q2.yaml", office.folder / "economy"
    plan.write_text(plan.read_text().replace("jobs.parquet", "jobs.csv"))
    write_csv(second_job(pq.read_table(economy / "jobs.parquet")), economy / "jobs.csv")

    def replacing(place: Path | None) -> SpillFolder:
        write_csv(pq.read_table(economy / "jobs.parquet"), economy / "jobs.csv")
        return SpillFolder(place)

    monkeypatch.setattr(duckdb, "SpillFolder", replacing)
    with pytest.raises(LeewardError, match="must not change"):
        checked(office)
    assert not list((office.folder / "state" / "leeward").glob("*.json"))
