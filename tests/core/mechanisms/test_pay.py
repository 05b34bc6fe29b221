"""Mechanisms of pay: constants, errors as drawn, intervals that cover, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from leeward import mechanism
from leeward.core.codebook import Cells, Entries
from leeward.core.codebook.cells import EMPTY
from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.mechanisms.calibrated import MarginRule
from leeward.core.mechanisms.edge_pay import EdgePay, mean_reaches
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.measurement import Needs
from leeward.core.mechanisms.pay import Pairs, PayMechanism
from leeward.core.mechanisms.pay_margins import RATIOS, mean_interval, pay_margins
from leeward.core.mechanisms.pay_table import means, published_pay
from leeward.core.noise.noise_source import secret
from leeward.core.noise.scales import BOUND
from leeward.core.noise.tabulated import Floats

CAP = 1_500_000
PAIRS = ("pay_pareto", "pay_centred", "pay_two_scales", "pay_clipped", "log_pair", "edge_pay")
PAYROLLS = ("payroll_pareto", "payroll_slope")
EVERY = [(name, statistic) for name in PAIRS for statistic in ("payroll", "mean")]
EVERY += [(name, "payroll") for name in PAYROLLS]


def made(name: str, statistic: str = "mean", **given: object) -> PayMechanism:
    wanted: dict[str, object] = {"alpha": "0.1", "epsilon": 2, "cap": CAP, **given}
    built = mechanism(name, statistic=statistic, **wanted)  # type: ignore[arg-type] # any option
    assert isinstance(built, PayMechanism)
    return built


def equal_cells(copies: int, small: int = 450_000, large: int = 200_000) -> tuple[Cells, Entries]:
    """Workplace cells of two establishments, and the pay of a job in each of them."""
    sizes, pay = np.array([60, 40]), np.array([60 * large, 40 * small])
    one = np.ones(copies, dtype=np.int64)
    cells = Cells(
        (one * sizes.sum())[:, None],
        one * 60,
        payroll=(one * pay.sum())[:, None],
        largest_payroll=one * pay.max(),
    )
    rows = np.arange(2 * copies)
    entries = Entries(
        counts=np.tile(sizes, copies),
        cell=np.zeros(2 * copies, dtype=np.int64),
        row=rows,
        sizes=np.tile(sizes, copies),
        workplace=rows // 2,
        shape=(copies, 1),
        payroll=np.tile(pay, copies),
        payrolls=np.tile(pay, copies),
        in_frame=one * 8,
    )
    return cells, entries


def rule_of(built: PayMechanism) -> MarginRule:
    return PublicMargins() if built.free_margins else pay_margins(built, Fraction(1, 5))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("pay_pareto", ((6.54, 6.54), (1.91, 1.91), (0.741, 0.741), (0.342, 0.342))),
        ("pay_two_scales", ((7.35, 7.35), (1.96, 1.96), (0.776, 0.776), (0.351, 0.351))),
        ("pay_centred", ((7.36, 4.91), (2.15, 1.43), (0.833, 0.555), (0.384, 0.256))),
    ],
)
def test_errors_at_whole_k_are_at_most_five_percent_above_the_table(
    name: str, printed: tuple[tuple[float, float], ...]
) -> None:
    """mathematics/pay.md 9, E|error| of count and payroll in their scales; k there is real."""
    one = Cells(np.array([[10**6]]), np.array([10**6]), payroll=np.array([[0]]),
                largest_payroll=np.array([10**6 * CAP]))  # fmt: skip
    for epsilon, (count, payroll) in zip(("1/2", "1", "2", "4"), printed, strict=True):
        built = made(name, epsilon=epsilon)
        errors = built.error(one, 1, 0), built.error(one, 0, 1)
        assert errors[0] is not None
        assert errors[1] is not None
        seen = errors[0][0] / 10**5, errors[1][0] / (10**5 * CAP)
        for mine, theirs in zip(seen, (count, payroll), strict=True):
            assert theirs * 0.998 < mine < theirs * 1.05


def contrasts(built: PayMechanism, copies: int) -> Floats:
    """|P̃ − mñ|, the numerator of a mean's error, where all are paid m: clipping leaves it alone."""
    cells, entries = equal_cells(copies, small=300_000, large=300_000)
    columns = entries if built.needs is Needs.ENTRIES else cells
    pairs, _ = built._measured(columns, secret())
    return np.abs(pairs.payroll - 300_000.0 * pairs.jobs)[:, 0]


@pytest.mark.parametrize(("name", "statistic"), EVERY)
def test_drawn_errors_and_intervals_agree_with_the_formulas(name: str, statistic: str) -> None:
    copies = 6000
    cells, entries = equal_cells(copies)
    built = made(name, statistic)
    table = built.measurement(by_cell=False, margins=rule_of(built))
    found = table.measure(entries if table.needs is Needs.ENTRIES else cells)
    total = 60 * 200_000 + 40 * 450_000
    true = total if statistic == "payroll" else total // 100
    if statistic == "payroll":
        error, expected = np.abs(found.values[:, 0] - true), built.error(cells, 0, 1)
        # What clipping takes from a payroll is no part of the formula, which is of the noise.
        room = 0.15 if name == "pay_clipped" else 0
    else:
        error, expected, room = contrasts(built, copies), built.error(cells, -true, 1), 0
    assert expected is not None
    band = 6 * error.std() / error.mean() / copies**0.5
    assert abs(error.mean() / expected[0] - 1) < room + band
    low, high = found.margins["low"][:, 0], found.margins["high"][:, 0]
    shown = low != EMPTY
    covered = ((low <= true) & (true <= high))[shown].mean()
    assert shown.mean() > 0.9
    assert covered > 0.9 - 4 * (0.09 / copies) ** 0.5
    assert ("count" in found.margins) == (name in PAIRS)


@pytest.mark.parametrize("name", ["pay_pareto", "pay_centred", "pay_two_scales"])
def test_intervals_cover_where_the_scale_is_its_least(name: str) -> None:
    """S = Δ = 3 jobs: rounding and the least scale matter most."""
    copies = 6000
    one = np.ones(copies, dtype=np.int64)
    cells = Cells(
        (one * 9)[:, None], one * 4, payroll=(one * 9 * 12)[:, None], largest_payroll=one * 60
    )
    built = made(name, plus=3, cap=40, epsilon=4)
    rule = pay_margins(built, Fraction(1, 2))
    found = built.measurement(by_cell=False, margins=rule).measure(cells)
    low, high = found.margins["low"][:, 0], found.margins["high"][:, 0]
    shown = low != EMPTY
    assert ((low <= 12) & (high >= 12))[shown].mean() > 0.9 - 4 * (0.09 / copies) ** 0.5


@pytest.mark.parametrize("pay", [1, 13, 39])
def test_intervals_of_edge_pay_cover_and_are_those_of_each_mean(pay: int) -> None:
    """In cells of nine jobs, where rounding matters most: inside Fieller's set for each mean."""
    copies = 6000
    one = np.ones(copies, dtype=np.int64)
    built = made("edge_pay", cap=40, epsilon=3)
    assert isinstance(built, EdgePay)
    pairs, (low, high) = built._measured(
        Cells((one * 9)[:, None], one * 9, payroll=(one * 9 * pay)[:, None]), secret()
    )
    held = (low <= pay) & (pay <= high)
    assert held.mean() > 0.9 - 4 * (0.09 / copies) ** 0.5
    grid = np.linspace(0, 40, 161)
    reached = 40 * float(built.spread) * np.interp(grid / 40, RATIOS, mean_reaches(built.body))
    apart = np.abs(pairs.payroll - grid * pairs.jobs) - 0.5 * (1 + grid)
    inside, within = apart <= 0.999 * reached, (grid >= low) & (grid <= high)
    assert (within | ~inside).all()
    # As narrow as it is said to be: in the middle a quarter is gained on the widest noise.
    some = pairs.jobs[:, 0] > 0
    widest = mean_interval(pairs, 0 * low, 0 * low + 40 * float(built.spread) * np.log(10))
    kept = np.median((high - low)[some] / (widest[1] - widest[0])[some])
    assert (kept < 0.85) == (pay == 13)


def test_a_smaller_factor_would_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of a payroll is no wider than it must be: two thirds of it are too little."""
    cells = equal_cells(6000)[0]
    built = made("pay_pareto", "payroll")
    rule = pay_margins(built, Fraction(1, 5))
    factor = rule.factor()
    monkeypatch.setattr(type(rule), "factor", lambda _: factor * 2 / 3)
    found = built.measurement(by_cell=False, margins=rule).measure(cells)
    true = 60 * 200_000 + 40 * 450_000
    low, high = found.margins["low"][:, 0], found.margins["high"][:, 0]
    assert ((low <= true) & (true <= high)).mean() < 0.87


def test_the_interval_of_fieller_by_its_definition() -> None:
    """Every m on a fine grid is inside exactly where the inequality holds."""
    generator = np.random.Generator(np.random.PCG64(5))
    count = generator.integers(1, 400, 60)[:, None]
    payroll = generator.integers(0, 4000, 60)[:, None]
    jobs, pay = generator.uniform(0, 40, (60, 1)), generator.uniform(0, 900, (60, 1))
    low, high = mean_interval(Pairs(count, payroll), jobs, pay)
    grid = np.linspace(0.005, 60, 4000)
    inside = np.abs(payroll - grid * count) <= np.maximum(pay, grid * jobs) + 0.5 * (1 + grid)
    bounded = np.isfinite(high[:, 0])
    assert 10 < bounded.sum() < 60
    within = (grid >= low) & (grid <= high)
    assert np.array_equal(inside[bounded], within[bounded])
    assert inside[~bounded, -1].any()


def test_means_are_clamped_and_absent_below_half_a_job() -> None:
    found = Pairs(np.array([[10, 0, -3, 4, 2]]), np.array([[995, 500, 900, -70, 10**9]]))
    assert means(found, 200).tolist() == [[100, EMPTY, EMPTY, 0, 200]]
    values, margins = published_pay(
        found, (np.full((1, 5), -np.inf), np.full((1, 5), 7.0)), "mean", 200
    )
    assert values.tolist() == [[100, EMPTY, EMPTY, 0, 200]]
    assert margins["low"].tolist() == margins["high"].tolist() == [[EMPTY] * 5]
    assert margins["count"].tolist() == found.jobs.tolist()


REFUSED: dict[str, tuple[str, dict[str, object], str, str]] = {
    "policy: pay_centred on a pay table is proved": ("pay_centred", {}, "proportional", "pay"),
    "policy: pay_two_scales on a pay table is proved": ("pay_two_scales", {}, "strong", "pay"),
    "policy: payroll_slope on a pay table is proved": ("payroll_slope", {}, "strong", "pay"),
    "policy: log_pair on a worker_pay table": ("log_pair", {}, "proportional", "worker_pay"),
    "policy: pay_pareto on a worker_pay table": (
        "pay_pareto", {"cells": 2}, "proportional", "worker_pay"),
    "policy: payroll_pareto on a pay table": (
        "payroll_pareto", {"by_payroll": True}, "strong", "pay"),
    "policy: edge_pay on a worker_pay table is proved for 'worker' only; got 'strong'": (
        "edge_pay", {"cells": 2}, "strong", "worker_pay"),
    "policy: pay_pareto on a pay table is proved for": ("pay_pareto", {}, "weak", "pay"),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_proved_is_refused(message: str) -> None:
    name, given, policy, table = REFUSED[message]
    statistic = "payroll" if name in PAYROLLS else "mean"
    with pytest.raises(NotCovered) as refusal:
        made(name, statistic, **given).guarantee(policy, table=table)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("name", [*PAIRS, *PAYROLLS])
def test_a_mechanism_without_a_public_cap_is_refused(name: str) -> None:
    for cap in (None, 0, "1.5", 10**10 + 1):
        with pytest.raises(InvalidParameter, match="cap: must be the most pay of a job"):
            made(name, "payroll", cap=cap)


@pytest.mark.parametrize("name", PAYROLLS)
def test_payrolls_alone_give_no_mean(name: str) -> None:
    with pytest.raises(NotCovered, match="must release counts for a mean"):
        made(name, "mean")


@pytest.mark.parametrize("name", ["pay_two_scales", "payroll_slope", "log_pair"])
def test_one_pair_a_workplace_cell(name: str) -> None:
    with pytest.raises(NotCovered, match="must be proved for worker cells"):
        made(name, "payroll", cells=2)


def test_intervals_that_say_nothing_are_not_paid_for() -> None:
    with pytest.raises(InvalidParameter, match="margins: must be paid with enough epsilon"):
        pay_margins(made("pay_two_scales"), Fraction(1, 100))


def test_numbers_that_do_not_belong_together_are_a_fault() -> None:
    built = made("pay_pareto")
    for payroll, largest in ((11 * CAP, 10), (5, 0)):
        with pytest.raises(ArithmeticError, match="do not belong together"):
            built.release([10], [payroll], [largest])
    with pytest.raises(ArithmeticError, match="do not belong together"):
        made("pay_clipped").release([[10]], [[11 * CAP]], [10], [0])


def test_a_release_by_hand_has_both_numbers() -> None:
    built = made("pay_pareto", cells=2, cap=40, epsilon=900)
    found = built.release([[500, 4]], [[3500, 9]], [300])
    assert found.shape == (1, 2, 2)
    assert np.abs(found[0, :, 0] - [500, 4]).max() < 30
    clipped = made("pay_clipped", cap=40, epsilon=900)
    released = clipped.release([[60], [40]], [[600], [900]], [60, 40], [0, 0])
    assert released.shape == (1, 1, 2)
    assert abs(released[0, 0, 1] - 1500) < 40
    assert (
        abs(int(made("log_pair", epsilon=900).release([200], [9 * CAP], [9])[0, 0, 0]) - 200) < 30
    )


def test_expected_margins_and_spreads_are_numbers() -> None:
    for name, statistic in EVERY:
        built = made(name, statistic)
        table = built.measurement(by_cell=False, margins=rule_of(built))
        margin, error = table.expected_margin(200), table.expected_error(200)
        assert margin is not None
        assert error is not None
        assert 0 < error < margin < BOUND
        spread = table.spread(200)
        assert spread.low < spread.true < spread.high
        bare = built.measurement(by_cell=False, margins=NoMargins())
        assert bare.expected_margin(200) is None
        assert "low" not in bare.margin_columns
