"""A cap that pays for both kinds of charges is divided when the account is opened."""

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from leeward.core.errors import CannotCompose, InvalidParameter, OverBudget
from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import zcdp_epsilon
from leeward.publishing.ledger import Ledger, Left
from leeward.publishing.ledger.box import STEPS, Box
from leeward.publishing.ledger.notation import written
from tests.publishing.ledger.scenes import ledger_with, release, strong
from tests.publishing.ledger.test_tampering import charged, rewrite

CAP = strong(4, "1e-6")
KEPT = Path(__file__).parents[2] / "kept" / "format-3" / "ledger.sqlite"


def opened(folder: Path, rho: str | None = "1/10", delta: str | None = None) -> Ledger:
    made = Ledger.new(folder / "office.ledger")
    made.open_account("lodes", CAP, Box.declared(CAP, rho, delta))
    return made


@pytest.mark.parametrize(("rho", "delta"), [("1/10", None), ("0.2", "1e-7"), ("1/1000", "1e-6")])
def test_a_box_is_the_largest_that_keeps_its_cap(rho: str, delta: str | None) -> None:
    box = Box.of(CAP, rho, delta)
    implied = zcdp_epsilon(box.rho, CAP.delta - box.delta)
    assert box.rho == Fraction(rho)
    assert CAP.delta - box.delta == (CAP.delta if delta is None else Fraction(delta))
    assert CAP.epsilon - Fraction(1, STEPS) < box.epsilon + implied <= CAP.epsilon
    assert box.keeps(CAP)
    for more in (Box(box.epsilon + Fraction(1, STEPS), box.delta, box.rho),
                 Box(box.epsilon, box.delta, box.rho * Fraction(10001, 10000)),
                 Box(box.epsilon, CAP.delta, box.rho)):  # fmt: skip
        assert not more.keeps(CAP)
    assert Box.read(box.written()) == box


@pytest.mark.parametrize(
    ("cap", "rho", "delta", "says"),
    [
        (strong(0, 0, 1), "1/10", None, "gaussian_rho: must be left out where the cap is not in"),
        (strong(4), "1/10", None, "gaussian_rho: must be left out where the cap is not in"),
        (CAP, "0", None, "gaussian_rho: must be above 0"),
        (CAP, "1/10", "1e-5", "gaussian_delta: must be above 0 and at most the delta of the cap"),
        (CAP, "1/10", "0", "gaussian_delta: must be above 0"),
        (CAP, "1", None, "gaussian_rho: must imply at most the epsilon of the cap, 4, at delta"),
        (CAP, None, "1e-7", "gaussian_delta: has no meaning without gaussian_rho"),
    ],
)
def test_what_divides_no_cap(cap: Guarantee, rho: str, delta: str, says: str) -> None:
    with pytest.raises(InvalidParameter) as refusal:
        Box.declared(cap, rho, delta)
    assert str(refusal.value).startswith(says)


def test_the_most_that_is_named_is_accepted() -> None:
    with pytest.raises(InvalidParameter) as refusal:
        Box.of(CAP, 1)
    most = refusal.value.next_step.removeprefix("Give at most ").partition(" ")[0]
    assert Box.of(CAP, most).epsilon < Fraction(1, 1000)


def test_both_kinds_are_charged_each_to_its_own_part(tmp_path: Path) -> None:
    ledger = opened(tmp_path, "1/10", "1e-7")
    box = ledger.account("lodes").box
    assert box is not None
    for number, charge in enumerate(
        (strong(0, 0, "1/20"), strong(1), strong(0, 0, "1/20"), strong(0, "5e-7"), strong("1/2"))
    ):
        ledger.reserve("lodes", charge, release(number))
    left = ledger.account("lodes").left
    assert left == Left(box.epsilon - Fraction(3, 2), Fraction(4, 10**7), Fraction(0))
    assert ledger.account("lodes").lost == Fraction(3, 2)
    for over in (
        strong(0, 0, "1e-9"),
        strong(left.epsilon + Fraction(1, 10**9)),
        strong(0, "5e-7"),
    ):
        assert isinstance(ledger.would_refuse("lodes", over, None), OverBudget)
    assert ledger.would_refuse("lodes", strong(left.epsilon), None) is None
    refused = str(ledger.would_refuse("lodes", strong(0, 0, 1), None))
    assert "within its cap of epsilon 4 and delta 1/1000000 (0.000001), divided into" in refused
    assert ledger.verify() == ()


def test_a_box_is_shown(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.reserve("lodes", strong(0, 0, "1/20"), release(1))
    shown = str(ledger.show()).splitlines()
    assert shown[0].endswith(" and rho 0.05 left")
    assert shown[1].startswith("  Of it, rho 1/10 (0.1) is for Gaussian noise, epsilon ")
    told = json.dumps(ledger.show().to_dict())
    assert '"rho": "1/10"}' in told
    assert '"spent": "0"' in told


@pytest.mark.parametrize("pure", [strong(1), strong(0, "1e-7"), strong("1/2", "1e-7")])
def test_without_a_box_the_first_charge_decides(tmp_path: Path, pure: Guarantee) -> None:
    """Known bad: shares of a cap that are chosen after outputs, which Theorem 10 does not cover."""
    gaussian = strong(0, 0, "1/50")
    for folder, first, other in (("a", pure, gaussian), ("b", gaussian, pure)):
        (tmp_path / folder).mkdir()
        ledger = opened(tmp_path / folder, None)
        ledger.reserve("lodes", first, release(1))
        ledger.reserve("lodes", first, release(2))
        refused = ledger.would_refuse("lodes", other, release(3))
        assert isinstance(refused, CannotCompose)
        assert "must be in " + ("epsilon" if first is pure else "rho") in str(refused)
        assert "opened with --gaussian-rho" in str(refused)


def test_a_charge_of_both_kinds_needs_a_box(tmp_path: Path) -> None:
    mixed = strong(1, 0, "1/50")
    ledger = opened(tmp_path, None)
    assert isinstance(ledger.would_refuse("lodes", mixed, None), CannotCompose)
    (tmp_path / "divided").mkdir()
    assert opened(tmp_path / "divided").would_refuse("lodes", mixed, None) is None


@pytest.fixture
def old(tmp_path: Path) -> Ledger:
    """A ledger of format 3: one account has charges of both kinds, one of one."""
    shutil.copy(KEPT, tmp_path / "ledger.sqlite")
    (tmp_path / "ledger.sqlite").chmod(0o600)
    return Ledger.open(tmp_path / "ledger.sqlite")


def test_an_account_of_format_3_that_mixes_keeps_its_rule(old: Ledger) -> None:
    assert old.verify() == ()
    assert {entry.format for entry in old.entries()} == {3}
    before = old.account("both").left.epsilon
    for number, charge in ((8, strong("1/2")), (9, strong(0, 0, "1/100"))):
        subject = release(number)
        old.reserve("both", charge, subject.__class__(**{**vars(subject), "jobs": "every"}))
    assert old.account("both").left.epsilon < before - Fraction(1, 2)
    assert isinstance(old.would_refuse("both", strong(0, 0, 1), None), OverBudget)
    assert old.verify() == ()


def test_an_account_of_format_3_that_does_not_mix_begins_no_mixture(old: Ledger) -> None:
    assert isinstance(old.would_refuse("pure", strong(0, 0, "1/100"), None), CannotCompose)
    assert old.would_refuse("pure", strong(1), None) is None


def test_a_mixture_without_a_box_is_found(tmp_path: Path) -> None:
    ledger = ledger_with(tmp_path, CAP)
    both = [
        charged(number, charge) for number, charge in ((1, strong(1)), (2, strong(0, 0, "1/50")))
    ]
    rewrite(ledger, lambda bodies: bodies.extend(both))
    assert ledger.verify() == (
        "account lodes: its charges are of two kinds, and it has no box for them",
    )


def test_a_box_that_does_not_keep_the_cap_is_found(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    wide = {"epsilon": "4", "delta": "0", "rho": "1/10"}
    rewrite(ledger, lambda bodies: bodies[0].update(box=wide))
    assert ledger.verify() == ("entry 1: box must keep the cap; got epsilon 4 and rho 1/10 (0.1)",)
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other")
    rewrite(other, lambda bodies: bodies[0].update(box={"epsilon": "4"}))
    assert other.verify() == (
        "entry 1: guarantee must hold policy, alpha, epsilon, delta, rho as exact text; got "
        "something else",
    )


def test_charges_past_a_box_are_found(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    rewrite(ledger, lambda bodies: bodies.append(charged(1, strong(0, 0, "0.11"))))
    assert ledger.verify() == ("account lodes: its charges pass its cap",)
    assert written(CAP)["rho"] == "0"
