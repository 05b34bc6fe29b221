"""Planted faults: controls on the code that a release calls, examined as the genuine code is.

Each broken twin overrides one step of a mechanism and claims what the genuine one claims. The exam
that confirms a mechanism must reject its twins: they are what a slip in the code would look like.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from flint import arb

from leeward.core.exact import ball, dyadic_down, precision
from leeward.core.mechanisms import Mechanism
from leeward.core.mechanisms.clipped import Clipped
from leeward.core.mechanisms.clipping import Clipping
from leeward.core.mechanisms.error_margins import PublicMargins
from leeward.core.mechanisms.joint import JointClipping
from leeward.core.mechanisms.joint_clipped import JointClipped
from leeward.core.mechanisms.joint_pareto import JointPareto
from leeward.core.mechanisms.slope import Slope
from leeward.core.mechanisms.staircase import Staircase
from leeward.core.mechanisms.vector_pareto import VectorPareto
from leeward.lab.audit.audit_line import ALPHA, EPSILON, Control
from leeward.lab.audit.clipped_exam import clipped_loss
from leeward.lab.audit.exams import block, scalar, workplace_view
from leeward.lab.audit.joint_code import JOINT_CLIPPED_CODE, JOINT_CODE
from leeward.lab.audit.joint_exam import joint_clipped_loss, joint_loss
from leeward.lab.audit.loss import PrivacyLoss
from leeward.lab.audit.neighbours import Depth, pairs
from leeward.lab.audit.released_code import (
    BLOCK_CODE,
    CLIPPED_CODE,
    COUNT_CODE,
    RELEASED_CODE,
    CodeExam,
)
from leeward.lab.audit.table_exam import WITH_MARGINS, examine_clipped_table
from leeward.lab.audit.twins import (
    CUT,
    STRONG,
    BareCell,
    CoveredNorm,
    DataHeadroom,
    DataSplit,
    EachTable,
    EarlyStairs,
    FreshRadius,
    HalfMoved,
    HalfMovedProduct,
    LowFloor,
    NarrowClipped,
    NarrowProduct,
    NarrowSlope,
    StaffedClasses,
    StaffedTable,
    WholeFloor,
    WholeJobs,
    WholeJobsProduct,
    clipped_twin,
    sound,
    twin,
)

WIDE = {"alpha": Fraction(3), "epsilon": Fraction(3), "cells": 2}
"""Parameters at which few draws show whether cells share their radius."""


SIX = (3, 3, 6, 2, 5, 2)
FOUR = Fraction(4)


def dimension_forgotten(depth: Depth) -> PrivacyLoss:
    """t without the price of the dimension: a larger scale thins the noise out p times."""
    genuine = sound(JointPareto, epsilon=FOUR, tables=SIX)
    with precision(256):
        order = ball(genuine.shape + genuine.design.dimension)
        step = dyadic_down((ball(FOUR) / order).expm1(), 96)
    return joint_loss(replace(genuine, step=step), STRONG, depth)


def cut_product(depth: Depth) -> PrivacyLoss:
    """A tenth less noise."""
    genuine = sound(JointPareto, epsilon=FOUR, tables=SIX)
    return joint_loss(replace(genuine, step=genuine.step / CUT), STRONG, depth)


def each_table(depth: Depth) -> PrivacyLoss:
    """Tables that are independent lose one by one."""
    genuine = sound(JointPareto, epsilon=FOUR, tables=(2, 3, 2))
    return joint_loss(twin(EachTable, genuine), STRONG, depth)


def product_by(kind: type[JointClipping]) -> Callable[[Depth], PrivacyLoss]:
    """The released code with one step of its clipping replaced."""

    def examine(depth: Depth) -> PrivacyLoss:
        spoilt = clipped_twin(sound(JointClipped, tables=(2, 3)), kind)
        return joint_clipped_loss(spoilt, STRONG, depth)

    return examine


def cut_clipped(depth: Depth) -> PrivacyLoss:
    """A tenth less noise on index and sums."""
    genuine = sound(Clipped, cells=8)
    spoilt = sound(Clipped, cells=8, epsilon=EPSILON / CUT, split=genuine.split)
    return replace(clipped_loss(spoilt, STRONG, depth), delta=arb("nan"))


def clipped_by(kind: type[Clipping], cells: int = 8) -> Callable[[Depth], PrivacyLoss]:
    """The released code with one step of its clipping replaced."""

    def examine(depth: Depth) -> PrivacyLoss:
        spoilt = clipped_twin(sound(Clipped, cells=cells), kind)
        return clipped_loss(spoilt, STRONG, depth)

    return examine


def low_floor(depth: Depth) -> PrivacyLoss:
    """θ without its +1, where one joiner of an empty establishment shows."""
    genuine = sound(Clipped, alpha=Fraction(1), epsilon=Fraction(4), establishments=1)
    return clipped_loss(clipped_twin(genuine, LowFloor), STRONG, depth)


def data_headroom(depth: Depth) -> PrivacyLoss:
    """θ of another headroom as soon as an establishment has its first job."""
    return clipped_loss(twin(DataHeadroom, sound(Clipped, cells=2)), STRONG, depth)


def data_split(depth: Depth) -> PrivacyLoss:
    """Scales that follow the data, and not only θ."""
    return clipped_loss(twin(DataSplit, sound(Clipped, cells=2)), STRONG, depth)


def staffed_classes(depth: Depth) -> PrivacyLoss:
    """A split and a headroom of another class as soon as a second establishment has a job."""
    spoilt = StaffedTable(sound(Clipped, cells=2), PublicMargins())
    return examine_clipped_table(spoilt, STRONG, depth, EPSILON)


UNEVEN = Fraction(3, 10)
"""An α with a Δ/α that is not whole."""


def whole_floor(depth: Depth) -> PrivacyLoss:
    """Less noise for an establishment of 1/α jobs, which one joiner makes larger."""
    slope = sound(Slope, alpha=UNEVEN)
    spoilt = replace(slope, parameters=WholeFloor(**vars(slope.parameters)))
    return scalar(workplace_view(spoilt), pairs(STRONG, UNEVEN, depth), EPSILON)


def early_law(depth: Depth) -> PrivacyLoss:
    """Edges of less than half a job, where one joiner passes a step and more."""
    stairs = twin(EarlyStairs, sound(Staircase, epsilon=FOUR))
    return scalar(workplace_view(stairs), pairs(STRONG, ALPHA, depth), FOUR)


def fresh_radius(depth: Depth) -> PrivacyLoss:
    """Cells that are independent lose one by one."""
    pareto = sound(VectorPareto, epsilon=Fraction(4), cells=2)
    return block(twin(FreshRadius, pareto), STRONG, depth)


def sampled(exam: CodeExam, spoilt: Callable[[], Mechanism]) -> Callable[[Depth], PrivacyLoss]:
    """What draws of the released code show, without a look at its definition."""
    return lambda _: exam.sampled(spoilt(), STRONG)


def compared(exam: CodeExam, spoilt: Callable[[], Mechanism]) -> Callable[[Depth], PrivacyLoss]:
    """The released code compared with its definition."""
    return lambda depth: exam(spoilt(), "strong", depth)


def _wide_product() -> JointPareto:
    return sound(JointPareto, epsilon=Fraction(2), tables=(2, 2))


_of_code = partial(Control, detail=RELEASED_CODE)
SAMPLED: tuple[Control, ...] = (
    _of_code(
        "clipped by the covered jobs",
        "clipped",
        sampled(CLIPPED_CODE, lambda: clipped_twin(sound(Clipped), CoveredNorm)),
    ),
    _of_code(
        "a split that depends on the data",
        "clipped",
        sampled(CLIPPED_CODE, lambda: twin(DataSplit, sound(Clipped))),
    ),
    _of_code(
        "draws of half the scale asked for",
        "clipped",
        sampled(CLIPPED_CODE, lambda: twin(NarrowClipped, sound(Clipped))),
    ),
    _of_code(
        "draws of half the scale asked for",
        "slope",
        sampled(COUNT_CODE, lambda: twin(NarrowSlope, sound(Slope))),
    ),
    _of_code(
        "a fresh radius for every cell",
        "vector_pareto",
        sampled(BLOCK_CODE, lambda: twin(FreshRadius, sound(VectorPareto, **WIDE))),
        epsilon=Fraction(3),
        alpha=Fraction(3),
    ),
    _of_code(
        "a cell of each table without noise",
        "joint_pareto",
        compared(JOINT_CODE, lambda: twin(BareCell, _wide_product())),
        epsilon=Fraction(2),
    ),
    _of_code(
        "a headroom that depends on the data",
        "joint_clipped",
        compared(
            JOINT_CLIPPED_CODE,
            lambda: twin(StaffedClasses, sound(JointClipped, tables=(2, 2))),
        ),
    ),
    _of_code(
        "draws of half the scale asked for",
        "joint_pareto",
        sampled(JOINT_CODE, lambda: twin(NarrowProduct, _wide_product())),
        epsilon=Fraction(2),
    ),
)

PLANTED: tuple[Control, ...] = (
    Control("clipped by the covered jobs", "clipped", clipped_by(CoveredNorm)),
    Control("lattice rounding without its allowance", "clipped", clipped_by(WholeJobs)),
    Control("noise of the sums halved", "clipped", clipped_by(HalfMoved)),
    Control("θ without its +1", "clipped", low_floor, epsilon=Fraction(4), alpha=Fraction(1)),
    Control("a split that depends on the data", "clipped", data_split),
    Control("a headroom that depends on the data", "clipped", data_headroom),
    Control(
        "a class of the establishments that have jobs",
        "clipped",
        staffed_classes,
        detail=f"cells 2, {WITH_MARGINS}",
    ),
    Control("Δ/α rounded down to whole jobs", "slope", whole_floor, alpha=UNEVEN),
    Control("the law of large sizes too early", "staircase", early_law, epsilon=FOUR),
    Control("a fresh radius for every cell", "vector_pareto", fresh_radius, epsilon=Fraction(4)),
    Control("the dimension p forgotten", "joint_pareto", dimension_forgotten, epsilon=FOUR),
    Control("scale cut by 10 %", "joint_pareto", cut_product, epsilon=FOUR),
    Control("every table drawn by itself", "joint_pareto", each_table, epsilon=FOUR),
    Control("noise of the sums halved", "joint_clipped", product_by(HalfMovedProduct)),
    Control(
        "lattice rounding without its allowance", "joint_clipped", product_by(WholeJobsProduct)
    ),
    *SAMPLED,
    Control("scale cut by 10 %", "clipped", cut_clipped),
)
