"""Pay, centred: count and payroll for one ε where jobs that stay keep their pay.

Proof in pay_centred.proof.md. As pay_pareto, in the norm |b| + |a−b|: a job is split into the part
y/B that it is paid and the part 1−y/B that it is not, which add up to one. The payroll has the
noise of a single number. A changed pay is two steps.
"""

from dataclasses import dataclass
from typing import ClassVar

from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.noise.body import CENTRED, Body
from leeward.core.privacy import StrongAlpha


@dataclass(frozen=True)
class PayCentred(PayPareto):
    """Noise of scale S/t for counts and B·S/t for payrolls, S = max(α·largest, Δ), B the cap."""

    name: ClassVar[str] = "pay_centred"
    words: ClassVar[Words] = Words(
        label="pay, centred",
        noise="What jobs are paid, and what they are paid less than the cap, get random numbers "
        "together, in proportion to the largest establishment; the count is their sum. They are "
        "zero on average, mostly small, and now and then large.",
    )
    claims: ClassVar[Claims] = {"pay": (StrongAlpha(),), "worker_pay": (StrongAlpha(),)}
    body: ClassVar[Body] = CENTRED
