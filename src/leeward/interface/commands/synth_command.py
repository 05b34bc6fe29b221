"""`leeward synth`: synthetic rows of a table or a release, and rows beside the real ones."""

import json
from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.core.show.numbers import count
from leeward.interface.commands.app import group
from leeward.interface.commands.options import (
    AccountName,
    AsJson,
    ChargedLedger,
    NewFolder,
    NotCharged,
    PayAgain,
    PlanAgain,
    PlanFile,
    SyntheticRows,
    Unchecked,
)
from leeward.interface.commands.screen import CONFIDENTIAL, progress, show, show_charged
from leeward.publishing.bundle.disk import appearing, write_file
from leeward.publishing.bundle.writer import require_free
from leeward.publishing.release.paid import read_payer, required
from leeward.systems.synth.domain import RANGES
from leeward.systems.synth.inspection import BAD_AT, InspectionRequest, inspect
from leeward.systems.synth.inspection_page import findings, page
from leeward.systems.synth.linking import Synthetic, linked
from leeward.systems.synth.synthesis import TableFolder, generate, synthesize
from leeward.systems.synth.table_request import AUTO, METHODS, RANDOM, TableRequest

PAGE, NUMBERS = "index.html", "inspection.json"
OWNER = 0o600, 0o700
"""Modes of files and folder: the owner's alone."""

File = Annotated[Path, typer.Argument(help="A file as in plans, one row a person.")]
Codebook = Annotated[
    Path, typer.Option(help="Columns with table: workers, their codes and ranges.")
]
Method = Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")]
Epsilon = Annotated[str | None, typer.Option(help="What the output may tell about one row.")]
Delta = Annotated[
    str | None,
    typer.Option(help="Buys Gaussian noise: the probability that ε fails, at most 1e-6."),
]
Ranges = Annotated[int, typer.Option(help="Equal ranges of columns with type: number.")]
Parents = Annotated[
    int | None, typer.Option(help="With correlated: parents of a column at most (2).")
]
Public = Annotated[
    Path | None,
    typer.Option(help="With nist: a public file of the same columns, to select tables on."),
]
Seed = Annotated[int, typer.Option(min=0, help="Of the rows, not of the noise.")]


def table_command(  # noqa: PLR0913 (a parameter for each option)
    file: File,
    *,
    codebook: Codebook,
    out: NewFolder,
    method: Method = AUTO,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rows: SyntheticRows = None,
    ranges: Ranges = RANGES,
    parents: Parents = None,
    public: Public = None,
    seed: Seed = 0,
    ledger: ChargedLedger = None,
    account: AccountName = None,
    again: PayAgain = False,
    uncharged: NotCharged = None,
    as_json: AsJson = False,
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
    request = TableRequest(file=file, codebook=book, method=method, epsilon=epsilon, delta=delta,
                           rows=rows, ranges=ranges, parents=parents, public=public)  # fmt: skip
    with progress() as bar:
        bar.step("counting, measuring and drawing")
        written = synthesize(request, out, payer, seed)
    _show_rows(written, as_json=as_json)


def _show_rows(written: TableFolder, *, as_json: bool) -> None:
    """What was written, for people or as JSON."""
    described = written.description
    method = f"{written.rows} synthetic rows by the method {described.method}"
    lines = [f"{written.folder}: {method}.", *described.says, *described.fit.warnings]
    if described.internal:
        lines.append(f"Not charged: {described.provenance.uncharged}")
    show_charged(lines, written.as_json, internal=described.internal, as_json=as_json)


def generate_command(
    description: Annotated[Path, typer.Argument(help="A description.json.")],
    *,
    out: NewFolder,
    rows: SyntheticRows = None,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds give other rows.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write synthetic rows of a description alone: no data are read and nothing is spent.

    Example: leeward synth generate people-synthetic/description.json --rows 1000 --seed 7
    --out more
    """
    _show_rows(generate(description, out, rows, seed), as_json=as_json)


def inspect_command(  # noqa: PLR0913 (a parameter for each option)
    real: Annotated[Path, typer.Argument(help="The real rows, a file as in plans.")],
    synthetic: Annotated[
        Path, typer.Argument(help="Synthetic rows, or the folder that a synth command wrote.")
    ],
    *,
    out: NewFolder,
    codebook: Annotated[
        Path | None,
        typer.Option(help="Left out, what the folder of SYNTHETIC says of its columns."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The column to predict. Left out, some of few values."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of triples, halves and samples.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Compare synthetic rows with the real ones. CONFIDENTIAL output.

    Writes a page with bars, heat maps, models, broken rules and unique rows. Its numbers are exact:
    they stay inside, and choosing a method by them is outside of every promise.

    Example: leeward synth inspect people.csv people-synthetic --out inspection
    """
    require_free(out)
    book = None if codebook is None else read_codebook(codebook)
    request = InspectionRequest.of(real, synthetic, book, target, seed)
    with progress() as bar:
        inspection = inspect(request, bar.step)
    numbers = {"confidential": CONFIDENTIAL, **inspection.as_json()}
    written = json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"
    file, folder = OWNER  # only the owner may read the folder
    with appearing(out, folder) as hidden:
        write_file(hidden / PAGE, page(inspection).encode(), file)
        write_file(hidden / NUMBERS, written.encode(), file)
    weak = ("Synthetic rows are bad at:", *(f"  {line}" for line in BAD_AT))
    lines = (CONFIDENTIAL, *findings(inspection), *weak, f"The page is {out / PAGE}.")
    show(lines, lambda: numbers, as_json=as_json)


def linked_command(  # noqa: PLR0913 (a parameter for each option)
    plan: PlanFile,
    out: NewFolder,
    *,
    ledger: ChargedLedger = None,
    measured: Annotated[
        Path | None,
        typer.Option(help="In place of --ledger, a release of this plan; nothing is charged."),
    ] = None,
    again: PlanAgain = False,
    unchecked: Unchecked = None,
    as_json: AsJson = False,
) -> None:
    """Write synthetic workplaces, workers and jobs that reproduce the tidy tables of a plan.

    The plan is released first, and its account is charged for it. Rows follow from the release and
    the public frame, so they cost nothing more. `leeward verify` counts them again.

    Example: leeward synth linked plan.yaml --out synthetic --ledger ledger.sqlite
    """
    with progress() as bar:
        rows = linked(
            plan=plan,
            out=out,
            ledger=ledger,
            measured=measured,
            again=again,
            unchecked=unchecked,
            progress=bar,
        )
    _show_linked(rows, charged=measured is None, as_json=as_json)


def _show_linked(rows: Synthetic, *, charged: bool, as_json: bool) -> None:
    """What was written and reproduced, and what was paid for it."""
    statement, release = rows.statement, rows.measured.certificate
    jobs, workplaces = count(statement.jobs), count(statement.workplaces)
    paid = f"entry {release.ledger.entry} of account {release.account}"
    lines = [
        f"{rows.path}: {jobs} synthetic jobs in {workplaces} workplaces.",
        f"Charged: {paid}." if charged else f"Nothing was charged: {paid} paid for the release.",
        f"Reproduced to the last job: {', '.join(statement.reproduced)}.",
        *(f"  {guide.table}: {guide.sentence}" for guide in statement.guides),
        *statement.says,
    ]
    kept = {"jobs", "workplaces", "reproduced", "guides", "says"}
    content = {
        "folder": str(rows.path),
        "entry": release.ledger.entry,
        "charged": charged,
        "paid": release.budget.paid.epsilon,
        **statement.model_dump(mode="json", include=kept),
    }
    show_charged(lines, lambda: content, internal=False, as_json=as_json)


synth_app = group(
    "synth",
    table=table_command,
    generate=generate_command,
    inspect=inspect_command,
    linked=linked_command,
)
