"""`leeward regress`: lines of y on x by cell, with a guarantee or, for the operator, without."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.core.show.page import INTERNAL
from leeward.interface.commands.screen import note, progress, say, say_json
from leeward.publishing.release.account import read_payer, required
from leeward.systems.regress.public_counts import PublicCounts
from leeward.systems.regress.request import LOWEST_RANK, METHODS, PRIVATE, Request
from leeward.systems.regress.run import regress
from leeward.systems.regress.setting import Columns


def regress_command(  # noqa: PLR0913 (a parameter for each option)
    file: Annotated[Path, typer.Argument(help="A file as in plans, one row a job.")],
    *,
    x: Annotated[str, typer.Option("--x", metavar="COL", help="What y is regressed on.")],
    y: Annotated[str, typer.Option("--y", metavar="COL", help="What is predicted.")],
    by: Annotated[str, typer.Option("--by", metavar="COL", help="The cell of a row.")],
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")],
    epsilon: Annotated[str, typer.Option(help="The privacy loss of all cells together.")],
    rank: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<str>",
            help="Where to predict: a share of the range of x; may be repeated. Left out, "
            f"{LOWEST_RANK}.",
        ),
    ] = None,
    codebook: Annotated[
        Path | None, typer.Option(help="Codes of --by, ends of x and y; private methods need it.")
    ] = None,
    workplace: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The establishment of a row: protects employers too."),
    ] = None,
    alpha: Annotated[
        str | None, typer.Option(help="The protected growth of an establishment, such as 0.1.")
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option(help="With theil-sen: a public CSV file with the column of --by and `count`."),
    ] = None,
    scatter: Annotated[
        str | None,
        typer.Option(
            help="Standard deviation of y around the lines, known from elsewhere, for the "
            "standard errors of moments. Left out, the largest that the ends of y allow."
        ),
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger that is charged.")] = None,
    account: Annotated[str | None, typer.Option(help="Its account.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Release what was charged before, and pay again.")
    ] = False,
    uncharged: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Charge nothing: the output is INTERNAL."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder to write the answer to; it must not exist.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
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
    request = Request(
        file,
        Columns(x, y, by, workplace),
        method,
        epsilon,
        tuple(rank or (LOWEST_RANK,)),
        None if codebook is None else read_codebook(codebook),
        alpha,
        None if counts is None else PublicCounts.read(counts, by),
        scatter,
    )
    with progress() as bar:
        bar.step("reading and regressing")
        answer = regress(request, payer, out)
    with suppress(OSError):  # a closed stream does not undo the charge
        if answer.internal:
            (note if as_json else say)(INTERNAL)
        if as_json:
            say_json(answer.as_json())
            return
        for line in answer.lines():
            say(line)
        if out is not None:
            say(f"Written to {out}.")
