"""Two releases side by side: what a plain dictionary of cells says."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.errors import Damaged, InvalidParameter, LeewardError
from leeward.derived.derive.comparison import DOTS, MOST_LISTED, Comparison, compare
from leeward.derived.derive.paired_cells import Pair
from leeward.publishing.bundle import MarginStatement
from leeward.publishing.bundle.noise_statement import NoiseStatement
from leeward.publishing.bundle.table_statements import JointStatement
from tests.publishing.bundle.tables_in_memory import Codes, InMemory, Line, in_memory

ONE: Codes = {"place": {"a": "A", "b": "B", "c": "C"}, "sector": {"1": "one", "2": "two"}}
TWO: Codes = {"place": {"d": "D", "b": "other B", "a": "A"}, "sector": {"2": "two", "1": "one"}}


def tables(codes: Codes) -> st.SearchStrategy[list[Line]]:
    line = st.tuples(
        st.tuples(*(st.sampled_from(list(listed)) for listed in codes.values())),
        st.integers(-5, 9) | st.integers(-(2**61), 2**61),
        st.sampled_from([1, 1, -2]),
        st.none() | st.integers(0, 4) | st.just(2**61),
    )
    return st.lists(line, max_size=6, unique_by=lambda line: line[0])


def by_codes(lines: Sequence[Line]) -> dict[tuple[str, ...], Line]:
    return {line[0]: line for line in lines if line[2] == 1}


def size(first: Line, second: Line) -> int:
    return abs(second[1] - first[1])


def apart(first: Line, second: Line) -> bool:
    if first[3] is None or second[3] is None:
        return False
    return size(first, second) > first[3] + second[3]


def certainty(first: Line, second: Line) -> float:
    """The difference over both margins; −1 without one of them."""
    if first[3] is None or second[3] is None:
        return -1.0
    return size(first, second) / max(first[3] + second[3], 0.5)


def codes_of(pair: Pair) -> tuple[str, ...]:
    return tuple(one.code for one in pair.codes)


@settings(max_examples=200, deadline=None)
@given(tables(ONE), tables(TWO), st.integers(1, 4))
def test_cells_are_compared_as_a_dictionary_would(
    first: list[Line], second: list[Line], each: int
) -> None:
    found = compare(in_memory(first, ONE, each=each), in_memory(second, TWO, each=each), "t")
    one, two = by_codes(first), by_codes(second)
    both = one.keys() & two.keys()
    assert (found.both, found.only_first, found.only_second) == (
        len(both),
        len(one) - len(both),
        len(two) - len(both),
    )
    assert found.apart == sum(apart(one[codes], two[codes]) for codes in both)
    assert found.bounded == sum(certainty(one[c], two[c]) >= 0 for c in both)
    assert {told(pair) for pair in found.dots} == {paired(one[c], two[c]) for c in both}
    order = [certainty(one[c], two[c]) for c in (codes_of(pair) for pair in found.certain)]
    assert order == sorted(order, reverse=True)
    marked = [pair.apart for pair in found.dots]
    assert marked == sorted(marked, reverse=True)
    assert found.different is None  # these certificates state no law of the noise
    assert not any(pair.different for pair in found.dots)


def told(pair: Pair) -> tuple[object, ...]:
    return codes_of(pair), pair.first, pair.second, pair.ends


def paired(one: Line, two: Line) -> tuple[object, ...]:
    """The same from the rows of both tables."""
    (codes, first, _, left), (_, second, _, right) = one, two
    if left is None or right is None:
        return codes, first, second, None
    apart, wide = second - first, left + right
    return codes, first, second, (apart - wide, apart + wide)


def places(number: int) -> Codes:
    return {"place": {f"{place:05d}": f"Place {place}" for place in range(number)}}


def released(codes: Codes, *, odd: int) -> list[Line]:
    """Every tenth cell differs by more than both margins, and each by another amount."""
    return [
        ((code,), number * (odd if number % 10 == 0 else 1), 1, 3)
        for number, code in enumerate(codes["place"])
    ]


def of_many() -> Comparison:
    codes = places(5000)
    one = in_memory(released(codes, odd=1), codes, each=700)
    return compare(one, in_memory(released(codes, odd=2), codes, each=700), "t")


def test_only_the_most_certain_differences_and_a_spread_of_dots_are_kept() -> None:
    found = of_many()
    assert found.apart == 499
    differences = [pair.difference for pair in found.certain]
    assert differences == [4990 - 10 * n for n in range(MOST_LISTED)]
    assert found.certain[0].codes[0].label == "Place 4990"
    assert len(found.dots) == DOTS
    assert [pair.apart for pair in found.dots] == [True] * 499 + [False] * (DOTS - 499)
    quarters = {int(pair.codes[0].code) // 1250 for pair in found.dots if not pair.apart}
    assert quarters == {0, 1, 2, 3}
    assert found == of_many()


def test_a_difference_as_large_as_both_margins_is_not_apart() -> None:
    codes = places(2)
    one = in_memory([(("00000",), 0, 1, 3), (("00001",), 0, 1, 3)], codes)
    two = in_memory([(("00000",), 7, 1, 4), (("00001",), -8, 1, 4)], codes)
    found = compare(one, two, "t")
    assert found.apart == 1
    assert [pair.apart for pair in found.certain] == [True, False]
    assert found.holds == Fraction(8, 10)


def test_without_margins_nothing_is_apart() -> None:
    codes = places(1)
    one = in_memory([(("00000",), 0, 1, 3)], codes)
    two = in_memory([(("00000",), 900, 1, None)], codes, margins=False)
    found = compare(one, two, "t")
    assert (found.apart, found.holds, found.certain[0].ends) == (None, None, None)


def test_a_total_is_compared_too() -> None:
    found = compare(in_memory([((), 5, 1, 1)], {}), in_memory([((), 9, 1, 1)], {}), "t")
    assert found.certain == (Pair((), 5, 9, (2, 6)),)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"where": {"sector": "1"}}, "The tables count different jobs"),
        ({"bias": "Clipping."}, "Values of the second release may be off"),
    ],
)
def test_what_else_differs_is_told(changes: dict[str, Any], note: str) -> None:
    codes = places(1)
    lines: list[Line] = [(("00000",), 0, 1, 3)]
    assert compare(in_memory(lines, codes), in_memory(lines, codes), "t").notes == ()
    (told_so,) = compare(in_memory(lines, codes), in_memory(lines, codes, **changes), "t").notes
    assert told_so.startswith(note)


def test_periods_and_code_lists_that_differ_are_told() -> None:
    one, two = in_memory([], places(1)), in_memory([], places(2))
    later = two.certificate.model_copy(update={"period": "2026Q3"})
    found = compare(one, type(two)(two.path, later, rows=two.rows, each=1), "t")
    assert found.notes == (
        "The first release is of 2026Q2, the second of 2026Q3.",
        "The codes of place differ: cells with a code of one list are in one release.",
    )


MANY = {f"{number:04d}": "x" for number in range(2000)}


@pytest.mark.parametrize(
    ("first", "second", "refusal", "rule"),
    [
        (in_memory([], ONE), in_memory([], {"place": {"a": "A"}}), InvalidParameter, "identifiers"),
        (in_memory([], ONE, rows=5_000_001), in_memory([], ONE), InvalidParameter, "5,000,000"),
        (in_memory([], ONE), in_memory([], ONE, rows=5_000_001), InvalidParameter, "5,000,000"),
        (in_memory([], ONE), in_memory([], ONE, name="u"), InvalidParameter, "a table of the"),
        (
            in_memory([], {f"i{number}": MANY for number in range(6)}),
            in_memory([], {f"i{number}": MANY for number in range(6)}),
            InvalidParameter,
            "combinations",
        ),
        (
            in_memory([(("a", "1"), 1, 1, 1)] * 2, ONE),
            in_memory([], ONE),
            Damaged,
            "each cell once",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    first: InMemory, second: InMemory, refusal: type[LeewardError], rule: str
) -> None:
    with pytest.raises(refusal, match=rule) as found:
        compare(first, second, "t")
    assert found.value.next_step


LAPLACE = [{"rate": 1.0}, {"low": 0.0, "rate": -1.0}]


def stated(**changes: object) -> NoiseStatement:
    """Laplace noise of one public scale, 10 jobs."""
    numbers = {"law": "pieces", "pieces": LAPLACE, "share": 0.0, "least": 10.0}
    return NoiseStatement.of(numbers | changes)


def noisy(seed: int, moved: Sequence[int] = (), by: int = 0, **changes: object) -> InMemory:
    """500 cells of 300 jobs, some moved."""
    random, codes = np.random.default_rng(seed), places(500)
    values = 300 + np.rint(10 * random.laplace(size=500)).astype(int)
    values[list(moved)] += by
    lines = [((code,), int(one), 1, 24) for code, one in zip(codes["place"], values, strict=True)]
    made = in_memory(lines, codes, each=100, noise=stated())
    public = MarginStatement(method="public", coverage="9/10", epsilon=None, note="Made up.")
    table = made.certificate.tables[0].model_copy(update={"margins": public} | changes)
    certificate = made.certificate.model_copy(update={"tables": (table,)})
    return InMemory(made.path, certificate, rows=made.rows, each=made.each)


def test_of_equal_numbers_a_tenth_is_apart_and_none_is_different() -> None:
    found = compare(noisy(1), noisy(2), "t")
    assert found.by_chance == 50
    assert found.apart is not None
    assert abs(found.apart - 50) < 25
    assert (found.different, found.marked) == (0, 0)
    assert found.independent
    # What was called clearly different before: all of it noise.
    assert found.apart > 10


def test_cells_that_changed_are_found_first() -> None:
    moved = [3, 77, 400]
    found = compare(noisy(1), noisy(2, moved, 300), "t")
    assert found.different in (3, 4)  # of four one may be noise
    assert {int(pair.codes[0].code) for pair in found.certain[: len(moved)]} == {*moved}
    assert all(pair.different for pair in found.certain[: len(moved)])
    marked = [pair.different for pair in found.dots]
    assert marked == sorted(marked, reverse=True)
    assert sum(marked) == found.marked == found.different


def test_correlated_errors_need_a_smaller_level() -> None:
    """Benjamini and Yekutieli: a difference that passes among independent cells does not here."""
    joint = JointStatement(name="p", covers=True, sentence="Released together.")
    found = {
        by: [
            compare(noisy(1, **one), noisy(2, [9], by, **one), "t")  # type: ignore[arg-type]
            for one in ({}, {"joint": joint})
        ]
        for by in range(60, 200, 4)
    }
    first = [next(by for by, pair in found.items() if pair[at].different) for at in (0, 1)]
    assert first[0] < first[1]
    assert [one.independent for one in found[60]] == [True, False]


def test_the_most_certain_difference_is_not_the_largest_one() -> None:
    codes = places(2)
    one = in_memory([(("00000",), 0, 1, 500), (("00001",), 0, 1, 1)], codes)
    two = in_memory([(("00000",), 900, 1, 500), (("00001",), 9, 1, 1)], codes)
    assert [pair.difference for pair in compare(one, two, "t").certain] == [9, 900]
