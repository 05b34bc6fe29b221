"""Margins: the largest establishment of a cell, from a margin of error that was meant to help.

The attacker reads a table whose counts carry noise that grows with the largest establishment of
their cell. Beside every count stands its margin of error, computed from the true scale of that
noise: q times the size of the largest establishment, rounded up.

The law of the noise is public, so q is. He divides the margin by q and rounds down: that is the
size of the largest establishment. He does not need the counts.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter
from leeward.core.mechanisms.additive import Additive
from leeward.core.mechanisms.error_margins import spend
from leeward.core.mechanisms.measurement import COVERAGE
from leeward.core.mechanisms.scale import smallest
from leeward.core.show.numbers import counted, percent
from leeward.core.show.plots import Plot, PlotSeries
from leeward.lab.attacks.finding import Against, AttackFinding, finds
from leeward.lab.attacks.released_counts import additive
from leeward.lab.attacks.world import WORKPLACE, AttackedWorld

NEAR = 0.1
"""A size that is off by no more than this share counts as known to ten per cent."""

MOST_DOTS = 400
"""Cells in the picture."""

HAIR = 1e-9
"""Against float error: no margin is that near to a multiple of q."""


@dataclass(frozen=True)
class Recovered:
    """Sizes that an attacker computes, beside the true ones."""

    sizes: Floats
    true: Integers

    @property
    def exact(self) -> float:
        """The share that is right to the job."""
        return float(np.mean(self.sizes == self.true))

    @property
    def near(self) -> float:
        """The share that is right to ten per cent."""
        return float(np.mean(np.abs(self.sizes - self.true) <= NEAR * self.true))

    @property
    def most_off(self) -> int:
        """The largest error."""
        return int(np.abs(self.sizes - self.true).max())


@finds("margins")
def attack(
    world: AttackedWorld,
    *,
    epsilon: str = "1",
    alpha: str = "0.1",
    margin_epsilon: str = "0.1",
    releases: int = 20,
) -> AttackFinding:
    """Divide margins of the true scale by their public factor, then those of a release."""
    noise = additive("slope", alpha=alpha, epsilon=epsilon)
    q = smallest(lambda z: float(noise.within(np.array([z]))[0]), COVERAGE)
    true = _largest(world, noise)
    fine, coarse = (recovered(true, q, places) for places in (1, 0))
    rule = spend(noise, Fraction(margin_epsilon))
    every = np.tile(true, releases)
    scale = rule.factor() * float(noise.parameters.growth)
    ours = Recovered(np.round(rule.margins(rule.scale.release(None, every)) / scale), every)
    low, high = np.quantile(ours.sizes / ours.true, (0.05, 0.95))
    guess, known = _guess(true)
    cells = counted(true.size, "cell")
    return AttackFinding(
        "A margin of error of the true scale gives the establishment away",
        fine.exact,
        f"The largest establishment is found to the job in {percent(fine.exact)} of {cells} if "
        f"margins have one decimal, and in {percent(coarse.exact)} if they are whole jobs, where "
        f"it is never off by more than {coarse.most_off}.",
        Against(
            ours.near,
            f"Margins follow from a scale with noise of its own (ε {margin_epsilon}): the size is "
            f"known to ten per cent in {percent(ours.near)} of cells, to the job in "
            f"{percent(ours.exact)}. In nine of ten cells he is off by a factor from {low:.3f} to "
            f"{high:.1f}.",
        ),
        Against(
            known,
            f"Whoever guesses {guess} jobs everywhere is right to ten per cent in "
            f"{percent(known)} of cells; no other number does better.",
        ),
        (_picture(true, fine, ours),),
        remarks=(
            f"The margin that nine in ten draws keep to is {q:.6f} times the largest establishment "
            f"({q / float(noise.parameters.growth):.4f} S).",
            "Cells whose largest establishment is below Δ/α all have the same scale and are left "
            "out.",
        ),
        parameters={"data": world.words},
        further={
            "cells": true.size,
            "factor": q,
            "whole_jobs": coarse.exact,
            "most_off": coarse.most_off,
            "exact_against_leeward": ours.exact,
        },
    )


def _largest(world: AttackedWorld, mechanism: Additive) -> Integers:
    """The largest establishments of the cells whose noise grows with them."""
    truth = world.truth(world.workplace_table(WORKPLACE))
    grown = truth.cells.largest[truth.cells.largest >= float(mechanism.parameters.floor)]
    if not grown.size:
        raise InvalidParameter(
            "alpha",
            rule="must be at least one job over the largest establishment: else all margins are "
            "the same",
            value=str(mechanism.parameters.growth),
            next_step="Raise alpha with --with, or choose a plan with larger establishments.",
        )
    return grown


def recovered(true: Integers, q: float, places: int) -> Recovered:
    """What a margin with this number of decimals, rounded up, gives away of each size."""
    margin = np.ceil(q * true * 10**places - HAIR) / 10**places
    return Recovered(np.floor(margin / q + HAIR), true)


def _guess(true: Integers) -> tuple[int, float]:
    """The one size that is right to ten per cent most often."""
    sizes = np.unique(true)
    shares = [float(np.mean(np.abs(size - true) <= NEAR * true)) for size in sizes]
    best = int(np.argmax(shares))
    return int(sizes[best]), shares[best]


def _picture(true: Integers, fine: Recovered, ours: Recovered) -> Plot:
    some = slice(None, None, max(1, true.size // MOST_DOTS))
    theirs = zip(true[some].tolist(), fine.sizes[some].tolist(), strict=True)
    ours_shown = np.maximum(ours.sizes[: true.size][some], 1)
    return Plot(
        "Divided by a public number, the margin is the employer",
        "true jobs of the largest establishment",
        "jobs that the attacker computes from the margin",
        (
            PlotSeries("from a Leeward release", "ours",
                   list(zip(true[some].tolist(), ours_shown.tolist(), strict=True)), joined=False),
            PlotSeries("from margins of the true scale", "theirs", list(theirs), joined=False),
        ),
        log_x=True,
        log_y=True,
        diagonal=True,
    )  # fmt: skip
