"""Options: what several commands ask for, each written once."""

from pathlib import Path
from typing import Annotated

import typer

PlanFile = Annotated[Path, typer.Argument(help="The plan file.")]
BundleFolder = Annotated[Path, typer.Argument(help="The bundle's folder.")]
SurveyFile = Annotated[Path, typer.Argument(help="The survey, a YAML file.")]
NewFolder = Annotated[Path, typer.Option("--out", help="The folder to write; it must not exist.")]
AsJson = Annotated[bool, typer.Option("--json", help="The answer as JSON.")]

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The ledger file.")]
ChargedLedger = Annotated[Path | None, typer.Option("--ledger", help="The ledger that is charged.")]
AccountName = Annotated[str | None, typer.Option("--account", help="Its account.")]
PayAgain = Annotated[
    bool, typer.Option("--again", help="Release what was charged before, and pay again.")
]
PlanAgain = Annotated[
    bool, typer.Option("--again", help="Release a plan that was charged before, and pay again.")
]
NotCharged = Annotated[
    str | None,
    typer.Option("--uncharged", metavar="REASON", help="Charge nothing: the output is INTERNAL."),
]
Unchecked = Annotated[
    str | None,
    typer.Option(
        metavar="REASON",
        help="Release although no `leeward check` of these data has ended; the ledger keeps the "
        "reason.",
    ),
]
Most = Annotated[
    str,
    typer.Option(
        metavar="SHARE", help="How much may be lost, such as 5%; beyond it the exit code is 4."
    ),
]

Memory = Annotated[
    str | None, typer.Option("--memory", help="What DuckDB may use at most, such as 6GB.")
]
Spill = Annotated[
    Path | None, typer.Option("--spill", help="Folder for what does not fit into memory.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of CSV files: cp1252, latin-1, utf-16, …")
]
Quotes = Annotated[
    str | None, typer.Option("--quotes", help="none: no value of CSV files is in quotes.")
]

Jobs = Annotated[int, typer.Option(help="Number of jobs, exactly.")]
Establishments = Annotated[int, typer.Option(help="Number of establishments, exactly.")]
Seed = Annotated[int, typer.Option(help="The same seed makes the same economy.")]
SyntheticRows = Annotated[
    int | None, typer.Option("--rows", help="Rows to write. Left out, the released total.")
]
