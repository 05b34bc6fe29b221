"""Faults planted in the source: the lines of the quick audit reject them."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leeward.core.codebook import Entries
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.split import by_class
from leeward.core.noise.law import Law
from leeward.core.noise.scales import Integers, LawByScale, Scales, Some
from leeward.lab.audit.audit_line import QUICK_GRID, AuditLine, TableLine
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.neighbours import QUICK
from leeward.lab.audit.released_code import RELEASED_CODE
from leeward.lab.audit.row import CONFIRMED, REJECTED, Row
from leeward.lab.audit.table_exam import SHOWS


def examined(mechanism: str, alpha: str) -> list[Row]:
    """The rows of a mechanism at one α of the quick grid, by masses."""
    (grid,) = ((point,) for point in QUICK_GRID if point[0] == alpha)
    lines = [
        replace(line, every=1)
        for line in LINES
        if isinstance(line, AuditLine)
        and (line.mechanism, line.policies, line.calibration) == (mechanism, ("strong",), "tight")
        and not (line.at or line.deep or line.options)
    ]
    return [row for line in lines for row in line.rows(grid, QUICK)]


def whole(parameters: Parameters) -> Fraction:
    return Fraction(int(parameters.plus / parameters.growth))


@pytest.mark.parametrize("mechanism", ["log_laplace", "slope", "vector_pareto"])
def test_a_floor_of_whole_jobs(monkeypatch: pytest.MonkeyPatch, mechanism: str) -> None:
    assert {row.verdict for row in examined(mechanism, "0.3")} == {CONFIRMED}
    monkeypatch.setattr(Parameters, "floor", property(whole))
    assert {row.verdict for row in examined(mechanism, "0.3")} == {REJECTED}


LOOKUP = LawByScale.shared


def early(laws: LawByScale, scales: Scales) -> Iterator[tuple[Law, Some]]:
    return LOOKUP(LawByScale(laws.large / 2, laws.beyond, laws.below), scales)


def test_draws_of_another_law_than_that_of_their_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {row.verdict for row in examined("staircase", "1")} == {CONFIRMED}
    monkeypatch.setattr(LawByScale, "shared", early)
    assert {row.verdict for row in examined("staircase", "1")} == {REJECTED}


def staffed(table: ClippedCounts, entries: Entries) -> Iterator[tuple[Clipped, Integers]]:
    some = np.bincount(entries.workplace[entries.sizes > 0], minlength=entries.shape[0])
    made = table.mechanism
    return by_class(made, made.suited, replace(entries, in_frame=np.maximum(some, 1)))


def is_of_clipped(line: object) -> bool:
    """Whether it examines a table of `clipped`, or its released code."""
    if not isinstance(line, TableLine | AuditLine) or line.mechanism != "clipped":
        return False
    if isinstance(line, TableLine):
        return line.epsilon_job is None
    return line.detail == RELEASED_CODE


def test_a_class_of_the_establishments_that_have_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClippedCounts, "by_class", staffed)
    lines = [line for line in LINES if is_of_clipped(line)]
    assert {line.statistic for line in lines if isinstance(line, TableLine)} == {
        None,
        "gains",
        "flows",
        "percentiles",
    }
    rows = [row for line in lines for row in line.rows(QUICK_GRID, QUICK)]
    assert len(rows) == 7
    assert {row.verdict for row in rows} == {REJECTED}
    assert SHOWS in {row.loss.fault for row in rows}
