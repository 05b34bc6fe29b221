"""Stated noise: what a reader knows of the noise of a cell, as plain numbers, and back.

A certificate carries these numbers in double precision. Margins of totals are drawn from what is
read back, so that whoever has the bundle draws from the same law to the last bit.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from leeward.noise.law import Law, PiecewiseLaw
from leeward.noise.piece import Piece
from leeward.noise.quartic import QuarticLaw
from leeward.noise.scales import CellNoise, Clip

Numbers = Mapping[str, Any]
"""Numbers and texts as JSON has them."""

NORMAL, QUARTIC, PIECES = "normal", "quartic", "pieces"
"""The laws of Z: standard normal, density ∝ 1/(1+z⁴), or the pieces that are listed."""


def stated(noise: CellNoise) -> dict[str, Any]:
    """The noise as numbers; what does not apply is None."""
    pieces = list(_stated_pieces(noise.law)) if isinstance(noise.law, PiecewiseLaw) else None
    return {
        "law": PIECES if pieces else NORMAL if noise.law is None else QUARTIC,
        "pieces": pieces,
        "share": noise.share,
        "least": noise.least,
        "shared": noise.shared,
        "relative": noise.relative or None,
        "per_job": noise.slope,
        "clips": [vars(one) for one in noise.clips] or None,
    }


def read_noise(numbers: Numbers) -> CellNoise:
    """The noise that numbers state; ValueError or ArithmeticError where there is no such law."""
    laws: dict[str, Law | None] = {NORMAL: None, QUARTIC: QuarticLaw()}
    name, pieces = numbers["law"], numbers.get("pieces") or ()
    return CellNoise(
        _law(pieces) if name == PIECES else laws[name],
        numbers["share"],
        numbers["least"],
        shared=numbers.get("shared"),
        relative=bool(numbers.get("relative")),
        slope=numbers.get("per_job"),
        clips=tuple(Clip(**one) for one in numbers.get("clips") or ()),
    )


def as_stated(noise: CellNoise) -> CellNoise:
    """The noise as a reader of a certificate has it."""
    return read_noise(stated(noise))


def _stated_pieces(law: PiecewiseLaw) -> Iterator[dict[str, Any]]:
    """Each piece by where it starts, its shape, and the jump there; it ends where the next starts.

    A piece that is empty in double precision is left out, and its jump is that of the next one.
    """
    if law.pieces[-1].high is not None:
        raise ValueError("a law must reach to the right without end")
    jump = Fraction(0)
    for piece, step in zip(law.pieces, (Fraction(0), *law.jumps), strict=True):
        jump += step
        low, high = (None if end is None else float(end) for end in (piece.low, piece.high))
        if low is None or low != high:
            yield {"low": low, "jump": float(jump) if jump else None, **_shape(piece)}
            jump = Fraction(0)


def _shape(piece: Piece) -> dict[str, float | None]:
    """κ of exp(κz); or centre and p+1 of |z−centre|^p, since p+1 may be tiny; nothing: flat."""
    if piece.centre is None:
        return {"rate": float(piece.rate), "power": None, "centre": None}
    if not piece.rate:
        return {"rate": None, "power": None, "centre": None}
    return {"rate": None, "power": float(piece.rate + 1), "centre": float(piece.centre)}


def _law(pieces: Sequence[Numbers]) -> PiecewiseLaw:
    starts = [None if one.get("low") is None else Fraction(one["low"]) for one in pieces]
    found = tuple(
        _piece(one, low, high)
        for one, (low, high) in zip(pieces, pairwise([*starts, None]), strict=True)
    )
    return PiecewiseLaw(found, tuple(Fraction(one.get("jump") or 0) for one in pieces[1:]))


def _piece(shape: Numbers, low: Fraction | None, high: Fraction | None) -> Piece:
    if shape.get("rate") is not None:
        return Piece(low, high, Fraction(shape["rate"]))
    if shape.get("power") is not None:
        return Piece(low, high, Fraction(shape["power"]) - 1, Fraction(shape["centre"]))
    return Piece(low, high, Fraction(0), centre=low)
