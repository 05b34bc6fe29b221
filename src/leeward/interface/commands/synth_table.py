"""`leeward synth table`: a file becomes a description and synthetic rows."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.core.show.page import INTERNAL
from leeward.interface.commands.screen import note, progress, say, say_json
from leeward.publishing.release.account import read_payer, required
from leeward.systems.synth.domain import RANGES
from leeward.systems.synth.request import AUTO, METHODS, RANDOM, Request
from leeward.systems.synth.run import Written, synthesize


def table_command(  # noqa: PLR0913 (a parameter for each option)
    file: Annotated[Path, typer.Argument(help="A file as in plans, one row a person.")],
    *,
    codebook: Annotated[
        Path, typer.Option(help="Columns with table: workers, their codes and ranges.")
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist.")],
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = AUTO,
    epsilon: Annotated[
        str | None, typer.Option(help="What the output may tell about one row.")
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(help="Buys Gaussian noise: the probability that ε fails, at most 1e-6."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help="Rows to write. Left out, the released total.")
    ] = None,
    ranges: Annotated[
        int, typer.Option(help="Equal ranges of columns with type: number.")
    ] = RANGES,
    parents: Annotated[
        int | None, typer.Option(help="With correlated: parents of a column at most (2).")
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option(help="With nist: a public file of the same columns, to select tables on."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the rows, not of the noise.")] = 0,
    ledger: Annotated[Path | None, typer.Option(help="The ledger that is charged.")] = None,
    account: Annotated[str | None, typer.Option(help="Its account.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Release what was charged before, and pay again.")
    ] = False,
    uncharged: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Charge nothing: the output is INTERNAL."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
) -> None:
    """Write synthetic rows of a file, and the description that they are drawn from.

    One row more or less is protected, no employer is. The account is charged first, and the folder
    is sealed with its charge. With --uncharged REASON nothing is charged, and every file is
    INTERNAL: for the owner only, and marked.

    Example: leeward synth table people.csv --codebook codebook.yaml --epsilon 1 --delta 1e-9
    --out people-synthetic --ledger ledger.sqlite --account people
    """
    payer = read_payer(ledger, account, uncharged, again=again)
    if method != RANDOM:
        required(payer)
    book = read_codebook(codebook)
    request = Request(file, book, method, epsilon, delta, rows, ranges, parents, public)
    with progress() as bar:
        bar.step("counting, measuring and drawing")
        written = synthesize(request, out, payer, seed)
    show(written, as_json=as_json)


def show(written: Written, *, as_json: bool) -> None:
    """What was written, for people or as JSON."""
    described = written.description
    with suppress(OSError):  # a closed stream does not undo the charge
        if described.internal:
            (note if as_json else say)(INTERNAL)
        if as_json:
            say_json(written.as_json())
            return
        say(f"{written.folder}: {written.rows} synthetic rows by the method "
            f"{described.method}.")  # fmt: skip
        for line in (*described.says, *described.fit.warnings):
            say(line)
        if described.internal:
            say(f"Not charged: {described.provenance.uncharged}")
