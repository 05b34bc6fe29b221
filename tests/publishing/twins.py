"""Changes that a test makes inside one process: repeated bits, and bad twins of a release."""

from collections.abc import Callable
from hashlib import shake_256
from itertools import count
from types import SimpleNamespace
from typing import Any

from leeward.core import randomness
from leeward.core.codebook import Batch, Cells, Published
from leeward.core.mechanisms.measurement import Measurement
from leeward.interface.commands.screen import note
from leeward.interface.report import writing
from leeward.interface.report.document import report
from leeward.publishing.bundle import Bundle, Certificate
from leeward.publishing.release import measuring, run
from leeward.publishing.release.paid import Paid

Function = Callable[..., Any]


def repeat_bits() -> None:
    """The same bits in every process: they depend on the number of the call and on its size."""
    calls = count()

    def urandom(size: int) -> bytes:
        return shake_256(f"{next(calls)} {size}".encode()).digest(size)

    setattr(randomness, "os", SimpleNamespace(urandom=urandom))  # noqa: B010 (it has no such name)


def wrap(name: str, wrapper: Callable[[Function], Function]) -> None:
    """Put another function in the place of one that the release uses."""
    homes = {"publish": measuring, "commit": Paid}
    home = homes.get(name, run)
    setattr(home, name, wrapper(getattr(home, name)))


def drop_empty_rows() -> None:
    """Bad: a cell without jobs is left out, so that the first job shows."""

    def wrapper(publish: Function) -> Function:
        def kept(batch: Batch[Cells], made: Measurement) -> Published:
            found: Published = publish(batch, made)
            some = batch.cells.opened().counts.sum(axis=1) > 0
            margins = {name: one[some] for name, one in found.margins.items()}
            return Published(found.keys[some], found.values[some], found.flags[some], margins)

        return kept

    wrap("publish", wrapper)


def count_jobs() -> list[int]:
    """The true numbers of jobs in the batches that are published from now on."""
    seen: list[int] = []

    def wrapper(publish: Function) -> Function:
        def counting(batch: Batch[Cells], made: Measurement) -> Published:
            seen.append(int(batch.cells.opened().counts.sum()))
            found: Published = publish(batch, made)
            return found

        return counting

    wrap("publish", wrapper)
    return seen


def certify_the_total() -> None:
    """Bad: the certificate tells the true number of jobs."""
    seen = count_jobs()

    def wrapper(certificate: Function) -> Function:
        def telling(*given: object) -> Certificate:
            made: Certificate = certificate(*given)
            data = made.data.model_copy(update={"keyed": f"{seen[0]} jobs"})
            return made.model_copy(update={"data": data})

        return telling

    wrap("certificate", wrapper)


def hint_at_the_total() -> None:
    """Bad: how long a text is follows the true number of jobs."""
    seen = count_jobs()

    def wrapper(certificate: Function) -> Function:
        def hinting(*given: object) -> Certificate:
            made: Certificate = certificate(*given)
            longer = {"bias": "x" * (1 + seen[0] % 64)}
            tables = tuple(one.model_copy(update=longer) for one in made.tables)
            return made.model_copy(update={"tables": tables})

        return hinting

    wrap("certificate", wrapper)


def print_the_total() -> None:
    """Bad: the command tells the true number of jobs."""
    seen = count_jobs()

    def wrapper(commit: Function) -> Function:
        def telling(*given: object) -> None:
            commit(*given)
            note(f"{seen[0]} jobs")

        return telling

    wrap("commit", wrapper)


def report_the_total() -> None:
    """Bad: the report tells the true number of jobs."""
    seen = count_jobs()

    def telling(bundle: Bundle) -> str:
        return f"{report(bundle)}<!-- {seen[0]} jobs -->"

    setattr(writing, "report", telling)  # noqa: B010 (it is not theirs to give away)
