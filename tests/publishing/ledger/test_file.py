"""The file: private from the first moment, and every path that is no ledger refused in words."""

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from leeward.core.errors import BadFile, Damaged, LeewardError
from leeward.publishing.ledger import Ledger, store
from leeward.publishing.ledger.store import Store
from tests.publishing.ledger.scenes import ledger_with, opened_up, release, strong

CREATE = "make a ledger with `leeward ledger create`."
ANOTHER = "Give the file of a ledger, or make one with `leeward ledger create`."
ROOM = "Work as the owner, in a folder that can be written, on a disk with room."
NOBODY = 65534


def message(path: Path) -> str:
    with pytest.raises(LeewardError) as refused:
        Ledger.open(path)
    return str(refused.value)


@pytest.fixture(params=[0o000, 0o022, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_the_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    ledger_with(tmp_path)
    (found,) = tmp_path.iterdir()
    assert stat.S_IMODE(found.stat().st_mode) == 0o600


def test_the_file_is_private_before_the_database_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    path = tmp_path / "new.ledger"

    def spy(*_: object) -> None:
        seen.append(stat.S_IMODE(path.stat().st_mode))
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "create_tables", spy)
    before = os.umask(0)
    try:
        with pytest.raises(KeyboardInterrupt):
            Ledger.new(path)
    finally:
        os.umask(before)
    assert seen == [0o600]
    assert list(tmp_path.iterdir()) == []  # what broke off leaves nothing behind


def test_the_file_is_private_when_it_comes_into_being(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    real = os.fchmod

    def spy(handle: int, mode: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        real(handle, mode)

    monkeypatch.setattr(os, "fchmod", spy)
    before = os.umask(0)
    try:
        Ledger.new(tmp_path / "new.ledger")
    finally:
        os.umask(before)
    assert seen == [0o600]


def test_the_name_of_a_new_file_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    Ledger.new(tmp_path / "new.ledger")
    assert synced == [tmp_path.stat().st_ino]


def test_the_journal_is_private_too(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE more (a)")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in ledger.path.parent.iterdir()}
        assert len(list(ledger.path.parent.iterdir())) == 2
        connection.execute("ROLLBACK")
    assert modes == {0o600}


def test_writing_waits_for_the_disk(ledger: Ledger) -> None:
    with Store(ledger.path).writing() as connection:
        assert list(connection.execute("PRAGMA synchronous")) == [(3,)]  # EXTRA
        assert list(connection.execute("PRAGMA journal_mode")) == [("delete",)]


def test_a_new_ledger_never_replaces_a_file(ledger: Ledger, tmp_path: Path) -> None:
    before = ledger.path.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in (ledger.path, tmp_path / "link"):
        with pytest.raises(BadFile) as refused:
            Ledger.new(path)
        assert str(refused.value) == (
            f"ledger: must not exist yet; got a file of this name ({str(path)!r}). "
            "Use that ledger, or give another path."
        )
    assert ledger.path.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing/new.ledger", "No such file or directory"), ("a\0b", "embedded null byte")],
)
def test_a_path_that_cannot_be_made(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    with pytest.raises(BadFile) as refused:
        Ledger.new(path)
    assert str(refused.value) == (
        f"ledger: must be a usable path; got {reason} ({str(path)!r}). "
        "Give a path in a folder that can be written."
    )


@pytest.mark.parametrize("name", ["missing", "missing/more", "file/more"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / name
    assert message(path) == (
        f"ledger: must exist; got no such file ({str(path)!r}). Check the path, or {CREATE}"
    )
    assert not path.exists()


def test_a_folder(tmp_path: Path) -> None:
    assert message(tmp_path) == (
        f"ledger: must be a file; got a folder ({str(tmp_path)!r}). Give the file of the ledger."
    )


def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path, 0o600)
    assert message(path) == (
        f"ledger: must be a file; got a device or pipe ({str(path)!r}). "
        "Give the file of the ledger."
    )


@pytest.mark.parametrize("content", [b"not a database" * 100, b"\0" * 4096])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    path.chmod(0o600)
    assert message(path) == (
        f"ledger: must be a ledger; got a file that is no database ({str(path)!r}). {ANOTHER}"
    )
    assert path.read_bytes() == content


@pytest.mark.parametrize("statement", ["CREATE TABLE a (b)", "PRAGMA user_version = 1"])
def test_another_database(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    path.chmod(0o600)
    assert message(path) == (
        f"ledger: must be a ledger; got another database ({str(path)!r}). {ANOTHER}"
    )


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "broken off.ledger"
    path.touch(0o600)
    assert message(path) == (
        f"ledger: must be a ledger; got an empty file ({str(path)!r}). "
        "If it stays so, its making broke off: remove it and make the ledger anew."
    )


def test_a_newer_format(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    assert message(ledger.path) == (
        "ledger: must be of format 1 or 2 or 3 or 4 or 5 or 6; got format 7 "
        f"({str(ledger.path)!r}). Use a newer Leeward."
    )


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610])
def test_a_file_that_others_may_use(ledger: Ledger, mode: int) -> None:
    ledger.path.chmod(mode)
    wide = (
        f"ledger: must be closed to everyone but its owner; got mode {mode:o} "
        f"({str(ledger.path)!r}). Run `chmod 600 {ledger.path}`."
    )
    assert message(ledger.path) == wide
    with pytest.raises(BadFile) as refused:
        ledger.reserve("lodes", strong(1), release())
    assert str(refused.value) == wide
    assert ledger.verify() == (f"the file has mode {mode:o}, not 600",)


def test_the_next_step_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "a b's.ledger"
    Ledger.new(path).path.chmod(0o644)
    assert message(path).endswith(f"""Run `chmod 600 '{tmp_path}/a b'"'"'s.ledger'`.""")


@pytest.mark.parametrize("name", ["50%.ledger", "a?mode=memory", "a#b"])
def test_a_path_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    Ledger.new(tmp_path / name).open_account("lodes", strong(1))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert Ledger.open(tmp_path / name).account("lodes").cap == strong(1)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, who may read and write everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that a user without rights may enter and own."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_an_unreadable_file(reachable: Path) -> None:
    with as_nobody():
        path = ledger_with(reachable).path
        path.chmod(0o000)
        assert message(path) == (
            "ledger: must be readable and writable, and its folder too; "
            f"got unable to open database file ({str(path)!r}). {ROOM}"
        )


def test_an_unreadable_folder(reachable: Path) -> None:
    with as_nobody():
        path = ledger_with(reachable).path
        reachable.chmod(0o000)
        assert message(path) == (
            f"ledger: must be a usable path; got Permission denied ({str(path)!r}). "
            "Give a path in a folder that can be written."
        )


def test_a_folder_that_cannot_be_written(reachable: Path) -> None:
    with as_nobody():
        made = ledger_with(reachable)
        reachable.chmod(0o500)
        assert Ledger.open(made.path).account("lodes").spent is None  # looking is allowed
        with pytest.raises(BadFile) as refused:
            made.reserve("lodes", strong(1), release())
        assert refused.value.rule == "must be readable and writable, and its folder too"
        assert refused.value.next_step == ROOM
        with pytest.raises(BadFile, match="must be a usable path; got Permission denied"):
            Ledger.new(reachable / "new.ledger")
        assert made.entries()[-1].kind == "opened"


def test_a_file_that_cannot_be_written(reachable: Path) -> None:
    with as_nobody():
        made = ledger_with(reachable)
        made.path.chmod(0o400)
        with pytest.raises(BadFile) as refused:
            made.reserve("lodes", strong(1), release())
        assert str(refused.value) == (
            "ledger: must be readable and writable, and its folder too; "
            f"got attempt to write a readonly database ({str(made.path)!r}). {ROOM}"
        )
        assert made.verify() == ("the file has mode 400, not 600",)


def test_a_ledger_in_use_is_refused_after_a_while(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.05)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for use in (lambda: ledger.account("lodes"), lambda: ledger.open_account("b", strong(1))):
            with pytest.raises(BadFile) as refused:
                use()
            assert str(refused.value) == (
                "ledger: must be free within 0.05 seconds; got another process is writing to it "
                f"({str(ledger.path)!r}). Try again when it is done."
            )
        other.execute("ROLLBACK")
    assert ledger.account("lodes").spent is None


def test_a_writer_is_awaited_for_a_minute() -> None:
    assert store.LOCK_TIMEOUT == 60


def test_a_full_disk_refuses_and_charges_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def tight(*given: object, **named: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*given, **named)  # type: ignore[call-overload]
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", tight)
    with pytest.raises(BadFile, match="database or disk is full"):
        fill(ledger)
    monkeypatch.undo()
    assert ledger.verify() == ()
    charges = ledger.account("lodes").charges
    ledger.reserve("lodes", strong("1/1000"), release(1000))
    assert ledger.account("lodes").charges == charges + 1


def fill(ledger: Ledger) -> None:
    for number in range(100):
        ledger.reserve("lodes", strong("1/1000"), release(number))


def test_a_file_that_vanished(ledger: Ledger) -> None:
    ledger.path.unlink()
    with pytest.raises(BadFile, match="must exist; got no such file"):
        ledger.reserve("lodes", strong(1), release())
    with pytest.raises(BadFile, match="must exist; got no such file"):
        ledger.entries()
    assert not ledger.path.exists()


def test_a_broken_database_is_damage(ledger: Ledger) -> None:
    for number in range(20):
        ledger.reserve("lodes", strong("1/10"), release(number))
    content = bytearray(ledger.path.read_bytes())
    content[2 * 4096 :] = bytes(len(content) - 2 * 4096)
    ledger.path.write_bytes(content)
    with pytest.raises(Damaged, match="the database cannot be used"):
        ledger.reserve("lodes", strong("1/10"), release(99))
    assert ledger.verify()


def test_a_ledger_in_another_journal_mode_is_damage(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(Damaged, match="its journal mode is wal, not delete"):
        ledger.reserve("lodes", strong(1), release())
    assert ledger.verify() == ("its journal mode is wal, not delete",)


def test_the_secret_never_shows(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path)) as connection:
        ((key,),) = connection.execute("SELECT key FROM secret")
    assert isinstance(key, bytes)
    assert len(key) == 32
    ledger.reserve("lodes", strong(1), release())
    texts = [repr(ledger), repr(vars(ledger)), repr(ledger.head()), repr(ledger.entries())]
    with opened_up(ledger.path) as connection:
        connection.execute("INSERT INTO secret VALUES (x'00')")
    texts += ledger.verify()
    with pytest.raises(Damaged) as refused:
        ledger.sealed(b"")
    for text in (*texts, str(refused.value)):
        assert key.hex() not in text
        assert repr(key)[2:-1] not in text


def test_sealing_is_keyed_and_repeats(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger.new(tmp_path / "other.ledger")
    assert ledger.sealed(b"rows") == Ledger.open(ledger.path).sealed(b"rows")
    assert len({ledger.sealed(b"rows"), ledger.sealed(b"row"), other.sealed(b"rows")}) == 3
    assert ledger.head().ledger != other.head().ledger


def test_a_closed_ledger_is_refused(ledger: Ledger) -> None:
    with ledger as same:
        assert same is ledger
    for use in (ledger.entries, ledger.verify, ledger.head, lambda: ledger.sealed(b"")):
        with pytest.raises(BadFile) as refused:
            use()
        assert str(refused.value) == (
            f"ledger: must be open; got closed ({str(ledger.path)!r}). Open it again."
        )
    with pytest.raises(BadFile, match="must be open"):
        ledger.open_account("b", strong(1))
