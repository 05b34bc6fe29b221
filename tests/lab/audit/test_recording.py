"""Recorded releases, and the released code against its definition."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import ArrayLike

from leeward.core.codebook import Entries
from leeward.core.mechanisms import Mechanism, mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.registry import REGISTRY
from leeward.core.mechanisms.scale import Scale
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.core.noise.law import laplace
from leeward.core.noise.noise_source import Noise
from leeward.core.noise.radial_law import pareto_radius
from leeward.core.noise.scales import Integers, Scales
from leeward.core.privacy.workforces import Database
from leeward.lab.audit.audit_line import AuditLine
from leeward.lab.audit.lines import LINES
from leeward.lab.audit.recording import (
    RecordingNoise,
    clipped_release,
    entries,
    released,
    released_block,
)
from leeward.lab.audit.released_code import (
    COUNTS,
    INDEX,
    JOBS,
    SUMS,
    CodeExam,
    clipped_sums,
    grid_index,
)
from leeward.lab.audit.twins import CoveredNorm, FreshRadius, HalfMoved, clipped_twin, twin
from tests.core.mechanisms.built import SCALAR, additive, clipped, vector_pareto

CLIPPED = clipped(alpha="0.1", epsilon=1, cells=2, split="1/8")
GAUSSIAN = clipped(alpha="0.1", epsilon=1, cells=2, split="1/8", noise="gaussian", delta="1e-6")
DATABASES = (
    Database.of((300, 20, 80)),
    Database.of((0, 0, 0)),
    Database.of((3, 1, 0), (40, 0, 2)),
)
EXAMS = {
    line.mechanism: line.examine
    for line in LINES
    if isinstance(line, AuditLine) and isinstance(line.examine, CodeExam)
}
BUILT = [
    *(additive(case) for case in SCALAR),
    vector_pareto(alpha="0.1", epsilon=4, cells=3),
    *(mechanism("radial_slope", alpha="0.1", epsilon=4, cells=n) for n in (1, 3)),
]
BUILT_JOINT = [
    mechanism(name, alpha="0.1", epsilon=4, tables=tables)
    for name in ("joint_pareto", "joint_radial", "joint_clipped")
    for tables in ((2, 2), (2, 3), (1, 2, 2))
]
BUILT_CLIPPED = [
    clipped(alpha=alpha, epsilon=1, cells=cells, **noise)
    for alpha in ("0.1", "1", "2.5")
    for cells in (1, 3)
    for noise in ({}, {"noise": "gaussian", "delta": "1e-6"})
]

BUILT_PAY = [
    mechanism(name, alpha="0.3", epsilon=4, cap=7, **options)
    for name, options in (
        ("pay_centred", {"cells": 2}),
        ("pay_centred_radial", {"cells": 2}),
        ("pay_pareto", {"statistic": "payroll"}),
        ("pay_radial", {"cells": 2, "statistic": "payroll"}),
        ("pay_two_scales", {"plus": 3}),
        ("pay_clipped", {"cells": 2, "plus": 3}),
        ("log_pair", {"plus": 3}),
        ("payroll_pareto", {"cells": 2}),
        ("payroll_radial", {"cells": 2}),
        ("payroll_slope", {}),
        ("edge_pay", {"cells": 2}),
    )
]


def test_a_scalar_release_shows_its_law_and_scale() -> None:
    slope = additive("slope")
    single = released(slope, 90, 100)
    assert (single.true, single.law) == (90, slope.law)
    assert single.scale == slope.scale(90, 100)


def test_a_block_is_as_many_parts_as_were_drawn() -> None:
    pareto = vector_pareto(alpha="0.1", epsilon=4, cells=3)
    joint = released_block(pareto, Database.of((5, 6, 7, 100)))
    assert [part.true for part in joint.parts] == [(5, 6, 7)]
    assert joint.parts[0].scale == pareto.scale(None, 118)
    parts = released_block(twin(FreshRadius, pareto), Database.of((5, 6, 7, 100))).parts
    assert [part.true for part in parts] == [(5,), (6,), (7,)]


def test_a_radius_of_another_dimension_is_no_law_of_the_block() -> None:
    scales, law = Scales(np.array([3])), pareto_radius(2, Fraction(4))
    with pytest.raises(ValueError, match="2 dimensions for noise in 3"):
        RecordingNoise().block(np.zeros((1, 3), np.int64), scales, law)


@pytest.mark.parametrize("made", [CLIPPED, GAUSSIAN], ids=["laplace", "gaussian"])
def test_a_clipped_release_keeps_cells_and_bounds_together(made: Clipped) -> None:
    """Also where noise is drawn for one θ after the other, and not in the order of cells."""
    indices = np.array([1500, 20, 700])
    run = clipped_release(made, DATABASES, indices)
    lattice = made.clipping.lattice
    assert run.index.true.tolist() == [grid_index(n, made.parameters) for n in (400, 0, 42)]
    assert run.theta.tolist() == [made.clipping.theta_of(int(i)) for i in indices]
    wanted = [
        list(clipped_sums(database, Fraction(int(theta), lattice), lattice))[:2]
        for database, theta in zip(DATABASES, run.theta, strict=True)
    ]
    assert run.sums.true.reshape(3, 2).tolist() == wanted
    scales = [run.sums.scales[level] for level in run.sums.level[::2]]
    for theta, scale in zip(run.theta.tolist(), scales, strict=True):
        if made is GAUSSIAN:
            assert scale == made.sum_variance(theta)
        else:
            assert scale == (theta * 2 // 11 + 2) / (made.parameters.aimed * 7 / 8)
            assert set(run.sums.laws) == {laplace()}


def test_copies_are_workplace_cells_of_their_own() -> None:
    once, thrice = entries(DATABASES, 2), entries(DATABASES, 2, 3)
    assert thrice.counts.tolist() == once.counts.tolist() * 3
    assert np.unique(thrice.workplace).tolist() == list(range(9))
    assert thrice.largest().tolist() == [400, 0, 42] * 3
    assert np.unique(thrice.row * 2 + thrice.cell).size == thrice.row.size


@pytest.mark.parametrize(
    "built", [*BUILT, *BUILT_CLIPPED, *BUILT_JOINT, *BUILT_PAY], ids=lambda built: built.name
)
def test_the_released_code_does_what_is_defined(built: Mechanism) -> None:
    assert EXAMS[built.name].fault(built) == ""


def test_every_mechanism_has_a_definition() -> None:
    names = {built.name for built in (*BUILT, *BUILT_CLIPPED, *BUILT_JOINT, *BUILT_PAY)}
    assert names == set(REGISTRY) == set(EXAMS)


class OneMore(Slope):
    """Releases one job more."""

    def true_values(self, counts: Integers, largest: Integers) -> Integers:
        return counts + 1


class NoFloor(Scale):
    """An index that falls below that of 1/α."""

    def true_values(self, counts: Integers, largest: Integers) -> Integers:
        empty: Integers = (largest == 0).astype(np.int64)
        return self.grid.index(largest) - empty


class Swapped(VectorPareto):
    """Releases the cells in another order."""

    def _release(
        self, counts: ArrayLike | None, largest: ArrayLike | None, noise: Noise
    ) -> Integers:
        swapped = np.asarray(counts)[:, ::-1]
        return VectorPareto._release(self, swapped, largest, noise)


class Truncated(Clipped):
    """Whole jobs by leaving out what is beyond the point."""

    def _sums(self, sums: Integers, theta: Integers, noise: Noise) -> Integers:
        noisy: Integers = self._laplace(sums, theta, noise)
        return noisy // self.clipping.lattice


class CoveredMaximum(Clipped):
    """The largest establishment of the jobs in the table."""

    def _release(self, entries: Entries, noise: Noise) -> tuple[Integers, Integers]:
        held = np.zeros_like(entries.sizes)
        np.add.at(held, entries.row, entries.counts)
        return super()._release(replace(entries, sizes=held), noise)


PARETO = vector_pareto(alpha="0.1", epsilon=4, cells=2)


@pytest.mark.parametrize(
    ("spoilt", "found"),
    [
        (twin(OneMore, additive("slope")), COUNTS),
        (twin(NoFloor, additive("scale")), INDEX),
        (twin(Swapped, PARETO), COUNTS),
        (clipped_twin(CLIPPED, CoveredNorm), SUMS),
        (twin(CoveredMaximum, CLIPPED), INDEX),
        (twin(Truncated, CLIPPED), JOBS),
        (clipped_twin(CLIPPED, HalfMoved), ""),  # its scale is no part of a definition
    ],
    ids=lambda case: case if isinstance(case, str) else type(case).__name__,
)
def test_a_departure_from_the_definition_is_named(spoilt: Mechanism, found: str) -> None:
    assert EXAMS[spoilt.name].fault(spoilt) == found


def test_recording_noise_answers_the_first_requests_only() -> None:
    noise, column = RecordingNoise([np.array([7, 8])]), np.array([1, 2])
    assert noise.gaussian(column, Fraction(3)).tolist() == [7, 8]
    assert noise.gaussian(column, Fraction(3)).tolist() == [1, 2]
    assert [asked.true.tolist() for asked in noise.requests] == [[1, 2], [1, 2]]
    with pytest.raises(TypeError):
        noise.requests[0].rounded(0)
