"""Request: what is regressed on what, by which method, at which ε; settled when it is made."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property

from leeward.core.codebook import Attribute, Codebook, RealRange
from leeward.core.errors import InvalidParameter, raise_all, shown
from leeward.core.exact import positive, rational
from leeward.core.mechanisms.moments import EmployerMoments, Moments, MomentsMechanism
from leeward.core.mechanisms.parameters import Parameters
from leeward.core.mechanisms.theil_sen import TheilSen
from leeward.core.privacy import Guarantee
from leeward.publishing.release.paid import FileRequest
from leeward.systems.regress.mose import METHODS as BASELINES
from leeward.systems.regress.setting import Columns, PublicCounts, PublicSetting

MOMENTS, THEIL_SEN = "moments", "theil-sen"
PRIVATE = (MOMENTS, THEIL_SEN)
METHODS = (*PRIVATE, *BASELINES)
LOWEST_RANK = "0.25"


@dataclass(frozen=True)
class RegressionRequest(FileRequest):
    """One regression by cell: everything that can be refused without the file has been.

    `ranks` are places on the range of x as shares from 0 to 1. Without a codebook the cells are
    what the file holds; only methods without a guarantee allow that. `counts` are the public
    numbers of rows of Theil–Sen. `scatter` is the standard deviation of y around the lines, if it
    is known from elsewhere.
    """

    columns: Columns
    method: str
    epsilon: str
    _: KW_ONLY
    ranks: tuple[str, ...] = (LOWEST_RANK,)
    codebook: Codebook | None = None
    alpha: str | None = None
    counts: PublicCounts | None = None
    scatter: str | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            step = f"Use {MOMENTS} for results that may be published."
            raise InvalidParameter.unknown("--method", self.method, METHODS, next_step=step)
        raise_all([*self._misplaced(), *self._unprotected()])
        Parameters.read(self.alpha, self.epsilon, 0, 1, "tight")
        _ = self.shares, self.by, self.ends, self.setting.relative_scatter, self.points
        if self.columns.workplace is not None:
            # An establishment in several cells: its steps in them would add up.
            if self.by is not None and not self.by.of_workplaces:
                raise InvalidParameter(
                    "--by",
                    rule="must be an attribute of workplaces in the codebook where employers are "
                    "protected: an establishment then lies in one cell",
                    value=f"{shown(self.columns.by)}, an attribute of {self.by.table}",
                    next_step="Regress by a public attribute of workplaces, or leave --workplace "
                    "and --alpha out.",
                )
            self.moments()

    @property
    def private(self) -> bool:
        """Whether the method has a guarantee."""
        return self.method in PRIVATE

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The ranks as exact numbers."""
        shares = tuple(rational(rank, "--rank") for rank in self.ranks)
        for share, written in zip(shares, self.ranks, strict=True):
            if not 0 <= share <= 1:
                raise InvalidParameter(
                    "--rank",
                    rule="must be a share from 0 to 1 of the range of x",
                    value=shown(written),
                    next_step="Give for example 0.25, a quarter of the way from low to high.",
                )
        if len(set(shares)) < len(shares):
            raise InvalidParameter(
                "--rank",
                rule="must be given once for each place",
                value=", ".join(self.ranks),
                next_step="Leave the second one out.",
            )
        return shares

    @cached_property
    def by(self) -> Attribute | None:
        """The attribute whose codes are the cells; None without a codebook."""
        return None if self.codebook is None else self.codebook.attribute(self.columns.by, "--by")

    @cached_property
    def ends(self) -> tuple[RealRange, RealRange]:
        """Columns and public ends of x and y."""
        names = (self.columns.x, self.columns.y)
        if self.codebook is None:
            return RealRange(names[0]), RealRange(names[1])
        return self.codebook.real(names[0]), self.codebook.real(names[1])

    @property
    def setting(self) -> PublicSetting:
        """The public part: lines follow from it and the released numbers."""
        known = None if self.scatter is None else str(positive(self.scatter, "--scatter"))
        return PublicSetting(self.columns, self.ends, tuple(map(str, self.shares)), known)

    @property
    def points(self) -> tuple[int, ...]:
        """The public number of rows of each cell, for Theil–Sen."""
        if self.counts is None or self.by is None:
            return ()
        return self.counts.of(self.by.codes)

    @property
    def price(self) -> Guarantee:
        """What a private method costs, all cells together."""
        mechanism = self.theil_sen() if self.method == THEIL_SEN else self.moments()
        return mechanism.guarantee()

    def moments(self) -> MomentsMechanism:
        """The mechanism of sums: of rows alone, or of establishments too."""
        if self.alpha is None:
            return Moments.calibrated(self.epsilon)
        return EmployerMoments.calibrated(self.alpha, self.epsilon)

    def theil_sen(self) -> TheilSen:
        """The mechanism of medians."""
        return TheilSen.calibrated(self.epsilon)

    @property
    def words(self) -> str:
        """What is regressed on what, in short."""
        return f"{self.columns.y} on {self.columns.x} by {self.columns.by}"

    @property
    def decisive(self) -> Mapping[str, object]:
        """Columns with their ends and nulls, cells, method and price."""
        x, y = self.ends
        nulls = [x.nulls, y.nulls, () if self.by is None else self.by.nulls]
        return {
            "columns": vars(self.columns),
            "ends": [[str(axis.low), str(axis.high)] for axis in (x, y)],
            "cells": None if self.by is None else self.by.codes,
            "method": self.method,
            "epsilon": str(Fraction(self.epsilon)),
            "alpha": self.alpha and str(Fraction(self.alpha)),
            **({"nulls": nulls} if any(nulls) else {}),
            **({"counts": self.points} if self.counts is not None else {}),
        }

    def _misplaced(self) -> Iterator[InvalidParameter]:
        """Options that do not go together."""
        workplace = self.columns.workplace
        if (workplace is None) != (self.alpha is None):
            yield InvalidParameter(
                "--workplace, --alpha",
                rule="must be given together: they protect employers too",
                value="one of them",
                next_step="Add the other, or leave both out to protect single jobs.",
            )
        for option, given, method, why, next_step in (
            (
                "--workplace",
                workplace,
                MOMENTS,
                f"is for {MOMENTS}, the one method that is proved to protect employers",
                f"Use --method {MOMENTS}, or leave --workplace and --alpha out.",
            ),
            (
                "--scatter",
                self.scatter,
                MOMENTS,
                f"is for {MOMENTS}: other methods find it in the rows, or state no error",
                "Leave it out.",
            ),
            (
                "--counts",
                self.counts,
                THEIL_SEN,
                f"is for {THEIL_SEN}: {self.method} takes no public counts",
                "Leave it out.",
            ),
        ):
            if given is not None and self.method != method:
                yield InvalidParameter(
                    option, rule=why, value=f"--method {self.method}", next_step=next_step
                )

    def _unprotected(self) -> Iterator[InvalidParameter]:
        """What a private method lacks."""
        if self.private and self.codebook is None:
            yield InvalidParameter(
                "--codebook",
                rule="is needed by private methods: cells and the ends of x and y must be public, "
                "not from the rows",
                value="nothing",
                next_step="Write one with the codes of --by, and low and high of x and y.",
            )
        if self.method == THEIL_SEN and self.counts is None:
            yield InvalidParameter(
                "--counts",
                rule=f"is needed by {THEIL_SEN}: how many rows each cell has must be public, "
                "and does not come from the rows",
                value="nothing",
                next_step="Give a public CSV file with the cells and their `count`; otherwise "
                f"use {MOMENTS}.",
            )
