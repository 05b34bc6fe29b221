"""Plain pictures of ordinary, extreme and hostile numbers and names."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, nan
from random import Random

from leeward.pictures import Picture
from leeward.pictures.plain import (
    Band,
    Bar,
    Bin,
    Dot,
    Part,
    bars,
    budget,
    budget_parts,
    heat_map,
    histogram,
    noise,
    scatter,
)

LONG = "A label of two hundred letters and more " * 6
SCRIPT = "<script>alert('1')</script>"
HOSTILE = [
    SCRIPT,
    LONG,
    "مرحبا بالعالم",
    "👩‍👩‍👧‍👦 👍🏽 🇩🇪",
    "a\x00b\ud800c\nd\u202ee\ufffe",
    "﷽ ㎏ 漢字漢字漢字漢字漢字漢字漢字",
    '"\' onload=\'x\' href="y" style="z" & ]]> <!--',
    "W" * 80,
    "Z" + "\u0301" * 50,
    "",
]
HUGE = 10**12


def hill(true: float, spread: float) -> list[tuple[float, float]]:
    return [(true + n * spread / 5, exp(-abs(n) / 5)) for n in range(-40, 41)]


def table(rows: int, columns: int) -> list[list[int | None]]:
    random = Random(7)  # noqa: S311 (made-up numbers)
    choices = (None, -3, 0, 7, 88, 950, 1234, 56789)
    return [[random.choice(choices) for _ in range(columns)] for _ in range(rows)]


Draw = Callable[[int], Picture]
CASES: dict[str, Draw] = {
    "bars": lambda w: bars(
        [Bar(f"Sector {n}", 900 - 70 * n, n) for n in range(20)], title="t", width=w
    ),
    "bars: none": lambda w: bars([], title="t", width=w),
    "bars: one zero": lambda w: bars([Bar("a", 0)], title="t", width=w),
    "bars: forty": lambda w: bars(
        [Bar(f"P {n}", n * n, 5, "n") for n in range(40)], title="t", width=w
    ),
    "bars: below": lambda w: bars(
        [Bar("a", -5, 9), Bar("b", -7), Bar("c", 0, 4)], title="t", width=w
    ),
    "bars: huge": lambda w: bars([Bar("a", HUGE, HUGE), Bar("b", -HUGE, 1)], title="t", width=w),
    "bars: beyond": lambda w: bars([Bar("a", 10**400, 10**400), Bar("b", 1)], title="t", width=w),
    "bars: hostile": lambda w: bars(
        [Bar(name, n, n, name) for n, name in enumerate(HOSTILE)], title=SCRIPT, unit=LONG, width=w
    ),
    "heat": lambda w: heat_map(
        [f"03{n:05}" for n in range(9)],
        [f"{n}" for n in range(11, 31)],
        table(9, 20),
        title="t",
        width=w,
    ),
    "heat: none": lambda w: heat_map([], [], [], title="t", width=w),
    "heat: no column": lambda w: heat_map(["a"], [], [[]], title="t", width=w),
    "heat: one": lambda w: heat_map(["a"], ["b"], [[3]], title="t", width=w),
    "heat: nobody": lambda w: heat_map(["a"], ["b", "c"], [[None, None]], title="t", width=w),
    "heat: zeros": lambda w: heat_map(["a"], ["b", "c"], [[0, 0]], title="t", width=w),
    "heat: below": lambda w: heat_map(["a"], ["b", "c"], [[-1, -HUGE]], title="t", width=w),
    "heat: beyond": lambda w: heat_map(
        ["a"], ["b", "c"], [[10**400, -(10**400)]], title="t", width=w
    ),
    "heat: full": lambda w: heat_map(
        [f"Place {n}" for n in range(40)],
        [f"Sector {n}" for n in range(25)],
        table(40, 25),
        title="t",
        width=w,
    ),
    "heat: hostile": lambda w: heat_map(
        HOSTILE,
        HOSTILE,
        [[(i - 4) * 10**j for j in range(10)] for i in range(10)],
        title=SCRIPT,
        unit=LONG,
        width=w,
    ),
    "bins": lambda w: histogram(
        [Bin(2**n, 2 ** (n + 1) - 1, n * n) for n in range(9)], title="t", x="x", width=w
    ),
    "bins: none": lambda w: histogram([], title="t", x="x", width=w),
    "bins: one": lambda w: histogram([Bin(-5, 5, 0)], title="t", x="x", width=w),
    "bins: forty": lambda w: histogram(
        [Bin(n, n + 9, n * HUGE) for n in range(40)], title="t", x="x", width=w
    ),
    "bins: huge": lambda w: histogram(
        [Bin(HUGE * n, HUGE * n + 1, HUGE) for n in range(-3, 3)],
        title=SCRIPT,
        x=SCRIPT,
        y=LONG,
        width=w,
    ),
    "noise": lambda w: noise(
        [Band("Small", 5, 1, 9, hill(5, 2)), Band("Large", 2000, 1900, 2100, hill(2000, 50))],
        title="t",
        width=w,
    ),
    "noise: none": lambda w: noise([], title="t", width=w),
    "noise: odd": lambda w: noise(
        [
            Band(LONG, HUGE, HUGE - 5, HUGE + 5, hill(HUGE, 2)),
            Band(SCRIPT, 7, 7, 7, []),
            Band("", 0, 0, 0, [(0.0, 0.0)]),
            Band("a", -3, -9, 9, [(nan, 1), (1, inf), (-9, 0.5), (9, 1)]),
            Band("far", 0, 50, 90, hill(70, 5)),
        ],
        title=SCRIPT,
        width=w,
    ),
    "budget": lambda w: budget(Fraction(2), Fraction(4), Fraction(10), title="t", width=w),
    "budget: nothing": lambda w: budget(Fraction(0), Fraction(0), Fraction(0), title="t", width=w),
    "budget: tiny": lambda w: budget(
        Fraction(1, 10**9), Fraction(1, 3), Fraction(HUGE), title="t", width=w
    ),
    "budget: over": lambda w: budget(
        Fraction(10**5000, 3), Fraction(-1), Fraction(-2, 7**6000), title="t", width=w
    ),
    "parts": lambda w: budget_parts(
        [Part(name, Fraction(1, 7)) for name in HOSTILE], Fraction(1), title="t", width=w
    ),
    "parts: none": lambda w: budget_parts([], Fraction(3), title="t", width=w),
    "parts: many": lambda w: budget_parts(
        [Part(f"Release {n}", Fraction(n, 2)) for n in range(99)], Fraction(3), title="t", width=w
    ),
    "dots": lambda w: scatter(
        [Dot(n, n * n / 50, n % 9 == 0) for n in range(50)], title="t", x="x", y="y", width=w
    ),
    "dots: none": lambda w: scatter([Dot(nan, 1), Dot(1, inf)], title="t", x="x", y="y", width=w),
    "dots: one": lambda w: scatter([Dot(3, 3, True)], title="t", x=LONG, y=LONG, width=w),
    "dots: decades": lambda w: scatter(
        [Dot(10.0 ** (n % 7), -(10.0 ** (n % 5)), n == 3, name) for n, name in enumerate(HOSTILE)],
        title=SCRIPT,
        x=SCRIPT,
        y=HOSTILE[2],
        width=w,
    ),
    "dots: far": lambda w: scatter(
        [Dot(HUGE + n, HUGE - n) for n in range(9)],
        title="t",
        x="x",
        y="y",
        diagonal=False,
        width=w,
    ),
    "dots: beyond": lambda w: scatter(
        [Dot(1e300, -1e300), Dot(0, 1)], title="t", x="x", y="y", width=w
    ),
}
