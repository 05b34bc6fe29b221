"""Questions of jobs: the pairs that exams take, and claims that are too small are rejected."""

from fractions import Fraction

import pytest

from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.pay_pareto import PayPareto
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.privacy.policy import StrongAlpha, WorkerOnly
from leeward.lab.audit.audit_line import QUICK_GRID
from leeward.lab.audit.job_lines import JOB_CONTROLS, JOB_LINES, JOB_TABLES
from leeward.lab.audit.job_relation import ALL_JOBS, DOUBLED, GROWN, ONE_JOB, MoreJobs
from leeward.lab.audit.neighbours import QUICK, DatabasePair, block_pairs, pairs
from leeward.lab.audit.paid_neighbours import paid_pairs

ALPHA = Fraction(1, 10)
FIVE = Parameters(ALPHA, Fraction(4), least=Fraction(83, 20))


def grown(pair: DatabasePair) -> int:
    return sum(pair.after.sizes) - sum(pair.before.sizes)


def test_one_job_is_a_step_of_every_policy_around_the_floor() -> None:
    relation = MoreJobs.of(ONE_JOB, FIVE)
    found = [
        *pairs(relation, ALPHA, QUICK),
        *block_pairs(relation, ALPHA, (2, 3), QUICK, 100),
        *paid_pairs(relation, ALPHA, 30, 2, QUICK),
    ]
    for pair in found:
        assert WorkerOnly().admits(pair.before, pair.after)
        assert StrongAlpha().admits(pair.before, pair.after, ALPHA)
    sizes = {pair.before.sizes[-1] for pair in found}
    assert {0, 41, 42, 43} <= sizes
    assert {len(pair.before.sizes) for pair in found} == {1, 2}


@pytest.mark.parametrize(
    ("question", "small", "large"), [(GROWN, 420, 462), (DOUBLED, 42, 84), (ALL_JOBS, 0, 126)]
)
def test_two_sizes_are_those_of_one_establishment(question: str, small: int, large: int) -> None:
    relation = MoreJobs.of(question, FIVE)
    for pair in (*pairs(relation, ALPHA, QUICK), *block_pairs(relation, ALPHA, (3,), QUICK, 100)):
        assert (small, large) in zip(pair.before.sizes, pair.after.sizes, strict=True)
        assert grown(pair) == large - small


def test_tables_keep_the_cap_with_their_margins() -> None:
    for line in JOB_TABLES:
        (row,) = line.rows(QUICK_GRID, QUICK)
        assert row.as_expected
        assert row.claim.epsilon <= 1


@pytest.mark.parametrize("control", JOB_CONTROLS, ids=lambda control: control.mechanism)
def test_defects_are_rejected(control: object) -> None:
    assert control.row(QUICK).verdict == "rejected"  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [Slope, Scale, Clipped, JointPareto, PayPareto])
def test_a_claim_a_tenth_too_small_is_rejected(
    monkeypatch: pytest.MonkeyPatch, kind: type[Slope]
) -> None:
    genuine = kind.one_job

    def less(self: Slope) -> tuple[Fraction, Fraction]:
        epsilon, rho = genuine(self)
        return epsilon * Fraction(9, 10), rho * Fraction(9, 10)

    lines = [line for line in JOB_LINES if line.mechanism == kind.name and not line.deep]
    monkeypatch.setattr(kind, "one_job", less)
    monkeypatch.setattr(kind, "loss", lambda self, *_: less(self)[0] * 10**6)
    rows = [row for line in lines for row in line.rows(QUICK_GRID, QUICK)]
    assert "rejected" in [row.verdict for row in rows]
