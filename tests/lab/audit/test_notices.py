"""The auditor would notice: every line has a twin with less noise, which it must reject.

That the same lines with their own noise are confirmed is in `test_table.py`, on more neighbours.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, cast

import numpy as np
import pytest
from flint import arb
from numpy.typing import ArrayLike, NDArray

from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.log_pair import LogPair
from leeward.core.mechanisms.node_laplace import NodeLaplace
from leeward.core.mechanisms.slope import Slope
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.scales import Integers
from leeward.core.privacy import Guarantee
from leeward.lab.audit.audit_line import ALPHA, EPSILON, AuditLine, Control
from leeward.lab.audit.clipped_exam import examine_clipped, examine_gaussian
from leeward.lab.audit.exams import examine_kept, scalar, workplace_view
from leeward.lab.audit.independence import BETWEEN_CELLS
from leeward.lab.audit.job_relation import JOB_QUESTIONS
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.loss import NONE, PrivacyLoss, worst, zcdp_loss
from leeward.lab.audit.neighbours import QUICK, Depth, pairs
from leeward.lab.audit.pay_exam import RAISES
from leeward.lab.audit.released_code import RELEASED_CODE
from leeward.lab.audit.row import CONFIRMED, REJECTED, UNDECIDED, Claim, Row
from leeward.lab.audit.twins import STRONG, DataSplit, sound, twin

SHALLOW, TO_THETA = Depth(small=2, scatter=0), Depth(small=8, scatter=0)
TENTH = Fraction(9, 10)
CLAIM = Claim("any", "tight", "strong", ALPHA, EPSILON)

# Where a line does not use all of its promise, a tenth less noise still keeps it.
ROOM = {
    ("log_laplace", "published", "strong"): Fraction(4, 9),
    ("smooth_gamma", "published", "strong"): Fraction(1, 8),
    ("smooth_gamma", "tight", "strong"): Fraction(6, 10),
    ("smooth_gamma", "tight", "weak"): Fraction(6, 10),
    ("smooth_laplace", "published", "strong"): Fraction(5, 9),
    ("clipped", "tight", "weak"): Fraction(1, 2),
}
RAISED = {
    ("pay_pareto", "tight", "strong"): Fraction(1, 2),
    ("pay_clipped", "tight", "strong"): Fraction(1, 3),
}
"""The same for raises, which are a part of what these two mechanisms cover."""


def told_apart(line: AuditLine) -> tuple[tuple[str, Any], ...]:
    """The options of a line; lines of pay that differ in Δ alone are one case."""
    pay = "cap" in dict(line.options)
    return tuple(one for one in line.options if not (pay and one[0] == "plus"))


DIFFERENT = {
    (line.mechanism, line.calibration, name, told_apart(line), line.examine, line.detail): line
    for line in reversed(LINES)
    if isinstance(line, AuditLine)
    for name in line.policies
    if name not in JOB_QUESTIONS  # test_job_relation has smaller claims in place of less noise
    if line.detail not in (RELEASED_CODE, BETWEEN_CELLS)  # draws do not show a tenth less
}
"""Lines that differ in their α and ε alone are one case."""

CASES = [
    pytest.param(line, key[2], id=f"{line.mechanism}-{line.calibration}-{key[2]}-{dict(key[3])}")
    for key, line in reversed(DIFFERENT.items())
]


def promised_by(line: AuditLine) -> Fraction:
    """ε of a line: 1, or its own where a product's dimension costs more."""
    return Fraction(line.at[0][1]) if line.mechanism.startswith("joint") and line.at else EPSILON


def built(line: AuditLine, epsilon: Fraction, delta: Fraction) -> Mechanism:
    options = dict(line.options) | {"delta": delta, "calibration": line.calibration}
    return mechanism(line.mechanism, alpha="0.1", epsilon=epsilon, **cast(Any, options))


def genuine_of(line: AuditLine) -> Mechanism:
    stated = line.delta(ALPHA, EPSILON) if line.delta else dict(line.options).get("delta", 0)
    return built(line, promised_by(line), Fraction(str(stated)))


def spoilt(line: AuditLine, genuine: Mechanism, cut: Fraction) -> Mechanism:
    """Made for a larger ε, while it promises the smaller one."""
    noisier = built(line, promised_by(line) / cut, genuine.parameters.delta)
    if isinstance(noisier, (Clipped, LogPair)):  # their noise follows from their parameters
        return noisier
    twin: Mechanism = replace(cast(Any, noisier), parameters=genuine.parameters)
    return twin


def examined(line: AuditLine, name: str, candidate: Mechanism, promised: Guarantee) -> Row:
    depth = TO_THETA if line.mechanism == "node_laplace" else SHALLOW
    loss = (promised_by(line), promised.delta, promised.rho)
    claim = Claim(line.mechanism, line.calibration, name, ALPHA, *loss)
    return Row(claim, line.examine(candidate, name, depth))


@pytest.mark.parametrize(("line", "name"), CASES)
def test_a_twin_with_less_noise_is_rejected(line: AuditLine, name: str) -> None:
    genuine = genuine_of(line)
    promised = genuine.guarantee(name)
    room = RAISED if line.detail == RAISES else ROOM
    cut = room.get((line.mechanism, line.calibration, name), TENTH)
    row = examined(line, name, spoilt(line, genuine, cut), promised)
    assert row.verdict == REJECTED
    assert not row.as_expected
    assert not row.tight
    assert row.reading.startswith("BREAKS")


class Floorless(Clipping):
    """θ follows the noisy maximum down to nothing."""

    @property
    def least(self) -> Fraction:
        return Fraction(1, 1000)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("cells", [1, 2, 8])
def test_clipping_without_a_floor_is_rejected(cells: int, noise: str) -> None:
    options: dict[str, Any] = {"cells": cells, "noise": noise}
    genuine = sound(Clipped, delta="1e-6" if noise == "gaussian" else 0, **options)
    twin = replace(genuine, clipping=Floorless(ALPHA, cells))
    examine = examine_gaussian if noise == "gaussian" else examine_clipped
    row = Row(replace(CLAIM, rho=genuine.rho), examine(twin, "strong", QUICK))
    assert row.verdict == REJECTED, row


class KeepsAll(NodeLaplace):
    """Establishments above θ are counted too."""

    def keeps(self, sizes: ArrayLike) -> NDArray[np.bool_]:
        return np.ones_like(sizes, dtype=np.bool_)


def test_counting_what_should_be_dropped_is_rejected() -> None:
    genuine = sound(NodeLaplace, theta=8)
    twin = KeepsAll(genuine.parameters, genuine.law, genuine.theta)
    for candidate, verdict in ((genuine, CONFIRMED), (twin, REJECTED)):
        assert Row(CLAIM, examine_kept(candidate, "establishment", QUICK)).verdict == verdict


def sound_slope(_: Depth) -> PrivacyLoss:
    slope = sound(Slope)
    return scalar(workplace_view(slope), pairs(STRONG, ALPHA, SHALLOW), EPSILON)


def test_a_control_without_a_defect_is_not_as_expected() -> None:
    row = Control("nothing at all", "slope", sound_slope).row(SHALLOW)
    assert row.verdict == CONFIRMED
    assert not row.as_expected
    assert row.reading == "nothing at all: NOT DETECTED"


def test_a_mechanism_that_breaks_its_promise_is_not_as_expected() -> None:
    row = Row(CLAIM, PrivacyLoss(arb(2), arb(1), arb("nan")))
    assert row.verdict == REJECTED
    assert not row.as_expected
    assert row.reading == "BREAKS its promise: 2.00 ε"


def test_a_broken_rho_is_shown_in_rho() -> None:
    claim = replace(CLAIM, rho=Fraction(1, 2), delta=Fraction(1, 10**6))
    for rho, shown in ((arb("0.6"), "1.20 ρ"), (arb("inf"), "tells neighbours apart for sure")):
        row = Row(claim, zcdp_loss(rho, claim.delta))
        assert row.verdict == REJECTED
        assert row.reading == f"BREAKS its promise: {shown}"


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_split_that_depends_on_the_data_is_rejected(noise: str) -> None:
    delta = "1e-6" if noise == "gaussian" else 0
    genuine = sound(Clipped, cells=2, noise=noise, delta=delta)
    examine = examine_gaussian if noise == "gaussian" else examine_clipped
    row = Row(replace(CLAIM, rho=genuine.rho), examine(twin(DataSplit, genuine), "strong", QUICK))
    assert row.verdict == REJECTED
    assert row.ratio == inf


class OwnBound(Clipped):
    """θ follows the true maximum, not the noisy one."""

    def _maximum(self, largest: Integers, noise: Noise) -> Integers:
        super()._maximum(largest, noise)
        return self.clipping.grid.index(largest)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_bound_that_follows_the_data_is_rejected(noise: str) -> None:
    delta = "1e-6" if noise == "gaussian" else 0
    genuine = sound(Clipped, noise=noise, delta=delta)
    examine = examine_gaussian if noise == "gaussian" else examine_clipped
    row = Row(replace(CLAIM, rho=genuine.rho), examine(twin(OwnBound, genuine), "strong", SHALLOW))
    assert row.verdict == REJECTED


def test_a_fault_is_shown_in_words() -> None:
    unknown = PrivacyLoss(arb("nan"), arb("nan"), arb("nan"), fault="releases other counts")
    row = Row(CLAIM, unknown)
    assert row.verdict == REJECTED
    assert row.reading == "BREAKS its promise: releases other counts"
    assert row.as_json()["epsilon_computed"] is None
    assert Row(replace(CLAIM, control="a twin"), unknown).reading == "a twin: releases other counts"


def test_a_sampled_bound_confirms_or_rejects_and_is_never_tight() -> None:
    """Also where δ or ρ is claimed: δ is allowed for in the bound."""
    for claim in (CLAIM, replace(CLAIM, delta=Fraction(1, 10)), replace(CLAIM, rho=Fraction(1, 9))):
        below, above = (
            Row(claim, PrivacyLoss(arb(seen), arb(0), arb("nan"), draws=9))
            for seen in ("0.99", "1.01")
        )
        assert (below.verdict, above.verdict) == (CONFIRMED, REJECTED)
        assert below.sampled
        assert not below.tight
        assert below.reading == "runs as defined; sampled"
        assert above.reading == "BREAKS its promise: more than ε, sampled"


def test_a_broken_delta_is_shown_in_delta() -> None:
    claim = replace(CLAIM, delta=Fraction(1, 100))
    row = Row(claim, PrivacyLoss(arb("inf"), arb("inf"), arb("0.02")))
    assert row.verdict == REJECTED
    assert row.reading == "BREAKS its promise: δ 0.02, 0.01 claimed"


@pytest.mark.parametrize(
    "worse", [PrivacyLoss(arb(2), arb(0), arb(0)), PrivacyLoss(arb(0), arb(2), arb(0))]
)
def test_either_direction_counts(worse: PrivacyLoss) -> None:
    assert Row(CLAIM, worst([NONE, worse, NONE])).verdict == REJECTED


def test_a_bound_above_the_promise_leaves_it_undecided() -> None:
    loss = PrivacyLoss(arb("0.9"), arb(0), arb(0), bound=arb("1.1"))
    assert Row(CLAIM, loss).verdict == UNDECIDED
    assert not Row(CLAIM, loss).as_expected
    assert Row(CLAIM, replace(loss, bound=arb("0.95"))).verdict == CONFIRMED


def test_a_loss_that_is_not_a_number_leaves_it_undecided() -> None:
    unknown = PrivacyLoss(arb("nan"), arb(0), arb("nan"))
    for loss in (worst([NONE, unknown]), worst([unknown, NONE])):
        row = Row(CLAIM, loss)
        assert row.verdict == UNDECIDED
        assert not row.as_expected
        assert row.as_json()["epsilon_computed"] is None


def test_examining_nothing_confirms_nothing() -> None:
    with pytest.raises(ValueError, match="no neighbours"):
        worst([])


def test_too_wide_a_ball_leaves_it_undecided() -> None:
    assert Row(CLAIM, PrivacyLoss(arb(1, 0.1), arb(0), arb(0))).verdict == UNDECIDED
