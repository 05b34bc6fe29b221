"""Glance: the first page of a report, what a board asks before it reads on.

All of it follows from the bundle: what is released and for whom, what its price means, how long
the budget lasts, how many cells are not distinguishable from zero, and which program made it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leeward.core.privacy.odds_of_suspicion import OF, FirmOdds, firm_odds
from leeward.core.show.charts import BudgetPart, budget
from leeward.core.show.interpretation import (
    NET_CHANGES,
    NOT_DISTINGUISHABLE,
    NOT_DISTINGUISHABLE_ENDS,
)
from leeward.core.show.notebook import Figure
from leeward.core.show.numbers import count, counted, losses, rest, share
from leeward.interface.report.summary import TableSummary
from leeward.publishing.bundle import Certificate, CertifiedTable
from leeward.publishing.bundle.statements import BudgetStatement

MOST_NAMED = 8
"""Maximum number of tables that are named on the first page."""

REACHING_ZERO = {False: NOT_DISTINGUISHABLE, True: NOT_DISTINGUISHABLE_ENDS}
"""How to read a number whose margin reaches zero, by whether its table has low and high."""


@dataclass(frozen=True)
class Fact:
    """A number that stands out, what it is about, and what it means."""

    name: str
    figure: str
    words: str
    attention: bool = False


def glance(certificate: Certificate, summaries: Sequence[TableSummary]) -> tuple[Fact, ...]:
    """What a suspicion becomes, what is left, cells near zero, and the program."""
    facts, odds, software = list[Fact](), certificate.odds, certificate.software
    if odds is not None:
        figure = "no bound" if odds.to is None else f"1 → {odds.to} in {OF}"
        price = losses(certificate.guarantee)
        facts.append(Fact(f"What {price} means", figure, odds.sentence, odds.level != "calm"))
    more = further(certificate.budget)
    words = "How many more such releases that pays cannot be told: ρ was paid from a cap in ε."
    if more is not None:
        pays = "no further release" if more == 0 else f"{counted(more, 'more release')}"
        words = f"It pays for {pays} at this price. What is spent is never given back."
    facts.append(Fact("Budget left", rest(certificate.budget.left), words, more == 0))
    wide, of = reaching_zero(summaries)
    if of:
        words = (
            f"Of {counted(of, 'cell')} with a margin, {count(wide)} "
            f"{'has' if wide == 1 else 'have'} one that reaches zero. "
            f"{meaning_of_zero(summaries)} Pictures show such cells hatched or pale."
        )
        facts.append(Fact("Cells not distinguishable from zero", share(wide, of), words))
    if software is not None:
        commit = "It was no checkout." if software.commit is None else f"Commit {software.commit}."
        words = f"{commit} SHA-256 over its files: {software.wheel}"
        facts.append(Fact("Program", f"Leeward {software.leeward}", words))
    return tuple(facts)


def titles(tables: Sequence[CertifiedTable]) -> str:
    """The tables by their titles; of very many the first ones."""
    named = [table.heading for table in tables[:MOST_NAMED]]
    more = len(tables) - len(named)
    return "; ".join([*named, *([f"and {counted(more, 'more table')}"] if more else [])])


def further(stated: BudgetStatement) -> int | None:
    """How many more releases of this price the account pays; None where that is not a quotient."""
    paid, left = stated.paid, stated.left
    if paid.rho != "0" and left.rho is None:
        return None
    pairs = ((paid.epsilon, left.epsilon), (paid.delta, left.delta), (paid.rho, left.rho or "0"))
    parts = [Fraction(rest) // Fraction(each) for each, rest in pairs if Fraction(each)]
    return min(parts, default=None)


def budget_figure(stated: BudgetStatement) -> Figure | None:
    """What was spent before, by this release, and what is left.

    None where ρ was paid from a cap in ε: they do not add up.
    """
    in_rho = stated.cap.rho != "0"
    if not in_rho and (stated.paid.rho, stated.spent.rho) != ("0", "0"):
        return None
    name, letter = ("rho", "ρ") if in_rho else ("epsilon", "ε")
    now, spent = (Fraction(getattr(guarantee, name)) for guarantee in (stated.paid, stated.spent))
    parts = [
        BudgetPart("Spent before", max(spent - now, Fraction(0))),
        BudgetPart("This release", now),
    ]
    left = Fraction(getattr(stated.left, name) or 0)
    chart = budget(parts, left, title="The budget of the account", currency=name)
    caption = f"The {letter} of the account: spent before, paid for this release, and left."
    return Figure(chart, caption)


def reaching_zero(summaries: Sequence[TableSummary]) -> tuple[int, int]:
    """The cells of counts whose margin reaches zero, and all that have a margin."""
    counts = [each for each in summaries if each.table.counts and each.margins is not None]
    cells = (each.margins.cells for each in counts if each.margins)
    return sum(each.wide for each in counts), sum(cells)


def meaning_of_zero(summaries: Sequence[TableSummary]) -> str:
    """How to read the numbers of these tables whose margin reaches zero."""
    tables = [summary.table for summary in summaries if summary.margins is not None]
    sentences = [
        REACHING_ZERO[ends] for ends in sorted({bool(table.margins.ends) for table in tables})
    ]
    changes = [NET_CHANGES] if any(table.signed for table in tables) else []
    return " ".join([*sentences, *changes])


def chain(certificate: Certificate) -> tuple[FirmOdds, ...]:
    """What firms of several establishments lose; none where nothing is promised to firms."""
    return firm_odds(certificate.guarantee.as_guarantee()) if certificate.firm is not None else ()


def about(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    """Source, contact and licence, as the plan gives them."""
    return () if certificate.about is None else certificate.about.named
