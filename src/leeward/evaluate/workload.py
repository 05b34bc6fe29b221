"""Workload: a table of the experiments, asked for as a whole or one worker cell at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leeward.model import Codebook, Dimension, Marginal
from leeward.model.marginal import Kind


@dataclass(frozen=True)
class Workload:
    """What is asked. `alone`: each worker cell is a query of its own, and gets ε for itself."""

    name: str
    words: str
    marginal: Marginal
    alone: bool = False

    @property
    def table_kind(self) -> Kind:
        """Whether every job is counted."""
        return self.marginal.kind

    @property
    def worker_cells(self) -> int:
        """d."""
        return self.marginal.worker_cells


def table(name: str, by: Sequence[str], codebook: Codebook) -> Marginal:
    """The marginal of these attributes, all codes of each."""
    dimensions = [_whole(codebook, attribute) for attribute in by]
    return Marginal(
        name,
        workplace=tuple(one for one in dimensions if one.attribute.of_workplaces),
        worker=tuple(one for one in dimensions if not one.attribute.of_workplaces),
    )


def _whole(codebook: Codebook, name: str) -> Dimension:
    attribute = codebook.attribute(name, "by")
    return Dimension(attribute, tuple(range(len(attribute.codes))))


def workloads_of(marginals: Iterable[Marginal]) -> tuple[Workload, ...]:
    """Each table whole; a table with worker attributes also as single queries.

    No table has a dot in its name, so that no two workloads share theirs.
    """
    found = []
    for one in marginals:
        if one.kind == "worker" and one.worker_cells > 1:
            words = f"single queries of {described(one)}"
            found.append(Workload(f"{one.name}.queries", words, one, alone=True))
        found.append(Workload(one.name, described(one), one))
    return tuple(found)


def described(marginal: Marginal) -> str:
    """The attributes of a table, and those it is restricted by."""
    by = " × ".join(one.name for one in marginal.dimensions) or "all jobs"
    some = [one.name for one in marginal.filters]
    return f"{by}, some {' and '.join(some)} only" if some else by
