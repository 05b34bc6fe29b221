"""Errors of databases lose everything but their kind."""

from collections.abc import Iterator

import pytest

from leeward.engines.discretion import discreet_items, discreetly
from leeward.errors import BadFile, InvalidParameter

SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


def fail(error: BaseException) -> None:
    raise error


def test_nothing_but_the_kind_is_left() -> None:
    with pytest.raises(BadFile) as caught:
        discreetly(lambda: fail(ValueError(SECRET)), "data.jobs", "must be read")
    assert str(caught.value) == (
        "data.jobs: must be read; got a failure of the kind ValueError (its message may quote "
        "rows and is not shown). Look at the file or the database with its own tools."
    )
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_too_little_memory_is_said() -> None:
    with pytest.raises(BadFile) as caught:
        discreetly(lambda: fail(MemoryError(SECRET)))
    assert str(caught.value) == (
        "data: must fit into memory and the folder for temporary files; got more than that. "
        "Free disk space or memory, or tabulate fewer attributes at once."
    )


def test_our_own_refusals_pass() -> None:
    ours = InvalidParameter("x", rule="r", value="v", next_step="n")
    with pytest.raises(InvalidParameter):
        discreetly(lambda: fail(ours))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interruption_stays_one(error: BaseException) -> None:
    with pytest.raises(KeyboardInterrupt):
        discreetly(lambda: fail(error))


def test_pieces_are_read_discreetly_too() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise ValueError(SECRET)

    found = discreet_items(pieces())
    assert next(found) == 1
    with pytest.raises(BadFile) as caught:
        next(found)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None
