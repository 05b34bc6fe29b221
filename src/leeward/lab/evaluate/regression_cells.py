"""Cells of regressions: made-up ones, and those of a file."""

from pathlib import Path

import numpy as np

from leeward.core.errors import BadFile, InvalidParameter
from leeward.core.randomness import SeededBits
from leeward.publishing.engines.table_files import opened_file
from leeward.systems.regress.cell_points import NAME, read_rows
from leeward.systems.regress.regression_request import RegressionRequest
from leeward.systems.regress.scatter import ScaledPoints
from leeward.systems.regress.setting import Columns

COLUMNS = (Columns("x", "y", "cell"), Columns("parent_rank", "kid_rank", "cell"))
"""What the columns of a file may be called: in short, or as in the example of Chetty and Friedman.
"""


COUNT, LEAST, MOST = 120, 5, 200
MADE_UP = f"{COUNT} made-up cells of {LEAST} to {MOST} people"


def made_up_cells(seed: int = 1) -> dict[str, ScaledPoints]:
    """Cells like neighbourhoods: ranks of children on those of their parents, both in [0, 1].

    Neighbourhoods differ in size, in the parents' mean rank, in height and in slope.
    """
    draw = SeededBits(seed).generator
    cells = {}
    for number in range(COUNT):
        people = int(draw.integers(LEAST, MOST + 1))
        middle, height, slope = draw.normal((0.5, 0.4, 0.35), (0.1, 0.06, 0.1))
        x = np.clip(draw.normal(middle, 0.25, people), 0, 1)
        y = np.clip(height + slope * (x - 0.25) + draw.normal(0, 0.2, people), 0, 1)
        cells[f"{number + 1:03}"] = ScaledPoints(x, y)
    return cells


def read_cells(path: Path) -> dict[str, ScaledPoints]:
    """The cells of a file, read as `leeward regress` does; shares are moved into [0, 1]."""
    try:
        with opened_file(path, NAME) as files:
            names = set(files.tables()[NAME].columns)
            known = [columns for columns in COLUMNS if {columns.x, columns.y, columns.by} <= names]
            if not known:
                raise InvalidParameter(
                    "--cells",
                    rule="must have the columns x, y and cell, or parent_rank, kid_rank and cell",
                    value="others",
                    next_step="Rename the columns.",
                )
            # Nothing is released by this request: it names the file and its columns.
            rows = read_rows(files, RegressionRequest(path, known[0], "mose", "1"))
    except BadFile as error:
        raise BadFile(
            "--cells", rule=error.rule, value=error.value, next_step=error.next_step
        ) from None
    return {
        name: ScaledPoints(np.clip(x, 0, 1), np.clip(y, 0, 1))
        for name, (x, y) in zip(rows.cells, rows.by_cell(), strict=True)
    }
