"""`leeward regress`: lines of y on x by cell, with a guarantee or, for the operator, without."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.interface.commands.options import (
    AccountName,
    AsJson,
    ChargedLedger,
    NotCharged,
    PayAgain,
)
from leeward.interface.commands.screen import progress, show_charged
from leeward.publishing.release.paid import read_payer, required
from leeward.systems.regress.regression import regress
from leeward.systems.regress.regression_request import (
    LOWEST_RANK,
    METHODS,
    PRIVATE,
    RegressionRequest,
)
from leeward.systems.regress.setting import Columns, PublicCounts

File = Annotated[Path, typer.Argument(help="A file as in plans, one row a job.")]
X = Annotated[str, typer.Option("--x", metavar="COL", help="What y is regressed on.")]
Y = Annotated[str, typer.Option("--y", metavar="COL", help="What is predicted.")]
By = Annotated[str, typer.Option("--by", metavar="COL", help="The cell of a row.")]
Method = Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")]
Epsilon = Annotated[str, typer.Option(help="The privacy loss of all cells together.")]
Rank = Annotated[
    list[str] | None,
    typer.Option(
        metavar="<str>",
        help="Where to predict: a share of the range of x; may be repeated. Left out, "
        f"{LOWEST_RANK}.",
    ),
]
Codebook = Annotated[
    Path | None, typer.Option(help="Codes of --by, ends of x and y; private methods need it.")
]
Workplace = Annotated[
    str | None,
    typer.Option(metavar="COL", help="The establishment of a row: protects employers too."),
]
Alpha = Annotated[
    str | None, typer.Option(help="The protected growth of an establishment, such as 0.1.")
]
Counts = Annotated[
    Path | None,
    typer.Option(help="With theil-sen: a public CSV file with the column of --by and `count`."),
]
Scatter = Annotated[
    str | None,
    typer.Option(
        help="Standard deviation of y around the lines, known from elsewhere, for the "
        "standard errors of moments. Left out, the largest that the ends of y allow."
    ),
]
Out = Annotated[
    Path | None, typer.Option(help="A folder to write the answer to; it must not exist.")
]


def regress_command(  # noqa: PLR0913 (a parameter for each option)
    file: File,
    *,
    x: X,
    y: Y,
    by: By,
    method: Method,
    epsilon: Epsilon,
    rank: Rank = None,
    codebook: Codebook = None,
    workplace: Workplace = None,
    alpha: Alpha = None,
    counts: Counts = None,
    scatter: Scatter = None,
    ledger: ChargedLedger = None,
    account: AccountName = None,
    again: PayAgain = False,
    uncharged: NotCharged = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Regress y on x in every cell of a file: private, or INTERNAL output.

    moments and theil-sen are private: the account is charged first, or --uncharged REASON makes the
    output INTERNAL. The other methods are what agencies do today, and INTERNAL always.

    Example: leeward regress jobs.csv --x age --y pay --by county --method moments --epsilon 4
    --codebook codebook.yaml --ledger ledger.sqlite --account office --out regression
    """
    payer = read_payer(ledger, account, uncharged, again=again)
    if method in PRIVATE:
        required(payer)
    columns = Columns(x=x, y=y, by=by, workplace=workplace)
    book = None if codebook is None else read_codebook(codebook)
    sizes = None if counts is None else PublicCounts.read(counts, by)
    request = RegressionRequest(file=file, columns=columns, method=method, epsilon=epsilon,
                                codebook=book, alpha=alpha, counts=sizes, scatter=scatter,
                                ranks=tuple(rank or (LOWEST_RANK,)))  # fmt: skip
    with progress() as bar:
        bar.step("reading and regressing")
        answer = regress(request, payer, out)
    place = [] if out is None else [f"Written to {out}."]
    show_charged(
        (*answer.lines(), *place), answer.as_json, internal=answer.internal, as_json=as_json
    )
