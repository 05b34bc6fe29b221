"""Predicted: a prediction as a value that prints and shows itself, for a person and a program."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap

from leeward.core.codebook import Marginal
from leeward.core.codebook.size_profile import SizeProfile
from leeward.core.codebook.statistic import COUNT
from leeward.core.codebook.totals import families
from leeward.core.exact import number_text
from leeward.core.privacy import Guarantee
from leeward.core.privacy.delta import delta_rule
from leeward.core.privacy.loss_curve import HEADINGS
from leeward.core.privacy.odds_of_suspicion import odds
from leeward.core.privacy.words import amount_text, both_amounts, of_unit
from leeward.core.show.notebook import html_table
from leeward.core.show.numbers import bounded, error
from leeward.publishing.ledger import Account
from leeward.publishing.ledger.account import payment
from leeward.publishing.ledger.part_sums import in_part
from leeward.publishing.plan.gap import gaps, table_gaps
from leeward.publishing.plan.plan import Plan
from leeward.publishing.plan.planned_table import PlannedTable, curve_of, shown_by
from leeward.publishing.plan.prediction import (
    Expectation,
    PartExpectation,
    expectations,
    mean_error,
    part_expectations,
    promises,
    refusal,
)

LABELS = 33
"""Room for the labels of a table of errors."""


@dataclass(frozen=True)
class TablePrediction:
    """What to expect of one table."""

    name: str
    mechanism: str
    epsilon: Fraction
    rho: Fraction
    mean_abs_error: float | None
    """Mean absolute error of a cell, a plain average over the plan's sizes; None without a mean.

    The sizes are cells whose largest establishment has 10, 100 and 1,000 jobs, unless the plan has
    others: the largest size makes most of it.
    """

    unit: str = COUNT.unit
    """The unit of the error: jobs, or that of a column of pay."""


@dataclass(frozen=True, repr=False)
class Prediction:
    """What a plan promises, costs and errs, before anything is spent."""

    plan: Plan
    account: Account | None = None

    @property
    def tables(self) -> tuple[TablePrediction, ...]:
        """The tables in the order of the plan."""
        return tuple(
            TablePrediction(
                table.name,
                table.measurement.name,
                table.charge.epsilon,
                table.charge.rho,
                mean_error(table, self.plan.profile),
                table.marginal.statistic.unit,
            )
            for table in self.plan.tables
        )

    def lines(self) -> Iterator[str]:
        """The prediction for a person, as `leeward plan` prints it."""
        return plan_lines(self.plan, self.account)

    def to_dict(self) -> dict[str, object]:
        """The prediction for a program, as `leeward plan --json` prints it."""
        account = self.account
        told = as_json(self.plan, None if account is None else str(account.remaining))
        return told if account is None else {**told, "refused": refusal(self.plan, account)}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        names = ", ".join(table.name for table in self.plan.tables)
        return f"Prediction({amount_text(self.plan.charge)}: {names})"

    def _repr_html_(self) -> str:
        units = {table.unit for table in self.tables}
        rows = [
            (
                prediction.name,
                prediction.mechanism,
                number_text(prediction.epsilon or prediction.rho),
                error(prediction.mean_abs_error)
                + ("" if len(units) == 1 else f" {prediction.unit}"),
            )
            for prediction in self.tables
        ]
        meaning = promises(self.plan)["meaning"]
        note = f"Mean error of a cell over {self.plan.predicted_cells}. {meaning}"
        erring = f"mean error, {units.pop()}" if len(units) == 1 else "mean error"
        heads = ("table", "mechanism", self.plan.charge.currency, erring)
        return html_table(f"Plan for {self.plan.request.period}", heads, rows, note=note)


def as_json(plan: Plan, remaining: object) -> dict[str, object]:
    """The prediction for programs, with exact numbers as text.

    Nothing is spent of the δ of `reading`.
    """
    charge, suspicion = plan.charge, odds(plan.charge)
    guarantee: dict[str, object] = {
        "policy": charge.policy.name,
        "alpha": None if charge.alpha is None else str(charge.alpha),
        "plus": charge.plus,
        "unit": charge.unit,
        **charge.loss_texts(),
    }
    if charge.rho:
        read = charge.restated
        guarantee["reading"] = {"epsilon": str(read.epsilon), "delta": str(read.delta)}
    return {
        "guarantee": {**guarantee, "sentence": charge.sentence(plan.jobs)},
        "odds": None if suspicion is None else suspicion.as_json(),
        "parts": plan.priced.stated(),
        "curve": [point.as_json() for point in curve_of(plan.charge, plan.tables)],
        "tables": [table_json(table, plan.profile) for table in plan.tables],
        "gaps": [gap.as_json() for gap in gaps(plan)],
        "remaining": remaining,
    }


def table_json(table: PlannedTable, profile: SizeProfile) -> dict[str, object]:
    """One table of the prediction, with the tables of a product."""
    marginal = table.marginal
    parts = [
        {
            "name": part.name,
            "worker_cells": part.cells,
            "mean_error": profile.mean(part.errors),
            "margins": list(part.margins),
            "allowances": list(part.allowances),
        }
        for part in part_expectations(table, profile)
    ]
    return {
        "name": table.name,
        "kind": _kind(marginal),
        "statistic": marginal.statistic.name,
        "mechanism": table.measurement.name,
        "why": table.why,
        **table.charge.loss_texts(),
        "margins": table.measurement.margins.method,
        "cells": marginal.workplace_cells * marginal.worker_cells,
        "totals": _total_rows(marginal),
        "worker_cells": marginal.worker_cells,
        "predicted_error": {
            "unit": marginal.statistic.unit,
            "mean": mean_error(table, profile),
            "by_largest": [vars(expectation) for expectation in expectations(table, profile)],
        },
        **({"tables": parts} if parts else {}),
    }


def plan_lines(plan: Plan, account: Account | None) -> Iterator[str]:
    """The plan for a person."""
    yield "What is promised"
    for who, sentence in promises(plan).items():
        yield from _paragraph(who, sentence)
    curve = curve_of(plan.charge, plan.tables)
    yield from ("", "What is lost between two sizes") if curve else ()
    for point in curve:
        yield from _paragraph(HEADINGS[point.name], point.sentence.text)
    for table in plan.tables:
        yield ""
        yield from _table(table, plan.profile)
        for gap in table_gaps(plan, table):
            yield from _paragraph("at most", gap.words)
    yield ""
    here = "".join(f" for {name} {code}" for name, code in (plan.request.part or {}).items())
    yield f"Cost: {both_amounts(plan.charge)} of account {plan.request.account}{here}."
    yield from wrap(plan.priced.sentence, 78)
    if plan.charge.rho > 0:
        read = plan.charge.restated
        told = f"epsilon {number_text(read.epsilon)} at delta {number_text(read.delta)}"
        yield f"Read as {told}, of which nothing is spent."
    delta = max(plan.asked.told_delta, Fraction(0) if account is None else account.cap.delta)
    if delta:
        yield from wrap(delta_rule(delta), 78)
    if account is None:
        return
    refused = refusal(plan, account)
    if refused is not None:
        yield f"This plan would be refused. {refused} Nothing was spent."
        return
    account = in_part(account, plan.request.named_part)
    paid = payment(account, plan.charge)
    states = (account, account.after(paid))
    before, after = (number_text(state.remaining_for(paid)) for state in states)
    divided = account.box is not None and paid.currency == "rho"
    rho = "rho " if divided or account.cap.currency == "rho" else ""
    yield f"Left: {rho}{before} before, {after} after.{dearer(plan.charge, paid)}"


def dearer(charge: Guarantee, paid: Guarantee) -> str:
    """Why an account pays another number than the plan costs; nothing where it does not."""
    if (charge.currency, charge.amount) == (paid.currency, paid.amount):
        return ""
    other = "it counts in rho" if charge.currency != paid.currency else (
        "its alpha or its plus is another"
    )  # fmt: skip
    return f" The account pays {amount_text(paid)}: {other}."


def _table(table: PlannedTable, profile: SizeProfile) -> Iterator[str]:
    marginal, measurement = table.marginal, table.measurement
    spent = measurement.margins.epsilon
    paid = f", of it {number_text(spent)} for margins" if spent else ""
    if marginal.breakdowns:
        number = len(marginal.published)
        yield from wrap(f"{table.name}: {shown_by(marginal)} ({number} tables at once)", 78)
    else:
        of = "" if marginal.statistic == COUNT else f", {marginal.statistic.words}"
        yield f"{table.name}: {shown_by(marginal)} ({_kind(marginal)} table{of})"
    yield from _paragraph("mechanism", f"{measurement.name}: {table.why}")
    yield f"  cost       {both_amounts(table.charge)}{paid}"
    cells = f"{marginal.workplace_cells:,} workplace × {marginal.worker_cells:,} worker"
    yield f"  cells      at most {cells} combinations"
    if marginal.totals:
        names = ", ".join(marginal.totals)
        yield from _paragraph("totals", f"of {names}: at most {_total_rows(marginal):,} rows, "
                              "added from the published values at no cost")  # fmt: skip
    if marginal.statistic.note is not None:
        yield from _paragraph("note", marginal.statistic.note)
    unit = marginal.statistic.unit
    if profile.given:
        yield f"  mean error {error(mean_error(table, profile))} {unit} over {profile.words}"
        return
    rows = expectations(table, profile)
    words = of_unit("if the largest establishment has", table.charge.unit)
    parts = part_expectations(table, profile)
    lines = [
        (words, [f"{row.largest:,}" for row in rows]),
        (f"  mean error in {unit}", [error(row.error) for row in rows]),
        *((f"    {part.name}", [error(one) for one in part.errors]) for part in parts),
        *_margin_lines(rows, parts, unit),
    ]
    width = max(LABELS, *(len(label) + 1 for label, _ in lines))
    for label, numbers in lines:
        yield f"  {label:<{width}}" + "".join(f" {number:>9}" for number in numbers)


def _margin_lines(
    rows: Sequence[Expectation], parts: Sequence[PartExpectation], unit: str
) -> Iterator[tuple[str, list[str]]]:
    """Margins of the noise, and apart from it what intervals allow for clipping."""
    if rows[0].margin is None:
        return
    yield f"  90 % margin in {unit}, about", [bounded(row.margin or 0) for row in rows]
    for part in parts:
        if part.margins:
            yield f"    {part.name}", [bounded(margin) for margin in part.margins]
    if not any(row.allowance for row in rows) and not any(
        any(expectation.allowances) for expectation in parts
    ):
        return
    yield "  farther up for clipping, about", [bounded(row.allowance or 0) for row in rows]
    for part in parts:
        if part.allowances:
            yield f"    {part.name}", [bounded(allowance) for allowance in part.allowances]


def _kind(marginal: Marginal) -> str:
    """Workplace, worker or joint; tables of pay are of the first two kinds."""
    if marginal.breakdowns:
        return marginal.kind
    return "workplace" if marginal.counts_every_job else "worker"


def _total_rows(marginal: Marginal) -> int:
    """Maximum number of rows of totals."""
    sums = (family.marginal for family in families(marginal.published[0]))
    return sum(table.workplace_cells * table.worker_cells for table in sums)


def _paragraph(who: str, sentence: str) -> list[str]:
    """A labelled paragraph with a hanging indent."""
    return wrap(sentence, 78, initial_indent=f"  {who:<11}", subsequent_indent=" " * 13)
