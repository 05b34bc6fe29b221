"""Frontier: what accuracy each ε buys, for several α, before anything is read or spent.

Economists call it the production possibilities frontier of a release: more accuracy costs more
privacy, and what both are worth is for people to say. Weights that they write down mark a point; it
is a decision aid, not a rule.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from io import StringIO
from itertools import groupby, pairwise
from pathlib import Path

from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.codebook.yaml_document import read_document
from leeward.core.errors import BadFile, InvalidParameter, LeewardError, shown
from leeward.core.exact import number_text, rational
from leeward.core.privacy import Guarantee
from leeward.core.privacy.odds_of_suspicion import odds
from leeward.core.privacy.words import amount_text, factor_text
from leeward.core.show.environment import template
from leeward.core.show.notebook import PageRow
from leeward.core.show.numbers import NOTHING, error, percent
from leeward.core.show.plots import LINES, Plot, PlotSeries
from leeward.publishing.plan.fitness import Fitness
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable
from leeward.publishing.plan.prediction import mean_error, promises
from leeward.publishing.plan.target import HALF, Profiles, TableAtShare

AID = "a decision aid, not a rule"

GRID = tuple(map(Fraction, ["1/4", "1/2", "1", "3/2", "2", "3", "4", "6", "8", "12", "16"]))
"""The ε of a frontier."""

FIVE, TEN = Fraction(1, 20), Fraction(1, 10)
MOST_ALPHAS = 6

COLUMNS = (
    *("table", "alpha", "epsilon", "rho", "odds_factor", "suspicion_of_1_in_100", "mechanism"),
    *("unit", "mean_error", "median_apd", "within_5_percent", "within_10_percent"),
    "top_10_percent_right",
)


@dataclass(frozen=True)
class Point:
    """What a table has at one α and one ε or ρ of the whole plan; None where there is none."""

    table: str
    alpha: Fraction | None
    amount: Fraction
    unit: str
    mechanism: str | None = None
    mean_error: float | None = None
    median: float | None = None
    within_5: float | None = None
    within_10: float | None = None
    top_10: float | None = None

    @property
    def accuracy(self) -> tuple[float | None, ...]:
        """The numbers that are larger where a table is better."""
        return self.within_5, self.within_10, self.top_10


@dataclass(frozen=True)
class Weights:
    """What a point of accuracy of each table is worth, and what a unit of ε or ρ costs.

    A point is one more cell in a hundred within 10 % of its true count.
    """

    tables: Mapping[str, Fraction]
    price: Fraction

    @classmethod
    def read(cls, path: Path, plan: Plan) -> "Weights":
        """A YAML file with `price` and `tables`."""
        content = read_document(path, "--weights")
        tables, names = content.get("tables"), {table.name for table in plan.tables}
        if set(content) != {"price", "tables"} or not isinstance(tables, dict) or not tables:
            raise _bad_weights(path)
        if not names.issuperset(tables):
            raise _bad_weights(path, f", which are tables of the plan: {', '.join(sorted(names))}")
        worths = {name: rational(text, f"tables.{name}") for name, text in tables.items()}
        price = rational(str(content["price"]), "price")
        if price <= 0 or min(worths.values()) < 0:
            raise _bad_weights(path)
        return cls(worths, price)


def _bad_weights(path: Path, names: str = "") -> BadFile:
    return BadFile(
        "--weights",
        rule="must have a price above 0, and tables with the worth of a point of accuracy, 0 or "
        f"more{names}",
        value=repr(str(path)),
        next_step="Write such as: {price: 5, tables: {place_industry: 1}}",
    )


@dataclass(frozen=True)
class Mark:
    """The ε or ρ at which a further unit is no longer worth its price.

    `before` and `after` are what a unit buys on the way to it and beyond it, in worth; None at the
    ends of the grid.
    """

    alpha: Fraction | None
    amount: Fraction
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Frontier:
    """The points of all tables, with the worth of accuracy where it was given."""

    plan: Plan
    points: tuple[Point, ...]
    profiles: tuple[SizeProfile, ...]
    weights: Weights | None = None

    @property
    def letter(self) -> str:
        """What the plan counts in."""
        return "ρ" if self.plan.asked.currency == "rho" else "ε"

    @property
    def cells(self) -> str:
        """The cells that accuracy is predicted for, in words."""
        words = dict.fromkeys(profile.words for profile in self.profiles)
        single = "" if all(profile.n for profile in self.profiles) else (
            "; each is taken to be one establishment, where relative errors are largest"
        )  # fmt: skip
        return f"{'; '.join(words)}{single}"

    @property
    def meaning(self) -> str:
        """What the plan's own ε or ρ means to a suspicion, in the words of the promise."""
        return f"At {amount_text(self.plan.charge)}: {promises(self.plan)['meaning']}"

    @cached_property
    def lines(self) -> Mapping[tuple[str, Fraction | None], tuple[Point, ...]]:
        """The points of each table and α, by rising ε."""
        grouped = groupby(self.points, lambda point: (point.table, point.alpha))
        return {key: tuple(points) for key, points in grouped}

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """For each α the point with the largest worth less price; none without weights.

        What accuracy is worth is known where all weighted tables can be made.
        """
        if self.weights is None:
            return ()
        marks, weights, price = list[Mark](), self.weights.tables, float(self.weights.price)
        for alpha in dict.fromkeys(alpha for _, alpha in self.lines):
            worths = list[tuple[Fraction, float]]()
            for points in zip(*(self.lines[name, alpha] for name in weights), strict=True):
                shares = [point.within_10 for point in points]
                if None not in shares:
                    values = zip(weights.values(), shares, strict=True)
                    worth = sum(float(weight) * 100 * (share or 0.0) for weight, share in values)
                    worths.append((points[0].amount, worth))
            if not worths:
                continue
            gains = [worth - price * float(amount) for amount, worth in worths]
            best = gains.index(max(gains))
            rates = [(b[1] - a[1]) / float(b[0] - a[0]) for a, b in pairwise(worths)]
            before = rates[best - 1] if best else None
            after = rates[best] if best < len(rates) else None
            marks.append(Mark(alpha, worths[best][0], before, after))
        return tuple(marks)

    def mark_words(self, mark: Mark) -> str:
        """A marked point in words."""
        price = number_text(self.weights.price) if self.weights else ""
        name = self.plan.asked.currency
        place = f"{name} {number_text(mark.amount)}" + _at_alpha(mark.alpha, " at alpha ")
        rates = [
            f"{'up to' if way == 0 else 'beyond'} it a unit of {name} buys {error(rate)}"
            for way, rate in enumerate((mark.before, mark.after))
            if rate is not None
        ]
        ends = "" if len(rates) == 2 else " It is an end of the grid."
        return f"{place}: {', '.join(rates)}, at a price of {price}.{ends} This is {AID}."

    def records(self) -> Iterator[dict[str, object]]:
        """The rows, as CSV and JSON have them."""
        asked, currency = self.plan.asked, self.plan.asked.currency
        for point in self.points:
            guarantee = asked.with_amount(point.amount)
            bound = odds(guarantee)
            values = (
                point.table,
                None if point.alpha is None else float(point.alpha),
                float(point.amount) if currency == "epsilon" else None,
                float(point.amount) if currency == "rho" else None,
                _factor(guarantee).replace(",", "") or None,
                None if bound is None else bound.to,
                *(point.mechanism, point.unit, point.mean_error, point.median),
                *point.accuracy,
            )
            yield dict(zip(COLUMNS, values, strict=True))

    def csv(self) -> str:
        """The rows as CSV; what there is not is empty."""
        written = StringIO()
        writer = csv.DictWriter(written, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records())
        return written.getvalue()

    def plots(self) -> tuple[Plot, ...]:
        """Accuracy against ε, a picture for each table; a table of no counts has its mean error."""
        return tuple(self._plot(table.name) for table in self.plan.tables)

    def _plot(self, name: str) -> Plot:
        lines = {alpha: points for (table, alpha), points in self.lines.items() if table == name}
        every = [point for points in lines.values() for point in points]
        counted = any(point.within_10 is not None for point in every)

        def height(point: Point) -> float | None:
            if not counted:
                return point.mean_error
            return None if point.within_10 is None else 100 * point.within_10

        series = [
            PlotSeries(
                _at_alpha(alpha, "α = ") or "accuracy",
                LINES[at % len(LINES)],
                _seen((point.amount, height(point)) for point in points),
            )
            for at, (alpha, points) in enumerate(lines.items())
        ]
        marked = {(mark.alpha, mark.amount) for mark in self.marks}
        stars = [
            (point.amount, height(point))
            for point in every
            if counted and (point.alpha, point.amount) in marked
        ]
        if stars:
            series.append(PlotSeries(f"worth its price: {AID}", "mark", _seen(stars), joined=False))
        unit = every[0].unit
        y = "cells within 10 % of their true count, in %" if counted else f"mean error, {unit}"
        across = f"{self.letter} of the whole plan (steps grow)"
        return Plot(name, across, y, tuple(series), log_x=True, log_y=not counted)

    def table(self, name: str) -> tuple[PageRow, ...]:
        """The rows of a table at the plan's own α, for a person."""
        own = self.plan.asked.alpha
        alpha = own if (name, own) in self.lines else next(a for t, a in self.lines if t == name)
        rows = []
        for point in self.lines[name, alpha]:
            guarantee = self.plan.asked.with_amount(point.amount)
            bound = odds(guarantee)
            cells = (
                _factor(guarantee) or NOTHING,
                NOTHING if bound is None else str(bound.to),
                error(point.mean_error) if point.mechanism else NOTHING,
                *map(percent, (point.median, *point.accuracy)),
            )
            rows.append(PageRow(number_text(point.amount), cells))
        return tuple(rows)

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads of such rows."""
        return (
            *(self.letter, "odds ×", "1 in 100 to", "mean error", "median"),
            *("within 5\u00a0%", "within 10\u00a0%", "top 10\u00a0%"),
        )

    def page(self) -> str:
        """The frontier as a page in one file."""
        return template("plan/frontier.html.j2").render(frontier=self, mark=None)


def make_frontier(
    plan: Plan,
    *,
    alphas: Sequence[Fraction] = (),
    grid: Sequence[Fraction] = GRID,
    profiles: Profiles | None = None,
    weights: Weights | None = None,
) -> Frontier:
    """The points of a plan's tables on the grid; mechanisms are chosen as a release would."""
    sizes = profiles or (lambda _: plan.profile)
    of_tables = tuple(sizes(table) for table in plan.tables)
    rho = plan.asked.currency == "rho"
    amounts = [epsilon * epsilon / 2 for epsilon in grid] if rho else grid  # ε implies ε²/2-zCDP
    points = tuple(
        _point(table, alone.at(amount, alpha), (alpha, amount), profile)
        for table, profile in zip(plan.tables, of_tables, strict=True)
        for alone in (TableAtShare.of(plan, table.name),)
        for alpha in tuple(alphas) or usual_alphas(plan)
        for amount in amounts
    )
    for name in weights.tables if weights else ():  # accuracy in points is that of counts
        if all(point.within_10 is None for point in points if point.table == name):
            raise InvalidParameter(
                "--weights",
                rule="must weigh tables of counts that can be made on the grid",
                value=shown(name),
                next_step="Leave the table out of the weights.",
            )
    return Frontier(plan, points, of_tables, weights)


def usual_alphas(plan: Plan) -> tuple[Fraction | None, ...]:
    """Half of the plan's α, α and twice α; none under a policy without one."""
    own = plan.asked.alpha
    return (None,) if own is None else (own / 2, own, 2 * own)


def read_alphas(written: str, plan: Plan) -> tuple[Fraction, ...]:
    """`0.05,0.1` as numbers that the plan's policy takes."""
    alphas = {rational(text.strip(), "--alphas") for text in written.split(",")}
    if plan.asked.alpha is None or not 1 <= len(alphas) <= MOST_ALPHAS or min(alphas) <= 0:
        raise InvalidParameter(
            "--alphas",
            rule=f"must be up to {MOST_ALPHAS} numbers above 0, for a policy that has an alpha",
            value=shown(written),
            next_step="Write such as --alphas 0.05,0.1,0.2, or leave it out.",
        )
    return tuple(sorted(alphas))


def _point(
    table: PlannedTable,
    planned_table: PlannedTable | None,
    at: tuple[Fraction | None, Fraction],
    profile: SizeProfile,
) -> Point:
    unit = table.marginal.statistic.unit
    if planned_table is None:
        return Point(table.name, *at, unit)
    known = (
        table.name,
        *at,
        unit,
        planned_table.measurement.name,
        mean_error(planned_table, profile),
    )
    fitness = Fitness.of(planned_table.measurement, profile)
    if fitness is None:
        return Point(*known)
    try:
        top = fitness.top(TEN)
    except LeewardError:  # too few or too many cells
        top = None
    within = fitness.within(FIVE), fitness.within(TEN)
    return Point(*known, fitness.quantile(HALF), *within, top)


def _factor(guarantee: Guarantee) -> str:
    """e^ε in the words of the promise; nothing where δ or ρ leaves no such factor."""
    return factor_text(guarantee.epsilon) if guarantee.measure == "pure" else ""


def _at_alpha(alpha: Fraction | None, before: str) -> str:
    return "" if alpha is None else f"{before}{number_text(alpha)}"


def _seen(points: Iterable[tuple[Fraction, float | None]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), y) for x, y in points if y is not None)
