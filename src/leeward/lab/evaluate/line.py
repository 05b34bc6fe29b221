"""Line: the points of one mechanism as the figures show them, under a name for people."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from math import inf

from leeward.core.mechanisms import REGISTRY
from leeward.lab.evaluate.contender import H15
from leeward.lab.evaluate.panels import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    WINE,
    Stroke,
)
from leeward.lab.evaluate.point import ScoredPoint

PUBLISHED, PARALLEL, INFUSION = "published", "parallel", "infusion"

Mark = tuple[str, str]
"""The colour and the shape of a line's points."""

MARKS: dict[str, tuple[Mark, ...]] = {
    "ours": (
        (BLUE, "circle"),
        (VERMILLION, "square"),
        (GREEN, "diamond"),
        (WINE, "triangle-right"),
        (SKY, "triangle-up"),
        (ORANGE, "circle"),
        (PURPLE, "circle"),
        (BLUE, "diamond"),
        (VERMILLION, "triangle-up"),
    ),
    "paper": (
        (ORANGE, "square"),
        (SKY, "diamond"),
        (PURPLE, "triangle-up"),
    ),
    "baseline": ((GREY, "cross"), (GREY, "triangle-down")),
}
"""The marks of the mechanisms of an origin, in the order of the registry; they begin again."""


def origin(mechanism: str) -> str | None:
    """Where a mechanism comes from; None of what has no guarantee."""
    return REGISTRY[mechanism].origin if mechanism in REGISTRY else None


def label(mechanism: str) -> str:
    """How people call it."""
    if mechanism not in REGISTRY:
        return mechanism
    ours = " (ours)" if origin(mechanism) == "ours" else ""
    return f"{REGISTRY[mechanism].words.label}{ours}"


def ranked() -> tuple[str, ...]:
    """The mechanisms of a figure in order: the papers', ours, the baselines."""
    counted = [name for name, mechanism in REGISTRY.items() if mechanism.counted]
    origins = ("paper", "ours", "baseline")
    return tuple(sorted(counted, key=lambda name: origins.index(REGISTRY[name].origin)))


def mark(mechanism: str) -> Mark:
    """The colour and the shape of a mechanism's points."""
    if mechanism not in REGISTRY:
        return BLACK, "circle"
    alike = [name for name in ranked() if origin(name) == origin(mechanism)]
    marks = MARKS[REGISTRY[mechanism].origin]
    return marks[alike.index(mechanism) % len(marks)]


ACCOUNTS = {
    "single": "one count",
    "joint": "one price for all",
    "sum": "each at ε/d",
    "split": "its own share of ε",
    "added": "added from the finest table",
    "product": "one price for all tables",
}
"""How people call an accounting, where a mechanism appears under several."""


@dataclass(frozen=True)
class MechanismLine:
    """What the points of a line have in common; `theta` is None also for the best of several.

    `delta` is whether the promise may fail: the δ may be another at every point.
    """

    mechanism: str
    calibration: str
    accounting: str
    policy: str
    delta: bool = False
    theta: int | None = None

    @property
    def ours(self) -> bool:
        """Whether the project made the mechanism."""
        return origin(self.mechanism) == "ours"

    @property
    def paper(self) -> bool:
        """Whether the mechanism is one of the papers', in whatever form."""
        return origin(self.mechanism) == "paper"

    @property
    def node(self) -> bool:
        """Whether it protects whole establishments, up to θ jobs."""
        known = REGISTRY.get(self.mechanism)
        claims = () if known is None else known.claims.get("worker", ())
        return any(policy.name == "establishment" for policy in claims)

    @property
    def published(self) -> bool:
        """Whether it is a form that the papers printed."""
        return self.paper and self.calibration == PUBLISHED

    @property
    def printed(self) -> bool:
        """Whether it is a form of 2015, which keeps no promise."""
        return self.calibration == H15

    @property
    def baseline(self) -> bool:
        """Whether it protects something else: no α."""
        return not self.ours and not self.paper

    @property
    def name(self) -> str:
        """The line among the rows of a figure."""
        return "/".join(str(part) for part in astuple(self))

    def maker(self, points: Iterable[ScoredPoint]) -> str:
        """The mechanism for people, with the δ that its promise needs at these points."""
        mine = (point for point in points if point.mechanism == self.mechanism)
        return label(self.mechanism) + delta_words(mine)

    @property
    def _form(self) -> str:
        name = label(self.mechanism)
        if not self.paper:
            return name
        forms = {PUBLISHED: "as published", H15: "as printed in 2015"}
        return f"{name}, {forms.get(self.calibration, self.calibration)}"

    def label(self, lines: Iterable["MechanismLine"]) -> str:
        """Its name among these lines: what it shares with no other of the same form is added."""
        if self.accounting == PARALLEL:
            name = label(self.mechanism)
            form = name if self.published else f"{self._form},"
            return f"{form} in parallel\n(by the sum rule d·ε)"
        like = [line for line in lines if line._form == self._form and line.accounting != PARALLEL]
        more = [self._form]
        if self.node and self.theta is None:
            more.append("best θ")
        elif self.theta is not None:
            more.append(f"θ = {self.theta:,}")
        if self.accounting == "split" or len({line.accounting for line in like}) > 1:
            more.append(ACCOUNTS.get(self.accounting, self.accounting))
        if len({line.policy for line in like}) > 1:
            more.append(self.policy)
        if len({line.delta for line in like}) > 1:
            more.append("δ > 0" if self.delta else "δ = 0")
        return ", ".join(more)

    @property
    def stroke(self) -> Stroke:
        """How it is drawn: ours thick, published forms dashed, the papers' accounting dotted."""
        dash = "6 3" if self.published or self.baseline else ""
        dash = "1 3" if self.accounting == PARALLEL and not self.printed else dash
        colour, marker = mark(self.mechanism)
        return Stroke(colour, dash, marker, 2.6 if self.ours else 1.2)


def line_of(point: ScoredPoint) -> MechanismLine:
    """The line that a point lies on."""
    return MechanismLine(
        point.mechanism,
        point.calibration,
        point.accounting,
        point.policy,
        bool(point.delta),
        point.theta,
    )


def delta_words(points: Iterable[ScoredPoint]) -> str:
    """The δ of some points in brackets, or the largest of several; nothing without any."""
    deltas = sorted({point.delta for point in points if point.delta})
    if not deltas:
        return ""
    return f" (δ {'=' if len(deltas) == 1 else 'up to'} {deltas[-1]:.3g})"


def lines_of(points: Iterable[ScoredPoint]) -> tuple[MechanismLine, ...]:
    """The lines of these points: ours, then the papers', then the baselines."""
    rank = {name: number for number, name in enumerate(ranked())}
    return tuple(
        sorted(
            {line_of(point) for point in points},
            key=lambda line: (
                not line.ours,
                line.baseline,
                rank.get(line.mechanism, 99),
                line.name,
            ),
        )
    )


def drawable(points: Iterable[ScoredPoint]) -> tuple[ScoredPoint, ...]:
    """The points with an ε; of several θ of node DP only the one with the least error.

    The choice looks at the truth, which no release may: it favours the baseline, and is made for
    the baseline alone.
    """
    best: dict[object, ScoredPoint] = {}
    thetas = set()
    for point in points:
        if point.epsilon is None:
            continue
        line = line_of(point)
        if line.node:
            thetas.add(point.theta)
            line = replace(line, theta=None)
        key = line, point.workload, point.stratum, point.alpha, point.epsilon
        if key not in best or _error(point) < _error(best[key]):
            best[key] = point
    if len(thetas) < 2:
        return tuple(best.values())
    return tuple(
        replace(point, theta=None) if line_of(point).node else point for point in best.values()
    )


def _error(point: ScoredPoint) -> float:
    return inf if point.l1 is None else point.l1
