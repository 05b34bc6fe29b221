"""Infusion: the factors of noise infusion undone, where a cell is one establishment.

The attacker knows one number of an establishment that is alone in its cell: how many jobs it has,
from its own web page. Noise infusion multiplies all that is published of it by one factor, for
ever. He divides, has the factor, and with it every other cell and quarter.

With no knowledge he has ratios, from which the factor cancels, and whole numbers, which few factors
fit.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from leeward.core.codebook import Cells, Marginal
from leeward.core.codebook.cells import Integers
from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.error_margins import NoMargins
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, counted, percent, significant
from leeward.core.show.plots import Plot, PlotSeries, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.lone_cells import (
    LARGE,
    QUARTERS,
    WHOLE,
    Alone,
    Judged,
    fitted,
    integrality,
    integrality_rounded,
    judged,
    known_quarter,
    shape,
)
from leeward.lab.attacks.world import WORKPLACE, AttackedWorld, at_least_one
from leeward.lab.baselines.feasibility import Equations
from leeward.lab.baselines.noise_infusion import FEWEST, Infusion
from leeward.lab.evaluate.truth import Truth

BY = (*WORKPLACE, "sex", "education")
"""The table of made-up worlds."""

EPSILONS = ("1", "2", "4")
"""The ε at which a release of Leeward is attacked, beside the one that is asked for."""


@finds("infusion")
def attack(
    world: AttackedWorld,
    *,
    epsilon: str = "1",
    alpha: str = "0.1",
    worlds: int = 40,
    releases: int = 10,
    seed: int = 1,
) -> AttackFinding:
    """All that a factor which is kept for ever gives away.

    `worlds` are drawn with seeded factors; the tables are released `releases` times by Leeward.
    """
    at_least_one(worlds=worlds, releases=releases)
    marginal = world.worker_table(BY)
    truth = world.truth(marginal)
    alone, bits = Alone.of(truth), SeededBits(seed)
    known = one_total(alone, worlds, bits)
    ours = {epsilon: against_leeward(alone, alpha, epsilon, releases)}
    for price in EPSILONS:  # as far as they allow for this number of worker cells
        if price not in ours:
            with suppress(NotCovered, InvalidParameter):
                ours[price] = against_leeward(alone, alpha, price, releases)
    nothing = judged(alone, [fitted(alone.shape * alone.sizes[:, None], alone.sizes)], alone.shape)
    further = {
        "establishments": len(alone.sizes),
        "exact_share": known["with_sums"],
        "one_total": known,
        "shape": shape(alone, bits),
        "integrality": integrality(alone, bits),
        "known_quarter": known_quarter(alone, bits),
        "integrality_rounded": integrality_rounded(alone, bits),
        "withheld": withheld(marginal, truth),
        "leeward": {price: judgement.as_json() for price, judgement in ours.items()},
        "nothing": nothing.as_json(),
    }
    return AttackFinding(
        title="Noise infusion undone by one number that is known",
        number=known["unrounded"],
        sentence=f"Who knows the size of an establishment that is alone in its cell divides the "
        f"published total by it, has the factor, and with it {percent(known['unrounded'])} of its "
        f"worker cells to the last job; {percent(known['with_sums'])} where infused numbers are "
        f"rounded, and never more than {counted(known['furthest'], 'job')} off.",
        against_leeward=Against(ours[epsilon].exact, _said(ours[epsilon], nothing, alpha, epsilon)),
        against_nothing=Against(
            nothing.exact,
            f"With no release, the size and the common shape alone give {percent(nothing.exact)} "
            "of the cells exactly.",
        ),
        parameters={"data": world.words},
        pictures=_pictures(alone, known, ours, nothing, epsilon),
        remarks=_remarks(further),
        further=further,
    )


def one_total(alone: Alone, worlds: int, bits: SeededBits) -> dict[str, Any]:
    """Exact shares of cells if the size is known: unrounded, whole numbers, those that add up.

    Last with small counts of the output drawn anew, which does not touch the factor.
    """
    true, sizes, noise = alone.counts, alone.sizes[:, None], Infusion()
    draw, shares = bits.generator.random, []
    for _ in range(worlds):
        factors = noise.factors(alone.employer, draw)[:, None]
        cells, back = true * factors, sizes / np.maximum(np.rint(sizes * factors), 1)
        whole = np.rint(cells).astype(np.int64)
        unrounded = np.rint(cells * (sizes / (sizes * factors))) == true
        sums = fitted(whole * back, alone.sizes)
        perturbed = fitted(noise.perturbed(whole, uniforms=draw) * back, alone.sizes) == true
        right = sums == true
        shares.append(
            (
                unrounded.mean(),
                (np.rint(whole * back) == true).mean(),
                right.mean(),
                right.all(axis=1).mean(),
                perturbed.mean(),
                np.abs(sums - true).max(),
            )
        )
    means, least, most = np.mean(shares, axis=0), np.min(shares, axis=0), np.max(shares, axis=0)
    names = ("unrounded", "rounded", "with_sums", "whole_establishments", "output_perturbed")
    return {
        **{name: float(means[k]) for k, name in enumerate(names)},
        "with_sums_range": [float(least[2]), float(most[2])],
        "furthest": int(most[5]),
        "recovered": sums,
    }


def withheld(marginal: Marginal, truth: Truth) -> dict[str, Any]:
    """Cells and margins of few establishments withheld, and those that subtraction returns."""
    frame = truth.entries.in_frame
    if frame is None or not marginal.workplace:
        return {}
    jobs = truth.counts.sum(axis=1) > 0
    hidden = (frame < FEWEST) & jobs
    sums = Equations.of(marginal.workplace_positions(truth.numbered()))
    known = sums.kept(sums.totals(frame) >= FEWEST).subtracted(~hidden)
    single = (frame == 1) & jobs
    return {
        "share": float(hidden.sum() / max(jobs.sum(), 1)),
        "returned": float((known & hidden).sum() / max(hidden.sum(), 1)),
        "single": int(single.sum()),
        "single_returned": int((known & single).sum()),
    }


def against_leeward(alone: Alone, alpha: str, epsilon: str, releases: int) -> Judged:
    """The same attacker and whole blocks of worker cells, released under the strong policy."""
    cells = alone.counts.shape[1]
    block = mechanism("vector_pareto", alpha=alpha, epsilon=epsilon, cells=cells)
    measurement = block.measurement(by_cell=False, margins=NoMargins())
    sizes, shares_of = alone.sizes, []
    for _ in range(releases):
        released = measurement.measure(Cells(alone.counts, sizes)).values
        inside = np.clip(released, 0, sizes[:, None])
        total = inside.sum(axis=1, keepdims=True)
        shares_of.append(np.where(total > 0, inside / np.maximum(total, 1), alone.shape))
    shares = np.stack(shares_of)
    return judged(alone, list(fitted(shares * sizes[:, None], sizes)), shares)


def _said(ours: Judged, nothing: Judged, alpha: str, epsilon: str) -> str:
    more = "more" if ours.exact > nothing.exact else "no more"
    return (
        f"From a release of Leeward at α = {alpha}, ε = {epsilon} the same attacker has "
        f"{percent(ours.exact)} of the cells exactly, {more} than with no release; of "
        f"establishments of {LARGE} jobs or more {percent(ours.exact_large)} against "
        f"{percent(nothing.exact_large)}."
    )


def _remarks(numbers: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each further way that there were establishments for."""
    known, quarter, hidden = numbers["one_total"], numbers["known_quarter"], numbers["withheld"]
    shares, at = numbers["shape"][f"points_from_{LARGE}_jobs"], numbers["leeward"].items()
    remarks = [
        "Output perturbation draws counts of 1 and 2 anew and leaves the factor: "
        f"{percent(known['output_perturbed'])} of all cells are still exact.",
    ]
    if shares is not None:
        remarks.append(
            f"Shape, with no knowledge: shares of worker cells are off by {significant(shares)} "
            f"points in establishments of {LARGE} jobs or more, by rounding alone; unrounded they "
            "are exact."
        )
    if numbers["integrality"]["rows"]:
        remarks += _integrality_remarks(numbers)
    if quarter["exact"] is not None:
        remarks.append(
            f"Time: one known quarter gives {percent(quarter['exact'])} of {QUARTERS - 1} others "
            f"exactly; growth shows to {significant(quarter['growth_points'])} points with no "
            "knowledge, since the factor cancels. (Quarters are made up.)"
        )
    if hidden:
        remarks.append(
            f"Withholding: of the {percent(hidden['share'])} of cells with fewer than {FEWEST} "
            f"establishments, subtraction from published margins returns "
            f"{percent(hidden['returned'])}; of {count(hidden['single'])} single establishments "
            f"{count(hidden['single_returned'])}."
        )
    ours = ", ".join(f"{percent(judgement['exact'])} at ε = {epsilon}" for epsilon, judgement in at)
    least = percent(numbers["nothing"]["exact"])
    return (
        *remarks,
        f"Ours leaks too where ε is large and cells are small: {ours}, against {least} without "
        "a release.",
    )


def _integrality_remarks(numbers: Mapping[str, Any]) -> list[str]:
    whole, left = numbers["integrality"], numbers["integrality_rounded"]
    narrowed = ", ".join(
        f"{percent(quarter['support_left'])} after {quarter['quarters']}" for quarter in left
    )
    return [
        f"Integrality: of unrounded rows with {WHOLE} jobs or more, {count(whole['exact'])} of "
        f"{count(whole['rows'])} are found exactly with no knowledge, because one factor alone "
        "makes all their cells whole numbers.",
        f"Integrality of rounded rows: the likely share of all factors by quarters is {narrowed}; "
        f"at last the side is right in {percent(left[-1]['side_right'])}.",
    ]


def _pictures(
    alone: Alone, known: dict[str, Any], ours: dict[str, Judged], nothing: Judged, epsilon: str
) -> tuple[Plot, Shares]:
    recovered, large = known.pop("recovered"), alone.sizes >= LARGE

    def dots(estimates: Integers) -> list[tuple[float, float]]:
        pairs = zip(alone.counts[large].ravel(), estimates[large].ravel(), strict=True)
        return [(float(true), float(estimate)) for true, estimate in pairs]

    plot = Plot(
        title="Who knows one total puts infused cells back on the line",
        x=f"true jobs of worker cells, establishments of {LARGE} or more",
        y="recovered",
        series=(
            PlotSeries(
                f"a release of Leeward, ε = {epsilon}",
                "ours",
                dots(ours[epsilon].estimates),
                joined=False,
            ),
            PlotSeries("noise infusion, whole numbers", "theirs", dots(recovered), joined=False),
        ),
        diagonal=True,
    )
    bars = (
        bar("infusion, unrounded", known["unrounded"]),
        bar("infusion, whole numbers", known["rounded"]),
        bar("infusion, whole numbers that add up", known["with_sums"]),
        *(bar(f"Leeward, ε {price}", judgement.exact, "ours") for price, judgement in ours.items()),
        bar("no release", nothing.exact, "nothing"),
    )
    return plot, Shares("Cells that someone who knows the size has to the last job", bars, 1.0)
