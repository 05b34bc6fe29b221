"""Pay radial slope, centred: count and payroll for one ε where jobs that stay keep their pay.

Proof in pay_centred_radial.proof.md. As pay_radial, in the norm |b| + |a−b| of pay_centred. A
changed pay is two steps.
"""

from dataclasses import dataclass
from typing import ClassVar

from leeward.core.mechanisms.calibrated import Claims, Words
from leeward.core.mechanisms.pay_radial import PayRadial
from leeward.core.noise.body import CENTRED, Body
from leeward.core.privacy import StrongAlpha


@dataclass(frozen=True)
class PayCentredRadial(PayRadial):
    """Noise of scale S for counts and B·S for payrolls, S = max(α·largest, Δ), B the cap."""

    name: ClassVar[str] = "pay_centred_radial"
    words: ClassVar[Words] = Words(
        label="pay radial slope, centred",
        noise="What jobs are paid, and what they are paid less than the cap, get random numbers "
        "together, in proportion to the largest establishment; the count is their sum. They are "
        "zero on average, mostly small, and seldom large.",
    )
    claims: ClassVar[Claims] = {"pay": (StrongAlpha(),), "worker_pay": (StrongAlpha(),)}
    body: ClassVar[Body] = CENTRED
