"""Confidential: no way of looking at it shows what it holds."""

import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pprint import pformat

import numpy as np
import pytest

from leeward.core.codebook import Batch, Cells, Confidential

NUMBER = 918273


Held = Confidential[Cells]


def held() -> Held:
    return Confidential(Cells(counts=np.array([[NUMBER]]), largest=np.array([NUMBER])))


SHOWING: dict[str, Callable[[Held], str]] = {
    "repr": repr,
    "str": str,
    "format": lambda one: f"{one} {one!s} {one!r} {one:>40}",
    "percent": lambda one: "%s %r" % (one, one),  # noqa: UP031 (that is the test)
    "pprint": pformat,
    "in a list": lambda one: repr([one]),
    "in a batch": lambda one: repr(Batch(np.array([1]), one)),
    "dir": lambda one: repr(dir(one)),
    "traceback": lambda one: "".join(traceback.format_exception(ValueError(one))),
    "log": lambda one: logging.LogRecord("a", 1, "b", 1, "%s %r", (one, one), None).getMessage(),
}


@pytest.mark.parametrize("way", SHOWING)
def test_no_text_of_it_shows_a_value_or_a_size(way: str) -> None:
    text = SHOWING[way](held())
    assert str(NUMBER) not in text
    assert "counts" not in text


REFUSED: dict[str, Callable[[Held], object]] = {
    "pickled": pickle.dumps,
    "pickled by the oldest protocol": lambda one: pickle.dumps(one, 0),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
    "compared": lambda one: one == held(),
    "compared with itself": lambda one: one == one,  # noqa: PLR0124 (that is the test)
    "told apart": lambda one: one != held(),
    "hashed": hash,
    "counted": len,
    "iterated": iter,
    "unpacked": lambda one: [*one],
    "asked for truth": bool,
    "searched": lambda one: NUMBER in one,  # type: ignore[operator] # as above
    "subscripted": lambda one: one["counts"],  # type: ignore[index] # as above
    "written as JSON": json.dumps,
    "ordered": lambda one: one < held(),  # type: ignore[operator] # as above
    "made an array of numbers": lambda one: np.asarray(one, dtype=np.int64),
}


@pytest.mark.parametrize("way", REFUSED)
def test_it_is_not_stored_compared_counted_or_read(way: str) -> None:
    with pytest.raises(TypeError) as refusal:
        REFUSED[way](held())
    assert str(NUMBER) not in str(refusal.value)


def test_it_has_no_attributes_to_look_at_or_to_add() -> None:
    one = held()
    assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        one.counts  # type: ignore[attr-defined] # noqa: B018 (that is the test)
    with pytest.raises(AttributeError):
        one.more = 1  # type: ignore[attr-defined] # that is the test
    with pytest.raises(TypeError):
        vars(one)


def test_what_it_holds_is_opened_and_shows_no_value_either() -> None:
    opened = held().opened()
    assert opened.counts.tolist() == [[NUMBER]]
    assert str(NUMBER) not in f"{opened} {opened!r} {pformat(opened)}"
    with pytest.raises(FrozenInstanceError):
        opened.counts = opened.largest  # type: ignore[misc] # that is the test
