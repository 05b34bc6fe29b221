"""Contenders on a table whose every establishment is known: closed forms against many draws."""

from fractions import Fraction
from math import log1p, sqrt

import numpy as np
import pytest
from scipy.stats import ks_2samp

from leeward.core.codebook import Attribute, Dimension, Entries, Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.mechanisms.clipped_counts import ClippedCounts
from leeward.core.mechanisms.counts_with_noise import CountsWithNoise
from leeward.core.mechanisms.measurement import Measurement
from leeward.core.mechanisms.node_laplace import SmallEstablishments
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.lab.evaluate.contender import Contender, Price
from leeward.lab.evaluate.experiment import ScoredExperiment
from leeward.lab.evaluate.truth import Truth
from leeward.lab.evaluate.workloads import Workload
from tests.lab.evaluate.by_hand import Site, draw, expected, truth

COPIES = 4000
DRAWS = 4
WIDE = 6.0
"""Standard errors: a right mean is further away once in 10⁸ times."""
FALSE_ALARM = 1e-6

KINDS = (
    (Site(0, (30, 10), 5), Site(0, (3, 1))),
    (Site(1, (200, 0), 300), Site(1, (150, 2))),
    (Site(2, (0, 0), 1),),
)
"""Three kinds of workplace cells, by their establishments."""


def copies(sites: tuple[tuple[Site, ...], ...]) -> Truth:
    """Each kind many times over, so that one draw of the table is many of each cell."""
    kinds = len(sites)
    return truth(
        [
            Site(copy * kinds + kind, one.counts, one.outside)
            for copy in range(COPIES)
            for kind, held in enumerate(sites)
            for one in held
        ]
    )


def only(cell: int, site: Site) -> Site:
    """The same establishment in a table of one worker cell; all else is outside it."""
    inside = site.counts[cell]
    return Site(site.workplace, (inside,), site.size - inside)


BLOCK = copies(KINDS)
COLUMN = copies(
    tuple(tuple(Site(one.workplace, (one.size,)) for one in held) for held in KINDS)
)  # fmt: skip


def price(epsilon: str, alpha: str = "0.1") -> Price:
    return Price(Fraction(alpha), Fraction(epsilon), Fraction(1, 20))


def by_kind(values: Floats | Integers) -> Floats:
    """(draws, kinds, worker cells) of a column of cells, the copies of a kind together."""
    kinds = len(KINDS)
    return np.asarray(values, dtype=np.float64).reshape(COPIES, kinds, -1)


def drawn(made: Measurement, table: Truth) -> Floats:
    """The errors of so many draws."""
    errors = [by_kind(draw(made, table).values - table.counts) for _ in range(DRAWS)]
    return np.concatenate(errors)


def agree(errors: Floats, expected: Floats) -> bool:
    spread = errors.std(axis=0) / sqrt(len(errors)) + 1e-12
    return bool((np.abs(errors.mean(axis=0) - expected) < WIDE * spread).all())


PUBLISHED = [
    (name, calibration)
    for name in ("log_laplace", "smooth_gamma", "smooth_laplace")
    for calibration in ("published", "tight")
]
STRONG = [
    *(Contender(name, "strong", "single", calibration) for name, calibration in PUBLISHED),
    Contender("slope", "strong"),
    Contender("vector_pareto", "strong"),
    Contender("edge_laplace", "worker"),
    Contender("node_laplace", "establishment", theta=100),
]
WEAK = [
    *(Contender(name, "weak", "sum", calibration) for name, calibration in PUBLISHED),
    *(Contender(name, "weak", "single", calibration) for name, calibration in PUBLISHED),
    Contender("slope", "weak", "sum"),
    Contender("slope", "weak", "single"),
    Contender("vector_pareto", "strong", "joint"),
    Contender("vector_pareto", "strong", "single"),
    Contender("edge_laplace", "worker", "joint"),
    Contender("edge_laplace", "worker", "single"),
    Contender("node_laplace", "establishment", "joint", theta=10),
    Contender("node_laplace", "establishment", "joint", theta=400),
    Contender("node_laplace", "establishment", "single", theta=45),
]


def named(one: object) -> str:
    assert isinstance(one, Contender)
    theta = "" if one.theta is None else f" {one.theta}"
    return f"{one.mechanism}{theta} {one.calibration} {one.accounting}"


def settles(one: Contender, table: Truth) -> None:
    """Means of draws are the closed forms, and would not be those of a third more noise."""
    # For a single job ε = 4 is so little noise that a third more would not show.
    method = one.measurement(price("1" if one.policy == "worker" else "4"), table.worker_cells)
    told = expected(method, table)
    assert told.finite
    assert told.steady
    assert told.absolute is not None
    assert told.bias is not None
    absolute, bias = by_kind(told.absolute)[0], by_kind(told.bias)[0]
    errors = drawn(method, table)
    assert agree(np.abs(errors), absolute)
    assert agree(errors, bias)
    assert not agree(np.abs(errors) * 1.3, absolute)


@pytest.mark.parametrize("one", STRONG, ids=named)
def test_closed_forms_are_the_means_of_draws_of_workplace_tables(one: Contender) -> None:
    settles(one, COLUMN)


@pytest.mark.parametrize("one", WEAK, ids=named)
def test_closed_forms_are_the_means_of_draws_of_worker_tables(one: Contender) -> None:
    settles(one, BLOCK)


@pytest.mark.parametrize(("theta", "epsilon"), [(1, "2"), (10, "0.5"), (1000, "2")])
def test_the_error_of_dropping_is_the_sum_over_all_noise(theta: int, epsilon: str) -> None:
    """E|J − b| summed point by point, for b dropped jobs."""
    dropped = [0, 1, 2, 17, theta, 3 * theta]
    sites = [Site(n, (b, 1), 10_000) for n, b in enumerate(dropped)]
    table = truth([*sites, *(Site(n, (1, 0)) for n in range(len(dropped)))])
    one = Contender("node_laplace", "establishment", "joint", theta=theta)
    told = expected(one.measurement(price(epsilon), 2), table)
    rate = float(epsilon) / theta
    most = int(50 / rate)
    noise = np.arange(-most, most + 1)
    weights = np.exp(-rate * np.abs(noise))
    weights /= weights.sum()
    wanted = [[(weights * np.abs(noise - b)).sum() for b in (d, 1)] for d in dropped]
    assert told.absolute == pytest.approx(np.array(wanted), rel=1e-9)
    assert told.bias == pytest.approx(np.array([[-b, -1] for b in dropped]))


@pytest.mark.parametrize("name", ["log_laplace", "smooth_gamma", "smooth_laplace"])
def test_parallel_accounting_is_single_noise_at_several_times_the_price(name: str) -> None:
    parallel, single = (Contender(name, "weak", how, "published") for how in ("parallel", "single"))
    found = [expected(one.measurement(price("1"), 2), BLOCK).absolute for one in (parallel, single)]
    assert found[0] is not None
    assert found[1] is not None
    assert (found[0] == found[1]).all()
    for one, true in ((parallel, 2.0), (single, 1.0)):
        setting = ScoredExperiment(workload(2), one, price("1"), 2).setting
        assert (setting.epsilon, setting.epsilon_summed) == (1.0, true)


def workload(cells: int) -> Workload:
    codes = tuple(str(n) for n in range(cells))
    attribute = Attribute("kind", "workers", "kind", codes, codes, public=False, recode={})
    return Workload("t", "t", Marginal("t", (), (Dimension(attribute, tuple(range(cells))),)))


@pytest.mark.parametrize(("name", "calibration"), [*PUBLISHED, ("slope", "tight")])
def test_a_sum_spends_a_share_on_each_worker_cell(name: str, calibration: str) -> None:
    together = Contender(name, "weak", "sum", calibration)
    alone = Contender(name, "weak", "single", calibration)
    share = Price(Fraction(1, 10), Fraction(2), Fraction(1, 40))  # ε/d and δ/d
    found = expected(together.measurement(price("4"), 2), BLOCK).absolute
    wanted = expected(alone.measurement(share, 2), BLOCK).absolute
    assert found is not None
    assert wanted is not None
    assert found == pytest.approx(wanted, rel=1e-9)
    assert ScoredExperiment(workload(2), together, price("4"), 2).setting.epsilon_summed == 4.0


@pytest.mark.parametrize("accounting", ["joint", "single"])
def test_vector_pareto_follows_the_largest_with_all_its_jobs(accounting: str) -> None:
    """E|σZ| = S/(t(k−1)) (mathematics/blocks.md 1), S from |E| also where no job is in the cell."""
    table = truth([Site(0, (0, 5), 40_000), Site(0, (600, 0))])
    method = Contender("vector_pareto", "strong", accounting).measurement(price("4"), 2)
    assert isinstance(method, CountsWithNoise)
    assert isinstance(method.mechanism, VectorPareto)
    wanted = 0.1 * 40_005 / float(method.mechanism.step * (method.mechanism.shape - 1))
    assert expected(method, table).absolute == pytest.approx(np.full((1, 2), wanted), rel=1e-3)


@pytest.mark.parametrize("accounting", ["sum", "single", "parallel"])
def test_the_papers_mechanisms_follow_the_largest_of_the_cell(accounting: str) -> None:
    """E|Z| = 1/√2 of Smooth Gamma at 16/ε·S, S = max(αx, 1) with the cell's own x."""
    table = truth([Site(0, (0, 5_000), 40_000), Site(0, (60_000, 0))])
    epsilon = 2.0 if accounting == "sum" else 4.0
    one = Contender("smooth_gamma", "weak", accounting, "published")
    wanted = 16 / epsilon / sqrt(2) * 0.1 * np.array([[60_000, 5_000]])
    assert expected(one.measurement(price("4"), 2), table).absolute == pytest.approx(
        wanted, rel=1e-3
    )


def entries(held: Entries, workplaces: range) -> list[list[tuple[int, int]]]:
    """For each workplace cell, the size and the only count of every establishment."""
    assert not held.cell.any()
    counts = np.zeros(held.sizes.size, dtype=np.int64)
    counts[held.row] = held.counts
    rows = list(zip(held.workplace.tolist(), held.sizes.tolist(), counts.tolist(), strict=True))
    return [sorted(row[1:] for row in rows if row[0] == number) for number in workplaces]


def test_queries_are_tables_of_one_worker_cell_each() -> None:
    sites = [one for held in KINDS for one in held]
    table = truth(sites)
    found = table.entries.by_worker_cell()
    assert found.row.size == np.unique(found.row).size
    for cell in range(2):
        alone = truth([only(cell, one) for one in sites])
        mine = range(cell * 3, cell * 3 + 3)
        assert entries(found, mine) == entries(alone.entries, range(3))


def test_clipped_queries_are_the_clipped_tables_of_single_cells() -> None:
    one = Contender("clipped", "strong", "single")
    method = one.measurement(price("2"), 2)
    assert isinstance(method, ClippedCounts)
    assert method.mechanism.parameters.cells == 1
    together = draw(method, BLOCK)
    for cell in range(2):
        sites = tuple(tuple(only(cell, site) for site in held) for held in KINDS)
        alone = draw(method, copies(sites))
        for kind in range(3):
            mine, theirs = (by_kind(d.values)[:, kind] for d in (together, alone))
            assert alike(mine[:, cell], theirs[:, 0])
            mine, theirs = (by_kind(d.margins["high"])[:, kind] for d in (together, alone))
            assert alike(mine[:, cell], theirs[:, 0])
    # Known bad: an establishment that counts only its jobs in the cell is clipped less.
    inside = tuple(tuple(Site(s.workplace, s.counts[:1]) for s in held) for held in KINDS)
    wrong = draw(method, copies(inside))
    assert not alike(by_kind(together.values)[:, 1, 0], by_kind(wrong.values)[:, 1, 0])


def alike(left: Floats, right: Floats) -> bool:
    """Whether both can come from one distribution."""
    return bool(ks_2samp(left, right, method="asymp").pvalue > FALSE_ALARM)


def test_dropping_looks_at_all_jobs_also_in_single_queries() -> None:
    one = Contender("node_laplace", "establishment", "single", theta=200)
    method = one.measurement(price("4"), 2)
    assert isinstance(method, SmallEstablishments)
    told = expected(method, truth([Site(0, (3, 1), 300), Site(0, (5, 0))]))
    assert told.bias is not None
    assert told.bias.tolist() == [[-3, -1]]


def test_no_mean_and_no_variance_are_told() -> None:
    """λ = 0.0953: published Log-Laplace has a mean above ε = 2λ, a variance above 4λ."""
    one = Contender("log_laplace", "strong", "single", "published")
    found = {
        e: expected(one.measurement(price(e), 1), COLUMN) for e in ("0.19", "0.2", "0.38", "0.4")
    }
    assert [told.finite for told in found.values()] == [False, True, True, True]
    assert [told.steady for told in found.values()] == [False, False, False, True]
    assert found["0.19"].absolute is None


@pytest.mark.parametrize("epsilon", ["0.09", "0.1", "0.3", "1", "4"])
def test_clipped_tells_whether_the_noise_of_its_bound_has_a_mean(epsilon: str) -> None:
    """ln θ has Laplace noise of scale s = λ/ε₁: a mean for s < 1, a variance for s < 1/2."""
    method = Contender("clipped", "strong").measurement(price(epsilon), 1)
    assert isinstance(method, ClippedCounts)
    s = log1p(0.1) / (float(epsilon) * float(method.mechanism.split))
    told = expected(method, COLUMN)
    assert (told.finite, told.steady) == (s < 1, s < 0.5)
    assert (told.absolute, told.bias) == (None, None)
    assert {"0.09": s > 1, "4": s < 0.5}.get(epsilon, True)
