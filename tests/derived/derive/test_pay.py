"""Tables of pay do not add up: what is made of counts refuses them, or leaves them out."""

from pathlib import Path

import pytest

from leeward import derive, tidy
from leeward.core.errors import InvalidParameter
from leeward.derived.derive.comparison import compare
from leeward.publishing.bundle import Bundle, read_bundle, verify_bundle
from leeward.publishing.bundle.verify import source_findings
from tests.publishing.bundle.made_up_pay import write_pay
from tests.publishing.bundle.tampering import reseal, rewrite, stated


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pay(tmp_path_factory.mktemp("pay") / "pay")


def test_nothing_is_derived_from_pay(released: Path) -> None:
    rule = "must be a table of counts: .*; got means, whose values are the mean of earnings"
    with pytest.raises(InvalidParameter, match=rule):
        derive(released, "means", ["place"])


def test_a_tidy_bundle_leaves_pay_out_and_says_so(released: Path, tmp_path: Path) -> None:
    made = tidy(released, tmp_path / "tidy")
    assert list(made) == ["counts"]
    assert (verify_bundle(made.path), source_findings(made.path, released)) == ((), ())
    stated = made.certificate.made_from
    assert stated is not None
    assert "not in this bundle: means, by_sex, payroll. Read them in the release pay." in (
        stated.sentence
    )


def test_a_bundle_of_pay_alone_is_not_tidied(tmp_path: Path) -> None:
    source = write_pay(tmp_path / "pay", counts=False)
    with pytest.raises(InvalidParameter, match="must have a table of counts"):
        tidy(source, tmp_path / "tidy")


def moved(folder: Path) -> Bundle:
    """The same release with other means."""
    copy = write_pay(folder / "moved")
    more = {0: {"value": 600_000, "low": 590_000, "high": 610_000}, 3: {"value": 400_000}}
    rewrite(copy, "means", lambda rows: [row | more.get(n, {}) for n, row in enumerate(rows)])
    return read_bundle(copy)


def test_means_are_compared_where_both_have_a_number(released: Path, tmp_path: Path) -> None:
    found = compare(read_bundle(released), moved(tmp_path), "means")
    assert (found.both, found.only_first, found.apart) == (3, 0, 1)
    assert (found.bounded, found.different) == (1, None)
    assert (found.unit, found.drawn, str(found.holds)) == ("cents per month", False, "4/5")
    assert [(one.difference, one.ends) for one in found.certain] == [
        (190_000, (140_000, 230_000)),
        (10_000, None),
        (0, None),
    ]


def test_means_under_another_cap_are_not_compared(released: Path, tmp_path: Path) -> None:
    other = write_pay(tmp_path / "pay")
    reseal(other, lambda said: stated(said, "means")["statistic"].update(cap=9))
    with pytest.raises(InvalidParameter, match="of one statistic, with the same unit and cap"):
        compare(read_bundle(released), read_bundle(other), "means")
