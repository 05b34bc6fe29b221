import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leeward.core.randomness import SeededBits
from leeward.lab.economy import Economy
from leeward.lab.economy.establishments import to_total
from leeward.lab.economy.made_up_economy import Categories, shuffled_numbers

wishes = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30)


@given(wishes, st.integers(0, 10**6))
def test_sizes_have_the_total_and_keep_the_order(wished: list[float], more: int) -> None:
    jobs = len(wished) + more
    sizes = to_total(np.array(wished), jobs)
    assert sizes.sum() == jobs
    assert sizes.min() >= 1
    in_order = sizes[np.argsort(wished, kind="stable")]
    assert (np.diff(in_order) >= -1).all()  # a left-over job may part two that were equal


def test_every_rank_has_its_own_number() -> None:
    for count in (0, 1, 2, 3, 6, 10, 1_000, 99_991, 100_000):
        numbers = shuffled_numbers(np.arange(count), count)
        assert np.array_equal(np.sort(numbers), np.arange(1, count + 1)), count


def test_numbers_do_not_overflow_at_the_limit() -> None:
    count = 2 * 10**9
    ranks = np.array([0, 1, count - 2, count - 1])
    numbers = shuffled_numbers(ranks, count)
    assert len(set(numbers)) == 4
    assert numbers.min() >= 1
    assert numbers.max() <= count


def test_categories_are_drawn_in_their_shares() -> None:
    weights = np.array([[1.0, 2.0, 7.0], [0.0, 5.0, 0.0]])
    row = np.repeat([0, 1], 100_000)
    drawn = Categories.from_weights(weights).draw(SeededBits(1), row)
    found = np.bincount(drawn[row == 0], minlength=3) / 100_000
    assert abs(found - [0.1, 0.2, 0.7]).max() < 0.008  # five standard deviations
    assert set(drawn[row == 1]) == {1}


def test_no_two_parts_share_their_bits() -> None:
    streams = [Economy(seed=seed).stream(number) for seed in (0, 1, 2) for number in (0, 1, 2)]
    assert len({stream.generator.random() for stream in streams}) == 9
