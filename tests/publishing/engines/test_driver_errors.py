"""Errors of databases lose everything but their kind."""

from collections.abc import Iterator
from functools import partial

import pytest

from leeward.core.errors import BadFile, InvalidParameter, Undisclosed
from leeward.publishing.engines.driver_errors import hiding_errors, hiding_errors_in

SECRET = "SECRET123"  # noqa: S105 (a value that must not be seen in any message)


def fail(error: BaseException) -> None:
    raise error


def test_nothing_but_the_kind_is_left() -> None:
    with pytest.raises(Undisclosed) as caught:
        hiding_errors(lambda: fail(ValueError(SECRET)), "data.jobs", "must be read")
    assert str(caught.value.inside) == (
        "data.jobs: must be read; got a failure of the kind ValueError (its message may quote "
        "rows and is not shown). Look at the file or the database with its own tools."
    )
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_outside_every_failure_of_confidential_tables_is_the_same() -> None:
    said = set()
    for error, parameter in ((ValueError(), "data.jobs"), (OSError(), "data.workers")):
        with pytest.raises(Undisclosed) as caught:
            hiding_errors(partial(fail, error), parameter, f"must be {parameter}")
        said.add(str(caught.value))
    assert said == {
        "data: must be readable and agree with the codebook in every row; got files or rows that "
        "do not (not shown). Run `leeward check`, whose output is confidential."
    }


@pytest.mark.parametrize(("parameter", "public"), [("data.workplaces", False), ("data.jobs", True)])
def test_of_the_public_frame_and_of_addresses_the_failure_is_told(
    parameter: str, public: bool
) -> None:
    with pytest.raises(BadFile, match="a failure of the kind ValueError"):
        hiding_errors(lambda: fail(ValueError(SECRET)), parameter, "must be read", public=public)


def test_too_little_memory_is_said() -> None:
    with pytest.raises(BadFile) as caught:
        hiding_errors(lambda: fail(MemoryError(SECRET)))
    assert str(caught.value) == (
        "data: must fit into memory and the folder for temporary files; got more than that. "
        "Free disk space or memory, or tabulate fewer attributes at once."
    )


def test_our_own_refusals_pass() -> None:
    ours = InvalidParameter("x", rule="r", value="v", next_step="n")
    with pytest.raises(InvalidParameter):
        hiding_errors(lambda: fail(ours))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interruption_stays_one(error: BaseException) -> None:
    with pytest.raises(KeyboardInterrupt):
        hiding_errors(lambda: fail(error))


def test_an_interruption_stays_one_under_several_errors_of_a_driver() -> None:
    def work() -> None:
        try:
            try:
                raise KeyboardInterrupt
            finally:
                raise OSError("closing the answer")
        except OSError as error:
            raise RuntimeError("closing the question") from error

    with pytest.raises(KeyboardInterrupt):
        hiding_errors(work)


def test_errors_of_later_pieces_are_hidden_too() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise ValueError(SECRET)

    found = hiding_errors_in(pieces())
    assert next(found) == 1
    with pytest.raises(Undisclosed) as caught:
        next(found)
    assert SECRET not in str(caught.value.inside)
    assert caught.value.__context__ is None
