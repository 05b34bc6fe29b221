"""Tampering: whatever is changed in the file is found, alone or with what bundles carry."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from leeward.core.errors import Damaged
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Anchor, Entry, Ledger
from leeward.publishing.ledger.contents import Contents
from leeward.publishing.ledger.entry import link
from leeward.publishing.ledger.notation import written
from tests.publishing.ledger.scenes import DIGEST, ledger_with, opened_up, release, strong

Change = Callable[[sqlite3.Connection], object]

CUT = "the ledger has no such entry; its end was cut off or an old copy was put back"
OTHER = "the ledger has another one; it was rewritten, or an old copy was put back and used"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Entries 1 to 8: an opening, three charges committed, one more."""
    ledger = ledger_with(tmp_path_factory.mktemp("template"))
    for number in (1, 2, 3):
        reserved = ledger.reserve("lodes", strong(1), release(number)).number
        ledger.commit(reserved, DIGEST)
    ledger.reserve("lodes", strong("1/2"), release(4))
    assert ledger.verify(entry.anchor for entry in ledger.entries()) == ()
    ledger.close()
    return ledger.path


@pytest.fixture
def full(template: Path, tmp_path: Path) -> Ledger:
    """A copy of it, to be tampered with."""
    return Ledger.open(Path(shutil.copy(template, tmp_path / template.name)))


def test_a_sound_ledger_has_no_findings(full: Ledger) -> None:
    first = Anchor(0, full.entries()[0].previous, full.head().ledger)
    assert full.verify([first, first, *(entry.anchor for entry in full.entries())]) == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}' WHERE number = 3",
        "DELETE FROM entries WHERE number = 8",
        "DELETE FROM entries",
        "INSERT OR REPLACE INTO entries VALUES (3, '', '', '')",
        "INSERT INTO entries VALUES (99, '', '', '')",
        "UPDATE secret SET key = x'00'",
        "DELETE FROM secret",
        "UPDATE identity SET id = 'a'",
    ],
)
def test_triggers_stop_accidents(full: Ledger, statement: str) -> None:
    stopped = pytest.raises(sqlite3.IntegrityError, match=r"a ledger is never|added at the end")
    with closing(sqlite3.connect(full.path)) as connection, stopped:
        connection.execute(statement)
    assert full.verify() == ()


def swap(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE entries SET number = -1 WHERE number = 3")
    connection.execute("UPDATE entries SET number = 3 WHERE number = 5")
    connection.execute("UPDATE entries SET number = 5 WHERE number = -1")


def close_gap(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM entries WHERE number = 4")
    for number in (5, 6, 7, 8):
        connection.execute("UPDATE entries SET number = ? WHERE number = ?", (number - 1, number))


def cheaper(connection: sqlite3.Connection) -> None:
    ((body,),) = connection.execute("SELECT body FROM entries WHERE number = 4")
    assert '"epsilon":"1"' in body
    changed = (body.replace('"epsilon":"1"', '"epsilon":"0"'),)
    connection.execute("UPDATE entries SET body = ? WHERE number = 4", changed)


def sql(statement: str) -> Change:
    return lambda connection: connection.execute(statement)


UNHASHED = "its text does not agree with its hash"
IDENTITY = "its name or its secret is missing or not what was made"
CHANGES = [
    ("edit", cheaper, (f"entry 4: {UNHASHED}",)),
    ("delete inside", sql("DELETE FROM entries WHERE number = 4"), ("entry 4: missing",)),
    (
        "delete several",
        sql("DELETE FROM entries WHERE number BETWEEN 2 AND 4"),
        ("entries 2 to 4: missing",),
    ),
    ("delete the first", sql("DELETE FROM entries WHERE number = 1"), ("entry 1: missing",)),
    (
        "swap two",
        swap,
        (
            "entry 3: it does not follow what stands before it",
            f"entry 3: {UNHASHED}",
            "entry 4: it does not follow what stands before it",
            "entry 5: it does not follow what stands before it",
            f"entry 5: {UNHASHED}",
            "entry 6: it does not follow what stands before it",
        ),
    ),
    (
        "close the gap",
        close_gap,
        (
            "entry 4: it does not follow what stands before it",
            *(f"entry {number}: {UNHASHED}" for number in (4, 5, 6, 7)),
        ),
    ),
    (
        "edit a hash",
        sql("UPDATE entries SET hash = previous WHERE number = 8"),
        (f"entry 8: {UNHASHED}",),
    ),
    (
        "no hash",
        sql("UPDATE entries SET hash = 'x' WHERE number = 8"),
        (f"entry 8: {UNHASHED}",),
    ),
    (
        "bytes",
        sql("UPDATE entries SET body = x'ff' WHERE number = 8"),
        ("entry 8: it holds a value of the wrong type",),
    ),
    (
        "no text",
        sql("UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE number = 8"),
        (f"entry 8: {UNHASHED}",),
    ),
    (
        "a number below",
        sql("UPDATE entries SET number = -5 WHERE number = 8"),
        (
            "entry -5: it has no place in the order",
            f"entry -5: {UNHASHED}",
            "entry 1: it has no place in the order",
        ),
    ),
    ("another name", sql("UPDATE identity SET id = 'a'"), None),
    ("another secret", sql("UPDATE secret SET key = zeroblob(32)"), None),
    ("no name", sql("DELETE FROM identity"), (IDENTITY,)),
    ("two names", sql("INSERT INTO identity VALUES ('a')"), (IDENTITY,)),
    ("a short secret", sql("UPDATE secret SET key = x'00'"), (IDENTITY,)),
    ("no secret", sql("DELETE FROM secret"), (IDENTITY,)),
]


@pytest.mark.parametrize(
    ("change", "found"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_a_change_is_found_and_stops_the_ledger(
    full: Ledger, change: Change, found: tuple[str, ...] | None
) -> None:
    with opened_up(full.path) as connection:
        change(connection)
    if found is None:
        found = ("entry 1: it does not follow what stands before it",)
    assert full.verify() == found
    uses: list[Callable[[], object]] = [
        lambda: full.reserve("lodes", strong("1/10"), release(9)),
        lambda: full.commit(8, DIGEST),
        lambda: full.withdraw(2, "wrong"),
        full.entries,
        full.accounts,
        full.head,
    ]
    for use in uses:
        with pytest.raises(Damaged) as refused:
            use()
        assert str(refused.value) == (
            f"ledger: every entry must be as it was written; got {found[0]}. "
            "Release nothing from it and run `leeward ledger verify`."
        )
    assert isinstance(full.would_refuse("lodes", strong(1), None), Damaged)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER entries_never_updated",
        "CREATE TABLE more (a)",
        "CREATE TRIGGER bad AFTER INSERT ON entries BEGIN SELECT 1; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON entries (hash)",
        "ALTER TABLE entries ADD COLUMN more TEXT",
    ],
)
def test_other_tables_or_triggers_are_found(full: Ledger, statement: str) -> None:
    with closing(sqlite3.connect(full.path)) as connection:
        connection.execute(statement)
    assert full.verify() == ("the tables or triggers are not as they were made",)
    with pytest.raises(Damaged, match="the tables or triggers are not as they were made"):
        full.reserve("lodes", strong("1/10"), release(9))


@pytest.mark.parametrize("table", ["entries", "secret", "identity"])
def test_a_lost_table_is_found(full: Ledger, table: str) -> None:
    with closing(sqlite3.connect(full.path)) as connection:
        connection.execute(f"DROP TABLE {table}")
    assert full.verify() == (f"the database cannot be used: no such table: {table}",)


def test_tidying_the_database_is_no_damage(full: Ledger) -> None:
    with closing(sqlite3.connect(full.path)) as connection:
        connection.execute("VACUUM")
        connection.execute("ANALYZE")
    assert full.verify() == ()


def rewrite(ledger: Ledger, change: Callable[[list[dict[str, object]]], object]) -> None:
    """A careful forger: other bodies, every hash computed anew."""
    entries = ledger.entries()
    bodies = [dict(entry.body) for entry in entries]
    change(bodies)
    head = Anchor(0, entries[0].previous, entries[0].ledger)
    with opened_up(ledger.path) as connection:
        connection.execute("DELETE FROM entries")
        for body in bodies:
            text = json.dumps(body, sort_keys=True, separators=(",", ":"))
            row = (head.number + 1, head.hash, text, link(head.number + 1, head.hash, text))
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)
            head = Anchor(row[0], row[3], head.ledger)


def halve(bodies: list[dict[str, object]]) -> None:
    bodies[3] |= {"charge": written(strong("1/2")), "paid": written(strong("1/2"))}


def test_a_rewritten_ledger_is_found_against_bundles(full: Ledger) -> None:
    anchors = [entry.anchor for entry in full.entries()]
    rewrite(full, halve)
    assert full.verify() == ()  # the file alone agrees with itself
    assert full.verify(anchors[:3]) == ()
    assert full.verify([anchors[5]]) == (f"entry 6 of a bundle: {OTHER}",)
    assert len(full.verify(anchors)) == 5


def test_a_cut_end_is_found_against_bundles(full: Ledger) -> None:
    head = full.head()
    with opened_up(full.path) as connection:
        connection.execute("DELETE FROM entries WHERE number = 8")
    assert full.verify() == ()
    assert full.verify([head]) == (f"entry 8 of a bundle: {CUT}",)


def test_an_old_copy_put_back_is_found_against_bundles(ledger: Ledger, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copy2(ledger.path, copy)
    anchor = ledger.reserve("lodes", strong(4), release(1)).anchor
    shutil.copy2(copy, ledger.path)
    assert ledger.verify() == ()
    assert ledger.verify([anchor]) == (f"entry 2 of a bundle: {CUT}",)
    ledger.reserve("lodes", strong(4), release(2))  # and used
    assert ledger.verify([anchor]) == (f"entry 2 of a bundle: {OTHER}",)


def test_a_bundle_of_another_ledger_is_told_apart(full: Ledger, tmp_path: Path) -> None:
    other = Ledger.new(tmp_path / "other.ledger").open_account("lodes", strong(4)).anchor
    assert full.verify([other]) == (f"entry 1 of a bundle: it belongs to ledger {other.ledger}",)


def test_a_file_exchanged_meanwhile_is_noticed(ledger: Ledger, tmp_path: Path) -> None:
    """Nothing is ever written to a file that no longer has the name."""
    other = Ledger.new(tmp_path / "other.ledger")
    other.open_account("qwi", strong(1))
    other.path.replace(ledger.path)
    assert [account.name for account in ledger.accounts()] == ["qwi"]


def named(kind: str, names: int, account: str = "lodes") -> dict[str, object]:
    more = {"digest": DIGEST} if kind == "committed" else {"reason": "x"}
    return {"kind": kind, "account": account, "time": "t", "names": names, **more}


def charged(number: int, charge: Guarantee, **more: object) -> dict[str, object]:
    return {
        "format": 5,
        "kind": "reserved",
        "account": "lodes",
        "time": "t",
        "charge": written(charge),
        "paid": written(charge),
        "subject": release(number).written(),
        "corrects": None,
        "salt": "0" * 32,
        "same_establishments": None,
        "unchecked": None,
        **more,
    }


def opening(cap: Guarantee) -> dict[str, object]:
    return {"kind": "opened", "account": "lodes", "time": "t", "cap": written(cap)}


NO_CHARGE = "must be the number of an earlier charge of account"
IN_FULL = "must be paid in full under the policy, alpha, plus and unit of the account; got less"
NONSENSE = [
    (opening(strong(9)), "account must be new: a cap is set once; got 'lodes', opened in entry 1"),
    (charged(5, strong("1/10"), account="qwi"), "account must be open; got 'qwi'"),
    (named("committed", 8, "qwi"), f"entry {NO_CHARGE} 'qwi'; got 8"),
    (named("committed", 1), f"entry {NO_CHARGE} 'lodes'; got 1"),
    (named("failed", 9), f"entry {NO_CHARGE} 'lodes'; got 9"),
    (named("withdrawn", 0), f"entry {NO_CHARGE} 'lodes'; got 0"),
    (
        named("committed", 2),
        "entry must be a charge that was not committed; got 2, committed in 3",
    ),
    (charged(5, strong("1/10"), corrects=3), f"corrects {NO_CHARGE} 'lodes'; got 3"),
    (charged(5, strong("1/10"), paid=written(strong("1/20"))), f"charge {IN_FULL}"),
    (charged(5, strong("1/10", alpha="0.2")), f"charge {IN_FULL}"),
    (
        charged(5, strong("1/10"), paid={}),
        "guarantee must hold policy, alpha, epsilon, delta, rho as exact text; got something else",
    ),
]


@pytest.mark.parametrize(("body", "finding"), NONSENSE)
def test_entries_must_make_sense(full: Ledger, body: dict[str, object], finding: str) -> None:
    rewrite(full, lambda bodies: bodies.append(body))
    assert full.verify() == (f"entry 9: {finding}",)
    with pytest.raises(Damaged, match="every entry must be as it was written"):
        full.reserve("lodes", strong("1/10"), release(9))


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"tables": 1}, "tables must be a tuple of table charges; got 1"),
        ({"tables": [1]}, "tables must be a tuple of table charges; got 1"),
        (
            {"frame": "AAAAAAAAAAE="[::-1]},
            "frame must be at most 1024 ascending numbers of 64 bits in base64; got '=EAAAAAAAAAA'",
        ),
        ({"plan": "x"}, "plan must be 64 hexadecimal digits in lower case; got 'x'"),
        (
            {"period": 5},
            "period must be text of 1 to 1000 characters without control characters; got 5",
        ),
    ],
)
def test_a_charge_for_nothing_readable_is_found(
    full: Ledger, change: dict[str, object], finding: str
) -> None:
    subject = {**release(5).written(), **change}
    rewrite(full, lambda bodies: bodies.append(charged(5, strong("1/10"), subject=subject)))
    assert full.verify() == (f"entry 9: {finding}",)


@pytest.mark.parametrize("charge", [strong("0.6"), strong("1/2", "0.1")])
def test_charges_past_the_cap_are_found(full: Ledger, charge: Guarantee) -> None:
    rewrite(full, lambda bodies: bodies.append(charged(5, charge)))
    assert full.verify() == ("account lodes: its charges pass its cap",)


def test_charges_that_add_up_to_no_guarantee_are_found(full: Ledger) -> None:
    rewrite(full, lambda bodies: bodies.extend(charged(n, strong(0, "0.6")) for n in (5, 6)))
    assert full.verify() == ("account lodes: its charges pass its cap",)


def test_a_cap_of_two_kinds_is_found(full: Ledger) -> None:
    rewrite(full, lambda bodies: bodies.__setitem__(0, opening(strong(9, 0, 1))))
    assert full.verify() == (
        "entry 1: cap must be in epsilon and delta, or in rho alone; got rho 1 beside them",
    )


def test_an_account_opened_after_its_charges_is_found(full: Ledger) -> None:
    rewrite(full, lambda bodies: bodies.append(bodies.pop(0)))
    assert full.verify()[0] == "entry 1: account must be open; got 'lodes'"


def test_an_end_before_its_charge_is_found(full: Ledger) -> None:
    rewrite(full, lambda bodies: bodies.insert(7, named("failed", 9)))
    assert full.verify() == (f"entry 8: entry {NO_CHARGE} 'lodes'; got 9",)


def test_the_chain_can_be_checked_by_hand(full: Ledger) -> None:
    """Number, hash before and body, a line each: what an auditor computes with any SHA-256."""
    with closing(sqlite3.connect(full.path)) as connection:
        rows = list(connection.execute("SELECT number, previous, body, hash FROM entries"))
        contents = Contents.read(connection)
    before = contents.birth.hash
    for number, previous, body, digest in rows:
        assert previous == before
        assert Entry(number, previous, body, digest, "x").hash == link(number, previous, body)
        before = digest
    assert full.head().hash == before
