"""Choice: `auto` takes the smallest predicted error, from public numbers, within the share."""

import inspect
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import TYPICAL, SizeProfile
from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.mechanisms import choice, registry, table_measurement
from leeward.core.mechanisms.choice import choose
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins, SpentMargins
from leeward.core.mechanisms.parameters import AUTO, Share
from leeward.core.mechanisms.registry import CANDIDATES, IN_PLANS, candidates
from leeward.core.mechanisms.table_measurement import measurement, named, smallest_epsilon
from leeward.core.privacy import Guarantee
from tests.publishing.plans import STRONG, WEAK, WORKER, planned

TENTH = Fraction(1, 10)
PLACE = "{name: a, by: [place, sector]}"
SEX = "{name: a, by: [place, sex]}"
WIDE = "{name: a, by: [place, sex, education, contract]}"


def marginal(folder: Path, table: str) -> Marginal:
    return planned(folder, table, protect=WORKER).tables[0].marginal


def test_nothing_but_public_inputs_goes_into_the_choice() -> None:
    assert list(inspect.signature(choose).parameters) == ["marginal", "asked", "margins", "profile"]
    source = "".join(map(inspect.getsource, (choice, registry, table_measurement)))
    assert "Confidential" not in source
    assert "engines" not in source


@pytest.mark.parametrize("table", [PLACE, SEX, WIDE])
@pytest.mark.parametrize("protect", [STRONG, WEAK, WORKER])
def test_the_chosen_mechanism_is_proved_for_the_policy_and_costs_its_share(
    tmp_path: Path, table: str, protect: str
) -> None:
    plan = planned(tmp_path, table, protect=protect)
    (made,) = plan.tables
    assert made.measurement.name in CANDIDATES[plan.asked.policy.name, made.marginal.kind]
    assert made.charge == plan.asked
    assert made.charge == plan.charge
    assert plan.tables[0].why


def test_the_chosen_error_is_the_smallest(tmp_path: Path) -> None:
    for table in (PLACE, SEX, WIDE):
        made = marginal(tmp_path, table)
        asked = Guarantee("strong", "0.1", "2")
        chosen, _ = choose(made, asked, TENTH, TYPICAL)
        for name in candidates(made, asked, TENTH):
            other = measurement(name, made, asked, TENTH)
            theirs, ours = (
                TYPICAL.mean(tuple(one.expected_error(size) for size in TYPICAL.largest))
                for one in (other, chosen)
            )
            assert ours is not None
            assert theirs is None or ours <= theirs


def test_the_choice_follows_the_size_profile(tmp_path: Path) -> None:
    made = marginal(tmp_path, PLACE)
    asked = Guarantee("strong", "0.1", "3/2")
    for sizes in ((1,), (5000,)):
        profile = SizeProfile(sizes, (1,), given=True)
        chosen, _ = choose(made, asked, None, profile)
        errors = {
            name: measurement(name, made, asked, None).expected_error(sizes[0])
            for name in candidates(made, asked, None)
        }
        assert errors[chosen.name] == min(value for value in errors.values() if value is not None)


@pytest.mark.parametrize(
    ("alpha", "epsilon", "name"),
    [
        ("0.01", "0.8", "staircase"),
        ("0.1", "1.3", "slope"),
        ("0.1", "1.5", "staircase"),
        ("0.5", "2.3", "slope"),
        ("0.5", "2.5", "staircase"),
    ],
)
def test_the_staircase_is_taken_where_the_tables_say_it_is_better(
    tmp_path: Path, alpha: str, epsilon: str, name: str
) -> None:
    # mathematics/slope.md 5: from ε = 0.7, 1.4, 2.4 on at α = 0.01, 0.1, 0.5, for large cells.
    asked = Guarantee("strong", alpha, epsilon)
    chosen, _ = choose(marginal(tmp_path, PLACE), asked, None, SizeProfile((10**6,), (1,)))
    assert chosen.name == name


@pytest.mark.parametrize("name", ["slope", "staircase"])
def test_some_are_compared_on_weak_worker_tables_without_margins_only(
    tmp_path: Path, name: str
) -> None:
    made = marginal(tmp_path, SEX)
    weak, strong = Guarantee("weak", "0.1", "4"), Guarantee("strong", "0.1", "4")
    assert name in candidates(made, weak, None)
    assert name not in candidates(made, weak, TENTH)
    assert name not in candidates(made, strong, None)


def test_a_weak_worker_table_noises_each_cell_by_itself_under_slope(tmp_path: Path) -> None:
    made = marginal(tmp_path, SEX)
    weak = Guarantee("weak", "0.1", "4")
    assert measurement("slope", made, weak, None).by_cell
    assert not measurement("vector_pareto", made, weak, None).by_cell
    spent = measurement("slope", made, weak, TENTH)
    assert isinstance(spent.margins, SpentMargins)
    assert spent.margins.epsilon == weak.epsilon * TENTH
    each = spent.margins.scale.parameters.epsilon  # every worker cell gets a scale of its own
    assert each * made.worker_cells == spent.margins.epsilon
    assert spent.guarantee("weak", table="worker").epsilon <= weak.epsilon


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("slope", SpentMargins),
        ("vector_pareto", SpentMargins),
        ("smooth_gamma", SpentMargins),
        ("log_laplace", PublicMargins),
    ],
)
def test_margins_are_paid_for_where_the_scale_is_confidential(
    tmp_path: Path, name: str, rule: type
) -> None:
    made = marginal(tmp_path, PLACE)
    asked = Guarantee("strong", "0.1", "4")
    assert isinstance(measurement(name, made, asked, TENTH).margins, rule)
    assert isinstance(measurement(name, made, asked, None).margins, NoMargins)


@given(
    epsilon=st.fractions(Fraction(1, 2), Fraction(12), max_denominator=50),
    share=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
)
@settings(max_examples=15, deadline=None)
def test_a_table_never_costs_more_than_its_share(
    tmp_path_factory: pytest.TempPathFactory, epsilon: Fraction, share: Fraction
) -> None:
    folder = tmp_path_factory.mktemp("plan")
    for table, names in ((PLACE, ("slope", "vector_pareto")), (SEX, ("vector_pareto", "clipped"))):
        made = marginal(folder, table)
        asked = Guarantee("strong", "0.1", epsilon)
        for name in names:
            try:
                found = measurement(name, made, asked, share)
            except (InvalidParameter, NotCovered):
                continue
            charge = found.guarantee("strong", table=made.kind)
            assert charge.epsilon <= epsilon
            assert charge.delta == charge.rho == 0


def test_the_smallest_epsilon_is_smallest_to_its_last_digit(tmp_path: Path) -> None:
    asked = Guarantee("strong", "0.1", "0.01")
    for table, name in ((PLACE, "slope"), (SEX, "vector_pareto"), (PLACE, "smooth_gamma")):
        made = marginal(tmp_path, table)
        least = smallest_epsilon(name, made, asked, TENTH)
        assert least is not None
        measurement(name, made, Guarantee("strong", "0.1", least), TENTH)
        below = Fraction(least) - Fraction(1, 500)
        with pytest.raises(InvalidParameter):
            measurement(name, made, Guarantee("strong", "0.1", below), TENTH)


def test_every_mechanism_that_may_be_named_is_taken_or_refused_in_words(tmp_path: Path) -> None:
    told = set()
    for table in (PLACE, SEX):
        made = marginal(tmp_path, table)
        for policy in ("strong", "weak", "worker", "establishment"):
            alpha = "0.1" if policy in ("strong", "weak") else None
            asked = Guarantee(policy, alpha, "4", "1e-6")
            for name in IN_PLANS:
                try:
                    found = named(name, made, asked, TENTH)
                except (InvalidParameter, NotCovered) as refusal:
                    told.add(refusal.parameter)
                else:
                    charge = found.guarantee(asked.policy, table=made.kind)
                    assert charge.policy == asked.policy
                    assert charge.epsilon <= asked.epsilon
                    assert charge.delta <= asked.delta
    assert told <= {"mechanism", "policy", "delta", "epsilon"}


def test_the_reasons_name_what_was_compared(tmp_path: Path) -> None:
    why = planned(tmp_path, SEX).tables[0].why
    assert why.startswith("smallest predicted error; ")
    figure = r"\(noise, and the most that clipping takes from 8 establishments of a cell\)"
    assert re.search(rf"clipped would have [0-9.]+ times the error {figure}$", why)
    assert planned(tmp_path, SEX, protect=WORKER).tables[0].why == (
        "the one mechanism for a worker-policy table of this kind"
    )
    little = planned(tmp_path, SEX, protect="{policy: strong, alpha: 0.1, epsilon: 0.15}")
    assert little.tables[0].measurement.name == "clipped"
    assert little.tables[0].why.endswith(
        " of a cell); radial_slope needs more epsilon, vector_pareto needs more epsilon"
    )


@pytest.mark.parametrize(
    ("mechanism", "alpha", "epsilon", "share"),
    [
        ("slope", "0.01", "1", "1/20"),
        ("slope", "0.1", "4", "1/10"),
        ("slope", "0.1", "1", "3/20"),
        ("slope", "0.1", "0.5", "0"),
        ("vector_pareto", "0.1", "4", "1/10"),
        ("log_laplace", "0.1", "4", "0"),
    ],
)
def test_the_share_for_margins_follows_what_it_buys(
    tmp_path: Path, mechanism: str, alpha: str, epsilon: str, share: str
) -> None:
    """At the next smaller and the next larger share margins are wider, or the error is too large.

    Measured for slope in units of S at 1/20, 1/10, 3/20: 2.56, 2.60, 2.74; 0.77, 0.69, 0.70; 18.7,
    5.5, 4.2.
    """
    made = measurement(mechanism, marginal(tmp_path, PLACE), *wanted(alpha, epsilon))
    assert made.margins.epsilon == Fraction(share) * Fraction(epsilon)
    assert made.guarantee("strong", table="workplace").epsilon == Fraction(epsilon)
    assert made.margins.coverage == Fraction(9, 10)


def wanted(alpha: str, epsilon: str) -> tuple[Guarantee, Share]:
    return Guarantee("strong", alpha, epsilon), AUTO


def test_a_share_that_does_is_named_where_none_is_worth_having(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="Give margins at least 1/5") as refusal:
        named("vector_pareto", marginal(tmp_path, SEX), *wanted("0.1", "0.5"))
    assert refusal.value.parameter == "margins"
