"""`leeward explain`: what SELECT statements would count and cost, or why they are refused."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.core.codebook import read_codebook
from leeward.interface.commands.screen import say, say_json
from leeward.publishing.plan.explanation import LARGEST, Asked, explain
from leeward.publishing.plan.reading import read_jobs, read_number, read_protection
from leeward.publishing.plan.request import WrittenJobs, WrittenProtection


def explain_command(  # noqa: PLR0913 (a parameter for each option)
    sql: Annotated[
        list[str],
        typer.Argument(metavar="SQL", help="SELECT statements, each in quotes, or with ;."),
    ],
    *,
    codebook: Annotated[Path, typer.Option(help="The codebook: attributes, codes and keys.")],
    policy: Annotated[
        str, typer.Option(help="strong, weak, worker, person or proportional.")
    ] = "strong",
    alpha: Annotated[
        str | None, typer.Option(help="Protected growth; 0.1 where the policy has one.")
    ] = None,
    epsilon: Annotated[
        list[str] | None,
        typer.Option("--epsilon", metavar="<str>", help="Of all statements; 1; or one of each."),
    ] = None,
    jobs_per_worker: Annotated[
        str | None,
        typer.Option(help="Maximum number of jobs that count."),
    ] = None,
    largest: Annotated[
        int,
        typer.Option(help="Jobs of the largest establishment of a cell."),
    ] = LARGEST,
    as_json: Annotated[bool, typer.Option("--json", help="The explanation as JSON.")] = False,
) -> None:
    """Explain what SELECT statements would count and cost. Reads no data.

    A statement is read into a table of a plan; its text never reaches a database. What is not in
    the subset is refused with the reason, and the exit code is 0 all the same.

    Example: leeward explain "SELECT sex, COUNT(*) FROM jobs GROUP BY sex" --codebook codebook.yaml
    """
    given = tuple(epsilon or ("1",))
    each = [read_number(one, "--epsilon") for one in given]
    with_alpha = policy in ("strong", "weak", "proportional")
    written = WrittenProtection(
        policy=policy, alpha=alpha or ("0.1" if with_alpha else None), epsilon=given[0]
    )
    rule = read_jobs(
        None if jobs_per_worker is None else WrittenJobs(max_per_worker=jobs_per_worker)
    )
    asked = Asked(read_codebook(codebook), read_protection(written), rule, largest)
    found, cost = explain(sql, asked, each if len(each) > 1 else ())
    if as_json:
        told = [one.as_json() for one in found]
        together = None if cost is None else cost.as_json()
        say_json(told[0] if len(told) == 1 else {"statements": told, "together": together})
        return
    for number, one in enumerate(found):
        if number:
            say()
        for line in one.lines():
            say(line)
    if cost is not None:
        say()
        for line in cost.lines():
            say(line)
