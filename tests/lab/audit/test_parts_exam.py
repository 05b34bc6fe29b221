"""Public parts, as the auditor sees them: what tables with filters lose together."""

from fractions import Fraction

import pytest

from leeward.lab.audit.neighbours import QUICK, DatabasePair
from leeward.lab.audit.parts_exam import (
    PARTS_FAULTS,
    PARTS_LINES,
    PLACES,
    SEXES,
    PartsLine,
    examine_parts,
    neighbours,
    table_loss,
)
from leeward.lab.audit.row import CONFIRMED


@pytest.mark.parametrize("line", PARTS_LINES, ids=lambda line: line.detail)
def test_a_plan_loses_its_price_to_the_last_digit(line: PartsLine) -> None:
    (row,) = line.rows(None, QUICK)
    assert row.verdict == CONFIRMED
    assert row.tight


def test_what_the_lines_claim() -> None:
    claimed = [row.claim.epsilon for line in PARTS_LINES for row in line.rows(None, QUICK)]
    assert claimed == [1, 2, 4, 1]


@pytest.mark.parametrize("fault", PARTS_FAULTS)
def test_a_twin_loses_twice_what_it_claims(fault: str) -> None:
    _, claimed, exam = PARTS_FAULTS[fault]
    assert float(exam(QUICK).epsilon) == pytest.approx(2 * float(claimed))


def test_an_establishment_in_one_place_loses_nothing_in_tables_of_another() -> None:
    north, south = PLACES.planned
    pair = next(iter(neighbours("strong", QUICK)))
    assert float(table_loss(south, "north", pair, Fraction(1)).epsilon) == 0
    assert float(table_loss(north, "north", pair, Fraction(1)).epsilon) > 0


def test_a_man_who_joins_moves_the_noise_of_the_table_of_women() -> None:
    """Ten women, and one man more: no woman joins, and the table of women loses all of ε_job."""
    pair = DatabasePair.of((0, 0, 10, 0), (1, 0, 10, 0))
    women, men = SEXES.planned
    lost = [float(table_loss(t, "north", pair, Fraction(4)).epsilon) for t in (women, men)]
    each = float(women.charge.epsilon_job)
    assert lost == pytest.approx([each, each])
    both = examine_parts(SEXES.planned, [pair], Fraction(4))
    assert float(both.epsilon) == pytest.approx(2 * each)
