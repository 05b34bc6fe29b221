"""Noise statement: the public law of the noise of a cell, as a certificate states it."""

from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from leeward.publishing.bundle.statements import Count, Listed, SparseStatement, Statement

Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A number in double precision."""


class PieceStatement(SparseStatement):
    """A piece of a density from `low` to where the next one starts; the first may have no start.

    exp(`rate`·z), or |z − `centre`| to the power `power` − 1, or flat without any of these. At its
    start the logarithm of the density jumps by `jump`.
    """

    optional = ("low", "jump", "rate", "power", "centre")

    low: Finite | None = None
    jump: Finite | None = None
    rate: Finite | None = None
    power: Finite | None = None
    centre: Finite | None = None

    @model_validator(mode="after")
    def _is_one_shape(self) -> Self:
        if (self.power is None) != (self.centre is None) or None not in (self.rate, self.power):
            raise ValueError("a piece must have a rate, or a power with its centre, or neither")
        if 0 in (self.rate, self.power):
            raise ValueError("rate and power must not be 0")
        return self


class ClipStatement(Statement):
    """Clipping in a class of workplace cells; `establishments` is its largest number of them.

    The logarithm of the largest establishment over its noisy number is noise of scale `spread`;
    jobs are taken away where it is above `room`.
    """

    establishments: Count
    spread: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    room: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RadiusStatement(Statement):
    """The law of a radius: in `dimension` dimensions the density of the noise is its pieces."""

    dimension: Annotated[int, Field(ge=2, le=2**20)]
    pieces: Listed[PieceStatement] = Field(min_length=1, max_length=10)

    def numbers(self) -> dict[str, Any]:
        """The same as plain numbers."""
        return {"dimension": self.dimension, "pieces": [vars(piece) for piece in self.pieces]}


class NoiseStatement(SparseStatement):
    """The public law of the noise of a cell, which its margin allows to draw from.

    The noise is a width times Z, rounded to whole jobs. Z is standard normal, or has a density in
    proportion to 1/(1+z⁴), or the one of `pieces`; with `shared` = k it is L/H, L Laplace and H
    Gamma(k), one H for the worker cells of a workplace cell. With `radius` it is ρ·L/Σ|L|, one ρ of
    that law, and Σ over as many worker cells as it has dimensions. The width is at least `least`
    jobs. It is `share` times the margin, or the distance from `low` to the value; at most `per_job`
    times the value where that is given, and just that where the share is 0. `relative`: the noise
    is the width times Z/(1+Z). Rounding moves its mean by up to `lean` jobs, the largest shift over
    128 sizes of the largest establishment; left out where there is none.
    """

    optional = ("pieces", "shared", "radius", "relative", "per_job", "clips", "lean")

    law: Literal["normal", "quartic", "pieces"]
    pieces: Listed[PieceStatement] | None = Field(None, min_length=2, max_length=1000)
    share: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    least: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    shared: Annotated[int, Field(ge=1, le=2**53)] | None = None
    radius: RadiusStatement | None = None
    relative: Literal[True] | None = None
    per_job: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    clips: Listed[ClipStatement] | None = Field(None, min_length=1, max_length=100)
    lean: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @classmethod
    def of(cls, numbers: Mapping[str, Any]) -> Self:
        """The statement of plain numbers."""
        return cls.model_validate(numbers, strict=False)

    def numbers(self) -> dict[str, Any]:
        """The same as plain numbers; what was left out is None."""
        pieces = None if self.pieces is None else [vars(piece) for piece in self.pieces]
        clips = None if self.clips is None else [vars(clip) for clip in self.clips]
        radius = None if self.radius is None else self.radius.numbers()
        return vars(self) | {"pieces": pieces, "clips": clips, "radius": radius}

    @model_validator(mode="after")
    def _is_a_law(self) -> Self:
        if (self.law == "pieces") != (self.pieces is not None):
            raise ValueError("pieces must be there with the law of this name alone")
        starts = [
            -inf if piece_statement.low is None else piece_statement.low
            for piece_statement in self.pieces or ()
        ]
        classes = [clip_statement.establishments for clip_statement in self.clips or ()]
        if any(a >= b for column in (starts, classes) for a, b in pairwise(column)):
            raise ValueError("pieces and classes of clipping must be in order, each once")
        return self
