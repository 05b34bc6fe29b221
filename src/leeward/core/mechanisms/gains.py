"""Gains: jobs gained by establishments that grew, and lost by those that shrank.

Proof in gains.proof.md. An establishment's jobs that began less those that ended are its net
change; its gain or its loss takes their place, and a mechanism for worker tables measures them.
"""

from dataclasses import dataclass, replace

import numpy as np

from leeward.core.codebook import Cells, Entries, Gains
from leeward.core.mechanisms.measurement import Expected, Measured, Needs
from leeward.core.mechanisms.released_classes import FromClasses
from leeward.core.noise.noise_source import Noise

PAIR = 2
"""Began and ended; gained and lost."""


@dataclass(frozen=True)
class GainsOfEstablishments(FromClasses):
    """The measurement of gains and losses, by a mechanism made for as many worker cells."""

    statistic: Gains

    @property
    def needs(self) -> Needs:
        """Each establishment by itself."""
        return Needs.ENTRIES

    def _measure(self, columns: Cells | Entries, noise: Noise) -> Measured:
        """Gains and losses (w, other worker cells × 2), and their margins."""
        return self.classes._measure(self._changed(columns), noise)

    def expected(self, columns: Cells | Entries) -> Expected:
        """As the mechanism says."""
        return self.classes.expected(self._changed(columns))

    def _changed(self, columns: Cells | Entries) -> Entries:
        if isinstance(columns, Cells):
            raise TypeError("gains are measured of entries of establishments, not of cells")
        return net_changes(columns, self.statistic.gained)


def net_changes(entries: Entries, gained: int = 0) -> Entries:
    """Each establishment with its gain or its loss in place of jobs that began and ended.

    Of each two cells that of the place `gained` has the jobs that began. All jobs of an
    establishment stay its size.
    """
    others = entries.shape[1] // PAIR
    began = entries.cell % PAIR == gained
    at = entries.row * others + entries.cell // PAIR
    places, inverse = np.unique(at, return_inverse=True)
    net = np.zeros(places.size, dtype=np.int64)
    np.add.at(net, inverse, np.where(began, entries.counts, -entries.counts))
    some = net != 0
    places, net = places[some], net[some]
    return replace(
        entries,
        counts=np.abs(net),
        cell=places % others * PAIR + (net < 0),
        row=places // others,
    )
