"""Whatever is handed in, only refusals come out, and they show nothing confidential."""

import copy
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

import leeward
from leeward.core.errors import InvalidParameter, LeewardError
from leeward.core.exact import precision
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.scale import Scale


def additive(name: str) -> Additive:
    made = leeward.mechanism(name, alpha="0.1", epsilon=1)
    assert isinstance(made, Additive)
    return made


def slope() -> Additive:
    return additive("slope")


def clipped() -> Clipped:
    made = leeward.mechanism("clipped", alpha="0.1", epsilon=1)
    assert isinstance(made, Clipped)
    return made


def scale() -> Scale:
    made = leeward.mechanism("scale", alpha="0.1", epsilon=1)
    assert isinstance(made, Scale)
    return made


SECRET = [918273, 645546]
ASKED: dict[str, Callable[[], object]] = {
    "an array as alpha": lambda: leeward.mechanism("slope", alpha=SECRET, epsilon=1),  # type: ignore[arg-type]
    "an array as an option": lambda: leeward.mechanism("slope", alpha=1, epsilon=2, counts=SECRET),
    "an array as cells": lambda: leeward.mechanism("slope", alpha=1, epsilon=2, cells=SECRET),  # type: ignore[arg-type]
    "an array as name": lambda: leeward.mechanism(SECRET, epsilon=1),  # type: ignore[arg-type]
    "a huge alpha": lambda: leeward.mechanism("slope", alpha=10**5000, epsilon=1),
    "a huge theta": lambda: leeward.mechanism("node_laplace", epsilon=1, theta=10**400),
    "no counts": lambda: slope().release(None, SECRET),
    "ragged counts": lambda: slope().release([SECRET, [1]], [1, 2]),
    "complex counts": lambda: slope().release(np.zeros(0, dtype=complex), []),
    "an array as noise": lambda: slope().cdf(SECRET, 10),  # type: ignore[arg-type]
    "half a job": lambda: slope().cdf(1.5, 10),  # type: ignore[arg-type]
    "two sizes for one": lambda: slope().cdf(3, SECRET),  # type: ignore[arg-type]
    "no digits": lambda: slope().cdf(3, 10, digits=0),
    "text as digits": lambda: slope().cdf(3, 10, digits="5"),  # type: ignore[arg-type]
    "too many digits": lambda: slope().cdf(3, 10, digits=10**7),
    "beyond all bits": lambda: additive("smooth_gamma").cdf(-(10**8000), 10),
    "no p": lambda: slope().quantile(None, 10),  # type: ignore[arg-type]
    "an array as p": lambda: slope().quantile(SECRET, 10),  # type: ignore[arg-type]
    "a huge p": lambda: slope().quantile("1e999999999", 10),
    "no p of clipped": lambda: clipped().quantile([], 10),  # type: ignore[arg-type]
    "a coverage above one": lambda: scale().margin(slope(), coverage="2"),
    "no coverage": lambda: scale().margin(slope(), coverage=None),  # type: ignore[arg-type]
    "text as workplaces": lambda: clipped().release([[1]], [1], [0], workplaces="3"),  # type: ignore[arg-type]
    "too few workplaces": lambda: clipped().release([[1]], [1], [5], workplaces=3),
    "a far workplace": lambda: clipped().release([[1]], [1], [2**40]),
    "no policy": lambda: slope().guarantee(None),  # type: ignore[arg-type]
    "no table": lambda: slope().guarantee("strong", table=""),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_only_refusals_come_out_and_show_no_column(ask: Callable[[], object]) -> None:
    with pytest.raises(LeewardError) as refusal:
        ask()
    assert not any(str(number) in str(refusal.value) for number in SECRET)


def test_where_nothing_works_no_value_is_named() -> None:
    with pytest.raises(InvalidParameter, match="No epsilon up to 1000 works here"):
        leeward.mechanism("slope", alpha=3, epsilon=1, cells=1000)
    with pytest.raises(InvalidParameter, match="No delta below 1 works here"):
        leeward.mechanism(
            "smooth_laplace", alpha="0.1", epsilon="1.4", cells=8, calibration="published"
        )


def test_a_refusal_travels_and_copies() -> None:
    with pytest.raises(InvalidParameter) as caught:
        leeward.mechanism("slope", alpha="0.1", epsilon="0.01")
    for twin in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):  # noqa: S301 (our own)
        assert type(twin) is InvalidParameter
        assert str(twin) == str(caught.value)


def test_extreme_quantiles_are_exact() -> None:
    rare = Fraction(1, 10**60)
    high = slope().quantile(1 - rare, 10)
    assert isinstance(high, int)
    short, reached = (1 - Fraction(slope().cdf(j, 10, digits=120)) for j in (high - 1, high))
    assert reached <= rare < short


def test_threads_do_not_share_a_precision() -> None:
    seen: list[bool] = []

    def work(bits: int) -> None:
        for _ in range(40):
            with precision(bits):
                error = additive("edge_laplace").mean_abs_error(None, 1)
                seen.append(error is not None and precise(bits))

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (64, 512)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 80
    assert all(seen)


def precise(bits: int) -> bool:
    return int(ctx.prec) == bits
