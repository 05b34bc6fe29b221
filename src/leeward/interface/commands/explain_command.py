"""`leeward explain`: what SELECT statements would count and cost, or why they are refused."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.interface.commands.screen import show
from leeward.publishing.plan.explanation import LARGEST, Asked, explain
from leeward.publishing.plan.reading import read_jobs, read_number, read_protection
from leeward.publishing.plan.request import WrittenJobs, WrittenProtection

Statements = Annotated[
    list[str], typer.Argument(metavar="SQL", help="SELECT statements, each in quotes, or with ;.")
]
Codebook = Annotated[Path, typer.Option(help="The codebook: attributes, codes and keys.")]
Policy = Annotated[str, typer.Option(help="strong, weak, worker, person or proportional.")]
Alpha = Annotated[str | None, typer.Option(help="Protected growth; 0.1 where the policy has one.")]
Epsilons = Annotated[
    list[str] | None,
    typer.Option("--epsilon", metavar="<str>", help="Of all statements; 1; or one of each."),
]
JobsPerWorker = Annotated[str | None, typer.Option(help="Maximum number of jobs that count.")]
LargestJobs = Annotated[int, typer.Option(help="Jobs of the largest establishment of a cell.")]
AsJson = Annotated[bool, typer.Option("--json", help="The explanation as JSON.")]


def explain_command(  # noqa: PLR0913 (a parameter for each option)
    sql: Statements,
    *,
    codebook: Codebook,
    policy: Policy = "strong",
    alpha: Alpha = None,
    epsilon: Epsilons = None,
    jobs_per_worker: JobsPerWorker = None,
    largest: LargestJobs = LARGEST,
    as_json: AsJson = False,
) -> None:
    """Explain what SELECT statements would count and cost. Reads no data.

    A statement is read into a table of a plan; its text never reaches a database. What is not in
    the subset is refused with the reason, and the exit code is 0 all the same.

    Example: leeward explain "SELECT sex, COUNT(*) FROM jobs GROUP BY sex" --codebook codebook.yaml
    """
    losses = tuple(epsilon or ("1",))
    numbers = [read_number(loss, "--epsilon") for loss in losses]
    usual = "0.1" if policy in ("strong", "weak", "proportional") else None
    promise = WrittenProtection(policy=policy, alpha=alpha or usual, epsilon=losses[0])
    jobs = None if jobs_per_worker is None else WrittenJobs(max_per_worker=jobs_per_worker)
    rule = read_jobs(jobs)
    assumed = Asked(read_codebook(codebook), read_protection(promise), rule, largest)
    explanations, cost = explain(sql, assumed, numbers if len(numbers) > 1 else ())
    parts = (*explanations, *(() if cost is None else (cost,)))
    lines = (line for at, part in enumerate(parts) for line in (*[""] * (at > 0), *part.lines()))
    statements = [explanation.as_json() for explanation in explanations]
    together = None if cost is None else cost.as_json()
    several = {"statements": statements, "together": together}
    show(lines, lambda: statements[0] if len(statements) == 1 else several, as_json=as_json)
