"""Answer: what a regression by cell gives, cell by cell, what is said about it, and its folder.

Of a private method all of it follows from the released numbers, the public setting and the price.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from leeward.core.codebook import EveryJob
from leeward.core.codebook.yaml_document import read_text
from leeward.core.mechanisms.moments import Moments
from leeward.core.noise.tabulated import Floats
from leeward.core.privacy import Guarantee
from leeward.core.privacy.sentences import NOT_CHARGED, OTHER_RELEASES_IN_FULL, whole
from leeward.publishing.bundle.bundle_files import REGRESSION
from leeward.publishing.bundle.disk import write_file
from leeward.publishing.bundle.paid_folder import (
    FILES,
    PAID,
    FolderCertificate,
    Kind,
    PaidFolder,
    marked,
)
from leeward.publishing.bundle.sealed_folder import UNREADABLE
from leeward.publishing.bundle.witness import Witness
from leeward.systems.regress.cell_lines import ReleasedMedians, ReleasedNumbers, ReleasedSums
from leeward.systems.regress.regression_request import MOMENTS, THEIL_SEN
from leeward.systems.regress.scatter import SLOPE
from leeward.systems.regress.setting import PublicSetting

OK, NO_ESTIMATE = "ok", "no estimate"
DIGITS = 6
HEADER = ("cell", "rank", "estimate", "se", "count", "status")

KIND: Kind = "regression"
_, CSV = FILES[KIND]
RELEASED: Mapping[str, Callable[[Mapping[str, Any]], ReleasedNumbers]] = {
    MOMENTS: ReleasedSums.read,
    THEIL_SEN: ReleasedMedians.read,
}


ROWS = (
    "Each row of the file is one job. Values outside their ends were moved to the end; rows "
    "without x, y or a listed cell were left out."
)
ESTABLISHMENTS = (
    "An establishment is all rows of one workplace in one cell: a workplace with rows in two "
    "cells counts as two."
)
COUNTS = (
    "The count of each cell is from a file that was named as public, not from the rows. Nothing "
    "is promised about these counts."
)


@dataclass(frozen=True)
class CellEstimate:
    """One estimate of one cell, in the units of y, a slope in those of y for one of x.

    `rank` is a share of the range of x, or names the slope. What is not known is None.
    """

    cell: str
    rank: float | str
    estimate: float | None
    error: float | None
    count: float | None
    status: str

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        named = {"cell": self.cell, "rank": self.rank, "estimate": self.estimate, "se": self.error}
        return {**named, "count": self.count, "status": self.status}


@dataclass(frozen=True)
class Answer:
    """All estimates of a method. Without a charge it is internal, like the output of a check.

    `chi` has χ of each estimand of MOSE and `chi_cell` the cell that attains it. `says` are the
    sentences about the guarantee, or that there is none. `released` is what a private method has
    released of each cell: further estimates follow from it at no cost. `uncharged` is the reason
    for no charge.
    """

    method: str
    setting: PublicSetting
    epsilon: Fraction
    alpha: Fraction | None
    cells: tuple[CellEstimate, ...]
    says: tuple[str, ...]
    charge: Witness | None = None
    uncharged: str | None = None
    released: ReleasedNumbers | None = None
    chi: Mapping[str, float] = field(default_factory=dict)
    chi_cell: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        method: str,
        setting: PublicSetting,
        released: ReleasedNumbers,
        guarantee: Guarantee,
        paid: Witness | str,
    ) -> "Answer":
        """All that follows from released numbers; `paid` is the charge, or the reason for none."""
        charge, uncharged = (None, paid) if isinstance(paid, str) else (paid, None)
        alpha = guarantee.alpha
        says = (
            *(sentence.text for sentence in whole(guarantee, EveryJob())),
            ROWS,
            *([] if alpha is None else [ESTABLISHMENTS]),
            *([COUNTS] if isinstance(released, ReleasedMedians) else []),
            NOT_CHARGED if charge is None else OTHER_RELEASES_IN_FULL,
        )
        cells = estimates(released, setting)
        return cls(
            method, setting, guarantee.epsilon, alpha, cells, says, charge, uncharged, released
        )

    @property
    def private(self) -> bool:
        """Whether the method has a guarantee."""
        return self.released is not None

    @property
    def internal(self) -> bool:
        """Whether it must stay inside: it has no guarantee, or no account was charged for it."""
        return self.charge is None

    def as_json(self) -> dict[str, object]:
        """Everything as plain values."""
        at = None if self.charge is None else self.charge.ledger
        return {
            **marked(self.internal),
            "method": self.method,
            "private": self.private,
            "internal": self.internal,
            "charged": at is not None,
            "entry": None if at is None else at.entry,
            "ledger": None if at is None else at.id,
            "uncharged": self.uncharged,
            "epsilon": float(self.epsilon),
            "alpha": None if self.alpha is None else float(self.alpha),
            **self.setting.as_json(),
            "chi": dict(self.chi),
            "chi_cell": dict(self.chi_cell),
            "says": list(self.says),
            "cells": [cell.as_json() for cell in self.cells],
            **({} if self.released is None else self.released.as_json()),
            "charge": None if self.charge is None else self.charge.model_dump(mode="json"),
        }

    def to_json(self) -> bytes:
        """The one way to write it."""
        return _written(self.as_json())

    def to_csv(self) -> bytes:
        """The estimates as a table; rows of an internal one are marked."""
        text = StringIO()
        marks = marked(self.internal)
        writer = csv.DictWriter(text, (*HEADER, *marks), lineterminator="\n")
        writer.writeheader()
        writer.writerows(cell.as_json() | marks for cell in self.cells)
        return text.getvalue().encode()

    def lines(self) -> list[str]:
        """A table for people, in columns of equal width, and the sentences before it."""
        rows = [HEADER, *(tuple(map(_shown, cell.as_json().values())) for cell in self.cells)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        table = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        chi = [
            f"χ of {name}: {chi:.6g}, attained by cell {self.chi_cell[name]}"
            for name, chi in self.chi.items()
        ]
        reason = [] if self.uncharged is None else [f"Not charged: {self.uncharged}"]
        return [*self.says, *reason, *chi, "", *table]


def _written(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return "" if value is None else str(value)


def known(value: float) -> float | None:
    """A number to six decimals; nothing where there is none."""
    return round(float(value), DIGITS) if np.isfinite(value) else None


def estimates(released: ReleasedNumbers, setting: PublicSetting) -> tuple[CellEstimate, ...]:
    """Predictions at each rank and slopes, in units of x and y, cell by cell."""
    lines, (x, y) = released.lines(setting), setting.ends
    half = float(y.high - y.low) / 2
    steep = 2 * half / float(x.high - x.low)
    scaled: list[tuple[float | str, Floats, Floats]] = []
    for rank in setting.shares:
        at = lines.predictions(2 * float(rank) - 1)
        scaled.append((float(rank), float(y.low) + half * (at.value + 1), half * at.error))
    slopes = lines.slopes()
    scaled.append((SLOPE.name, steep * slopes.value, steep * slopes.error))
    return tuple(
        CellEstimate(
            cell,
            rank,
            known(value[i]),
            known(error[i]),
            round(float(lines.count[i])),
            OK if np.isfinite(value[i]) else NO_ESTIMATE,
        )
        for i, cell in enumerate(released.cells)
        for rank, value, error in scaled
    )


def write_answer(answer: Answer, out: Path | None) -> str:
    """The answer in a new folder, if one is wanted; the SHA-256 of its JSON."""
    content = answer.to_json()
    if out is not None:
        sealed = PaidFolder(out, KIND, answer.charge, internal=answer.internal)
        with sealed.writing() as folder:
            write_file(folder / REGRESSION, content, sealed.mode)
            write_file(folder / CSV, answer.to_csv(), sealed.mode)
    return sha256(content).hexdigest()


def regression_findings(folder: Path) -> tuple[str, ...]:
    """What is wrong with a folder of `leeward regress`, in plain words; none if it is sound."""
    try:
        told = json.loads(read_text(folder / REGRESSION, REGRESSION))
        if told["internal"]:
            return ("it is INTERNAL: no account was charged for it",)
        return PAID.findings(folder) or tuple(_findings(folder, PAID.read(folder), told))
    except OSError:
        return ("the folder cannot be read",)
    except UNREADABLE:
        return (f"{REGRESSION} cannot be read",)


def _findings(folder: Path, stated: FolderCertificate, told: dict[str, Any]) -> Iterator[str]:
    """Estimates and sentences follow from the released numbers and the charge."""
    released, guarantee = RELEASED[told["method"]](told), stated.guarantee.as_guarantee()
    answer = Answer.of(
        told["method"], PublicSetting.read(told), released, guarantee, stated.witness
    )
    expected = answer.as_json()
    if not stated.same_program:
        expected["says"] = told["says"]
    wrong = sorted(key for key in {*expected, *told} if expected.get(key) != told.get(key))
    yield from (
        f"{REGRESSION}: {key} does not follow from what was released and paid" for key in wrong
    )
    if not wrong and (folder / REGRESSION).read_bytes() != _written(told):
        yield f"{REGRESSION} is not written as Leeward writes it"
    if not wrong and (folder / CSV).read_bytes() != answer.to_csv():
        yield f"{CSV} does not agree with {REGRESSION}"
    if isinstance(released, ReleasedSums) and guarantee.alpha is None:
        deviation = Moments.calibrated(guarantee.epsilon).deviation
        if not np.allclose(released.noisy.deviation, deviation, rtol=1e-12, atol=0):
            yield f"{REGRESSION} has noise of another size than its price buys"
