"""Edge Laplace: discrete Laplace noise of sensitivity 1. Proof in edge_laplace.proof.md."""

from dataclasses import dataclass, field
from typing import ClassVar

from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, Origin, Words
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.noise.law import PiecewiseLaw, discrete_laplace
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy import Guarantee, WorkerOnly


@dataclass(frozen=True)
class EdgeLaplace(Additive):
    """Protects single jobs only: a large establishment's size shows through."""

    name: ClassVar[str] = "edge_laplace"
    words: ClassVar[Words] = Words(
        label="edge DP (workers only)",
        noise="Each cell gets its own random number of the size that hides one job; large "
        "establishments are not hidden by it.",
    )
    origin: ClassVar[Origin] = "baseline"
    free_margins: ClassVar[bool] = True
    # One job lies in at most one cell, so all cells together cost ε in either kind of table.
    claims: ClassVar[Claims] = {kind: (WorkerOnly(),) for kind in ("workplace", "worker", "gains")}
    follows: ClassVar[str] = "either"

    parameters: Parameters
    law: PiecewiseLaw = field(repr=False)

    @classmethod
    def calibrated(cls, parameters: Parameters) -> "EdgeLaplace":
        """P(j) ∝ exp(−ε|j|); the rate is an exact rational."""
        parameters.only_tight(cls.name)
        return cls(parameters, discrete_laplace(1 / parameters.aimed))

    def price(self) -> Guarantee:
        """ε for a job."""
        return Guarantee(WorkerOnly(), None, self.parameters.epsilon)

    def scales(self, counts: Integers, largest: Integers) -> Scales:
        """The same for every cell."""
        return Scales(counts * 0 + 1)
