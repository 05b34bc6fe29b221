"""One population, one account: sketches tell how much two frames have in common."""

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import pytest

from leeward.core.errors import AlreadyReleased, CannotCompose, InvalidParameter
from leeward.core.privacy import Guarantee
from leeward.publishing.ledger import Anchor, Entry, FrameSketch, Ledger, Reasons, Subject
from leeward.publishing.ledger.entry import SINCE_2, SINCE_5, line
from leeward.publishing.ledger.subject import FIRST_PARTS, FOURTH_PARTS
from tests.publishing.ledger.scenes import opened_up, release, strong

REASON = "an index of prices, added up in the yearly report"


def sketch(ids: range) -> FrameSketch:
    """As an engine makes it: the 1,024 smallest of 64-bit hashes."""
    hashes = (sha256(f"key {one}".encode()).hexdigest()[:16] for one in ids)
    return FrameSketch.of(sorted(hashes)[:1024])


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        (range(100), range(100), 1),
        (range(100), range(40, 60), 1),
        (range(100), range(100, 200), 0),
        (range(100), range(75, 175), Fraction(1, 4)),
        (range(1024), range(1024), 1),
        (range(0), range(10), 0),
    ],
)
def test_whole_frames_are_compared_exactly(first: range, second: range, common: Fraction) -> None:
    assert sketch(first).overlap(sketch(second)) == common
    assert sketch(second).overlap(sketch(first)) == common


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        (range(20_000), range(10_000, 30_000), 0.5),
        (range(20_000), range(14_000, 34_000), 0.3),
        (range(20_000), range(19_000, 21_000), 0.5),  # of the smaller, with about 100 in common
        (range(20_000), range(1500), 1.0),
        (range(20_000), range(300), 1.0),  # a frame of which all is known
        (range(20_000), range(20_000, 60_000), 0.0),
    ],
)
def test_large_frames_are_compared_by_a_sample(first: range, second: range, common: float) -> None:
    smaller = min(len(first), len(second))
    sample = 1024 * smaller / max(len(first), len(second))
    error = 4 * (common * (1 - common) / sample) ** 0.5
    assert abs(float(sketch(first).overlap(sketch(second))) - common) <= error


def test_a_frame_that_is_no_thousandth_of_the_other_is_not_seen() -> None:
    assert sketch(range(20_000)).overlap(FrameSketch((2**64 - 1,))) == 0


def test_a_sketch_comes_back_as_it_was_written() -> None:
    made = sketch(range(5000))
    assert FrameSketch.read(made.written) == made
    assert len(made.written) < 11_000
    assert FrameSketch.read("") == FrameSketch(())


@pytest.mark.parametrize("text", ["x", "AAAA", "AAAAAAAAAAE=AAAAAAAAAAA=", "é", 5, "A" * 20_000])
def test_what_is_no_sketch_is_refused(text: object) -> None:
    with pytest.raises(InvalidParameter, match="must be at most 1024 ascending numbers of 64 bits"):
        FrameSketch.read(text)


def about(number: int, ids: range) -> Subject:
    return replace(release(number), frame=sketch(ids).written)


def test_most_establishments_of_another_account_are_refused(ledger: Ledger) -> None:
    ledger.open_account("second", strong(4))
    ledger.reserve("lodes", strong(1), about(1, range(100)))
    before = ledger.path.read_bytes()
    with pytest.raises(AlreadyReleased) as refusal:
        ledger.reserve("second", strong(1), about(2, range(45, 60)))
    assert str(refusal.value) == (
        "account: must be the one that most of these establishments were charged to: losses about "
        "them add up there; got more than half in common with entry 3 of account 'lodes', bundle "
        "'out/1', never committed: its budget is spent, the bundle may be missing. Charge account "
        "'lodes'; or, if they are others or their losses are added up elsewhere, release with "
        "--same-establishments REASON, which the ledger keeps."
    )
    assert ledger.path.read_bytes() == before
    ledger.reserve("lodes", strong(1), about(2, range(45, 60)))
    ledger.reserve("second", strong(1), about(3, range(80, 120)))  # half of it is not more


def test_ids_that_differ_by_zeros_are_one_population(ledger: Ledger) -> None:
    """Ids as given have nothing in common; in plain form they are the same."""
    ledger.open_account("second", strong(4))
    padded = replace(
        release(1), frame=sketch(range(1000, 1100)).written, plain_frame=sketch(range(100)).written
    )
    for number, (first, then) in enumerate(
        ((padded, about(9, range(100))), (about(8, range(100)), padded), (padded, padded))
    ):
        ledger.open_account(f"first-{number}", strong(4))
        ledger.open_account(f"then-{number}", strong(4))
        ledger.reserve(
            f"first-{number}", strong(1), first, reasons=Reasons(same_establishments=REASON)
        )
        with pytest.raises(AlreadyReleased, match="more than half in common"):
            ledger.reserve(f"then-{number}", strong(1), then)
    others = replace(padded, frame=sketch(range(2000, 2100)).written, plain_frame=None)
    ledger.reserve("second", strong(1), others)
    assert ledger.entries()[-1].subject == others


def test_ids_of_format_4_are_compared_as_they_were_written(ledger: Ledger) -> None:
    """An old entry has no ids in plain form: both forms of the new ones are compared with it."""
    ledger.open_account("second", strong(4))
    first = ledger.reserve("lodes", strong(1), about(1, range(100)))
    as_format(ledger, first.number, 4, SINCE_5, FOURTH_PARTS)
    assert ledger.entries()[-1].format == 4
    padded = sketch(range(1000, 1100)).written
    for frame, plain in (
        (sketch(range(100)).written, padded),
        (padded, sketch(range(100)).written),
    ):
        with pytest.raises(AlreadyReleased, match="more than half in common"):
            ledger.reserve("second", strong(1), replace(release(2), frame=frame, plain_frame=plain))
    ledger.reserve("second", strong(1), replace(release(2), frame=padded))
    assert [entry.format for entry in ledger.entries()][-2:] == [4, 6]
    assert ledger.verify() == ()


def test_a_reason_is_kept_and_shown(ledger: Ledger) -> None:
    ledger.open_account("second", strong(4))
    ledger.reserve("lodes", strong(1), about(1, range(100)))
    with pytest.raises(InvalidParameter, match="same_establishments"):
        Reasons(same_establishments="")
    reasons = Reasons(same_establishments=REASON)
    entry = ledger.reserve("second", strong(1), about(2, range(100)), reasons=reasons)
    assert entry.same_establishments == REASON
    assert line(ledger.entries()[-1]).endswith(f", establishments of another account ({REASON})")
    assert ledger.verify() == ()


def weak(epsilon: int) -> Guarantee:
    return Guarantee("weak", "0.1", epsilon)


def of_kinds(number: int, letter: str) -> Subject:
    return replace(release(number), kinds=letter * 64)


def test_a_weak_account_speaks_of_one_list_of_kinds(ledger: Ledger) -> None:
    ledger.open_account("weak", weak(9))
    ledger.reserve("weak", strong(1), release(1))
    ledger.reserve("weak", weak(1), of_kinds(2, "a"))
    refused = ledger.would_refuse("weak", weak(1), of_kinds(3, "b"))
    assert isinstance(refused, CannotCompose)
    assert str(refused) == (
        "codebook: must make the same kinds of workers (tables, columns, codes, recoding) in all "
        "weak releases of an account: guarantees about different kinds do not add up; got another "
        "list than that of entry 4. Use the codebook of that release, release under the strong "
        "policy, or open a new account."
    )
    ledger.reserve("weak", weak(1), of_kinds(3, "a"))
    ledger.reserve("weak", strong(1), release(4))
    ledger.open_account("worker", Guarantee("worker", None, 9))
    for number, letter in ((5, "a"), (6, "b")):  # what holds of one job knows no kinds
        ledger.reserve("worker", weak(1), of_kinds(number, letter))


def test_names_of_kinds_cannot_be_compared(ledger: Ledger) -> None:
    ledger.open_account("weak", weak(9))
    first = ledger.reserve("weak", weak(1), of_kinds(1, "a"))
    as_format_1(ledger, first.number)
    refused = ledger.would_refuse("weak", weak(1), of_kinds(2, "a"))
    assert isinstance(refused, CannotCompose)
    assert f"got entry {first.number}, which keeps only their names" in str(refused)
    assert ledger.would_refuse("weak", strong(1), release(3)) is None


def test_every_charge_has_its_own_salt(ledger: Ledger) -> None:
    salts = {ledger.reserve("lodes", strong("1/10"), release(n)).salt for n in range(9)}
    assert len(salts) == 9
    assert all(salt is not None and len(salt) == 32 for salt in salts)


def as_format_1(ledger: Ledger, number: int) -> None:
    """Write the last entry again as the first format held it."""
    as_format(ledger, number, None, SINCE_2 | SINCE_5, FIRST_PARTS)


def as_format(
    ledger: Ledger, number: int, edition: int | None, left: frozenset[str], parts: frozenset[str]
) -> None:
    """Write the last entry again as an earlier format held it."""
    entry = ledger.entries()[-1]
    assert entry.number == number
    body = {k: v for k, v in entry.body.items() if k not in left}
    body |= {} if edition is None else {"format": edition}
    subject = body["subject"]
    assert isinstance(subject, dict)
    body["subject"] = {k: v for k, v in subject.items() if k in parts}
    old = Entry.after(Anchor(number - 1, entry.previous, entry.ledger), body)
    with opened_up(ledger.path) as connection:
        change = "UPDATE entries SET body = ?, hash = ? WHERE number = ?"
        connection.execute(change, (old.text, old.hash, number))
