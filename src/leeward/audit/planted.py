"""Planted faults: controls on the code that a release calls, examined as the genuine code is."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from flint import arb

from leeward.audit.clipped import clipped_loss
from leeward.audit.control import EPSILON, STRONG, Control, made
from leeward.audit.loss import Loss
from leeward.audit.measure import Depth, block
from leeward.audit.sampled import RELEASED_CODE, sampled_loss
from leeward.audit.twins import (
    CoveredNorm,
    DataSplit,
    FreshGamma,
    HalfMoved,
    LowFloor,
    NarrowClipped,
    NarrowSlope,
    WholeJobs,
    clipped_twin,
    twin,
)
from leeward.mechanisms.additive import Additive
from leeward.mechanisms.clipped import Clipped
from leeward.mechanisms.clipping import Clipping
from leeward.mechanisms.slope import Slope
from leeward.mechanisms.vector_pareto import VectorPareto

CUT = Fraction(9, 10)
WIDE = {"alpha": Fraction(3), "epsilon": Fraction(3), "cells": 2}
"""Where few draws tell whether cells share their H."""


def cut_clipped(depth: Depth) -> Loss:
    """A tenth less noise on index and sums."""
    genuine = made(Clipped, "clipped", cells=8)
    spoilt = made(Clipped, "clipped", cells=8, epsilon=EPSILON / CUT, split=genuine.split)
    return replace(clipped_loss(spoilt, STRONG, depth), delta=arb("nan"))


def clipped_by(kind: type[Clipping], cells: int = 8) -> Callable[[Depth], Loss]:
    """The released code with one step of its clipping replaced."""

    def examine(depth: Depth) -> Loss:
        genuine = made(Clipped, "clipped", cells=cells)
        return clipped_loss(clipped_twin(genuine, kind), STRONG, depth)

    return examine


def low_floor(depth: Depth) -> Loss:
    """θ without its +1, where one joiner of an empty establishment tells."""
    genuine = made(Clipped, "clipped", alpha=Fraction(1), epsilon=Fraction(4))
    return clipped_loss(clipped_twin(genuine, LowFloor), STRONG, depth)


def data_split(depth: Depth) -> Loss:
    """Scales that follow the data, and not only θ."""
    return clipped_loss(twin(DataSplit, made(Clipped, "clipped", cells=2)), STRONG, depth)


def fresh_gamma(depth: Depth) -> Loss:
    """Cells that are independent lose one by one."""
    pareto = made(VectorPareto, "vector_pareto", epsilon=Fraction(4), cells=2)
    return block(twin(FreshGamma, pareto), STRONG, depth)


def sampled(spoilt: Callable[[], Additive | Clipped]) -> Callable[[Depth], Loss]:
    """What draws of the released code alone show, nothing else being looked at."""
    return lambda _: sampled_loss(spoilt(), STRONG)


def _clipped_draws(kind: type[Clipping]) -> Callable[[], Clipped]:
    return lambda: clipped_twin(made(Clipped, "clipped"), kind)


SAMPLED: tuple[Control, ...] = (
    Control(
        "clipped by the covered jobs",
        "clipped",
        sampled(_clipped_draws(CoveredNorm)),
        detail=RELEASED_CODE,
    ),
    Control(
        "a split that depends on the data",
        "clipped",
        sampled(lambda: twin(DataSplit, made(Clipped, "clipped"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "draws of half the scale asked for",
        "clipped",
        sampled(lambda: twin(NarrowClipped, made(Clipped, "clipped"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "draws of half the scale asked for",
        "slope",
        sampled(lambda: twin(NarrowSlope, made(Slope, "slope"))),
        detail=RELEASED_CODE,
    ),
    Control(
        "a fresh H for every cell",
        "vector_pareto",
        sampled(lambda: twin(FreshGamma, made(VectorPareto, "vector_pareto", **WIDE))),
        epsilon=Fraction(3),
        alpha=Fraction(3),
        detail=RELEASED_CODE,
    ),
)

PLANTED: tuple[Control, ...] = (
    Control("clipped by the covered jobs", "clipped", clipped_by(CoveredNorm)),
    Control("lattice rounding without its allowance", "clipped", clipped_by(WholeJobs)),
    Control("noise of the sums halved", "clipped", clipped_by(HalfMoved)),
    Control("θ without its +1", "clipped", low_floor, epsilon=Fraction(4), alpha=Fraction(1)),
    Control("a split that depends on the data", "clipped", data_split),
    Control("a fresh H for every cell", "vector_pareto", fresh_gamma, epsilon=Fraction(4)),
    *SAMPLED,
    Control("scale cut by 10 %", "clipped", cut_clipped),
)
