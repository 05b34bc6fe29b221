"""`leeward ledger`: accounts are opened, shown and verified; nothing is ever taken back."""

from pathlib import Path
from typing import Annotated

import typer

from leeward.api import paid_in, verify
from leeward.core.errors import Damaged, InvalidParameter
from leeward.core.privacy.words import READING
from leeward.core.show.numbers import counted
from leeward.interface.commands.app import group
from leeward.interface.commands.options import LedgerFile
from leeward.interface.commands.screen import REFUSED, say, say_lines, show
from leeward.publishing.bundle import Certificate
from leeward.publishing.ledger import Ledger
from leeward.publishing.ledger.book import meaning
from leeward.publishing.ledger.box import Box
from leeward.publishing.ledger.entry import price
from leeward.publishing.ledger.part_sums import part_lines
from leeward.publishing.plan.reading import read_protection
from leeward.publishing.plan.request import WrittenProtection
from leeward.publishing.release.ledger_check import anchor, subject_findings

DEFAULT = Path("ledger.sqlite")

Account = Annotated[str, typer.Option(help="Name of the account.")]
Policy = Annotated[
    str, typer.Option(help="strong, weak, proportional, worker, person or establishment.")
]
Epsilon = Annotated[str | None, typer.Option(help="All that the account may ever lose.")]
EpsilonJob = Annotated[
    str | None, typer.Option(help="The ε that one job more at an establishment may cost.")
]
Rho = Annotated[str | None, typer.Option(help="The same in ρ of zCDP, in place of epsilon.")]
Alpha = Annotated[str | None, typer.Option(help="Protected growth, such as 0.1.")]
Plus = Annotated[str | None, typer.Option(help="Jobs by which small establishments may differ; 1.")]
Unit = Annotated[str | None, typer.Option(help="establishment, or employer: its part in a cell.")]
Delta = Annotated[
    str | None,
    typer.Option(help="All δ that it may ever lose; with --rho, where ρ is read as an ε."),
]
GaussianRho = Annotated[
    str | None, typer.Option(help="The part of a cap in ε and δ that is for Gaussian noise, in ρ.")
]
GaussianDelta = Annotated[
    str | None, typer.Option(help="The part of δ for that ρ; all of it if left out.")
]

Parts = Annotated[
    str | None,
    typer.Option(help="A public attribute of workplaces: each of its codes has a sum of its own."),
]


def create_command(  # noqa: PLR0913, PLR0917 (options of a command)
    account: Account,
    policy: Policy,
    epsilon: Epsilon = None,
    epsilon_job: EpsilonJob = None,
    rho: Rho = None,
    alpha: Alpha = None,
    plus: Plus = None,
    unit: Unit = None,
    delta: Delta = None,
    gaussian_rho: GaussianRho = None,
    gaussian_delta: GaussianDelta = None,
    parts: Parts = None,
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Open an account with a cap that is set once; makes the ledger if there is none.

    One account stands for one population of establishments: all its periods add up. A cap in ε and
    δ pays for charges in ε or for charges in ρ; for both, --gaussian-rho divides it now. With
    --parts the cap is that of each part of the frame, and plans name their part.

    Example: leeward ledger create --account lodes --policy strong --alpha 0.1 --epsilon 16
    """
    if delta is None:
        delta = "0" if rho is None else str(READING)
    protection = WrittenProtection(policy=policy, alpha=alpha, plus=plus, unit=unit, rho=rho,
                                   epsilon=epsilon, epsilon_job=epsilon_job,
                                   delta=delta)  # fmt: skip
    cap = read_protection(protection)
    box = Box.declared(cap, gaussian_rho, gaussian_delta)
    with Ledger(ledger) as book:
        book.open_account(account, cap, box, parts=parts)
        divided = part_lines(book.account(account))
    say(f"Account {account} in {ledger}: {price(cap)} in all, for ever.")
    lines = (*([] if box is None else [box.words]), *divided, *meaning(cap))
    say_lines(f"  {line}" for line in lines)


def show_command(
    ledger: LedgerFile = DEFAULT,
    as_json: Annotated[bool, typer.Option("--json", help="Accounts and entries as JSON.")] = False,
) -> None:
    """Show what every account has lost, to which releases, and what is left.

    Example: leeward ledger show --ledger ledger.sqlite
    """
    with Ledger.open(ledger) as book:
        shown = book.show()
    show(shown.lines(), shown.to_dict, as_json=as_json)


def verify_command(
    ledger: LedgerFile = DEFAULT,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Paid output that this ledger must know: a bundle, synthetic rows or a "
            "regression; may be given several times.",
        ),
    ] = None,
) -> None:
    """Find edits, deletions and reordering; with bundles also a cut end or an old copy.

    Example: leeward ledger verify --ledger ledger.sqlite --against bundle
    """
    anchors = [anchor(paid_in(folder)) for folder in against or []]
    with Ledger.open(ledger) as book:
        findings = book.verify(anchors)
    say_lines(f"- {finding}" for finding in findings)
    if findings:
        say(f"{ledger} is NOT sound: {counted(len(findings), 'finding')}.")
        raise typer.Exit(REFUSED)
    checked = f", and knows {counted(len(anchors), 'bundle')}" if anchors else ""
    say(f"{ledger} is sound{checked}.")


def commit_command(
    bundle: Annotated[
        Path, typer.Argument(help="A whole bundle or folder whose entry was not committed.")
    ],
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Note that a bundle is complete, after a crash between its last byte and its commit.

    Example: leeward ledger commit bundle --ledger ledger.sqlite
    """
    if not verify(bundle):
        raise Damaged(
            "bundle",
            rule="must be whole",
            value=str(bundle),
            next_step=f"`leeward verify {bundle}` says what is wrong; it must not be published.",
        )
    paid = paid_in(bundle)
    made_from = paid.made_from if isinstance(paid, Certificate) else None
    if made_from is not None:
        raise InvalidParameter(
            "bundle",
            rule="must be a release: the ledger pays for releases, not for what is made of them",
            value=f"{bundle}, made from {made_from.name}",
            next_step=f"Commit {made_from.name}.",
        )
    with Ledger.open(ledger) as book:
        findings = book.verify([anchor(paid)])
        findings = findings or tuple(subject_findings(paid, book.entries(), book))
        if findings:
            raise Damaged(
                "ledger",
                rule="must hold the entry that paid for the bundle",
                value=findings[0],
                next_step="Use the ledger of the release.",
            )
        entry = book.commit(paid.ledger.entry, paid.origin[1])
    say(f"Entry {entry.names} is committed.")


def withdraw_command(
    entry: Annotated[int, typer.Argument(help="The entry of the release.")],
    reason: Annotated[str, typer.Option(help="Why; anyone who reads the ledger may see it.")],
    ledger: LedgerFile = DEFAULT,
) -> None:
    """Note that a release should no longer be used. Its charge stays.

    Example: leeward ledger withdraw 3 --reason "wrong period"
    """
    with Ledger.open(ledger) as book:
        withdrawal = book.withdraw(entry, reason)
    say(f"Entry {entry} is withdrawn by entry {withdrawal.number}; its charge stays.")


ledger_app = group(
    "ledger",
    create=create_command,
    show=show_command,
    verify=verify_command,
    commit=commit_command,
    withdraw=withdraw_command,
)
