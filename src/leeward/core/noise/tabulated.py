"""Float64: what NumPy may err, and the columns of a piecewise law with certain error bounds.

The error bounds of the fast path assume NumPy to be accurate to 2^-42 relative, hundreds of times
its documented error (assumption (N) of sampling.proof.md). The self-test compares NumPy's functions
with balls, before the first draw; a machine that fails it draws nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leeward.core.errors import UntrustedMachine
from leeward.core.exact import exact_value, precision
from leeward.core.noise.piece import Piece

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

ROUNDING = 2.0**-50
"""Relative error of a few float64 additions, products and conversions."""

FUNCTION = 2.0**-40
"""Relative error assumed of NumPy's log, expm1, arctan and powers: a thousand times the documented
4 units in the last place (the self-test checks the running machine before the first draw)."""

ASSUMED = 2.0**-42
POINTS = 1000
"""What the self-test asks of NumPy, and at how many points."""

Function = Callable[[Floats], Floats]
Truth = Callable[[arb], arb]

FUNCTIONS: Mapping[str, tuple[Function, Truth]] = {
    "log": (np.log, arb.log),
    "exp": (np.exp, arb.exp),
    "expm1": (np.expm1, arb.expm1),
    "arctan": (np.arctan, arb.atan),
    "power": (lambda x: x**-4, lambda x: x**-4),
}


def points(name: str) -> Floats:
    """Fixed points of all magnitudes, and near the one where the function is zero or one."""
    tiny = np.geomspace(1e-30, 0.5, POINTS // 4)
    around = np.concatenate([-tiny, tiny])
    wide = np.linspace(-690.0, 690.0, POINTS // 2) * (1 + 1e-9)
    if name == "log":
        return np.concatenate([np.exp(wide), 1 + around])
    if name == "power":
        return np.concatenate([np.exp(wide / 10), 1 + around])
    return np.concatenate([np.sinh(wide / 20) if name == "arctan" else wide, around])


def worst(name: str, function: Function | None = None) -> float:
    """The largest relative error of a function, or of another in its place."""
    numeric, exact = FUNCTIONS[name]
    at = points(name)
    values = (function or numeric)(at)
    with precision(128):
        truths = [exact(arb(float(x))) for x in at]
        errors = [
            abs(float((arb(float(v)) - t) / t))
            for v, t in zip(values, truths, strict=True)
            if t != 0
        ]
    return max(errors)


@lru_cache(maxsize=1)
def require_accuracy() -> None:
    """Refuse a machine whose NumPy is worse than assumed; tried once in a process."""
    for name in FUNCTIONS:
        error = worst(name)
        if not error <= ASSUMED:
            raise UntrustedMachine(
                "numpy",
                rule=f"{name} must be accurate to 2^-42 on this machine",
                value=f"a relative error of {error:.2g}",
                next_step="Install another build of NumPy, or use another machine.",
            )


ONE = np.uint64(1)


@dataclass(frozen=True)
class Masses:
    """Heights and masses of all pieces at one precision, normalised to total one.

    `thick` and `thin` are v at the two ends of a piece, `whole` is their difference; `below`
    and `above` are the masses of all pieces to the left and to the right.
    """

    heights: tuple[arb, ...]
    whole: tuple[arb, ...]
    thick: tuple[arb, ...]
    thin: tuple[arb, ...]
    below: tuple[arb, ...]
    above: tuple[arb, ...]


def _nearest(value: arb) -> int:
    """A word within one of the value, which lies between 0 and 2^64."""
    # The floor is taken of the ball: as a fraction, a tail of 2^-10^9 would fill the memory.
    return min(int(exact_value((value + arb(1) / 2).lower().floor())), 2**64 - 1)


def quantile_in(
    y: Floats, blur: Floats, anchor: Floats, linear: Floats, stretch: Floats, turn: Floats
) -> tuple[Floats, Floats]:
    """The quantile in a piece and a bound on its error, where y is known up to blur/2 of itself."""
    torn = ~(blur < 0.5)
    log = np.log(y)
    blur = blur + ROUNDING + FUNCTION * np.abs(log)
    grown = np.expm1(turn * log)
    straight, bent = linear * log, stretch * grown
    error = np.abs(linear) * blur + np.abs(stretch) * (
        np.abs(grown) * FUNCTION + 2 * np.abs(1 + grown) * np.abs(turn) * blur
    )
    error += ROUNDING * (np.abs(anchor) + np.abs(straight) + np.abs(bent))
    # Past blur·turn = 1 the factor 2 no longer covers exp's curvature.
    torn |= ~(np.abs(turn) * blur < 1)
    error[torn] = np.inf
    return anchor + straight + bent, error


@dataclass(frozen=True)
class Table:
    """The law in float64 columns, one entry a piece, for the fast path.

    For a word u in piece i, d = (u ^ flip) + shift (mod 2^64) is the distance to the thin end in
    units of 2^-64, within two units; y = d·unit + base = v(z)/v(anchor); and the quantile is
    z = anchor + linear·ln y + stretch·(y^turn − 1).
    """

    cuts: tuple[np.uint64, ...]
    flip: Words
    shift: Words
    unit: Floats
    base: Floats
    anchor: Floats
    linear: Floats
    stretch: Floats
    turn: Floats
    thick: Floats
    thin: Floats
    below: Floats
    above: Floats
    right: NDArray[np.bool_]

    @classmethod
    def of(cls, pieces: Sequence[Piece], masses: Masses) -> "Table":
        """The columns of a law, from its masses at a precision well beyond float64."""
        starts = [_nearest(below * arb(2) ** 64) for below in masses.below]
        ends = [*starts[1:], 2**64]
        right = [piece.thin_right for piece in pieces]
        shifts = [
            (end + 1) % 2**64 if thin_right else -start % 2**64
            for start, end, thin_right in zip(starts, ends, right, strict=True)
        ]
        curved = [piece.centre is not None for piece in pieces]
        reach = [float(piece.reach) for piece in pieces]

        def floats(values: Sequence[arb]) -> Floats:
            return np.array([float(value) for value in values])

        return cls(
            # A last piece of less than 2^-65 begins at 2^64: its only word is the last, and torn.
            cuts=tuple(np.uint64(min(start, 2**64 - 1)) for start in starts[1:]),
            flip=np.array([2**64 - 1 if r else 0 for r in right], dtype=np.uint64),
            shift=np.array(shifts, dtype=np.uint64),
            unit=floats([arb(2) ** -64 / v for v in masses.thick]),
            base=floats([a / b for a, b in zip(masses.thin, masses.thick, strict=True)]),
            anchor=np.array([float(piece.anchor) for piece in pieces]),
            linear=np.array([0.0 if c else r for c, r in zip(curved, reach, strict=True)]),
            stretch=np.array([r if c else 0.0 for c, r in zip(curved, reach, strict=True)]),
            turn=np.array(
                [float(1 / (p.rate + 1)) if p.centre is not None else 0.0 for p in pieces]
            ),
            thick=floats(masses.thick),
            thin=floats(masses.thin),
            below=floats(masses.below),
            above=floats(masses.above),
            right=np.array(right),
        )

    def quantiles(self, words: Words) -> tuple[Floats, Floats]:
        piece = np.zeros(len(words), dtype=np.intp)
        torn = np.zeros(len(words), dtype=np.bool_)
        for cut in self.cuts:
            piece += words >= cut
            # The true cut is within one of the integer: these two words may lie on either side.
            torn |= (words == cut) | (words + ONE == cut)
        distance = ((words ^ self.flip[piece]) + self.shift[piece]).astype(np.float64)
        unit, anchor = self.unit[piece], self.anchor[piece]
        linear, stretch, turn = self.linear[piece], self.stretch[piece], self.turn[piece]
        with np.errstate(all="ignore"):
            y = distance * unit + self.base[piece]
            # Two units of distance either way move ln y by at most 4·unit/y when that is below ½.
            z, error = quantile_in(y, 4 * unit / y, anchor, linear, stretch, turn)
            error[torn] = np.inf
            return z, error

    def tails(self, z: Floats, piece: NDArray[np.intp]) -> tuple[Floats, Floats]:
        with np.errstate(all="ignore"):
            offset = z - self.anchor[piece]
            curved = self.turn[piece] != 0
            stretch = np.where(curved, self.stretch[piece], 1.0)
            linear = np.where(curved, 1.0, self.linear[piece])
            turn = np.where(curved, self.turn[piece], 1.0)
            ratio = np.maximum(offset / stretch, -1.0)
            log = np.where(curved, np.log1p(ratio) / turn, offset / linear)
            near = np.maximum(self.thick[piece] * np.exp(log) - self.thin[piece], 0.0)
        whole = self.thick[piece] - self.thin[piece]
        far = np.maximum(whole - near, 0.0)
        right = self.right[piece]
        below = self.below[piece] + np.where(right, far, near)
        above = self.above[piece] + np.where(right, near, far)
        return below, above
