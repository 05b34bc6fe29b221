"""Run: a request is checked, its file read, the ledger charged, and the lines released.

The rows are read before the charge, so that nothing is charged for a file that cannot be read.
Nothing is drawn before the entry of the charge is on disk.
"""

import json
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np

from leeward.baselines.mose import METHODS as BASELINES
from leeward.baselines.mose import NOTICE, Mose, Released, prepared
from leeward.baselines.scatter import SLOPE, Estimand, Scatter, prediction
from leeward.engines.duckdb import opened_file
from leeward.errors import NotCovered
from leeward.ledger import Entry, Ledger, Subject, TableCharge
from leeward.mechanisms.moments import lattice_points
from leeward.mechanisms.theil_sen import FEWEST
from leeward.model import EveryJob, RealRange
from leeward.noise.selftest import require_accuracy
from leeward.noise.tabulated import Floats
from leeward.privacy import Guarantee
from leeward.privacy.sentences import NOT_CHARGED, OTHER_RELEASES_IN_FULL, replaced, whole
from leeward.publishing.account import UNKNOWN, Account, Charge
from leeward.publishing.check import changed
from leeward.regress.answer import Answer, CellEstimate, known, of_lines, released_sums
from leeward.regress.lines import MedianLines, MomentLines
from leeward.regress.request import THEIL_SEN, Request
from leeward.regress.rows import NAME, Rows, read_rows

INTERNAL = f"INTERNAL: {NOTICE}. This is computed from confidential data and has no guarantee."

ROWS = (
    "Each row of the file is one job. Values outside their ends were moved to the end; rows "
    "without x, y or a listed cell were left out."
)
ESTABLISHMENTS = (
    "An establishment is all rows of one workplace in one cell: a workplace with rows in two "
    "cells counts as two."
)


def regress(request: Request, account: Account | None = None) -> Answer:
    """Estimates of every cell; with an account, charged before the first draw.

    Without one the promise is about this output alone, and the answer says so.
    """
    if account is not None:
        _require_policy(request)
        Charge("regress", account, _price(request), _subject(request, UNKNOWN)).require_budget()
    if request.private:
        require_accuracy()  # a machine that draws nothing is charged nothing
    with opened_file(request.file, NAME) as files:
        digest = files.digest()
        rows = read_rows(files, request)
        if not files.unchanged():
            raise changed()
        if account is None:
            return measured(request, rows)
        return _charged(request, rows, account, digest)


def measured(request: Request, rows: Rows) -> Answer:
    """What the method gives of these rows."""
    if not request.private:
        return _baseline(request, rows)
    return _theil_sen(request, rows) if request.method == THEIL_SEN else _moments(request, rows)


def _moments(request: Request, rows: Rows) -> Answer:
    made = request.moments()
    noisy = made.release(rows.establishments(*request.ends))
    lines = MomentLines.of(noisy, request.relative_scatter)
    said = [one.text for one in whole(made.guarantee(), EveryJob())]
    about = [ROWS, *([] if request.alpha is None else [ESTABLISHMENTS])]
    cells = of_lines(lines, rows.cells, request.shares, request.ends)
    answer = _answer(request, cells, (*said, *about, NOT_CHARGED))
    return replace(answer, sums=released_sums(noisy, rows.cells))


def _theil_sen(request: Request, rows: Rows) -> Answer:
    made, (x, y) = request.theil_sen(), request.ends
    points, counts = np.zeros((len(rows.cells), 2), np.int64), np.zeros(len(rows.cells), np.int64)
    for i, (across, up) in enumerate(rows.by_cell()):
        counts[i] = len(across)
        if counts[i] >= FEWEST:  # the counts are public
            u, v = lattice_points(across, x.low, x.high), lattice_points(up, y.low, y.high)
            points[i] = made.release(u, v)
    lines = MedianLines.of(points, counts, counts >= FEWEST)
    cells = of_lines(lines, rows.cells, request.shares, request.ends)
    return _answer(request, cells, (*replaced(made.parameters.epsilon), ROWS, NOT_CHARGED))


def _baseline(request: Request, rows: Rows) -> Answer:
    """A method without a guarantee; each estimand has noise of the whole ε, the count its own."""
    x, y = request.ends
    scatters = {
        name: Scatter(_share(across, x), _share(up, y))
        for name, (across, up) in zip(rows.cells, rows.by_cell(), strict=True)
    }
    method, epsilon = BASELINES[request.method], float(Fraction(request.epsilon))
    estimands = [*(prediction(float(one)) for one in request.shares), SLOPE]
    drawn = [prepared(method, scatters, one).release(epsilon) for one in estimands]
    height = float(y.high - y.low)
    steep = height / float(x.high - x.low)
    scales = [*((float(y.low), height) for _ in request.shares), (0.0, steep)]
    ranks: list[float | str] = [*map(float, request.shares), SLOPE.name]
    parts = list(zip(ranks, drawn, scales, strict=True))
    count = drawn[0].count
    cells = tuple(
        _estimate(i, rank, one, scale, count) for i in range(len(scatters))
        for rank, one, scale in parts
    )  # fmt: skip
    answer = _answer(request, cells, (INTERNAL,))
    return _with_chi(answer, method, scatters, estimands) if isinstance(method, Mose) else answer


def _with_chi(
    answer: Answer, method: Mose, scatters: dict[str, Scatter], estimands: list[Estimand]
) -> Answer:
    found = {of.name: method.envelopes(scatters, of).get("") for of in estimands}
    present = {name: one for name, one in found.items() if one is not None}
    return replace(
        answer,
        chi={name: one.chi for name, one in present.items()},
        chi_cell={name: one.cell for name, one in present.items()},
    )


def _estimate(
    i: int, rank: float | str, drawn: Released, scale: tuple[float, float], count: Floats
) -> CellEstimate:
    start, unit = scale
    value, error = start + unit * drawn.estimate[i], unit * drawn.se[i]
    shown = known(value) if drawn.status[i] == "ok" else None
    error_shown = None if shown is None else known(error)
    return CellEstimate(drawn.cells[i], rank, shown, error_shown, known(count[i]), drawn.status[i])


def _share(values: Floats, ends: RealRange) -> Floats:
    share: Floats = np.clip((values - float(ends.low)) / float(ends.high - ends.low), 0.0, 1.0)
    return share


def _answer(request: Request, cells: tuple[CellEstimate, ...], says: tuple[str, ...]) -> Answer:
    alpha = None if request.alpha is None else Fraction(request.alpha)
    return Answer(request.method, request.private, Fraction(request.epsilon), alpha, cells, says)


def _require_policy(request: Request) -> None:
    """Refuse to charge for what no account's policy covers."""
    if request.method == THEIL_SEN:
        raise NotCovered(
            "--ledger",
            rule=f"has no account for {THEIL_SEN}: it hides the values of a row whose presence is "
            "public, which no policy of accounts follows from",
            value=f"--method {request.method}",
            next_step="Use --method moments, or leave --ledger and --account out and count this "
            "output elsewhere.",
        )
    if not request.private:
        raise NotCovered(
            "--ledger",
            rule="must be charged for a guarantee, and this method has none",
            value=f"--method {request.method}",
            next_step="Use --method moments, or leave --ledger and --account out.",
        )


def _price(request: Request) -> Guarantee:
    return request.moments().guarantee()


def _subject(request: Request, data: str) -> Subject:
    """What the ledger keeps: there is no bundle, so the regression is named in its place."""
    table = TableCharge(request.words, request.method, _price(request))
    return Subject(
        plan=request.digest,
        data=data,
        period=request.method,
        bundle=f"regression of {request.words}",
        tables=(table,),
        jobs=EveryJob().words,
        keys=()
        if request.columns.workplace is None
        else (("--workplace", request.columns.workplace),),
    )


def _charged(request: Request, rows: Rows, account: Account, digest: str) -> Answer:
    """Reserve, draw, commit. Whatever happens after the charge, it stays."""

    def answered(entry: Entry) -> tuple[Answer, str]:
        answer = measured(request, rows)
        paid = tuple(OTHER_RELEASES_IN_FULL if one == NOT_CHARGED else one for one in answer.says)
        answer = replace(answer, says=paid, charged=True, entry=entry.number)
        written = json.dumps(answer.as_json(), sort_keys=True)
        return answer, sha256(written.encode()).hexdigest()

    with Ledger.open(account.ledger) as ledger:
        subject = _subject(request, ledger.sealed(digest.encode()))
        return Charge("regress", account, _price(request), subject).pay(ledger, answered)
