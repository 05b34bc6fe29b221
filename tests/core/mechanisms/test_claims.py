"""Which guarantee each mechanism claims for which table, and what follows from it."""

from fractions import Fraction

import pytest

from leeward import Guarantee, NotCovered
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.calibrated import Claims, claim
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.privacy import ProportionalAlpha, StrongAlpha
from tests.core.mechanisms.built import additive, clipped, vector_pareto

ORDER = ["strong", "weak", "worker", "establishment", "proportional"]

BUILT: dict[str, Additive | Clipped] = {
    "slope": additive("slope"),
    "staircase": additive("staircase"),
    "log_laplace": additive("log_laplace"),
    "smooth_gamma": additive("smooth_gamma"),
    "smooth_laplace": additive("smooth_laplace"),
    "vector_pareto": vector_pareto(alpha="0.1", epsilon=1, cells=3),
    "radial_slope": additive("radial_slope", cells=3),
    "clipped": clipped(alpha="0.1", epsilon=1, cells=3),
    "clipped gaussian": clipped(
        alpha="0.1", epsilon=1, cells=3, noise="gaussian", delta="0.000001"
    ),
    "edge_laplace": additive("edge_laplace"),
    "node_laplace": additive("node_laplace"),
    "scale": additive("scale"),
}

# The policies covered on a workplace table and on a worker table; all others are refused.
COVERED = {
    "slope": ("strong weak worker proportional", "weak worker"),
    "staircase": ("strong weak worker proportional", "weak worker"),
    "log_laplace": ("strong weak worker proportional", "weak worker"),
    "smooth_gamma": ("strong weak worker proportional", "weak worker"),
    "smooth_laplace": ("strong weak worker proportional", "weak worker"),
    "vector_pareto": ("strong weak worker proportional", "strong weak worker proportional"),
    "radial_slope": ("strong weak worker proportional", "strong weak worker proportional"),
    "clipped": ("strong weak worker proportional", "strong weak worker proportional"),
    "clipped gaussian": ("strong weak worker proportional", "strong weak worker proportional"),
    "edge_laplace": ("worker", "worker"),
    "node_laplace": ("establishment", "establishment"),
    "scale": ("strong weak worker proportional", "strong weak worker proportional"),
}


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("table", ["workplace", "worker"])
def test_exactly_what_is_proved_is_claimed(name: str, table: str) -> None:
    covered = COVERED[name][table == "worker"].split()
    for policy in covered:
        assert BUILT[name].guarantee(policy, table=table).policy.name == policy
    for policy in set(ORDER) - set(covered):
        with pytest.raises(NotCovered, match=f"on a {table} table is proved for"):
            BUILT[name].guarantee(policy, table=table)


@pytest.mark.parametrize("name", [n for n in BUILT if COVERED[n][0].startswith("strong")])
def test_the_strong_guarantee_implies_the_others(name: str) -> None:
    strong, weak, worker = (BUILT[name].guarantee(p, table="workplace") for p in ORDER[:3])
    assert strong.implies(weak)
    assert weak.implies(worker)
    assert not weak.implies(strong)
    assert strong.alpha == Fraction(1, 10)


@pytest.mark.parametrize("name", BUILT)
def test_the_price_is_what_was_asked_for(name: str) -> None:
    built = BUILT[name]
    price = built.guarantee(COVERED[name][0].split()[0], table="workplace")
    if name == "clipped gaussian":
        assert price.to_approximate("0.000001").epsilon <= 1
    else:
        assert price.epsilon == 1
        assert price.rho == 0
        assert price.delta == (Fraction(1, 100) if name == "smooth_laplace" else 0)


def test_several_cells_are_a_worker_table() -> None:
    built = additive("slope", epsilon=8, cells=8)
    with pytest.raises(NotCovered):
        built.guarantee("strong")
    assert built.guarantee("weak") == Guarantee("weak", "0.1", 8, epsilon_job=1)  # a job is in one
    assert additive("slope").guarantee("strong") == Guarantee("strong", "0.1", 1)


PAID: Claims = {
    "pay": (StrongAlpha(), ProportionalAlpha()),
    "worker_pay": (ProportionalAlpha(),),
    "workplace": (StrongAlpha(),),
}


STRONG = Guarantee("strong", "0.1", 1, plus=2)


def claimed(table: str, policy: str) -> Guarantee:
    return claim("toy", PAID, STRONG, policy, table)


def test_tables_of_pay_claim_what_is_proved_of_them_by_name() -> None:
    assert claimed("pay", "proportional") == Guarantee("proportional", "0.1", 1, plus=2)
    assert claimed("pay", "worker") == Guarantee("worker", None, 1)
    assert claimed("worker_pay", "worker") == Guarantee("worker", None, 1)
    # On counts that read no pay a strong step is all that is seen.
    assert claimed("workplace", "proportional") == Guarantee("proportional", "0.1", 1, plus=2)
    with pytest.raises(NotCovered, match=r"for 'proportional' only; got 'strong'\. Use pay_"):
        claimed("worker_pay", "strong")
    with pytest.raises(NotCovered, match=r"got 'weak'\. Plan tables of pay under strong, prop"):
        claimed("pay", "weak")


def test_a_strong_proof_on_a_table_of_pay_is_no_proportional_one() -> None:
    """On counts it is: a raise of all is not seen there, and in a payroll it is."""
    with pytest.raises(NotCovered, match=r"proved for 'strong' only; got 'proportional'"):
        claim("toy", {"pay": (StrongAlpha(),)}, STRONG, "proportional", "pay")
