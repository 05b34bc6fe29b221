"""Exams of gains and losses: net changes of establishments, by a mechanism for two cells.

Of a database the first kind are jobs that began, the second jobs that ended, all others neither.
"""

from dataclasses import dataclass

from leeward.audit.clipped_exam import examine_clipped
from leeward.audit.loss import Loss
from leeward.audit.neighbours import Depth
from leeward.audit.recording import EntryMechanism
from leeward.mechanisms.clipping import Clipping
from leeward.mechanisms.gains import net_changes
from leeward.mechanisms.parameters import Parameters
from leeward.model import Entries
from leeward.noise.scales import Integers, Noise


@dataclass(frozen=True)
class NetChanges:
    """A mechanism that clips establishments, given what each gained or lost."""

    mechanism: EntryMechanism

    @property
    def parameters(self) -> Parameters:
        """Those of the mechanism."""
        return self.mechanism.parameters

    @property
    def clipping(self) -> Clipping:
        """That of the mechanism."""
        return self.mechanism.clipping

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        """As a release does it: net changes first."""
        return self.mechanism._release(net_changes(entries), noise)


def examine_clipped_gains(made: EntryMechanism, name: str, depth: Depth) -> Loss:
    """Index and clipped gains and losses jointly."""
    return examine_clipped(NetChanges(made), name, depth)
