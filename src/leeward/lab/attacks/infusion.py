"""Infusion: the factors of noise infusion undone, where a cell is one establishment.

The attacker knows one number of an establishment that is alone in its cell: how many jobs it has,
from its own web page. Noise infusion multiplies all that is published of it by one factor, for
ever. He divides, has the factor, and with it every other cell and quarter.

With no knowledge he has ratios, from which the factor cancels, and whole numbers, which few factors
fit.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leeward.core.codebook import Cells, Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, NotCovered
from leeward.core.mechanisms import mechanism
from leeward.core.mechanisms.error_margins import NoMargins
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, counted, percent, significant
from leeward.core.show.plots import Look, Plot, PlotSeries, Share, Shares
from leeward.lab.attacks.finding import Against, Finding
from leeward.lab.attacks.world import WORKPLACE, World, at_least_one
from leeward.lab.baselines.feasibility import Equations
from leeward.lab.baselines.noise_infusion import FEWEST, Infusion
from leeward.lab.evaluate.truth import Truth

BY = (*WORKPLACE, "sex", "education")
"""The table of made-up worlds."""

EPSILONS = ("1", "2", "4")
"""The ε at which a release of Leeward is attacked, beside the one that is asked for."""

LARGE, LARGEST = 50, 250
"""Establishments whose shares are looked at."""
SEVERAL, QUARTERS, STEP = 10, 12, 0.05
"""Jobs of establishments that are followed, quarters, and the deviation of log growth in one."""
WHOLE, WATCHED, ROWS, GRID = 30, (1, 4, 12, 40), 60, 1000
"""Jobs, quarters and number of establishments for integrality, and steps of each side's factors."""


@dataclass(frozen=True, eq=False, repr=False)
class Alone:
    """Workplace cells of one establishment: true counts (w, d), and the employer of each."""

    counts: Integers
    employer: Integers

    @classmethod
    def of(cls, truth: Truth) -> "Alone":
        """The cells with one establishment in the frame, and with jobs."""
        entries = truth.entries
        if entries.in_frame is None or entries.employer is None:
            raise TypeError("the entries were tabulated without a frame or without employers")
        counts = truth.counts[entries.workplace]
        single = (entries.in_frame[entries.workplace] == 1) & (counts.sum(axis=1) > 0)
        if not single.any():
            raise InvalidParameter(
                "tables",
                rule="must have workplace cells of one establishment to be attacked",
                value="none in the first table with worker attributes",
                next_step="Take a plan with a finer table.",
            )
        return cls(counts[single], entries.employer[single])

    @cached_property
    def sizes(self) -> Integers:
        """All jobs of each."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def shares(self) -> Floats:
        """The worker cells as shares of the size."""
        return np.asarray(self.counts / self.sizes[:, None])

    @property
    def shape(self) -> Floats:
        """The shares of all of them together: what is known without a release."""
        return np.asarray(self.counts.sum(axis=0) / self.counts.sum())

    def from_size(self, least: int, most: int | None = None) -> "Alone":
        """Those with at least this number of jobs, the first `most` of them."""
        some = np.flatnonzero(self.sizes >= least)[:most]
        return Alone(self.counts[some], self.employer[some])


def attack(
    world: World,
    *,
    epsilon: str = "1",
    alpha: str = "0.1",
    worlds: int = 40,
    releases: int = 10,
    seed: int = 1,
) -> Finding:
    """All that a factor which is kept for ever gives away.

    `worlds` are drawn with seeded factors; the tables are released `releases` times by Leeward.
    """
    at_least_one(worlds=worlds, releases=releases)
    marginal = world.worker_table(BY)
    truth = world.truth(marginal)
    alone, bits = Alone.of(truth), SeededBits(seed)
    known = one_total(alone, worlds, bits)
    ours = {epsilon: against_leeward(alone, alpha, epsilon, releases)}
    ours |= _others(alone, alpha, releases, [one for one in EPSILONS if one != epsilon])
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
        "leeward": {one: found.as_json() for one, found in ours.items()},
        "nothing": nothing.as_json(),
    }
    return Finding(
        attack="infusion",
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
        parameters={
            "epsilon": epsilon,
            "alpha": alpha,
            "worlds": worlds,
            "releases": releases,
            "seed": seed,
            "data": world.words,
        },
        pictures=_pictures(alone, known, ours, nothing, epsilon),
        remarks=_remarks(further),
        further=further,
        internal=world.internal,
    )


def fitted(estimates: Floats, totals: Integers) -> Integers:
    """Whole numbers nearest to estimates (…, w, d) that add up to the totals (w,)."""
    near = np.rint(estimates)
    rest = estimates - near
    each, some = np.divmod(totals - near.sum(axis=-1), near.shape[-1])
    place = np.argsort(np.argsort(-rest, axis=-1, kind="stable"), axis=-1)
    return np.asarray(near + each[..., None] + (place < some[..., None]), dtype=np.int64)


def one_total(alone: Alone, worlds: int, bits: SeededBits) -> dict[str, Any]:
    """Exact shares of cells if the size is known: unrounded, whole numbers, those that add up.

    Last with small counts of the output drawn anew, which does not touch the factor.
    """
    true, sizes, noise = alone.counts, alone.sizes[:, None], Infusion()
    draw, found = bits.generator.random, []
    for _ in range(worlds):
        factors = noise.factors(alone.employer, draw)[:, None]
        cells, back = true * factors, sizes / np.maximum(np.rint(sizes * factors), 1)
        whole = np.rint(cells).astype(np.int64)
        unrounded = np.rint(cells * (sizes / (sizes * factors))) == true
        sums = fitted(whole * back, alone.sizes)
        perturbed = fitted(noise.perturbed(whole, uniforms=draw) * back, alone.sizes) == true
        right = sums == true
        found.append(
            (
                unrounded.mean(),
                (np.rint(whole * back) == true).mean(),
                right.mean(),
                right.all(axis=1).mean(),
                perturbed.mean(),
                np.abs(sums - true).max(),
            )
        )
    means, least, most = np.mean(found, axis=0), np.min(found, axis=0), np.max(found, axis=0)
    names = ("unrounded", "rounded", "with_sums", "whole_establishments", "output_perturbed")
    return {
        **{name: float(means[k]) for k, name in enumerate(names)},
        "with_sums_range": [float(least[2]), float(most[2])],
        "furthest": int(most[5]),
        "recovered": sums,
    }


def shape(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """Mean error of shares in points, rounded, with no knowledge; unrounded they are exact."""
    factors = Infusion().factors(alone.employer, bits.generator.random)[:, None]
    total = np.maximum(np.rint(alone.sizes[:, None] * factors), 1)
    shares = np.rint(alone.counts * factors) / total
    error = 100 * np.abs(shares - alone.shares)
    return {
        f"points_from_{least}_jobs": _mean(error[alone.sizes >= least])
        for least in (LARGE, LARGEST)
    }


def integrality(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """How many unrounded rows are found exactly from their being whole numbers alone."""
    some, noise = alone.from_size(WHOLE), Infusion()
    factors = noise.factors(some.employer, bits.generator.random)
    rows = some.counts * factors[:, None]
    right = [_only_factor(row, noise, float(f)) for row, f in zip(rows, factors, strict=True)]
    return {"rows": len(right), "exact": sum(right)}


def _only_factor(row: Floats, noise: Infusion, true: float) -> bool:
    """Whether the true factor is the only one that makes all cells whole numbers."""
    top = float(row.max())
    jobs = np.arange(ceil(top / (1 + noise.upper)), floor(top / (1 - noise.upper)) + 1)
    factors = top / jobs[np.abs(top / jobs - 1) >= noise.lower * (1 - 1e-9)]
    counts = row / factors[:, None]
    fits = factors[(np.abs(counts - np.rint(counts)) < 1e-6).all(axis=1)]
    return len(fits) == 1 and abs(float(fits[0]) - true) < 1e-9


def _quarters(sizes: Integers, quarters: int, bits: SeededBits) -> Integers:
    """Made-up quarters: sizes that move by lognormal steps, the first ones as they are."""
    steps = STEP * bits.generator.standard_normal((quarters, sizes.size))
    steps[0] = 0
    return np.maximum(np.rint(sizes * np.exp(np.cumsum(steps, axis=0))), 1).astype(np.int64)


def known_quarter(alone: Alone, bits: SeededBits) -> dict[str, Any]:
    """What one known quarter gives of the others, and growth with none, which has no factor."""
    some = alone.from_size(SEVERAL)
    sizes = _quarters(some.sizes, QUARTERS, bits)
    seen = np.rint(sizes * Infusion().factors(some.employer, bits.generator.random))
    found = np.rint(seen[1:] * (sizes[0] / seen[0]))
    growth = 100 * np.abs(seen[1:] / seen[:-1] - sizes[1:] / sizes[:-1])
    return {
        "quarters": QUARTERS,
        "exact": _mean(found == sizes[1:]),
        "mean_error": _mean(np.abs(found - sizes[1:]) / sizes[1:]),
        "growth_points": _mean(growth),
    }


def integrality_rounded(alone: Alone, bits: SeededBits) -> list[dict[str, Any]]:
    """How far rounded rows narrow the factor down, by Bayes' rule from the ramp and 1/c.

    The weight of c jobs before is 1/c: a flat one would prefer the factors with more whole numbers
    in reach, which are the small ones.
    """
    some, noise = alone.from_size(WHOLE, ROWS), Infusion()
    edges = noise.lower + (noise.upper - noise.lower) * np.linspace(0, 1, GRID + 1)
    low = np.concatenate([1 - edges[:0:-1], 1 + edges[:-1]])
    high = np.concatenate([1 - edges[-2::-1], 1 + edges[1:]])
    true = noise.factors(some.employer, bits.generator.random)
    weight = np.log(np.diff(np.stack([noise.below(low), noise.below(high)]), axis=0)[0])
    belief = np.tile(weight, (len(true), 1))
    found = []
    for quarter, sizes in enumerate(_quarters(some.sizes, WATCHED[-1], bits), 1):
        row = bits.generator.multinomial(sizes, some.shares)
        for cell in np.rint(np.column_stack([row, sizes]) * true[:, None]).T:
            belief += np.where(cell[:, None] > 0, np.log(_likely(cell[:, None], low, high)), 0)
        belief -= belief.max(axis=1, keepdims=True)
        if quarter in WATCHED:
            at = np.searchsorted(low, true, side="right") - 1
            found.append({"quarters": quarter, **_narrowed(np.exp(belief), at)})
    return found


def _likely(seen: Floats, low: Floats, high: Floats) -> Floats:
    """Σ 1/c over the counts c that a factor rounds to what is seen, its mean from low to high."""
    first = np.maximum(np.ceil((seen - 0.5) / high), 1)
    total = np.zeros(first.shape)
    for jobs in (first, first + 1, first + 2):
        part = np.minimum(high, (seen + 0.5) / jobs) - np.maximum(low, (seen - 0.5) / jobs)
        total += np.maximum(part, 0) / (jobs * (high - low))
    return np.maximum(total, 1e-300)


def _narrowed(belief: Floats, true: Integers) -> dict[str, Any]:
    """The 95 % set as a share of all factors, and how often it and the likelier side are right."""
    belief = belief / belief.sum(axis=1, keepdims=True)
    place = np.argsort(np.argsort(-belief, axis=1, kind="stable"), axis=1)
    inside = (np.cumsum(-np.sort(-belief, axis=1), axis=1) < 0.95).sum(axis=1) + 1
    steps = belief.shape[1]
    up = belief[:, steps // 2 :].sum(axis=1) > 0.5
    return {
        "support_left": _mean(inside / steps),
        "covers": _mean(place[np.arange(len(true)), true] < inside),
        "side_right": _mean(up == (true >= steps // 2)),
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


@dataclass(frozen=True, eq=False)
class Judged:
    """Estimates of someone who knows the sizes: how many are exact, and how far shares are off."""

    exact: float
    exact_large: float | None
    points_large: float | None
    estimates: Integers

    def as_json(self) -> dict[str, Any]:
        """All but the estimates."""
        return {name: one for name, one in vars(self).items() if name != "estimates"}


def judged(alone: Alone, estimates: Sequence[Integers], shares: Floats) -> Judged:
    """Estimates (w, d) of each release, and their shares before they were made whole."""
    right = np.stack(estimates) == alone.counts
    large = alone.sizes >= LARGE
    off = np.abs(np.broadcast_to(shares, right.shape) - alone.shares)
    return Judged(
        float(right.mean()), _mean(right[:, large]), _mean(100 * off[:, large]), estimates[0]
    )


def against_leeward(alone: Alone, alpha: str, epsilon: str, releases: int) -> Judged:
    """The same attacker and whole blocks of worker cells, released under the strong policy."""
    cells = alone.counts.shape[1]
    block = mechanism("vector_pareto", alpha=alpha, epsilon=epsilon, cells=cells)
    made = block.measurement(by_cell=False, margins=NoMargins())
    sizes, found = alone.sizes, []
    for _ in range(releases):
        released = made.measure(Cells(alone.counts, sizes)).values
        inside = np.clip(released, 0, sizes[:, None])
        total = inside.sum(axis=1, keepdims=True)
        found.append(np.where(total > 0, inside / np.maximum(total, 1), alone.shape))
    shares = np.stack(found)
    return judged(alone, list(fitted(shares * sizes[:, None], sizes)), shares)


def _others(alone: Alone, alpha: str, releases: int, epsilons: Sequence[str]) -> dict[str, Judged]:
    """The same at other ε, as far as they allow for this number of worker cells."""
    found = {}
    for epsilon in epsilons:
        with suppress(NotCovered, InvalidParameter):
            found[epsilon] = against_leeward(alone, alpha, epsilon, releases)
    return found


def _mean(values: ArrayLike) -> float | None:
    """None of nothing."""
    given = np.asarray(values)
    return float(given.mean()) if given.size else None


def _said(ours: Judged, nothing: Judged, alpha: str, epsilon: str) -> str:
    more = "more" if ours.exact > nothing.exact else "no more"
    return (
        f"From a release of Leeward at α = {alpha}, ε = {epsilon} the same attacker has "
        f"{percent(ours.exact)} of the cells exactly, {more} than with no release; of "
        f"establishments of {LARGE} jobs or more {percent(ours.exact_large)} against "
        f"{percent(nothing.exact_large)}."
    )


def _remarks(found: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each further way that there were establishments for."""
    known, quarter, hidden = found["one_total"], found["known_quarter"], found["withheld"]
    shares, at = found["shape"][f"points_from_{LARGE}_jobs"], found["leeward"].items()
    told = [
        "Output perturbation draws counts of 1 and 2 anew and leaves the factor: "
        f"{percent(known['output_perturbed'])} of all cells are still exact.",
    ]
    if shares is not None:
        told.append(
            f"Shape, with no knowledge: shares of worker cells are off by {significant(shares)} "
            f"points in establishments of {LARGE} jobs or more, by rounding alone; unrounded they "
            "are exact."
        )
    if found["integrality"]["rows"]:
        told += _integrality_remarks(found)
    if quarter["exact"] is not None:
        told.append(
            f"Time: one known quarter gives {percent(quarter['exact'])} of {QUARTERS - 1} others "
            f"exactly; growth shows to {significant(quarter['growth_points'])} points with no "
            "knowledge, since the factor cancels. (Quarters are made up.)"
        )
    if hidden:
        told.append(
            f"Withholding: of the {percent(hidden['share'])} of cells with fewer than {FEWEST} "
            f"establishments, subtraction from published margins returns "
            f"{percent(hidden['returned'])}; of {count(hidden['single'])} single establishments "
            f"{count(hidden['single_returned'])}."
        )
    ours = ", ".join(f"{percent(one['exact'])} at ε = {epsilon}" for epsilon, one in at)
    least = percent(found["nothing"]["exact"])
    return (
        *told,
        f"Ours leaks too where ε is large and cells are small: {ours}, against {least} without "
        "a release.",
    )


def _integrality_remarks(found: Mapping[str, Any]) -> list[str]:
    whole, left = found["integrality"], found["integrality_rounded"]
    narrowed = ", ".join(f"{percent(one['support_left'])} after {one['quarters']}" for one in left)
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

    def dots(found: Integers) -> list[tuple[float, float]]:
        pairs = zip(alone.counts[large].ravel(), found[large].ravel(), strict=True)
        return [(float(true), float(one)) for true, one in pairs]

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
        _bar("infusion, unrounded", known["unrounded"], "theirs"),
        _bar("infusion, whole numbers", known["rounded"], "theirs"),
        _bar("infusion, whole numbers that add up", known["with_sums"], "theirs"),
        *(_bar(f"Leeward, ε {one}", found.exact, "ours") for one, found in ours.items()),
        _bar("no release", nothing.exact, "nothing"),
    )
    return plot, Shares("Cells that someone who knows the size has to the last job", bars, 1.0)


def _bar(label: str, value: float, look: Look) -> Share:
    return Share(label, value, percent(value), look)
