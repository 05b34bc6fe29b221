"""Marginals: cells are numbered in the order of their codes, and the numbers lead back."""

from itertools import product
from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.codebook import COUNT, STATISTICS, Count, Dimension, Marginal
from leeward.core.codebook.attribute import positions
from tests.core.codebook.made import attribute, dimension

sizes = st.lists(st.integers(1, 6), min_size=0, max_size=4)


@given(sizes)
@settings(max_examples=60, deadline=None)
def test_numbers_and_codes_lead_to_each_other(lengths: list[int]) -> None:
    dimensions = tuple(dimension(f"a{n}", size) for n, size in enumerate(lengths))
    keys = np.arange(prod(lengths))
    found = positions(dimensions, keys)
    slow = list(product(*(range(size) for size in lengths)))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == (
        slow if dimensions else []
    )
    if dimensions:
        assert np.ravel_multi_index(found, tuple(lengths)).tolist() == keys.tolist()


@given(sizes, sizes)
@settings(max_examples=30, deadline=None)
def test_cells_are_the_products_of_their_codes(places: list[int], people: list[int]) -> None:
    made = Marginal(
        "t",
        tuple(dimension(f"p{n}", size) for n, size in enumerate(places)),
        tuple(dimension(f"w{n}", size, "workers") for n, size in enumerate(people)),
    )
    assert made.workplace_cells == prod(places)
    assert made.worker_cells == prod(people)
    assert made.kind == ("worker" if people else "workplace")
    assert [one.name for one in made.dimensions] == [
        *(f"p{n}" for n in range(len(places))),
        *(f"w{n}" for n in range(len(people))),
    ]


def test_a_dimension_keeps_the_order_of_the_list() -> None:
    kept = Dimension(attribute("a", 4), (1, 3))
    assert kept.codes == ("a1", "a3")
    assert kept.size == 2
    assert not kept.whole
    assert dimension("a", 4).whole


def test_a_filter_on_workers_or_jobs_makes_a_worker_table() -> None:
    place = (dimension("p", 2),)
    for table, kind in (("workplaces", "workplace"), ("workers", "worker"), ("jobs", "worker")):
        only = Dimension(attribute("f", 2, table), (0,))  # type: ignore[arg-type] # one of TABLES
        made = Marginal("t", place, (), (only,))
        assert made.kind == kind
        assert made.worker_cells == 1
        assert made.restricted == (*place, only)


def test_worker_cells_are_in_the_order_of_their_codes() -> None:
    made = Marginal("t", (), (dimension("a", 2, "workers"), dimension("b", 3, "jobs")))
    first, second = made.worker_positions()
    assert first.tolist() == [0, 0, 0, 1, 1, 1]
    assert second.tolist() == [0, 1, 2, 0, 1, 2]


def test_a_table_counts_jobs_unless_it_says_otherwise() -> None:
    made = Marginal("t", (), ())
    assert made.statistic is COUNT
    assert COUNT.name in STATISTICS
    assert (COUNT.name, COUNT.unit, COUNT.needs) == ("count", "jobs", ())
    assert made == Marginal("t", (), (), statistic=Count())
