"""Joint mechanisms of whole products: what the theory prints, what the code draws."""

from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from leeward.core.codebook import Cells, Entries
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.checked_columns import checked_entries
from leeward.core.mechanisms.clipped_counts import JointClippedCounts
from leeward.core.mechanisms.error_margins import NoMargins, PublicMargins
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.joint_radial import JointRadial
from leeward.core.mechanisms.radial_product import JointCounts, RadialProduct, paid_margins
from leeward.core.noise.scales import MOST
from leeward.core.noise.tabulated import Floats
from leeward.core.randomness import SeededBits

SIX = (3, 3, 6, 2, 5, 2)


def pareto(epsilon: str = "4", tables: tuple[int, ...] = SIX, **options: object) -> JointPareto:
    made = mechanism("joint_pareto", alpha="0.1", epsilon=epsilon, tables=tables, **options)  # type: ignore[arg-type]
    return cast(JointPareto, made)


def clipped(epsilon: str = "4", tables: tuple[int, ...] = SIX, **options: object) -> JointClipped:
    made = mechanism("joint_clipped", alpha="0.1", epsilon=epsilon, tables=tables, **options)  # type: ignore[arg-type]
    return cast(JointClipped, made)


def radial(epsilon: str = "4", tables: tuple[int, ...] = SIX, **options: object) -> JointRadial:
    made = mechanism("joint_radial", alpha="0.1", epsilon=epsilon, tables=tables, **options)  # type: ignore[arg-type]
    return cast(JointRadial, made)


def errors(made: RadialProduct, largest: int) -> Floats:
    """Of the total, and of a cell of each table."""
    found = made.mean_abs_errors(largest)
    assert found is not None
    return np.asarray(found[0])


def mean(made: RadialProduct) -> float:
    """In units of S, over all cells."""
    return float(np.average(errors(made, 10**7)[1:], weights=made.design.tables)) / 10**6


@pytest.mark.parametrize(
    ("epsilon", "tables", "printed"),
    [
        ("4", SIX, 1.74),
        ("2", SIX, 12.3),
        ("8", SIX, 0.56),
        ("16", SIX, 0.23),
        ("4", (3, 3, 4), 0.67),
        ("4", (2,) * 5, 0.70),
        ("4", (2,) * 10, 1.56),
    ],
)
def test_errors_of_joint_pareto_are_the_printed_ones(
    epsilon: str, tables: tuple[int, ...], printed: float
) -> None:
    assert mean(pareto(epsilon, tables)) == pytest.approx(
        printed, abs=0.005 if printed < 9 else 0.05
    )


def test_errors_of_joint_clipped_are_the_printed_ones() -> None:
    """At headroom 7/6 and the split of the table: 1.90 S, and .60 S for the total."""
    made = clipped()
    spread = Fraction(1, 11) * Fraction(7, 6) * 10 / Fraction("3.394")  # βθ/ε₂ over S
    cell = np.average(made.design.absolute, weights=made.design.tables)
    assert cell * float(spread) == pytest.approx(1.90, rel=0.005)
    assert made.design.total_moments[0] * float(spread) == pytest.approx(0.60, rel=0.01)


@pytest.mark.parametrize(("epsilon", "size"), [("4", 4.17), ("2", 9.1)])
def test_errors_of_the_radial_slope_are_the_printed_ones(epsilon: str, size: float) -> None:
    """E N/S, of which a cell has .212 in the mean of all cells, and the total .322."""
    made = radial(epsilon)
    assert made.radius.moment(1) == pytest.approx(size, rel=5e-3)
    assert mean(made) == pytest.approx(0.212 * size, rel=5e-3)
    assert errors(made, 10**7)[0] / 10**6 == pytest.approx(0.322 * size, rel=8e-3)
    assert mean(made) < 0.52 * mean(pareto(epsilon))


@pytest.mark.parametrize("made", [pareto(), radial()], ids=lambda made: made.name)
def test_drawn_errors_agree_with_closed_forms(made: RadialProduct) -> None:
    rows = 6000
    counts = np.tile(np.repeat(600 // np.array(SIX), SIX), (rows, 1))
    off = np.abs(made.release(counts, np.full(rows, 500)) - counts)
    total = (made.release(counts, np.full(rows, 500)) - counts)[:, :3].sum(axis=1, keepdims=True)
    columns = [np.abs(total), *(off[:, cells] for cells in made.design.slices())]
    for seen, wanted in zip([one.mean(axis=1) for one in columns], errors(made, 500), strict=True):
        assert seen.mean() == pytest.approx(wanted, abs=5 * seen.std() / np.sqrt(rows))


def entries(rows: int, sizes: tuple[int, ...], tables: tuple[int, ...]) -> Entries:
    """Establishments of these sizes in each workplace cell, their workers spread at random."""
    generator = SeededBits(9).generator
    number = len(sizes)
    columns = [generator.multinomial(np.tile(sizes, rows), np.full(d, 1 / d)) for d in tables]
    dense = np.concatenate(columns, axis=1)
    row, cell = np.nonzero(dense)
    return Entries(
        counts=dense[row, cell],
        cell=cell,
        row=row,
        sizes=np.tile(sizes, rows),
        workplace=np.repeat(np.arange(rows), number),
        shape=(rows, sum(tables)),
        in_frame=np.full(rows, number),
    )


def test_a_clipped_establishment_keeps_one_sum_in_all_tables() -> None:
    made = clipped()
    held = entries(50, (900, 40), SIX)
    theta = np.full(50, 300 * made.clipping.lattice + 17)
    sums = made.clipping.sums(held, theta)
    parts = [sums[:, cells].sum(axis=1) for cells in made.design.slices()]
    assert all((one == theta + 40 * made.clipping.lattice).all() for one in parts)
    exact = held.as_cells().counts  # cells move by less than a point from their exact share
    small = entries(50, (900, 40), SIX)
    assert np.array_equal(exact, small.as_cells().counts)


def test_released_tables_add_up_and_cover() -> None:
    made = clipped()
    held = entries(1500, (300, 200, 50, 5), SIX)
    measured = JointClippedCounts(made, PublicMargins()).measure(held)
    true = held.as_cells().counts
    truth = np.column_stack([true[:, :3].sum(axis=1), true])
    sums = [measured.values[:, 1:][:, cells].sum(axis=1) for cells in made.design.slices()]
    assert all(np.array_equal(measured.values[:, 0], one) for one in sums)
    inside = (measured.margins["low"] <= truth) & (truth <= measured.margins["high"])
    assert (inside.mean(axis=0) > 0.89).all()
    for cells in made.design.slices():
        low, high = (measured.margins[f"block_{end}"][:, 1:][:, cells] for end in ("low", "high"))
        both = (low <= true[:, cells]) & (true[:, cells] <= high)
        assert both.all(axis=1).mean() > 0.88
    assert (measured.margins["bound"] >= 11).all()


@pytest.mark.parametrize("made", [pareto("3.6"), radial("3.6")], ids=lambda made: made.name)
def test_paid_margins_cover(made: RadialProduct) -> None:
    measured = JointCounts(made, paid_margins(made, Fraction("0.4"))).measure(
        Cells(np.tile(np.repeat(600 // np.array(SIX), SIX), (2000, 1)), np.full(2000, 600))
    )
    true = np.concatenate([[600], np.repeat(600 // np.array(SIX), SIX)])
    inside = np.abs(measured.values - true) <= measured.margins["margin"]
    assert (inside.mean(axis=0) > 0.88).all()
    assert inside.mean() < 0.97


def test_margins_of_small_noise_allow_for_rounding() -> None:
    """Largest remainders move a cell by up to one job, in one cell of many often enough."""
    made = pareto("16", (20,))
    table = JointCounts(made, paid_margins(made, Fraction(2)))
    measured = table.measure(Cells(np.full((1500, 20), 1), np.full(1500, 10)))
    off = np.abs(measured.values[:, 1:] - 1) <= measured.margins["block_margin"][:, 1:]
    assert off.all(axis=1).mean() > 0.89


def test_the_public_deviation_of_a_product_is_that_of_its_draws() -> None:
    made, rows = radial(), 20_000
    counts = np.tile(np.repeat(600 // np.array(SIX), SIX), (rows, 1))
    off = (made.release(counts, np.full(rows, 10**6)) - counts) / 10**5
    found = made.deviations
    assert found is not None
    for cells, wanted in zip(made.design.slices(), found[1:], strict=True):
        assert off[:, cells].std() == pytest.approx(wanted, rel=0.04)


def test_tables_of_one_cell_have_a_whole_shape() -> None:
    made = pareto("4", (1, 1))
    assert made.shape.denominator == 1
    assert made.shape >= 2


@pytest.mark.parametrize("cells", [2, 3, 8])
def test_one_breakdown_has_less_noise_than_a_table(cells: int) -> None:
    moments = clipped(tables=(cells,)).moments
    assert moments.absolute == pytest.approx([2 * cells / (cells + 1)] * 2)


def test_the_public_deviation_is_that_of_the_noise() -> None:
    made = clipped()
    held = entries(3000, (400,), (3, 3, 6, 2, 5, 2))
    table = JointClippedCounts(made, NoMargins())
    measured = table.measure(held)
    unit, deviations = table.deviations or ("", ())
    assert unit == "bound"
    noise = (measured.values[:, 1:] - held.as_cells().counts) / measured.margins["bound"][:, 1:]
    # One cell of each size of table; clipped rows are left out, whose error is not noise alone.
    whole = measured.margins["bound"][:, 0] > 400
    for j, cells in enumerate(made.design.slices(), 1):
        seen = noise[whole][:, cells].std()
        assert seen == pytest.approx(deviations[j], rel=0.08)


def test_gaussian_noise_is_fitted_and_has_its_public_deviation() -> None:
    made = mechanism("joint_clipped", alpha="0.1", rho="0.2063", noise="gaussian", tables=SIX)
    table = JointClippedCounts(cast(JointClipped, made), NoMargins())
    held = entries(1500, (400,), SIX)
    measured = table.measure(held)
    true = held.as_cells().counts
    sums = [measured.values[:, 1:][:, cells].sum(axis=1) for cells in table.design.slices()]
    assert all(np.array_equal(measured.values[:, 0], one) for one in sums)
    whole = measured.margins["bound"][:, 0] > 400
    noise = (measured.values[:, 1:] - true)[whole] / measured.margins["bound"][whole][:, 1:]
    _, deviations = table.deviations or ("", ())
    for j, cells in enumerate(table.design.slices(), 1):
        assert noise[:, cells].std() == pytest.approx(deviations[j], rel=0.08)
    # mathematics/products.md 4: 4.3 S for the best Gaussian form at this ρ (with its split).
    unit = 7 / 66 * 10 / np.sqrt(0.2063 * 0.75)
    mean = np.average(table.mechanism.moments.absolute[1:], weights=SIX) * unit
    assert mean == pytest.approx(4.3, abs=0.05)


def test_tables_without_one_sum_are_a_fault_of_the_program() -> None:
    with pytest.raises(ArithmeticError, match="one sum"):
        pareto(tables=(2, 2)).release([[1, 2, 3, 1]], [5])
    made = clipped(tables=(2, 2))
    counts, cell, row = np.array([2, 1, 2]), np.array([0, 1, 2]), np.array([0, 0, 0])
    uneven = Entries(counts, cell, row, np.array([3]), np.array([0]), (1, 4))
    with pytest.raises(ArithmeticError, match="one sum"):
        made.release_entries(checked_entries(uneven, MOST // made.clipping.lattice, 2))


@pytest.mark.parametrize("tables", [(), (0, 2), (2, "3"), (401,), "22", (1,)])
def test_designs_that_are_none_are_refused(tables: object) -> None:
    with pytest.raises(InvalidParameter) as refused:
        mechanism("joint_pareto", alpha="0.1", epsilon="4", tables=tables)
    assert refused.value.parameter == "tables"


@pytest.mark.parametrize("made", [pareto, radial])
def test_an_epsilon_below_the_price_of_the_dimension_is_refused_with_one_that_works(
    made: Callable[[str], RadialProduct],
) -> None:
    with pytest.raises(InvalidParameter, match=r"dimension·ln\(1\+alpha\)") as refused:
        made("1.5")
    assert "1.53" in refused.value.next_step
    made("1.53")
