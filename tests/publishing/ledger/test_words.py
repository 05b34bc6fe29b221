"""What became of a charge, in one word."""

from leeward.publishing.ledger import Ledger
from leeward.publishing.ledger.book import states
from tests.publishing.ledger.scenes import DIGEST, release, strong


def test_every_charge_has_a_state(ledger: Ledger) -> None:
    numbers = [ledger.reserve("lodes", strong("1/2"), release(n)).number for n in range(5)]
    ledger.commit(numbers[1], DIGEST)
    ledger.fail(numbers[2], "disk full")
    ledger.withdraw(numbers[3], "wrong period")
    ledger.commit(numbers[4], DIGEST)
    ledger.withdraw(numbers[4], "wrong period")
    told = states(ledger.entries())
    assert [told[number] for number in numbers] == [
        "open",
        "committed",
        "failed",
        "withdrawn",
        "withdrawn",
    ]
    assert len(told) == 5
