"""Linkage: people who are alone with what a neighbour knows.

The attacker has a file without names and knows a few things about somebody in it: where she works,
her age class, some dates. If only one row fits, it is hers, and all else in the row with it.

Four ways around that do not help: leaving names out, errors in sparse histories (a score finds the
person), making every row equal to k others (all k may share the secret, and two such files may
share one person), and publishing just a sample (whoever is in it has nowhere to hide).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from leeward.core.codebook import Marginal
from leeward.core.codebook.cells import Floats, Integers
from leeward.core.errors import InvalidParameter, shown
from leeward.core.randomness import SeededBits
from leeward.core.show.numbers import count, counted, listed, percent
from leeward.core.show.plots import Plot, PlotSeries, Shares
from leeward.lab.attacks.finding import Against, AttackFinding, bar, finds
from leeward.lab.attacks.k_anonymity import just_a_sample, k_anonymity
from leeward.lab.attacks.world import WORKPLACE, AttackedWorld
from leeward.lab.evaluate.truth import Truth

KNOWN = ("age", "sex", "race", "ethnicity", "education")
HIDDEN = "earnings"

BIRTHS = round(2 * 78 * 365.25)
"""Combinations of sex and birth date of people up to 78 years old."""

AREAS = (5_000, 10_000, 30_000, 100_000)
"""People in an area whose uniqueness is told."""

TOWNS, TOWN, SPREAD = 40, 6_000, 1.2
"""Made-up areas, people in the middle one, and the deviation of the logarithm."""

PEOPLE, ITEMS, LENGTH, DAYS = 5_000, 2_000, 30, 730
"""Made-up histories: people, items, items of a person, days."""

OFF, FADE, ECCENTRIC = 14, 30.0, 6.0
"""How far days are off, the days over which a score fades, and the gap that makes a match.

The gap is so wide that hardly anyone is found who is not in the file.
"""


@finds("linkage")
def attack(
    world: AttackedWorld, *, k: int = 5, sample: float = 0.1, targets: int = 200, seed: int = 1
) -> AttackFinding:
    """Who is alone in a file of rows, and four protections that do not change it."""
    _require(k, sample, targets)
    table = world.worker_table((*WORKPLACE, *KNOWN))
    truth, bits = world.truth(table), SeededBits(seed)
    steps = dict(uniqueness(table, truth))
    with_workplace, jobs = steps[ALL], int(truth.counts.sum())
    secret = world.worker_table((*WORKPLACE, *KNOWN, HIDDEN))
    anonymous = k_anonymity(secret, world.truth(secret).counts, k, bits)
    sampled, scored = just_a_sample(truth.counts, sample), scores(bits, targets)
    without = [share for name, share in steps.items() if name != ALL][-1]
    people, places = (listed(by.name for by in side) for side in (table.worker, table.workplace))
    further = {
        "uniqueness": steps,
        "areas": {str(people): alone_in(people) for people in AREAS},
        "towns": towns(SeededBits(seed)),
        "histories": scored,
        "k_anonymity": anonymous,
        "sample": sampled,
    }
    return AttackFinding(
        title="Who is alone with what a neighbour knows",
        number=with_workplace,
        sentence=f"{percent(with_workplace)} of {count(jobs)} jobs are the only ones of their kind "
        f"at their workplace by {people}; {percent(without)} even if nothing but {places} of "
        "the workplace is known. A file of rows without names gives them away.",
        against_leeward=Against(
            0.0, "A release of Leeward has no rows of people or jobs: there is nothing to link."
        ),
        against_nothing=Against(
            1 / max(jobs, 1),
            f"With no file a guess at a job is right once in {count(jobs)} times.",
        ),
        parameters={"data": world.words},
        pictures=_pictures(steps, scored),
        remarks=_remarks(further, (k, sample)),
        further=further,
    )  # fmt: skip


ALL = "and the workplace"


def _require(k: int, sample: float, targets: int) -> None:
    if k < 2 or not 0 < sample < 1 or not 1 <= targets <= PEOPLE:
        raise InvalidParameter(
            "k, sample, targets",
            rule=f"must be 2 rows or more, a share between 0 and 1, and 1 to {PEOPLE:,} people",
            value=f"{shown(k)}, {shown(sample)}, {shown(targets)}",
            next_step="Leave them out for 5, 0.1 and 200.",
        )


def uniqueness(table: Marginal, truth: Truth) -> Iterator[tuple[str, float]]:
    """The share of jobs that are alone as attributes are added, at last with the workplace."""
    jobs = max(int(truth.counts.sum()), 1)
    places = table.workplace_positions(truth.numbered())
    words, keys = [], np.zeros(len(truth.counts), dtype=np.int64)
    for attribute, at in zip(table.workplace, places, strict=True):
        words.append(attribute.name)
        keys = np.unique(keys * attribute.size + at, return_inverse=True)[1]
        yield ", ".join(words), _alone(np.bincount(keys, truth.counts.sum(axis=1)), jobs)
    blocks = truth.counts.reshape(
        len(truth.counts), *(attribute.size for attribute in table.worker)
    )
    for k, attribute in enumerate(table.worker, 1):
        rest = tuple(range(k + 1, blocks.ndim))
        yield f"and {attribute.name}", _alone(blocks.sum(axis=rest), jobs)
    yield ALL, _alone(truth.entries.counts, jobs)


def _alone(counts: Integers | Floats, jobs: int) -> float:
    return float((counts == 1).sum() / jobs)


def alone_in(people: int) -> float:
    """P(nobody else in the area has my sex and birth date), all being equally likely."""
    return float((1 - 1 / BIRTHS) ** (people - 1))


def towns(bits: SeededBits) -> dict[str, Any]:
    """The same in made-up areas, drawn and by the closed form."""
    sizes = np.rint(TOWN * np.exp(SPREAD * bits.generator.standard_normal(TOWNS))).astype(np.int64)
    births = [np.bincount(bits.generator.integers(0, BIRTHS, size)) for size in sizes]
    people = int(sizes.sum())
    return {
        "people": people,
        "drawn": sum(int((born == 1).sum()) for born in births) / people,
        "closed_form": float(np.average([alone_in(int(size)) for size in sizes], weights=sizes)),
    }


@dataclass(frozen=True, eq=False, repr=False)
class SparseHistories:
    """Sparse histories: who did what on which day, in the order of the items."""

    person: Integers
    item: Integers
    day: Integers

    @classmethod
    def drawn(cls, bits: SeededBits) -> "SparseHistories":
        """Made up: few items are common, most are rare."""
        generator = bits.generator
        length = np.maximum(generator.poisson(LENGTH, PEOPLE), 8)
        person = np.repeat(np.arange(PEOPLE), length)
        item = generator.choice(ITEMS, person.size, p=cls.popularity())
        pairs = np.unique(item * PEOPLE + person)
        return cls(pairs % PEOPLE, pairs // PEOPLE, generator.integers(0, DAYS, pairs.size))

    @staticmethod
    def popularity() -> Floats:
        """In inverse proportion to the rank of an item."""
        weights = 1 / np.arange(1, ITEMS + 1)
        return np.asarray(weights / weights.sum())

    @cached_property
    def starts(self) -> Integers:
        """Where the rows of each item begin, and the end of all."""
        return np.searchsorted(self.item, np.arange(ITEMS + 1))

    def score(self, items: Integers, days: Integers) -> Floats:
        """Of each person, how well known items and days fit; rare items weigh more."""
        scores = np.zeros(PEOPLE)
        for item, day in zip(items, days, strict=True):
            rows = slice(self.starts[item], self.starts[item + 1])
            weight = 1 / log(2 + rows.stop - rows.start)
            scores[self.person[rows]] += weight * np.exp(-np.abs(self.day[rows] - day) / FADE)
        return scores


def scores(bits: SeededBits, targets: int) -> list[dict[str, Any]]:
    """How many people are found in sparse histories from a few items with errors.

    Scores and eccentricity are those of Narayanan and Shmatikov (2008), on days alone.
    Of four items that the attacker believes to know one is wrong; all days are off by up to OFF.
    The best score is a match if it stands out from the second by ECCENTRIC deviations of all.
    """
    histories = SparseHistories.drawn(bits)
    order = np.argsort(histories.person, kind="stable")
    first = np.searchsorted(histories.person[order], np.arange(PEOPLE + 1))
    chosen = bits.generator.choice(PEOPLE, targets, replace=False)
    generator = bits.generator
    answers = []
    for known in (2, 3, 4, 6, 8):
        hits, wrong = [], known // 4
        for person in chosen:
            own = order[first[person] : first[person + 1]]
            some = generator.choice(own, known - wrong, replace=False)
            items = np.concatenate([histories.item[some], generator.integers(0, ITEMS, wrong)])
            off = generator.integers(-OFF, OFF + 1, some.size)
            days = np.concatenate([histories.day[some] + off, generator.integers(0, DAYS, wrong)])
            score = histories.score(items, days)
            absent = _stands_out(np.delete(score, person)) is not None
            hits.append((_stands_out(score) == person, absent))
        right, false = np.mean(hits, axis=0)
        answers.append({
            "known": known, "wrong": wrong,
            "identified": float(right), "matched_if_absent": float(false),
        })  # fmt: skip
    return answers


def _stands_out(score: Floats) -> int | None:
    """The person with the best score, if it is eccentric among those who share any item."""
    second, first = np.partition(score, -2)[-2:]
    return int(score.argmax()) if first - second > ECCENTRIC * score[score > 0].std() else None


def _pictures(steps: dict[str, float], scored: Sequence[dict[str, Any]]) -> tuple[Shares, Plot]:
    bars = (bar(name, share) for name, share in steps.items())
    ours = bar("Leeward: no rows are published", 0.0, "ours")

    def line(key: str) -> list[tuple[float, float]]:
        return [(float(score["known"]), score[key]) for score in scored]

    return (
        Shares("Jobs that are alone, as a neighbour knows more", (*bars, ours), 1.0),
        Plot(
            title="A few items with errors find a person in a file without names",
            x="items that are known; from 4 on one in four is wrong",
            y="share of people",
            series=(
                PlotSeries("found", "theirs", line("identified")),
                PlotSeries(
                    "somebody else, if not in the file", "nothing", line("matched_if_absent")
                ),
            ),
        ),
    )


def _remarks(numbers: dict[str, Any], given: tuple[int, float]) -> tuple[str, ...]:
    k, sample = given
    areas, town, most = numbers["areas"], numbers["towns"], numbers["histories"][-1]
    anonymous, sampled = numbers["k_anonymity"], numbers["sample"]
    alone = ", ".join(f"{percent(share)} of {count(int(n))}" for n, share in areas.items())
    return (
        f"Sex and birth date alone in an area: {alone} people are unique; drawn for "
        f"{count(town['people'])} people in {TOWNS} made-up areas {percent(town['drawn'])}, by the "
        f"closed form {percent(town['closed_form'])}.",
        f"Sparse histories: from {most['known']} items, {most['wrong']} of them wrong and days off "
        f"by up to {OFF}, {percent(most['identified'])} of people are found among "
        f"{count(PEOPLE)} by the scores of Narayanan and Shmatikov (2008); if the person is not in "
        f"the file, somebody else stands out in {percent(most['matched_if_absent'])}.",
        f"k-anonymity, k = {k}: {percent(anonymous['same_secret'])} of people share their secret "
        "with all who look like them, so it is told. Of "
        f"{counted(anonymous['in_both'], 'job')} in two such files, each of a tenth of all, one "
        f"file tells the secret of {percent(anonymous['one_file_tells'])}, both together that of "
        f"{percent(anonymous['two_files_tell'])}.",
        f"Just a sample of {percent(sample)}: {percent(sampled['unique_in_sample'])} of its rows "
        f"are alone in it, and {percent(sampled['also_in_population'])} of these are alone in the "
        "population, too. Who is in the sample has no deniability.",
    )
