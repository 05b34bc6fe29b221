"""The first page: every number on it follows from the bundle."""

from fractions import Fraction
from math import ceil, exp
from pathlib import Path

import pytest

from leeward.core.codebook import Marginal
from leeward.core.privacy import Guarantee
from leeward.core.privacy.odds_of_suspicion import FIRMS, firm_odds
from leeward.interface.report.document import report
from leeward.interface.report.glance import further, titles
from leeward.publishing.bundle import BudgetStatement, LeftStatement, TableGuarantee
from leeward.publishing.bundle.statements import AboutStatement
from tests.interface.report.scene import EVIL, Page, bundle_of
from tests.publishing.bundle.made_up import BUDGET, PLACE, TOTAL


def account(paid: Guarantee, cap: Guarantee, **left: str) -> BudgetStatement:
    stated = TableGuarantee.of(paid)
    rest = LeftStatement(**{"epsilon": "0", "delta": "0"} | left)
    return BudgetStatement(cap=TableGuarantee.of(cap), paid=stated, spent=stated, left=rest)


WITH_DELTA = Guarantee("strong", "0.1", 1, "1e-6")
IN_EPSILON, IN_RHO = Guarantee("strong", "0.1", 16), Guarantee("strong", "0.1", 0, rho="2")


@pytest.mark.parametrize(
    ("budget", "many"),
    [
        (BUDGET, 2),
        (account(Guarantee("strong", "0.1", 4), IN_EPSILON, epsilon="4"), 1),
        (account(Guarantee("strong", "0.1", 4), IN_EPSILON, epsilon="39/10"), 0),
        (account(WITH_DELTA, IN_EPSILON, epsilon="9", delta="1/400000"), 2),
        (account(Guarantee("strong", "0.1", 0, rho="1/2"), IN_RHO, rho="7/4"), 3),
        (account(Guarantee("strong", "0.1", 0, rho="1/2"), IN_EPSILON, epsilon="9"), None),
    ],
)  # fmt: skip
def test_further_releases_of_this_price(budget: BudgetStatement, many: int | None) -> None:
    assert further(budget) == many


def test_a_chain_loses_as_many_times_epsilon_as_it_has_establishments() -> None:
    found = firm_odds(Guarantee("strong", "0.1", Fraction(1, 2)))
    assert [one.establishments for one in found] == [*FIRMS]
    for one in found:
        factor = exp(one.establishments / 2)
        assert Fraction(one.epsilon) == Fraction(one.establishments, 2)
        assert one.odds is not None
        assert one.odds.to == ceil(100 * factor / (99 + factor))
    assert firm_odds(Guarantee("worker", None, 1)) == ()
    assert [one.words for one in firm_odds(Guarantee("strong", "0.1", 1, "1e-9"))][:2] == [
        *("no bound", "no bound")
    ]


def test_the_first_page_says_what_a_board_asks(tmp_path: Path) -> None:
    place = Marginal("by_place", (PLACE,), ())
    about = AboutStatement(title=f"Jobs {EVIL[:60]}", description=f"For towns. {EVIL}")
    bundle = bundle_of(tmp_path / "bundle", [place, TOTAL], table={"title": EVIL[:99]}, about=about)
    page = report(bundle)
    parsed = Page(page)
    assert not {"script", "img"} & {*parsed.elements}
    first = Page(page[: page.index('class="contents"')]).text
    rows = [row for name in bundle for row in bundle.table(name).to_pylist() if row["status"] == 1]
    wide = sum(row["value"] <= row["margin"] for row in rows)
    assert wide > 0
    for words in (
        f"Jobs {EVIL[:60]}",
        "For towns.",
        "1 → 36 in 100",
        "A suspicion of 1 in 100 becomes at most 36 in 100.",
        "It pays for 2 more releases at this price.",
        f"Of {len(rows)} cells with a margin, {wide} have one",
        "d4" * 32,
    ):
        assert words in first, words
    assert 'class="less open"' in page
    assert '@bottom-left { content: "bundle"; }' in page


def test_of_very_many_tables_some_are_named(tmp_path: Path) -> None:
    tables = [Marginal(f"t{number}", (PLACE,), ()) for number in range(10)]
    held = bundle_of(tmp_path / "bundle", tables).certificate
    assert titles(held.tables) == "t0; t1; t2; t3; t4; t5; t6; t7; and 2 more tables"
