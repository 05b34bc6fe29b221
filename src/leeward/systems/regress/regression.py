"""Run: a request is checked, its file read, the ledger charged, and the lines released.

Without a charge the answer is INTERNAL.

The rows are read before the charge, so that nothing is charged for a file that cannot be read.
Nothing is drawn before the entry of the charge is on disk.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from leeward.core.codebook import RealRange
from leeward.core.errors import NotCovered
from leeward.core.mechanisms.moments import lattice_points
from leeward.core.mechanisms.theil_sen import FEWEST
from leeward.core.noise.tabulated import Floats, require_accuracy
from leeward.publishing.bundle.witness import Witness
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.engines.table_files import opened_file
from leeward.publishing.ledger import TableCharge
from leeward.publishing.release.check import changed
from leeward.publishing.release.paid import Charge, Charged, Payer, required
from leeward.systems.regress.answer import Answer, CellEstimate, known, write_answer
from leeward.systems.regress.cell_lines import ReleasedMedians, ReleasedNumbers, ReleasedSums
from leeward.systems.regress.cell_points import NAME, Rows, read_rows
from leeward.systems.regress.mose import METHODS as BASELINES
from leeward.systems.regress.mose import NOTICE, Mose, NoisyEstimates, prepared
from leeward.systems.regress.regression_request import THEIL_SEN, RegressionRequest
from leeward.systems.regress.scatter import SLOPE, ScaledPoints, prediction

NO_GUARANTEE = f"INTERNAL: {NOTICE}. This is computed from confidential data and has no guarantee."


def regress(
    request: RegressionRequest, payer: Payer | None = None, out: Path | None = None
) -> Answer:
    """Estimates of every cell, charged before the first draw, and written into a folder if wanted.

    Parameters
    ----------
    request
        `RegressionRequest(file, columns, method, epsilon, ranks, codebook)`; valid at birth.
    payer
        `Charged(ledger, name)`, charged before the first draw; or `Uncharged(reason)`, and the
        output is INTERNAL. Methods without a guarantee are INTERNAL always and need neither.
    out
        The folder, which must not exist; left out, nothing is written.

    Returns
    -------
    Answer
        `cells`, `says`, the `released` numbers and the `charge`.

    Raises
    ------
    BadFile
        If the file cannot be read, or the folder not written.
    OverBudget, AlreadyReleased
        If the account cannot pay.
    """
    payer = required(payer) if request.private else payer
    if out is not None:
        require_free(out)
    if isinstance(payer, Charged):
        if not request.private:
            raise NotCovered(
                "--ledger",
                rule="must be charged for a guarantee, and this method has none",
                value=f"--method {request.method}",
                next_step="Use --method moments, or leave --ledger and --account out.",
            )
        payer.require_budget(_charge(request, payer, out))
    if request.private:
        require_accuracy()  # a machine that draws nothing is charged nothing
    with opened_file(request.file, NAME) as files:
        digest = files.digest()
        rows = read_rows(files, request)
        if not files.unchanged():
            raise changed()

    def answered(paid: Witness | str) -> tuple[Answer, str]:
        answer = measured(request, rows, paid)
        return answer, write_answer(answer, out)

    if not isinstance(payer, Charged):
        return answered("" if payer is None else payer.reason)[0]
    return payer.pay(_charge(request, payer, out), digest, answered)


def measured(request: RegressionRequest, rows: Rows, paid: Witness | str) -> Answer:
    """What the method gives of these rows; `paid` is the charge, or the reason for none."""
    if not request.private:
        return replace(_baseline(request, rows), uncharged=str(paid) or None)
    released: ReleasedNumbers
    if request.method == THEIL_SEN:
        released = _medians(request, rows)
    else:
        establishments = rows.establishments(*request.ends)
        released = ReleasedSums(rows.cells, request.moments().release(establishments))
    return Answer.of(request.method, request.setting, released, request.price, paid)


def _medians(request: RegressionRequest, rows: Rows) -> ReleasedMedians:
    """Whether a cell is released follows from its public count only."""
    sen, (x, y) = request.theil_sen(), request.ends
    points = np.zeros((len(rows.cells), 2), np.int64)
    for i, (across, up) in enumerate(rows.by_cell()):
        if request.points[i] >= FEWEST:
            u, v = lattice_points(across, x.low, x.high), lattice_points(up, y.low, y.high)
            points[i] = sen.release(u, v, request.points[i])
    return ReleasedMedians(rows.cells, points, np.array(request.points, np.int64))


def _baseline(request: RegressionRequest, rows: Rows) -> Answer:
    """A method without a guarantee; each estimand has noise of the whole ε, the count its own."""
    x, y = request.ends
    scatters = {
        name: ScaledPoints(_share(across, x), _share(up, y))
        for name, (across, up) in zip(rows.cells, rows.by_cell(), strict=True)
    }
    method, epsilon = BASELINES[request.method], float(Fraction(request.epsilon))
    estimands = [*(prediction(float(share)) for share in request.shares), SLOPE]
    drawn = [prepared(method, scatters, estimand).release(epsilon) for estimand in estimands]
    height = float(y.high - y.low)
    steep = height / float(x.high - x.low)
    scales = [*((float(y.low), height) for _ in request.shares), (0.0, steep)]
    ranks: list[float | str] = [*map(float, request.shares), SLOPE.name]
    parts = list(zip(ranks, drawn, scales, strict=True))
    count = drawn[0].count
    cells = tuple(
        _estimate(i, rank, estimates, scale, count) for i in range(len(scatters))
        for rank, estimates, scale in parts
    )  # fmt: skip
    alpha = None if request.alpha is None else Fraction(request.alpha)
    answer = Answer(
        request.method, request.setting, Fraction(request.epsilon), alpha, cells, (NO_GUARANTEE,)
    )
    if not isinstance(method, Mose):
        return answer
    envelopes = {of.name: method.envelopes(scatters, of).get("") for of in estimands}
    present = {name: envelope for name, envelope in envelopes.items() if envelope is not None}
    return replace(
        answer,
        chi={name: envelope.chi for name, envelope in present.items()},
        chi_cell={name: envelope.cell for name, envelope in present.items()},
    )


def _estimate(
    i: int, rank: float | str, drawn: NoisyEstimates, scale: tuple[float, float], count: Floats
) -> CellEstimate:
    start, unit = scale
    value, error = start + unit * drawn.estimate[i], unit * drawn.se[i]
    shown = known(value) if drawn.status[i] == "ok" else None
    error_shown = None if shown is None else known(error)
    return CellEstimate(drawn.cells[i], rank, shown, error_shown, known(count[i]), drawn.status[i])


def _share(values: Floats, ends: RealRange) -> Floats:
    share: Floats = np.clip((values - float(ends.low)) / float(ends.high - ends.low), 0.0, 1.0)
    return share


def _charge(request: RegressionRequest, payer: Charged, out: Path | None) -> Charge:
    workplace = request.columns.workplace
    return payer.charge(
        "regress",
        f"regression of {request.words}",
        TableCharge(request.words, request.method, request.price),
        out,
        plan=request.digest,
        keys=() if workplace is None else (("--workplace", workplace),),
    )
