"""`leeward plan`: what a release would promise, cost and err, before anything is read or spent."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from leeward.cli.screen import say
from leeward.exact import number_text
from leeward.ledger import Account, Ledger
from leeward.ledger.account import payment
from leeward.model.size_profile import SizeProfile
from leeward.privacy.delta import delta_rule
from leeward.publishing.plan import Plan, PlannedTable, read_plan
from leeward.publishing.prediction import as_json as prediction_json
from leeward.publishing.prediction import (
    expectations,
    mean_error,
    promises,
    read_target,
    refusal,
    smallest_epsilon,
)
from leeward.show.numbers import jobs


def plan_command(
    plan: Annotated[Path, typer.Argument(help="The plan file.")],
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The ledger, to see what is left.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Find the smallest ε: 'table: 5 jobs' of mean error.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The prediction as JSON.")] = False,
) -> None:
    """Show what a plan promises, costs and errs. Reads no confidential data, spends nothing.

    Errors are predicted for typical sizes of a cell's largest establishment, or for the public
    size profile that the plan names as `sizes`.

    Example: leeward plan plan.yaml --target "place_industry: 5 jobs"
    """
    asked = read_plan(plan)
    if target is not None:
        asked = smallest_epsilon(asked, read_target(target))
    account = None if ledger is None else _account(asked, ledger)
    if as_json:
        remaining = None if account is None else str(account.left.epsilon)
        answer = prediction_json(asked, remaining)
        if target is not None:
            answer["smallest_epsilon"] = str(asked.asked.epsilon)
        if account is not None:
            answer["refused"] = refusal(asked, account)
        say(json.dumps(answer, indent=1, ensure_ascii=False))
        return
    if target is not None:
        say(f"Smallest protect.epsilon for {target}: {number_text(asked.asked.epsilon)}")
        say(f"  (mean error over {asked.profile.words})\n")
    for line in lines(asked, account):
        say(line)


def _account(plan: Plan, ledger: Path) -> Account:
    with Ledger.open(ledger) as book:
        return book.account(plan.request.account)


def lines(plan: Plan, account: Account | None) -> Iterator[str]:
    """The plan for a person."""
    yield "What is promised"
    for who, sentence in promises(plan).items():
        yield from _paragraph(who, sentence)
    for table in plan.tables:
        yield ""
        yield from _table(table, plan.profile)
    yield ""
    yield f"Cost: epsilon {number_text(plan.charge.epsilon)} of account {plan.request.account}."
    delta = max(plan.asked.delta, Fraction(0) if account is None else account.cap.delta)
    if delta:
        yield from wrap(delta_rule(delta), 78)
    if account is not None:
        yield _remaining(plan, account)


def _remaining(plan: Plan, account: Account) -> str:
    refused = refusal(plan, account)
    if refused is not None:
        return f"This plan would be refused. {refused} Nothing was spent."
    left, paid = account.left.epsilon, payment(account, plan.charge)
    dearer = ""
    if paid.epsilon != plan.charge.epsilon:
        dearer = f" The account pays epsilon {number_text(paid.epsilon)}: its alpha is another."
    return f"Left: {number_text(left)} before, {number_text(left - paid.epsilon)} after.{dearer}"


def _table(table: PlannedTable, profile: SizeProfile) -> Iterator[str]:
    marginal, made = table.marginal, table.measurement
    by = " × ".join(one.name for one in marginal.dimensions)
    spent = made.margins.epsilon
    paid = f", of it {number_text(spent)} for margins" if spent else ""
    yield f"{table.name}: {by} ({marginal.kind} table)"
    yield from _paragraph("mechanism", f"{made.name}: {table.why}")
    yield f"  cost       epsilon {number_text(table.charge.epsilon)}{paid}"
    cells = f"{marginal.workplace_cells:,} workplace × {marginal.worker_cells:,} worker"
    yield f"  cells      at most {cells} combinations"
    if profile.given:
        yield f"  mean error {jobs(mean_error(table, profile))} jobs over {profile.words}"
        return
    rows = expectations(table, profile)
    yield _row("if the largest establishment has", [f"{row.largest:,}" for row in rows])
    yield _row("  mean error in jobs", [jobs(row.error) for row in rows])
    if rows[0].margin is not None:
        yield _row("  90 % margin in jobs, about", [f"{row.margin:,}" for row in rows])


def _row(words: str, numbers: list[str]) -> str:
    return f"  {words:<33}" + "".join(f"{number:>10}" for number in numbers)


def _paragraph(who: str, sentence: str) -> list[str]:
    """A labelled paragraph with a hanging indent."""
    return wrap(sentence, 78, initial_indent=f"  {who:<11}", subsequent_indent=" " * 13)
